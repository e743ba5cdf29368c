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

QUIET_SECONDS = 2.0  # shorter work needs no progress line
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


def ignore(event: ProgressEvent) -> None:
    """Do nothing: the callback of work whose progress is not shown."""


class _Bars:
    """Bars of rich on stderr, one for each stage, which appear once the work has taken longer than `quiet` seconds.

    None for never. With `one_line` there is one bar, which goes when it is closed.
    """

    def __init__(self, quiet: float | None, *, one_line: bool = False) -> None:
        self._quiet, self._one_line, self._start = quiet, one_line, time.monotonic()
        self._progress: Progress | None = None
        self._tasks: dict[str, TaskID] = {}

    def __call__(self, event: ProgressEvent) -> None:
        if self.is_due:
            self.show(event.stage, event)

    @property
    def is_due(self) -> bool:
        """Whether anything is shown by now."""
        return self._quiet is not None and time.monotonic() - self._start >= self._quiet

    def show(self, words: str, event: ProgressEvent) -> None:
        """Bring the bar of a stage up to date."""
        if self._progress is None:
            self._progress = self._begun()
        note = "  ".join(f"{name} {value:,.6g}" for name, value in event.details.items() if math.isfinite(value))
        stage = "" if self._one_line else event.stage
        if stage not in self._tasks:
            self._tasks[stage] = self._progress.add_task(words, total=event.total, note=note)
        task = self._tasks[stage]
        self._progress.update(task, description=words, completed=event.done, total=event.total, note=note)

    def _begun(self) -> Progress:
        from rich import console, progress

        words, passed = progress.TextColumn("{task.description}"), progress.TimeElapsedColumn()
        columns: tuple[progress.ProgressColumn, ...] = words, progress.BarColumn(bar_width=20), passed
        if not self._one_line:
            left, note = progress.TimeRemainingColumn(), progress.TextColumn("{task.fields[note]}")
            columns = words, progress.BarColumn(), progress.MofNCompleteColumn(), passed, left, note
        bars = progress.Progress(*columns, console=console.Console(stderr=True), transient=self._one_line)
        bars.start()
        return bars

    def close(self) -> None:
        """Take the bars away."""
        if self._progress is not None:
            self._progress.stop()


class RunLine:
    """One line for a run of several steps: which one, what is done of it, and about how long the rest takes.

    It is a callback for whatever the steps do, and it appears once the run takes longer than `quiet` seconds. What is
    not shown on a terminal goes to `forward`.
    """

    def __init__(self, forward: ProgressCallback | None, quiet: float | None) -> None:
        self._forward, self._bars = forward, _Bars(quiet, one_line=True)
        self._words, self._begun, self._share = "", time.monotonic(), 0.0
        self._steps: Sequence[float] = ()
        self._most: Callable[[], float] = lambda: math.inf

    def begin(self, title: str, number: int, total: int, *, steps: Sequence[float], most: Callable[[], float]) -> None:
        """Begin a step.

        `steps` estimates the seconds that it and each later step take, NaN where that is unknown; `most` returns the
        seconds that the limit leaves, infinity without one.
        """
        self._words, self._begun, self._share = f"step {number} of {total}: {title}", time.monotonic(), 0.0
        self._steps, self._most = steps, most
        if self._forward is not None:
            left = self.seconds_left
            details = {} if left is None else {"seconds_left": left}
            self._forward(ProgressEvent(self._words, number - 1, total, details))
        if self._bars.is_due:
            self._bars.show(self.words, ProgressEvent("", 0))

    @property
    def seconds_left(self) -> float | None:
        """An estimate of the seconds left; None if there is none.

        The finished part of a step predicts the time of the rest; a later step of unknown length is assumed to take as
        long as this one.
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
        """Show how much of the step is done."""
        if self._forward is not None:
            self._forward(event)
        self._share = 0.0 if not event.total else min(1.0, event.done / event.total)
        if self._bars.is_due:
            self._bars.show(self.words, event)

    @property
    def words(self) -> str:
        """What the line says: "step 3 of 7: comparison: bootstrap, BIC, about 40 s left"."""
        left = self.seconds_left
        return self._words + ("" if left is None else f", about {math.ceil(left)} s left")

    def close(self) -> None:
        """Take the line away."""
        self._bars.close()


def quiet_seconds(progress: bool | ProgressCallback | None) -> float | None:
    """Return after how many seconds progress is shown on the terminal; None for never."""
    if callable(progress) or progress is False or (progress is None and not sys.stderr.isatty()):
        return None
    return 0.0 if progress else QUIET_SECONDS


def run_line(progress: bool | ProgressCallback | None) -> contextlib.closing[RunLine]:
    """Turn the `progress` argument of a run of several steps into one line; see `show_progress`."""
    return contextlib.closing(RunLine(progress if callable(progress) else None, quiet_seconds(progress)))


@contextlib.contextmanager
def show_progress(progress: bool | ProgressCallback | None) -> Iterator[ProgressCallback]:
    """Turn the `progress` argument that every long function takes into a callback.

    None shows a bar if stderr is a terminal and the work takes over two seconds; True shows it at once and
    anywhere; False shows nothing; a callable receives every `ProgressEvent`.
    """
    with contextlib.closing(_Bars(quiet_seconds(progress))) as bars:
        yield progress if callable(progress) else bars


def native_callback(callback: ProgressCallback, stage: str) -> Callable[[int, int, float, float], None]:
    """Adapt a progress callback to what the native core calls: (done, total, incumbent, bound)."""
    return lambda *where: callback(native_event(stage, *where))


def native_event(stage: str, done: int, total: int, incumbent: float, bound: float) -> ProgressEvent:
    """Return as an event what the native core reports; it has 0 for no total and infinities for no scores."""
    details = {name: v for name, v in (("incumbent", incumbent), ("bound", bound)) if math.isfinite(v)}
    return ProgressEvent(stage, done, total or None, details)
