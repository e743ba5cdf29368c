"""What setting a number, a scale or a category does to another one, in units, over all networks of a set.

In a network in which Z are the parents of x, what setting x does to y is what a regression of y on x and Z says (Pearl
2009, theorem 3.3.2), if it is linear; its slope is the effect of one unit of x, and the coefficients of the states of a
nominal x are what they add to y. Networks with other parents of x give other regressions: the answer is their mixture,
by their weights.

Other causes of y that x does not change may stand beside Z: they take nothing away from what x does, and take noise
away (Henckel, Perković and Maathuis 2022). They also guard against what learning misses: a common cause that is strong
for y and weak for x is often in no parent set of x, and left out, it would bend the answer. So whatever most networks
make a parent of y, and hardly any an effect of x, is in every regression. Standard errors are those of HC3 (MacKinnon
and White 1985), which do not assume that y spreads equally everywhere: a nominal y is a 0 or a 1 for each of its
states, and its changes are those of probabilities.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from arcwise.base.errors import check_argument
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.confidence.reach import FamilyReach
from arcwise.data.mixed import NOMINAL, MixedData, mixed_of
from arcwise.effects.effect import (
    LEVEL,
    PairEffect,
    Range,
    check_effect_options,
    e_value,
    informative_cases,
    nearest_to_none,
    possible_parents,
    reach_of,
    refuse_copy,
    state_pairs,
    usable_cases,
)
from arcwise.model.mixed_families import Family, Floats, LinearFamily, TableFamily, fit_family, indicators
from arcwise.model.mixed_network import mixture_quantile
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import Ensemble
from arcwise.posterior.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.dataset import Frame
    from arcwise.graph.dag import Dag, Pdag


# Of cases whose parents of x leave so little room for a state of x, or for numbers around the mean, nothing is
# compared: that the regression is right there is an assumption.
LEAST_PROPENSITY = 0.02
LEAST_ROOM = 0.1
# Beside the parents of x, regressions have what is a parent of y with more than the first probability, and an effect of
# x with no more than the second.
SURE, HARDLY = 0.5, 0.05
RISK = 0.91  # of a standard deviation: the logarithm of the ratio of risks that it is worth


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class MixedEffect(PairEffect):
    """What happens to y if x is set, in units; y is taken to be linear in x and the parents of x.

    Parameters
    ----------
    steps
        How x is set: "+1", or for a nominal x "no -> yes" for each pair of states.
    of
        What changes: ("mean",), or the states of a nominal y, whose probabilities do.
    change
        Of the networks in which x is an ancestor of y: the change with an interval, at [step, of], in units of y or as
        a difference of probabilities; None if there are none.
    observed
        The change that goes with the step in the data, whatever the reason: a regression on x alone, over the rows in
        which both were observed. NaN if these lack a state of the step.
    pairs
        In how many of the table's rows both were observed, and how many rows there are. Of completions, a value that
        all of them agree on counts as observed.
    no_overlap
        For each state of a nominal x, the share of cases that can hardly have it, whatever happens: those to which the
        parents of x give it less than 2 %. Of a number, one value: 1 if its parents leave it less than a tenth of
        its spread, so that the data hardly show what it does of its own; else 0. By the networks' weights. None
        where it was not asked for.
    scale
        What makes a change comparable with others, at [step, of]: the standard deviation of a number x per unit of the
        step, or 1, divided by that of y.
    """

    steps: tuple[str, ...]
    of: tuple[str, ...]
    change: Range | None
    observed: NDArray[np.float64]
    pairs: tuple[int, int]
    no_overlap: NDArray[np.float64] | None
    scale: NDArray[np.float64]

    @property
    def e_values(self) -> tuple[float, float] | None:
        """The E-values of the strongest change of a number's mean, and of the end of its interval nearest to none.

        A change of d standard deviations of y counts as a ratio of risks of exp(0.91 d), which it is nearly
        (VanderWeele and Ding 2017, table 2): of one standard deviation of a number x, or of the step of a nominal one.
        """
        if self.change is None or self.of != ("mean",):
            return None
        at, scale = self.strongest, float(self.scale[self.strongest])
        ends = float(self.change.mean[at]), nearest_to_none(self.change, at)
        return e_value(math.exp(RISK * ends[0] * scale)), e_value(math.exp(RISK * ends[1] * scale))

    @property
    def strongest(self) -> tuple[int, int]:
        """Where the change is largest beside what is usual: the step, and what changes."""
        size = np.abs(np.nan_to_num(self.observed) if self.change is None else self.change.mean) * self.scale
        step, of = np.unravel_index(int(np.argmax(size)), size.shape)
        return int(step), int(of)

    @property
    def standardised(self) -> float:
        """The strongest change over all networks, in standard deviations of y, for one of a number x: 0 if none."""
        if self.change is None:
            return 0.0
        return float(self.probability * self.change.mean[self.strongest] * self.scale[self.strongest])

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

    @property
    def lacks_overlap(self) -> str | None:
        """Where there is nothing to compare with, in words; None if that hardly matters, or was not asked for."""
        if self.no_overlap is None or self.no_overlap.max(initial=0.0) <= 0.5 * (len(self.no_overlap) == 1) + 0.05:
            return None
        share = self.no_overlap.max()
        return (
            f"The causes of {self.cause} hardly leave it room to differ in {100 * share:.0f} % of the rows, so "
            "that there the answer rests on the straight line alone."
        )


@dataclass(frozen=True, eq=False)
class MixedEffects(ShowsFrame):
    """The effects of some variables on all others, the largest to be expected first.

    Parameters
    ----------
    effects
        One for each pair that some network gives an effect.
    status
        COMPLETE; TIME_LIMIT if those of some causes are missing.
    """

    effects: tuple[MixedEffect, ...]
    status: Status = Status.COMPLETE

    def to_frame(self) -> pd.DataFrame:
        """Return one row per pair: the strongest change with its interval, given that there is an effect."""
        rows = []
        for one in self.effects:
            assert one.change is not None
            step, of = one.strongest
            parts = (float(part[step, of]) for part in (one.change.mean, one.change.low, one.change.high))
            rows.append(
                (one.cause, one.outcome, one.probability, one.steps[step], one.of[of], *parts, one.standardised)
            )
        columns = ("cause", "outcome", "probability", "set", "of", "change", "low", "high", "standardised")
        return data_frame({name: [row[k] for row in rows] for k, name in enumerate(columns)})

    def __repr__(self) -> str:
        likely = sum(one.probability > 0.5 for one in self.effects)
        return f"MixedEffects({len(self.effects):,} pairs, {likely:,} effects more likely than not)"


def find_mixed_effect(
    networks: Ensemble | Posterior | FamilyReach,
    data: MixedData | Frame,
    cause: str,
    outcome: str,
    *,
    by: float = 1.0,
    level: float = LEVEL,
    copies: int = 1,
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
    copies
        How many completions of one table with gaps the data are, one below the other: all count alike.

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
    >>> effect.to_frame().round(2)[["dose", "pain", "observed", "change", "low", "high"]]
      dose  pain  observed  change   low  high
    0   +1  mean      0.02   -1.98 -2.03 -1.94
    """
    data = mixed_of(data)
    check_effect_options(data, (cause, outcome), level, 1.0, copies)
    if isinstance(networks, NetworkSet):
        refuse_copy(networks, cause)
    reach = reach_of(networks, data)
    with Run.begin(None, progress) as run:
        one = _Cause(reach, data, cause, by, copies)
        return one.effects([data.index(outcome)], level, run, with_overlap=True)[0]


