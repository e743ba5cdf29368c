"""Cut points between clusters of numbers: the best k-means clustering there is, found exactly.

Numbers have an order, and the best clusters are intervals of it, so that dynamic programming finds them: the best
clustering of the first j values into k clusters ends with a cluster that begins somewhere at i, after the best
clustering of the first i values into k - 1. Where it begins never falls as j grows (Groenlund, Larsen, Mathiasen,
Nielsen, Schneider and Song, "Fast exact k-means, k-medians and Bregman divergence clustering in 1D", arXiv 1701.07204,
section 2.2): halving the range of j, all middles of one size at once, takes k m log m steps for m distinct values.
Lloyd's iterations, which everybody runs from a few random starts, may end elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["cluster_cuts"]

Floats = NDArray[np.float64]
Spread = Callable[[NDArray[np.int64], NDArray[np.int64]], Floats]


def cluster_cuts(values: Floats, clusters: int, counts: NDArray[np.int64] | None = None) -> Floats:
    """Return the cuts halfway between the centres of the clusters with the least sum of squared distances.

    `counts` say how often each value occurs, if not once.

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
