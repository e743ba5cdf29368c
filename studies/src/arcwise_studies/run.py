"""`run_study`: every cell of a study that has no outcome yet is run, and its outcome kept."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Collection
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise.base.errors import Argument, suggestion
from arcwise.base.run import Run
from arcwise.base.showing import one_screen
from arcwise.errors import OptionError, UnknownNameError
from arcwise.limits import Limits, Status
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise_studies.config import Study
from arcwise_studies.local_workers import CellWorkers, LocalWorkers
from arcwise_studies.outcome import Outcome
from arcwise_studies.plan import Cell, count_cells, plan_in_time
from arcwise_studies.run_lock import RunLock
from arcwise_studies.store import Store, StoreBusyError

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["RunReport", "run_study"]

# Outcomes are written to the store this often, or less often if writing is slow: it should not cost more than a part
# in WRITE_SHARE of the time.
WRITE_SECONDS = 1.0
WRITE_SHARE = 10
# How long to wait for another program that has the store open: while cells are run, they go on and it is tried again;
# at the end there is nothing else to do.
PATIENCE_SECONDS = 0.5
LAST_PATIENCE_SECONDS = 600.0


@one_screen
@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run did, and where the study stands.

    Parameters
    ----------
    planned
        All cells of the study.
    finished, limited, failed
        Planned cells by their status, after the run.
    done
        Cells that this run did.
    seconds
        How long the run took.
    status
        Complete if no cell is pending; else why the run stopped.
    """

    planned: int
    finished: int
    limited: int
    failed: int
    done: int
    seconds: float
    status: Status

    @property
    def pending(self) -> int:
        """Planned cells without an outcome."""
        return self.planned - self.finished - self.limited - self.failed

    @property
    def cells_per_second(self) -> float:
        """The throughput of the run."""
        return self.done / self.seconds if self.seconds > 0 else 0.0


