"""The names of the module, for type checkers and editors. Written by docs/update.py."""

from arcwise.data.checks import Targets as Targets
from arcwise.data.column import Column as Column
from arcwise.data.column import VariableKind as VariableKind
from arcwise.data.dataset import Dataset as Dataset
from arcwise.data.dataset import Incomplete as Incomplete
from arcwise.data.dataset import stack as stack
from arcwise.data.discretize import apply_cuts as apply_cuts
from arcwise.data.discretize import discretize as discretize
from arcwise.data.discretize import find_cuts as find_cuts
from arcwise.data.impute import impute as impute
from arcwise.data.mixed import MixedData as MixedData
from arcwise.data.read import ReadingSettings as ReadingSettings
from arcwise.data.read import read_data as read_data
from arcwise.data.read import read_table as read_table
from arcwise.data.table import Table as Table
from arcwise.data.write import write_data as write_data
from arcwise.data.write import write_table as write_table
