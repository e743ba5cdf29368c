"""`find_effect`: P(y | do(x)) over a set of networks, a mixture over the parent sets of x."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, DataError, OptionError, check_argument
from arcwise.base.run import ProgressCallback, Run
from arcwise.confidence.reach import FamilyReach, family_reach
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset
from arcwise.effects.effect import LEVEL, Effect, Mixture, Range, state_pairs
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.origin import Ensemble
from arcwise.posterior.posterior import Posterior

# The back-door estimate of P(y | do(x)) for one parent set of x: its mean and variance under a Dirichlet prior.
#
# In a network in which Z are the parents of x, P(y = s | do(x = a)) is the sum over z of P(z) P(s | a, z) (Pearl 2009,
# theorem 3.3.2). With a Dirichlet prior over the cells of (z, x, y), the posterior of P(z) and those of every P(. | a,
# z) are independent Dirichlet distributions, so that mean and variance of the sum have a closed form; nothing is
# simulated. Configurations z that no case shows all look the same, and are counted, not listed.
#
# Data with gaps are completed many times. Each completion gives such an estimate as if it were the data; the posterior
# is their mixture, so that its variance is the mean of theirs plus that between them (`Moments.over`).


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
        """Return mean and variance over all completions; `weights` are equal unless they are given.

        The variance between M completions counts (M + 1) / (M - 1) times: once for what M - 1 of them tell about it,
        and once more for the mean of so few (Rubin 1987, equation 3.1.5).
        """
        count = len(self.mean) if weights is None else int((weights > 0).sum())
        shares = np.full(count, 1 / count) if weights is None else weights / weights.sum()
        mean = np.tensordot(shares, self.mean, axes=1)
        within = np.tensordot(shares, self.variance, axes=1)
        if count == 1:
            return np.asarray(mean), np.asarray(within)
        between = np.tensordot(shares, (self.mean - mean) ** 2, axes=1)
        return np.asarray(mean), np.asarray(within + between * (count + 1) / (count - 1))

    @classmethod
    def joined(cls, parts: Sequence[Moments], axis: int = 0) -> Moments:
        """Return those of all completions from those of some at a time, or of all pairs of states along axis 1."""
        mean = np.concatenate([part.mean for part in parts], axis)
        return cls(mean, np.concatenate([part.variance for part in parts], axis))


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

    def _chosen_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._chosen is None else values.reshape(self._copies, -1)[self._chosen].ravel()

    def _codes(self, variable: int) -> NDArray[np.int64]:
        return np.asarray(self._chosen_rows(self._data.codes[variable]).astype(np.int64))

    def estimate(self, outcome: int) -> Estimate:
        """Return the moments of P(y | do(x)) and of its differences for one outcome, completion by completion."""
        r_y, r_x = int(self._data.arities[outcome]), self.n_states
        cells = self.n_seen * r_x * r_y
        codes, weights = self._strata * r_y + self._codes(outcome), self._data.weights
        if weights is not None:
            weights = self._chosen_rows(weights)
        each = self._n_rows // self.n_completions
        step = max(1, MOST_CELLS // max(cells, 1))
        found = []
        for first in range(0, self.n_completions, step):
            count = min(step, self.n_completions - first)
            rows = slice(first * each, (first + count) * each)
            own = codes[rows] + cells * np.repeat(np.arange(count), each)
            counted = np.bincount(own, weights=None if weights is None else weights[rows], minlength=count * cells)
            found.append(self._estimate(counted.reshape(count, self.n_seen, r_x, r_y).astype(np.float64)))
        return Estimate(Moments.joined([part.of_states for part in found]), Moments.joined([p.of_pairs for p in found]))

    def _estimate(self, counts: NDArray[np.float64]) -> Estimate:
        """Return the moments of every completion from its counts, at [completion, z, a, s]."""
        _, _, r_x, r_y = counts.shape
        prior = self.ess / (self.n_possible * r_x * r_y)
        alpha = counts + prior
        total = counts.sum(axis=(1, 2, 3)) + self.ess
        of_stratum = alpha.sum(axis=3)
        shares = of_stratum.sum(axis=2) / total[:, None]
        means = alpha / of_stratum[..., None]
        spreads = means * (1 - means) / (of_stratum[..., None] + 1)
        squares = shares * (shares * total[:, None] + 1) / (total[:, None] + 1)
        # Configurations that were not seen all have the prior's moments, and are one more stratum.
        unseen = self.n_possible - self.n_seen
        share = self.ess / self.n_possible / total
        flat = 1 / r_y
        flat_spread = flat * (1 - flat) / (prior * r_y + 1)
        square = share * (share * total + 1) / (total + 1)
        shares = np.concatenate([shares, unseen * share[:, None]], axis=1)
        means = np.concatenate([means, np.full((len(counts), 1, r_x, r_y), flat)], axis=1)
        # The part of the variance that is due to P(s | a, z).
        inner = np.einsum("mz,mzas->mas", squares, spreads) + (unseen * square * flat_spread)[:, None, None]

        def moments(values: NDArray[np.float64], inner: NDArray[np.float64]) -> Moments:
            mean = np.einsum("mz,mzks->mks", shares, values)
            between = np.einsum("mz,mzks->mks", shares, values**2) - mean**2
            return Moments(mean, inner + np.maximum(between, 0.0) / (total + 1)[:, None, None])

        # Two states of x share P(z), and P(s | a, z) of different a are independent. A single state has no pairs.
        pairs = [moments(means[:, :, :0], inner[:, :0])] + [
            moments(means[:, :, [b]] - means[:, :, [a]], inner[:, [a]] + inner[:, [b]]) for a, b in state_pairs(r_x)
        ]
        return Estimate(moments(means, inner), Moments.joined(pairs, axis=1))


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
    """
    check_effect_options(data, (cause, outcome), level, ess, copies)
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