def run_study(
    study: Study,
    store: str | os.PathLike[str],
    *,
    workers: int = 1,
    cluster: str | Client | None = None,
    retry: Collection[str] = (),
    accept_changes: bool = False,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> RunReport:
    """Run the cells of a study that the store has no outcome of.

    The process may be killed at any time: the next call continues with what is missing. Results do not depend on the
    workers, their number or the order in which they finish.

    Parameters
    ----------
    study
        The study.
    store
        A DuckDB file; it is created if it does not exist.
    workers
        Processes of this machine; -1 for one per processor. Each runs one cell at a time, within the study's limits.
    cluster
        The address of a Dask scheduler, or a ``distributed.Client``; `workers` is then ignored. The cluster's machines
        need arcwise, and the folders of networks and data under the same paths.
    retry
        Cells with these statuses, "failed" or "limit", are run again.
    accept_changes
        Continue although the configuration has changed since the store was made.
    limits
        `seconds` for the whole run; `count`, the cells that it does at most. The limits of a cell are the study's.
    progress
        See `arcwise.progress.show_progress`; events give cells per second and seconds left.

    Returns
    -------
    RunReport
        Its status is a limit, or interrupted (Ctrl-C), if cells are pending. If the time was over before all cells
        were planned, nothing is written, and no cell done.
    """
    for status in retry:
        if status not in ("failed", "limit"):
            raise UnknownNameError(suggestion("status to retry", status, ("failed", "limit")))
    processes = _worker_count(workers)
    deadline = Run.of(limits)
    study = replace(study, sources=replace(study.sources, cache_folder=str(Path(f"{store}.cache").resolve())))
    plan = plan_in_time(study, deadline)
    study.check()
    most = deadline.given.count
    with ExitStack() as stack:
        stack.enter_context(RunLock(store))
        kept = Store(store)
        if plan is None or not kept.begin(study, plan, accept_changes=accept_changes, deadline=deadline):
            return _nothing_done(study, kept, deadline)
        known = {key: status for key, status in kept.statuses().items() if status not in retry}
        waiting = deque(cell for cell in plan if cell.id not in known)
        count_limit = most is not None and most < len(waiting)
        if count_limit:
            waiting = deque(list(waiting)[:most])
        journal = _Journal(kept, plan, known, stack.enter_context(show_progress(progress)), len(waiting))
        status = Status.COUNT_LIMIT if count_limit else Status.COMPLETE
        if waiting:
            names = f"dask {cluster}" if cluster is not None else f"{processes} local"
            journal.run = kept.begin_run(names)
            pool = _open_workers(study, min(processes, len(waiting)), cluster)
            try:
                ended = _run_all(pool, waiting, journal, deadline)
                status = ended if ended is not Status.COMPLETE else status
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
            except BaseException:
                status = Status.INTERRUPTED
                raise
            finally:
                pool.close()
                journal.write(patience=LAST_PATIENCE_SECONDS)
                kept.end_run(journal.run, str(status))
        return journal.report(deadline.seconds, status)


def _nothing_done(study: Study, store: Store, deadline: Run) -> RunReport:
    """Report a run whose time was over before the plan was made and written; the store is as it was."""
    known: Counter[str] = Counter()
    if store.exists and store.facts()["digest"] == study.digest:
        known.update(status for _, _, _, status, *_ in store.cells(rows=False))
    return RunReport(
        count_cells(study), known["finished"], known["limit"], known["failed"], 0, deadline.seconds, Status.TIME_LIMIT
    )


def _worker_count(workers: int) -> int:
    if workers == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if workers < 1:
        raise OptionError(Argument("workers", workers), ": give the number of processes, or -1 for one per processor.")
    return workers


def _open_workers(study: Study, count: int, cluster: str | Client | None) -> CellWorkers:
    if cluster is None:
        return LocalWorkers(study, count)
    from arcwise_studies.dask_workers import DaskWorkers

    return DaskWorkers(study, cluster)


def _run_all(pool: CellWorkers, waiting: deque[Cell], journal: _Journal, deadline: Run) -> Status:
    """Hand out cells and take in outcomes until none is missing or the time is over."""

    def hand_out() -> None:
        for _ in range(min(len(waiting), pool.room())):
            pool.submit(waiting.popleft())

    missing = len(waiting)
    hand_out()
    while missing:
        if deadline.is_over:
            return Status.TIME_LIMIT
        outcomes = pool.collect(min(deadline.seconds_left, journal.seconds_to_write(), 1.0))
        missing -= len(outcomes)
        hand_out()  # before the store is written: no worker waits for it
        journal.add(outcomes)
    return Status.COMPLETE


class _Journal:
    """Outcomes on their way to the store, and what to report about progress."""

    def __init__(
        self, store: Store, plan: tuple[Cell, ...], known: dict[str, str], callback: ProgressCallback, missing: int
    ) -> None:
        self.run = 0
        self._store = store
        self._planned = len(plan)
        self._counts = Counter(known[cell.id] for cell in plan if cell.id in known)
        self._before = sum(self._counts.values())
        self._missing = missing
        self._callback = callback
        self._unwritten: list[Outcome] = []
        self._start = self._next = time.monotonic()
        self._done = 0

    def seconds_to_write(self) -> float:
        return max(0.0, self._next - time.monotonic()) if self._unwritten else WRITE_SECONDS

    def add(self, outcomes: list[Outcome]) -> None:
        self._unwritten += outcomes
        self._done += len(outcomes)
        self._counts.update(outcome.status for outcome in outcomes)
        if self._unwritten and time.monotonic() >= self._next:
            with suppress(StoreBusyError):
                self.write()
        elapsed = max(1e-9, time.monotonic() - self._start)
        speed = self._done / elapsed
        details = {"cells/s": speed, "failed": float(self._counts["failed"])}
        if self._done:
            details["seconds left"] = (self._missing - self._done) / speed
        self._callback(ProgressEvent("cells", self._before + self._done, self._planned, details))

    def write(self, patience: float = PATIENCE_SECONDS) -> None:
        start = time.monotonic()
        try:
            self._store.append(self._unwritten, self.run, patience=patience)
            self._unwritten = []
        finally:
            self._next = time.monotonic() + max(WRITE_SECONDS, WRITE_SHARE * (time.monotonic() - start))

    def report(self, seconds: float, status: Status) -> RunReport:
        counts = self._counts
        return RunReport(
            self._planned, counts["finished"], counts["limit"], counts["failed"], self._done, seconds, status
        )
