"""Branch and bound over one component, with the linear relaxation's bound at every node.

The root solves the relaxation with cuts, drops sets by reduced cost against the incumbent, and splits what is left
into components again: most published instances end there. Of many nodes, clusters come from the points that the
relaxation takes and, dozens at a time, from its reduced costs; where that becomes slow with a wide gap, windows improve
the incumbent. The rest is a best-first search that follows one child of each node at once (a dive keeps the simplex
basis warm); it branches on an arc (cpp/core/exact/branching.hpp), propagates acyclicity, fixes by reduced cost at every
node, and shares one pool of cuts, all of which hold everywhere.

How the arc is chosen: by pseudo-costs (Benichou et al. 1971), the loss of bound per unit of fraction that earlier
branchings on the same arc caused; unknown ones are found by probing both sides with a few simplex iterations
("reliability branching", Achterberg, Koch and Martin 2005).
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.exact.budget import Budget
from arcwise.exact.incumbent import Incumbent
from arcwise.exact.information import Information
from arcwise.exact.proof import OBJECT_BYTES, Round, RoundLog, Scope, Step
from arcwise.exact.relaxation import LpSolution, Relaxation
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["BranchAndBound", "Root", "Settle", "inform", "round_point", "shrink", "solve_root"]

# Sums of scores are exact to about 1e-10; a set is dropped only if it is certainly too costly.
ROUNDING = 1e-8

# A round of cuts at the root is worth it if the bound falls by this much, however wide the gap is.
PROGRESS = 0.5

# A cluster from reduced costs is worth a cut if the bound falls by this part of the gap.
LEAST_STEP = 1e-4
# A gap per node from which, where progress is slow, multipliers of earlier vertices and windows are worth a look;
# windows after so many rounds.
MEAN_OPEN = 0.1
POLISH_AFTER = 4

# Information cuts come after so many rounds without, if the gap is still wider than so much per node: most problems of
# few cases are solved before.
PLAIN_ROUNDS = 15
WIDE_OPEN = 1.0

# Probing: how many arcs at most, how many without a better one, and simplex iterations per side.
MOST_PROBED = 16
PROBE_PATIENCE = 5
PROBE_ITERATIONS = 40
# With information cuts, which are dense, fewer say nothing.
PROBE_ITERATIONS_DENSE = 200

# Of an open node, besides its rows: Python's objects.
NODE_BYTES = 400

Allowed = NDArray[np.uint8]
Branch = tuple[int, int, bool]  # parent, child, present
Settle = Callable[[LpSolution, Allowed, bool], bool]
Polish = Callable[[Incumbent, LpSolution], bool]


@dataclass
class Root:
    """What is left of a component after the root: its sets, relaxation and last solution, and the bound so far.

    With a `scope` of a proof's record, `step` holds what proves the bound.
    """

    sets: CandidateSets
    relaxation: Relaxation
    incumbent: Incumbent
    bound: float
    closed: bool = False
    unique: bool = False  # closed, and no other choice of sets reaches the incumbent's score
    rounds: int = 0
    loss: float = 0.0  # the best network that all cuts allow is worse than the best of all by this at most
    scope: Scope | None = None
    step: Step = field(default_factory=Step)


def floor_of(sets: CandidateSets, incumbent: Incumbent) -> float:
    """Return a number that the best network certainly reaches, if there is a network at all."""
    if math.isfinite(incumbent.score):
        return incumbent.score
    offsets = sets.offsets
    return float(sets.scores[offsets[1:] - 1].sum())


def solve_root(
    sets: CandidateSets,
    incumbent: Incumbent,
    budget: Budget,
    tolerance: float,
    scope: Scope | None = None,
    data: Dataset | None = None,
    *,
    may_lose: float = 0.0,
    polish: Polish | None = None,
) -> Root:
    """Tighten the relaxation until nothing is violated or progress stalls; drop sets by reduced cost on the way.

    With `data`, what some rounds leave wide open is cut with the information in them. If one best network is enough,
    and it may lose something (of the tolerance), exchanges cut off the others; `Root.loss` is what is lost then.
    `polish` improves the incumbent, where the gap is wide and progress slow, by what a solution says.
    """
    root = Root(sets, Relaxation(sets, floor_of(sets, incumbent), budget), incumbent, math.inf, scope=scope)
    best: Round | None = None  # not in the step yet
    stalled = 0
    while not budget.exhausted():
        root.rounds += 1
        allowance = tolerance - root.loss
        solution = root.relaxation.solve(root.incumbent.score + allowance)
        gained = root.bound - solution.bound
        if scope is not None and gained > 0:
            best = scope.round_of(root.relaxation.pool)
        root.bound = min(root.bound, solution.bound)
        if root.rounds % 4 == 1 or solution.is_integral:
            round_point(root.sets, root.incumbent, solution)
        gap = root.bound - root.incumbent.score
        budget.report("exact search", root.incumbent.score, root.bound)
        if gap <= allowance:
            root.closed = True
            near = np.count_nonzero(solution.reduced_costs <= solution.bound - root.incumbent.score + tolerance)
            root.unique = near == root.sets.variables and root.loss == 0
            break
        keep = solution.reduced_costs <= solution.bound - root.incumbent.score + ROUNDING
        stalled = 0 if gained > min(0.003 * gap, PROGRESS) else stalled + 1
        if np.count_nonzero(keep) < 0.6 * root.sets.rows:
            shrink(root, keep)
            best = None if gained > 0 else best
            continue
        if root.rounds == PLAIN_ROUNDS and inform(root, data, budget):
            exchange(root, sets, may_lose)
            continue
        wide = root.relaxation.is_large and gap > MEAN_OPEN * root.sets.variables
        if stalled == POLISH_AFTER and wide and polish is not None and polish(root.incumbent, solution):
            stalled = 0
            continue
        if stalled >= 12 or not tighten(root.relaxation, solution, gap, patient=not (wide and stalled)):
            if inform(root, data, budget) or exchange(root, sets, may_lose):
                stalled = 0
                continue
            if np.count_nonzero(keep) < root.sets.rows:
                shrink(root, keep)
                best = None if gained > 0 else best
            break
    if scope is not None and best is not None:
        scope.record.keep(root.step, best)
    return root


def tighten(relaxation: Relaxation, solution: LpSolution, gap: float, *, patient: bool) -> int:
    """Add cuts that the point violates, and clusters by which the bound falls with its reduced costs; count them."""
    added = relaxation.separate(solution, effort=1, threshold=1e-4)
    if not relaxation.is_large:
        return added
    return added + relaxation.ascend(solution, max(LEAST_STEP * gap, ROUNDING), twice=not patient)


def inform(root: Root, data: Dataset | None, budget: Budget) -> bool:
    """Let the relaxation have the information in the data if the gap is worth it; say whether that is new."""
    if root.relaxation.is_dense or root.bound - root.incumbent.score <= WIDE_OPEN * root.sets.variables:
        return False
    information = Information.under(root.sets, root.incumbent.rows, data, budget)
    if information is not None:
        root.relaxation.inform(information)
    return information is not None


def exchange(root: Root, sets: CandidateSets, may_lose: float) -> bool:
    """Let the relaxation leave out what an exchange replaces; say whether that is new.

    Where the gap is small and there is no information, it is not one of orientations, and exchanges do not close it.
    `sets` are those that the root began with: what was dropped since may still replace something. The order that
    decides between equals is the incumbent's.
    """
    from arcwise import _core

    wide = root.relaxation.is_dense or root.bound - root.incumbent.score > WIDE_OPEN * root.sets.variables
    if not may_lose or root.loss or not wide or not root.incumbent.rows.size:
        return False
    exchanges = _core.exact.Exchanges(sets, root.incumbent.order, may_lose)
    if not exchanges.is_exact:
        return False
    root.loss = exchanges.loss
    root.relaxation.exchange(exchanges)
    return True


def shrink(root: Root, keep: NDArray[np.bool_]) -> None:
    """Continue with fewer sets, and with those of the incumbent: what exchanges cut off may be known already."""
    keep[root.incumbent.rows] = True
    if root.scope is not None:
        root.scope.record.keep(root.step, root.scope.round_of(root.relaxation.pool))
    root.sets = root.sets.kept(keep.astype(np.uint8))
    root.incumbent = root.incumbent.moved_to(root.sets)
    root.relaxation = root.relaxation.over(root.sets, floor_of(root.sets, root.incumbent))


def round_point(sets: CandidateSets, incumbent: Incumbent, solution: LpSolution) -> bool:
    """Try the local optimum near the order that a point suggests."""
    from arcwise import _core

    return incumbent.descend_from(_core.exact.order_of_point(sets, solution.rows, solution.values))


class PseudoCosts:
    """Mean loss of bound per unit of fraction for each arc, absent (0) and present (1)."""

    def __init__(self) -> None:
        self._sums: dict[Branch, float] = {}
        self._counts: dict[Branch, int] = {}
        self._sum = 0.0
        self._count = 0

    def learn(self, branch: Branch, loss: float, distance: float) -> None:
        """Record that a branch cost `loss` of bound over `distance`."""
        rate = max(loss, 0.0) / max(distance, 1e-3)
        self._sums[branch] = self._sums.get(branch, 0.0) + rate
        self._counts[branch] = self._counts.get(branch, 0) + 1
        self._sum += rate
        self._count += 1

    def knows(self, parent: int, child: int) -> bool:
        """Say whether both sides of an arc have been seen."""
        return (parent, child, True) in self._counts and (parent, child, False) in self._counts

    def estimate(self, branch: Branch) -> float:
        """Return the mean of this branch, or of all branches if it is new."""
        if branch in self._counts:
            return self._sums[branch] / self._counts[branch]
        return self._sum / self._count if self._count else 1.0


@dataclass(order=True)
class OpenNode:
    """A node that waits: worst bound last; `packed` are its allowed rows, one bit each."""

    key: float
    number: int
    packed: NDArray[np.uint8] = field(compare=False)
    step: Step = field(compare=False)
    branch: Branch | None = field(compare=False, default=None)
    distance: float = field(compare=False, default=1.0)


@dataclass
class OneSided:
    """An arc that needs no branch: the rows of the side that may hold something better (None: neither may)."""

    arc: tuple[int, int]
    present: bool
    left: Allowed | None
    proofs: tuple[Round | None, Round | None]  # present, absent: of a side that has nothing to offer


class BranchAndBound:
    """The search below a root; `run` returns the upper bound that holds at the end.

    With `settle` it covers the networks within `slack` of the incumbent instead of looking for a better one: every
    node that has been bounded is offered to `settle` with its solution, its rows, and whether all arcs are decided. A
    node that it takes is not searched further. Those taken are disjoint, and hold all networks within the slack. Nodes
    come depth first then, as all must be seen and neighbours share cuts.
    """

    def __init__(
        self, root: Root, budget: Budget, tolerance: float, *, slack: float = 0.0, settle: Settle | None = None
    ) -> None:
        from arcwise import _core

        self._core = _core.exact
        self.sets = root.sets
        self.relaxation = root.relaxation
        self.incumbent = root.incumbent
        self._budget = budget
        self._tolerance = tolerance
        self._slack = slack
        self._settle = settle
        self._stage = "exact search" if settle is None else "credible set: bound"
        self._propagator = _core.exact.AcyclicityPropagator(root.sets)
        self._open: list[OpenNode] = []
        self._numbers = itertools.count()
        self._costs = PseudoCosts()
        self._root_bound = root.bound
        self._scope = root.scope
        self._first_step = root.step

    @property
    def _goal(self) -> float:
        return self.incumbent.score - self._slack + self._tolerance

    def run(self) -> float:
        """Search until the optimum is proved or the budget is exhausted."""
        allowed = np.ones(self.sets.rows, dtype=np.uint8)
        possible, allowed = self._propagate(allowed)
        dive = self._node(self._root_bound, allowed, self._first_step) if possible else None
        while self._open or dive is not None:
            node = dive if dive is not None else self._next()
            bound = -node.key
            if bound <= self._goal:
                dive = None
                continue
            # The node at hand counts for the bound like the open ones.
            upper = max(bound, -self._open[0].key) if self._open else bound  # depth first, the oldest is the worst
            self._budget.report(self._stage, self.incumbent.score, upper)
            recorded = 0 if self._scope is None else self._scope.record.bytes
            if len(self._open) * (node.packed.nbytes + NODE_BYTES) + recorded > self._budget.limits.native_memory:
                self._budget.stop(Status.MEMORY_LIMIT)
            if self._budget.exhausted():
                return max(self.incumbent.score, upper)
            self._budget.nodes += 1
            dive = self._expand(node, np.unpackbits(node.packed, count=self.sets.rows))
        return self.incumbent.score

    def _next(self) -> OpenNode:
        return heapq.heappop(self._open) if self._settle is None else self._open.pop()

    def _wait(self, node: OpenNode) -> None:
        if self._settle is None:
            heapq.heappush(self._open, node)
        else:
            self._open.append(node)

    def _propagate(self, allowed: Allowed) -> tuple[bool, Allowed]:
        return self._propagator.propagate(allowed, self._budget.pulse)

    def _node(
        self, bound: float, allowed: Allowed, step: Step, branch: Branch | None = None, distance: float = 1.0
    ) -> OpenNode:
        return OpenNode(-bound, next(self._numbers), np.packbits(allowed), step, branch, distance)

    def _split(self, step: Step, parent: int, child: int) -> tuple[Step, Step]:
        """Record a branch; return the steps of its sides, present and absent."""
        if self._scope is None:
            return step, step
        step.branch = self._scope.arc(parent, child)
        step.below = [Step(), Step()]
        self._scope.record.bytes += 2 * OBJECT_BYTES
        return step.below[0], step.below[1]

    def _expand(self, node: OpenNode, allowed: Allowed) -> OpenNode | None:
        """Bound a node, branch if need be, and return the child to follow at once."""
        outcome = self._bound(node, allowed)
        if outcome is None:
            return None
        solution, allowed, bound = outcome
        if self._budget.exhausted():
            # The linear program may have been given up in the middle: its point says nothing, its bound holds.
            return self._node(bound, allowed, node.step)
        if self._settle is not None and self._settle(solution, allowed, False):
            return None
        choice = self._choose(solution, allowed, bound)
        if choice is None:
            # All arcs are decided, so each node has one set left: an acyclic network, or propagation would have failed.
            if self._settle is None:
                round_point(self.sets, self.incumbent, solution)
            else:
                self._settle(solution, allowed, True)
            return None
        if isinstance(choice, OneSided):
            sides = self._split(node.step, *choice.arc)
            for side, proof in zip(sides, choice.proofs, strict=True):
                if proof is not None and self._scope is not None:
                    self._scope.record.keep(side, proof)
            return None if choice.left is None else self._node(bound, choice.left, sides[0 if choice.present else 1])
        parent, child, weight = choice
        sides = self._split(node.step, parent, child)
        children = []
        for present, distance, step in ((True, 1 - weight, sides[0]), (False, weight, sides[1])):
            left = self._core.impose_arc(self.sets, allowed, parent, child, present)
            possible, left = self._propagate(left)
            if possible:
                children.append(self._node(bound, left, step, (parent, child, present), distance))
        children.sort(key=lambda node: node.distance)
        for other in children[1:]:
            self._wait(other)
        return children[0] if children else None

    def _bound(self, node: OpenNode, allowed: Allowed) -> tuple[LpSolution, Allowed, float] | None:
        """Solve the relaxation of a node with cuts and fixing; None if it holds nothing better than the incumbent."""
        relaxation = self.relaxation
        relaxation.restrict(allowed)
        log = RoundLog(self._scope, node.step)
        start = allowed
        bound = -node.key
        stalled, first = 0, True
        while True:
            solution = relaxation.solve(self._goal)
            gained, bound = bound - solution.bound, min(bound, solution.bound)
            log.solved(relaxation.pool, solution.bound)
            if first and node.branch is not None:
                self._costs.learn(node.branch, -node.key - max(solution.bound, self._goal), node.distance)
            if bound <= self._goal:
                break
            if first or solution.is_integral:
                round_point(self.sets, self.incumbent, solution)
                if bound <= self._goal:
                    break
            first = False
            room = solution.bound - self.incumbent.score + self._slack
            left = allowed & (solution.reduced_costs <= room + ROUNDING)
            if np.count_nonzero(left) < np.count_nonzero(allowed):
                log.dropped()
                possible, allowed = self._propagate(left)
                if not possible:
                    break
                relaxation.restrict(allowed)
                if not allowed[solution.rows].all():
                    continue
            gap = bound - self.incumbent.score + self._slack
            stalled = 0 if gained > 0.02 * gap else stalled + 1
            enough = not solution.is_integral and stalled >= 2
            if enough or not relaxation.separate(solution, effort=1) or self._budget.exhausted():
                log.finish(functools.partial(self._latest_leaves, start, allowed))
                return solution, allowed, bound
        log.finish(lambda: relaxation.pool.bound(self.sets, start)[0] <= self._goal)
        return None

    def _latest_leaves(self, start: Allowed, allowed: Allowed) -> bool:
        """Say whether the latest multipliers alone drop the rows that several rounds have dropped."""
        bound, reduced_costs = self.relaxation.pool.bound(self.sets, start)
        room = bound - self.incumbent.score + self._slack
        possible, left = self._propagate(start & (reduced_costs <= room + ROUNDING))
        return possible and not (left > allowed).any()

    def _choose(self, solution: LpSolution, allowed: Allowed, bound: float) -> tuple[int, int, float] | OneSided | None:
        """Return the arc to branch on, with its weight; None if all are decided.

        Promising arcs that were never branched on are probed: both sides are bounded by a few simplex iterations. If
        one side has nothing to offer, the other side's rows are returned instead (none at all, if neither has).
        """
        parents, children, weights = self._core.fractional_arcs(self.sets, solution.rows, solution.values, 1e-6)
        if not parents.size:
            return None
        arcs = list(zip(parents.tolist(), children.tolist(), weights.tolist(), strict=True))
        arcs.sort(key=self._merit, reverse=True)
        best, waited = -1.0, 0
        pick = arcs[0]
        for arc in arcs[:MOST_PROBED]:
            if not self._costs.knows(arc[0], arc[1]):
                (present, proof), (absent, other) = (self._probe(arc, side, allowed, bound) for side in (True, False))
                if present is None or absent is None:
                    left = absent if present is None else present
                    return OneSided(arc[:2], present is not None, left, (proof, other))
            merit = self._merit(arc)
            waited += 1
            if merit > best:
                best, pick, waited = merit, arc, 0
            if waited >= PROBE_PATIENCE:
                break
        return pick

    def _merit(self, arc: tuple[int, int, float]) -> float:
        parent, child, weight = arc
        absent = self._costs.estimate((parent, child, False)) * weight
        present = self._costs.estimate((parent, child, True)) * (1 - weight)
        return max(absent, 1e-9) * max(present, 1e-9)

    def _probe(
        self, arc: tuple[int, int, float], present: bool, allowed: Allowed, bound: float
    ) -> tuple[Allowed | None, Round | None]:
        """Learn what one side costs; return its rows, or None and the proof if it holds nothing better."""
        parent, child, weight = arc
        left = self._core.impose_arc(self.sets, allowed, parent, child, present)
        possible, left = self._propagate(left)
        if not possible:
            return None, None
        iterations = PROBE_ITERATIONS_DENSE if self.relaxation.is_dense else PROBE_ITERATIONS
        reached, multipliers = self.relaxation.probe(left, iterations)
        if reached <= self._goal:
            return None, None if self._scope is None else self._scope.round_of(self.relaxation.pool, multipliers)
        self._costs.learn((parent, child, present), bound - reached, 1 - weight if present else weight)
        return left, None
