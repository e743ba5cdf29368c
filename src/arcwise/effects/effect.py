"""What setting one variable does to another, over all networks of a set or within one class."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from arcwise.base.errors import Argument, DataError, GraphError, OptionError, Remedy, check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.confidence.reach import FamilyReach, family_reach
from arcwise.counts import contingency
from arcwise.data.cases import Cases
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import bits
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble
from arcwise.plotting.charts import plot_intervals
from arcwise.posterior.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# `Mixture`: a distribution over an interval, made of parts of which mean and variance are known.
#
# Every part is taken to be the Beta distribution, stretched to the interval, with this mean and variance: exact where
# a parent set has one configuration, and close otherwise (a test compares with simulated posteriors).


HALVINGS = 26  # to 1.5e-8 of the interval
LEAST_SPREAD = 1e-14  # keeps a division finite
PILED = 0.5  # networks that put the effect at an end, by weight


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


Data = TypeVar("Data", bound=Cases)
LEVEL = 0.95  # of intervals
Lacking = tuple[int, dict[str, str]]  # a state, and values of other variables by name


def state_pairs(n_states: int) -> list[tuple[int, int]]:
    """Return all pairs of states, the earlier first."""
    return [(a, b) for a in range(n_states) for b in range(a + 1, n_states)]


@dataclass(frozen=True, eq=False, slots=True)
class Range:
    """Means with the ends of an interval, arrays of one shape."""

    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def of(cls, mixture: Mixture, level: float) -> Range:
        """Return the mean of a mixture and an interval that holds the given share."""
        return cls(mixture.mean, *mixture.interval(level))


def e_value(ratio: float) -> float:
    """Return how strong a missing common cause must be to make a ratio of risks out of nothing.

    It would have to multiply the risk of x, and that of y, at least so many times (VanderWeele and Ding 2017). A ratio
    below 1 counts as its inverse.

    >>> round(e_value(3.9), 2), e_value(1.0)
    (7.26, 1.0)
    """
    ratio = max(ratio, 1 / ratio) if ratio > 0 else math.inf
    return ratio + math.sqrt(ratio * (ratio - 1))


def nearest_to_none(change: Range, at: tuple[int, int]) -> float:
    """Return the end of the interval of a difference that is nearest to 0; 0 if it holds that."""
    low, high = float(change.low[at]), float(change.high[at])
    return low if low > 0 else min(high, 0.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class PairEffect(ShowsFrame):
    """What happens to y if x is set, over everything that a set of networks holds possible.

    It assumes that no common cause of the variables is missing from the data.

    Parameters
    ----------
    cause, outcome
        x and y.
    probability
        The probability that x leads to y, so that setting x can change y at all: calibrated where a study tells.
    share, standard_error
        The share of the networks in which x is an ancestor of y, and its Monte Carlo error.
    level
        The share of the posterior that intervals hold.
    n_families
        How many parent sets of x the effect is a mixture over.
    basis, doubt
        What the probability rests on and why that may not fit here, as in `PathProbability`.
    """

    cause: str
    outcome: str
    probability: float
    share: float
    standard_error: float
    level: float
    n_families: int
    basis: str = ""
    doubt: str = ""

    @property
    def no_effect(self) -> float:
        """The probability that setting x does nothing to y."""
        return 1.0 - self.probability

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.cause} on {self.outcome}: there with probability {self.probability:.3f}, "
            f"{self.n_families} parent sets)"
        )


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Effect(PairEffect):
    """P(y | do(x)): what happens to y if x is set. `without_assumption` gives what holds if a common cause is missing.

    Parameters
    ----------
    cause_states, outcome_states
        The states a of x and s of y.
    set_if_effect, change_if_effect
        Of the networks in which x is an ancestor of y: P(y = s | do(x = a)), and the difference that it makes to have
        the second instead of the first state, at [pair, s], pairs in the order of `state_pairs`; None if there are
        none.
    set_to
        The average over both possibilities, at [a, s]: `set_if_effect` with the probability of an effect, and P(y = s)
        with that of none.
    observed, marginal
        P(y = s | x = a) and P(y = s) as observed: what goes together, whatever the reason. NaN if a was not observed.
    shown
        P(x = a) as observed.
    no_overlap
        Of the networks in which x is an ancestor of y: the share of the cases that no case with x = a is comparable
        with, at [a], because none has the same values of the parents of x. What setting x to a would do to them is the
        prior's guess.
    lacking
        In the parent set with the largest share: the position of a state of x, and the values of parents, by name, that
        most cases have without a single one of x in that state; None if there are none.
    """

    cause_states: tuple[str, ...]
    outcome_states: tuple[str, ...]
    set_to: Range
    set_if_effect: Range | None
    change_if_effect: Range | None
    observed: NDArray[np.float64]
    marginal: NDArray[np.float64]
    shown: NDArray[np.float64]
    no_overlap: NDArray[np.float64]
    lacking: Lacking | None = None

    @cached_property
    def strongest(self) -> tuple[int, int] | None:
        """Where setting x makes the largest difference, if it has an effect: (pair of states of x, state of y)."""
        if self.change_if_effect is None:
            return None
        size = np.abs(self.change_if_effect.mean)
        # What differs by rounding alone is equal: the first of them, so that the answer does not hang on a last bit.
        pair, state = np.unravel_index(int(np.argmax(size > size.max() - 1e-12)), size.shape)
        return int(pair), int(state)

    @property
    def e_values(self) -> tuple[float, float] | None:
        """The E-values of the largest difference and of the end of its interval nearest to none; None without one.

        A common cause that was not measured would have to make x, and y, at least so many times as likely to explain
        the difference away: 1 is nothing at all (`e_value`).
        """
        if self.strongest is None or self.set_if_effect is None or self.change_if_effect is None:
            return None
        pair, state = self.strongest
        before = float(self.set_if_effect.mean[state_pairs(len(self.cause_states))[pair][0], state])
        change = self.change_if_effect
        ends = float(change.mean[pair, state]), nearest_to_none(change, (pair, state))
        return e_value((before + ends[0]) / before), e_value((before + ends[1]) / before)

    def without_assumption(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what P(y = s | do(x = a)) lies between whatever causes are missing, at [a, s].

        Cases that had x = a of their own keep their y, all others could have any (Manski 1990): from P(y = s, x = a)
        to that plus P(x is not a). No data of this kind can narrow it down further.
        """
        joint = np.nan_to_num(self.observed) * self.shown[:, None]
        return joint, joint + (1 - self.shown)[:, None]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state of x and of y: what is observed together, and what setting x would give.

        `if_set` and its interval are given that there is an effect, `average` is over both possibilities (`set_to`).
        """
        a, s = np.indices(self.observed.shape).reshape(2, -1)
        nothing = np.full(self.observed.shape, np.nan)
        given = self.set_if_effect or Range(nothing, nothing, nothing)
        average = self.set_to
        least, most = self.without_assumption()
        return data_frame(
            {
                self.cause: [self.cause_states[k] for k in a],
                self.outcome: [self.outcome_states[k] for k in s],
                "observed": self.observed[a, s],
                "if_set": given.mean[a, s],
                "low": given.low[a, s],
                "high": given.high[a, s],
                "average": average.mean[a, s],
                "average_low": average.low[a, s],
                "average_high": average.high[a, s],
                "least_without_assumption": least[a, s],
                "most_without_assumption": most[a, s],
                "no_overlap": self.no_overlap[a],
            }
        )

    def changes(self) -> pd.DataFrame:
        """Return one row per pair of states of x and state of y: the difference it makes to set the second.

        `change` and its interval are given that there is an effect; `expected` is its mean with that of none.
        """
        pairs = state_pairs(len(self.cause_states))
        count = len(self.outcome_states)
        shape = (len(pairs), count)
        nothing = np.full(shape, np.nan)
        found = self.change_if_effect or Range(nothing, nothing, nothing)
        return data_frame(
            {
                "from": [self.cause_states[a] for a, _ in pairs for _ in range(count)],
                "to": [self.cause_states[b] for _, b in pairs for _ in range(count)],
                self.outcome: [*self.outcome_states] * len(pairs),
                "change": found.mean.ravel(),
                "low": found.low.ravel(),
                "high": found.high.ravel(),
                "expected": np.nan_to_num(found.mean).ravel() * self.probability,
            }
        )

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw P(y | do(x)) by state of x, if it has an effect, with intervals, over what is observed; return the axes.

        Where no network has an effect, what is drawn is P(y).
        """
        drawn = self.set_if_effect or self.set_to
        return plot_intervals(
            self.cause_states,
            self.outcome_states,
            (drawn.mean, drawn.low, drawn.high),
            observed=self.observed,
            labels=(f"{self.cause} is set to", f"P({self.outcome})"),
            ax=ax,
        )


