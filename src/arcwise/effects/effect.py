"""`Effect`: what setting one variable does to another, over all networks of a set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

from arcwise.base.showing import ShowsFrame
from arcwise.plotting.charts import plot_intervals

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


# `Mixture`: a distribution over an interval, made of parts of which mean and variance are known.
#
# Every part is taken to be the Beta distribution, stretched to the interval, with this mean and variance: exact where
# a parent set has one configuration, and close otherwise (a test compares with simulated posteriors).


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


LEVEL = 0.95


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


@dataclass(frozen=True, eq=False)
class Effect(ShowsFrame):
    """P(y | do(x)): what happens to y if x is set, over everything that a set of networks holds possible.

    It assumes that no common cause of the variables is missing from the data (`without_assumption` does not).

    Parameters
    ----------
    cause, outcome, cause_states, outcome_states
        x and y, and their states a and s.
    probability, standard_error
        The probability that x is an ancestor of y, so that setting x can change y at all, and its Monte Carlo error.
    set_to
        P(y = s | do(x = a)) over all networks, at [a, s]: where x is no ancestor of y, it is P(y = s).
    set_if_effect, change_if_effect
        Of the networks in which x is an ancestor of y: P(y = s | do(x = a)), and the difference that it makes to have
        the second instead of the first state, at [pair, s], pairs in the order of `state_pairs`; None if there are
        none.
    observed, marginal
        P(y = s | x = a) and P(y = s) as observed: what goes together, whatever the reason. NaN if a was not observed.
    shown
        P(x = a) as observed.
    level
        The share of the posterior that intervals hold.
    n_families
        How many parent sets of x the effect is a mixture over.
    """

    cause: str
    outcome: str
    cause_states: tuple[str, ...]
    outcome_states: tuple[str, ...]
    probability: float
    standard_error: float
    set_to: Range
    set_if_effect: Range | None
    change_if_effect: Range | None
    observed: NDArray[np.float64]
    marginal: NDArray[np.float64]
    shown: NDArray[np.float64]
    level: float
    n_families: int

    @property
    def no_effect(self) -> float:
        """The probability that setting x does nothing to y."""
        return 1.0 - self.probability

    @cached_property
    def strongest(self) -> tuple[int, int] | None:
        """Where setting x makes the largest difference, if it has an effect: (pair of states of x, state of y)."""
        if self.change_if_effect is None:
            return None
        size = np.abs(self.change_if_effect.mean)
        # What differs by rounding alone is equal: the first of them, so that the answer does not hang on a last bit.
        pair, state = np.unravel_index(int(np.argmax(size > size.max() - 1e-12)), size.shape)
        return int(pair), int(state)

    def without_assumption(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return what P(y = s | do(x = a)) lies between whatever causes are missing, at [a, s].

        Cases that had x = a of their own keep their y, all others could have any (Manski 1990): from P(y = s, x = a)
        to that plus P(x is not a). No data of this kind can narrow it down further.
        """
        joint = np.nan_to_num(self.observed) * self.shown[:, None]
        return joint, joint + (1 - self.shown)[:, None]

    def to_frame(self) -> pd.DataFrame:
        """Return one row per state of x and of y: what is observed together, and what setting x would give."""
        import pandas as pd

        a, s = np.indices(self.observed.shape).reshape(2, -1)
        nothing = np.full(self.observed.shape, np.nan)
        given = self.set_if_effect or Range(nothing, nothing, nothing)
        least, most = self.without_assumption()
        return pd.DataFrame(
            {
                self.cause: [self.cause_states[k] for k in a],
                self.outcome: [self.outcome_states[k] for k in s],
                "observed": self.observed[a, s],
                "if_set": self.set_to.mean[a, s],
                "low": self.set_to.low[a, s],
                "high": self.set_to.high[a, s],
                "if_set_given_effect": given.mean[a, s],
                "low_given_effect": given.low[a, s],
                "high_given_effect": given.high[a, s],
                "least_without_assumption": least[a, s],
                "most_without_assumption": most[a, s],
            }
        )

    def changes(self) -> pd.DataFrame:
        """Return one row per pair of states of x and state of y: the difference it makes to set the second.

        `change` and its interval are given that there is an effect; `expected` is over all networks.
        """
        import pandas as pd

        pairs = state_pairs(len(self.cause_states))
        count = len(self.outcome_states)
        shape = (len(pairs), count)
        nothing = np.full(shape, np.nan)
        found = self.change_if_effect or Range(nothing, nothing, nothing)
        return pd.DataFrame(
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
        """Draw P(y | do(x)) by state of x, with intervals, over what is observed; return the axes."""
        return plot_intervals(
            self.cause_states,
            self.outcome_states,
            (self.set_to.mean, self.set_to.low, self.set_to.high),
            observed=self.observed,
            labels=(f"{self.cause} is set to", f"P({self.outcome})"),
            ax=ax,
        )

    def __repr__(self) -> str:
        return (
            f"Effect({self.cause} on {self.outcome}: no effect with probability {self.no_effect:.3f}, "
            f"{self.n_families} parent sets)"
        )
