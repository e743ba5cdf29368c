"""`find_effect`: P(y | do(x)) over a set of networks, a mixture over the parent sets of x."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.effects.back_door import Strata, marginal_moments, usable_cases
from arcwise.effects.effect import LEVEL, Effect, Range, state_pairs
from arcwise.effects.mixture import Mixture
from arcwise.ensemble import Ensemble, NetworkSet, Posterior
from arcwise.ensemble.reach import FamilyReach, family_reach
from arcwise.errors import OptionError
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress

__all__ = ["CauseParts", "check_copies", "check_effect_options", "find_effect", "reach_of", "refuse_copy"]

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
    with show_progress(progress) as callback:
        parts = CauseParts(reach, told, x, ess, copies=copies)
        for number, row in enumerate(parts.rows):
            parts.add(row, [y])
            callback(ProgressEvent("parent sets", number + 1, len(parts.rows)))
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
        from arcwise.counts import contingency

        return contingency(self._data, [self._cause, y]) / self._copies
