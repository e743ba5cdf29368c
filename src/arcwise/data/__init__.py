"""Data in: read -> impute -> discretize -> `Dataset`."""

from arcwise.data.checks import Targets
from arcwise.data.column import Column
from arcwise.data.dataset import Dataset, Incomplete, stack
from arcwise.data.discretize import apply_cuts, discretize, find_cuts
from arcwise.data.impute import impute
from arcwise.data.read import ReadingSettings, read_data, read_table
from arcwise.data.table import Table
from arcwise.data.write import write_data, write_table

__all__ = [
    "Column",
    "Dataset",
    "Incomplete",
    "ReadingSettings",
    "Table",
    "Targets",
    "apply_cuts",
    "discretize",
    "find_cuts",
    "impute",
    "read_data",
    "read_table",
    "stack",
    "write_data",
    "write_table",
]
