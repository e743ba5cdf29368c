"""Structural EM: one network from data with gaps, by expected counts and hill climbing in turns.

Friedman (ICML 1997): given a network G with parameters t, the expected counts of *any* family are known, hence the
expected score of any network G', and the parameters t' that maximise it. If G' with t' has a higher expected score
than G with t, the penalised likelihood of what was observed is higher, too, by at least as much (his theorem 3.1). So
the score never falls, and the climb may stop at any improvement. What it ends at is a local optimum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import finite_or_none
from arcwise.base.errors import Argument, OptionError, UnfinishedError, check_known
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import HasStatus, Limits, Run, Seed, Status, resolve_seed
from arcwise.base.showing import one_screen
from arcwise.counts import contingency
from arcwise.data.dataset import Frame, Incomplete, incomplete_of
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits
from arcwise.local.problem import LocalProblem, Start
from arcwise.local.searches import hill_climb
from arcwise.model.fitting import ExpectedCounts, ExpectedScores, climb_expected
from arcwise.model.network import BayesianNetwork
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

EmStart = Literal["best", "available", "empty", "random"] | Dag
STARTS = ("best", "available", "empty", "random")
# The scores for which the theorem holds: a likelihood minus a penalty that does not depend on the data's values.
SCORES = ("bic", "aic", "ll")
# How often parameters are estimated again before the structure is looked at: they change faster than it does.
PARAMETER_STEPS = 5
LAST_STEPS = 100
# Parameters are settled if estimating them again gains less than this, in nats.
LEAST_GAIN = 0.01
# Iterations by default; a few dozen are usual even with half of the values missing.
ITERATIONS = 100


@one_screen
@dataclass(frozen=True, eq=False)
class StructuralEm(HasStatus):
    """The network that structural EM ended at.

    Parameters
    ----------
    network
        The network with its parameters: the most likely ones given what was observed, as far as EM got.
    score
        Its penalised log likelihood of the observed cells; NaN if the time was over before it was computed.
    history
        That score at the start and after each estimation of parameters; it never falls.
    changes
        The number of arcs that each structural step changed.
    scored_by
        The score's name.
    seconds
        Wall-clock time.
    status
        COMPLETE if an iteration gained nothing; else the limit that ended it. The network is valid either way.
    """

    network: BayesianNetwork
    score: float
    history: NDArray[np.float64]
    changes: tuple[int, ...]
    scored_by: dict[str, Any]
    seconds: float
    status: Status

    @property
    def dag(self) -> Dag:
        """The structure."""
        return self.network.dag

    @property
    def iterations(self) -> int:
        """The number of structural steps."""
        return len(self.changes)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON can hold it."""
        return {
            "method": "structural EM",
            "score": finite_or_none(self.score),
            "scored_by": self.scored_by,
            "nodes": list(self.dag.names),
            "arcs": [list(arc) for arc in self.dag.arcs],
            "iterations": self.iterations,
            "changes": list(self.changes),
            "history": self.history.tolist(),
            "seconds": self.seconds,
            "status": str(self.status),
        }


