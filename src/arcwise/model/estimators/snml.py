"""Sequential normalised maximum likelihood."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.model.estimators.estimator import Estimator, FamilyCounts

__all__ = ["SNML"]


def _table(family: FamilyCounts) -> NDArray[np.float64]:
    """(n_jk + 1) e(n_jk), normalised over k, with e(n) = (1 + 1/n)^n and e(0) = 1.

    The distribution of the next case that is closest, in the worst case, to the likelihood maximised with that case in
    hindsight (Liao, section 4.3): n^n becomes (n+1)^(n+1), whose ratio is (n+1) e(n). It has no parameter, like the NML
    scores that it goes with.
    """
    counts = family.counts.astype(np.float64)
    # e(0) = 1 comes out by itself: 0 times any logarithm.
    growth = np.exp(counts * np.log1p(1 / np.maximum(counts, 1)))
    weights: NDArray[np.float64] = (counts + 1) * growth
    table: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return table


SNML = Estimator("(n_jk + 1) e(n_jk), normalised, e(n) = (1 + 1/n)^n: sequential NML, no parameter", _table)
