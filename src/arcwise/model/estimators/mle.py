"""Maximum likelihood: the relative frequencies."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.model.estimators.estimator import Estimator, FamilyCounts, posterior_mean

__all__ = ["MLE"]


def _table(family: FamilyCounts) -> NDArray[np.float64]:
    """n_jk / n_j; a configuration that the data do not show stays undefined, as the "---" of Lau's figure 1."""
    return posterior_mean(family.counts, 0.0)


MLE = Estimator("relative frequencies n_jk / n_j; undefined where the data show no case", _table)
