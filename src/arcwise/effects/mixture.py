"""`Mixture`: a distribution over an interval, made of parts of which mean and variance are known.

Every part is taken to be the Beta distribution, stretched to the interval, with this mean and variance: exact where a
parent set has one configuration, and close otherwise (a test compares with simulated posteriors).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

__all__ = ["Mixture"]

HALVINGS = 26  # to 1.5e-8 of the interval
LEAST_SPREAD = 1e-14
PILED = 0.5


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def _parameters(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The two parameters of the Beta distribution of every part."""
        width = self.high - self.low
        centre = np.clip((self.means - self.low) / width, 1e-12, 1 - 1e-12)
        spread = np.maximum(self.variances / width**2, LEAST_SPREAD)
        size = np.maximum(centre * (1 - centre) / spread - 1, 1e-6)
        return centre * size, (1 - centre) * size

    def quantile(self, share: float | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value that this share lies below, by halving."""
        shape, width, shares = self.means.shape[1:], self.high - self.low, self._shares
        first, second = (values.reshape(len(shares), -1) for values in self._parameters)
        wanted = np.broadcast_to(share, shape).ravel()
        low, high = np.zeros(first.shape[1]), np.ones(first.shape[1])
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            less = shares @ betainc(first, second, middle) < wanted
            low, high = np.where(less, middle, low), np.where(less, high, middle)
        return np.asarray(self.low + width * (low + high) / 2).reshape(shape)

    def interval(self, level: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the ends of an interval that holds this share: the middle, unless the mass piles up at an end.

        What was never seen to fail has its largest density at 1, which no middle part would hold, and yet is the truth
        wherever one variable determines another. There the interval reaches to the end, and all that is left out lies
        on the other side, as Brown, Cai and DasGupta (2001, section 4.1.2) do for single proportions. A part piles up
        where the parameter of its Beta distribution is below 1; the heavier half of the parts decides.
        """
        first, second = self._parameters
        shares = self._shares
        bottom = np.tensordot(shares, first < 1, axes=1) > PILED
        top = np.tensordot(shares, second < 1, axes=1) > PILED
        both = bottom & top
        bottom, top = bottom & ~both, top & ~both
        tail = (1 - level) / 2
        low = self.quantile(np.where(top, 2 * tail, tail))
        high = self.quantile(np.where(bottom, 1 - 2 * tail, 1 - tail))
        return np.where(bottom, self.low, low), np.where(top, self.high, high)
