"""`Run`, the circumstances of a computation: limits and what is left of them, threads, seeds, progress.

A limit is never an exception: a result carries a `Status`.
"""

from __future__ import annotations

import contextlib
import enum
import math
import operator
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import Argument, OptionError, check_argument
from arcwise.base.machine import available_cores
from arcwise.base.options import MOST_THREADS
from arcwise.base.progress import ProgressCallback, ProgressEvent, ignore, native_callback, quiet_seconds, show_progress

if TYPE_CHECKING:
    from arcwise.base.cluster import Cluster
    from arcwise.bootstrap.batches import KeptBatches
    from arcwise.recipes.credible import SharedTables


class Status(enum.StrEnum):
    """Why a computation ended. The order is that of `arcwise::Status` in the native core."""

    COMPLETE = "complete"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    COUNT_LIMIT = "count limit"
    INTERRUPTED = "interrupted"

    @classmethod
    def from_native(cls, code: int) -> Status:
        """Return the status with the given number in the native enumeration."""
        return tuple(cls)[code]

    def unless_interrupted(self) -> Status:
        """Raise KeyboardInterrupt if Ctrl-C ended the work: for what needs all of it."""
        if self is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return self


class HasStatus:
    """What a computation returned; its status says whether a limit cut it short."""

    status: Status

    @property
    def complete(self) -> bool:
        """True if no limit ended the work, so that nothing is missing."""
        return self.status is Status.COMPLETE


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a computation may use; None means unlimited.

    Parameters
    ----------
    seconds
        Wall-clock time.
    memory_bytes
        Memory for the computation's own tables.
    count
        What the computation counts: branch-and-bound nodes, networks, replicates. Its docstring says which.
    """

    seconds: float | None = None
    memory_bytes: int | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("memory_bytes", self.memory_bytes), ("count", self.count)):
            if value is not None and not value > 0:
                raise OptionError("limit", Argument(name, value), "must be positive, or None for no limit.")

    @property
    def native_seconds(self) -> float:
        """The time limit as the core takes it: infinity for none."""
        return math.inf if self.seconds is None else float(self.seconds)

    @property
    def native_memory(self) -> int:
        """The memory limit as the core takes it: 2^63 - 1 for none."""
        return 2**63 - 1 if self.memory_bytes is None else int(self.memory_bytes)

    @property
    def native_count(self) -> int:
        """The count limit as the core takes it: 2^63 - 1 for none."""
        return 2**63 - 1 if self.count is None else int(self.count)


UNLIMITED = Limits()

# Limits are positive, so "no time is left" is written as the least time that a clock can tell from none: whatever
# starts with it finds its time over at the first look.
NO_TIME = 1e-9
# What is promised of a limit (docs/testing.md) leaves a fifth of it and a second of CPU for what comes after. So much
# of that is for finding a result at all, where there is none when the time is over; the rest is for writing it.
PROMISED_SHARE, PROMISED_SECONDS = 0.2, 1.0
GRACE_SHARE, GRACE_SECONDS = 0.1, 0.2


class Run:
    """The circumstances of a computation: its limits and what is left of them, its workers, and its progress callback.

    Public functions take the keywords that users know (`limits`, `threads`, `progress`, `cluster`) and `begin` a run
    with them; what they call takes the run. The clock starts when a run is made. A verb of many steps gives each step
    the run itself or a `share` of its time, and asks `is_over` before it begins another one. There is no floor: a step
    that is begun after the end is given no time and answers with a status at once, so a verb overruns only until the
    next look at the clock. Or-tools' ``TimeLimit`` has the same role.

    Nothing here but the seed is part of a result. Memory is not used up by time: steps that keep what they built say so
    (`holding`).

    Parameters
    ----------
    seed
        What fixes random numbers.
    threads
        How many threads to use; None for all cores. A number that no machine has is refused here.
    limits
        What may be used; None for no limit.
    progress
        See `show_progress`.
    cluster
        Who works instead of threads; None for this machine.
    journal
        A file of what a sample has finished: one of more networks goes on from there.
    tables, batches
        What is counted for several recipes at once, and what is drawn and counted for bootstraps by several scores.

    >>> run = Run(limits=Limits(seconds=60, count=100))
    >>> run.is_over, run.limits.count
    (False, 100)
    >>> 29 < run.share(0.5).seconds_left <= 30
    True
    """

    __slots__ = ("_begin", "batches", "cluster", "given", "journal", "progress", "seed", "tables", "threads")

    def __init__(
        self,
        seed: int = 0,
        threads: int | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
        cluster: Cluster | None = None,
        *,
        journal: str | None = None,
        tables: SharedTables | None = None,
        batches: KeptBatches | None = None,
    ) -> None:
        self.threads = None if threads is None else thread_count(threads)
        self.seed, self.progress, self.cluster = seed, progress, cluster
        self.journal, self.tables, self.batches = journal, tables, batches
        self.given = limits or UNLIMITED
        self._begin = time.monotonic()

    @classmethod
    def of(cls, limits: Limits | Run | None) -> Run:
        """Start the clock on limits; a run whose clock is running is returned as it is."""
        return limits if isinstance(limits, Run) else cls(limits=limits)

    @classmethod
    def begin(
        cls,
        limits: Limits | Run | None = None,
        progress: bool | ProgressCallback | None = None,
        threads: int | None = None,
        cluster: Cluster | None = None,
        **seeded: Seed,
    ) -> contextlib.AbstractContextManager[Run]:
        """Make the keywords of a public function a run that shows its progress.

        With ``seed=``, of which None becomes a fresh one, the run has that seed; else a run that is handed on keeps its
        own.

        >>> with Run.begin(Limits(count=3), print) as run:
        ...     run.report("steps", 1, 3)
        ProgressEvent(stage='steps', done=1, total=3, details={})
        """
        own: dict[str, Any] = {name: resolve_seed(seed) for name, seed in seeded.items()}
        own |= {"progress": progress, "threads": threads, "cluster": cluster}
        return (limits.replace(**own) if isinstance(limits, Run) else cls(limits=limits, **own)).shown()

    @contextlib.contextmanager
    def shown(self) -> Iterator[Run]:
        """While inside, show the progress of the run that this gives, where there is something to show it on."""
        if quiet_seconds(self.progress) is None:  # a query takes microseconds: make no display that is never seen
            yield self
            return
        with show_progress(self.progress) as callback:
            yield self.replace(progress=callback)

    @property
    def callback(self) -> ProgressCallback:
        """The progress callback; it ignores all events unless the progress is `shown`."""
        return self.progress if callable(self.progress) else ignore

    def report(self, stage: str, done: int, total: int | None = None, **details: float) -> None:
        """Tell where a stage stands."""
        self.callback(ProgressEvent(stage, done, total, details))

    def native_report(self, stage: str) -> Callable[[int, int, float, float], None]:
        """Return what native code reports the progress of a stage to."""
        return native_callback(self.callback, stage)

    @property
    def thread_count(self) -> int:
        """How many threads to use: as many as were asked for, else all cores."""
        return available_cores() if self.threads is None else self.threads

    def replace(self, *, limits: Limits | None = None, **changed: Any) -> Run:
        """Return a run with other circumstances: ``run.replace(seed=3, progress=False)``. New limits start another."""
        names = ("seed", "threads", "progress", "cluster", "journal", "tables", "batches")
        other = Run(limits=limits or self.given, **({name: getattr(self, name) for name in names} | changed))
        if limits is None:
            other._begin = self._begin
        return other

    @property
    def here(self) -> Run:
        """The same on this machine."""
        return self.replace(cluster=None)

    def pause(self, seconds: float) -> None:
        """Do not count this many seconds that have passed."""
        self._begin += seconds

    @property
    def seconds(self) -> float:
        """The time since the clock was started."""
        return time.monotonic() - self._begin

    @property
    def seconds_left(self) -> float:
        """The time that is left, at least 0; infinity without a limit. What native code takes."""
        return math.inf if self.given.seconds is None else max(0.0, self.given.seconds - self.seconds)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.given.seconds is not None and self.seconds >= self.given.seconds

    @property
    def status(self) -> Status:
        """TIME_LIMIT if no time is left, else COMPLETE."""
        return Status.TIME_LIMIT if self.is_over else Status.COMPLETE

    @property
    def limits(self) -> Limits:
        """What is left, as limits for the next step; the limits of memory and of count are as they were `given`."""
        if self.given.seconds is None:
            return self.given
        return replace(self.given, seconds=max(NO_TIME, self.seconds_left))

    @property
    def uncounted(self) -> Limits:
        """What is left, for a step that counts something other than what the count limit is about."""
        return replace(self.limits, count=None)

    @property
    def grace(self) -> Run:
        """Return a run for what a result cannot do without: the time that is left, or a little where there is none."""
        seconds = self.given.seconds
        if seconds is None:
            return self.replace()
        least = GRACE_SHARE * seconds + GRACE_SECONDS
        return self.replace(limits=replace(self.limits, seconds=max(least, self.seconds_left)))

    def keeping(self, seconds: float) -> Run:
        """Return a run that ends early enough for so much work after it: what does not fit behind the limit is kept.

        >>> run = Run(limits=Limits(seconds=10))
        >>> 9 < run.keeping(1).seconds_left <= 10, 6 < run.keeping(4.8).seconds_left <= 7
        (True, True)
        """
        given = self.given.seconds
        if given is None:
            return self.replace()
        behind = (PROMISED_SHARE - GRACE_SHARE) * given + PROMISED_SECONDS - GRACE_SECONDS
        return self.replace(
            limits=replace(self.limits, seconds=max(NO_TIME, self.seconds_left - max(0.0, seconds - behind)))
        )

    def share(self, part: float) -> Run:
        """Return a run that ends after a part of the time that is left; 0.5 for half of it."""
        left = self.limits
        return self.replace(
            limits=left if left.seconds is None else replace(left, seconds=max(NO_TIME, part * left.seconds))
        )

    def part(self, steps: int) -> Run:
        """Return a run for the next of this many remaining steps, each with the same time."""
        return self.share(1 / max(1, steps))

    def holding(self, memory_bytes: int) -> Run:
        """Return the run of a step during which this much memory stays in use."""
        limits = self.given
        if limits.memory_bytes is not None:
            limits = replace(limits, memory_bytes=max(1, limits.memory_bytes - memory_bytes))
        other = self.replace(limits=limits)
        other._begin = self._begin
        return other

    def __repr__(self) -> str:
        left = "no time limit" if self.given.seconds is None else f"{self.seconds_left:.3g} s left"
        return f"Run({left}, of {self.given})"


# How many threads a native call may use.


def thread_count(threads: int | None) -> int:
    """Return the number of threads: what was asked for, or by default the cores that this process may use.

    The bound is far above any machine: each thread has its own state and stack, so a mistyped number would take all
    memory before anything is computed.
    """
    if threads is None:
        return min(available_cores(), MOST_THREADS)
    fits = not isinstance(threads, bool) and threads == int(threads) and 1 <= threads <= MOST_THREADS
    check_argument(fits, "threads", threads, f"must be an integer from 1 to {MOST_THREADS:,}.")
    return int(threads)


# Ctrl-C as a request that a search answers at safe points, not as an exception at an arbitrary line.


# A shell and the program that started this one may both pass on one and the same Ctrl-C.
SAME_SECONDS = 1.0


@contextlib.contextmanager
def deferred_interrupt(stop: Callable[[], None]) -> Iterator[None]:
    """While inside, let Ctrl-C call `stop`; only a second one, a second later, raises KeyboardInterrupt.

    An exception can come between any two steps, and what has been found would be lost in many of those places. A
    request is seen wherever the search looks, and it looks everywhere. The handler that was there, Python's own or
    another, is called first, and decides: if it raises KeyboardInterrupt, that is the request; if it returns, there is
    none; any other exception is its own business. A signal that is ignored, or that a library in C handles, is left
    alone, and in other threads than the main one there are no signals.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    asked: list[float] = []

    def handle(number: int, frame: FrameType | None) -> None:
        try:
            before(number, frame)
        except KeyboardInterrupt:
            asked.append(time.monotonic())
            if asked[-1] - asked[0] > SAME_SECONDS:
                raise
            stop()

    signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is handle:  # else another handler has been set meanwhile
            signal.signal(signal.SIGINT, before)


