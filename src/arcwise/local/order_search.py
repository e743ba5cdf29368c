"""Order-based search over a table of parent sets (Teyssier & Koller 2005)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ConstraintError, OptionError, check_count
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, native_seed
from arcwise.graph.constraints import Constraints
from arcwise.local.problem import LocalSearchResult
from arcwise.parent_sets.candidate_sets import candidate_sets, network_of_rows
from arcwise.parent_sets.table import ParentSetTable


def order_search(
    table: ParentSetTable,
    *,
    iterations: int = 1000,
    patience: int = 150,
    start: Sequence[str] | None = None,
    constraints: Constraints | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> LocalSearchResult:
    """Search over orders of the variables; given an order, every variable takes its best parents before it.

    The space of orders is smaller and smoother than that of networks: where hill climbing over networks ends far below
    the optimum, this often ends at it. A move takes one variable out of the order and puts it back anywhere (swaps of
    neighbours are such moves). A local optimum is left by a few random moves (iterated local search); after
    `patience` of them without a gain the search starts again from a random order. The best network seen is returned.

    Parameters
    ----------
    table
        The candidate parent sets of every variable, e.g. from `build_parent_sets`.
    iterations
        How many perturbations in total.
    patience
        How many perturbations without a gain lead to a new start.
    start
        An order of the variables to start from, parents first; None for a random one.
    constraints
        Only parent sets of the table that they allow are used.
    seed, limits, progress
        As for `hill_climb`; ``limits.count`` is the perturbations at most.

    Returns
    -------
    LocalSearchResult
        `history` has the best score after each `patience` perturbations, `restarts` the positions of new starts.
    """
    check_count("iterations", iterations, 1)
    check_count("patience", patience, 1)
    table.validate()
    sets = candidate_sets(table, constraints)
    allowed = min(iterations, (limits or Limits()).native_count)
    order = _positions(table, start)
    best_rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    best = current = (-table.n_variables, -np.inf)  # minus the variables without a parent set; the score
    history: list[float] = []
    restarts: list[int] = []
    done, status = 0, Status.COMPLETE
    with Run.begin(limits, progress, seed=seed) as run:
        search, report = _core.local.OrderSearch(sets, native_seed(run.seed)), run.native_report("order")
        while done < allowed:
            size = min(patience, allowed - done)
            (found, rows, score, missing), reason = search.iterate(order, size, size + 1, run.seconds_left, report)
            done += size
            value = (-missing, score)
            if value > best or not best_rows.size:
                best, best_rows = value, rows
            history.append(best[1])
            if reason:
                status = Status.from_native(reason)
                break
            if value > current:
                current, order = value, found
            else:
                current, order = (-table.n_variables, -np.inf), np.empty(0, dtype=np.int32)
                if done < allowed:
                    restarts.append(len(history))
    if allowed < iterations and status is Status.COMPLETE:
        status = Status.COUNT_LIMIT
    if best[0] < 0:
        raise ConstraintError(
            "no order was found in which every variable has a parent set of the table that the constraints allow; "
            "find_optimal says whether there is one."
        )
    dag, score = network_of_rows(table, sets.origins[best_rows], constraints)
    return LocalSearchResult(
        dag=dag,
        score=score,
        method="order",
        scored_by=table.score,
        # The core adds the same scores in another order: no entry may exceed the final score by that rounding.
        history=np.minimum([*history[:-1], score], score),
        restarts=tuple(restarts),
        iterations=done,
        operations=search.operations,
        families_scored=table.n_rows if table.statistics is None else table.statistics.families,
        seed=run.seed,
        seconds=run.seconds,
        status=status,
    )


def _positions(table: ParentSetTable, start: Sequence[str] | None) -> NDArray[np.int32]:
    if start is None:
        return np.empty(0, dtype=np.int32)
    if sorted(start) != sorted(table.names):
        raise OptionError(f"start must hold every variable once: {', '.join(table.names)}.")
    return np.array([table.names.index(name) for name in start], dtype=np.int32)
