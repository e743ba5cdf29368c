"""What a search has: its `Budget`, what is left of a run, and its `Incumbent`, the best network so far."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.run import ProgressEvent, Run, Status, native_callback

if TYPE_CHECKING:
    from arcwise._core.local import OrderedNetwork
    from arcwise._core.parent_sets import CandidateSets


REPORT_SECONDS = 0.1


class Budget:
    """The run, the node counter and the status of one search over all of its parts.

    A search asks `exhausted` before every expensive step and stops when it is true; `status` then says why. A progress
    callback that raises KeyboardInterrupt stops the search like a limit. While one part is worked on, `elsewhere` holds
    what the others contribute, so that reports speak of the whole network.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.nodes, self._most_nodes = 0, float(run.given.native_count)
        self.status = Status.COMPLETE
        self._outer: Budget | None = None
        self._next_report = REPORT_SECONDS
        self._last: ProgressEvent | None = None
        self._score_elsewhere = self._bound_elsewhere = 0.0

    @property
    def nodes_left(self) -> int:
        """The nodes that are left, at least 0; about 2^63 without a limit."""
        return max(0, int(self._most_nodes - self.nodes))

    def exhausted(self) -> bool:
        """Return whether the search must stop."""
        if self.status is Status.COMPLETE:
            if self._outer is not None and self._outer.exhausted():
                self.status = self._outer.status
            elif self.run.is_over:
                self.status = Status.TIME_LIMIT
            elif self.nodes >= self._most_nodes:
                self.status = Status.COUNT_LIMIT
        return self.status is not Status.COMPLETE

    def check(self) -> None:
        """Raise KeyboardInterrupt if the search must stop: what native code stops at."""
        if self.exhausted():
            raise KeyboardInterrupt

    def stop(self, status: Status = Status.INTERRUPTED) -> None:
        """Record why the search stops, unless it already has a reason."""
        if self.status is Status.COMPLETE:
            self.status = status

    @contextlib.contextmanager
    def aside(self, nodes: int) -> Iterator[Budget]:
        """Give a smaller problem some of the nodes that are left; its progress is not told, only that there is some."""
        inner = Budget(self.run.but(progress=lambda event: self._repeat()))
        inner._outer = self
        inner._most_nodes = min(nodes, self._most_nodes - self.nodes)
        try:
            yield inner
        finally:
            self.nodes += inner.nodes
            if inner.status is Status.INTERRUPTED:  # by a second Ctrl-C: it is for all of it
                self.stop()

    @contextlib.contextmanager
    def elsewhere(self, score: float, bound: float) -> Iterator[None]:
        """While inside, add the score and the bound of the parts that are not worked on."""
        before = self._score_elsewhere, self._bound_elsewhere
        self._score_elsewhere += score
        self._bound_elsewhere += bound
        try:
            yield
        finally:
            self._score_elsewhere, self._bound_elsewhere = before

    def announce(self, stage: str, done: int, total: int) -> None:
        """Tell the caller that one of a few steps begins."""
        self._send(ProgressEvent(stage, done, total))

    def report(self, stage: str, incumbent: float, bound: float) -> None:
        """Tell the caller where the part at hand stands, at most ten times a second."""
        now = self.run.seconds
        if now < self._next_report:
            return
        self._next_report = now + REPORT_SECONDS
        details = {"incumbent": incumbent + self._score_elsewhere, "bound": bound + self._bound_elsewhere}
        details["gap"] = details["bound"] - details["incumbent"]
        known = {name: value for name, value in details.items() if math.isfinite(value)}
        self._send(ProgressEvent(stage, self.nodes, None, known))

    def native_report(self, stage: str) -> Callable[[int, int, float, float], None]:
        """Return a callback for native code, which reports (done, total, incumbent, bound) and stops if it raises."""
        tell = native_callback(self._send, stage)

        def forward(done: int, total: int, incumbent: float, bound: float) -> None:
            tell(done, total, incumbent, bound)
            self.check()

        return forward

    def pulse(self, *_: float) -> None:
        """Repeat the last report, for native code that has nothing to add to it; stop it like `native_report`."""
        self._repeat()
        self.check()

    def _repeat(self) -> None:
        if self._last is not None:
            self._send(self._last)

    def _send(self, event: ProgressEvent) -> None:
        self._last = event
        try:
            self.run.callback(event)
        except KeyboardInterrupt:
            self.stop()


FIRST_ITERATIONS = 2000
PATIENCE = 120


class Incumbent:
    """The best acyclic choice of one row per node that is known; `score` is minus infinity while there is none.

    Local search over orders improves it. It lives as long as its `CandidateSets`; `moved_to` carries it over to a
    smaller copy.
    """

    def __init__(self, sets: CandidateSets, seed: int, budget: Budget) -> None:
        self.sets = sets
        self.score = -math.inf
        self.order: NDArray[np.int32] = np.arange(sets.variables, dtype=np.int32)
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._seed, self._budget = seed, budget
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
