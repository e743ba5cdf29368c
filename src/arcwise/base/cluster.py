"""`Cluster`: tasks on the workers of a Dask cluster.

Everything that runs on a cluster runs here: what all tasks of a job need is sent to every worker once, known by its
digest; tasks are functions of that and of an argument, so that it does not matter who computes them, in which order or
how often. A worker that dies costs the tasks it had in hand: Dask gives them to another one. When the last worker that
held their input dies, Dask cancels them: it is sent again, and so are they.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import queue
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from arcwise.base.errors import Argument, OptionError, Remedy, UnfinishedError
from arcwise.base.run import Run

if TYPE_CHECKING:
    from distributed import Client


# A cluster of our own watches itself less: by default its processes take a tenth of a core while they wait.
SLOWER_POLLING = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
ADDRESS = re.compile(r"([a-z]+://)?([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):\d{1,5}/?|inproc://[^\s/]+/\d+/\d+")
# How often in a row what tasks need may be lost with the workers that had it. How often a task is begun again whose
# worker died in the middle of it is up to the cluster (`distributed.scheduler.allowed-failures`); one that raises an
# error would raise it again, and is not repeated.
MOST_LOSSES = 3
ASK_AFTER = 2.0  # seconds without any news after which it is asked whether the workers still have what tasks need
RESEND_SECONDS = 0.2  # seconds before their input is sent again, and once more after every loss
MOST_KEPT = 4  # how many jobs' needs stay on the workers

Result = TypeVar("Result")


class Cluster:
    """The workers of a Dask cluster. See `open_cluster`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._sent: dict[str, Any] = {}

    @property
    def count(self) -> int:
        """How many tasks run at the same time."""
        threads: dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))

    def send(self, needed: object, digest: str) -> Any:
        """Send what tasks need to every worker, unless they have it; return what stands for it in a task."""
        if digest not in self._sent:
            while len(self._sent) >= MOST_KEPT:  # what was sent first is let go
                self._sent.pop(next(iter(self._sent)))
            self._sent[digest] = self._scattered(needed)
        return self._sent[digest]

    def _scattered(self, needed: object) -> Any:
        losses = 0
        while True:
            try:
                return self.client.scatter(needed, broadcast=True, hash=False)
            except TimeoutError as error:
                raise UnfinishedError(
                    "the cluster has no workers.", remedies=Remedy("start some, and try again")
                ) from error
            except OSError as error:  # a worker died while it was being sent to it
                losses += 1
                if losses > MOST_LOSSES:
                    raise _died() from error
                time.sleep(losses * RESEND_SECONDS)  # until the scheduler knows

    def forget(self, digest: str) -> None:
        """Forget what was sent: it is lost, or not needed any more."""
        self._sent.pop(digest, None)

    def has_lost(self, digest: str) -> bool:
        """Return whether no worker has any more what was sent: Dask does not always tell the tasks that wait for it."""
        sent = self._sent.get(digest)
        return sent is not None and not any(self.client.who_has([sent]).values())

    def submit(self, function: Callable[..., Result], *arguments: Any) -> futures.Future[Result]:
        """Start one task; in its arguments, what `send` returned is replaced by what was sent."""
        started = self.client.submit(function, *arguments, pure=False)
        found: futures.Future[Result] = futures.Future()
        found.add_done_callback(lambda _: started.cancel() if found.cancelled() else None)
        self.client.loop.add_callback(_hand_over, started, found)
        return found

    def run_all(
        self,
        function: Callable[[Any, Any], Result],
        needed: object,
        digest: str,
        arguments: Sequence[Any],
        *,
        run: Run | None = None,
        note: Callable[[int], None] = lambda done: None,
        kept: dict[int, Result] | None = None,
    ) -> list[Result | None]:
        """Compute ``function(needed, argument)`` for every argument; None for those that did not end in time.

        `note` is called with the number that are done. An error of a task is raised here, and ends the others, as
        Ctrl-C does; `kept` then has what was finished, by the number of its argument.

        Raises
        ------
        UnfinishedError
            If workers died again and again.
        """
        found: dict[int, Result] = {} if kept is None else kept
        with self.tasks(function, needed, digest) as tasks:
            given = {tasks.give(argument): k for k, argument in enumerate(arguments) if k not in found}
            while (ended := tasks.take(run)) is not None:
                number, result = ended
                found[given[number]] = result
                note(len(found))
        return [found.get(k) for k in range(len(arguments))]

    def tasks(self, function: Callable[[Any, Any], Result], needed: object, digest: str) -> Tasks[Result]:
        """Return what computes ``function(needed, argument)`` for arguments that come one by one."""
        return Tasks(self, function, needed, digest)


