"""`impute`: missing values filled in, or their rows dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import numpy as np

from arcwise.data.neighbours import from_neighbours, preference
from arcwise.data.table import MAX_LEVELS, Column, Table
from arcwise.errors import DataError, OptionError, suggestion
from arcwise.mentions import Argument, Remedy
from arcwise.progress import ProgressCallback, show_progress

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["METHODS", "impute"]

METHODS = ("knn", "mode", "state", "drop")


@overload
def impute(
    data: Table,
    *,
    method: str = ...,
    k: int = ...,
    max_levels: int | None = ...,
    progress: bool | ProgressCallback | None = ...,
) -> Table: ...
@overload
def impute(
    data: pd.DataFrame,
    *,
    method: str = ...,
    k: int = ...,
    max_levels: int | None = ...,
    progress: bool | ProgressCallback | None = ...,
) -> pd.DataFrame: ...
def impute(
    data: Table | pd.DataFrame,
    *,
    method: str = "knn",
    k: int = 5,
    max_levels: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Table | pd.DataFrame:
    """Fill in missing values. Comes before `discretize`, so that neighbours are found among the numbers themselves.

    Parameters
    ----------
    data
        A table or DataFrame; the same kind is returned.
    method
        "knn": from the `k` most similar rows that have the value (Liao 4.6.1): their most frequent state, or for
        quantities their mean. "mode": the most frequent value of the column. "state": a value of its own,
        "missing"; columns of numbers must be cut first. "drop": rows with gaps are left out.
    k
        The number of neighbours.
    max_levels
        Columns of numbers with more distinct values are quantities, others are categories. Default 20.
    progress
        See `arcwise.progress.show_progress`.

    Notes
    -----
    What is filled in once is then believed as if it had been observed. Neighbours are alike in other columns, so that
    "knn" makes columns depend on each other that do not; "mode" makes dependences weaker, "state" joins columns that
    are missing together, and "drop" is right only if gaps have nothing to do with any value. `arcwise.learn` averages
    over many completions instead.

    Two rows are compared over the columns that both have, and the mean difference counts: 1 for a category that
    differs, for a quantity the squared difference in units of its range. For quantities alone that is the distance of
    scikit-learn's KNNImputer, which takes no categories. Among equally distant rows the first in the table are taken.
    Ties between states go to the more frequent one in the column, then to the first in order. Nothing is random. Row
    weights count for frequencies, but a neighbour is a neighbour once; only the distinct rows of a large file are as
    many as their cases, and of equally distant ones all have a share.
    """
    if method not in METHODS:
        raise OptionError(suggestion("imputation method", str(method), METHODS))
    if k != int(k) or k < 1:
        raise OptionError(Argument("k", k), "must be a positive integer.")
    table = data if isinstance(data, Table) else Table.from_dataframe(data)
    gaps = table.n_missing
    if gaps:
        if method == "drop":
            table = _complete_rows(table)
        else:
            _check(table)
            if method == "state":
                table = table.with_columns(_with_state(table, table.column(name)) for name in gaps)
            elif method == "mode":
                table = table.with_columns(_with_mode(table, table.column(name)) for name in gaps)
            else:
                levels = MAX_LEVELS if max_levels is None else max_levels
                with show_progress(progress) as report:
                    table = table.with_columns(from_neighbours(table, int(k), levels, report))
    return table if isinstance(data, Table) else table.to_dataframe()


def _complete_rows(table: Table) -> Table:
    complete = np.ones(table.n_rows, dtype=bool)
    for column in table.columns:
        complete &= ~column.is_missing
    if not complete.any():
        worst = max(table.n_missing.items(), key=lambda item: item[1])
        raise DataError(
            f"{table.prefix}every one of the {table.n_cases:,} rows has a missing value: none would be left.",
            remedies=(
                Remedy("fill them with", Argument("method", "knn"), "or", Argument("method", "mode")),
                Remedy(f"drop the emptiest columns first ('{worst[0]}' lacks {worst[1]:,})"),
            ),
        )
    return table.take(complete)


def _check(table: Table) -> None:
    for column in table.columns:
        if column.n_missing == column.n_cases:
            raise DataError(f"{table.prefix}{table.place(column)} has no value at all: it cannot be filled. Drop it.")


def _with_mode(table: Table, column: Column) -> Column:
    """Fill gaps with the most frequent label; of several, the first in order."""
    codes = column.codes.copy()
    codes[column.is_missing] = np.argmax(preference(table, column))
    return Column(column.name, codes, column.labels, column.declared)


def _with_state(table: Table, column: Column) -> Column:
    """Give the gaps a label of their own."""
    if column.is_continuous():
        raise DataError(
            f"{table.prefix}{table.place(column)} holds numbers: a missing value cannot be one of their states yet.",
            remedies=(Remedy("cut them first"), Remedy("use another", Argument("method"))),
        )
    label = "missing"
    while label in column.labels:
        label = f"({label})"
    return Column(column.name, column.codes, (*column.labels, label), column.declared)
