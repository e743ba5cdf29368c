"""Cases drawn with replacement, as weights of the rows that they are of."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_weights"]

# Cases are drawn in blocks of this size, so that memory stays small; the size is part of what a seed means.
BLOCK_CASES = 2**20
# Of more cases in weighted rows, as many are drawn row by row, from binomial distributions: a hundred million cases in
# a million distinct rows take a second in place of ten. The number is part of what a seed means, too.
ROW_BY_ROW = 2**24
# With no more cases than this, draws are counted by case, a byte each, which stays in a cache: no row is searched for.
MOST_COUNTED = 2**22


def draw_weights(rng: np.random.Generator, n_rows: int, given: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return how often each row is drawn, of which there are so many cases (None: one of each)."""
    from arcwise import _core

    ends = None if given is None else np.cumsum(given)
    n_cases = n_rows if ends is None else int(ends[-1])
    if given is not None and n_cases > ROW_BY_ROW:
        return rng.multinomial(n_cases, given / n_cases)
    drawn = None if given is None or n_cases > MOST_COUNTED else _core.data.DrawnCases(n_cases)
    weights = np.zeros(n_rows, dtype=np.int64)
    for start in range(0, n_cases, BLOCK_CASES):
        cases = rng.integers(0, n_cases, size=min(BLOCK_CASES, n_cases - start))
        if drawn is not None:
            drawn.add(cases)
        else:
            rows = cases if ends is None else np.searchsorted(ends, cases, side="right")
            weights += np.bincount(rows, minlength=n_rows)
    return weights if drawn is None or given is None else drawn.weights(given)
