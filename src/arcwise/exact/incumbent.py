"""`Incumbent`: the best network found so far over one component, improved by order-based local search."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.run import Status
from arcwise.exact.budget import Budget

if TYPE_CHECKING:
    from arcwise._core.local import OrderedNetwork
    from arcwise._core.parent_sets import CandidateSets


FIRST_ITERATIONS = 2000
PATIENCE = 120


class Incumbent:
    """The best acyclic choice of one row per node that is known; `score` is minus infinity while there is none.

    It lives as long as its `CandidateSets`; `moved_to` carries it over to a smaller copy.
    """

    def __init__(self, sets: CandidateSets, seed: int, budget: Budget) -> None:
        self.sets = sets
        self.score = -math.inf
        self.order: NDArray[np.int32] = np.arange(sets.variables, dtype=np.int32)
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._seed = seed
        self._budget = budget
        self._improved = False
        self._search = _core.local.OrderSearch(sets, seed)

    def begin(self) -> bool:
        """Take any acyclic choice, in the time of reading the sets once; False if there is none at all."""
        order = _core.exact.feasible_order(self.sets)
        return order.size == self.sets.variables and self.take(order)

    @property
    def origins(self) -> NDArray[np.int64]:
        """The rows of the table that the network has; none if there is none."""
        return self.sets.origins[self.rows]

    def offer(self, network: OrderedNetwork) -> bool:
        """Take a network if it is complete and better."""
        order, rows, score, missing = network
        if missing or not score > self.score:
            return False
        self.order, self.rows, self.score = order, rows, score
        return True

    def improve(self, iterations: int = FIRST_ITERATIONS) -> None:
        """Iterated local search, from a random order at first, later from the best one."""
        start = self.order if self._improved else np.empty(0, dtype=np.int32)
        self._improved = True
        network, reason = self._search.iterate(
            start, iterations, PATIENCE, self._budget.run.seconds_left, self._budget.native_report("local search")
        )
        self.offer(network)
        if reason:
            self._budget.stop(Status.from_native(reason))

    def take(self, order: NDArray[np.int32]) -> bool:
        """Try the network that an order gives: the best set of each node among those before it."""
        return self.offer(self._search.evaluate(order))

    def descend_from(self, order: NDArray[np.int32]) -> bool:
        """Try the local optimum that an order leads to."""
        return self.offer(self._search.descend(order, self._budget.pulse))

    def moved_to(self, sets: CandidateSets) -> Incumbent:
        """Return the same network over a smaller copy of the sets, or what its order still gives there."""
        moved = Incumbent(sets, self._seed, self._budget)
        moved._improved = self._improved
        if self.rows.size:
            moved.take(self.order)
        return moved
