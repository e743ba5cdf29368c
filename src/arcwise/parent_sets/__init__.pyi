"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.parent_sets.build import BuildSettings as BuildSettings
from arcwise.parent_sets.build import build_parent_set_tables as build_parent_set_tables
from arcwise.parent_sets.build import build_parent_sets as build_parent_sets
from arcwise.parent_sets.table import BuildStatistics as BuildStatistics
from arcwise.parent_sets.table import ParentSetTable as ParentSetTable
from arcwise.parent_sets.table import format_binary as format_binary
from arcwise.parent_sets.table import format_jkl as format_jkl
from arcwise.parent_sets.table import parse_binary as parse_binary
from arcwise.parent_sets.table import parse_jkl as parse_jkl
from arcwise.parent_sets.table import parse_parent_sets as parse_parent_sets
from arcwise.parent_sets.table import read_jkl as read_jkl
from arcwise.parent_sets.table import read_parent_sets as read_parent_sets
from arcwise.parent_sets.table import write_jkl as write_jkl
from arcwise.parent_sets.table import write_parent_sets as write_parent_sets
