"""The back-door estimate of P(y | do(x)) for one parent set of x: its mean and variance under a Dirichlet prior.

In a network in which Z are the parents of x, P(y = s | do(x = a)) is the sum over z of P(z) P(s | a, z) (Pearl 2009,
theorem 3.3.2). With a Dirichlet prior over the cells of (z, x, y), the posterior of P(z) and those of every P(. | a, z)
are independent Dirichlet distributions, so that mean and variance of the sum have a closed form; nothing is simulated.
Configurations z that no case shows all look the same, and are counted, not listed.

Data with gaps are completed many times. Each completion gives such an estimate as if it were the data; the posterior is
their mixture, so that its variance is the mean of theirs plus that between them (`over_completions`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.effects.effect import state_pairs
from arcwise.errors import DataError

__all__ = [
    "BackDoor",
    "Estimate",
    "Moments",
    "Strata",
    "cases_that_tell",
    "marginal_moments",
    "over_completions",
    "usable_cases",
]

# Cells of the tables of so many completions are held at once.
MOST_CELLS = 2**21


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


def over_completions(
    means: NDArray[np.float64], variances: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and variance over completions, the first axis; `weights` are equal unless they are given.

    The variance between M completions counts (M + 1) / (M - 1) times: once for what M - 1 of them tell about it, and
    once more for the mean of so few (Rubin 1987, equation 3.1.5).
    """
    count = len(means) if weights is None else int((weights > 0).sum())
    shares = np.full(count, 1 / count) if weights is None else weights / weights.sum()
    mean = np.tensordot(shares, means, axes=1)
    within = np.tensordot(shares, variances, axes=1)
    if count == 1:
        return np.asarray(mean), np.asarray(within)
    between = np.tensordot(shares, (means - mean) ** 2, axes=1)
    return np.asarray(mean), np.asarray(within + between * (count + 1) / (count - 1))


