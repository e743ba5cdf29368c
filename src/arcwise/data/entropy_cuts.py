"""Supervised cut points by the minimum description length principle (Fayyad and Irani 1993; Liao 4.6.1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["entropy_cuts"]


def entropy_cuts(values: NDArray[np.float64], classes: NDArray[np.integer], n_classes: int) -> NDArray[np.float64]:
    """Return the cuts that a class makes in the values, ascending; none if the class says nothing about them.

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