async def _hand_over(started: Any, found: futures.Future[Result]) -> None:
    """Give what became of a task of Dask to whoever waits for it, in the thread that Dask talks in.

    Dask's own executor loses the tasks whose result was on a worker that died before it was fetched: nobody hears of
    them again.
    """
    lost: BaseException | None = None
    try:
        result = await started._result(raiseit=False)
    except asyncio.CancelledError:
        lost = futures.CancelledError()
    except BaseException as error:  # of them `futures.CancelledError`: it was lost with its worker
        lost = error
    if not found.set_running_or_notify_cancel():  # nobody waits for it
        return
    if lost is None and started.status == "cancelled":
        lost = futures.CancelledError()
    if lost is None and started.status == "error":
        _, failed, trace = result
        lost = failed.with_traceback(trace)
    if lost is None:
        found.set_result(result)
    else:
        found.set_exception(lost)


class Tasks(Generic[Result]):
    """Tasks ``function(needed, argument)``, given and taken one by one; those that are not taken end with the block.

    Their input is sent with the first of them. If it is lost with the workers that had it, Dask cancels the tasks that
    wait for it: it is sent again, and they are started again.
    """

    def __init__(self, cluster: Cluster, function: Callable[[Any, Any], Result], needed: object, digest: str) -> None:
        self._cluster, self._function, self._needed, self._digest = cluster, function, needed, digest
        self._asked: dict[int, Any] = {}  # task -> its argument
        self._running: dict[int, futures.Future[Result]] = {}
        self._sendings: dict[int, int] = {}  # task -> how often its input had been lost when it was started
        self._ended: queue.SimpleQueue[tuple[int, futures.Future[Result] | None]] = queue.SimpleQueue()
        self._number = itertools.count()
        self._sending = self._losses = 0

    def __enter__(self) -> Tasks[Result]:
        return self

    def __exit__(self, *_: object) -> None:
        running, self._running = self._running, {}
        for future in running.values():
            future.cancel()

    def __len__(self) -> int:
        """How many were given and not taken yet."""
        return len(self._running)

    def give(self, argument: Any) -> int:
        """Start a task; return its number."""
        number = next(self._number)
        self._asked[number] = argument
        self._start(number)
        return number

    def take(self, run: Run | None = None) -> tuple[int, Result] | None:
        """Wait for any task to end; return its number and result.

        None if there is none, the time is over, or `wake` was called.

        Raises
        ------
        UnfinishedError
            If workers died again and again. An error of the task itself is raised as it is.
        """
        with explained_losses():
            while self._running:
                seconds = None if run is None else run.limits.seconds
                try:
                    number, future = self._ended.get(timeout=ASK_AFTER if seconds is None else min(seconds, ASK_AFTER))
                except queue.Empty:
                    if run is not None and run.is_over:
                        return None
                    self._look()
                    continue
                if future is None:
                    return None
                if self._running.get(number) is not future:
                    continue
                try:
                    result = future.result()
                except futures.CancelledError:
                    self._lost(number)
                    continue
                del self._running[number], self._asked[number], self._sendings[number]
                self._losses = 0
                return number, result
        return None

    def wake(self) -> None:
        """From another thread: let the one that waits, or waits next, in `take` have None."""
        self._ended.put((-1, None))

    def _start(self, number: int) -> None:
        sent = self._cluster.send(self._needed, self._digest)
        future = self._cluster.submit(self._function, sent, self._asked[number])
        self._running[number], self._sendings[number] = future, self._sending
        future.add_done_callback(lambda ended: self._ended.put((number, ended)))

    def _look(self) -> None:
        """Start again what waits for something that has gone with its workers."""
        if not self._cluster.has_lost(self._digest):
            return
        for number, future in list(self._running.items()):
            self._lost(number)
            future.cancel()

    def _lost(self, number: int) -> None:
        """Restart a cancelled task; its input is sent again unless that has been done since."""
        if self._sendings[number] == self._sending:
            self._cluster.forget(self._digest)
            self._sending += 1
            self._losses += 1
            if self._losses > MOST_LOSSES:
                raise futures.CancelledError
        self._start(number)


