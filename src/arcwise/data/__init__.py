"""Data in: read -> impute -> discretize -> `Dataset`."""

from arcwise.base import doors

doors.offer(
    __name__,
    {
        "data.checks": "Targets",
        "data.column": "Column VariableKind",
        "data.dataset": "Dataset Incomplete stack",
        "data.discretize": "apply_cuts discretize find_cuts",
        "data.impute": "impute",
        "data.mixed": "MixedData",
        "data.read": "ReadingSettings read_data read_table",
        "data.table": "Table",
        "data.write": "write_data write_table",
    },
)
