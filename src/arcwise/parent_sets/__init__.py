"""Tables of candidate parent sets."""

from arcwise.parent_sets.jkl import format_jkl, parse_jkl, read_jkl, write_jkl
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["ParentSetTable", "format_jkl", "parse_jkl", "read_jkl", "write_jkl"]
