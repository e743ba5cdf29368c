"""`Table`: data as they come, before they are complete and discrete.

The pipeline is read -> impute -> discretize -> Dataset: `read_table` and `Table.from_dataframe` make a table, `impute`
fills its gaps, `discretize` cuts its numbers into intervals, and `Table.to_dataset` refuses what is still not discrete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from arcwise.base.errors import errors_within
from arcwise.data.columns import Columns, encode
from arcwise.data.dataset import Dataset, Incomplete

if TYPE_CHECKING:
    import pandas as pd

Tabular = TypeVar("Tabular", bound="Table | pd.DataFrame")


@dataclass(frozen=True, eq=False, repr=False)
class Table(Columns):
    """Columns of labels, possibly with missing values and numbers, as read from a file or taken from a DataFrame.

    Parameters
    ----------
    columns
        The columns, all with the same number of rows.
    source
        Where the data came from, for messages: a file name, or "" for none.
    weights
        How often each row occurs, or None if every row counts once.
    lines
        The line of each row in its file; or the line of the first row, if every row is on its own line; 0: no file.
    renamed
        The columns that got their names here, because the header had none or the same twice, each with the reason.
    targets
        Which variables were set in which rows, or None; see `with_interventions`.
    design
        Which rows belong together, or None; see `with_groups`.
    above
        What was written above the header, and was skipped.
    told
        What the reader did, one sentence each.
    left_out
        The columns that the reader left out, each with the reason, a clause.
    is_grouped
        Whether the rows are the distinct ones of a large file, in no order that means anything, and `weights` say how
        many rows of the file each stands for; see `arcwise.data.large`.
    reader_cuts
        Where the reader cut columns of numbers.
    file_names
        All columns of the file, by which "#3" is the third, where the reader left some out; () if those that are there.
    """

    @classmethod
    def of(cls, data: Table | pd.DataFrame) -> Table:
        """Return a table as it is, and a DataFrame as a table."""
        return data if isinstance(data, Table) else cls.from_dataframe(data)

    def like(self, given: Tabular) -> Tabular:
        """Return the table as what it was made from: as it is, or as a DataFrame."""
        return self if isinstance(given, Table) else self.to_dataframe()  # type: ignore[return-value]

    def to_dataset(
        self,
        *,
        states: Mapping[str, Iterable[object]] | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
    ) -> Dataset:
        """Return the table as a `Dataset`, or say what is in the way: see `Dataset.from_dataframe`."""
        encoded = encode(self, states, categorical, max_levels)
        with errors_within(*self.place_parts):
            return Dataset(*encoded)

    def to_incomplete(
        self,
        *,
        states: Mapping[str, Iterable[object]] | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
    ) -> Incomplete:
        """Return the table as discrete data with its gaps; the options are those of `to_dataset`."""
        encoded = encode(self, states, categorical, max_levels, gaps=True)
        with errors_within(*self.place_parts):
            return Incomplete(Dataset(*encoded), self.is_missing)
