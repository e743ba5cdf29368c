"""`Relaxation`: the linear relaxation of the problem over one component, with cuts and columns added as needed.

Variables x(v, S), one for each candidate set; for each node they sum to 1; acyclicity is enforced by cuts that are
separated natively (clusters and four-node facets, see cpp/core/exact/cut_pool.hpp, and where there are data
`arcwise.exact.information`). HiGHS solves the program, but
nothing rests on its numbers: the bound and the reduced costs are computed natively from the multipliers alone, over
*all* sets.

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

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.exact.budget import Budget
from arcwise.limits import Limits, Status

if TYPE_CHECKING:
    from arcwise._core.exact import Exchanges
    from arcwise._core.parent_sets import CandidateSets
    from arcwise.exact.information import Information

__all__ = ["LpSolution", "Relaxation"]

FIRST_COLUMNS = 40
NEW_COLUMNS = 25
NEGLIGIBLE = 1e-9
CUT_AGE = 4
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

        from arcwise import _core

        self.sets = sets
        self.pool = _core.exact.CutPool(sets.variables)
        self.iterations = 0
        self.solves = 0
        self._budget = budget or Budget(Limits(), lambda event: None)
        self._separate = _core.exact.separate_cuts
        self._ascend = _core.exact.ascend
        self._infinity = highspy.kHighsInf
        self._optimal = highspy.HighsModelStatus.kOptimal
        self._out_of_time = highspy.HighsModelStatus.kTimeLimit
        self._out_of_iterations = highspy.HighsModelStatus.kIterationLimit
        self._incumbent, self._bound = floor, math.inf
        self._n = sets.variables
        self._offsets = sets.offsets
        self._scores = sets.scores
        self._node = np.repeat(np.arange(self._n), np.diff(self._offsets))
        self._best = self._scores[self._offsets[:-1]]
        self._forms = np.empty(0, dtype=np.uint8)
        self._age = np.empty(0, dtype=np.int64)
        self._mean_multipliers = np.empty(0)
        self._columns = np.empty(0, dtype=np.int64)
        self._is_column = np.zeros(sets.rows, dtype=bool)
        self._allowed = np.ones(sets.rows, dtype=np.uint8)
        self._penalty = float(self._best.sum()) - floor + 1.0
        self._solver = self._new_solver()
        rank = np.arange(sets.rows) - self._offsets[self._node]
        self._add_columns(np.flatnonzero(rank < FIRST_COLUMNS))
        self._information: Information | None = None
        self._exchanges: Exchanges | None = None
        if information is not None:
            self.inform(information)

    def exchange(self, exchanges: Exchanges) -> None:
        """Take cuts that only some best network satisfies (cpp/core/exact/exchange.hpp) from now on."""
        self._exchanges = exchanges

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

    def _new_solver(self) -> Any:
        import highspy

        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
        for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off"), ("solver", "simplex")):
            solver.setOptionValue(option, value)
        n = self._n
        # The equations with the artificial columns.
        one, empty = np.ones(n), np.empty(0)
        starts = np.zeros(n, dtype=np.int32)
        solver.addRows(n, one, one, 0, starts, np.empty(0, dtype=np.int32), empty)
        index = np.arange(n, dtype=np.int32)
        solver.addCols(n, np.full(n, self._penalty), np.zeros(n), np.full(n, self._infinity), n, index, index, one)
        return solver

    def restrict(self, allowed: NDArray[np.uint8]) -> None:
        """Allow exactly these rows from now on."""
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
            self._raise_penalty()

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
        while (ending := self._run_slice(SLICE_ITERATIONS)) == self._out_of_iterations:
            self._budget.report("linear program", self._incumbent, self._bound)
            if self._budget.exhausted():
                return False
        return bool(ending != self._out_of_time)

    def _run_slice(self, iterations: int) -> Any:
        """Run HiGHS for so many iterations at most; return how it ended. If time is over, the budget knows it."""
        # HiGHS counts the time of all its runs.
        left = min(self._budget.seconds_left, 1e9)
        self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
        self._solver.setOptionValue("simplex_iteration_limit", iterations)
        self._solver.run()
        ending = self._solver.getModelStatus()
        if ending == self._out_of_time:
            self._budget.stop(Status.TIME_LIMIT)
        return ending

    def _solve_columns(self) -> tuple[LpSolution, NDArray[np.float64]]:
        finished = self._run()
        if finished and self._solver.getModelStatus() != self._optimal:
            # A numerical accident: once more from scratch, without the basis.
            self._solver.clearSolver()
            if self._run() and self._solver.getModelStatus() != self._optimal:
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
        """Give the program the cuts that the pool has from a certain one on."""
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
        members, codes = self._separate(
            self.sets, solution.rows, solution.values, limit, threshold, effort, self.is_large, self._budget.pulse
        )
        if codes.size:
            self._drop_idle_cuts()
            self.add_cuts(members, codes)
        return int(codes.size) + self._separate_information(solution) + self._separate_exchanges(solution)

    def ascend(self, solution: LpSolution, least: float, *, twice: bool) -> int:
        """Add clusters that lower the bound by more than `least` each (cpp/core/exact/dual_ascent.hpp); say how many.

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
        members, steps = self._ascend(self.sets, reduced_costs, limit, least, self._budget.pulse)
        if steps.size:
            self.add_cuts(members, np.ones(steps.size, dtype=np.int32))
        return int(steps.size)

    def _separate_information(self, solution: LpSolution) -> int:
        if self._information is None:
            return 0
        first = len(self.pool)
        added = self._information.add_violated(self.pool, self.sets, solution.rows, solution.values, self._budget)
        if added:
            self._append_rows(first)
        return added

    def _separate_exchanges(self, solution: LpSolution) -> int:
        if self._exchanges is None:
            return 0
        first = len(self.pool)
        added = self._exchanges.add_violated(
            self.pool, self.sets, solution.rows, solution.values, self._n, LEAST_EXCHANGE, self._budget.pulse
        )
        if added:
            self._append_rows(first)
        return added

    def _drop_idle_cuts(self) -> None:
        idle = self._age > CUT_AGE
        if np.count_nonzero(idle) < 20:
            return
        index = (np.flatnonzero(idle) + self._n).astype(np.int32)
        self._solver.deleteRows(index.size, index)
        self.pool.keep((~idle).astype(np.uint8))
        self._forms, self._age = self._forms[~idle], self._age[~idle]
        self._mean_multipliers = self._mean_multipliers[~idle]

    def _raise_penalty(self) -> None:
        self._penalty *= 8.0
        index = np.arange(self._n, dtype=np.int32)
        self._solver.changeColsCost(self._n, index, np.full(self._n, self._penalty))

    def over(self, sets: CandidateSets, floor: float) -> Relaxation:
        """Return a relaxation over a smaller copy of the same nodes' sets, with the active cuts."""
        smaller = Relaxation(sets, floor, self._budget)
        smaller._information = self._information
        smaller._exchanges = self._exchanges
        active = self._age <= 1
        if active.any():
            smaller.pool.extend_from(self.pool, active.astype(np.uint8))
            smaller._append_rows(0)
            smaller._mean_multipliers = self._mean_multipliers[active]
        smaller.iterations, smaller.solves = self.iterations, self.solves
        return smaller