def find_mixed_effects(
    networks: Ensemble | Posterior | FamilyReach,
    data: MixedData | Frame,
    *,
    causes: Sequence[str] | None = None,
    level: float = LEVEL,
    copies: int = 1,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> MixedEffects:
    """Return what setting each variable does to each other one; the arguments are those of `find_mixed_effect`.

    `causes` are all variables unless some are given; those of which every case sets another variable are left out.
    """
    data = mixed_of(data)
    check_effect_options(data, tuple(causes or ()), level, 1.0, copies)
    reach, chosen = reach_of(networks, data), data.names if causes is None else tuple(causes)
    found: list[MixedEffect] = []
    status = Status.COMPLETE
    with Run.begin(limits, progress) as run:
        for number, cause in enumerate(chosen):
            if run.is_over:
                status = Status.TIME_LIMIT
                break
            if informative_cases(data, cause) is not None:
                reached = np.flatnonzero(reach.ancestor_probabilities()[data.index(cause)] > 0)
                outcomes = [int(y) for y in reached if y != data.index(cause)]
                found += _Cause(reach, data, cause, 1.0, copies).effects(outcomes, level, run, with_overlap=False)
            run.report("effects", number + 1, len(chosen))
    found.sort(key=lambda one: -round(abs(one.standardised), 12))
    return MixedEffects(tuple(found), status)


def possible_mixed_effects(
    graph: Dag | Pdag, data: MixedData | Frame, cause: str, outcome: str, *, level: float = LEVEL, copies: int = 1
) -> list[tuple[tuple[str, ...], MixedEffect]]:
    """Return the effect for every set of parents that x has in some network of the class of a graph: see `find_effect`.

    Where x is no ancestor of y, its effect has the probability 0.
    """
    data, found = mixed_of(data), []
    for parents, member in sorted(possible_parents(graph, cause), key=lambda own: (len(own[0]), own[0])):
        networks = NetworkSet.from_dags([member.reorder(data.names)], origin="class")
        found.append((parents, find_mixed_effect(networks, data, cause, outcome, level=level, copies=copies)))
    return found


class _Cause:
    """One cause: its regressions, parent set by parent set and completion by completion, for any outcomes."""

    def __init__(self, reach: FamilyReach, data: MixedData, cause: str, by: float, copies: int) -> None:
        check_argument(np.isfinite(by) and by != 0, "by", by, "must be a number other than 0.")
        each = data.n_rows // copies
        parts = [data.take(np.arange(k * each, (k + 1) * each)) for k in range(copies)] if copies > 1 else [data]
        self.reach, self.data, self.x, self.by = reach, data, data.index(cause), by
        self.whole = parts[0]
        # What was missing differs between completions.
        cells = data.matrix.reshape(data.n_variables, copies, each)
        self.known = (cells == cells[:, :1]).all(axis=1)
        self.parts = [_Regressions(usable_cases(part.independent(), cause), self.x, by) for part in parts]
        hardly = reach.ancestor_probabilities()[self.x] <= HARDLY
        self.unchanged = frozenset(np.flatnonzero(hardly).tolist()) - {self.x}

    def _beside(self, outcome: int) -> frozenset[int]:
        """Return the likely causes of an outcome that the cause hardly changes."""
        shares: dict[int, float] = {}
        for row in self.reach.rows_of(outcome):
            for parent in self.reach.families.parents_of(row):
                shares[parent] = shares.get(parent, 0.0) + float(self.reach.shares[row])
        return self.unchanged.intersection(v for v, share in shares.items() if share > SURE) - {outcome}

    def effects(self, outcomes: list[int], level: float, run: Run, *, with_overlap: bool) -> list[MixedEffect]:
        """Return the effects on the outcomes, each averaged over the parent sets with which there is one."""
        reached, x = self.reach.reached, self.x
        if not outcomes:
            return []
        rows = [row for row in self.reach.rows_of(x) if (reached[row, outcomes] > 0).any()]
        found: dict[int, list[dict[int, _Change]]] = {}
        room: dict[int, list[Floats]] = {}
        beside = {y: self._beside(y) for y in outcomes}
        for number, row in enumerate(rows):
            parents = self.reach.families.parents_of(row)
            sets: dict[tuple[int, ...], list[int]] = {}
            for y in outcomes:
                sets.setdefault(tuple(sorted({*parents, *beside[y]})), []).append(y)
            found[row] = [
                {y: change for given, own in sets.items() for y, change in part.given(given, own).items()}
                for part in self.parts
            ]
            if with_overlap:
                room[row] = [part.no_overlap(parents) for part in self.parts]
            run.report(f"effects of {self.data.names[x]}", number + 1, len(rows))
        effects = []
        for y in outcomes:
            own = [row for row in rows if reached[row, y] > 0]
            changes = [one[y] for row in own for one in found[row]]
            effects.append(self._effect(y, own, changes, room, level))
        return effects

    def _observed(self, y: int) -> tuple[Floats, tuple[int, int]]:
        """Return what goes with each step in the rows in which both were observed, and how many of all these are."""
        both = self.known[self.x] & self.known[y]
        counts = np.ones(len(both), np.int64) if self.whole.weights is None else self.whole.weights
        pairs = int(counts[both].sum()), int(counts.sum())
        if both.all():
            return self.parts[0].given((), [y])[y].change, pairs
        name, rows = self.data.names[self.x], None
        if both.any():
            rows = informative_cases(self.whole.take(np.flatnonzero(both)).independent(), name)
        if rows is None:
            return np.full_like(self.parts[0].scale(y), np.nan), pairs
        part = _Regressions(rows, self.x, self.by)
        return np.where(part.are_compared[:, None], part.given((), [y])[y].change, np.nan), pairs

    def _effect(
        self,
        y: int,
        own: list[int],
        changes: list[_Change],
        room: dict[int, list[Floats]],
        level: float,
    ) -> MixedEffect:
        data, first = self.data, self.parts[0]
        shares = np.array([self.reach.reached[row, y] for row in own])
        weights = np.repeat(shares / len(self.parts), len(self.parts))
        observed, pairs = self._observed(y)
        overlap = None
        if room and own:
            overlap = np.asarray(shares @ np.array([np.mean(room[row], axis=0) for row in own]) / shares.sum())
        elif not own:
            overlap = np.zeros(max(1, first.arities[self.x]))
        return MixedEffect(
            cause=data.names[self.x],
            outcome=data.names[y],
            steps=first.steps,
            of=data.states[y] if data.kinds[y] is NOMINAL else ("mean",),
            probability=float(self.reach.paths.values[self.x, y]),
            share=float(self.reach.ancestor_probabilities()[self.x, y]),
            standard_error=float(self.reach.standard_errors()[self.x, y]),
            change=_mixed(weights, changes, level) if own else None,
            observed=observed,
            pairs=pairs,
            level=level,
            n_families=len(own),
            no_overlap=overlap,
            scale=first.scale(y),
            basis=self.reach.paths.basis,
            doubt=self.reach.paths.doubt,
        )


class _Change(NamedTuple):
    """A change and its standard error, at [step, of], and the degrees of freedom."""

    change: Floats
    error: Floats
    freedom: float


class _Regressions:
    """Regressions of any outcomes on one cause and any parents of it."""

    def __init__(self, data: MixedData, cause: int, by: float) -> None:
        self.cause, self.by = cause, by
        self._values = data.matrix
        self._weights = data.times
        self.arities = data.levels
        own = data.states[cause]
        self._pairs = state_pairs(self.arities[cause])
        self.steps = tuple(f"{own[a]} -> {own[b]}" for a, b in self._pairs) or (f"{by:+g}",)

    @property
    def are_compared(self) -> NDArray[np.bool_]:
        """Whether the rows have what each step compares: both states, or a number that varies."""
        seen = np.unique(self._values[self.cause])
        return np.array([{*pair} <= {*seen.tolist()} for pair in self._pairs] or [len(seen) > 1])

    def _outcome(self, v: int) -> Floats:
        y, r = self._values[v], self.arities[v]
        found: Floats = (y == np.arange(r)[:, None]).astype(np.float64).T if r else y[:, None]
        return found

    def _deviations(self, columns: Floats) -> Floats:
        mean = np.average(columns, axis=0, weights=self._weights)
        found: Floats = np.sqrt(np.average((columns - mean) ** 2, axis=0, weights=self._weights))
        return found

    def scale(self, outcome: int) -> Floats:
        """Return what makes changes of an outcome comparable, see `MixedEffect`."""
        spread = self._deviations(self._outcome(outcome))
        step = 1.0 if self._pairs else float(self._deviations(self._values[self.cause][:, None])[0]) / abs(self.by)
        own = np.divide(step, spread, out=np.zeros_like(spread), where=spread > 0)
        return np.tile(own, (len(self.steps), 1))

    def _columns(self, variables: tuple[int, ...]) -> Floats:
        nominal = tuple(v for v in variables if self.arities[v])
        family = Family(-1, nominal, tuple(self.arities[v] for v in nominal), ())
        numbers = [self._values[v] for v in variables if not self.arities[v]]
        columns = [*numbers, *indicators(family, self._values)]
        return np.column_stack(columns) if columns else np.empty((self._values.shape[1], 0))

    def given(self, parents: tuple[int, ...], outcomes: list[int]) -> dict[int, _Change]:
        """Return the change of each outcome for one parent set: least squares with HC3 errors.

        Of columns that repeat others, one counts.
        """
        weights = self._weights
        y = np.column_stack([self._outcome(v) for v in outcomes])
        own = self._columns((self.cause,))
        x = np.column_stack([np.ones(len(y)), own, self._columns(tuple(parents))])
        centre = np.average(x, axis=0, weights=weights)
        centre[0] = 0.0
        x = x - centre
        scale = np.sqrt(np.average(x**2, axis=0, weights=weights))
        x = x / np.where(scale > 0, scale, 1.0)
        inverse = np.linalg.pinv((x * weights[:, None]).T @ x, rcond=1e-10, hermitian=True)
        rank = int(np.linalg.matrix_rank((x * weights[:, None]).T @ x, tol=1e-10 * weights.sum(), hermitian=True))
        found = inverse @ (x * weights[:, None]).T @ y
        left = y - x @ found
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
        change, error = steps @ found, np.sqrt((influence**2).T @ squares)
        ends = np.cumsum([max(1, self.arities[v]) for v in outcomes])[:-1]
        parts = zip(np.split(change, ends, axis=1), np.split(error, ends, axis=1), strict=True)
        freedom = max(1.0, float(weights.sum()) - rank)
        return {v: _Change(*part, freedom) for v, part in zip(outcomes, parts, strict=True)}

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
    widen = np.array([stdtrit(part.freedom, 1 - tails) / ndtri(1 - tails) for part in parts])
    means = np.array([part.change for part in parts])
    spreads = np.array([part.error for part in parts]) * widen[:, None, None]
    low, high = np.empty(means.shape[1:]), np.empty(means.shape[1:])
    for at in np.ndindex(low.shape):
        own = shares, means[(slice(None), *at)], spreads[(slice(None), *at)]
        low[at], high[at] = mixture_quantile(*own, tails), mixture_quantile(*own, 1 - tails)
    return Range(np.asarray(np.tensordot(shares, means, axes=1)), low, high)
