"""Cut points: where a column of numbers is divided into intervals.

Intervals are closed on the right: a value on a cut belongs to the lower interval, always.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["equal_width", "interval_labels", "intervals_of", "mean", "quantiles"]

Cuts = NDArray[np.float64]


def equal_width(values: NDArray[np.float64], bins: int) -> Cuts:
    """Return the cuts of `bins` intervals of equal width between the least and the largest value.

    Data are decimal: 5.5 is on the cut between 4.3 and 7.9 at one third, but not in binary arithmetic. The cuts are
    therefore computed as fractions of the shortest decimals that denote the two ends, and rounded once.
    """
    low, high = (Fraction(repr(float(end))) for end in (values.min(), values.max()))
    return np.array([float(low + (high - low) * k / bins) for k in range(1, bins)])


def quantiles(values: NDArray[np.float64], bins: int, counts: NDArray[np.int64] | None = None) -> Cuts:
    """Return the cuts of `bins` intervals with as equal numbers of rows as ties allow: values of the data.

    Where so many rows have the largest value that no cut lies below it, it is cut off from all others. `counts` say in
    how many rows each value is, if not in one.
    """
    if counts is None:
        cuts: Cuts = np.unique(np.quantile(values, np.arange(1, bins) / bins, method="inverted_cdf"))
    else:
        order = np.argsort(values, kind="stable")
        ends = np.cumsum(counts[order])
        ranks = [max(0, math.ceil(int(ends[-1]) * (k / bins) - 1)) for k in range(1, bins)]
        cuts = np.unique(values[order][np.searchsorted(ends, ranks, side="right")])
    largest = values.max()
    if cuts[0] == largest:
        return np.asarray(np.unique(values)[-2:-1])
    return np.asarray(cuts[cuts < largest])


def mean(values: NDArray[np.float64], counts: NDArray[np.int64] | None = None) -> Cuts:
    """Return one cut, at the mean; `counts` say in how many rows each value is, if not in one."""
    return np.array([values.mean() if counts is None else np.average(values, weights=counts)])


def intervals_of(values: NDArray[np.float64], cuts: Cuts) -> NDArray[np.int64]:
    """Return the number of each value's interval: 0 up to the first cut, and so on."""
    return np.searchsorted(cuts, values, side="left")


def interval_labels(cuts: Cuts) -> tuple[str, ...]:
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
