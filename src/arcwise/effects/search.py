"""`find_effect`: P(y | do(x)) over a set of networks, a mixture over the parent sets of x."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, DataError, OptionError
from arcwise.base.run import ProgressCallback, Run
from arcwise.confidence.reach import FamilyReach, family_reach
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset
from arcwise.effects.effect import LEVEL, Effect, Mixture, Range, state_pairs
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.summary import Ensemble
from arcwise.posterior.posterior import Posterior

# The back-door estimate of P(y | do(x)) for one parent set of x: its mean and variance under a Dirichlet prior.
#
# In a network in which Z are the parents of x, P(y = s | do(x = a)) is the sum over z of P(z) P(s | a, z) (Pearl 2009,
# theorem 3.3.2). With a Dirichlet prior over the cells of (z, x, y), the posterior of P(z) and those of every P(. | a,
# z) are independent Dirichlet distributions, so that mean and variance of the sum have a closed form; nothing is
# simulated. Configurations z that no case shows all look the same, and are counted, not listed.
#
# Data with gaps are completed many times. Each completion gives such an estimate as if it were the data; the posterior
# is their mixture, so that its variance is the mean of theirs plus that between them (`over_completions`).


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


# Of a cause with more families than this, the rarest, of this share together, are left out of intervals and means.
MOST_FAMILIES = 256
LEFT_OUT = 1e-4


def refuse_copy(networks: NetworkSet, cause: str) -> None:
    """Raise an `OptionError` for a cause that was learned as one with an earlier column of the same content.

    All its arcs are at that one, so that networks would say that setting it does nothing.
    """
    if cause in networks.copies:
        first = networks.copies[cause]
        raise OptionError(
            f"'{cause}' is a copy of '{first}', and data cannot tell what setting one of them without the other would "
            f"do; the networks have all arcs at '{first}': ask for that."
        )


def find_effect(
    networks: Ensemble | Posterior | FamilyReach,
    data: Dataset,
    cause: str,
    outcome: str,
    *,
    level: float = LEVEL,
    ess: float = 1.0,
    copies: int = 1,
    progress: bool | ProgressCallback | None = None,
) -> Effect:
    """Return what setting `cause` does to `outcome`, over everything that the networks hold possible.

    In every network the parents of the cause are a valid adjustment set (Pearl's back-door criterion), so that the
    posterior of P(y | do(x)) is a mixture over the parent sets of x, each weighed by its share among the networks, of
    Dirichlet back-door estimates; in networks in which x is no ancestor of y, setting x does nothing. This is the
    Bayesian IDA of Pensar, Talvitie, Hyttinen and Koivisto (2020) for discrete data.

    **It assumes that no common cause of the variables is missing from the data**, as every estimate of effects from
    observations without an experiment does; `Effect.without_assumption` gives what holds without.

    Parameters
    ----------
    networks
        A credible set, a posterior, a set of draws from one or of a bootstrap; or their `family_reach`, to ask more
        often or with another seed.
    data
        The data that they were learned from. Of experiments, the cases in which nothing but the cause was set.
    cause, outcome
        x and y.
    level
        The share of the posterior that intervals hold.
    ess
        The equivalent sample size of the prior of every estimate.
    copies
        How many completions of the data are stacked in `data`, if they had gaps. Each gives its own estimates, and how
        far they differ widens the intervals.
    progress
        See `arcwise.progress.show_progress`.
    """
    check_effect_options(data, (cause, outcome), level, ess)
    check_copies(data, copies)
    if isinstance(networks, NetworkSet):
        refuse_copy(networks, cause)
    reach = reach_of(networks, data)
    x, y = data.index(cause), data.index(outcome)
    told = usable_cases(data, cause)
    with Run.begin(None, progress) as run:
        parts = CauseParts(reach, told, x, ess, copies=copies)
        for number, row in enumerate(parts.rows):
            parts.add(row, [y])
            run.report("parent sets", number + 1, len(parts.rows))
    return parts.effect(y, level)


def reach_of(networks: Ensemble | Posterior | FamilyReach, data: Dataset) -> FamilyReach:
    """Return the families with what they reach; the variables must be those of the data, in their order."""
    found = networks if isinstance(networks, FamilyReach) else family_reach(networks)
    if found.names != data.names:
        raise OptionError("the networks and the data have different variables, or the same in another order.")
    return found


def check_effect_options(data: Dataset, names: tuple[str, ...], level: float, ess: float) -> None:
    """Refuse unknown variables, one variable twice, and numbers outside their ranges."""
    for name in names:
        data.index(name)
    if len(set(names)) < len(names):
        raise OptionError(f"an effect needs two variables; got '{names[0]}' twice.")
    if not 0 < level < 1:
        raise OptionError(Argument("level", level), "must lie between 0 and 1, such as 0.95.")
    if not 0 < ess < float("inf"):
        raise OptionError(Argument("ess", ess), "must be positive: the equivalent sample size of the prior.")


def check_copies(data: Dataset, copies: int) -> None:
    """Refuse a number of completions that the rows cannot be."""
    if copies < 1 or data.n_rows % copies:
        raise OptionError(
            Argument("copies", copies),
            f"must divide the rows, of which there are {data.n_rows:,}: how many completions, equally long, they are.",
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One parent set of the cause, with which it reaches the outcome with some weight: moments over completions."""

    weight: float
    of_states: tuple[NDArray[np.float64], NDArray[np.float64]]
    of_pairs: tuple[NDArray[np.float64], NDArray[np.float64]]


class CauseParts:
    """The estimates for one cause, parent set by parent set, for any number of outcomes.

    Of data with gaps, every completion has its own networks: a parent set counts with the completions that it was found
    in, by their weights. The networks of a bootstrap were learned from samples with fillings of their own: an effect of
    x on y counts with the completions that were drawn under a network in which x leads to y (`CompletionNetworks`).
    Where neither is known, it counts with all.
    """

    def __init__(self, reach: FamilyReach, data: Dataset, cause: int, ess: float, *, copies: int = 1) -> None:
        self._reach, self._data, self._cause, self._ess, self._copies = reach, data, cause, ess, copies
        self._parts: dict[int, list[_Part]] = {}
        shares = reach.shares[reach.rows_of(cause).start : reach.rows_of(cause).stop]
        order = np.argsort(-shares, kind="stable")
        kept = int(np.searchsorted(np.cumsum(shares[order]), (1 - LEFT_OUT) * shares.sum())) + 1
        kept = max(kept, min(MOST_FAMILIES, int((shares > 0).sum())))
        first = reach.rows_of(cause).start
        self.rows: list[int] = [first + int(k) for k in np.sort(order[:kept])]
        self._ancestors = reach.reached[first : reach.rows_of(cause).stop].sum(axis=0).clip(0.0, 1.0)

    def add(self, row: int, outcomes: list[int]) -> None:
        """Estimate the effect with one parent set, on the outcomes that the cause reaches with it."""
        reached = [y for y in outcomes if y != self._cause and self._reach.reached[row, y] > 0]
        if not reached:
            return
        chosen, weights = self._completions(row)
        strata = Strata(self._data, self._cause, self._reach.families.parents_of(row), self._ess, self._copies, chosen)
        for y in reached:
            found = strata.estimate(y)
            own = None if weights is None else weights[:, y]
            part = _Part(float(self._reach.reached[row, y]), found.of_states.over(own), found.of_pairs.over(own))
            self._parts.setdefault(y, []).append(part)

    def _completions(self, row: int) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
        """Return the completions whose networks have a family, with weights by what is reached; None for all alike."""
        known, under = self._reach.completions, self._under
        if known is not None and self._copies > 1 and known.count <= self._copies:
            return known.of_family(row)
        return (None, None) if under is None else (np.arange(len(under)), under)

    @cached_property
    def _under(self) -> NDArray[np.float64] | None:
        """Which completions to look at if the cause reaches an outcome, where networks are not of one of them."""
        known = self._reach.under
        if known is None or self._copies == 1 or known.count > self._copies:
            return None
        return known.weights_of(self._cause)

    def probability(self, outcome: int) -> float:
        """The probability that the cause is an ancestor of the outcome."""
        return float(self._ancestors[outcome])

    def changes(self, outcome: int) -> Mixture | None:
        """Return the differences between any two states of the cause, given an effect: [part, pair, state]."""
        parts = self._parts.get(outcome, [])
        if not parts:
            return None
        shape = (len(parts), len(state_pairs(int(self._data.arities[self._cause]))), int(self._data.arities[outcome]))
        means = np.array([part.of_pairs[0] for part in parts]).reshape(shape)
        variances = np.array([part.of_pairs[1] for part in parts]).reshape(shape)
        return Mixture(np.array([part.weight for part in parts]), means, variances, -1.0, 1.0)

    def release(self, outcome: int) -> None:
        """Forget the estimates for an outcome."""
        self._parts.pop(outcome, None)

    def effect(self, outcome: int, level: float) -> Effect:
        """Return the effect on an outcome from all parent sets that were added."""
        data, x, y = self._data, self._cause, outcome
        parts = self._parts.get(y, [])
        probability = self.probability(y)
        weights = np.array([part.weight for part in parts])
        means = np.array([part.of_states[0] for part in parts]).reshape(-1, *self._shape(y))
        variances = np.array([part.of_states[1] for part in parts]).reshape(-1, *self._shape(y))
        # Of the networks with an effect, all; rare families that were left out count as those that were not.
        scale = probability / weights.sum() if len(parts) else 0.0
        mean, variance = marginal_moments(data, y, self._ess, self._copies).over()
        whole = Mixture(
            np.append(weights * scale, max(1 - probability, 0.0)),
            np.concatenate([means, np.broadcast_to(mean, (1, *self._shape(y)))]),
            np.concatenate([variances, np.broadcast_to(variance, (1, *self._shape(y)))]),
        )
        changes = self.changes(y)
        counts = self._joint_counts(y)
        with np.errstate(invalid="ignore"):
            observed = counts / counts.sum(axis=1, keepdims=True)
        return Effect(
            cause=data.names[x],
            outcome=data.names[y],
            cause_states=data.states[x],
            outcome_states=data.states[y],
            probability=probability,
            standard_error=float(self._reach.standard_errors()[x, y]),
            set_to=Range.of(whole, level),
            set_if_effect=Range.of(Mixture(weights, means, variances), level) if parts else None,
            change_if_effect=None if changes is None else Range.of(changes, level),
            observed=observed,
            marginal=counts.sum(axis=0) / counts.sum(),
            shown=counts.sum(axis=1) / counts.sum(),
            level=level,
            n_families=len(parts),
        )

    def _shape(self, y: int) -> tuple[int, int]:
        return int(self._data.arities[self._cause]), int(self._data.arities[y])

    def _joint_counts(self, y: int) -> NDArray[np.float64]:
        return contingency(self._data, [self._cause, y]) / self._copies
