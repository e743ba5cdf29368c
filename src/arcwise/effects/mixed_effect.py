"""What setting a number, a scale or a category does to another one, in units, over all networks of a set.

In a network in which Z are the parents of x, what setting x does to y is what a regression of y on x and Z says (Pearl
2009, theorem 3.3.2), if it is linear; its slope is the effect of one unit of x, and the coefficients of the states of a
nominal x are what they add to y. Networks with other parents of x give other regressions: the answer is their mixture,
by their weights. Standard errors are those of HC3 (MacKinnon and White 1985), which do not assume that y spreads
equally everywhere: a nominal y is a 0 or a 1 for each of its states, and its changes are those of probabilities.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from arcwise.base.errors import check_argument
from arcwise.base.run import ProgressCallback, Run
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.confidence.reach import FamilyReach
from arcwise.data.mixed import NOMINAL, MixedData
from arcwise.effects.effect import (
    LEVEL,
    Range,
    check_effect_options,
    reach_of,
    refuse_copy,
    state_pairs,
    usable_cases,
)
from arcwise.model.mixed_families import Family, Floats, LinearFamily, TableFamily, fit_family, indicators
from arcwise.model.mixed_network import matrix_of, mixture_quantile
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble
from arcwise.posterior.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd


# Of cases whose parents of x leave so little room for a state of x, or for numbers around the mean, nothing is
# compared: that the regression is right there is an assumption.
LEAST_PROPENSITY = 0.02
LEAST_ROOM = 0.1


@dataclass(frozen=True, eq=False)
class MixedEffect(ShowsFrame):
    """What happens to y if x is set, over everything that a set of networks holds possible.

    It assumes that no common cause of the variables is missing from the data, and that y is linear in x and the parents
    of x.

    Parameters
    ----------
    cause, outcome
        x and y.
    steps
        How x is set: "+1", or for a nominal x "no -> yes" for each pair of states.
    of
        What changes: ("mean",), or the states of a nominal y, whose probabilities do.
    probability, standard_error
        The probability that x is an ancestor of y, so that setting x can change y at all, and its Monte Carlo error.
    change
        Of the networks in which x is an ancestor of y: the change with an interval, at [step, of], in units of y or as
        a difference of probabilities; None if there are none.
    observed
        The change that goes with the step in the data, whatever the reason: a regression on x alone.
    level
        The share of the mixture that intervals hold.
    n_families
        How many parent sets of x the effect is a mixture over.
    no_overlap
        For each state of a nominal x, the share of cases that can hardly have it, whatever happens: those to which the
        parents of x give it less than 2 %. Of a number, one value: 1 if its parents leave it less than a tenth of
        its spread, so that the data hardly show what it does of its own; else 0. By the networks' weights.
    """

    cause: str
    outcome: str
    steps: tuple[str, ...]
    of: tuple[str, ...]
    probability: float
    standard_error: float
    change: Range | None
    observed: NDArray[np.float64]
    level: float
    n_families: int
    no_overlap: NDArray[np.float64]

    @property
    def no_effect(self) -> float:
        """The probability that setting x does nothing to y."""
        return 1.0 - self.probability

    def to_frame(self) -> pd.DataFrame:
        """Return one row per step and outcome; `expected` is over all networks, the rest given that there is one."""
        k, s = np.indices(self.observed.shape).reshape(2, -1)
        nothing = np.full(self.observed.shape, np.nan)
        found = self.change or Range(nothing, nothing, nothing)
        return data_frame(
            {
                self.cause: [self.steps[i] for i in k],
                self.outcome: [self.of[i] for i in s],
                "observed": self.observed.ravel(),
                "change": found.mean.ravel(),
                "low": found.low.ravel(),
                "high": found.high.ravel(),
                "expected": np.nan_to_num(found.mean).ravel() * self.probability,
            }
        )

    def sentences(self) -> list[str]:
        """Return the answer in words, one sentence for each step that matters, and what to beware of."""
        if self.change is None:
            return [f"Setting {self.cause} does nothing to {self.outcome} in any of the networks."]
        told = []
        for k, step in enumerate(self.steps):
            s = int(np.argmax(np.abs(self.change.mean[k])))
            what = self.outcome if self.of == ("mean",) else f"the probability of {self.outcome} = {self.of[s]}"
            mean, low, high = (float(part[k, s]) for part in (self.change.mean, self.change.low, self.change.high))
            told.append(
                f"Setting {self.cause} ({step}) changes {what} by {mean:+.3g} ({low:.3g} to {high:.3g}), if it has an "
                f"effect; that it has one has the probability {self.probability:.2f}."
            )
        if self.no_overlap.max(initial=0.0) > 0.5 * (len(self.no_overlap) == 1) + 0.05:
            share = self.no_overlap.max()
            told.append(
                f"The causes of {self.cause} hardly leave it room to differ in {100 * share:.0f} % of the cases, so "
                "that there the answer rests on the straight line alone."
            )
        return told

    def __repr__(self) -> str:
        return (
            f"MixedEffect({self.cause} on {self.outcome}: no effect with probability {self.no_effect:.3f}, "
            f"{self.n_families} parent sets)"
        )


def find_mixed_effect(
    networks: Ensemble | Posterior | FamilyReach,
    data: MixedData,
    cause: str,
    outcome: str,
    *,
    by: float = 1.0,
    level: float = LEVEL,
    progress: bool | ProgressCallback | None = None,
) -> MixedEffect:
    """Return what setting one variable does to another, in units, averaged over networks and their families.

    Parameters
    ----------
    networks
        As in `find_effect`.
    data
        The data that they were learned from. Of experiments, the cases in which nothing but the cause was set.
    cause, outcome
        x and y.
    by
        By how much a cause that is a number is changed: ``by=10`` for ten years.
    level
        The share of the mixture that the interval holds.

    Examples
    --------
    >>> from arcwise.graph import Dag
    >>> rng = np.random.default_rng(1)
    >>> age = rng.normal(50, 10, 2000)
    >>> dose = 0.1 * age + rng.normal(size=2000)
    >>> pain = 30 - 2 * dose + 0.4 * age + rng.normal(size=2000)
    >>> from arcwise.data.mixed import NUMBER
    >>> data = MixedData(np.array([age, dose, pain]), ("age", "dose", "pain"), (NUMBER,) * 3, ((),) * 3)
    >>> dag = Dag.from_arcs(data.names, [("age", "dose"), ("age", "pain"), ("dose", "pain")])
    >>> effect = find_mixed_effect(NetworkSet.from_dags([dag], origin="example"), data, "dose", "pain")
    >>> print(effect.sentences()[0].partition(",")[0])
    Setting dose (+1) changes pain by -1.98 (-2.03 to -1.94)
    """
    check_effect_options(data, (cause, outcome), level, 1.0, 1)
    check_argument(np.isfinite(by) and by != 0, "by", by, "must be a number other than 0.")
    if isinstance(networks, NetworkSet):
        refuse_copy(networks, cause)
    reach = reach_of(networks, data)
    problem = _Regressions(usable_cases(data.independent(), cause), data.index(cause), data.index(outcome), by)
    x, y = problem.cause, problem.outcome
    rows = [row for row in reach.rows_of(x) if reach.reached[row, y] > 0]
    weights = np.array([reach.reached[row, y] for row in rows])
    found, room = [], []
    with Run.begin(None, progress) as run:
        for number, row in enumerate(rows):
            parents = reach.families.parents_of(row)
            found.append(problem.given(parents))
            room.append(problem.no_overlap(parents))
            run.report("parent sets", number + 1, len(rows))
    return MixedEffect(
        cause=cause,
        outcome=outcome,
        steps=problem.steps,
        of=data.states[y] if data.kinds[y] is NOMINAL else ("mean",),
        probability=float(reach.ancestor_probabilities()[x, y]),
        standard_error=float(reach.standard_errors()[x, y]),
        change=_mixed(weights, found, level) if rows else None,
        observed=problem.given(()).change,
        level=level,
        n_families=len(rows),
        no_overlap=weights @ np.array(room) / weights.sum() if rows else np.zeros(max(1, problem.arities[x])),
    )


class _Change(NamedTuple):
    """A change and its standard error, at [step, of], and the degrees of freedom."""

    change: Floats
    error: Floats
    freedom: float


class _Regressions:
    """Regressions of one outcome on one cause and any parents of it."""

    def __init__(self, data: MixedData, cause: int, outcome: int, by: float) -> None:
        self.cause, self.outcome, self.by = cause, outcome, by
        self._values = matrix_of(data)
        self._weights = np.ones(data.n_rows) if data.weights is None else data.weights.astype(np.float64)
        pairs = zip(data.kinds, data.states, strict=True)
        self.arities = [len(states) if kind is NOMINAL else 0 for kind, states in pairs]
        own = data.states[cause]
        self._pairs = state_pairs(self.arities[cause])
        self.steps = tuple(f"{own[a]} -> {own[b]}" for a, b in self._pairs) or (f"{by:+g}",)
        y = self._values[outcome]
        r = self.arities[outcome]
        self._y = (y == np.arange(r)[:, None]).astype(np.float64).T if r else y[:, None]

    def _columns(self, variables: tuple[int, ...]) -> Floats:
        nominal = tuple(v for v in variables if self.arities[v])
        family = Family(-1, nominal, tuple(self.arities[v] for v in nominal), ())
        numbers = [self._values[v] for v in variables if not self.arities[v]]
        columns = [*numbers, *indicators(family, self._values)]
        return np.column_stack(columns) if columns else np.empty((len(self._y), 0))

    def given(self, parents: tuple[int, ...]) -> _Change:
        """Return the change for one parent set: least squares with HC3 errors; of columns that repeat others, one."""
        weights = self._weights
        own = self._columns((self.cause,))
        x = np.column_stack([np.ones(len(self._y)), own, self._columns(tuple(parents))])
        centre = np.average(x, axis=0, weights=weights)
        centre[0] = 0.0
        x = x - centre
        scale = np.sqrt(np.average(x**2, axis=0, weights=weights))
        x = x / np.where(scale > 0, scale, 1.0)
        inverse = np.linalg.pinv((x * weights[:, None]).T @ x, rcond=1e-10, hermitian=True)
        rank = int(np.linalg.matrix_rank((x * weights[:, None]).T @ x, tol=1e-10 * weights.sum(), hermitian=True))
        found = inverse @ (x * weights[:, None]).T @ self._y
        left = self._y - x @ found
        leverage = np.einsum("rp,pq,rq->r", x, inverse, x).clip(0.0, 1 - 1e-6)
        steps = np.zeros((len(self.steps), x.shape[1]))
        if self._pairs:
            for k, (a, b) in enumerate(self._pairs):
                steps[k, b] += 1.0  # the indicator of state b is column b: that of the first state is left out
                steps[k, a] -= 1.0 if a else 0.0
        else:
            steps[0, 1] = self.by
        steps = steps / np.where(scale > 0, scale, 1.0)
        influence = x @ inverse @ steps.T  # at [row, step]
        squares = weights[:, None] * (left / (1 - leverage[:, None])) ** 2
        return _Change(steps @ found, np.sqrt((influence**2).T @ squares), max(1.0, float(weights.sum()) - rank))

    def no_overlap(self, parents: tuple[int, ...]) -> Floats:
        """Return the share of cases for which the parents leave no room, see `MixedEffect`."""
        x, weights = self.cause, self._weights
        family = fit_family(x, parents, self.arities, self._values, weights, ess=1.0)
        if isinstance(family, TableFamily):
            chance = np.exp(family.log_probabilities(self._values))
            return np.asarray(weights @ (chance < LEAST_PROPENSITY) / weights.sum())
        assert isinstance(family, LinearFamily)
        own = self._values[x] - np.average(self._values[x], weights=weights)
        left = self._values[x] - family.means(self._values)
        return np.array([float(weights @ left**2 < LEAST_ROOM**2 * (weights @ own**2))])


def _mixed(weights: Floats, parts: list[_Change], level: float) -> Range:
    """Return mean and interval of the mixture: each part is a Gaussian, as wide as Student's distribution."""
    shares = weights / weights.sum()
    tails = (1 - level) / 2
    widen = np.array([stats.t.ppf(1 - tails, part.freedom) / stats.norm.ppf(1 - tails) for part in parts])
    means = np.array([part.change for part in parts])
    spreads = np.array([part.error for part in parts]) * widen[:, None, None]
    low, high = np.empty(means.shape[1:]), np.empty(means.shape[1:])
    for at in np.ndindex(low.shape):
        own = shares, means[(slice(None), *at)], spreads[(slice(None), *at)]
        low[at], high[at] = mixture_quantile(*own, tails), mixture_quantile(*own, 1 - tails)
    return Range(np.asarray(np.tensordot(shares, means, axes=1)), low, high)