# The back-door estimate of P(y | do(x)) for one parent set of x: its mean and variance under Dirichlet priors.
#
# In a network in which Z are the parents of x, P(y = s | do(x = a)) is the sum over z of P(z) P(s | a, z) (Pearl 2009,
# theorem 3.3.2). With Dirichlet priors, the posterior of P(z) and those of every P(. | a, z) are independent Dirichlet
# distributions, so that mean and variance of the sum have a closed form; nothing is simulated. The prior of P(z) is
# flat. That of P(. | a, z) is worth as many cases in every z, and looks like P(. | a), which the cases of all z tell:
# a flat one draws every effect towards none, the more the more parents there are, and with a prior that is spread
# over all cells as thinly as BDeu's, what few cases of a z show by chance counts in full. Configurations z that no case
# shows all look the same, and are counted, not listed.
#
# Data with gaps are completed many times. Each completion gives such an estimate as if it were the data; the posterior
# is their mixture, so that its variance is the mean of theirs plus that between them (`Moments.over`).


# Cells of the tables of so many completions are held at once.
MOST_CELLS = 2**21


def informative_cases(data: Data, cause: str) -> Data | None:
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


def usable_cases(data: Data, cause: str) -> Data:
    """Return the same cases, of which there must be some."""
    found = informative_cases(data, cause)
    if found is None:
        raise DataError(
            f"every row sets a variable other than '{cause}': what follows from setting it alone cannot be estimated. "
            "Add rows in which nothing was set."
        )
    return found


