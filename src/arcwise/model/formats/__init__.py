"""Formats of other programs for networks with tables: XMLBIF, Hugin NET, GeNIe XDSL and UAI."""

from arcwise.model.formats.hugin_net import format_net, parse_net
from arcwise.model.formats.uai import format_uai, parse_uai
from arcwise.model.formats.xdsl import format_xdsl, parse_xdsl
from arcwise.model.formats.xmlbif import format_xmlbif, parse_xmlbif

__all__ = [
    "format_net",
    "format_uai",
    "format_xdsl",
    "format_xmlbif",
    "parse_net",
    "parse_uai",
    "parse_xdsl",
    "parse_xmlbif",
]
