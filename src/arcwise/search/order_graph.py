"""`OrderGraphFinisher`: closes a component by searching the orders that its bounds leave (native order_graph.hpp)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.limits import Status
from arcwise.search.budget import Budget
from arcwise.search.incumbent import Incumbent

if TYPE_CHECKING:
    from arcwise._core.search import CandidateSets
    from arcwise.search.relaxation import LpSolution

__all__ = ["OrderGraphFinisher"]

# Where the attempt pays: few nodes, many sets. Sparse problems close by cuts in less time than the attempt takes.
MOST_NODES = 30
FEWEST_SETS_PER_NODE = 60
MOST_STATES = 120_000
DUALS_KEPT = 2
FIRST_ATTEMPT = 4  # when so many bounds have been noted, each at most 0.6 of the gap before
BETTER, NONE_BETTER = 0, 1


class OrderGraphFinisher:
    """Collects bounds while the root is solved, and tries once, when they have become good, to finish with them."""

    def __init__(self, sets: CandidateSets) -> None:
        self._pays = sets.variables <= MOST_NODES and sets.rows >= FEWEST_SETS_PER_NODE * sets.variables
        self._duals: list[tuple[float, NDArray[np.float64]]] = []
        self._gap = np.inf
        self._noted = 0

    def attempt(self, sets: CandidateSets, solution: LpSolution, incumbent: Incumbent, budget: Budget) -> bool:
        """Note a bound if it is much better than the last; say whether the component is solved.

        The bounds are over `sets`, which must not change between calls: `forget` them when it does.
        """
        from arcwise import _core

        gap = solution.bound - incumbent.score
        if not self._pays or not gap < 0.6 * self._gap:
            return False
        self._gap = gap
        self._duals = [*self._duals[-(DUALS_KEPT - 1) :], (solution.bound, solution.reduced_costs)]
        self._noted += 1
        if self._noted != FIRST_ATTEMPT or len(self._duals) < DUALS_KEPT:
            return False
        outcome, score, rows, _, reason = _core.search.search_order_graph(
            sets,
            np.ones(sets.rows, dtype=np.uint8),
            np.array([costs for _, costs in self._duals]),
            np.array([bound for bound, _ in self._duals]),
            incumbent.score,
            MOST_STATES,
            budget.seconds_left,
            budget.native_report("order graph"),
        )
        if reason:
            budget.stop(Status.from_native(reason))
        if outcome == BETTER:
            incumbent.take(rows, score)
        return outcome in (BETTER, NONE_BETTER)

    def forget(self) -> None:
        """Drop the bounds, because the rows they speak of have changed."""
        self._duals = []
