"""`Columns`: what a `Table` holds, its shapes, and places in it for messages. Data sets are made of it."""

from __future__ import annotations

import fnmatch
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import (
    Argument,
    Call,
    DataError,
    DataWarning,
    Mention,
    OptionError,
    Remedy,
    errors_within,
    suggestion,
)
from arcwise.base.options import load_package
from arcwise.base.showing import first_few, plural
from arcwise.data.checks import Conditions, Targets, completed_header, table_targets
from arcwise.data.column import (
    FEWEST_PER_CELL,
    MAX_LEVELS,
    Column,
    ReaderCuts,
    VariableKind,
    code_type,
    coded,
    date_example,
    frame_of,
    identifier_reason,
    most_states,
    numbers_of,
    quoted,
    sorted_labels,
    spell,
)
from arcwise.data.design import Design

if TYPE_CHECKING:
    import pandas as pd


# Data frames that speak Arrow: polars, pyarrow and others. Columns of categories are taken without a copy of text.


def columns_of_arrow(frame: Any, source: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Return the columns of a frame, dictionary-encoded, and which of them got their names here, and why."""
    what = f"a {type(frame).__module__.split('.')[0]} frame is read by pyarrow"
    remedies = Remedy("install arcwise[arrow]"), Remedy("give frame.to_pandas()")
    pa, pc = (load_package(name, what, *remedies) for name in ("pyarrow", "pyarrow.compute"))
    table = pa.table(frame)
    prefix = f"{source}: " if source else ""
    names, renamed = completed_header([str(name) for name in table.column_names])
    columns = []
    for name, chunks in zip(names, table.columns, strict=True):
        array = chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()
        declared = pa.types.is_dictionary(array.type)
        if isinstance(array, pa.ChunkedArray):  # no chunk at all
            array = array.combine_chunks() if array.num_chunks else pa.array([], type=array.type)
        if pa.types.is_nested(array.type) or pa.types.is_binary(array.type):
            raise DataError(f"{prefix}column '{name}' holds {array.type}; text or numbers are needed.")
        if not declared:
            if pa.types.is_temporal(array.type):
                array = pc.cast(array, pa.string())
            array = pc.dictionary_encode(array)
        labels = [None if value is None else spell(value) or None for value in array.dictionary.to_pylist()]
        indices = array.indices
        if array.null_count:
            indices = pc.fill_null(indices.cast(pa.int64()), -1)
        codes = np.asarray(indices.to_numpy(zero_copy_only=not array.null_count))
        columns.append(_labelled(name, [None if label == "nan" else label for label in labels], codes, declared))
    return tuple(columns), renamed


def _labelled(name: str, labels: Sequence[str | None], codes: NDArray[Any], declared: bool) -> Column:
    """Return a column of codes into labels, -1 for a missing value.

    It shares the memory of codes that are as wide as ours, where nothing is missing and every label is one of its own.
    What a file would write alike is one label: " yes" and "yes", the number 1 and the text "1".
    """
    lookup, kept = coded(labels)
    kind = code_type(len(kept) + 1)
    if len(kept) == len(labels) and codes.itemsize == kind.itemsize and codes.min(initial=0) >= 0:
        return Column(name, codes.view(kind), kept, declared)
    return Column.looked_up(name, [*lookup, len(kept)], codes, kept, declared)


def columns_of(frame: pd.DataFrame, source: str) -> tuple[tuple[Column, ...], dict[str, str]]:
    """Return the columns of a DataFrame, dictionary-encoded, and which of them got their names here, and why."""
    import pandas as pd

    other = "collect it first" if hasattr(frame, "collect") else "for an array of codes use Dataset.from_codes"
    if not isinstance(frame, pd.DataFrame):
        raise DataError(f"a DataFrame is needed, not {type(frame).__name__}; {other}.")
    if frame.columns.nlevels > 1:
        raise DataError("the DataFrame has several levels of column names; flatten them to one name per column.")
    prefix = f"{source}: " if source else ""
    names, renamed = completed_header([str(name) for name in frame.columns])
    return tuple(_frame_column(name, frame.iloc[:, v], prefix) for v, name in enumerate(names)), renamed


def _frame_column(name: str, series: pd.Series[Any], prefix: str) -> Column:
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        raw, values, declared = series.array.codes, list(kind.categories), True
    elif pd.api.types.is_datetime64_any_dtype(kind) or pd.api.types.is_timedelta64_dtype(kind):
        # As written: what becomes of dates is decided by the audit, and `Dataset.from_dataframe` refuses them.
        return _frame_column(name, series.astype(str).where(series.notna(), None), prefix)
    elif pd.api.types.is_complex_dtype(kind):
        raise DataError(f"{prefix}column '{name}' holds complex numbers; they have no order and are not categories.")
    else:
        try:
            raw, distinct = pd.factorize(series)
        except TypeError:
            raise DataError(f"{prefix}column '{name}' holds lists or other objects that are not labels.") from None
        values, declared = list(distinct), False
    if any(isinstance(value, bytes | list | tuple | dict | set) for value in values[:1000]):
        raise DataError(
            f"{prefix}column '{name}' holds {type(values[0]).__name__} objects; text or numbers are needed."
        )
    labels = [spell(value) for value in values]
    if any(label in ("inf", "-inf") for label in labels) and pd.api.types.is_float_dtype(kind):
        raise DataError(f"{prefix}column '{name}' holds infinite values; replace them, or make them missing (NaN).")
    column = _labelled(name, [label or None for label in labels], np.asarray(raw), declared)
    ordered = declared and getattr(kind, "ordered", False)
    return replace(column, kind=VariableKind.ORDINAL) if ordered else column


_ZEROS = re.compile("^#0+")
# Why a column is left out that somebody named for it.
AS_ASKED = "as asked for"


@dataclass(frozen=True, eq=False)
class Columns:
    """A `Table`, whose parameters these are, without what is made of it at the end."""

    columns: tuple[Column, ...]
    source: str = ""
    weights: NDArray[Any] | None = None
    lines: NDArray[np.int64] | int = 0
    renamed: Mapping[str, str] = field(default_factory=dict)
    targets: Targets | None = None
    design: Design | None = None
    above: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
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
    def from_dataframe(cls, frame: pd.DataFrame, *, counts: str | ArrayLike | None = None, source: str = "") -> Self:
        """Make a table from a DataFrame: None, NaN, NaT, NA and empty strings are missing values.

        A frame of pandas, or any that offers the Arrow interface, such as those of polars and pyarrow.
        `counts` says how often each row occurs: the name of a column, or an array.
        """
        is_arrow = hasattr(frame, "__arrow_c_stream__") and not type(frame).__module__.startswith("pandas")
        found, renamed = columns_of_arrow(frame, source) if is_arrow else columns_of(frame, source)
        table = cls(found, source, renamed=renamed)
        return table if counts is None else table.with_counts(counts)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def _places(self) -> dict[str, int]:
        """Where each column is; of several of one name, the first."""
        return {name: place for place, name in reversed([*enumerate(self.names)])}

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

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Which cells have no value, of shape (columns, rows)."""
        return np.array([column.is_missing for column in self.columns], dtype=bool)

    def continuous(self, max_levels: int = MAX_LEVELS) -> tuple[str, ...]:
        """Return the columns of numbers with more than `max_levels` distinct values."""
        return tuple(column.name for column in self.columns if column.is_continuous(max_levels))

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        if name not in self._places:
            raise DataError(self.prefix + suggestion("column", str(name), self.names))
        return self.columns[self._places[name]]

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

    def with_columns(self, columns: Iterable[Column]) -> Self:
        """Return this table with the columns of the same names replaced."""
        new = {column.name: column for column in columns}
        return replace(self, columns=tuple(new.get(column.name, column) for column in self.columns))

    def with_counts(self, counts: str | ArrayLike) -> Self:
        """Return this table with how often each row occurs: an array, or a column, which is no variable any more."""
        if not isinstance(counts, str):
            return replace(self, weights=np.asarray(counts))
        column = self.column(counts)
        if column.numbers is None or column.n_missing:
            raise DataError(
                f"{self.prefix}column '{counts}' cannot count rows: it must hold whole numbers, and no gaps. "
                f"It shows {quoted(column.labels)} and {column.n_missing:,} missing values."
            )
        return replace(self.drop([counts]), weights=column.values())

    def with_interventions(self, column: str, conditions: Conditions | None = None) -> Self:
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

    def with_survey(self, column: str, replicates: Iterable[str] = ()) -> Self:
        """Return this table with survey weights: a column, which is then no variable any more.

        Parameters
        ----------
        column
            For how many others each row stands: see `Dataset.with_survey`.
        replicates
            The columns of replicate weights, by name or pattern: ``["rep_*"]``.
        """
        patterns = listed_names(replicates)
        listed = [name for name in self.names if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)]
        for pattern in patterns:
            if not any(fnmatch.fnmatchcase(name, pattern) for name in self.names):
                raise DataError(f"{self.prefix}no column is called '{pattern}', which is to have replicate weights.")
        for given in (own := [self.column(name) for name in (column, *listed)]):
            if given.numbers is None or given.n_missing:
                raise DataError(
                    f"{self.prefix}column '{given.name}' cannot weigh the rows of a survey: it must hold numbers, and "
                    f"no gaps. It shows {quoted(given.labels)} and {given.n_missing:,} missing values."
                )
        weights, *more = (given.values() for given in own)
        with errors_within(*self.place_parts):
            made = replace(
                self.design or Design(np.arange(self.n_rows), alike=0.0),
                weights=weights,
                replicates=np.array(more) if more else None,
                weighed_by=column,
            )
            return replace(self.drop([column, *listed]), design=made)

    def with_groups(self, column: str) -> Self:
        """Return this table with a column that says which rows belong together, which is then no variable any more."""
        given = self.column(column)
        with errors_within(*self.place_parts):
            design = Design.of_column(given)
            if self.design is not None:  # with its weights
                design = replace(self.design, groups=design.groups, name=design.name, alike=None)
            return replace(self.drop([column]), design=design)

    def with_design(self, groups: str | None, weights: str | None = None, replicates: Iterable[str] = ()) -> Self:
        """Return this table with what columns of it say of how its rows were drawn."""
        table = self
        if groups is not None:
            table = table.with_groups(table.checked_names([groups], Argument("groups"))[0])
        if weights is not None:
            return table.with_survey(table.checked_names([weights], Argument("weights"))[0], replicates)
        if names := listed_names(replicates):
            raise OptionError(
                Argument("replicate_weights", names),
                "go with survey weights.",
                remedies=Remedy("name their column with", Argument("weights")),
            )
        return table

    def select(self, names: Iterable[str]) -> Self:
        """Return the given columns, in the order given."""
        return replace(self, columns=tuple(self.column(name) for name in listed_names(names)))

    def drop(self, names: Iterable[str]) -> Self:
        """Return the other columns."""
        dropped = {self.column(name).name for name in listed_names(names)}
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

    def take(self, rows: ArrayLike) -> Self:
        """Return the given rows: positions or a mask."""
        chosen = np.asarray(rows)
        if chosen.dtype == bool:
            chosen = np.flatnonzero(chosen)
        lines = self.lines
        if not isinstance(lines, int):
            lines = lines[chosen]
        elif lines:
            lines = chosen + lines
        return replace(
            self,
            columns=tuple(column.take(chosen) for column in self.columns),
            weights=None if self.weights is None else self.weights[chosen],
            lines=lines,
            targets=None if self.targets is None else self.targets.take(chosen),
            design=None if self.design is None else self.design.take(chosen),
            above=(),
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return a DataFrame: numbers as floats, declared states as categorical columns, the rest as text."""
        return frame_of(self.columns)

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
        return f"column '{column.name}' ({self._places[column.name] + 1} of {len(self.columns)})"

    def wrong(self, column: Column, words: str, *remedies: Remedy) -> DataError:
        """Return the error for a column, which its place begins."""
        return DataError(f"{self.prefix}{self.place(column)} {words}", remedies=remedies)

    def checked_names(self, names: Iterable[str], where: str | Mention) -> list[str]:
        """Return `names` as a list if all are columns; `where` says where they were given.

        "#3" is the third column, unless a column has that name.
        """
        listed = self.at_positions(names)
        for name in listed:
            if name in self.left_out:
                raise DataError(*self.place_parts, where, f"names column '{name}', left out {self.left_out[name]}.")
            if name not in self._places:
                words = f"names the {suggestion('column', str(name), self.names)}"
                raise DataError(*self.place_parts, where, words)
        return listed

    def at_positions(self, names: Iterable[str]) -> list[str]:
        """Return names with those of the columns that are given as "#3"; other names as they are."""
        listed, known = listed_names(names), self.file_names or self.names
        own, places = set(known), {f"#{k}": name for k, name in enumerate(known, start=1)}
        return [name if name in own else places.get(_ZEROS.sub("#", str(name)), name) for name in listed]


def listed_names(names: Iterable[str]) -> list[str]:
    """Return names of columns as a list; one text alone is refused."""
    if isinstance(names, str):
        raise OptionError(f"columns are given as a list, not as one string: ['{names}'].")
    return list(names)


# From a table of labels to the codes of states: declared states win, else the sorted observed ones.


MERGED = 20  # states with fewer rows are joined, where that is proposed


# The fields of a `Dataset`, not yet checked.
Encoded = tuple[
    NDArray[Any],
    tuple[str, ...],
    tuple[tuple[str, ...], ...],
    NDArray[Any] | None,
    Targets | None,
    Design | None,
]


def encode(
    table: Columns,
    states: Mapping[str, Iterable[object]] | None = None,
    categorical: Iterable[str] | bool = False,
    max_levels: int | None = None,
    *,
    gaps: bool = False,
) -> Encoded:
    """Return what a data set of the table is made of; every reason why there is none is a DataError with its remedy.

    If `gaps` are allowed, a missing value has any code.
    """
    states = states or {}
    max_levels = MAX_LEVELS if max_levels is None else max_levels
    if max_levels < 2:
        raise OptionError(Argument("max_levels", max_levels), "must be at least 2.")
    check_shape(table)
    table.checked_names(states, Argument("states"))
    kept = set(table.names if categorical is True else table.checked_names(categorical or (), Argument("categorical")))
    if not gaps:
        check_missing(table)
    free = [column for column in table.columns if column.name not in states and not column.declared]
    _check_continuous(table, [column for column in free if column.name not in kept], max_levels)
    chosen: list[tuple[str, ...]] = []
    orders: list[NDArray[Any]] = []
    for column in table.columns:
        own, order = states_of(table, column, states.get(column.name), is_category=column.name in kept)
        chosen.append(own)
        orders.append(order)
    _warn_constant(table, [column for column in table.columns if column.declared and column.name not in states])
    kind = code_type(max(len(own) for own in chosen))
    codes = np.empty((len(table.columns), table.n_rows), dtype=kind)
    for v, (column, order) in enumerate(zip(table.columns, orders, strict=True)):
        if not len(order):
            raise table.wrong(column, "has no value at all. Drop it.")
        np.take(order.astype(kind), column.codes, out=codes[v], mode="clip")
    targets = None if table.targets is None else table.targets.among(table.names)
    return codes, table.names, tuple(chosen), table.weights, targets, table.design


def states_of(
    table: Columns, column: Column, declared: Iterable[object] | None, *, is_category: bool
) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the states of a column, and which of them each label is."""
    if declared is not None:
        own, order = _declared(table, column, declared)
    elif column.declared:
        own, order = column.labels, np.arange(len(column.labels))
    else:
        own, order = _observed(table, column, is_category)
    _check_states(table, column, len(own), by_argument=declared is not None)
    return own, order


def _check_states(table: Columns, column: Column, states: int, *, by_argument: bool) -> None:
    """Refuse more states than the rows can carry.

    Who gives the states as an argument knows them from elsewhere, such as a network, and has rows for other things than
    learning, too; they get a warning.
    """
    cases = table.n_rows if table.weights is None else int(np.sum(table.weights))
    most = most_states(cases if table.weights is not None and not table.is_grouped else cases - column.n_missing)
    declared = "declared " if column.declared or by_argument else ""
    words = f"has {states:,} {declared}states"
    if states > most and not by_argument:
        raise table.wrong(
            column,
            f"{words}, and {cases:,} rows carry at most {most:,}: with one parent of two states, there would be "
            f"{cases / (2 * states):.1f} rows for each cell, and {FEWEST_PER_CELL} are needed. It cannot be learned "
            "from.",
            _drop(table, column),
            Remedy("join its rare states with", Call("learn", Argument("merge_rare", MERGED))),
        )
    if states > table.n_cases:
        reason = f"{words} but there are only {table.n_cases:,} rows: too few rows per state."
        warnings.warn(f"{table.prefix}{table.place(column)} {reason}", DataWarning, stacklevel=5)


def _warn_constant(table: Columns, columns: Iterable[Column]) -> None:
    """Warn of columns that show one of several states that the file or frame declares in all rows.

    No arc will touch them (`Dataset.constant`). Who gives the states as an argument, as an estimator does for the rows
    of a fold, knows of states that these rows need not show.
    """
    if table.n_rows < 2:
        return
    constant = [column.name for column in columns if len(column.labels) > 1 and np.count_nonzero(column.counts()) == 1]
    if constant:
        warnings.warn(
            f"{table.prefix}{len(constant):,} of {len(table.columns):,} columns show one of their declared states in "
            f"all rows: {quoted(constant)}. The data say nothing about them, and no arc will touch them. Drop them, or "
            "require the arcs that you know.",
            DataWarning,
            stacklevel=4,
        )


def check_shape(table: Columns) -> None:
    """Refuse a table without rows, or without a second column."""
    if not table.columns:
        raise DataError(f"{table.prefix}there are no columns; at least two variables are needed.")
    if len(table.columns) == 1:
        remedy = Remedy("give its separator, e.g.", Argument("separator", ";"), only_if="the file has more")
        raise DataError(
            f"{table.prefix}there is only one column, '{table.names[0][:60]}'; a structure needs at least two "
            "variables.",
            remedies=(remedy,) if table.source else (),
        )
    if table.n_rows == 0:
        header = ", only the header" if table.source else ""
        raise DataError(f"{table.prefix}there are no rows{header}; a data set needs at least one row.")


def check_missing(table: Columns) -> None:
    """Refuse missing values."""
    gaps = table.n_missing
    if not gaps:
        return
    complete = ~np.any(table.is_missing, axis=0)
    cases = complete if table.weights is None or not table.is_grouped else table.weights[complete]
    worst = sorted(gaps.items(), key=lambda item: -item[1])
    counted = ", ".join(f"'{name}' {count:,}" for name, count in worst[:8])
    more = f" and {len(worst) - 8} more columns" if len(worst) > 8 else ""
    raise DataError(
        f"{table.prefix}{sum(gaps.values()):,} missing values in {len(gaps)} of {len(table.columns)} columns "
        f"({counted}{more}); {int(cases.sum()):,} of {table.n_cases:,} rows are complete"
        + ("." if table.is_grouped else f", the first gap is in {table.where(int(np.argmin(complete)))}."),
        remedies=(
            Remedy("average over completions of them with", Call("learn")),
            Remedy("fill them with", Call("impute", Argument("method", "mode")), "or 'knn'"),
            Remedy("drop the rows with", Call("impute", Argument("method", "drop"))),
            Remedy("say what is missing with", Argument("missing", ()), only_if="a gap is a state of its own"),
        ),
    )


def _check_continuous(table: Columns, columns: Iterable[Column], max_levels: int) -> None:
    many = [column for column in columns if column.is_continuous(max_levels)]
    if not many:
        return
    for column in many:
        reason = identifier_reason(column)
        if reason is not None:
            raise table.wrong(
                column,
                f"has {reason}: that is an identifier, not a variable.",
                _drop(table, column),
                Remedy("cut it into bins with", Call("discretize"), only_if="it measures something"),
                _is_category(column),
            )
    mixed = () if table.source else ("or arcwise.data.MixedData.from_dataframe(frame)",)
    listed = first_few([f"'{column.name}' ({len(column.labels):,} distinct values)" for column in many], 6)
    raise DataError(
        f"{table.prefix}{plural(len(many), 'column')} {listed} {plural(len(many), 'holds', 'hold')} numbers "
        f"with more than {max_levels} distinct values, not categories.",
        remedies=(
            Remedy("take them as they are, with", Call("learn"), *mixed),
            Remedy(
                "cut them into bins with",
                Call("discretize", Argument("method", "mdl"), Argument("target", shown="...")),
                "or the method 'width', 'quantile' or 'kmeans'",
            ),
            _is_category(many[0]),
        ),
    )


def _drop(table: Columns, column: Column) -> Remedy:
    if not table.source:  # a frame has no reader that could leave the column out
        return Remedy("drop the column")
    return Remedy("drop the column with", Argument("drop", [column.name]))


def _is_category(column: Column) -> Remedy:
    return Remedy("say so:", Argument("categorical", [column.name]), only_if="every number is a category")


def _observed(table: Columns, column: Column, is_categorical: bool) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the sorted labels as states, and the state of each label."""
    labels = column.labels
    if len(labels) == 1:
        other = {"yes": "no", "0": "1", "1": "0", "True": "False", "False": "True"}.get(labels[0], "yes")
        raise table.wrong(
            column,
            f"has one distinct value, {quoted(labels)}; a variable needs at least two states.",
            _drop(table, column),
            Remedy("declare its states:", Argument("states", {column.name: [labels[0], other]})),
        )
    numbers = column.numbers
    if numbers is not None and len(np.unique(numbers)) < len(labels):
        order = np.argsort(numbers, kind="stable")
        k = int(np.flatnonzero(np.diff(numbers[order]) == 0)[0])
        pair = sorted((labels[order[k]], labels[order[k + 1]]))
        raise table.wrong(
            column,
            f"has the states {quoted(pair)}, which are the same number.",
            Remedy("write it in one way"),
            Remedy("read the file with", Argument("merge", True)),
            Remedy("declare the states to keep them apart:", Argument("states", shown="{...}")),
        )
    why = None
    if not is_categorical:
        reason, example = None if numbers is not None else identifier_reason(column), date_example(column)
        if reason is not None:
            why = f"has {reason}, e.g. {quoted(labels, 3)}: that is an identifier, not a variable."
        elif example is not None:
            why = f"holds dates or times, e.g. {quoted([example])}; derive a discrete column, e.g. the month."
    if why is not None:
        is_one = Remedy("say that it is one:", Argument("categorical", [column.name]))
        raise table.wrong(column, why, _drop(table, column), is_one)
    ranking = sorted_labels(labels)
    order = np.empty(len(labels), dtype=np.int64)
    order[ranking] = np.arange(len(labels))
    return tuple(labels[k] for k in ranking), order


def _declared(table: Columns, column: Column, given: Iterable[object]) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return declared states, and the state of each label: the equal one, or for numbers the one of equal value."""
    where = f"{table.prefix}{table.place(column)}"
    if isinstance(given, str):
        raise OptionError(f"states['{column.name}'] must be a list of states, not the string '{given}'.")
    raw = list(given)
    own = tuple(spell(state) for state in raw)
    position: dict[str, int] = {}
    for k, state in enumerate(own):
        if state in position:
            raise DataError(
                f"{where}: the declared states {raw[position[state]]!r} and {raw[k]!r} are the same after stripping "
                f"spaces ('{state}'); states must differ."
            )
        if not state:
            raise DataError(f"{where}: a declared state is empty; every state needs a name.")
        position[state] = k
    if len(own) < 2:
        raise table.wrong(column, f"is declared with {len(own)} state; a variable needs at least two.")
    values = numbers_of(own)
    by_value = {} if values is None else {float(value): k for k, value in enumerate(values)}
    counts = column.counts()
    order = np.zeros(len(column.labels), dtype=np.int64)
    for code, label in enumerate(column.labels):
        found = position.get(label)
        if found is None and by_value:
            number = numbers_of([label])
            found = None if number is None else by_value.get(float(number[0]))
        if found is None and counts[code]:
            row = "" if table.is_grouped else f" in {table.where(int(np.argmax(column.codes == code)))}"
            raise table.wrong(
                column,
                f"has the value {quoted([label])}{row}, which is not among its declared states {quoted(own)}. Add it "
                f"to states['{column.name}'] or correct the data.",
            )
        order[code] = 0 if found is None else found
    return own, order