def marginal_moments(data: Dataset, outcome: int, ess: float, copies: int) -> Moments:
    """Return the moments of P(y = s), which setting a cause without an effect leaves as it is, by completion."""
    r_y = int(data.arities[outcome])
    codes = data.codes[outcome].astype(np.int64) + r_y * (np.arange(data.n_rows) // (data.n_rows // copies))
    alpha = np.bincount(codes, weights=data.row_counts, minlength=copies * r_y).reshape(copies, r_y) + ess / r_y
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
class EffectEstimate:
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
        self._parents = parents
        for p in parents:  # relabelled after each parent, so that no product overflows
            combined = labels * int(data.arities[p]) + self._codes(p)
            labels = np.unique(combined, return_inverse=True)[1].ravel().astype(np.int64)
        self._strata = labels * self.n_states + self._codes(cause)
        self.n_seen = int(labels.max()) + 1 if self._n_rows else 0

    @cached_property
    def _cases(self) -> NDArray[np.float64]:
        """How many cases there are, at [z, a]."""
        weights = None if self._data.row_counts is None else self._chosen_rows(self._data.row_counts)
        counts = np.bincount(self._strata, weights, minlength=self.n_seen * self.n_states)
        return np.asarray(counts.reshape(self.n_seen, self.n_states), dtype=np.float64)

    @cached_property
    def no_overlap(self) -> NDArray[np.float64]:
        """The share of the cases whose z does not occur with x = a, at [a]."""
        return np.asarray(self._cases.sum(axis=1) @ (self._cases == 0) / max(self._cases.sum(), 1.0))

    @cached_property
    def lacking(self) -> Lacking | None:
        """A state of x, and the z that most cases have without a single one of x in that state."""
        missed = self._cases.sum(axis=1)[:, None] * (self._cases == 0)
        if not missed.any():
            return None
        z, a = np.unravel_index(int(missed.argmax()), missed.shape)
        row = int(np.flatnonzero(self._strata // self.n_states == z)[0])
        names, states = self._data.names, self._data.states
        return int(a), {names[p]: states[p][int(self._codes(p)[row])] for p in self._parents}

    def _chosen_rows(self, values: NDArray[Any]) -> NDArray[Any]:
        return values if self._chosen is None else values.reshape(self._copies, -1)[self._chosen].ravel()

    def _codes(self, variable: int) -> NDArray[np.int64]:
        return np.asarray(self._chosen_rows(self._data.codes[variable]).astype(np.int64))

    def estimate(self, outcome: int) -> EffectEstimate:
        """Return the moments of P(y | do(x)) and of its differences for one outcome, completion by completion."""
        r_y, r_x = int(self._data.arities[outcome]), self.n_states
        cells = self.n_seen * r_x * r_y
        codes, weights = self._strata * r_y + self._codes(outcome), self._data.row_counts
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
        return EffectEstimate(
            Moments.joined([part.of_states for part in found]), Moments.joined([p.of_pairs for p in found])
        )

    def _estimate(self, counts: NDArray[np.float64]) -> EffectEstimate:
        """Return the moments of every completion from its counts, at [completion, z, a, s]."""
        r_x, r_y = counts.shape[2:]
        ess, flat = self.ess, self.ess / self.n_possible
        # What y looks like for each a, whatever z: shrunk by one prior's worth towards all cases.
        by_state = counts.sum(axis=1)
        overall = by_state.sum(axis=1, keepdims=True) + ess / r_y
        guess = by_state + ess * overall / overall.sum(axis=2, keepdims=True)
        guess /= guess.sum(axis=2, keepdims=True)
        alpha = counts + ess * guess[:, None]
        of_stratum = alpha.sum(axis=3)
        total = counts.sum(axis=(1, 2, 3)) + ess
        shares = (counts.sum(axis=(2, 3)) + flat) / total[:, None]
        means = alpha / of_stratum[..., None]
        spreads = means * (1 - means) / (of_stratum[..., None] + 1)
        squares = shares * (shares * total[:, None] + 1) / (total[:, None] + 1)
        # Configurations that were not seen all have the prior's moments, and are one more stratum.
        unseen, share = self.n_possible - self.n_seen, flat / total
        square = unseen * share * (share * total + 1) / (total + 1)
        shares = np.concatenate([shares, unseen * share[:, None]], axis=1)
        means = np.concatenate([means, guess[:, None]], axis=1)
        # The part of the variance that is due to P(s | a, z).
        inner = np.einsum("mz,mzas->mas", squares, spreads)
        inner += square[:, None, None] * guess * (1 - guess) / (ess + 1)

        def moments(values: NDArray[np.float64], inner: NDArray[np.float64]) -> Moments:
            mean = np.einsum("mz,mzks->mks", shares, values)
            between = np.einsum("mz,mzks->mks", shares, values**2) - mean**2
            return Moments(mean, inner + np.maximum(between, 0.0) / (total + 1)[:, None, None])

        # Two states of x share P(z), and P(s | a, z) of different a are independent. A single state has no pairs.
        pairs = [moments(means[:, :, :0], inner[:, :0])] + [
            moments(means[:, :, [b]] - means[:, :, [a]], inner[:, [a]] + inner[:, [b]]) for a, b in state_pairs(r_x)
        ]
        return EffectEstimate(moments(means, inner), Moments.joined(pairs, axis=1))


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
    data: Dataset | Frame,
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
        How many cases the prior of every estimate is worth, in each configuration of the parents of x.
    copies
        How many completions of the data are stacked in `data`, if they had gaps. Each gives its own estimates, and how
        far they differ widens the intervals.
    """
    data = states_of(data, Remedy("ask arcwise.effects.find_mixed_effect"))
    check_effect_options(data, (cause, outcome), level, ess, copies)
    if isinstance(networks, NetworkSet):
        refuse_copy(networks, cause)
    reach = reach_of(networks, data)
    x, y = data.index(cause), data.index(outcome)
    cases = usable_cases(data, cause)
    with Run.begin(None, progress) as run:
        parts = CauseParts(reach, cases, x, ess, copies=copies)
        for number, row in enumerate(parts.rows):
            parts.add(row, [y])
            run.report("parent sets", number + 1, len(parts.rows))
    return parts.effect(y, level)


def reach_of(networks: Ensemble | Posterior | FamilyReach, data: Cases) -> FamilyReach:
    """Return the families with what they reach; the variables must be those of the data, in their order."""
    found = networks if isinstance(networks, FamilyReach) else family_reach(networks)
    if found.names != data.names:
        raise OptionError("the networks and the data have different variables, or the same in another order.")
    return found


def check_effect_options(data: Cases, names: tuple[str, ...], level: float, ess: float, copies: int) -> None:
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
Overlap = tuple[float, NDArray[np.float64], "Lacking | None"]  # a weight, and what `Strata` has


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
        self._overlaps: defaultdict[int, list[Overlap]] = defaultdict(list)
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
            self._overlaps[y].append((weight, strata.no_overlap, strata.lacking))
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
        share, paths = float(self._ancestors[y]), self._reach.paths
        probability = float(paths.values[x, y])
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
            share=share,
            basis=paths.basis,
            doubt=paths.doubt,
            standard_error=float(self._reach.standard_errors()[x, y]),
            set_to=Range.of(whole, level),
            set_if_effect=None if given is None else Range.of(given, level),
            change_if_effect=None if changes is None else Range.of(changes, level),
            observed=observed,
            marginal=counts.sum(axis=0) / counts.sum(),
            shown=counts.sum(axis=1) / counts.sum(),
            level=level,
            n_families=len(self._states[y]),
            **self._overlap(y),
        )

    def _overlap(self, outcome: int) -> dict[str, Any]:
        """Return which cases have nothing to be compared with."""
        found = self._overlaps[outcome]
        if not found:
            return {"no_overlap": np.zeros(int(self._data.arities[self._cause]))}
        weights = np.array([weight for weight, _, _ in found])
        shares = weights @ np.array([share for _, share, _ in found]) / weights.sum()
        return {"no_overlap": shares, "lacking": found[int(weights.argmax())][2]}


def _mixture(parts: list[Mixed], low: float) -> Mixture | None:
    if not parts:
        return None
    means, variances = (np.array([moments[k] for _, moments in parts]) for k in (0, 1))
    return Mixture(np.array([weight for weight, _ in parts]), means, variances, low, 1.0)


# `possible_effects`: the range of an effect within one class of equivalent networks (IDA).
#
# Networks of one class fit the data equally well and differ in the parents of x. Every set of parents that x has in
# some member gives one estimate of P(y | do(x)); together they are what the class holds possible (Maathuis, Kalisch
# and Buehlmann 2009). Which sets these are is asked of the class itself: those whose arcs, closed under Meek's rules,
# have an extension that is a member, so that known directions count, too (Perkovic, Kalisch and Maathuis 2017).


# A variable with more open edges has more sets of parents than anybody looks at.
MOST_OPEN = 20


@dataclass(frozen=True, eq=False)
class PossibleEffects(ShowsFrame):
    """P(y | do(x)) for every set of parents that x has in some network of a class.

    Parameters
    ----------
    cause, outcome, cause_states, outcome_states
        x and y, and their states.
    parents
        The possible sets of parents of x.
    is_cause
        For each, whether x then is an ancestor of y.
    mean, low, high
        For each, P(y = s | do(x = a)), at [set, a, s], with its interval.
    """

    cause: str
    outcome: str
    cause_states: tuple[str, ...]
    outcome_states: tuple[str, ...]
    parents: tuple[tuple[str, ...], ...]
    is_cause: tuple[bool, ...]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @property
    def range(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The least and the largest mean of P(y = s | do(x = a)) over the class, at [a, s]."""
        return self.mean.min(axis=0), self.mean.max(axis=0)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per possible set of parents, state of x and state of y."""
        k, a, s = np.indices(self.mean.shape).reshape(3, -1)
        return data_frame(
            {
                "parents": [", ".join(self.parents[i]) for i in k],
                "is_cause": [self.is_cause[i] for i in k],
                self.cause: [self.cause_states[i] for i in a],
                self.outcome: [self.outcome_states[i] for i in s],
                "if_set": self.mean.ravel(),
                "low": self.low.ravel(),
                "high": self.high.ravel(),
            }
        )

    def __repr__(self) -> str:
        causes = sum(self.is_cause)
        return (
            f"PossibleEffects({self.cause} on {self.outcome}: {len(self.parents)} possible sets of parents, "
            f"an effect with {causes})"
        )


def possible_parents(graph: Dag | Pdag, node: str) -> Iterator[tuple[tuple[str, ...], Dag]]:
    """Yield every set of parents that a node has in some network of a class, with one such network.

    A DAG stands for its Markov class; a graph with undirected edges for the networks that extend it.
    """
    members = graph.cpdag if isinstance(graph, Dag) else graph
    v = members.index(node)
    free = members.neighbour_masks[v]
    if free.bit_count() > MOST_OPEN:
        raise OptionError(
            f"'{node}' has {free.bit_count()} edges without a direction; the sets of parents of at most {MOST_OPEN} "
            "are listed. Direct some of them by constraints."
        )
    target = members.extend().cpdag
    adjacent = [
        p | c | u for p, c, u in zip(members.parent_masks, members.child_masks, members.neighbour_masks, strict=True)
    ]
    for chosen in _cliques(free, adjacent):
        parents, neighbours = list(members.parent_masks), list(members.neighbour_masks)
        neighbours[v] = 0
        parents[v] |= chosen
        for u in bits(free):
            neighbours[u] &= ~(1 << v)
            if not chosen >> u & 1:
                parents[u] |= 1 << v
        try:
            closed = Pdag(members.names, [list(bits(p)) for p in parents], [list(bits(u)) for u in neighbours]).close()
            found = closed.extend()
        except GraphError:
            continue
        if found.cpdag == target:
            yield found.parents_of(node), found


def _cliques(nodes: int, adjacent: list[int]) -> Iterator[int]:
    """Yield all sets of nodes that are pairwise adjacent, the empty one first: others would make a v-structure."""
    stack = [(0, nodes)]
    while stack:
        chosen, left = stack.pop()
        yield chosen
        stack += [(chosen | 1 << u, left & adjacent[u] & ~((2 << u) - 1)) for u in sorted(bits(left), reverse=True)]


def possible_effects(
    graph: Dag | Pdag,
    data: Dataset | Frame,
    cause: str,
    outcome: str,
    *,
    level: float = LEVEL,
    ess: float = 1.0,
    copies: int = 1,
) -> PossibleEffects:
    """Return P(y | do(x)) for every set of parents that x has in some network of the class of a graph.

    It assumes that the class is the right one, and that no common cause is missing from the data. Where x is no
    ancestor of y, P(y | do(x)) is P(y).

    Parameters
    ----------
    graph
        A DAG, which stands for its Markov class; or a graph with undirected edges, such as `ConsensusNetwork.cpdag`.
    data, cause, outcome, level, ess, copies
        As in `find_effect`.
    """
    data = states_of(data, Remedy("ask arcwise.effects.possible_mixed_effects"))
    check_effect_options(data, (cause, outcome), level, ess, copies)
    if set(graph.names) != set(data.names):
        raise OptionError("the graph and the data have different variables.")
    cases = usable_cases(data, cause)
    x, y = data.index(cause), data.index(outcome)
    sets, causes, means, variances = [], [], [], []
    shape = int(data.arities[x]), int(data.arities[y])
    for parents, member in sorted(possible_parents(graph, cause), key=lambda own: (len(own[0]), own[0])):
        sets.append(parents)
        causes.append(outcome in member.descendants(cause))
        if causes[-1]:
            found = Strata(cases, x, [data.index(p) for p in parents], ess, copies).estimate(y).of_states
        else:
            found = marginal_moments(cases, y, ess, copies)
        share, spread = found.over()
        means.append(np.broadcast_to(share, shape))
        variances.append(np.broadcast_to(spread, shape))
    mean = np.array(means)
    ends = Mixture(np.ones(1), mean[None], np.array(variances)[None]).interval(level)
    return PossibleEffects(cause, outcome, data.states[x], data.states[y], tuple(sets), tuple(causes), mean, *ends)
