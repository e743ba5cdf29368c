"""A cover: a credible set in disjoint parts, each of which the linear relaxation bounds well.

The diagram of a large set is built with the reduced costs of the relaxation as bounds. Where the relaxation has a gap g
at the root, every partial network looks better than it is by up to g, and the builder goes through the states of a set
with the slack g wider: soybean (36 variables, g = 15) has 50 states at Bayes factor 3, and 36,320 are visited; at 150
there is no end. Branching closes the gap for the optimum; here it does the same for all networks near it. The tree of
the exact solver is searched with the slack in all its rules, an arc present on one side and absent on the other, and a
node becomes a part once its bound is no higher than the best network known (then splitting it would not lower what the
builder explores by much) or once a trial shows that its diagram is small. So the tree is at most that of the exact
solver. Every network is in one part; the parts' diagrams are joined by their first states
(cpp/core/credible/diagram/diagram_join.hpp).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.cluster import Tasks, give_back_unwanted, open_cluster
from arcwise.base.errors import ArcwiseError
from arcwise.base.progress import ProgressEvent
from arcwise.base.run import NO_TIME, Limits, Run, Status
from arcwise.data.dataset import Dataset
from arcwise.exact.component import Budget, Incumbent
from arcwise.exact.relaxation import BranchAndBound, LpSolution, Relaxation, Root, inform, round_point, shrink
from arcwise.parent_sets.table import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.credible import Construction, NetworkDiagram
    from arcwise._core.parent_sets import CandidateSets


# Which construction makes the diagram of a large credible set, and in which order of the nodes: found by trying.
#
# Two constructions are exact and differ only in how many states they look at (source_states.hpp and frontier_states.hpp
# in cpp/core/credible/construction): sometimes the one needs a hundredth of the other's, and both depend on the order
# of the nodes, the second very much. Nothing simple tells beforehand, but what a construction does for a part of the
# slack is cheap to see, and its states grow nearly exponentially with the slack, so that the rest can be forecast. An
# order is searched for until that has cost about as much as the diagram is forecast to take. Small sets never come
# here: the first try ends them. Everything is counted in states, not in seconds, so that the same set is found in the
# same way every time (a stream of networks that was interrupted relies on that).


UNLIMITED = 2**64 - 1  # bytes, as the core takes them
# Of Status in cpp/core/monitor.hpp: the states were used up; what ends everything. (Where one construction runs out of
# memory, the other one may not.)
COUNT_LIMIT = 3
FINAL = (1, 4)  # time limit, interrupted

# What the first try may look at, and each pilot that a forecast is made from.
FIRST_STATES = 50_000
PILOT_STATES = 5_000
SMALLEST_PART, PILOT_STEP = 0.05, 1.25
SLACK_STEP = 1.1
# The search for an order may take this share of what is forecast; pilots take a part of that in turn.
ORDER_SHARE = 0.8
PILOT_SHARE = 0.1
# Below this many states (seconds) a search does not pay off. It makes diagrams up to ten times smaller: a construction
# that is forecast to need so much more than the other one is not searched for, later one that has fallen behind.
WORTH_A_SEARCH = 1_000_000
HOPELESS, BEHIND = 30.0, 5.0
# A round of the search has some hundred tries, on diagrams of two thousand states or more.
TRIES_PER_ROUND = 300
SMALLEST_PILOT, LARGEST_PILOT = 2_000, 8_000
FACTOR = 10  # this many times the states of a pilot are too many
LONGEST_MOVE = 15  # places that a move shifts nodes by
LONGEST = 8  # nodes that a move shifts together
TOLERATED_LOSS = 0.02  # how much worse an order may be to be taken nevertheless, now and then

Order = NDArray[np.int32]
Build = Callable[["Construction", Order, float, int], "NetworkDiagram"]  # order, slack, most states


class OrderSearch:
    """A local search for an order in which a construction looks at few states.

    Its goal is the number of states for a part of the slack, which is raised whenever they have become few: an order
    that is good for some slack is good for more. Moves shift a node, or some neighbours together, preferably where the
    diagram is wide.
    """

    def __init__(self, build: Build, construction: Construction, order: Order, slack: float, seed: int) -> None:
        self._build = build
        self._construction = construction
        self._whole = slack
        self._random = np.random.default_rng(seed)
        self.order = order
        self._slack = SMALLEST_PART * slack
        self._states: int | None = None  # what the order needs for this slack
        self._raise_below = math.inf  # the slack is raised if that is few
        self._widths = self._measured = np.ones(len(order))  # of the layers
        self.stopped: NetworkDiagram | None = None  # a diagram that a limit or Ctrl-C ended

    def run(self, states: int) -> None:
        """Search until this many states have been looked at."""
        pilot = min(max(SMALLEST_PILOT, states // TRIES_PER_ROUND), LARGEST_PILOT)
        used = 0
        while used < states and self.stopped is None:
            if self._states is None:
                used += self._begin(pilot)
            elif self._states < min(pilot, self._raise_below) and self._slack < self._whole:
                used += self._raise(self._states, pilot)
            else:
                used += self._try(self._states)

    def _begin(self, pilot: int) -> int:
        """Find some slack that does not take too many states."""
        used = self._measure(self.order, FACTOR * pilot)
        if self._states is None:
            self._slack /= 2
        self._widths = self._measured
        return used

    def _raise(self, before: int, pilot: int) -> int:
        """Continue with more slack, if that does not take too many states at once."""
        last = self._slack
        self._slack = min(self._whole, last * SLACK_STEP)
        used = self._measure(self.order, FACTOR * pilot)
        if self._states is None:
            self._slack, self._states, self._raise_below = last, before, before / 2
        else:
            self._widths, self._raise_below = self._measured, math.inf
        return used

    def _try(self, before: int) -> int:
        """Try one move."""
        order = self._moved()
        allowed = int(before * (1 + TOLERATED_LOSS * self._random.random() ** 3))
        used = self._measure(order, allowed + 1)
        if self._states is None:
            self._states = before
        else:
            self.order, self._widths = order, self._measured
        return used

    def _measure(self, order: Order, most: int) -> int:
        """Set the states that an order needs; None if not less than `most`. Return how many were looked at."""
        diagram = self._build(self._construction, order, self._slack, most)
        self._states = int(diagram.explored) if diagram.status == 0 else None
        if diagram.status == 0:
            widths = np.diff(diagram.layer_begin)[: len(order)].astype(np.float64)
            # Where no network lies within this part of the slack there is no layer, and no position is better than
            # another.
            self._measured = widths if len(widths) == len(order) else np.ones(len(order))
        if diagram.status in FINAL:
            self.stopped = diagram
        return max(1, int(diagram.explored))

    def _moved(self) -> Order:
        """Return the order with one node, or some neighbours, in another place."""
        n = len(self.order)
        length = 1 if self._random.random() < 0.65 else int(self._random.integers(2, max(3, min(LONGEST, n) + 1)))
        length = min(length, n - 1)
        weights = self._widths[: n - length + 1] + 0.2 * self._widths.mean() + 1e-9
        start = int(self._random.choice(n - length + 1, p=weights / weights.sum()))
        rest = np.delete(self.order, slice(start, start + length))
        if self._random.random() < 0.1:
            place = int(self._random.integers(len(rest) + 1))
        else:
            shift = int(self._random.integers(1, LONGEST_MOVE + 1)) * (1 if self._random.random() < 0.5 else -1)
            place = min(max(start + shift, 0), len(rest))
        block = self.order[start : start + length]
        if self._random.random() < 0.3:
            block = block[::-1]
        return np.ascontiguousarray(np.insert(rest, place, block))


def build_as_planned(build: Build, order: Order, slack: float, *, seed: int) -> NetworkDiagram:
    """Build a diagram with the construction and the order that promise the fewest states; a limit shows in its status.

    `build` makes a diagram for some slack and at most this many states; it also obeys the other limits.
    """
    sources, frontier = _core.credible.Construction.SOURCES, _core.credible.Construction.FRONTIER
    diagram = build(sources, order, slack, FIRST_STATES)
    if diagram.status != COUNT_LIMIT:
        return diagram
    candidates = []
    for construction in (sources, frontier):
        candidates.append(_Candidate(build, construction, order, slack, seed))
        if candidates[-1].stopped is not None:
            return candidates[-1].stopped
    spent, states, behind = 0, 2 * PILOT_STATES, HOPELESS
    best = min(candidates, key=lambda candidate: candidate.states)
    while best.states > WORTH_A_SEARCH and len(order) > 1 and spent < ORDER_SHARE * best.states:
        candidates = [candidate for candidate in candidates if candidate.states <= behind * best.states]
        for candidate in candidates:
            spent += candidate.improve(states)
            if candidate.stopped is not None:
                return candidate.stopped
        best = min(candidates, key=lambda candidate: candidate.states)
        states, behind = spent // 2, BEHIND
    return build(best.construction, best.order, slack, UNLIMITED)


class _Candidate:
    """A construction with the best order so far, and how many `states` it is forecast to look at for the whole slack.

    The forecast comes from what it does for parts of the slack: the logarithm of the states is continued as a straight
    line through the last two pilots. It bends downwards, so the forecast is too high, but for both constructions.
    """

    def __init__(self, build: Build, construction: Construction, order: Order, slack: float, seed: int) -> None:
        self.construction = construction
        self.order = order
        self._build = build
        self._slack = slack
        self._search = OrderSearch(build, construction, order, slack, seed)
        self._spent = 0
        self.stopped: NetworkDiagram | None = None
        self._furthest = (0.0, 0)  # the largest part of the slack that a pilot ended, and its states
        self.states = self._forecast(PILOT_STATES)

    def improve(self, states: int) -> int:
        """Search for a better order, looking at about this many states, and make the forecast again.

        The search sees little slack only: what it finds must be better for more, too. Return `states`.
        """
        self._search.run(states)
        self._spent += states
        self.stopped = self._search.stopped
        if self.stopped is None:
            part, seen = self._furthest
            if seen == 0:  # no pilot has ended yet
                self.order = self._search.order
            else:
                diagram = self._build(self.construction, self._search.order, part, seen + 1)
                if diagram.status == 0:
                    self.order = self._search.order
                self.stopped = diagram if diagram.status in FINAL else None
        if self.stopped is None:
            self.states = self._forecast(max(PILOT_STATES, int(PILOT_SHARE * self._spent)))
        return states

    def _forecast(self, most: int) -> float:
        seen: list[tuple[float, float]] = []  # slack, log states
        # From where the last forecast ended: better orders get further.
        part = max(SMALLEST_PART * self._slack, self._furthest[0] / PILOT_STEP)
        while True:
            diagram = self._build(self.construction, self.order, part, most)
            if diagram.status in FINAL:
                self.stopped = diagram
                return math.inf
            if diagram.status != 0:
                break
            seen.append((part, math.log(max(1, int(diagram.explored)))))
            self._furthest = (part, int(diagram.explored))
            if part >= self._slack:
                return math.exp(seen[-1][1])
            part = min(self._slack, part * PILOT_STEP)
        if len(seen) < 2:
            return math.inf
        (before, few), (last, many) = seen[-2:]
        return math.exp(min(700.0, many + (many - few) / (last - before) * (self._slack - last)))


CUT_ROUNDS = 60  # a limit; rounds that gain nothing end sooner
# Information comes after so many rounds without. Later than in the exact solver: cuts are looked for harder here, and
# all rows stay, whose entropies take time. Insurance with 10,000 cases is nearly closed by then.
PLAIN_ROUNDS = 25
# A gap up to this is none.
TIGHT = 1e-6
# Bounds and reduced costs are exact to about 1e-8; only what is certainly too expensive is dropped.
MARGIN = 1e-6
# What a trial may hold: at the root so much that a cover is made only where it pays, and in a node of the tree about
# what takes as long as its linear programs. In bytes, not seconds: the same set is found in the same way every time.
ROOT_BYTES = 16 << 20
NODE_BYTES = 1 << 20


@dataclass(frozen=True, eq=False)
class DiagramPart:
    """Some of the rows of a table, and an upper bound on all networks of these rows as reduced costs."""

    allowed: NDArray[np.bool_]  # per row of the table
    costs: NDArray[np.float64]  # per row of the table
    reference: float  # the upper bound
    cuts: NDArray[np.uint64]
    codes: NDArray[np.int32]
    multipliers: NDArray[np.float64]
    margin: float = MARGIN  # what the costs are exact to

    def times(self, unit: float) -> DiagramPart:
        """Return the part with scores in a smaller unit (parent_sets/build.py)."""
        if unit == 1:
            return self
        return replace(
            self,
            costs=self.costs * unit,
            reference=self.reference * unit,
            multipliers=self.multipliers * unit,
            margin=self.margin * unit,
        )


def _part_of(
    root: Root, rows: int, allowed: NDArray[np.bool_], bound: float, reduced_costs: NDArray[np.float64]
) -> DiagramPart:
    """Return what the relaxation has just found as a part of a table with this many rows."""
    pool = root.relaxation.pool
    active = pool.multipliers > 0
    whole = np.zeros(rows, dtype=np.bool_)
    whole[root.sets.origins] = allowed
    costs = np.full(rows, math.inf)
    costs[root.sets.origins] = np.maximum(reduced_costs, 0.0)
    return DiagramPart(
        whole,
        costs,
        bound,
        np.ascontiguousarray(pool.members[active]),
        np.ascontiguousarray(pool.codes[active]),
        np.ascontiguousarray(pool.multipliers[active]),
    )


def relax(
    sets: CandidateSets, rows: int, incumbent: Incumbent, slack: float, budget: Budget, data: Dataset | None
) -> tuple[Root, DiagramPart]:
    """Solve the relaxation with cuts; the best multipliers seen give the bound and the reduced costs of all rows."""
    root = Root(sets, Relaxation(sets, incumbent.score - slack - 1.0, budget), incumbent, math.inf)
    everything = np.ones(sets.rows, dtype=np.bool_)
    part: DiagramPart | None = None
    stalled = 0
    for number in range(CUT_ROUNDS):
        solution = root.relaxation.solve(-math.inf)
        gained = root.bound - solution.bound
        if gained > 0 or part is None:
            root.bound = solution.bound
            part = _part_of(root, rows, everything, solution.bound, solution.reduced_costs)
        round_point(sets, incumbent, solution)
        gap = root.bound - incumbent.score
        stalled = 0 if gained > 0.01 * gap else stalled + 1
        if gap <= 1e-7 or budget.exhausted():
            break
        if (number == PLAIN_ROUNDS or stalled >= 8) and inform(root, data, budget):
            stalled = 0
            continue
        if stalled >= 8:
            break
        budget.report("credible set: bound", incumbent.score, root.bound)
        if not root.relaxation.separate(solution, effort=1 if number < 5 else 2) and not inform(root, data, budget):
            break
    assert part is not None  # there is a first round
    return root, part


def build_cover(
    root: Root, part: DiagramPart, problem: PartProblem, memory: int, budget: Budget, run: Run
) -> NetworkDiagram:
    """Build the diagram of all networks within the slack of the best: at once if that is cheap, or else in parts.

    `root` and `part` are of `relax`, with scores in the problem's unit, which the diagrams that are built do not have;
    a limit shows in the diagram's status. Parts other than trials are built on the cluster of the run, if there is one.
    """
    score = root.incumbent.score
    if budget.status is not Status.COMPLETE:
        return _stopped(budget.status)
    try:
        if root.bound - score <= TIGHT or not math.isfinite(score):
            return problem.build(part, score, memory, trial=False, run=run)
        trial = problem.build(part, score, min(ROOT_BYTES, memory), trial=True, run=run)
    except KeyboardInterrupt:  # between two native calls
        return _stopped(Status.INTERRUPTED)
    if Status.from_native(trial.status) is not Status.MEMORY_LIMIT or memory <= ROOT_BYTES:
        return trial
    with remote_parts(problem, run) as elsewhere:
        return _Cover(root, part, problem, memory, budget, run).build(elsewhere)


def _stopped(status: Status) -> NetworkDiagram:
    return _core.credible.NetworkDiagram(list(Status).index(status))


class _Cover:
    """The parts so far, while the tree is searched."""

    def __init__(
        self, root: Root, part: DiagramPart, problem: PartProblem, memory: int, budget: Budget, run: Run
    ) -> None:
        self._root, self._problem, self._memory, self._budget, self._run = root, problem, memory, budget, run
        self._slack = problem.slack / problem.unit
        self._rows = part.costs.size
        self._diagrams: dict[int, NetworkDiagram] = {}  # by the number of the part
        self._parts = itertools.count()
        self._built_here = 0  # bytes
        self._given: dict[int, int] = {}  # task -> part
        self._elsewhere: RemoteParts | None = None
        self._best = root.incumbent.score
        near = part.costs[root.sets.origins] <= part.reference - self._best + self._slack + MARGIN
        shrink(root, near)

    def build(self, elsewhere: RemoteParts | None) -> NetworkDiagram:
        """Search the tree, and join the diagrams of its parts."""
        self._elsewhere = elsewhere
        tree = BranchAndBound(self._root, self._budget, -MARGIN, slack=self._slack, settle=self._settle)
        try:
            tree.run()
            if elsewhere is not None:
                self._collect(elsewhere, wait=True)
        except KeyboardInterrupt:  # Ctrl-C between two native calls
            self._budget.stop()
        if self._budget.status is not Status.COMPLETE:
            return _stopped(self._budget.status)
        return _core.credible.join_diagrams(
            [self._diagrams[k] for k in sorted(self._diagrams)], self._slack * self._problem.unit
        )

    def _settle(self, solution: LpSolution, allowed: NDArray[np.uint8], decided: bool) -> bool:
        """Take a node as a part if its bound or a trial allows it; in the end (`decided`) anyway.

        Of a part that is taken for its bound, the search does not wait for the diagram: it may be built elsewhere.
        """
        root = self._root
        self._best = max(self._best, root.incumbent.score)
        part = _part_of(root, self._rows, allowed > 0, solution.bound, solution.reduced_costs)
        final = decided or solution.is_integral or solution.bound <= self._best + TIGHT
        # Joined, they are there twice.
        left = self._memory - 2 * sum(diagram.bytes for diagram in self._diagrams.values())
        memory = max(left if final else min(NODE_BYTES, left), 1)
        if final and self._elsewhere is not None:
            # Which diagrams have come back by now is up to the cluster: a part's limit must not depend on that.
            memory = max(self._memory - 2 * self._built_here, 1)
            self._given[self._elsewhere.give(part, self._best, memory)] = next(self._parts)
            self._collect(self._elsewhere, wait=False)
            return True
        diagram = self._problem.build(part, self._best, memory, trial=not final, run=self._run)
        status = Status.from_native(diagram.status)
        if not final and status is Status.MEMORY_LIMIT and memory == NODE_BYTES:
            return False
        self._built_here += diagram.bytes
        self._keep(next(self._parts), diagram)
        if not final and diagram.states:
            self._best = max(self._best, diagram.optimum / self._problem.unit)
        return True

    def _keep(self, number: int, diagram: NetworkDiagram) -> None:
        self._diagrams[number] = diagram
        self._budget.stop(Status.from_native(diagram.status))
        if self._elsewhere is not None and 2 * sum(one.bytes for one in self._diagrams.values()) > self._memory:
            self._budget.stop(Status.MEMORY_LIMIT)  # each fits, but not all of them together

    def _collect(self, elsewhere: RemoteParts, *, wait: bool) -> None:
        """Take the diagrams that were built elsewhere, all of them or those that are there by now."""
        while self._budget.status is Status.COMPLETE and (ended := elsewhere.take(wait=wait)) is not None:
            number, diagram = ended
            self._keep(self._given[number], diagram)
            self._budget.announce("credible set: parts", len(self._diagrams), len(self._diagrams) + len(elsewhere))
        if wait and len(elsewhere):  # whatever the clock says: without them the set is not complete
            self._budget.stop(Status.TIME_LIMIT)


ORDER_SEED = 0  # of the search for an order of the nodes; the set does not depend on it


@dataclass(frozen=True, eq=False)
class PartProblem:
    """The table and all else that parts have in common."""

    table: ParentSetTable  # with centred scores (parent_sets/build.py)
    order: NDArray[np.int32]  # of the nodes, parents before children in a good network
    slack: float  # how far from the best network, with what rounding may do
    unit: float  # of the scores of parts, which linear programs are given
    by_class: bool  # whether equivalence classes are sought rather than networks
    pairs: NDArray[np.uint64]  # those with a fixed direction, as the native core takes them

    @property
    def digest(self) -> str:
        """What is the same if all of this is."""
        hasher = hashlib.sha256(f"parts {self.table.digest} {self.slack!r} {self.unit!r} {self.by_class}".encode())
        hasher.update(self.order.tobytes())
        hasher.update(self.pairs.tobytes())
        return hasher.hexdigest()

    def build(self, part: DiagramPart, at_least: float, memory: int, *, trial: bool, run: Run) -> NetworkDiagram:
        """Build the diagram of a part, given the score of a known network; a limit shows in its status.

        Abandon a `trial`: no better order of the nodes is looked for.
        """
        kinds = _core.credible.Construction
        make = self._maker(part.times(self.unit), self.unit * at_least, memory, run)
        if self.by_class or trial:
            return make(kinds.REPRESENTATIVES if self.by_class else kinds.SOURCES, self.order, self.slack, UNLIMITED)
        return build_as_planned(make, self.order, self.slack, seed=ORDER_SEED)

    def _maker(self, part: DiagramPart, at_least: float, memory: int, run: Run) -> Build:
        """Return what makes the diagram for a construction, an order of the nodes, a slack and a state limit."""

        def make(
            construction: Construction, order: NDArray[np.int32], slack: float, most_states: int
        ) -> NetworkDiagram:
            close = part.allowed & (part.costs <= part.reference - at_least + slack + part.margin)
            return _core.credible.build_from_costs(
                self.table.native,
                _core.credible.DiagramInput(
                    order=order,
                    keep=close.astype(np.uint8),
                    slack=slack,
                    memory=memory,
                    most_states=most_states,
                    fixed=self.pairs,
                    threads=run.thread_count,
                ),
                _core.credible.RowCosts(
                    costs=part.costs,
                    reference=part.reference,
                    at_least=at_least,
                    cuts=part.cuts,
                    codes=part.codes,
                    multipliers=part.multipliers,
                ),
                construction,
                run.seconds_left,
                run.native_report("credible set"),
            )

        return make


# `RemoteParts`: parts of a credible set whose diagrams the workers of a Dask cluster build.
#
# The table is sent once; to a task goes the part (which rows, what they cost, the cuts), and from it comes the diagram
# as arrays. The search for parts goes on here meanwhile. It does not wait for a part, and learns nothing from one, so
# that parts are the same wherever they are built; the diagrams are joined in the order in which the parts were found.


# The layers, edges and facts of a diagram.
DiagramArrays = tuple[tuple[NDArray[Any], ...], tuple[int, float, float, int]]


def arrays_of(diagram: NetworkDiagram) -> DiagramArrays:
    """Return a finished diagram as arrays."""
    facts = diagram.nodes, diagram.optimum, diagram.slack, diagram.explored
    return (diagram.layer_begin, *diagram.edge_arrays()), facts


def diagram_of(arrays: DiagramArrays) -> NetworkDiagram:
    """Return the diagram that had these arrays; what cannot be one is a ValueError."""
    (layer_begin, edge_begin, edge_target, edge_row, edge_detour), facts = arrays
    return _core.credible.NetworkDiagram.from_arrays(layer_begin, edge_begin, edge_target, edge_row, edge_detour, facts)


def _look(event: ProgressEvent) -> None:
    give_back_unwanted()


def _build(problem: PartProblem, asked: tuple[DiagramPart, float, int, float]) -> int | DiagramArrays:
    part, at_least, memory, seconds = asked
    limits = Limits(max(NO_TIME, seconds) if np.isfinite(seconds) else None)
    run = Run(threads=1, limits=limits, progress=_look)
    diagram = problem.build(part, at_least, memory, trial=False, run=run)
    return diagram.status or arrays_of(diagram)


class RemoteParts:
    """The parts that are on their way, and the diagrams that have come back, in the time of a run."""

    def __init__(self, tasks: Tasks[int | DiagramArrays], problem: PartProblem, run: Run) -> None:
        self._tasks, self._run = tasks, run
        self._rows, self._nodes = problem.table.n_rows, problem.order.size

    def __len__(self) -> int:
        """How many are on their way."""
        return len(self._tasks)

    def give(self, part: DiagramPart, at_least: float, memory: int) -> int:
        """Have a part built; return its number."""
        return self._tasks.give((part, at_least, memory, self._run.seconds_left))

    def take(self, *, wait: bool) -> tuple[int, NetworkDiagram] | None:
        """Return the number and the diagram of a part that is built; None if there is none yet, or in time."""
        ended = self._tasks.take(self._run if wait else Run(limits=Limits(NO_TIME)))
        if ended is None:
            return None
        number, found = ended
        if isinstance(found, int):
            return number, _core.credible.NetworkDiagram(found)
        (_, _, _, edge_row, _), (nodes, *_) = found
        try:
            if nodes != self._nodes or (edge_row.size and int(edge_row.max()) >= self._rows):
                raise ValueError("rows that the table does not have")
            return number, diagram_of(found)
        except ValueError as error:
            raise ArcwiseError(f"a worker of the cluster has built no diagram of this table ({error}).") from error


@contextlib.contextmanager
def remote_parts(problem: PartProblem, run: Run) -> Iterator[RemoteParts | None]:
    """While inside, have parts built by the cluster of a run; None if it has none."""
    if run.cluster is None:
        yield None
        return
    with open_cluster(run.cluster) as cluster, cluster.tasks(_build, problem, problem.digest) as tasks:
        yield RemoteParts(tasks, problem, run)
