"""The back-door estimate of P(y | do(x)) for one parent set of x: its mean and variance under a Dirichlet prior.

In a network in which Z are the parents of x, P(y = s | do(x = a)) is the sum over z of P(z) P(s | a, z) (Pearl 2009,
theorem 3.3.2). With a Dirichlet prior over the cells of (z, x, y), the posterior of P(z) and those of every P(. | a, z)
are independent Dirichlet distributions, so that mean and variance of the sum have a closed form; nothing is simulated.
Configurations z that no case shows all look the same, and are counted, not listed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import DataError

__all__ = ["BackDoor", "Strata", "cases_that_tell", "usable_cases"]


def cases_that_tell(data: Dataset, cause: str) -> Dataset | None:
    """Return the cases in which nothing but the cause was set by an experiment; None if there are none.

    Setting x leaves its parents, and y given x and them, as they are; setting anything else may not.
    """
    targets = data.targets
    if targets is None or targets.is_empty:
        return data
    allowed = np.array([set(names) <= {cause} for names in targets.sets])
    rows = np.flatnonzero(allowed[targets.of_row])
    if not len(rows) or (data.weights is not None and not data.weights[rows].any()):
        return None
    return data.take(rows)


def usable_cases(data: Dataset, cause: str) -> Dataset:
    """Return the same cases, of which there must be some."""
    found = cases_that_tell(data, cause)
    if found is None:
        raise DataError(
            f"every case sets a variable other than '{cause}': what follows from setting it alone cannot be estimated. "
            "Add cases in which nothing was set."
        )
    return found


class Strata:
    """The cases by x and one configuration z of its parents: what all outcomes y share.

    Parameters
    ----------
    data
        The cases; `copies` completions of them, if they had gaps.
    cause, parents
        Positions of x and of its parents.
    ess
        The equivalent sample size of the prior.
    copies
        How many times every case is there: counts are divided by it.
    """

    def __init__(self, data: Dataset, cause: int, parents: Sequence[int], ess: float, copies: int = 1) -> None:
        self._data, self._copies, self.ess = data, copies, ess
        self.n_states = int(data.arities[cause])
        self.n_possible = math.prod(int(data.arities[p]) for p in parents)
        labels = np.zeros(data.n_rows, dtype=np.int64)
        for p in parents:  # relabelled after each parent, so that no product overflows
            combined = labels * int(data.arities[p]) + data.codes[p]
            labels = np.unique(combined, return_inverse=True)[1].ravel().astype(np.int64)
        self._strata = labels * self.n_states + data.codes[cause]
        self.n_seen = int(labels.max()) + 1 if data.n_rows else 0

    def estimate(self, outcome: int) -> BackDoor:
        """Return the moments of P(y | do(x)) for one outcome."""
        r_y, r_x, data = int(self._data.arities[outcome]), self.n_states, self._data
        weights = None if data.weights is None else data.weights.astype(np.float64)
        cells = np.bincount(
            self._strata * r_y + data.codes[outcome], weights=weights, minlength=self.n_seen * r_x * r_y
        )
        counts = cells.reshape(self.n_seen, r_x, r_y) / self._copies
        prior = self.ess / (self.n_possible * r_x * r_y)
        alpha = counts + prior
        total = float(counts.sum()) + self.ess
        of_stratum = alpha.sum(axis=2)
        shares = of_stratum.sum(axis=1) / total
        means = alpha / of_stratum[:, :, None]
        spreads = means * (1 - means) / (of_stratum[:, :, None] + 1)
        squares = shares * (shares * total + 1) / (total + 1)
        # Configurations that were not seen: all have the prior's moments.
        unseen = self.n_possible - self.n_seen
        share = self.ess / self.n_possible / total
        flat = 1 / r_y
        flat_spread = flat * (1 - flat) / (prior * r_y + 1)
        square = share * (share * total + 1) / (total + 1)
        return BackDoor(
            shares=np.append(shares, unseen * share),
            means=np.concatenate([means, np.full((1, r_x, r_y), flat)]),
            inner=np.einsum("z,zas->as", squares, spreads) + unseen * square * flat_spread,
            total=total,
        )


@dataclass(frozen=True, eq=False, slots=True)
class BackDoor:
    """Mean and variance of P(y = s | do(x = a)), and of its differences between two states of x.

    Parameters
    ----------
    shares, means
        P(z) and P(s | a, z) by stratum, posterior means; the last stratum holds all that no case shows.
    inner
        The part of the variance that is due to P(s | a, z), at [a, s].
    total
        The number of cases with those of the prior.
    """

    shares: NDArray[np.float64]
    means: NDArray[np.float64]
    inner: NDArray[np.float64]
    total: float

    @property
    def mean(self) -> NDArray[np.float64]:
        """The mean of P(y = s | do(x = a)), at [a, s]."""
        return np.asarray(np.einsum("z,zas->as", self.shares, self.means))

    @property
    def variance(self) -> NDArray[np.float64]:
        """Its variance."""
        between = np.einsum("z,zas->as", self.shares, self.means**2) - self.mean**2
        return np.asarray(self.inner + np.maximum(between, 0.0) / (self.total + 1))

    def contrast(self, first: int, second: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and variance of P(y = s | do(x = second)) - P(y = s | do(x = first)), at [s].

        The two share P(z), and P(s | a, z) of different a are independent.
        """
        difference = self.means[:, second] - self.means[:, first]
        mean = self.shares @ difference
        between = self.shares @ difference**2 - mean**2
        inner = self.inner[first] + self.inner[second]
        return mean, inner + np.maximum(between, 0.0) / (self.total + 1)