def check_effect_options(data: Dataset, names: tuple[str, ...], level: float, ess: float, copies: int) -> None:
    """Refuse unknown variables, one variable twice, numbers outside their ranges, and copies that rows cannot be."""
    for name in names:
        data.index(name)
    if len(set(names)) < len(names):
        raise OptionError(f"an effect needs two variables; got '{names[0]}' twice.")
    check_argument(0 < level < 1, "level", level, "must lie between 0 and 1, such as 0.95.")
    check_argument(0 < ess < float("inf"), "ess", ess, "must be positive: the equivalent sample size of the prior.")
    if copies < 1 or data.n_rows % copies:
        raise OptionError(
            Argument("copies", copies),
            f"must divide the rows, of which there are {data.n_rows:,}: how many completions, equally long, they are.",
        )


Mixed = tuple[float, tuple[NDArray[np.float64], NDArray[np.float64]]]  # a weight, and mean and variance


class CauseParts:
    """The estimates for one cause, parent set by parent set, for any number of outcomes.

    Of data with gaps, every completion has its own networks: a parent set counts with the completions that it was found
    in, by their weights. The networks of a bootstrap were learned from samples with fillings of their own: an effect of
    x on y counts with the completions that were drawn under a network in which x leads to y (`CompletionNetworks`).
    Where neither is known, it counts with all.
    """

    def __init__(self, reach: FamilyReach, data: Dataset, cause: int, ess: float, *, copies: int = 1) -> None:
        self._reach, self._data, self._cause, self._ess, self._copies = reach, data, cause, ess, copies
        # By outcome, one entry per parent set with which the cause reaches it.
        self._states: defaultdict[int, list[Mixed]] = defaultdict(list)
        self._pairs: defaultdict[int, list[Mixed]] = defaultdict(list)
        own = reach.rows_of(cause)
        shares = reach.shares[own.start : own.stop]
        order = np.argsort(-shares, kind="stable")
        kept = int(np.searchsorted(np.cumsum(shares[order]), (1 - LEFT_OUT) * shares.sum())) + 1
        kept = max(kept, min(MOST_FAMILIES, int((shares > 0).sum())))
        self.rows: list[int] = [own.start + int(k) for k in np.sort(order[:kept])]
        self._ancestors = reach.reached[own.start : own.stop].sum(axis=0).clip(0.0, 1.0)

    def add(self, row: int, outcomes: list[int]) -> None:
        """Estimate the effect with one parent set, on the outcomes that the cause reaches with it."""
        reached = [y for y in outcomes if y != self._cause and self._reach.reached[row, y] > 0]
        if not reached:
            return
        chosen, weights = self._completions(row)
        strata = Strata(self._data, self._cause, self._reach.families.parents_of(row), self._ess, self._copies, chosen)
        for y in reached:
            found, weight = strata.estimate(y), float(self._reach.reached[row, y])
            own = None if weights is None else weights[:, y]
            self._states[y].append((weight, found.of_states.over(own)))
            self._pairs[y].append((weight, found.of_pairs.over(own)))

    def _completions(self, row: int) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
        """Return the completions whose networks have a family, with weights by what is reached; None for all alike."""
        known = self._reach.completions
        if known is not None and self._copies > 1 and known.count <= self._copies:
            return known.of_family(row)
        return (None, None) if self._under is None else (np.arange(len(self._under)), self._under)

    @cached_property
    def _under(self) -> NDArray[np.float64] | None:
        """Which completions to look at if the cause reaches an outcome, where networks are not of one of them."""
        known = self._reach.under
        if known is None or self._copies == 1 or known.count > self._copies:
            return None
        return known.weights_of(self._cause)

    def changes(self, outcome: int) -> Mixture | None:
        """Return the differences between any two states of the cause, given an effect: [part, pair, state]."""
        return _mixture(self._pairs[outcome], -1.0)

    def effect(self, outcome: int, level: float) -> Effect:
        """Return the effect on an outcome from all parent sets that were added."""
        data, x, y = self._data, self._cause, outcome
        probability = float(self._ancestors[y])
        given, changes = _mixture(self._states[y], 0.0), self.changes(y)
        counts = contingency(data, [x, y]) / self._copies
        mean, variance = (
            np.broadcast_to(moment, (1, *counts.shape))
            for moment in marginal_moments(data, y, self._ess, self._copies).over()
        )
        rest = max(1 - probability, 0.0)
        whole = Mixture(np.array([rest]), mean, variance)
        if given is not None:
            # Of the networks with an effect, all; rare families that were left out count as those that were not.
            whole = Mixture(
                np.append(given.weights * (probability / given.weights.sum()), rest),
                np.concatenate([given.means, mean]),
                np.concatenate([given.variances, variance]),
            )
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
            set_if_effect=None if given is None else Range.of(given, level),
            change_if_effect=None if changes is None else Range.of(changes, level),
            observed=observed,
            marginal=counts.sum(axis=0) / counts.sum(),
            shown=counts.sum(axis=1) / counts.sum(),
            level=level,
            n_families=len(self._states[y]),
        )


def _mixture(parts: list[Mixed], low: float) -> Mixture | None:
    if not parts:
        return None
    means, variances = (np.array([moments[k] for _, moments in parts]) for k in (0, 1))
    return Mixture(np.array([weight for weight, _ in parts]), means, variances, low, 1.0)
