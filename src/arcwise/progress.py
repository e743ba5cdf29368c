"""Progress of long work: one event type, any callback, and a bar on a terminal once two seconds have passed."""

from __future__ import annotations

import contextlib
import math
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

__all__ = ["ProgressCallback", "ProgressEvent", "RunLine", "native_callback", "run_line", "show_progress"]

QUIET_SECONDS = 2.0
# Of less than this share of a step it cannot be told how long the whole takes.
LEAST_SHARE = 0.02


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
        self._words, self._begun, self._share = "", self._start, 0.0
        self._steps: Sequence[float] = ()
        self._most: Callable[[], float] = lambda: math.inf

    def begin(self, title: str, number: int, total: int, *, steps: Sequence[float], most: Callable[[], float]) -> None:
        """Begin a step.

        `steps` are about how many seconds it and those after it take, NaN for one that nobody knows of; `most` tells
        how many are left in any case, infinity without a limit.
        """
        self._words, self._begun, self._share = f"step {number} of {total}: {title}", time.monotonic(), 0.0
        self._steps, self._most = steps, most
        if self._forward is not None:
            left = self.seconds_left
            details = {} if left is None else {"seconds_left": left}
            self._forward(ProgressEvent(self._words, number - 1, total, details))
        self._show(None, None)

    @property
    def seconds_left(self) -> float | None:
        """About how long all that is left takes; None if nobody knows.

        What is done of a step tells how long the rest of it takes; a step of unknown length that is still to come is
        expected to take as long as this one.
        """
        passed = time.monotonic() - self._begun
        expected = self._steps[0] if self._steps else math.nan
        if self._share > LEAST_SHARE:
            expected = passed / self._share
        elif not expected > passed:  # unknown, or longer than was expected
            return None
        later = [expected if math.isnan(seconds) else seconds for seconds in self._steps[1:]]
        return min(max(0.0, expected - passed) + sum(later), self._most())

    def __call__(self, event: ProgressEvent) -> None:
        """Show what is done of the step."""
        if self._forward is not None:
            self._forward(event)
        self._share = 0.0 if not event.total else min(1.0, event.done / event.total)
        self._show(event.done, event.total)

    @property
    def words(self) -> str:
        """What the line says: "step 3 of 7: comparison: bootstrap, BIC, about 40 s left"."""
        left = self.seconds_left
        return self._words + ("" if left is None else f", about {math.ceil(left)} s left")

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
