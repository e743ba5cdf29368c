"""`Workers` learn batches of replicates; `Dispatch` hands the batches out, and takes in what they learn."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
from collections import deque
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import TYPE_CHECKING, Any, Literal

from arcwise import _core
from arcwise.base.cluster import Cluster, explained_losses, give_back_unwanted, open_cluster
from arcwise.base.errors import Argument, OptionError, check_known
from arcwise.base.machine import room_for_threads
from arcwise.base.run import Limits, Run, Status, uninterrupted
from arcwise.bootstrap.batches import Interrupted
from arcwise.bootstrap.journal import Replicate, pack_replicates, unpack_replicates
from arcwise.bootstrap.task import ReplicateTask

if TYPE_CHECKING:
    from distributed import Client


Backend = Literal["threads", "loky", "dask"]
BACKENDS: tuple[Backend, ...] = ("threads", "loky", "dask")
Batch = futures.Future[Any]  # a list of replicates; where they are sent, records in one object of bytes


class Workers:
    """Who learns batches of replicates: this thread, when a batch is submitted, so that Ctrl-C reaches it."""

    batch_seconds = 0.25  # how long a batch should take: short enough to stop soon, long enough to cost nothing

    def __init__(self, task: ReplicateTask, count: int = 1) -> None:
        self._task, self.count = task, count  # how many batches run at the same time

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        """Start a batch."""
        done: Batch = futures.Future()
        done.set_result(self._task.learn_batch(indices, Limits(seconds)))
        return done

    def recover(self, error: BaseException) -> bool:
        """Return whether the error means that workers died; then new ones are ready and the batch may be repeated."""
        return False

    def stop(self) -> None:
        """Have the batches under way end as soon as they can, with what they have; some have limits of their own."""

    def close(self) -> None:
        """Let the workers go."""


@contextlib.contextmanager
def open_workers(
    task: ReplicateTask, backend: Backend, count: int, cluster: str | Client | Cluster | None
) -> Iterator[Workers]:
    """Start workers for a task and stop them at the end; on an error they are stopped at once."""
    check_known("backend", backend, BACKENDS)
    if cluster is not None and backend != "dask":
        raise OptionError(Argument("cluster", cluster), "needs", Argument("backend", "dask"), f", not '{backend}'.")
    with contextlib.ExitStack() as opened:
        workers: Workers
        if backend == "dask":
            there = opened.enter_context(open_cluster(cluster, count))
            opened.enter_context(explained_losses())
            workers = _Dask(task, there)
        elif backend == "loky":
            workers = _Loky(task, count)
        elif count == 1 or not room_for_threads(count):
            workers = Workers(task)
        else:
            workers = _Threads(task, count)
        opened.callback(workers.close)
        yield workers


class _Threads(Workers):
    """Threads of this process: the native searches release the interpreter's lock, and nothing is copied."""

    def __init__(self, task: ReplicateTask, count: int) -> None:
        super().__init__(task, count)
        task.stopping.clear()
        self._pool = futures.ThreadPoolExecutor(count, "arcwise", initializer=_core.prepare_thread)

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        try:
            # The clock starts here: time spent waiting for a thread counts.
            return self._pool.submit(self._task.learn_batch, indices, Run(limits=Limits(seconds)))
        except RuntimeError as error:  # the system gives no more threads
            raise MemoryError(f"a thread could not be started: {error}") from error

    def stop(self) -> None:
        self._task.stopping.set()

    def close(self) -> None:
        self._task.stopping.set()
        self._pool.shutdown(wait=True, cancel_futures=True)


_task_of_this_process: ReplicateTask | None = None


def _receive(task: ReplicateTask) -> None:
    global _task_of_this_process  # noqa: PLW0603 - a worker process has one task
    _task_of_this_process = task


def _learn_received(indices: range | list[int], seconds: float | None) -> bytes:
    assert _task_of_this_process is not None
    return pack_replicates(_task_of_this_process.learn_batch(indices, Limits(seconds)))


class _Loky(Workers):
    """Processes of this machine. If one is killed, joblib's pool is broken: a new one does what is missing."""

    def __init__(self, task: ReplicateTask, count: int) -> None:
        super().__init__(task, count)
        self._pool = self._start()

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(self.count, initializer=_receive, initargs=(self._task,))

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        batch: Batch = self._pool.submit(_learn_received, indices, seconds)
        return batch

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.BrokenExecutor):
            return False
        self.close()
        self._pool = self._start()
        return True

    def close(self) -> None:
        self._pool.shutdown(wait=True, kill_workers=True)


class _Dask(Workers):
    """A Dask cluster: see `Cluster`."""

    batch_seconds = 2.0  # a task costs milliseconds of CPU time here, in the scheduler and in the worker

    def __init__(self, task: ReplicateTask, cluster: Cluster) -> None:
        super().__init__(task, cluster.count)
        self._cluster = cluster
        self._running: set[Batch] = set()
        self._digest = hashlib.sha256(json.dumps(task.identity(), sort_keys=True, default=str).encode()).hexdigest()

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        sent = self._cluster.send(self._task, self._digest)
        batch = self._cluster.submit(_learn_sent, sent, indices, seconds)
        self._running.add(batch)
        batch.add_done_callback(self._running.discard)
        return batch

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.CancelledError):
            return False
        self._cluster.forget(self._digest)
        return True

    def close(self) -> None:
        """Cancel what is no longer wanted: the cluster, which others may use, would go on with it."""
        for batch in list(self._running):
            batch.cancel()


def _learn_sent(task: ReplicateTask, indices: range | list[int], seconds: float | None) -> bytes:
    return pack_replicates(task.learn_batch(indices, Limits(seconds), give_back_unwanted))