class InterruptFlag:
    """Whether Ctrl-C was pressed: the status is INTERRUPTED then."""

    status = Status.COMPLETE

    def note(self) -> None:
        """Note that it was."""
        self.status = Status.INTERRUPTED


@contextlib.contextmanager
def uninterrupted() -> Iterator[InterruptFlag]:
    """Within this block Ctrl-C interrupts nothing; the yielded object says whether it was pressed."""
    flag = InterruptFlag()
    with deferred_interrupt(flag.note):
        yield flag


# One seed in, one number for the native core out.


Seed = int | np.random.Generator | None
"""What fixes random numbers: an integer >= 0, a numpy generator, or None for fresh ones."""


def resolve_seed(seed: Seed) -> int:
    """Return the seed to use and to record: the given one, one number drawn from a generator, or a fresh one."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(0, 2**63))
    if seed is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0]) >> 1
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    rule = "must be an integer >= 0, a numpy.random.Generator, or None for a fresh seed."
    check_argument(number >= 0, "seed", seed, rule)
    return number


def generator_of(seed: Seed) -> np.random.Generator:
    """Return a generator as it is, to continue from its state, or a new one from the given seed or a fresh one."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(resolve_seed(seed))


def native_seed(seed: int, purpose: int = 0) -> int:
    """Return 64 well-mixed bits for the core; seeds of any size, and purposes, give different streams."""
    return int(np.random.SeedSequence(seed).generate_state(purpose + 1, np.uint64)[purpose])