def structural_em(
    data: Incomplete | Frame,
    score: str | Score = "bic",
    *,
    start: EmStart = "best",
    constraints: GivenConstraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> StructuralEm:
    """Learn one network from data with gaps, if values are missing at random.

    In turns: the expected counts are computed by exact inference in each row, the parameters are estimated from them,
    and a hill climb changes the structure, by scores of expected counts. It ends when the structure stays and another
    estimation of the parameters raises the score by less than 0.01. Rows are shared out among all cores, which changes
    no bit of the result. One network says nothing about how sure each edge
    is: `arcwise.learn` averages over completions.

    Parameters
    ----------
    data
        The data. Where variables were set, each is counted and scored without the cases in which it was.
    score
        "bic", "aic" or "ll".
    start
        Where to start: "available", a climb by the penalised node-average likelihood, which needs no completion;
        "empty", the required arcs alone; "best", from both, of which the better result is kept (where much is missing,
        an empty network fills the gaps so that it stays empty; where little is, it is the better start); "random"; or a
        `Dag`.
    constraints, max_parents
        What the network must satisfy.
    seed
        Fixes a random start; nothing else is random.
    limits
        `seconds`, for all starts together; `count`, the structural steps of each, 100 by default.
    progress
        See `arcwise.progress.show_progress`.
    """
    given: Incomplete = incomplete_of(data)
    made = make_score(score)
    if made.describe() != {"name": made.name} or made.name not in SCORES:
        raise OptionError(
            Argument("score", made.title),
            f"has no expected counts that it could be computed from; structural EM takes {', '.join(SCORES)}.",
        )
    if not isinstance(start, Dag):
        check_known("start", start, STARTS, more="Or give a Dag.")
    with Run.begin(limits, progress) as run:
        rules = LocalProblem.of(given, "pnal", constraints, max_parents).constraints
        if start == "best":
            return _best_of(given, made, rules, run)
        return _maximised(given, made, rules, start, resolve_seed(seed), run)


def _maximised(
    data: Incomplete, score: Score, constraints: Constraints, start: EmStart, seed: int, run: Run
) -> StructuralEm:
    """Go on from one start until nothing is gained, or a limit is reached."""
    search = _StructuralSearch(data, score, constraints, run)
    status = Status.COUNT_LIMIT
    try:
        search.begin(_start(data, start, constraints, seed, run))
        for step in range(ITERATIONS if run.given.count is None else run.given.count):
            run.report("structural EM", step, score=search.history[-1])
            if not search.iterate():
                status = Status.COMPLETE
                break
    except UnfinishedError:
        status = Status.TIME_LIMIT
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    if search.network is None:
        raise KeyboardInterrupt
    return StructuralEm(
        network=search.network,
        score=search.history[-1] if search.history else math.nan,
        history=np.array(search.history),
        changes=tuple(search.changes),
        scored_by=score.describe(),
        seconds=run.seconds,
        status=status,
    )


def _best_of(data: Incomplete, score: Score, constraints: Constraints, run: Run) -> StructuralEm:
    """Start from the empty network and from available cases; each has half of the time that is left."""
    found: list[StructuralEm] = []
    starts: tuple[EmStart, ...] = ("empty", "available")
    for place, start in enumerate(starts):
        found.append(_maximised(data, score, constraints, start, 0, run.part(len(starts) - place)))
        if found[-1].status is Status.INTERRUPTED:
            break
    best = max(found, key=lambda one: -math.inf if math.isnan(one.score) else one.score)
    limited = [one.status for one in found if not one.complete]
    return replace(best, seconds=run.seconds, status=limited[-1] if limited else Status.COMPLETE)


def _start(data: Incomplete, start: EmStart, constraints: Constraints, seed: int, run: Run) -> Dag:
    if isinstance(start, Dag):
        return start
    if start == "empty":
        return Dag.from_arcs(data.names, constraints.required)
    given: Start = "random" if start == "random" else "empty"
    few = Limits(seconds=run.limits.seconds, count=None if start == "available" else 1)
    how: Any = {"start": given, "constraints": constraints, "seed": seed, "limits": few, "by_position": True}
    return hill_climb(data, "pnal", refine=0, **how).dag


class _StructuralSearch:
    """The current network, and the expected counts that it gives."""

    def __init__(self, data: Incomplete, score: Score, constraints: Constraints, run: Run) -> None:
        self._data, self._constraints, self._run = data.collapse(), constraints, run
        groups = data.held.child_groups
        weights = [0.0 if g.n_cases == 0 else score.native(g).penalty_weight for g in groups]
        self._weights = np.array(weights)[data.held.group_of_child]
        self._expected: ExpectedCounts | None = None
        self.network: BayesianNetwork | None = None
        self.history: list[float] = []
        self.changes: list[int] = []

    def begin(self, dag: Dag) -> None:
        """Start with the parameters of the cases that have each family whole, so that nothing is impossible."""
        problem = LocalProblem.of(self._data, "pnal", self._constraints)
        dag = problem.checked_start(dag)
        marked = self._data.with_gap_states()
        tables = []
        for v, parents in enumerate(dag.parents):
            members = [*parents, v]
            whole = contingency(marked.cases_without(marked.names[v]), members)
            counts = whole[tuple(slice(0, int(self._data.arities[u])) for u in members)]
            counts = counts.reshape(-1, int(self._data.arities[v])).astype(np.float64)
            tables.append(_shares(np.asarray(counts + 1.0 / counts.size, dtype=np.float64)))
        self._take(BayesianNetwork(dag, self._data.states, tables))

    def iterate(self) -> bool:
        """Estimate the parameters, then change the structure; False if it stays and the parameters are settled."""
        assert self.network is not None
        settled = False
        # While the structure changes, its parameters need not be exact; where it stayed, they are what is left to do.
        for _ in range(PARAMETER_STEPS if not self.changes or self.changes[-1] else LAST_STEPS):
            before = self.history[-1]
            self._estimate(self.network.dag)
            settled = self.history[-1] - before < LEAST_GAIN
            if settled:
                break
        old = self.network.dag
        scores = ExpectedScores(self._counts, self._data.arities, self._weights)
        masks = climb_expected(scores, [sum(1 << p for p in own) for own in old.parents], self._constraints)
        dag = Dag(self._data.names, [tuple(bits(mask)) for mask in masks])
        changed = len(set(old.arcs) ^ set(dag.arcs))
        self.changes.append(changed)
        if changed:
            self._estimate(dag)
        return changed > 0 or not settled

    @property
    def _counts(self) -> ExpectedCounts:
        assert self._expected is not None
        return self._expected

    def _estimate(self, dag: Dag) -> None:
        """Take the most likely parameters of a structure, given the expected counts."""
        tables = self._counts.tables([(v, tuple(parents)) for v, parents in enumerate(dag.parents)])
        self._take(BayesianNetwork(dag, self._data.states, [_shares(counts) for counts in tables]))

    def _take(self, network: BayesianNetwork) -> None:
        if self.network is None:  # a network there is, if the time is over before it is evaluated
            self.network = network
        expected = ExpectedCounts(network, self._data, self._run)
        sizes = [table.shape[0] * (table.shape[1] - 1) for table in network.tables]
        self.history.append(expected.log_likelihood - float(np.dot(self._weights, sizes)))
        self.network, self._expected = network, expected


def _shares(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return relative frequencies; of rows that are not to be expected, equal ones."""
    totals = counts.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, counts / np.where(totals > 0, totals, 1.0), 1.0 / counts.shape[1])
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
