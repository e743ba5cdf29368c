"""Columns whose values correspond one to one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["first_seen"]


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
