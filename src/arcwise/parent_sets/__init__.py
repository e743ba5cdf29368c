"""Tables of candidate parent sets."""

from arcwise.parent_sets.build import BuildSettings, build_parent_set_tables, build_parent_sets
from arcwise.parent_sets.files import (
    format_binary,
    format_jkl,
    parse_binary,
    parse_jkl,
    parse_parent_sets,
    read_jkl,
    read_parent_sets,
    write_jkl,
    write_parent_sets,
)
from arcwise.parent_sets.table import BuildStatistics, ParentSetTable

__all__ = [
    "BuildSettings",
    "BuildStatistics",
    "ParentSetTable",
    "build_parent_set_tables",
    "build_parent_sets",
    "format_binary",
    "format_jkl",
    "parse_binary",
    "parse_jkl",
    "parse_parent_sets",
    "read_jkl",
    "read_parent_sets",
    "write_jkl",
    "write_parent_sets",
]
