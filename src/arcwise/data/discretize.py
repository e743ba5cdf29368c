"""`discretize`: numbers into intervals."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import (
    Argument,
    DataError,
    OptionError,
    Remedy,
    UnfinishedError,
    UnknownNameError,
    check_argument,
    check_known,
    suggestion,
)
from arcwise.base.options import BINS
from arcwise.base.run import Run
from arcwise.data.column import MAX_LEVELS, Column, numbers_of, quoted
from arcwise.data.table import Table, Tabular

if TYPE_CHECKING:
    import pandas as pd


# Cut points: where a column of numbers is divided into intervals.
#
# Intervals are closed on the right: a value on a cut belongs to the lower interval, always.


CutPoints = NDArray[np.float64]


def equal_width(values: NDArray[np.float64], bins: int, counts: NDArray[np.int64] | None = None) -> CutPoints:
    """Return the cuts of `bins` intervals of equal width between the least and the largest value, however frequent.

    Data are decimal: 5.5 is on the cut between 4.3 and 7.9 at one third, but not in binary arithmetic. The cuts are
    therefore computed as fractions of the shortest decimals that denote the two ends, and rounded once.
    """
    del counts
    low, high = (Fraction(repr(float(end))) for end in (values.min(), values.max()))
    return np.array([float(low + (high - low) * k / bins) for k in range(1, bins)])


def quantiles(values: NDArray[np.float64], bins: int, counts: NDArray[np.int64] | None = None) -> CutPoints:
    """Return the cuts of `bins` intervals with as equal numbers of rows as ties allow: values of the data.

    Where so many rows have the largest value that no cut lies below it, it is cut off from all others. `counts` say in
    how many rows each value is, if not in one.
    """
    if counts is None:
        cuts: CutPoints = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    else:
        order = np.argsort(values, kind="stable")
        ends = np.cumsum(counts[order])
        ranks = [max(0, math.ceil(int(ends[-1]) * (k / bins) - 1)) for k in range(1, bins)]
        cuts = np.unique(values[order][np.searchsorted(ends, ranks, side="right")])
    largest = values.max()
    if cuts[0] == largest:
        return np.asarray(np.unique(values)[-2:-1])
    return np.asarray(cuts[cuts < largest])


def mean(values: NDArray[np.float64], bins: int = 2, counts: NDArray[np.int64] | None = None) -> CutPoints:
    """Return one cut, at the mean; `counts` say in how many rows each value is, if not in one."""
    del bins
    return np.array([values.mean() if counts is None else np.average(values, weights=counts)])


def rounded(cuts: CutPoints, values: NDArray[np.float64]) -> CutPoints:
    """Return the cuts with as few digits, from three on, as leave every value in its interval.

    >>> rounded(np.array([12.29612, 654.88913]), np.array([12.1, 12.29, 12.5, 640.0, 655.5])).tolist()
    [12.3, 655.0]
    """
    seen = np.unique(values[~np.isnan(values)])
    found = []
    for cut in cuts.tolist():
        after = int(np.searchsorted(seen, cut, side="right"))
        low, high = (seen[after - 1] if after else -math.inf), (seen[after] if after < len(seen) else math.inf)
        tried = (float(f"{cut:.{digits}g}") for digits in range(3, 17))
        found.append(next((value for value in tried if low <= value < high), cut))
    return np.array(found) if all(a < b for a, b in pairwise(found)) else cuts  # cuts without a value between them


def intervals_of(values: NDArray[np.float64], cuts: CutPoints) -> NDArray[np.int64]:
    """Return the number of each value's interval: 0 up to the first cut, and so on."""
    return np.searchsorted(cuts, values, side="left")


def interval_labels(cuts: CutPoints) -> tuple[str, ...]:
    """Return "(-inf,2.45]", "(2.45,4.75]", "(4.75,inf)", with as many digits as tell the cuts apart, six or more.

    >>> interval_labels(np.array([2.45, 4.75]))
    ('(-inf,2.45]', '(2.45,4.75]', '(4.75,inf)')
    """
    ends: list[str] = []
    for digits in range(6, 18):
        ends = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(ends)) == len(ends):
            break
    if not ends:
        return ("(-inf,inf)",)
    middle = [f"({low},{high}]" for low, high in pairwise(ends)]
    return (f"(-inf,{ends[0]}]", *middle, f"({ends[-1]},inf)")


