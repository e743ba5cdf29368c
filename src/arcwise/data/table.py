"""`Table`: data as they come, before they are complete and discrete.

The pipeline is read -> impute -> discretize -> Dataset: `read_table` and `Table.from_dataframe` make a table, `impute`
fills its gaps, `discretize` cuts its numbers into intervals, and `Table.to_dataset` refuses what is still not discrete.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.carrying import MAX_LEVELS
from arcwise.data.dataset import Dataset
from arcwise.data.labels import numbers_of, quoted
from arcwise.data.targets import Conditions, Targets, table_targets
from arcwise.errors import DataError, OptionError, suggestion
from arcwise.mentions import Mention
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.incomplete import Incomplete

__all__ = ["AS_ASKED", "MAX_LEVELS", "Column", "ReaderCuts", "Table"]

# Why a column is left out that somebody named for it.
AS_ASKED = "as asked for"


@one_screen
@dataclass(frozen=True, slots=True)
class ReaderCuts:
    """Where the reader of a large file cut a column of numbers, and the labels that it took for missing values."""

    cuts: tuple[float, ...]
    missing: tuple[str, ...] = ()


@one_screen
@dataclass(frozen=True, eq=False)
class Column:
    """One column: distinct labels, and for each row the code of its label.

    Parameters
    ----------
    name
        The variable.
    codes
        One unsigned integer per row; ``len(labels)`` stands for a missing value.
    labels
        The distinct labels, as written but without spaces around them.
    declared
        Whether the labels are declared states, in their order, rather than what was seen.
    weights
        How many cases each row stands for, if the rows are the distinct ones of a large file; None if one.
    """

    name: str
    codes: NDArray[Any]
    labels: tuple[str, ...]
    declared: bool = False
    weights: NDArray[Any] | None = None

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The labels as numbers; None if one is not a number or if the labels are declared states."""
        return None if self.declared else numbers_of(self.labels)

    @cached_property
    def n_missing(self) -> int:
        """The number of cases without a value."""
        gaps = self.codes == len(self.labels)
        return int(np.count_nonzero(gaps) if self.weights is None else self.weights[gaps].sum())

    @property
    def n_cases(self) -> int:
        """The number of cases: of rows, or what these stand for."""
        return len(self.codes) if self.weights is None else int(self.weights.sum())

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """For each row, whether it has no value."""
        return np.asarray(self.codes == len(self.labels))

    def is_continuous(self, max_levels: int = MAX_LEVELS) -> bool:
        """Return whether the column holds numbers with more than `max_levels` distinct values."""
        return self.numbers is not None and len(np.unique(self.numbers)) > max_levels

    def values(self) -> NDArray[np.float64]:
        """Return each row's number, NaN where it is missing. Only for columns of numbers."""
        if self.numbers is None:
            raise DataError(f"column '{self.name}' does not hold numbers: {quoted(self.labels)}.")
        return np.asarray(np.append(self.numbers, np.nan)[self.codes])

    def counts(self) -> NDArray[np.int64]:
        """Return how many cases show each label."""
        return self._counts

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        # Sums of whole numbers below 2^53 are exact as floats.
        found = np.bincount(self.codes, self.weights, minlength=len(self.labels) + 1)[: len(self.labels)]
        found = found.astype(np.int64, copy=False)
        found.setflags(write=False)
        return found

    def relabel(self, labels: Mapping[str, str | None]) -> Column:
        """Return the column with other labels: equal ones become one, None a missing value; what is not named stays."""
        new = [labels.get(label, label) for label in self.labels]
        kept = tuple(dict.fromkeys(label for label in new if label is not None))
        position = {label: code for code, label in enumerate(kept)}
        lookup = [len(kept) if label is None else position[label] for label in new]
        kind = Dataset.code_type(len(kept) + 1)
        return Column(self.name, np.array([*lookup, len(kept)], dtype=kind)[self.codes], kept, self.declared)

    def take(self, rows: NDArray[Any]) -> Column:
        """Return the given rows; of observed labels, those that are still seen."""
        codes = self.codes[rows]
        if self.declared:
            return Column(self.name, codes, self.labels, declared=True)
        seen = np.bincount(codes, minlength=len(self.labels) + 1)[: len(self.labels)] > 0
        if seen.all():
            return Column(self.name, codes, self.labels)
        labels = tuple(label for label, kept in zip(self.labels, seen, strict=True) if kept)
        lookup = np.append(np.cumsum(seen) - 1, len(labels)).astype(Dataset.code_type(len(labels) + 1))
        return Column(self.name, lookup[codes], labels)


