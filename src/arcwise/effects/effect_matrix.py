"""`EffectMatrix`: what setting each variable does to each other one."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.cluster import Cluster, open_cluster
from arcwise.base.errors import Remedy
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import ShowsFrame, data_frame
from arcwise.confidence.reach import FamilyReach
from arcwise.data.dataset import Dataset, Frame, states_of
from arcwise.effects.effect import (
    LEVEL,
    CauseParts,
    Mixture,
    check_effect_options,
    informative_cases,
    reach_of,
    state_pairs,
    usable_cases,
)
from arcwise.networks.recipe import Ensemble
from arcwise.plotting.charts import plot_matrix
from arcwise.posterior.posterior import Posterior

if TYPE_CHECKING:
    import pandas as pd
    from distributed import Client
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False)
class EffectMatrix(ShowsFrame):
    """All effects of one variable on another, each by its probability and its largest difference.

    Parameters
    ----------
    names, states
        The variables and their states.
    probability
        At [x, y], the probability that x leads to y, so that setting x can change y: calibrated where a study tells.
    change, low, high
        At [x, y], given an effect: the largest difference that setting one state of x instead of another makes to the
        probability of a state of y, with its interval; NaN where no network has an effect, and on the diagonal.
    at
        At [x, y], where that is: the positions of the two states of x and of the state of y; -1 where there is none.
    level
        The share of the posterior that intervals hold.
    status
        COMPLETE; TIME_LIMIT if the effects of some causes are missing, which are NaN.
    untold
        Causes whose effects no case tells, since each sets another variable: they are NaN, too.
    basis, doubt
        What the probabilities rest on and why that may not fit here, as in `PathProbability`.
    """

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    probability: NDArray[np.float64]
    change: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    at: NDArray[np.int64]
    level: float
    status: Status = Status.COMPLETE
    untold: tuple[str, ...] = ()
    basis: str = ""
    doubt: str = ""

    @property
    def expected(self) -> NDArray[np.float64]:
        """At [x, y], the mean of the largest difference over all networks: its probability times its size."""
        return np.asarray(self.probability * np.abs(np.nan_to_num(self.change)))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per ordered pair that some network gives an effect, the largest to be expected first."""
        x, y = np.nonzero(self.at[:, :, 0] >= 0)
        a, b, s = self.at[x, y].T.tolist()
        frame = data_frame(
            {
                "cause": [self.names[k] for k in x],
                "outcome": [self.names[k] for k in y],
                "probability": self.probability[x, y],
                "from": [self.states[k][state] for k, state in zip(x, a, strict=True)],
                "to": [self.states[k][state] for k, state in zip(x, b, strict=True)],
                "outcome_state": [self.states[k][state] for k, state in zip(y, s, strict=True)],
                "change": self.change[x, y],
                "low": self.low[x, y],
                "high": self.high[x, y],
                "expected": self.expected[x, y],
            }
        )
        order = np.argsort(-frame["expected"].to_numpy(dtype=float).round(12), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the matrix of expected differences, causes in rows; return the axes."""
        return plot_matrix(
            self.names, self.expected, labels=("effect of", "effect on"), legend="expected largest difference", ax=ax
        )

    def __repr__(self) -> str:
        n = len(self.names)
        likely = int((self.probability > 0.5).sum())
        return f"EffectMatrix({n} variables, {n * (n - 1):,} pairs, {likely:,} effects more likely than not)"


def find_effects(
    networks: Ensemble | Posterior | FamilyReach,
    data: Dataset | Frame,
    *,
    level: float = LEVEL,
    ess: float = 1.0,
    copies: int = 1,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    cluster: str | Client | Cluster | None = None,
) -> EffectMatrix:
    """Return what setting each variable does to each other one; the arguments are those of `find_effect`.

    The workers of a Dask `cluster` (an address, a client or an open `Cluster`) find the effects of one cause each, the
    same ones. A limit of time leaves the remaining causes out, and shows in the status. Of experiments, causes of which
    every case sets another variable are `untold`. A copy of an earlier column, with which it was learned as one
    (`NetworkSet.copies`), leads to nothing here: what setting one without the other does cannot be told.

    Raises
    ------
    DataError
        If that is so of all causes.
    """
    data = states_of(data, Remedy("ask arcwise.effects.find_mixed_effects"))
    check_effect_options(data, (), level, ess, copies)
    run = Run.of(limits)
    reach = reach_of(networks, data)
    n = data.n_variables
    probability = reach.paths.values.copy()
    np.fill_diagonal(probability, 0.0)
    change, low, high = (np.full((n, n), np.nan) for _ in range(3))
    at = np.full((n, n, 3), -1, dtype=np.int64)
    status = Status.COMPLETE
    untold: list[str] = []
    causes = _Causes(reach, data, level, ess, copies)
    with contextlib.ExitStack() as opened:
        run = opened.enter_context(Run.begin(run, progress))
        if cluster is not None:
            run = run.replace(cluster=opened.enter_context(open_cluster(cluster)))
        for x, found in enumerate(causes.found(run)):
            if found is None:
                status = Status.TIME_LIMIT
                break
            change[x], low[x], high[x], at[x] = found
            if informative_cases(data, data.names[x]) is None:
                untold.append(data.names[x])
    if len(untold) == n:
        usable_cases(data, untold[0])
    rest = tuple(untold), reach.paths.basis, reach.paths.doubt
    return EffectMatrix(data.names, data.states, probability, change, low, high, at, level, status, *rest)


# The rows of one cause: `change`, `low`, `high` and `at` of an `EffectMatrix`.
Rows = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


@dataclass(frozen=True, eq=False)
class _Causes:
    """What the effects of every cause are found from; those of one do not depend on the others."""

    reach: FamilyReach
    data: Dataset
    level: float
    ess: float
    copies: int

    def found(self, run: Run) -> Iterator[Rows | None]:
        """Yield the effects of each cause in order, None where the time was over, here or on a cluster."""
        n = self.data.n_variables

        def note(done: int) -> None:
            run.report("effects", done, n)

        if run.cluster is None:
            for x in range(n):
                yield self.effects(x, run)
                note(x + 1)
            return
        asked = [(x, run.limits) for x in range(n)]
        # What networks lead to has no digest: it is sent for this call alone.
        own = f"effects {uuid.uuid4()}"
        try:
            found = run.cluster.run_all(_effects_of, self, own, asked, run=run, note=note)
        finally:
            run.cluster.forget(own)
        yield from found

    def effects(self, x: int, run: Run) -> Rows | None:
        """Return the effects of one cause; None if the time is over first."""
        data, n = self.data, self.data.n_variables
        change, low, high = (np.full(n, np.nan) for _ in range(3))
        at = np.full((n, 3), -1, dtype=np.int64)
        cases = informative_cases(data, data.names[x])
        if cases is None:
            return change, low, high, at
        parts = CauseParts(self.reach, cases, x, self.ess, copies=self.copies)
        for row in parts.rows:
            if run.is_over:
                return None
            parts.add(row, list(range(n)))
        for y in range(n):
            found = parts.changes(y)
            if found is None:
                continue
            size = np.abs(found.mean)
            pair, state = np.unravel_index(int(np.argmax(size > size.max() - 1e-12)), size.shape)
            one = Mixture(
                found.weights, found.means[:, pair, state, None], found.variances[:, pair, state, None], -1.0, 1.0
            )
            change[y] = one.mean[0]
            low[y], high[y] = (float(end[0]) for end in one.interval(self.level))
            at[y] = (*state_pairs(int(data.arities[x]))[int(pair)], int(state))
        return change, low, high, at


def _effects_of(causes: _Causes, asked: tuple[int, Limits]) -> Rows | None:
    return causes.effects(asked[0], Run(limits=asked[1]))