# Cut points between clusters of numbers: the best k-means clustering there is, found exactly.
#
# Numbers have an order, and the best clusters are intervals of it, so that dynamic programming finds them: the best
# clustering of the first j values into k clusters ends with a cluster that begins somewhere at i, after the best
# clustering of the first i values into k - 1. Where it begins never falls as j grows (Groenlund, Larsen, Mathiasen,
# Nielsen, Schneider and Song, "Fast exact k-means, k-medians and Bregman divergence clustering in 1D", arXiv
# 1701.07204, section 2.2): halving the range of j, all middles of one size at once, takes k m log m steps for m
# distinct values. Lloyd's iterations, which everybody runs from a few random starts, may end elsewhere.


Floats = NDArray[np.float64]
Spread = Callable[[NDArray[np.int64], NDArray[np.int64]], Floats]


def cluster_cuts(
    values: Floats, clusters: int, counts: NDArray[np.int64] | None = None, run: Run | None = None
) -> Floats:
    """Return the cuts halfway between the centres of the clusters with the least sum of squared distances.

    `counts` say how often each value occurs, if not once. An UnfinishedError if the time is over before.

    >>> cluster_cuts(np.array([1.0, 2.0, 1.5, 10.0, 11.0, 30.0]), 3).tolist()
    [6.0, 20.25]
    """
    distinct, position = np.unique(values, return_inverse=True)
    counts = np.bincount(position, counts)
    weights = np.concatenate([[0.0], np.cumsum(counts)])
    centred = distinct - np.average(distinct, weights=counts)  # sums of squares of large numbers would cancel
    sums = np.concatenate([[0.0], np.cumsum(counts * centred)])
    squares = np.concatenate([[0.0], np.cumsum(counts * centred**2)])

    def spread(start: NDArray[np.int64], end: NDArray[np.int64]) -> Floats:
        """Return the sum of squared distances from the mean, of the values from start to before end."""
        total = sums[end] - sums[start]
        return np.asarray(squares[end] - squares[start] - total**2 / (weights[end] - weights[start]))

    size = len(distinct)
    ends = np.arange(1, size + 1)
    best = np.concatenate([[np.inf], spread(np.zeros_like(ends), ends)])
    came: list[NDArray[np.int64]] = []
    for _ in range(1, min(clusters, size)):
        if run is not None and run.is_over:
            raise UnfinishedError("time ran out before the clusters of numbers were found.")
        best, begins = _one_more(best, spread)
        came.append(begins)
    at, bounds = size, [size]
    for begins in reversed(came):
        at = int(begins[at])
        bounds.append(at)
    edges = np.array([0, *bounds[::-1]])
    whole = np.concatenate([[0.0], np.cumsum(counts * distinct)])
    centres = np.diff(whole[edges]) / np.diff(weights[edges])
    return np.asarray(0.5 * (centres[1:] + centres[:-1]))


def _one_more(best: Floats, spread: Spread) -> tuple[Floats, NDArray[np.int64]]:
    """Return for every number of first values the best sum with one more cluster, and where the last one begins."""
    size = len(best) - 1
    found = np.full(size + 1, np.inf)
    begins = np.zeros(size + 1, dtype=np.int64)
    left, right = np.array([1]), np.array([size])  # ranges of j that are open, and of where their last cluster begins
    low, high = np.array([0]), np.array([size - 1])
    while len(left):
        middle = (left + right) // 2
        lengths = np.minimum(high, middle - 1) - low + 1
        firsts = np.cumsum(lengths) - lengths
        starts = np.arange(int(lengths.sum())) - np.repeat(firsts - low, lengths)
        sums = best[starts] + spread(starts, np.repeat(middle, lengths))
        least = np.minimum.reduceat(sums, firsts)
        at = np.minimum.reduceat(np.where(sums == np.repeat(least, lengths), starts, size), firsts)
        found[middle], begins[middle] = least, at
        left, right = np.concatenate([left, middle + 1]), np.concatenate([middle - 1, right])
        low, high = np.concatenate([low, at]), np.concatenate([at, high])
        keep = left <= right
        left, right, low, high = left[keep], right[keep], low[keep], high[keep]
    return found, begins


