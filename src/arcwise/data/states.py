"""From a table of labels to a data set of states: declared states win, else the sorted observed ones."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.carrying import FEWEST_PER_CELL, most_states
from arcwise.data.dataset import Dataset
from arcwise.data.date_labels import date_example
from arcwise.data.identifiers import identifier_reason
from arcwise.data.incomplete import Incomplete
from arcwise.data.labels import numbers_of, quoted, sorted_labels, spell
from arcwise.errors import DataError, DataWarning, OptionError
from arcwise.mentions import Argument, Call, Remedy

if TYPE_CHECKING:
    from arcwise.data.table import Column, Table

__all__ = ["encode", "encode_incomplete"]

MERGED = 20  # states with fewer rows are joined, where that is proposed


def encode(
    table: Table, states: Mapping[str, Iterable[object]], categorical: Iterable[str] | bool, max_levels: int
) -> Dataset:
    """Return the table as a data set; every reason why it cannot be one is a DataError with its remedy."""
    return _encode(table, states, categorical, max_levels, gaps=False)


def encode_incomplete(
    table: Table, states: Mapping[str, Iterable[object]], categorical: Iterable[str] | bool, max_levels: int
) -> Incomplete:
    """Return the table as discrete data with its gaps."""
    missing = np.array([column.is_missing for column in table.columns], dtype=bool)
    held = _encode(table, states, categorical, max_levels, gaps=True)
    try:
        return Incomplete(held, missing)
    except DataError as error:
        raise error.within(*table.place_parts) from None


def _encode(
    table: Table,
    states: Mapping[str, Iterable[object]],
    categorical: Iterable[str] | bool,
    max_levels: int,
    *,
    gaps: bool,
) -> Dataset:
    """Return the table as a data set; a missing value has any code."""
    if max_levels < 2:
        raise OptionError(Argument("max_levels", max_levels), "must be at least 2.")
    _check_shape(table)
    table.checked_names(states, Argument("states"))
    kept = set(table.names if categorical is True else table.checked_names(categorical or (), Argument("categorical")))
    if not gaps:
        _check_missing(table)
    free = [column for column in table.columns if column.name not in states and not column.declared]
    _check_continuous(table, [column for column in free if column.name not in kept], max_levels)
    chosen: list[tuple[str, ...]] = []
    orders: list[NDArray[Any]] = []
    for column in table.columns:
        if column.name in states:
            own, order = _declared(table, column, states[column.name])
        elif column.declared:
            own, order = column.labels, np.arange(len(column.labels))
        else:
            own, order = _observed(table, column, column.name in kept)
        _check_states(table, column, len(own), by_argument=column.name in states)
        chosen.append(own)
        orders.append(order)
    _tell_constant(table, [column for column in table.columns if column.declared and column.name not in states])
    kind = Dataset.code_type(max(len(own) for own in chosen))
    codes = np.empty((len(table.columns), table.n_rows), dtype=kind)
    for v, (column, order) in enumerate(zip(table.columns, orders, strict=True)):
        if not len(order):
            raise DataError(f"{table.prefix}{table.place(column)} has no value at all. Drop it.")
        np.take(order.astype(kind), column.codes, out=codes[v], mode="clip")
    try:
        targets = None if table.targets is None else table.targets.among(table.names)
        return Dataset(codes, table.names, tuple(chosen), table.weights, targets)
    except DataError as error:
        raise error.within(*table.place_parts) from None


def _check_states(table: Table, column: Column, states: int, *, by_argument: bool) -> None:
    """Refuse more states than the rows can carry.

    Who gives the states as an argument knows them from elsewhere, such as a network, and has rows for other things than
    learning, too; they get a warning.
    """
    cases = table.n_rows if table.weights is None else int(np.sum(table.weights))
    most = most_states(cases if table.weights is not None and not table.is_grouped else cases - column.n_missing)
    declared = "declared " if column.declared or by_argument else ""
    where = f"{table.prefix}{table.place(column)} has {states:,} {declared}"
    if states > most and not by_argument:
        raise DataError(
            f"{where}states, and {cases:,} rows carry at most {most:,}: with one parent of two states, there would be "
            f"{cases / (2 * states):.1f} rows for each cell, and {FEWEST_PER_CELL} are needed. It cannot be learned "
            "from.",
            remedies=(
                _drop(table, column),
                Remedy("join its rare states with", Call("learn", Argument("merge_rare", MERGED))),
            ),
        )
    if states > table.n_cases:
        warnings.warn(
            f"{where}states but there are only {table.n_cases:,} rows: most of what the states need cannot be learnt.",
            DataWarning,
            stacklevel=5,
        )


def _tell_constant(table: Table, columns: Iterable[Column]) -> None:
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
            stacklevel=5,
        )


def _check_shape(table: Table) -> None:
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
        raise DataError(f"{table.prefix}there are no rows{header}; a data set needs at least one case.")
    names: dict[str, int] = {}
    for position, name in enumerate(table.names, start=1):
        if name in names:
            raise DataError(
                f"{table.prefix}the name '{name}' is given to columns {names[name]} and {position} of "
                f"{len(table.columns)}; names must differ. Rename one of them."
            )
        names[name] = position


def _check_missing(table: Table) -> None:
    gaps = table.n_missing
    if not gaps:
        return
    complete = np.ones(table.n_rows, dtype=bool)
    for column in table.columns:
        if column.n_missing:
            complete &= ~column.is_missing
    worst = sorted(gaps.items(), key=lambda item: -item[1])
    counted = ", ".join(f"'{name}' {count:,}" for name, count in worst[:8])
    more = f" and {len(worst) - 8} more columns" if len(worst) > 8 else ""
    raise DataError(
        f"{table.prefix}{sum(gaps.values()):,} missing values in {len(gaps)} of {len(table.columns)} columns "
        f"({counted}{more}); {_cases(table, complete):,} of {table.n_cases:,} rows are complete"
        + ("." if table.is_grouped else f", the first gap is in {table.where(int(np.argmin(complete)))}."),
        remedies=(
            Remedy("average over completions of them with", Call("learn")),
            Remedy("fill them with", Call("impute", Argument("method", "mode")), "or 'knn'"),
            Remedy("drop the rows with", Call("impute", Argument("method", "drop"))),
            Remedy("say what is missing with", Argument("missing", ()), only_if="a gap is a state of its own"),
        ),
    )


def _cases(table: Table, rows: NDArray[np.bool_]) -> int:
    """Return how many cases rows stand for."""
    return int(rows.sum() if table.weights is None or not table.is_grouped else table.weights[rows].sum())


def _check_continuous(table: Table, columns: Iterable[Column], max_levels: int) -> None:
    many = [column for column in columns if column.is_continuous(max_levels)]
    if not many:
        return
    for column in many:
        reason = identifier_reason(column)
        if reason is not None:
            raise DataError(
                f"{table.prefix}{table.place(column)} has {reason}: that is an identifier, not a variable.",
                remedies=(
                    _drop(table, column),
                    Remedy("cut it into intervals with", Call("discretize"), only_if="it measures something"),
                    _is_category(column),
                ),
            )
    told = ", ".join(f"'{column.name}' ({len(column.labels):,} distinct values)" for column in many[:6])
    more = f" and {len(many) - 6} more" if len(many) > 6 else ""
    raise DataError(
        f"{table.prefix}column{'s' if len(many) > 1 else ''} {told}{more} hold{'' if len(many) > 1 else 's'} numbers "
        f"with more than {max_levels} distinct values, not categories.",
        remedies=(
            Remedy(
                "cut them into intervals with",
                Call("discretize", Argument("method", "mdl"), Argument("target", shown="...")),
                "or the method 'width', 'quantile' or 'kmeans'",
            ),
            _is_category(many[0]),
        ),
    )


def _drop(table: Table, column: Column) -> Remedy:
    if not table.source:  # a frame has no reader that could leave the column out
        return Remedy("drop the column")
    return Remedy("drop the column with", Argument("drop", [column.name]))


def _is_category(column: Column) -> Remedy:
    return Remedy("say so:", Argument("categorical", [column.name]), only_if="every number is a category")


def _observed(table: Table, column: Column, is_categorical: bool) -> tuple[tuple[str, ...], NDArray[Any]]:
    """Return the sorted labels as states, and the state of each label."""
    labels = column.labels
    where = f"{table.prefix}{table.place(column)}"
    if len(labels) == 1:
        other = {"yes": "no", "0": "1", "1": "0", "True": "False", "False": "True"}.get(labels[0], "yes")
        raise DataError(
            f"{where} has one distinct value, {quoted(labels)}; a variable needs at least two states.",
            remedies=(
                _drop(table, column),
                Remedy("declare its states:", Argument("states", {column.name: [labels[0], other]})),
            ),
        )
    numbers = column.numbers
    if numbers is not None and len(np.unique(numbers)) < len(labels):
        order = np.argsort(numbers, kind="stable")
        k = int(np.flatnonzero(np.diff(numbers[order]) == 0)[0])
        pair = sorted((labels[order[k]], labels[order[k + 1]]))
        raise DataError(
            f"{where} has the states {quoted(pair)}, which are the same number.",
            remedies=(
                Remedy("write it in one way"),
                Remedy("read the file with", Argument("merge", True)),
                Remedy("declare the states to keep them apart:", Argument("states", shown="{...}")),
            ),
        )
    reason = None if numbers is not None or is_categorical else identifier_reason(column)
    if reason is not None:
        raise DataError(
            f"{where} has {reason}, e.g. {quoted(labels, 3)}: that is an identifier, not a variable.",
            remedies=(_drop(table, column), Remedy("say that it is one:", Argument("categorical", [column.name]))),
        )
    example = None if is_categorical else date_example(column)
    if example is not None:
        raise DataError(
            f"{where} holds dates or times, e.g. {quoted([example])}; derive a discrete column, e.g. the month.",
            remedies=(_drop(table, column), Remedy("say that it is one:", Argument("categorical", [column.name]))),
        )
    ranking = sorted_labels(labels)
    order = np.empty(len(labels), dtype=np.int64)
    order[ranking] = np.arange(len(labels))
    return tuple(labels[k] for k in ranking), order


def _declared(table: Table, column: Column, given: Iterable[object]) -> tuple[tuple[str, ...], NDArray[Any]]:
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
        raise DataError(f"{where} is declared with {len(own)} state; a variable needs at least two.")
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
            raise DataError(
                f"{where} has the value {quoted([label])}{row}, which is not among its declared "
                f"states {quoted(own)}. Add it to states['{column.name}'] or correct the data."
            )
        order[code] = 0 if found is None else found
    return own, order
