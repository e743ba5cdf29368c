"""`Cover`: a credible set in disjoint parts, each of which the linear relaxation bounds well.

The diagram of a large set is built with the reduced costs of the relaxation as bounds. Where the relaxation has a gap g
at the root, every partial network looks better than it is by up to g, and the builder goes through the states of a set
with the slack g wider: soybean (36 variables, g = 15) has 50 states at Bayes factor 3, and 36,320 are visited; at 150
there is no end. Branching closes the gap for the optimum; here it does the same for all networks near it. The tree of
the exact solver is searched with the slack in all its rules, an arc present on one side and absent on the other, and a
node becomes a part once its bound is no higher than the best network known (then splitting it would not lower what the
builder explores by much) or once a trial shows that its diagram is small. So the tree is at most that of the exact
solver. Every network is in one part; the parts' diagrams are joined by their first states (cpp/core/ensemble/
diagram_join.hpp).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.exact.branch_and_bound import BranchAndBound, Root, inform, round_point, shrink
from arcwise.exact.budget import Budget
from arcwise.exact.incumbent import Incumbent
from arcwise.exact.relaxation import LpSolution, Relaxation
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise._core.ensemble import NetworkDiagram
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["Part", "PartsElsewhere", "build_cover", "relax"]

CUT_ROUNDS = 60
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
class Part:
    """Some of the rows of a table, and an upper bound on all networks of these rows as reduced costs."""

    allowed: NDArray[np.bool_]  # per row of the table
    costs: NDArray[np.float64]  # per row of the table
    reference: float  # the upper bound
    cuts: NDArray[np.uint64]
    codes: NDArray[np.int32]
    multipliers: NDArray[np.float64]
    margin: float = MARGIN  # what the costs are exact to

    def times(self, unit: float) -> Part:
        """Return the part with scores in a smaller unit (parent_sets/score_range.py)."""
        if unit == 1:
            return self
        return replace(
            self,
            costs=self.costs * unit,
            reference=self.reference * unit,
            multipliers=self.multipliers * unit,
            margin=self.margin * unit,
        )


# Makes the diagram of a part, given the score of a known network and how many bytes it may take; a trial is given up
# early.
BuildPart = Callable[[Part, float, int, bool], "NetworkDiagram"]


class PartsElsewhere(Protocol):
    """Who builds parts while the search for them goes on (remote_parts.py)."""

    def __len__(self) -> int:
        """How many are on their way."""

    def give(self, part: Part, at_least: float, memory: int) -> int:
        """Have a part built, given the score of a known network and how many bytes it may take; return its number."""

    def take(self, *, wait: bool) -> tuple[int, NetworkDiagram] | None:
        """Return the number and the diagram of a part that is built; None if there is none (in time)."""


def _part_of(
    root: Root, rows: int, allowed: NDArray[np.bool_], bound: float, reduced_costs: NDArray[np.float64]
) -> Part:
    """Return what the relaxation has just found as a part of a table with this many rows."""
    pool = root.relaxation.pool
    active = pool.multipliers > 0
    whole = np.zeros(rows, dtype=np.bool_)
    whole[root.sets.origins] = allowed
    costs = np.full(rows, math.inf)
    costs[root.sets.origins] = np.maximum(reduced_costs, 0.0)
    return Part(
        whole,
        costs,
        bound,
        np.ascontiguousarray(pool.members[active]),
        np.ascontiguousarray(pool.codes[active]),
        np.ascontiguousarray(pool.multipliers[active]),
    )


def relax(
    sets: CandidateSets, rows: int, incumbent: Incumbent, slack: float, budget: Budget, data: Dataset | None
) -> tuple[Root, Part]:
    """Solve the relaxation with cuts; the best multipliers seen give the bound and the reduced costs of all rows."""
    root = Root(sets, Relaxation(sets, incumbent.score - slack - 1.0, budget), incumbent, math.inf)
    everything = np.ones(sets.rows, dtype=np.bool_)
    part: Part | None = None
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
    root: Root,
    part: Part,
    slack: float,
    memory: int,
    budget: Budget,
    build: BuildPart,
    *,
    unit: float = 1.0,
    elsewhere: PartsElsewhere | None = None,
) -> NetworkDiagram:
    """Build the diagram of all networks within `slack` of the best: at once if that is cheap, or else in parts.

    `root` and `part` are of `relax`, with scores and the slack in a `unit`, which the diagrams that are built do not
    have; a limit shows in the diagram's status. Parts other than trials are built `elsewhere`, if anybody is there.
    """
    score = root.incumbent.score
    if budget.status is not Status.COMPLETE:
        return _stopped(budget.status)
    try:
        if root.bound - score <= TIGHT or not math.isfinite(score):
            return build(part, score, memory, False)
        trial = build(part, score, min(ROOT_BYTES, memory), True)
    except KeyboardInterrupt:  # between two native calls
        return _stopped(Status.INTERRUPTED)
    if Status.from_native(trial.status) is not Status.MEMORY_LIMIT or memory <= ROOT_BYTES:
        return trial
    return _Cover(root, part, slack=slack, memory=memory, budget=budget, build=build, unit=unit).run(elsewhere)


def _stopped(status: Status) -> NetworkDiagram:
    from arcwise import _core

    return _core.ensemble.NetworkDiagram(list(Status).index(status))


class _Cover:
    """The parts so far, while the tree is searched."""

    def __init__(
        self, root: Root, part: Part, *, slack: float, memory: int, budget: Budget, build: BuildPart, unit: float
    ) -> None:
        self._root = root
        self._slack = slack
        self._memory = memory
        self._budget = budget
        self._build = build
        self._unit = unit
        self._rows = part.costs.size
        self._diagrams: dict[int, NetworkDiagram] = {}  # by the number of the part
        self._parts = itertools.count()
        self._built_here = 0  # bytes
        self._given: dict[int, int] = {}  # task -> part
        self._elsewhere: PartsElsewhere | None = None
        self._best = root.incumbent.score
        near = part.costs[root.sets.origins] <= part.reference - self._best + slack + MARGIN
        shrink(root, near)

    def run(self, elsewhere: PartsElsewhere | None = None) -> NetworkDiagram:
        """Search the tree, and join the diagrams of its parts."""
        from arcwise import _core

        self._elsewhere = elsewhere
        tree = BranchAndBound(self._root, self._budget, -MARGIN, slack=self._slack, settle=self._settle)
        try:
            tree.run()
            if elsewhere is not None:
                self._collect(elsewhere, wait=True)
        except KeyboardInterrupt:  # Ctrl-C between two native calls
            self._budget.stop(Status.INTERRUPTED)
        if self._budget.status is not Status.COMPLETE:
            return _stopped(self._budget.status)
        return _core.ensemble.join_diagrams(
            [self._diagrams[k] for k in sorted(self._diagrams)], self._slack * self._unit
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
        diagram = self._build(part, self._best, memory, not final)
        status = Status.from_native(diagram.status)
        if not final and status is Status.MEMORY_LIMIT and memory == NODE_BYTES:
            return False
        self._built_here += diagram.bytes
        self._keep(next(self._parts), diagram)
        if not final and diagram.states:
            self._best = max(self._best, diagram.optimum / self._unit)
        return True

    def _keep(self, number: int, diagram: NetworkDiagram) -> None:
        self._diagrams[number] = diagram
        self._budget.stop(Status.from_native(diagram.status))
        if self._elsewhere is not None and 2 * sum(one.bytes for one in self._diagrams.values()) > self._memory:
            self._budget.stop(Status.MEMORY_LIMIT)  # each fits, but not all of them together

    def _collect(self, elsewhere: PartsElsewhere, *, wait: bool) -> None:
        """Take the diagrams that were built elsewhere, all of them or those that are there by now."""
        while self._budget.status is Status.COMPLETE and (ended := elsewhere.take(wait=wait)) is not None:
            number, diagram = ended
            self._keep(self._given[number], diagram)
            self._budget.announce("credible set: parts", len(self._diagrams), len(self._diagrams) + len(elsewhere))
        if wait and len(elsewhere):  # whatever the clock says: without them the set is not complete
            self._budget.stop(Status.TIME_LIMIT)