def entropy_cuts(values: NDArray[np.float64], classes: NDArray[np.integer], n_classes: int) -> NDArray[np.float64]:
    """Return the cuts that a class makes in the values, ascending; none if the class says nothing about them.

    By the minimum description length principle (Fayyad and Irani 1993; Liao 4.6.1):
    A set S of N rows is cut where the class entropy after the cut is least, midway between two neighbouring values,
    and both parts are cut again, as long as a cut pays for its description: its gain in bits must exceed

        (log2(N - 1) + log2(3^k - 2) - k E(S) + k1 E(S1) + k2 E(S2)) / N,

    where E is the class entropy in bits and k, k1, k2 are the numbers of classes present in S and its parts. Rows of
    equal value are first merged, and the best cut of a range is found from cumulative class counts, so a range of m
    distinct values costs m x classes.
    """
    distinct, where = np.unique(values, return_inverse=True)
    table = np.zeros((len(distinct), n_classes), dtype=np.int64)
    np.add.at(table, (where, classes), 1)
    below = np.vstack([np.zeros(n_classes, dtype=np.int64), table.cumsum(axis=0)])
    cuts: list[float] = []
    ranges = [(0, len(distinct))]
    while ranges:
        start, end = ranges.pop()
        cut = _best_cut(below[start : end + 1])
        if cut is not None:
            cuts.append(0.5 * (distinct[start + cut - 1] + distinct[start + cut]))
            ranges += [(start, start + cut), (start + cut, end)]
    return np.array(sorted(cuts), dtype=np.float64)


def _best_cut(below: NDArray[np.int64]) -> int | None:
    """Return after how many distinct values a range is cut, or None; `below` has the cumulative class counts."""
    if len(below) < 3:
        return None
    left = below[1:-1] - below[0]
    right = below[-1] - below[1:-1]
    whole = below[-1] - below[0]
    rows = int(whole.sum())
    bits_left, bits_right = _bits(left), _bits(right)
    after = bits_left + bits_right
    best = int(np.argmin(after))
    bits = float(_bits(whole[None, :])[0])
    classes = [int(np.count_nonzero(counts)) for counts in (whole, left[best], right[best])]
    sizes = [rows, int(left[best].sum()), int(right[best].sum())]
    entropies = [b / size for b, size in zip((bits, bits_left[best], bits_right[best]), sizes, strict=True)]
    # log2(3^k - 2) without the power: k may be large.
    choices = classes[0] * np.log2(3.0) + np.log2(1.0 - 2.0 * 3.0 ** -float(classes[0]))
    cost = np.log2(rows - 1.0) + choices
    cost -= classes[0] * entropies[0] - classes[1] * entropies[1] - classes[2] * entropies[2]
    return best + 1 if bits - float(after[best]) > cost else None


