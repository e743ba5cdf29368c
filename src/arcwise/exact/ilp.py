"""The optimum over one component by an integer program in HiGHS, with cuts added until its solution is acyclic.

The independent second opinion: the branching, the bounds and the proof are the MIP solver's own; only inequalities
that hold for every acyclic network (cpp/core/exact/cut_pool.hpp) are given to it. Rounds: solve the relaxation with
cuts, then the integer program with all of them; if its solution has a cycle, add the violated clusters and solve
again. Every round's dual bound holds for the problem, because a program with fewer cuts only allows more.

HiGHS runs in a thread of its own while this one waits: signals reach the main thread only, so Ctrl-C, the limits and
progress work as always, and HiGHS checks a flag now and then to see whether it should stop.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.exact.incumbent import Budget, Incumbent

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets


def solve_by_ilp(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> float:
    """Improve the incumbent, which is a network, to the optimum; return the upper bound proved."""
    program = _Program(sets)
    columns = np.arange(sets.rows, dtype=np.int64)
    bound = math.inf
    integral = False
    while not budget.exhausted():
        is_optimal = program.solve(budget, incumbent.score, bound)
        bound = min(bound, program.dual_bound(integral))
        if not is_optimal:
            if not budget.exhausted():
                raise ArithmeticError(f"HiGHS ended with {program.solver.getModelStatus()} on a bounded program")
            break
        budget.nodes += int(program.solver.getInfo().mip_node_count) if integral else 0
        budget.report("integer program", incumbent.score, bound)
        values = np.array(program.solver.getSolution().col_value)
        used = np.flatnonzero(values > 1e-6)
        members, codes = _core.exact.separate_cuts(
            sets,
            columns[used],
            np.ascontiguousarray(values[used]),
            max(50, sets.variables),
            1e-3,
            0 if integral else 1,
            callback=budget.pulse,
        )
        if codes.size:
            program.add_cuts(members, codes)
            continue
        order = _core.exact.order_of_point(sets, columns[used], np.ascontiguousarray(values[used]))
        incumbent.descend_from(order)
        if integral or bound <= incumbent.score + tolerance:
            break  # acyclic: the program's optimum is the problem's, to HiGHS's tolerance
        integral = True
        program.require_integers()
    return max(incumbent.score, bound)


class _Program:
    """The program in HiGHS: one column for each set, one equation for each node, and the cuts so far."""

    def __init__(self, sets: CandidateSets) -> None:
        import highspy

        self._sets, self._highs = sets, highspy
        self._columns = np.arange(sets.rows, dtype=np.int64)
        self._pool = _core.exact.CutPool(sets.variables)
        n, rows = sets.variables, sets.rows
        node = np.repeat(np.arange(n), np.diff(sets.offsets))
        best = sets.scores[sets.offsets[:-1]]
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = rows, n
        program.sense_ = highspy.ObjSense.kMaximize
        program.offset_ = float(best.sum())
        program.col_cost_ = sets.scores - best[node]
        program.col_lower_, program.col_upper_ = np.zeros(rows), np.ones(rows)
        program.row_lower_ = program.row_upper_ = np.ones(n)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = sets.offsets.astype(np.int32)
        program.a_matrix_.index_ = np.arange(rows, dtype=np.int32)
        program.a_matrix_.value_ = np.ones(rows)
        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
        options: dict[str, Any] = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-7}
        options["mip_feasibility_tolerance"] = 1e-9
        for option, setting in options.items():
            self.solver.setOptionValue(option, setting)
        self.solver.passModel(program)

    def add_cuts(self, members: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        """Add cuts, given as in `CutPool.extend`; the next solution starts from the last one."""
        first = len(self._pool)
        self._pool.extend(members, codes)
        (starts, index, value), forms, sides = self._pool.rows(self._sets, self._columns, first)
        lower = np.where(forms == 0, -self._highs.kHighsInf, sides)
        upper = np.where(forms == 0, sides, self._highs.kHighsInf)
        self.solver.addRows(codes.size, lower, upper, index.size, starts[:-1], index, value)

    def require_integers(self) -> None:
        """Make the linear program an integer program."""
        count = self._columns.size
        kinds = np.full(count, int(self._highs.HighsVarType.kInteger), dtype=np.uint8)
        self.solver.changeColsIntegrality(count, self._columns.astype(np.int32), kinds)

    @property
    def is_optimal(self) -> bool:
        """Whether the last run came to its end."""
        return bool(self.solver.getModelStatus() == self._highs.HighsModelStatus.kOptimal)

    def solve(self, budget: Budget, incumbent: float, bound: float) -> bool:
        """Run HiGHS until it ends, or the budget is exhausted or Ctrl-C arrives; return whether it came to its end."""
        stopping, reached = threading.Event(), [bound]

        def asked(event: Any) -> None:
            if stopping.is_set():
                event.interrupt()
            if math.isfinite(event.data_out.mip_dual_bound):
                reached[0] = min(reached[0], event.data_out.mip_dual_bound)

        for event in (self.solver.cbSimplexInterrupt, self.solver.cbMipInterrupt):
            event.subscribe(asked)
        thread = threading.Thread(target=self.solver.run, daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join(0.02)
                budget.report("integer program", incumbent, reached[0])
            except KeyboardInterrupt:  # of a second Ctrl-C, or a handler that was set meanwhile
                budget.stop()
            if budget.exhausted():
                stopping.set()
        self.solver.clearCallbacks()
        return self.is_optimal

    def dual_bound(self, integral: bool) -> float:
        """Return what the last run has proved."""
        info = self.solver.getInfo()
        if integral:
            return float(info.mip_dual_bound)
        if self.is_optimal:
            return float(info.objective_function_value)
        return float(self._sets.scores[self._sets.offsets[:-1]].sum())
