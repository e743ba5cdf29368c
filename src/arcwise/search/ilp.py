"""The optimum over one component by an integer program in HiGHS, with cuts added until its solution is acyclic.

The independent second opinion: the branching, the bounds and the proof are the MIP solver's own; only inequalities
that hold for every acyclic network (cpp/core/search/cut_pool.hpp) are given to it. Rounds: solve the relaxation with
cuts, then the integer program with all of them; if its solution has a cycle, add the violated clusters and solve
again. Every round's dual bound holds for the problem, because a program with fewer cuts only allows more.

HiGHS runs in a thread of its own while this one waits: signals reach the main thread only, so Ctrl-C, the limits and
progress go on as always, and HiGHS asks a flag now and then whether it should stop.
"""

from __future__ import annotations

import math
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.limits import Status
from arcwise.search.budget import Budget
from arcwise.search.incumbent import Incumbent

if TYPE_CHECKING:
    from arcwise._core.search import CandidateSets

__all__ = ["solve_by_ilp"]


def solve_by_ilp(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> float:
    """Improve the incumbent to the optimum; return the upper bound proved (minus infinity: no acyclic choice)."""
    from arcwise import _core

    pool = _core.search.CutPool(sets.variables)
    columns = np.arange(sets.rows, dtype=np.int64)
    bound = math.inf
    integral = False
    while not budget.exhausted():
        watch = _Watch(budget, incumbent.score, bound)
        solver, status = _solve(sets, pool, columns, watch, integral)
        if status == "infeasible":
            return -math.inf
        if status == "stopped":
            bound = min(bound, _dual_bound(sets, solver, integral))
            break
        bound = min(bound, _dual_bound(sets, solver, integral))
        budget.nodes += int(solver.getInfo().mip_node_count) if integral else 0
        budget.report("integer program", incumbent.score, bound)
        values = np.array(solver.getSolution().col_value)
        used = np.flatnonzero(values > 1e-6)
        members, codes = _core.search.separate_cuts(
            sets, columns[used], np.ascontiguousarray(values[used]), max(50, sets.variables), 1e-3, 0 if integral else 1
        )
        if codes.size:
            pool.extend(members, codes)
            continue
        order = _core.search.order_of_point(sets, columns[used], np.ascontiguousarray(values[used]))
        incumbent.descend_from(order)
        if integral or bound <= incumbent.score + tolerance:
            break  # acyclic: the program's optimum is the problem's, to HiGHS's tolerance
        integral = True
    return max(incumbent.score, bound)


class _Watch:
    """Runs HiGHS and stops it when the budget is exhausted or Ctrl-C arrives."""

    def __init__(self, budget: Budget, incumbent: float, bound: float) -> None:
        self._budget = budget
        self._incumbent = incumbent
        self._bound = bound
        self._stopping = False

    def _asked(self, event: Any) -> None:
        if self._stopping:
            event.interrupt()
        reached = event.data_out.mip_dual_bound
        if math.isfinite(reached):
            self._bound = min(self._bound, reached)

    def run(self, solver: Any) -> None:
        """Return when HiGHS has; the budget's status says whether it was stopped."""
        for event in (solver.cbSimplexInterrupt, solver.cbMipInterrupt):
            event.subscribe(self._asked)
        thread = threading.Thread(target=solver.run, daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join(0.02)
                self._budget.report("integer program", self._incumbent, self._bound)
                self._stopping = self._stopping or self._budget.exhausted()
            except KeyboardInterrupt:
                self._budget.stop(Status.INTERRUPTED)
                self._stopping = True
        solver.clearCallbacks()


def _solve(
    sets: CandidateSets, pool: Any, columns: NDArray[np.int64], watch: _Watch, integral: bool
) -> tuple[Any, str]:
    import highspy

    n, rows = sets.variables, sets.rows
    node = np.repeat(np.arange(n), np.diff(sets.offsets))
    (starts, index, value), forms, sides = pool.rows(sets, columns, 0)
    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = rows, n + len(pool)
    program.sense_ = highspy.ObjSense.kMaximize
    best = sets.scores[sets.offsets[:-1]]
    program.offset_ = float(best.sum())
    program.col_cost_ = sets.scores - best[node]
    program.col_lower_, program.col_upper_ = np.zeros(rows), np.ones(rows)
    at_most = forms == 0
    program.row_lower_ = np.concatenate([np.ones(n), np.where(at_most, -highspy.kHighsInf, sides)])
    program.row_upper_ = np.concatenate([np.ones(n), np.where(at_most, sides, highspy.kHighsInf)])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = np.concatenate([sets.offsets[:-1], rows + starts.astype(np.int64)]).astype(np.int32)
    program.a_matrix_.index_ = np.concatenate([np.arange(rows), index]).astype(np.int32)
    program.a_matrix_.value_ = np.concatenate([np.ones(rows), value])
    if integral:
        program.integrality_ = [highspy.HighsVarType.kInteger] * rows
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
    options: dict[str, Any] = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-7}
    options["mip_feasibility_tolerance"] = 1e-9
    for option, setting in options.items():
        solver.setOptionValue(option, setting)
    solver.passModel(program)
    watch.run(solver)
    outcome = solver.getModelStatus()
    if outcome == highspy.HighsModelStatus.kOptimal:
        return solver, "optimal"
    if outcome in (highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible):
        return solver, "infeasible"
    return solver, "stopped"


def _dual_bound(sets: CandidateSets, solver: Any, integral: bool) -> float:
    import highspy

    info = solver.getInfo()
    if integral:
        return float(info.mip_dual_bound)
    if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
        return float(info.objective_function_value)
    return float(sets.scores[sets.offsets[:-1]].sum())
