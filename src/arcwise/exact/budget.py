"""`Budget`: what is left of a run while a search goes on, over all of its parts."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator

from arcwise.base.run import ProgressEvent, Run, Status, native_callback

REPORT_SECONDS = 0.1


class Budget:
    """The run, the node counter and the status of one search over all of its parts.

    A search asks `exhausted` before every expensive step and stops when it is true; `status` then says why. A progress
    callback that raises KeyboardInterrupt stops the search like a limit. While one part is worked on, `elsewhere` holds
    what the others contribute, so that reports speak of the whole network.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.nodes = 0
        self._most_nodes = float(run.given.native_count)
        self._outer: Budget | None = None
        self.status = Status.COMPLETE
        self._next_report = REPORT_SECONDS
        self._last: ProgressEvent | None = None
        self._score_elsewhere = 0.0
        self._bound_elsewhere = 0.0

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