@dataclass(frozen=True, eq=False)
class Table:
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

    columns: tuple[Column, ...]
    source: str = ""
    weights: NDArray[Any] | None = None
    lines: NDArray[np.int64] | int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    targets: Targets | None = None
    above: tuple[str, ...] = ()
    told: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    is_grouped: bool = False
    reader_cuts: Mapping[str, ReaderCuts] = field(default_factory=dict)
    file_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Whoever makes a new column need not think of weights: a table of distinct rows gives its own to all of them.
        if self.is_grouped and any(column.weights is not self.weights for column in self.columns):
            columns = tuple(replace(column, weights=self.weights) for column in self.columns)
            object.__setattr__(self, "columns", columns)

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, *, weights: str | ArrayLike | None = None, source: str = "") -> Table:
        """Make a table from a DataFrame: None, NaN, NaT, NA and empty strings are missing values.

        A frame of pandas, or any that offers the Arrow interface, such as those of polars and pyarrow.
        `weights` says how often each row occurs: the name of a column, or an array.
        """
        from arcwise.data.arrow import columns_of_arrow, speaks_arrow
        from arcwise.data.frame import columns_of

        found, renamed = columns_of_arrow(frame, source) if speaks_arrow(frame) else columns_of(frame, source)
        table = cls(found, source, renamed=renamed)
        return table if weights is None else table.with_weights(weights)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].codes) if self.columns else 0

    @property
    def n_cases(self) -> int:
        """The number of rows as the file has them."""
        return int(np.sum(self.weights)) if self.is_grouped and self.weights is not None else self.n_rows

    def sampled_rows(self, count: int) -> NDArray[np.int64]:
        """Return about so many rows for a look at the cases, evenly over the table: all, if there are not more."""
        if not self.is_grouped or self.weights is None:
            return np.arange(0, self.n_rows, max(1, self.n_rows // count))
        ends = np.cumsum(self.weights)
        cases = np.arange(0, int(ends[-1]), max(1, int(ends[-1]) // count))
        return np.searchsorted(ends, cases, side="right")

    @property
    def n_missing(self) -> dict[str, int]:
        """The number of missing values of each column that has any."""
        return {column.name: column.n_missing for column in self.columns if column.n_missing}

    def continuous(self, max_levels: int = MAX_LEVELS) -> tuple[str, ...]:
        """Return the columns of numbers with more than `max_levels` distinct values."""
        return tuple(column.name for column in self.columns if column.is_continuous(max_levels))

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        for column in self.columns:
            if column.name == name:
                return column
        raise DataError(self.prefix + suggestion("column", str(name), self.names))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns), as a data frame has it."""
        return self.n_rows, len(self.columns)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        gaps = sum(self.n_missing.values())
        return f"<Table: {len(self.columns)} columns, {self.n_cases:,} rows, {gaps:,} missing values>"

    # ---- The same table in another shape

    def with_columns(self, columns: Iterable[Column]) -> Table:
        """Return this table with the columns of the same names replaced."""
        new = {column.name: column for column in columns}
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def with_weights(self, weights: str | ArrayLike) -> Table:
        """Return this table with row weights: an array, or the name of a column, which is then no variable any more."""
        if not isinstance(weights, str):
            return replace(self, weights=np.asarray(weights))
        column = self.column(weights)
        if column.numbers is None or column.n_missing:
            raise DataError(
                f"{self.prefix}column '{weights}' cannot weigh rows: it must hold whole numbers, and no gaps. "
                f"It shows {quoted(column.labels)} and {column.n_missing:,} missing values."
            )
        return replace(self.drop([weights]), weights=column.values())

    def with_interventions(self, column: str, conditions: Conditions | None = None) -> Table:
        """Return this table with what a column says about experiments; the column is then no variable any more.

        Parameters
        ----------
        column
            Names the variables that were set in each row, several with ";" between them; empty where nothing was.
        conditions
            For labels that are not variables, such as the name of a drug or of an experiment: which variables they
            stand for (a name, several with ";", a list, or "" for none).
        """
        read = self.column(column)
        return replace(self.drop([column]), targets=table_targets(self, read, conditions))

    def select(self, names: Iterable[str]) -> Table:
        """Return the given columns, in the order given."""
        return replace(self, columns=tuple(self.column(name) for name in _listed(names)))

    def drop(self, names: Iterable[str]) -> Table:
        """Return the other columns."""
        dropped = {self.column(name).name for name in _listed(names)}
        renamed = {name: reason for name, reason in self.renamed.items() if name not in dropped}
        return replace(
            self, columns=tuple(column for column in self.columns if column.name not in dropped), renamed=renamed
        )

    def still_there(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that the reader has not left out already."""
        return [name for name in self.at_positions(names) if name not in self.left_out]

    def not_asked_out(self, names: Iterable[str]) -> list[str]:
        """Return those of the names that the reader has not left out because somebody asked for it."""
        return [name for name in self.at_positions(names) if self.left_out.get(name) != AS_ASKED]

    def take(self, rows: ArrayLike) -> Table:
        """Return the given rows: positions or a mask."""
        chosen = np.asarray(rows)
        if chosen.dtype == bool:
            chosen = np.flatnonzero(chosen)
        lines = self.lines
        if not isinstance(lines, int):
            lines = lines[chosen]
        elif lines:
            lines = chosen + lines
        return Table(
            tuple(column.take(chosen) for column in self.columns),
            self.source,
            None if self.weights is None else self.weights[chosen],
            lines,
            self.renamed,
            None if self.targets is None else self.targets.take(chosen),
            told=self.told,
            left_out=self.left_out,
            is_grouped=self.is_grouped,
            reader_cuts=self.reader_cuts,
            file_names=self.file_names,
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return a DataFrame: numbers as floats, declared states as categorical columns, the rest as text."""
        from arcwise.data.frame import frame_of

        return frame_of(self.columns)

    # ---- The end of the pipeline

    def to_dataset(
        self,
        *,
        states: Mapping[str, Iterable[object]] | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
    ) -> Dataset:
        """Return the table as a `Dataset`, or say what is in the way: see `Dataset.from_dataframe`."""
        from arcwise.data.states import encode

        return encode(self, states or {}, categorical, MAX_LEVELS if max_levels is None else max_levels)

    def to_incomplete(
        self,
        *,
        states: Mapping[str, Iterable[object]] | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
    ) -> Incomplete:
        """Return the table as discrete data with its gaps; the options are those of `to_dataset`."""
        from arcwise.data.states import encode_incomplete

        return encode_incomplete(self, states or {}, categorical, MAX_LEVELS if max_levels is None else max_levels)

    # ---- For messages

    @property
    def prefix(self) -> str:
        """The source with a colon, to start a message with."""
        return f"{self.source}: " if self.source else ""

    @property
    def place_parts(self) -> tuple[str, ...]:
        """The same as the first part of an error, or none."""
        return (f"{self.source}:",) if self.source else ()

    def where(self, row: int) -> str:
        """Return "line 7" for a row of a file, "row 5" for others."""
        if isinstance(self.lines, int):
            return f"line {self.lines + row:,}" if self.lines else f"row {row:,}"
        return f"line {int(self.lines[row]):,}"

    def place(self, column: Column) -> str:
        """Return "column 'smoke' (3 of 12)"."""
        return f"column '{column.name}' ({self.names.index(column.name) + 1} of {len(self.columns)})"

    def checked_names(self, names: Iterable[str], where: str | Mention) -> list[str]:
        """Return `names` as a list if all are columns; `where` says where they were given.

        "#3" is the third column, unless a column has that name.
        """
        listed = self.at_positions(names)
        for name in listed:
            if name in self.left_out:
                raise DataError(*self.place_parts, where, f"names column '{name}', left out {self.left_out[name]}.")
            if name not in self.names:
                near = difflib.get_close_matches(str(name), self.names, n=1)
                guess = f"; did you mean '{near[0]}'?" if near else "."
                raise DataError(
                    *self.place_parts, where, f"names the unknown column '{name}'{guess} {_known(self.names)}"
                )
        return listed

    def at_positions(self, names: Iterable[str]) -> list[str]:
        """Return names with those of the columns that are given as "#3"."""
        return [self._at_position(name) for name in _listed(names)]

    def _at_position(self, name: str) -> str:
        """Return the name of a column that is given as "#3"; other names as they are."""
        digits = str(name)[1:]
        known = self.file_names or self.names
        if name in known or str(name)[:1] != "#" or not (digits.isascii() and digits.isdigit()):
            return name
        position = int(digits[:9])
        return known[position - 1] if 1 <= position <= len(known) else name


def _known(names: Sequence[str]) -> str:
    return f"The columns are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}."


def _listed(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise OptionError(f"columns are given as a list, not as one string: ['{names}'].")
    return list(names)
