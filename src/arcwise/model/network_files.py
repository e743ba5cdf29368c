"""Networks with tables from and to files, the format by the name: BIF, XMLBIF, Hugin NET, GeNIe XDSL, UAI."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from arcwise.errors import FormatError
from arcwise.files import read_bytes, write_text
from arcwise.model.bif import format_bif, parse_bif
from arcwise.model.formats import (
    format_net,
    format_uai,
    format_xdsl,
    format_xmlbif,
    parse_net,
    parse_uai,
    parse_xdsl,
    parse_xmlbif,
)
from arcwise.model.network import BayesianNetwork
from arcwise.showing import one_screen

__all__ = [
    "NETWORK_FORMATS",
    "NetworkFormat",
    "format_network",
    "network_format",
    "parse_network",
    "read_network",
    "write_network",
]


@one_screen
@dataclass(frozen=True)
class NetworkFormat:
    """A format of files: what it is called, the suffixes that stand for it, its reader and its writer."""

    title: str
    suffixes: tuple[str, ...]
    parse: Callable[..., BayesianNetwork]
    format: Callable[[BayesianNetwork], str]


NETWORK_FORMATS: dict[str, NetworkFormat] = {
    "bif": NetworkFormat("BIF", (".bif",), parse_bif, format_bif),
    "xmlbif": NetworkFormat("XMLBIF", (".xmlbif", ".bifxml", ".xml"), parse_xmlbif, format_xmlbif),
    "net": NetworkFormat("Hugin NET", (".net",), parse_net, format_net),
    "xdsl": NetworkFormat("GeNIe XDSL", (".xdsl",), parse_xdsl, format_xdsl),
    "uai": NetworkFormat("UAI", (".uai",), parse_uai, format_uai),
}


def network_format(path: str | os.PathLike[str]) -> str | None:
    """Return the format that a file's name stands for, a key of `NETWORK_FORMATS`, or None.

    >>> network_format("asia.net.gz"), network_format("asia.csv")
    ('net', None)
    """
    name = os.fspath(path).lower().removesuffix(".gz")
    return next((kind for kind, form in NETWORK_FORMATS.items() if name.endswith(form.suffixes)), None)


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network with its tables, plain or gzip; the suffix (before .gz) says how it is written.

    - .bif: BIF, as bnlearn, pgmpy and the Bayesian Network Repository use it;
    - .xmlbif, .bifxml, .xml: XMLBIF; .net: Hugin; .xdsl: GeNIe; .uai: the UAI evaluations.

    Raises
    ------
    FormatError
        The file is damaged or of another kind; the message names the file and the place.
    """
    return parse_network(read_bytes(path), _known(path), source=str(path))


def write_network(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network with its tables as the suffix says; a name that ends in .gz is compressed.

    What is written reads back equal, number for number; what a format cannot hold is refused. See `read_network`.
    """
    kind = _known(path)
    try:
        text = format_network(network, kind)
    except FormatError as error:
        raise error.within(f"cannot write {path}:") from None
    write_text(path, text)


def parse_network(content: bytes, kind: str, *, source: str = "<text>") -> BayesianNetwork:
    """Return the network that a file's content describes in the given format, a key of `NETWORK_FORMATS`."""
    return NETWORK_FORMATS[kind].parse(content, source=source)


def format_network(network: BayesianNetwork, kind: str) -> str:
    """Return the text of a network's file in the given format, a key of `NETWORK_FORMATS`."""
    return NETWORK_FORMATS[kind].format(network)


def _known(path: str | os.PathLike[str]) -> str:
    kind = network_format(path)
    if kind is None:
        listed = ", ".join(suffix for form in NETWORK_FORMATS.values() for suffix in form.suffixes)
        raise FormatError(
            f"{path}: the suffix does not say how the network is written; known are {listed}, each also with .gz."
        )
    return kind
