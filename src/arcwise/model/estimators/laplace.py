"""Laplace: one imaginary case in every cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.model.estimators.estimator import Estimator, FamilyCounts, posterior_mean

__all__ = ["LAPLACE"]


def _table(family: FamilyCounts) -> NDArray[np.float64]:
    """(n_jk + 1) / (n_j + r): Lau's "Bayesian correction" (section 3.5), the posterior mean under K2's prior."""
    return posterior_mean(family.counts, 1.0)


LAPLACE = Estimator("(n_jk + 1) / (n_j + r): one imaginary case per cell", _table)