def is_still_wanted() -> bool:
    """Return whether the task of this worker thread is still wanted: Dask never ends one that has begun."""
    from distributed import get_worker

    try:
        worker: Any = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
    except (AttributeError, ValueError):  # no worker, or no task
        return True
    return task is None or task.state != "cancelled"


def give_back_unwanted(*_: object) -> bool:
    """On a worker, called repeatedly: end the task of this thread if it is no longer wanted; True if it is.

    Dask may want a cancelled task again while it still runs. It must not get half a result, so it starts over.
    """
    from distributed import Reschedule

    if not is_still_wanted():
        raise Reschedule
    return True


@contextlib.contextmanager
def explained_losses() -> Iterator[None]:
    """While inside, raise an error that explains it if workers died and nothing more can be done about it."""
    from distributed import KilledWorker

    try:
        yield
    except (futures.CancelledError, KilledWorker) as error:
        raise _died() from error


def _died() -> UnfinishedError:
    return UnfinishedError(
        "the workers of the cluster that had a task died again and again.",
        remedies=(
            Remedy("see in their logs why: a worker is ended that takes more memory than it may"),
            Remedy("give them more memory"),
        ),
    )


def _check_address(address: object) -> None:
    """Refuse what Dask cannot open: it tries anything, and hangs at exit when it closes what it could not open."""
    from distributed import Security
    from distributed.comm.addressing import parse_address
    from distributed.comm.registry import get_backend

    if not isinstance(address, str) or ADDRESS.fullmatch(address) is None:
        raise OptionError(f"no Dask scheduler answers at '{address}' (an address looks like tcp://host:8786).")
    security: Any = Security
    try:
        scheme, _ = parse_address(address)
        get_backend(scheme)
    except (ImportError, ValueError) as error:
        raise OptionError(f"no Dask scheduler answers at '{address}' ({error}).") from error
    if scheme == "tls" and security().get_connection_args("client")["ssl_context"] is None:
        raise OptionError(
            f"the Dask scheduler at '{address}' asks for certificates, and Dask knows of none here.",
            remedies=Remedy("name them in Dask's own configuration, distributed.comm.tls"),
        )


@contextlib.contextmanager
def open_cluster(cluster: str | Client | Cluster | None, workers: int = 1) -> Iterator[Cluster]:
    """Connect to a cluster, by its address or as it is; None for one of our own, of so many workers."""
    if isinstance(cluster, Cluster):
        yield cluster
        return
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise OptionError(Argument("cluster"), "needs Dask: pip install 'arcwise[cluster]'.") from error
    connect: Callable[..., Any] = Client
    if isinstance(cluster, Client):
        yield Cluster(cluster)
        return
    if cluster is not None:
        _check_address(cluster)
        try:
            client = connect(cluster, timeout="10s", set_as_default=False)
        except (OSError, TypeError, ValueError) as error:
            raise OptionError(f"no Dask scheduler answers at '{cluster}' ({error}).") from error
        with client:
            yield Cluster(client)
        return
    local: Callable[..., Any] = LocalCluster
    with (
        dask.config.set(SLOWER_POLLING),
        local(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="ERROR") as own,
        connect(own, set_as_default=False) as client,
    ):
        yield Cluster(client)
