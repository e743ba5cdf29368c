"""Columns whose values correspond one to one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["can_tell_copies", "first_seen"]

FEWEST_ROWS, MANY_VALUES = 5, 20


def first_seen(codes: NDArray[np.integer]) -> NDArray[np.int64]:
    """Number the values in the order in which they are first seen: equal for columns that correspond one to one.

    >>> first_seen(np.array([2, 0, 2, 1])).tolist()
    [0, 1, 0, 2]
    """
    first = np.full(int(codes.max()) + 1, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written, the first row, stays
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return np.asarray(rank[codes])


def can_tell_copies(counts: NDArray[np.number]) -> bool:
    """Say whether at least two values have rows enough not to be those of another column's by chance.

    >>> can_tell_copies(np.array([40, 5])), can_tell_copies(np.array([44, 1]))
    (True, False)
    """
    ordered = np.sort(counts)
    return len(ordered) > 1 and bool(ordered[-2] >= FEWEST_ROWS or len(ordered) > MANY_VALUES)