SHORTEST = 1e-6  # seconds of a replicate: a clock may not tell two of its looks apart
LARGEST_BATCH = 4096  # replicates; the time that a batch takes decides below it
LOOK_SECONDS = 0.1  # how long Ctrl-C may have to wait
LAST_SECONDS = 5.0  # how long batches that were stopped may take to hand over what they have
MOST_DEATHS = 3  # how often in a row workers may die before any batch is finished


class Dispatch:
    """The batches of one bootstrap, of `nodes` variables; `note` gets the replicates as they come."""

    def __init__(
        self,
        task: ReplicateTask,
        workers: Workers,
        run: Run,
        note: Callable[[list[Replicate]], None],
        nodes: int,
    ) -> None:
        self._task, self._workers, self._run, self._note, self._nodes = task, workers, run, note, nodes
        self._waiting: deque[int] = deque()
        self._running: dict[Batch, list[int]] = {}
        self._begun = self._last = 0.0  # when the first batch was handed out, and the last whole one came
        self._done = 0  # how many replicates came in whole batches

    def expected_seconds(self, count: int) -> float:
        """Return an estimate of the seconds that this many replicates take, NaN before a whole batch has finished.

        By the time when the last one came: what is under way then tells of no replicate yet, and in replicates that are
        counted together most of the time is in the first.
        """
        return self._begun + (self._last - self._begun) * count / self._done if self._done else math.nan

    def learn(self, missing: list[int]) -> Status:
        """Learn what is missing; at a limit or on Ctrl-C, take what is finished of the batches under way.

        Where many replicates are learned together, that is much; a batch of a quarter of a second is not waited for.
        """
        self._waiting = deque(missing)
        try:
            status = self._learn_all()
        except Interrupted as stop:  # in this thread
            self._note(stop.found)
            raise
        except KeyboardInterrupt:
            self._take_last()
            raise
        if status is not Status.COMPLETE:
            self._take_last()
        return status

    def _learn_all(self) -> Status:
        """Hand out batches and take in results until nothing is missing or the time is up.

        Two batches per worker are under way. Batches grow from one replicate to what takes `workers.batch_seconds`, and
        shrink towards the end, so that all workers end at the same time. Replicates that are counted `together` are as
        many rounds of equal batches as it takes, after those that another bootstrap has left.
        """
        workers, waiting, running, run = self._workers, self._waiting, self._running, self._run
        together = self._task.together
        rounds = math.ceil(len(waiting) / (workers.count * together))
        least = math.ceil(len(waiting) / (workers.count * rounds)) if together > 1 else 1
        start, done, deaths = run.seconds, 0, 0
        self._begun = start
        while waiting or running:
            left = run.limits.seconds
            if run.is_over:
                return Status.TIME_LIMIT
            while waiting and len(running) < 2 * workers.count:
                pace = (run.seconds - start) * workers.count / done if done else math.inf  # seconds per replicate
                size = int(
                    min(
                        1 + workers.batch_seconds / max(pace, SHORTEST),
                        LARGEST_BATCH,
                        1 + len(waiting) / (2 * workers.count),
                    )
                )
                batch = self._next_batch(max(size, least))
                running[workers.submit(batch, left)] = batch
                if workers.count == 1:
                    break
            broken: BaseException | None = None
            for future in self._ready(LOOK_SECONDS if left is None else min(left, LOOK_SECONDS)):
                batch = running.pop(future)
                error = futures.CancelledError() if future.cancelled() else future.exception()
                found = self._received(future) if error is None else []
                if error is not None:
                    broken = error
                elif found:
                    self._note(found)
                    done += len(found)
                    if len(found) == len(batch):
                        self._done, self._last = self._done + len(found), run.seconds
                    deaths = 0
                known = {replicate.index for replicate in found}
                waiting.extendleft(index for index in reversed(batch) if index not in known)
            if broken is not None:
                deaths += 1
                if deaths > MOST_DEATHS or not workers.recover(broken):
                    raise broken
                self._take_back()
        return Status.COMPLETE

    def _ready(self, patience: float) -> set[Batch]:
        """Wait a little for a batch, and return those that are ready.

        Ctrl-C is raised afterwards: where threads meet, it would leave a lock of Python's in disorder, and the run
        would end with an error, or worker threads with a traceback each.
        """
        with uninterrupted() as meanwhile:
            ready, _ = futures.wait(self._running, patience, futures.FIRST_COMPLETED)
        meanwhile.status.unless_interrupted()
        return ready

    def _next_batch(self, size: int) -> list[int]:
        """Take a batch out of those that wait: one that is drawn already, as far as there are such."""
        kept = self._task.list_kept(self._waiting)
        for index in kept:
            self._waiting.remove(index)
        return kept or [self._waiting.popleft() for _ in range(min(size, len(self._waiting)))]

    def _take_back(self) -> None:
        """Let the batches wait again that died with the workers, unless they had just finished."""
        for future, batch in self._running.items():
            if _is_finished(future):
                self._note(self._received(future))
            else:
                self._waiting.extendleft(reversed(batch))
        self._running.clear()

    def _take_last(self) -> None:
        """Stop the batches under way and take what they have finished."""
        if self._task.together == 1:
            return
        self._workers.stop()
        with uninterrupted():  # a shell may pass on the same Ctrl-C once more
            futures.wait(self._running, LAST_SECONDS)
        for future in self._running:
            if _is_finished(future):
                self._note(self._received(future))

    def _received(self, batch: Batch) -> list[Replicate]:
        """Return the replicates of a finished batch; what was sent is checked, what was learned here is not."""
        result: bytes | list[Replicate] = batch.result()
        return unpack_replicates(result, self._nodes)[0] if isinstance(result, bytes) else result


def _is_finished(batch: Batch) -> bool:
    return batch.done() and not batch.cancelled() and batch.exception() is None
