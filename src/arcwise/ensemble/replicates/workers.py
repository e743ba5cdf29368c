"""Who learns the replicates: this thread, threads, processes of this machine (joblib's loky) or a Dask cluster.

All four get the same batches of indices and hand back the same replicates; a replicate depends on nothing but its
index, so results do not depend on the workers, their number, or the batches.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from concurrent import futures
from typing import TYPE_CHECKING, Any, Literal, Protocol

from arcwise.cluster import Cluster, explained_losses, give_back_unwanted, open_cluster
from arcwise.deadline import Deadline
from arcwise.ensemble.replicates.journal import pack_replicates
from arcwise.ensemble.replicates.task import ReplicateTask
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.limits import Limits
from arcwise.memory import room_for_threads
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["BACKENDS", "Backend", "Workers", "open_workers"]

Backend = Literal["threads", "loky", "dask"]
BACKENDS: tuple[Backend, ...] = ("threads", "loky", "dask")
Batch = futures.Future[Any]  # a list of replicates; where they are sent, records in one object of bytes


class Workers(Protocol):
    """Something that learns batches of replicates in the background."""

    count: int  # how many batches run at the same time
    batch_seconds: float  # how long a batch should take: short enough to stop soon, long enough to cost nothing

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        """Start a batch."""
        ...

    def recover(self, error: BaseException) -> bool:
        """Say whether the error means that workers died; then new ones are ready and the batch may be repeated."""
        ...

    def stop(self) -> None:
        """Have the batches under way end as soon as they can, with what they have."""
        ...


@contextlib.contextmanager
def open_workers(
    task: ReplicateTask, backend: Backend, count: int, cluster: str | Client | Cluster | None
) -> Iterator[Workers]:
    """Start workers for a task and stop them at the end; on an error they are stopped at once."""
    if backend not in BACKENDS:
        raise UnknownNameError(suggestion("backend", str(backend), BACKENDS))
    if cluster is not None and backend != "dask":
        raise OptionError(Argument("cluster", cluster), "needs", Argument("backend", "dask"), f", not '{backend}'.")
    if backend == "dask":
        with open_cluster(cluster, count) as opened, explained_losses():
            dask = _Dask(task, opened)
            try:
                yield dask
            finally:
                dask.close()
        return
    workers: _Here | _Threads | _Loky
    workers = (
        _Loky(task, count)
        if backend == "loky"
        else _Here(task)
        if count == 1 or not room_for_threads(count)
        else _Threads(task, count)
    )
    try:
        yield workers
    finally:
        workers.close()


class _Here:
    """This thread: a batch is learned when it is submitted, so that Ctrl-C reaches it."""

    count = 1
    batch_seconds = 0.25

    def __init__(self, task: ReplicateTask) -> None:
        self._task = task

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        done: Batch = futures.Future()
        done.set_result(self._task.learn_batch(indices, Limits(seconds)))
        return done

    def stop(self) -> None:
        pass

    def recover(self, error: BaseException) -> bool:
        return False

    def close(self) -> None:
        pass


class _Threads:
    """Threads of this process: the native searches release the interpreter's lock, and nothing is copied."""

    batch_seconds = 0.25

    def __init__(self, task: ReplicateTask, count: int) -> None:
        from arcwise import _core

        self.count = count
        task.stopping.clear()
        _ = task.problem.blocks, task._own  # made here, once, rather than by every thread
        if task.together > 1:
            _ = task.problem.rare
        self._task = task
        self._pool = futures.ThreadPoolExecutor(count, "arcwise", initializer=_core.prepare_thread)

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        try:
            # The clock runs from here on: what waits for a thread meanwhile has so much less time.
            return self._pool.submit(self._task.learn_batch, indices, Deadline(Limits(seconds)))
        except RuntimeError as error:  # the system gives no more threads
            raise MemoryError(f"a thread could not be started: {error}") from error

    def stop(self) -> None:
        self._task.stopping.set()

    def recover(self, error: BaseException) -> bool:
        return False

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


class _Loky:
    """Processes of this machine. If one is killed, joblib's pool is broken: a new one does what is missing."""

    batch_seconds = 0.25

    def __init__(self, task: ReplicateTask, count: int) -> None:
        self.count = count
        self._task = task
        self._pool = self._start()

    def _start(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor

        return ProcessPoolExecutor(self.count, initializer=_receive, initargs=(self._task,))

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        batch: Batch = self._pool.submit(_learn_received, indices, seconds)
        return batch

    def stop(self) -> None:
        pass  # they have limits of their own

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.BrokenExecutor):
            return False
        self.close()
        self._pool = self._start()
        return True

    def close(self) -> None:
        self._pool.shutdown(wait=True, kill_workers=True)


class _Dask:
    """A Dask cluster: see `Cluster`."""

    batch_seconds = 2.0  # a task costs milliseconds of CPU time here, in the scheduler and in the worker

    def __init__(self, task: ReplicateTask, cluster: Cluster) -> None:
        self.count = cluster.count
        self._cluster = cluster
        self._running: set[Batch] = set()
        identity = json.dumps(task.identity(), sort_keys=True, default=str)
        self._task, self._digest = task, hashlib.sha256(identity.encode()).hexdigest()

    def submit(self, indices: range | list[int], seconds: float | None) -> Batch:
        sent = self._cluster.send(self._task, self._digest)
        batch = self._cluster.submit(_learn_sent, sent, indices, seconds)
        self._running.add(batch)
        batch.add_done_callback(self._running.discard)
        return batch

    def stop(self) -> None:
        pass  # they have limits of their own

    def recover(self, error: BaseException) -> bool:
        if not isinstance(error, futures.CancelledError):
            return False
        self._cluster.forget(self._digest)
        return True

    def close(self) -> None:
        """Cancel what nobody waits for any more: the cluster, which others may use, would go on with it."""
        for batch in list(self._running):
            batch.cancel()


def _learn_sent(task: ReplicateTask, indices: range | list[int], seconds: float | None) -> bytes:
    return pack_replicates(task.learn_batch(indices, Limits(seconds), give_back_unwanted))