def _bits(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each row of counts the total number of bits N x E."""
    total = counts.sum(axis=1)
    terms = np.where(counts > 0, counts * np.log2(np.maximum(counts, 1)), 0.0).sum(axis=1)
    return np.asarray(total * np.log2(np.maximum(total, 1)) - terms)


UNSUPERVISED: dict[str, Callable[..., CutPoints]] = {
    "width": equal_width,
    "quantile": quantiles,
    "kmeans": cluster_cuts,
    "mean": mean,
}
METHODS = ("mdl", *UNSUPERVISED)
MOST_CASES = 10**8  # that weighted rows are written out as
Cuts = dict[str, NDArray[np.float64]]


def discretize(
    data: Tabular,
    *,
    method: str = "mdl",
    columns: Iterable[str] | Literal["continuous", "numeric"] = "continuous",
    bins: int = BINS,
    target: str | None = None,
    without_cuts: Literal["error", "drop", "median"] = "error",
    keep_empty: bool = False,
    max_levels: int | None = None,
) -> Tabular:
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
    table = Table.of(data)
    check_known("choice for without_cuts", without_cuts, ("error", "drop", "median"))
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
        found |= {name: cut_points(table.column(name).values(), "quantile", bins=2) for name in uncut}
    table = apply_cuts(table, found, keep_empty=keep_empty)
    return table.like(data)


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
    check_known("discretisation method", method, METHODS)
    check_argument(bins == int(bins) and bins >= 2, "bins", bins, "must be an integer of at least 2.")
    table = Table.of(data)
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
    return UNSUPERVISED[method](column.numbers[seen], bins, counts[seen])


def cut_points(
    values: NDArray[np.float64],
    method: str,
    *,
    bins: int = BINS,
    classes: NDArray[np.int64] | None = None,
    n_classes: int = 0,
    run: Run | None = None,
) -> NDArray[np.float64]:
    """Return the ascending cut points of numbers, of which NaN are left out; clusters as long as the `run` has time.

    `classes` are the codes of the class for "mdl"; those from `n_classes` on stand for a missing one.
    """
    known = ~np.isnan(values)
    if method == "mdl":
        assert classes is not None
        known &= classes < n_classes
        return entropy_cuts(values[known], classes[known], n_classes)
    if method == "kmeans":
        return cluster_cuts(values[known], bins, run=run)
    return UNSUPERVISED[method](values[known], bins)


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
            raise data.wrong(column, "does not hold numbers and cannot be cut.")
        if points.ndim != 1 or not bool(np.isfinite(points).all()) or bool((np.diff(points) <= 0).any()):
            raise OptionError(f"the cuts of '{name}' must be finite and ascending, not {points.tolist()}.")
        labels = interval_labels(points)
        interval = intervals_of(column.numbers, points)
        if not keep_empty:
            seen, interval = np.unique(interval, return_inverse=True)
            labels = tuple(labels[k] for k in seen)
        cut.append(Column.looked_up(name, np.append(interval, len(labels)), column.codes, labels, declared=True))
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
    if column.numbers is None:
        raise table.wrong(column, "does not hold numbers and cannot be cut into bins.")
    if len(np.unique(column.numbers)) < 2:
        raise table.wrong(column, f"has one distinct value, '{column.labels[0]}': there is nothing to cut. Drop it.")


def case_rows(table: Table) -> NDArray[np.int64]:
    """Return the row of each case: rows as often as their weights say."""
    if table.weights is None:
        return np.arange(table.n_rows)
    if (cases := int(np.sum(table.weights))) > MOST_CASES:
        raise DataError(
            f"{table.prefix}numbers have to be cut row by row, and there are {cases:,} of them, more than "
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


_LABEL = re.compile(r"\s*([\[(])\s*([^\s,]+)\s*,\s*([^\s,]+)\s*([\])])\s*")
# Labels have at least so many digits of a cut point, and a cut may differ from them by what comes after.
DIGITS = 6


@dataclass(frozen=True)
class Interval:
    """The numbers from one end to another, each with or without the end itself.

    >>> Interval.parse("(2.45,4.75]"), Interval.parse("high")
    (Interval(low=2.45, high=4.75, with_low=False, with_high=True), None)
    """

    low: float
    high: float
    with_low: bool
    with_high: bool

    @classmethod
    def parse(cls, label: str) -> Interval | None:
        """Read a label, None if it is no interval."""
        found = _LABEL.fullmatch(label)
        if found is None:
            return None
        opening, low, high, closing = found.groups()
        first, last = _end(low), _end(high)
        if first is None or last is None or not first < last:
            return None
        return cls(first, last, opening == "[", closing == "]")

    def holds(self, number: float) -> bool:
        """Return whether a number is in it."""
        above = number > self.low or (self.with_low and number == self.low)
        return above and (number < self.high or (self.with_high and number == self.high))


def _end(text: str) -> float | None:
    """Return an end as a number, which may be infinite."""
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if text.startswith("-") else math.inf
    number = numbers_of([text])
    return None if number is None else float(number[0])


def state_holding(name: str, text: str, states: Sequence[str]) -> str:
    """Return the state of a variable that is the interval of a number; whatever else is no state is refused.

    >>> state_holding("age", "50", ["(-inf,37]", "(37,61]", "(61,inf)"])
    '(37,61]'
    """
    parsed = {state: Interval.parse(state) for state in states}  # a gap may be a state beside intervals
    intervals = {state: interval for state, interval in parsed.items() if interval is not None}
    number = numbers_of([text])
    if number is None or not intervals:
        hint = " A number stands for the bin that holds it." if intervals else ""
        raise UnknownNameError(suggestion(f"state of '{name}'", text, states) + hint)
    value = float(number[0])
    # Labels may have too few digits to tell on which side of an end a number is.
    ends, shown = {state: (one.low, one.high) for state, one in intervals.items()}, float(f"{value:.{DIGITS}g}")
    near = [state for state, both in ends.items() if shown in both and value not in both]
    found = near or [state for state, interval in intervals.items() if interval.holds(value)]
    if len(found) == 1 and not near:
        return found[0]
    listed = quoted(found or list(intervals), 12)
    if not found:
        raise UnknownNameError(f"no bin of '{name}' holds {text}: they are {listed}.")
    raise UnknownNameError(f"{text} may be in any of these bins of '{name}': {listed}. Name the one that you mean.")
