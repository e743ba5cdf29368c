"""Progress of long work: one event type, any callback, and a bar on a terminal once two seconds have passed."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["ProgressCallback", "ProgressEvent", "RunLine", "native_callback", "run_line", "show_progress"]

QUIET_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class ProgressEvent:
    """Where a stage stands: `done` of `total` (None: not known), and details such as incumbent and bound."""

    stage: str
    done: int
    total: int | None = None
    details: Mapping[str, float] = field(default_factory=dict)


ProgressCallback = Callable[[ProgressEvent], None]


class _Bar:
    """A rich progress bar on stderr that appears only when the work takes longer than `quiet` seconds."""

    def __init__(self, quiet: float) -> None:
        self._quiet = quiet
        self._start = time.monotonic()
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, event: ProgressEvent) -> None:
        if self._progress is None:
            if time.monotonic() - self._start < self._quiet:
                return
            self._progress = _rich_progress()
            self._progress.start()
        if event.stage not in self._tasks:
            self._tasks[event.stage] = self._progress.add_task(event.stage, total=event.total, note="")
        note = "  ".join(f"{name} {value:,.6g}" for name, value in event.details.items() if math.isfinite(value))
        self._progress.update(self._tasks[event.stage], completed=event.done, total=event.total, note=note)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()


def _rich_progress() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
        console=Console(stderr=True),
    )


class RunLine:
    """One line for a run of several steps: which one, what is done of it, and about how long the rest takes.

    It is a callback for whatever the steps do, and it appears once the run takes longer than `quiet` seconds. What is
    not shown on a terminal goes to `forward`.
    """

    def __init__(self, forward: ProgressCallback | None, quiet: float | None) -> None:
        self._forward, self._quiet = forward, quiet
        self._start = time.monotonic()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._words = ""
        self._left: Callable[[], float] = lambda: math.inf

    def begin(self, title: str, number: int, total: int, left: Callable[[], float]) -> None:
        """Begin a step; `left` tells about how many seconds all that is left takes, infinity if that is not known."""
        self._words, self._left = f"step {number} of {total}: {title}", left
        if self._forward is not None:
            seconds = left()
            details = {"seconds_left": seconds} if math.isfinite(seconds) else {}
            self._forward(ProgressEvent(self._words, number - 1, total, details))
        self._show(None, None)

    def __call__(self, event: ProgressEvent) -> None:
        """Show what is done of the step."""
        if self._forward is not None:
            self._forward(event)
        self._show(event.done, event.total)

    @property
    def words(self) -> str:
        """What the line says: "step 3 of 7: comparison: bootstrap, BIC, about 40 s left"."""
        left = self._left()
        return self._words + (f", about {left:.0f} s left" if math.isfinite(left) else "")

    def _show(self, done: int | None, total: int | None) -> None:
        if self._quiet is None or (self._progress is None and time.monotonic() - self._start < self._quiet):
            return
        if self._progress is None:
            self._progress = _rich_line()
            self._progress.start()
            self._task = self._progress.add_task(self.words, total=None)
        assert self._task is not None
        self._progress.update(self._task, description=self.words, completed=done or 0, total=total)

    def close(self) -> None:
        """Take the line away."""
        if self._progress is not None:
            self._progress.stop()


def _rich_line() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


@contextlib.contextmanager
def run_line(progress: bool | ProgressCallback | None) -> Iterator[RunLine]:
    """Turn the `progress` argument of a run of several steps into one line; see `show_progress`."""
    if callable(progress):
        line = RunLine(progress, None)
    elif progress is False or (progress is None and not sys.stderr.isatty()):
        line = RunLine(None, None)
    else:
        line = RunLine(None, 0.0 if progress else QUIET_SECONDS)
    try:
        yield line
    finally:
        line.close()


@contextlib.contextmanager
def show_progress(progress: bool | ProgressCallback | None) -> Iterator[ProgressCallback]:
    """Turn the `progress` argument that every long function takes into a callback.

    None shows a bar if stderr is a terminal and the work takes over two seconds; True shows it at once and
    anywhere; False shows nothing; a callable receives every `ProgressEvent`.
    """
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield lambda event: None
        return
    bar = _Bar(0.0 if progress else QUIET_SECONDS)
    try:
        yield bar
    finally:
        bar.close()


def native_callback(callback: ProgressCallback, stage: str) -> Callable[[int, int, float, float], None]:
    """Adapt a progress callback to what the native core calls: (done, total, incumbent, bound)."""

    def report(done: int, total: int, incumbent: float, bound: float) -> None:
        details = {name: v for name, v in (("incumbent", incumbent), ("bound", bound)) if math.isfinite(v)}
        callback(ProgressEvent(stage, done, total or None, details))

    return report
