"""`discretize`: numbers into intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from arcwise.data import cuts as cutting
from arcwise.data.cluster_cuts import cluster_cuts
from arcwise.data.dataset import Dataset
from arcwise.data.entropy_cuts import entropy_cuts
from arcwise.data.labels import quoted
from arcwise.data.table import MAX_LEVELS, Column, Table
from arcwise.defaults import BINS
from arcwise.errors import DataError, OptionError, suggestion
from arcwise.mentions import Argument, Remedy

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "METHODS",
    "apply_cuts",
    "case_rows",
    "check_numbers",
    "class_column",
    "cut_points",
    "discretize",
    "find_cuts",
]

METHODS = ("mdl", "width", "quantile", "kmeans", "mean")
MOST_CASES = 10**8  # that weighted rows are written out as
Cuts = dict[str, NDArray[np.float64]]


@overload
def discretize(
    data: Table,
    *,
    method: str = ...,
    columns: Iterable[str] | Literal["continuous", "numeric"] = ...,
    bins: int = ...,
    target: str | None = ...,
    without_cuts: Literal["error", "drop", "median"] = ...,
    keep_empty: bool = ...,
    max_levels: int | None = ...,
) -> Table: ...
@overload
def discretize(
    data: pd.DataFrame,
    *,
    method: str = ...,
    columns: Iterable[str] | Literal["continuous", "numeric"] = ...,
    bins: int = ...,
    target: str | None = ...,
    without_cuts: Literal["error", "drop", "median"] = ...,
    keep_empty: bool = ...,
    max_levels: int | None = ...,
) -> pd.DataFrame: ...
def discretize(
    data: Table | pd.DataFrame,
    *,
    method: str = "mdl",
    columns: Iterable[str] | Literal["continuous", "numeric"] = "continuous",
    bins: int = BINS,
    target: str | None = None,
    without_cuts: Literal["error", "drop", "median"] = "error",
    keep_empty: bool = False,
    max_levels: int | None = None,
) -> Table | pd.DataFrame:
    """Cut columns of numbers into intervals, which become the declared states of the column.

    Intervals are closed on the right: a value on a boundary belongs to the lower one.

    Parameters
    ----------
    data
        A table or DataFrame; the same kind is returned. Cut points come from the values that are
        there; gaps stay gaps.
    method
        "mdl": where the class entropy falls most, as long as a cut pays for its description (Fayyad and Irani 1993,
        the choice of Liao 4.6.1); needs `target`. "width": `bins` intervals of equal width between the least and the
        largest value. "quantile": `bins` intervals with equal numbers of rows, as far as ties allow. "kmeans":
        halfway between the centres of `bins` clusters. "mean": two intervals, cut at the mean.
    columns
        The columns to cut; "continuous" for those that `Table.to_dataset` would refuse, "numeric" for all columns of
        numbers.
    bins
        The number of intervals for "width", "quantile" and "kmeans".
    target
        The class column for "mdl"; it is not cut itself.
    without_cuts
        What to do with a column in which "mdl" finds no cut: "error", "drop" it, or cut it at the "median".
    keep_empty
        Whether an interval that no row falls into counts as a state. The published data sets of equal-width intervals
        do not count it.
    max_levels
        How many distinct numbers a column may have without being "continuous". Default 20.

    See Also
    --------
    find_cuts, apply_cuts : the two halves, to cut new data the way the old data were cut.
    """
    table = data if isinstance(data, Table) else Table.from_dataframe(data)
    if without_cuts not in ("error", "drop", "median"):
        raise OptionError(suggestion("choice for without_cuts", without_cuts, ("error", "drop", "median")))
    found = find_cuts(table, method=method, columns=columns, bins=bins, target=target, max_levels=max_levels)
    uncut = [name for name, cuts in found.items() if len(cuts) == 0]
    if uncut and without_cuts == "error":
        raise DataError(
            f"{table.prefix}method '{method}' finds no cut in {len(uncut)} of {len(found)} columns "
            f"({quoted(uncut, 8)}): each would be left with one state.",
            remedies=(
                Remedy("drop them with", Argument("without_cuts", "drop")),
                Remedy("cut them in two with", Argument("without_cuts", "median")),
                Remedy("use another", Argument("method")),
            ),
        )
    if without_cuts == "drop":
        table = table.drop(uncut)
        found = {name: cuts for name, cuts in found.items() if len(cuts)}
    elif without_cuts == "median":
        found |= {name: cutting.quantiles(_known(table.column(name).values()), 2) for name in uncut}
    table = apply_cuts(table, found, keep_empty=keep_empty)
    return table if isinstance(data, Table) else table.to_dataframe()


def find_cuts(
    data: Table | pd.DataFrame,
    *,
    method: str = "mdl",
    columns: Iterable[str] | Literal["continuous", "numeric"] = "continuous",
    bins: int = BINS,
    target: str | None = None,
    max_levels: int | None = None,
) -> Cuts:
    """Return the ascending cut points of each column that `discretize` would cut; the arguments are the same."""
    if method not in METHODS:
        raise OptionError(suggestion("discretisation method", str(method), METHODS))
    if bins != int(bins) or bins < 2:
        raise OptionError(Argument("bins", bins), "must be an integer of at least 2.")
    table = data if isinstance(data, Table) else Table.from_dataframe(data)
    chosen = _chosen(table, columns, target, MAX_LEVELS if max_levels is None else max_levels)
    classes = class_column(table, target) if method == "mdl" else None
    for column in chosen:
        check_numbers(table, column)
    if classes is None and table.weights is not None:
        return {column.name: _weighted_cuts(column, table.weights, method, bins) for column in chosen}
    rows = case_rows(table)
    labels = None if classes is None else classes.codes[rows].astype(np.int64)
    states = 0 if classes is None else len(classes.labels)
    return {
        column.name: cut_points(column.values()[rows], method, bins=bins, classes=labels, n_classes=states)
        for column in chosen
    }


def _weighted_cuts(column: Column, weights: NDArray[Any], method: str, bins: int) -> NDArray[np.float64]:
    """Return the cut points of rows that stand for many cases each: of the distinct numbers and their counts."""
    assert column.numbers is not None
    counts = np.bincount(column.codes, weights, minlength=len(column.labels) + 1)[:-1].astype(np.int64)
    seen = counts > 0
    numbers, counts = column.numbers[seen], counts[seen]
    if method == "width":
        return cutting.equal_width(numbers, bins)
    if method == "quantile":
        return cutting.quantiles(numbers, bins, counts)
    return cluster_cuts(numbers, bins, counts) if method == "kmeans" else cutting.mean(numbers, counts)


def cut_points(
    values: NDArray[np.float64],
    method: str,
    *,
    bins: int = BINS,
    classes: NDArray[np.int64] | None = None,
    n_classes: int = 0,
) -> NDArray[np.float64]:
    """Return the ascending cut points of numbers, of which NaN are left out.

    `classes` are the codes of the class for "mdl"; those from `n_classes` on stand for a missing one.
    """
    known = ~np.isnan(values)
    if method == "mdl":
        assert classes is not None
        known &= classes < n_classes
        return entropy_cuts(values[known], classes[known], n_classes)
    numbers = values[known]
    if method == "width":
        return cutting.equal_width(numbers, bins)
    if method == "quantile":
        return cutting.quantiles(numbers, bins)
    return cluster_cuts(numbers, bins) if method == "kmeans" else cutting.mean(numbers)


def _known(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values[~np.isnan(values)]


def apply_cuts(
    data: Table, cuts: Mapping[str, Sequence[float] | NDArray[np.float64]], *, keep_empty: bool = True
) -> Table:
    """Return the table with the given columns cut into intervals at ascending cut points; gaps stay gaps.

    Intervals that no row falls into count as states, so that training and test data have the same ones, unless
    `keep_empty` is False.
    """
    cut = []
    for name in data.checked_names(cuts, "cuts"):
        column, points = data.column(name), np.asarray(cuts[name], dtype=np.float64)
        if column.numbers is None:
            raise DataError(f"{data.prefix}{data.place(column)} does not hold numbers and cannot be cut.")
        if points.ndim != 1 or not bool(np.isfinite(points).all()) or bool((np.diff(points) <= 0).any()):
            raise OptionError(f"the cuts of '{name}' must be finite and ascending, not {points.tolist()}.")
        labels = cutting.interval_labels(points)
        interval = cutting.intervals_of(column.numbers, points)
        if not keep_empty:
            seen, interval = np.unique(interval, return_inverse=True)
            labels = tuple(labels[k] for k in seen)
        lookup = np.append(interval, len(labels)).astype(Dataset.code_type(len(labels) + 1))
        cut.append(Column(name, lookup[column.codes], labels, declared=True))
    return data.with_columns(cut)


def _chosen(
    table: Table, columns: Iterable[str] | Literal["continuous", "numeric"], target: str | None, max_levels: int
) -> list[Column]:
    if columns == "continuous":
        return [c for c in table.columns if c.name != target and c.is_continuous(max_levels)]
    if columns == "numeric":
        return [c for c in table.columns if c.name != target and c.numbers is not None]
    listed = table.checked_names(columns, Argument("columns"))
    if target in listed:
        raise OptionError(f"the target '{target}' cannot be among the columns to cut.")
    return [table.column(name) for name in listed]


def check_numbers(table: Table, column: Column) -> None:
    """Refuse a column that cannot be cut: of words, or with one value."""
    where = f"{table.prefix}{table.place(column)}"
    if column.numbers is None:
        raise DataError(f"{where} does not hold numbers and cannot be cut into intervals.")
    if len(np.unique(column.numbers)) < 2:
        raise DataError(f"{where} has one distinct value, '{column.labels[0]}': there is nothing to cut. Drop it.")


def case_rows(table: Table) -> NDArray[np.int64]:
    """Return the row of each case: rows as often as their weights say."""
    if table.weights is None:
        return np.arange(table.n_rows)
    if (cases := int(np.sum(table.weights))) > MOST_CASES:
        raise DataError(
            f"{table.prefix}numbers have to be cut case by case, and the rows stand for {cases:,} cases, more than "
            f"{MOST_CASES:,}. Numbers that are stored as text cannot be cut while the rows of a file are counted.",
            remedies=(
                Remedy("store them as numbers"),
                Remedy("leave out columns with", Argument("drop")),
                Remedy("take a sample of the rows with", Argument("sample", MOST_CASES)),
            ),
        )
    return np.repeat(np.arange(table.n_rows), np.asarray(table.weights, dtype=np.int64))


def class_column(table: Table, target: str | None) -> Column:
    """Return the class column."""
    if target is None:
        raise OptionError(
            "method 'mdl' cuts where a class changes.",
            remedies=(
                Remedy("name the class column:", Argument("target")),
                Remedy("use 'width', 'quantile' or 'kmeans', which need none"),
            ),
        )
    (name,) = table.checked_names([target], Argument("target"))
    classes = table.column(name)
    if classes.is_continuous():
        raise DataError(
            f"{table.prefix}the target '{name}' holds numbers with {len(classes.labels):,} distinct values; a class is "
            "needed. Discretise it first, without a target."
        )
    return classes
