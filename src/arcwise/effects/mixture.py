"""`Mixture`: a distribution over an interval, made of parts of which mean and variance are known.

Every part is taken to be the Beta distribution, stretched to the interval, with this mean and variance: exact where a
parent set has one configuration, and close otherwise (a test compares with simulated posteriors).
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

    def quantile(self, share: float) -> NDArray[np.float64]:
        """Return the value that this share lies below, by halving."""
        shape, width, shares = self.means.shape[1:], self.high - self.low, self._shares
        flat = (len(shares), -1)
        centre = np.clip((self.means.reshape(flat) - self.low) / width, 1e-12, 1 - 1e-12)
        spread = np.maximum(self.variances.reshape(flat) / width**2, LEAST_SPREAD)
        size = np.maximum(centre * (1 - centre) / spread - 1, 1e-6)
        first, second = centre * size, (1 - centre) * size
        low, high = np.zeros(centre.shape[1]), np.ones(centre.shape[1])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            less = shares @ betainc(first, second, middle) < share
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return np.asarray(self.low + width * (low + high) / 2).reshape(shape)
