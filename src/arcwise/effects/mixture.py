"""`Mixture`: a distribution over an interval, made of parts of which mean and variance are known.

Every part is taken to be the Beta distribution, stretched to the interval, with this mean and variance: exact where a
parent set has one configuration, and close otherwise (a test compares with simulated posteriors). A part without
variance is a point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

__all__ = ["Mixture"]

HALVINGS = 26  # to 1.5e-8 of the interval
LEAST_SPREAD = 1e-14


@dataclass(frozen=True, eq=False, slots=True)
class Mixture:
    """Parts with weights, means and variances between `low` and `high`; arrays of any shape after the first axis."""

    weights: NDArray[np.float64]
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    low: float = 0.0
    high: float = 1.0

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of the whole."""
        return np.asarray(np.tensordot(self._shares, self.means, axes=1))

    @property
    def _shares(self) -> NDArray[np.float64]:
        return np.asarray(self.weights / self.weights.sum())

    def below(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probability of at most `value`."""
        width = self.high - self.low
        centre = np.clip((self.means - self.low) / width, 1e-12, 1 - 1e-12)
        spread = np.clip(self.variances / width**2, LEAST_SPREAD, None)
        size = np.maximum(centre * (1 - centre) / spread - 1, 1e-6)
        at = np.clip((value - self.low) / width, 0.0, 1.0)
        parts = betainc(centre * size, (1 - centre) * size, np.broadcast_to(at, centre.shape))
        points = self.variances <= 0
        parts = np.where(points, self.means <= value, parts)
        return np.asarray(np.tensordot(self._shares, parts, axes=1))

    def quantile(self, share: float) -> NDArray[np.float64]:
        """Return the value that this share lies below, by halving."""
        shape = self.means.shape[1:]
        low, high = np.full(shape, self.low), np.full(shape, self.high)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            less = self.below(middle) < share
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return np.asarray((low + high) / 2)
