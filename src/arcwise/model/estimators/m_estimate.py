"""The m-estimate: m imaginary cases, spread evenly over the cells of the family."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.mentions import Argument
from arcwise.model.estimators.estimator import Estimator, FamilyCounts, posterior_mean

__all__ = ["M_ESTIMATE"]


def _table(family: FamilyCounts, *, m: float = 1.0) -> NDArray[np.float64]:
    """(n_jk + m / (q r)) / (n_j + m / q): the posterior mean under BDeu with ess = m (Liao, section 4.3)."""
    if not (math.isfinite(m) and m > 0):
        raise OptionError(Argument("m", m), "must be positive: the number of imaginary cases.")
    return posterior_mean(family.counts, m / family.counts.size)


M_ESTIMATE = Estimator(
    "(n_jk + m/(q r)) / (n_j + m/q): m imaginary cases per table",
    _table,
    {"m": "the number of imaginary cases, spread over the whole table (default 1)"},
)
