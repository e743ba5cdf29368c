"""`Relaxation`: the linear relaxation of the problem over one component, with cuts and columns added as needed.

Variables x(v, S), one for each candidate set; for each node they sum to 1; acyclicity is enforced by cuts that are
separated natively (clusters and four-node facets, see cpp/core/exact/cut_pool.hpp, and where there are data
`arcwise.exact.component`). HiGHS solves the program, but nothing rests on its numbers: the bound and the reduced
costs are computed natively from the multipliers alone, over *all* sets.

Large tables are priced: the program starts with each node's best sets, and after each solution the sets whose value
exceeds their node's dual price enter. A set that never looks attractive never costs the simplex method anything;
kdd_test has 152,873 sets, and its root is solved with a small part of them.

HiGHS gets some simplex iterations at a time: in between, Python handles Ctrl-C, the budget is asked and progress is
reported. Iterations, not seconds, since a simplex method that is stopped and started again may end at another optimal
point, from which other cuts and branches follow: the search must not depend on how busy the machine is. The clock stops
HiGHS only where the time limit ends the search. A program that is given up in the middle still leaves multipliers, and
so a bound that holds.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.run import Run, Status
from arcwise.data.dataset import Dataset
from arcwise.exact.component import Budget, Incumbent, Information
from arcwise.exact.proof import OBJECT_BYTES, ProofStep, Round, RoundLog, Scope

if TYPE_CHECKING:
    from arcwise._core.exact import Exchanges
    from arcwise._core.parent_sets import CandidateSets


FIRST_COLUMNS = 40  # of each variable, best first; more by price (bands_BIC takes 1.7 s with 10, 40 or 160)
NEW_COLUMNS = 25  # of each variable and round (bands_BIC takes 1.7 to 1.8 s with 5, 25 or 100)
NEGLIGIBLE = 1e-9  # the solver's own tolerance
CUT_AGE = 4  # rounds in which a cut was slack before it goes
# Among so few nodes walks find the clusters that matter. Others only lead to another path through the tree, which is
# as often a longer one: soybean_BIC takes 12 to 17 s, kdd_test 30 to 40.
FEW_NODES = 64
# With fewer clusters than this from the latest multipliers, those of the last vertices are tried.
FEW_STEPS = 20
# An exchange is a cut if it is violated by this much.
LEAST_EXCHANGE = 1e-3

# An iteration takes up to half a millisecond on the largest published instances, and their programs at most 1,600.
SLICE_ITERATIONS = 2_000


@dataclass(frozen=True)
class LpSolution:
    """A point of the relaxation (rows with values), the bound it proves and the reduced costs of all rows."""

    bound: float
    reduced_costs: NDArray[np.float64]
    rows: NDArray[np.int64]
    values: NDArray[np.float64]

    @property
    def is_integral(self) -> bool:
        """Whether the point takes one set per node."""
        return bool((self.values > 1 - 1e-6).all())


class Relaxation:
    """The linear program over a component's candidate sets; `allowed` restricts it to the rows of a search node.

    Each node has an artificial column, an empty set with a score so low that no network with it beats the incumbent:
    the program is never infeasible, and a search node without any network is pruned by its bound.
    """

    def __init__(
        self,
        sets: CandidateSets,
        floor: float,
        budget: Budget | None = None,
        information: Information | None = None,
    ) -> None:
        import highspy

        self.sets = sets
        self.pool = _core.exact.CutPool(sets.variables)
        self.iterations = 0
        self.solves = 0
        self._budget = budget or Budget(Run())
        self._infinity, self._endings = highspy.kHighsInf, highspy.HighsModelStatus
        self._incumbent, self._bound = floor, math.inf
        self._n, self._scores = sets.variables, sets.scores
        self._node = np.repeat(np.arange(self._n), np.diff(sets.offsets))
        self._best = self._scores[sets.offsets[:-1]]
        self._forms = np.empty(0, dtype=np.uint8)
        self._age = np.empty(0, dtype=np.int64)
        self._mean_multipliers = np.empty(0)
        self._columns = np.empty(0, dtype=np.int64)
        self._is_column = np.zeros(sets.rows, dtype=bool)
        self._allowed = np.ones(sets.rows, dtype=np.uint8)
        self._penalty = float(self._best.sum()) - floor + 1.0
        self._solver = self._new_solver(highspy.Highs())  # type: ignore[no-untyped-call, unused-ignore]
        rank = np.arange(sets.rows) - sets.offsets[self._node]
        self._add_columns(np.flatnonzero(rank < FIRST_COLUMNS))
        self._information: Information | None = None
        # Cuts that only some best network satisfies (cpp/core/exact/exchange.hpp).
        self.exchanges: Exchanges | None = None
        if information is not None:
            self.inform(information)

    def inform(self, information: Information) -> None:
        """Take information cuts from now on, beginning with that over all nodes."""
        first = len(self.pool)
        self._information = information
        information.add_first(self.pool, self.sets)
        self._append_rows(first)

    @property
    def is_dense(self) -> bool:
        """Whether it has information cuts, which most columns are in."""
        return self._information is not None

    @property
    def is_large(self) -> bool:
        """Whether clusters are looked for as minimum cuts and from reduced costs, too."""
        return self._n > FEW_NODES

    def _new_solver(self, solver: Any) -> Any:
        """Give a solver the equations, with the artificial columns."""
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex")):
            solver.setOptionValue(option, value)
        n, one, index = self._n, np.ones(self._n), np.arange(self._n, dtype=np.int32)
        solver.addRows(n, one, one, 0, np.zeros(n, dtype=np.int32), index[:0], one[:0])
        solver.addCols(n, np.full(n, self._penalty), np.zeros(n), np.full(n, self._infinity), n, index, index, one)
        return solver

    def restrict(self, allowed: NDArray[np.uint8]) -> None:
        """Allow only these rows from now on."""
        changed = np.flatnonzero(allowed[self._columns] != self._allowed[self._columns])
        if changed.size:
            upper = np.where(allowed[self._columns[changed]], self._infinity, 0.0)
            index = (changed + self._n).astype(np.int32)
            self._solver.changeColsBounds(changed.size, index, np.zeros(changed.size), upper)
        self._allowed = allowed

    def solve(self, goal: float) -> LpSolution:
        """Solve to optimality over all allowed rows, or until the bound is at most `goal`."""
        while True:
            solution, prices = self._solve_columns()
            if solution.bound <= goal or self._budget.exhausted():
                return solution
            if self._price(solution.reduced_costs, prices):
                continue
            if self._artificial <= 1e-7:
                return solution
            self._penalty *= 8.0
            nodes = np.arange(self._n, dtype=np.int32)
            self._solver.changeColsCost(self._n, nodes, np.full(self._n, self._penalty))

    def probe(self, allowed: NDArray[np.uint8], iterations: int) -> tuple[float, NDArray[np.float64]]:
        """Return a bound over other rows after a few simplex iterations, and the multipliers that give it.

        The program is left as it was. The dual simplex method's multipliers are valid at any time, so the bound is one,
        only not the best.
        """
        before, basis = self._allowed, self._solver.getBasis()
        self.restrict(allowed)
        self._run_slice(iterations)
        duals = np.array(self._solver.getSolution().row_dual)
        kept = self.pool.multipliers
        multipliers = np.abs(duals[self._n :])
        self.pool.set_multipliers(multipliers)
        bound, _ = self.pool.bound(self.sets, allowed)
        self.pool.set_multipliers(kept)
        self.restrict(before)
        self._solver.setBasis(basis)
        return bound, multipliers

    def _run(self) -> bool:
        """Run HiGHS to the end, or until the budget is exhausted (False)."""
        while (ending := self._run_slice(SLICE_ITERATIONS)) == self._endings.kIterationLimit:
            self._budget.report("linear program", self._incumbent, self._bound)
            if self._budget.exhausted():
                return False
        return bool(ending != self._endings.kTimeLimit)

    def _run_slice(self, iterations: int) -> Any:
        """Run HiGHS for at most this many iterations; return how it ended. If time is over, the budget knows it."""
        # HiGHS counts the time of all its runs.
        left = min(self._budget.run.seconds_left, 1e9)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
        self._solver.setOptionValue("simplex_iteration_limit", iterations)
        self._solver.run()
        ending = self._solver.getModelStatus()
        if ending == self._endings.kTimeLimit:
            self._budget.stop(Status.TIME_LIMIT)
        return ending

    def _solve_columns(self) -> tuple[LpSolution, NDArray[np.float64]]:
        finished = self._run()
        if finished and self._solver.getModelStatus() != self._endings.kOptimal:
            # A numerical accident: once more from scratch, without the basis.
            self._solver.clearSolver()
            if self._run() and self._solver.getModelStatus() != self._endings.kOptimal:
                raise ArithmeticError(f"HiGHS ended with {self._solver.getModelStatus()} on a bounded feasible program")
        self.solves += 1
        self.iterations += max(0, self._solver.getInfo().simplex_iteration_count)
        answer = self._solver.getSolution()
        values = np.array(answer.col_value)
        duals = np.array(answer.row_dual)
        self._artificial = float(values[: self._n].max())
        multipliers = np.abs(duals[self._n :])
        multipliers[multipliers < NEGLIGIBLE] = 0.0
        self.pool.set_multipliers(multipliers)
        bound, reduced_costs = self.pool.bound(self.sets, self._allowed)
        self._bound = bound
        used = np.flatnonzero(values[self._n :] > NEGLIGIBLE)
        solution = LpSolution(bound, reduced_costs, self._columns[used], values[used + self._n])
        self._age = np.where(multipliers > 0, 0, self._age + 1)
        return solution, reduced_costs[self._columns]

    def _price(self, reduced_costs: NDArray[np.float64], of_columns: NDArray[np.float64]) -> bool:
        """Add the rows that are better than their node's best column; False if there are none."""
        if self._columns.size == self.sets.rows:
            return False
        best = np.full(self._n, math.inf)
        np.minimum.at(best, self._node[self._columns], of_columns)
        # A node none of whose columns is allowed takes any row that is.
        gain = np.minimum(best, 1e300)[self._node] - reduced_costs
        gain[self._is_column] = 0.0
        attractive = np.flatnonzero(gain > 1e-7)
        if not attractive.size:
            return False
        order = np.lexsort((-gain[attractive], self._node[attractive]))
        attractive = attractive[order]
        nodes = self._node[attractive]
        rank = np.arange(attractive.size) - np.searchsorted(nodes, nodes)
        self._add_columns(np.sort(attractive[rank < NEW_COLUMNS]))
        return True

    def _add_columns(self, rows: NDArray[np.int64]) -> None:
        rows = np.ascontiguousarray(rows, dtype=np.int64)
        starts, cuts, values = self.pool.columns(self.sets, rows, self._forms)
        lengths = np.diff(starts) + 1
        ends = np.cumsum(lengths)
        begin = (ends - lengths).astype(np.int32)
        index = np.empty(int(ends[-1]), dtype=np.int32)
        value = np.ones(index.size)
        is_equation = np.zeros(index.size, dtype=bool)
        is_equation[begin] = True
        index[is_equation] = self._node[rows]
        index[~is_equation] = cuts + self._n
        value[~is_equation] = values
        costs = self._best[self._node[rows]] - self._scores[rows]
        upper = np.where(self._allowed[rows], self._infinity, 0.0)
        self._solver.addCols(rows.size, costs, np.zeros(rows.size), upper, index.size, begin, index, value)
        self._columns = np.concatenate([self._columns, rows])
        self._is_column[rows] = True

    def add_cuts(self, members: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        """Add cuts, given as in `CutPool.extend`."""
        first = len(self.pool)
        self.pool.extend(members, codes)
        self._append_rows(first)

    def _append_rows(self, first: int) -> None:
        """Add the pool's cuts from a given position on to the program."""
        members, codes = self.pool.members[first:], self.pool.codes[first:]
        (starts, index, value), forms, sides = self.pool.rows(self.sets, self._columns, first)
        at_most = forms == 0
        lower = np.where(at_most, -self._infinity, sides)
        upper = np.where(at_most, sides, self._infinity)
        # An artificial column is an empty set: it counts where the row counts sets with few members inside.
        inside = np.unpackbits(members.view(np.uint8), axis=1, bitorder="little")[:, : self._n]
        cut, node = np.nonzero(inside * (~at_most)[:, None])
        cuts = np.concatenate([np.repeat(np.arange(codes.size), np.diff(starts)), cut])
        index = np.concatenate([index + self._n, node])
        order = np.argsort(cuts, kind="stable")
        begin = np.searchsorted(cuts[order], np.arange(codes.size)).astype(np.int32)
        value = np.concatenate([value, np.ones(cut.size)])[order]
        self._solver.addRows(
            codes.size, lower, upper, index.size, begin, index[order].astype(np.int32), np.ascontiguousarray(value)
        )
        self._forms = np.concatenate([self._forms, forms])
        self._age = np.concatenate([self._age, np.zeros(codes.size, dtype=np.int64)])
        self._mean_multipliers = np.concatenate([self._mean_multipliers, np.zeros(codes.size)])

    def separate(self, solution: LpSolution, effort: int, threshold: float = 1e-3) -> int:
        """Add cuts that a point violates, drop cuts that have long been idle; return how many were added."""
        limit = max(50, self._n)
        point = self.sets, solution.rows, solution.values
        members, codes = _core.exact.separate_cuts(*point, limit, threshold, effort, self.is_large, self._budget.pulse)
        if codes.size:
            self._drop_idle_cuts()
            self.add_cuts(members, codes)
        first, added = len(self.pool), 0
        if self._information is not None:
            added += self._information.add_violated(self.pool, *point, self._budget)
        if self.exchanges is not None:
            added += self.exchanges.add_violated(self.pool, *point, self._n, LEAST_EXCHANGE, self._budget.pulse)
        if added:
            self._append_rows(first)
        return int(codes.size) + added

    def ascend(self, solution: LpSolution, least: float, *, twice: bool) -> int:
        """Add clusters that each lower the bound by more than `least` (cpp/core/exact/dual_ascent.hpp); count them.

        The multipliers of a vertex leave many sets without a cost, and often no such cluster. Those of the last
        vertices on the average prove a little less, but few sets cost nothing there: what an ascent from them needs
        is a cut that the vertices to come violate. `twice` tries that, too, where the first has found little.
        """
        added = self._ascend_from(solution.reduced_costs, 2 * self._n, least)
        latest = self.pool.multipliers  # those of new cuts are 0
        self._mean_multipliers = 0.5 * (self._mean_multipliers + latest)
        if twice and added < FEW_STEPS:
            self.pool.set_multipliers(self._mean_multipliers)
            _, reduced_costs = self.pool.bound(self.sets, self._allowed)
            self.pool.set_multipliers(latest)
            added += self._ascend_from(reduced_costs, self._n // 2, least)
        return added

    def _ascend_from(self, reduced_costs: NDArray[np.float64], limit: int, least: float) -> int:
        members, steps = _core.exact.ascend(self.sets, reduced_costs, limit, least, self._budget.pulse)
        if steps.size:
            self.add_cuts(members, np.ones(steps.size, dtype=np.int32))
        return int(steps.size)

    def _drop_idle_cuts(self) -> None:
        idle = self._age > CUT_AGE
        if np.count_nonzero(idle) < 20:
            return
        index = (np.flatnonzero(idle) + self._n).astype(np.int32)
        self._solver.deleteRows(index.size, index)
        self.pool.keep((~idle).astype(np.uint8))
        self._forms, self._age = self._forms[~idle], self._age[~idle]
        self._mean_multipliers = self._mean_multipliers[~idle]

    def over(self, sets: CandidateSets, floor: float) -> Relaxation:
        """Return a relaxation over a smaller copy of the same nodes' sets, with the active cuts."""
        smaller = Relaxation(sets, floor, self._budget)
        smaller._information = self._information
        smaller.exchanges = self.exchanges
        active = self._age <= 1
        if active.any():
            smaller.pool.extend_from(self.pool, active.astype(np.uint8))
            smaller._append_rows(0)
            smaller._mean_multipliers = self._mean_multipliers[active]
        smaller.iterations, smaller.solves = self.iterations, self.solves
        return smaller


# Branch and bound over one component, with the linear relaxation's bound at every node.
#
# The root solves the relaxation with cuts, drops sets by reduced cost against the incumbent, and splits what is left
# into components again: most published instances end there. Of many nodes, clusters come from the points that the
# relaxation takes and, dozens at a time, from its reduced costs; where that becomes slow with a wide gap, windows
# improve the incumbent. The rest is a best-first search that follows one child of each node at once (a dive keeps the
# simplex basis warm); it branches on an arc (cpp/core/exact/branching.hpp), propagates acyclicity, fixes by reduced
# cost at every node, and shares one pool of cuts, all of which hold everywhere.
#
# How the arc is chosen: by pseudo-costs (Benichou et al. 1971), the loss of bound per unit of fraction that earlier
# branchings on the same arc caused; unknown ones are found by probing both sides with a few simplex iterations
# ("reliability branching", Achterberg, Koch and Martin 2005).


# Sums of scores are exact to about 1e-10; a set is dropped only if it is certainly too costly.
ROUNDING = 1e-8

# A round of cuts at the root is worth it if the bound falls by this much, however wide the gap is.
PROGRESS = 0.5

# A cluster from reduced costs is worth a cut if the bound falls by this part of the gap.
LEAST_STEP = 1e-4
# A gap per node from which, where progress is slow, multipliers of earlier vertices and windows are worth a look;
# windows after this many rounds.
MEAN_OPEN = 0.1
POLISH_AFTER = 4

# Information cuts come after so many rounds without, if the gap is still wider than so much per node: most problems of
# few cases are solved before.
PLAIN_ROUNDS = 15
WIDE_OPEN = 1.0

# Probing: how many arcs at most, how many without a better one, and simplex iterations per side.
MOST_PROBED = 16
PROBE_PATIENCE = 5  # (bands_BIC takes 1.7 s with 1, 5 or 16)
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
    step: ProofStep = field(default_factory=ProofStep)


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
    """Let the relaxation have the information in the data if the gap is worth it; return whether that is new."""
    if root.relaxation.is_dense or root.bound - root.incumbent.score <= WIDE_OPEN * root.sets.variables:
        return False
    information = Information.under(root.sets, root.incumbent.rows, data, budget)
    if information is not None:
        root.relaxation.inform(information)
    return information is not None


def exchange(root: Root, sets: CandidateSets, may_lose: float) -> bool:
    """Let the relaxation leave out what an exchange replaces; return whether that is new.

    Where the gap is small and there is no information, it is not one of orientations, and exchanges do not close it.
    `sets` are those that the root began with: what was dropped since may still replace something. The order that
    decides between equals is the incumbent's.
    """
    wide = root.relaxation.is_dense or root.bound - root.incumbent.score > WIDE_OPEN * root.sets.variables
    if not may_lose or root.loss or not wide or not root.incumbent.rows.size:
        return False
    exchanges = _core.exact.Exchanges(sets, root.incumbent.order, may_lose)
    if not exchanges.is_exact:
        return False
    root.loss = exchanges.loss
    root.relaxation.exchanges = exchanges
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
    return incumbent.descend_from(_core.exact.order_of_point(sets, solution.rows, solution.values))


class PseudoCosts:
    """Mean loss of bound per unit of fraction for each arc, absent (0) and present (1)."""

    def __init__(self) -> None:
        self._seen: dict[Branch, tuple[float, int]] = {}  # the sum of rates and their number
        self._all = 0.0, 0

    def learn(self, branch: Branch, loss: float, distance: float) -> None:
        """Record that a branch cost `loss` of bound over `distance`."""
        rate = max(loss, 0.0) / max(distance, 1e-3)
        total, count = self._seen.get(branch, (0.0, 0))
        self._seen[branch] = total + rate, count + 1
        self._all = self._all[0] + rate, self._all[1] + 1

    def knows(self, parent: int, child: int) -> bool:
        """Return whether both sides of an arc have been seen."""
        return (parent, child, True) in self._seen and (parent, child, False) in self._seen

    def estimate(self, branch: Branch) -> float:
        """Return the mean of this branch, or of all branches if it is new."""
        total, count = self._seen.get(branch, self._all)
        return total / count if count else 1.0


@dataclass(order=True)
class OpenNode:
    """A node that waits: worst bound last; `packed` are its allowed rows, one bit each."""

    key: float
    number: int
    packed: NDArray[np.uint8] = field(compare=False)
    step: ProofStep = field(compare=False)
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
        self.sets, self.relaxation, self.incumbent = root.sets, root.relaxation, root.incumbent
        self._budget, self._tolerance, self._slack, self._settle = budget, tolerance, slack, settle
        self._stage = "exact search" if settle is None else "credible set: bound"
        self._propagator = _core.exact.AcyclicityPropagator(root.sets)
        self._open: list[OpenNode] = []
        self._numbers = itertools.count()
        self._costs = PseudoCosts()
        self._root, self._scope = root, root.scope

    @property
    def _goal(self) -> float:
        return self.incumbent.score - self._slack + self._tolerance

    def run(self) -> float:
        """Search until the optimum is proved or the budget is exhausted."""
        allowed = np.ones(self.sets.rows, dtype=np.uint8)
        possible, allowed = self._propagate(allowed)
        dive = self._node(self._root.bound, allowed, self._root.step) if possible else None
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
            if len(self._open) * (node.packed.nbytes + NODE_BYTES) + recorded > self._budget.run.given.native_memory:
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
        self, bound: float, allowed: Allowed, step: ProofStep, branch: Branch | None = None, distance: float = 1.0
    ) -> OpenNode:
        return OpenNode(-bound, next(self._numbers), np.packbits(allowed), step, branch, distance)

    def _split(self, step: ProofStep, parent: int, child: int) -> tuple[ProofStep, ProofStep]:
        """Record a branch; return the steps of its sides, present and absent."""
        if self._scope is None:
            return step, step
        step.branch = self._scope.arc(parent, child)
        step.below = [ProofStep(), ProofStep()]
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
            left = _core.exact.impose_arc(self.sets, allowed, parent, child, present)
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
        """Return whether the latest multipliers alone drop the rows that several rounds have dropped."""
        bound, reduced_costs = self.relaxation.pool.bound(self.sets, start)
        room = bound - self.incumbent.score + self._slack
        possible, left = self._propagate(start & (reduced_costs <= room + ROUNDING))
        return possible and not (left > allowed).any()

    def _choose(self, solution: LpSolution, allowed: Allowed, bound: float) -> tuple[int, int, float] | OneSided | None:
        """Return the arc to branch on, with its weight; None if all are decided.

        Promising arcs that were never branched on are probed: both sides are bounded by a few simplex iterations. If
        one side has nothing to offer, the other side's rows are returned instead (none at all, if neither has).
        """
        parents, children, weights = _core.exact.fractional_arcs(self.sets, solution.rows, solution.values, 1e-6)
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
        left = _core.exact.impose_arc(self.sets, allowed, parent, child, present)
        possible, left = self._propagate(left)
        if not possible:
            return None, None
        iterations = PROBE_ITERATIONS_DENSE if self.relaxation.is_dense else PROBE_ITERATIONS
        reached, multipliers = self.relaxation.probe(left, iterations)
        if reached <= self._goal:
            return None, None if self._scope is None else self._scope.round_of(self.relaxation.pool, multipliers)
        self._costs.learn((parent, child, present), bound - reached, 1 - weight if present else weight)
        return left, None
