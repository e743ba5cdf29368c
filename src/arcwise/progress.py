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

__all__ = ["ProgressCallback", "ProgressEvent", "native_callback", "show_progress"]

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