def marginal_moments(data: Dataset, outcome: int, ess: float, copies: int) -> Moments:
    """Return the moments of P(y = s), which setting a cause without an effect leaves as it is, by completion."""
    r_y = int(data.arities[outcome])
    codes = data.codes[outcome].astype(np.int64) + r_y * (np.arange(data.n_rows) // (data.n_rows // copies))
    alpha = np.bincount(codes, weights=data.weights, minlength=copies * r_y).reshape(copies, r_y) + ess / r_y
    total = alpha.sum(axis=1, keepdims=True)
    mean = alpha / total
    return Moments(mean, mean * (1 - mean) / (total + 1))


@dataclass(frozen=True, eq=False, slots=True)
class Moments:
    """Means and variances by completion, the first axis."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]

    def over(self, weights: NDArray[np.float64] | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return mean and variance over all completions: see `over_completions`."""
        return over_completions(self.mean, self.variance, weights)

    @classmethod
    def joined(cls, parts: Sequence[Moments]) -> Moments:
        """Return those of all completions from those of some at a time."""
        return cls(np.concatenate([part.mean for part in parts]), np.concatenate([part.variance for part in parts]))


@dataclass(frozen=True, eq=False, slots=True)
class Estimate:
    """The moments of P(y = s | do(x = a)), at [completion, a, s], and of its differences, at [completion, pair, s]."""

    of_states: Moments
    of_pairs: Moments


class Strata:
    """The cases by x and one configuration z of its parents: what all outcomes y share.

    Parameters
    ----------
    data
        The cases; `copies` completions of them, one below the other, if they had gaps.
    cause, parents
        Positions of x and of its parents.
    ess
        The equivalent sample size of the prior.
    copies
        How many completions there are.
    chosen
        Positions of the completions to look at; all unless they are given.
    """

    def __init__(
        self,
        data: Dataset,
        cause: int,
        parents: Sequence[int],
        ess: float,
        copies: int = 1,
        chosen: NDArray[np.int64] | None = None,
    ) -> None:
        self._data, self._copies, self._chosen, self.ess = data, copies, chosen, ess
        self.n_states = int(data.arities[cause])
        self.n_possible = math.prod(int(data.arities[p]) for p in parents)
        self._n_rows = len(self._codes(cause))
        self.n_completions = copies if chosen is None else len(chosen)
        labels = np.zeros(self._n_rows, dtype=np.int64)
        for p in parents:  # relabelled after each parent, so that no product overflows
            combined = labels * int(data.arities[p]) + self._codes(p)
            labels = np.unique(combined, return_inverse=True)[1].ravel().astype(np.int64)
        self._strata = labels * self.n_states + self._codes(cause)
        self.n_seen = int(labels.max()) + 1 if self._n_rows else 0

    def _codes(self, variable: int) -> NDArray[np.int64]:
        codes = self._data.codes[variable]
        if self._chosen is not None:
            codes = codes.reshape(self._copies, -1)[self._chosen].ravel()
        return np.asarray(codes.astype(np.int64))

    def _weights(self) -> NDArray[np.float64] | None:
        weights = self._data.weights
        if weights is None:
            return None
        if self._chosen is not None:
            weights = weights.reshape(self._copies, -1)[self._chosen].ravel()
        return np.asarray(weights.astype(np.float64))

    def back_doors(self, outcome: int) -> Iterator[BackDoor]:
        """Yield the estimates for one outcome, some completions at a time."""
        r_y, r_x = int(self._data.arities[outcome]), self.n_states
        cells = self.n_seen * r_x * r_y
        codes, weights = self._strata * r_y + self._codes(outcome), self._weights()
        each = self._n_rows // self.n_completions
        step = max(1, MOST_CELLS // max(cells, 1))
        for first in range(0, self.n_completions, step):
            count = min(step, self.n_completions - first)
            rows = slice(first * each, (first + count) * each)
            own = codes[rows] + cells * np.repeat(np.arange(count), each)
            counted = np.bincount(own, weights=None if weights is None else weights[rows], minlength=count * cells)
            yield self._back_door(counted.reshape(count, self.n_seen, r_x, r_y).astype(np.float64))

    def _back_door(self, counts: NDArray[np.float64]) -> BackDoor:
        """Return the posterior of every completion from its counts, at [completion, z, a, s]."""
        _, _, r_x, r_y = counts.shape
        prior = self.ess / (self.n_possible * r_x * r_y)
        alpha = counts + prior
        total = counts.sum(axis=(1, 2, 3)) + self.ess
        of_stratum = alpha.sum(axis=3)
        shares = of_stratum.sum(axis=2) / total[:, None]
        means = alpha / of_stratum[..., None]
        spreads = means * (1 - means) / (of_stratum[..., None] + 1)
        squares = shares * (shares * total[:, None] + 1) / (total[:, None] + 1)
        # Configurations that were not seen: all have the prior's moments.
        unseen = self.n_possible - self.n_seen
        share = self.ess / self.n_possible / total
        flat = 1 / r_y
        flat_spread = flat * (1 - flat) / (prior * r_y + 1)
        square = share * (share * total + 1) / (total + 1)
        return BackDoor(
            shares=np.concatenate([shares, unseen * share[:, None]], axis=1),
            means=np.concatenate([means, np.full((len(counts), 1, r_x, r_y), flat)], axis=1),
            inner=np.einsum("mz,mzas->mas", squares, spreads) + (unseen * square * flat_spread)[:, None, None],
            total=total,
        )

    def estimate(self, outcome: int) -> Estimate:
        """Return the moments of P(y | do(x)) and of its differences for one outcome, completion by completion."""
        found = [(part.moments, part.contrasts) for part in self.back_doors(outcome)]
        return Estimate(Moments.joined([first for first, _ in found]), Moments.joined([second for _, second in found]))


@dataclass(frozen=True, eq=False, slots=True)
class BackDoor:
    """Mean and variance of P(y = s | do(x = a)), and of its differences between two states of x, by completion.

    Parameters
    ----------
    shares, means
        P(z) and P(s | a, z) by stratum, posterior means, at [completion, z] and [completion, z, a, s]; the last stratum
        holds all that no case shows.
    inner
        The part of the variance that is due to P(s | a, z), at [completion, a, s].
    total
        The number of cases with those of the prior, at [completion].
    """

    shares: NDArray[np.float64]
    means: NDArray[np.float64]
    inner: NDArray[np.float64]
    total: NDArray[np.float64]

    @property
    def moments(self) -> Moments:
        """Those of P(y = s | do(x = a)), at [completion, a, s]."""
        mean = np.einsum("mz,mzas->mas", self.shares, self.means)
        between = np.einsum("mz,mzas->mas", self.shares, self.means**2) - mean**2
        return Moments(mean, self.inner + np.maximum(between, 0.0) / (self.total + 1)[:, None, None])

    @property
    def contrasts(self) -> Moments:
        """Those of P(y = s | do(x = b)) - P(y = s | do(x = a)) for all pairs of states, at [completion, pair, s].

        The two share P(z), and P(s | a, z) of different a are independent.
        """
        pairs = state_pairs(self.inner.shape[1])
        found = [self._contrast(first, second) for first, second in pairs]
        shape = (len(pairs), len(self.total), self.inner.shape[2])  # there are no pairs of a single state
        return Moments(
            np.array([mean for mean, _ in found]).reshape(shape).swapaxes(0, 1),
            np.array([variance for _, variance in found]).reshape(shape).swapaxes(0, 1),
        )

    def _contrast(self, first: int, second: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        difference = self.means[:, :, second] - self.means[:, :, first]
        mean = np.einsum("mz,mzs->ms", self.shares, difference)
        between = np.einsum("mz,mzs->ms", self.shares, difference**2) - mean**2
        inner = self.inner[:, first] + self.inner[:, second]
        return mean, inner + np.maximum(between, 0.0) / (self.total + 1)[:, None]
