"""`Cluster`: tasks on the workers of a Dask cluster.

Everything that runs on a cluster runs here: what all tasks of a job need is sent to every worker once, known by its
digest; tasks are functions of that and of an argument, so that it does not matter who computes them, in which order or
how often. A worker that dies costs the tasks it had in hand: Dask gives them to another one. Where the last worker that
had what they need has died, Dask cancels them: it is sent again, and so are they.
"""

from __future__ import annotations

import contextlib
import re
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent import futures
from typing import TYPE_CHECKING, Any, TypeVar

from arcwise.deadline import Deadline
from arcwise.errors import OptionError, UnfinishedError
from arcwise.mentions import Argument, Remedy

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["Cluster", "explained_losses", "open_cluster"]

# A cluster of our own watches itself less: by default its processes take a tenth of a core while they wait.
CALM = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.system-monitor.interval": "5s",
}
ADDRESS = re.compile(r"([a-z]+://)?([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):\d{1,5}/?|inproc://[^\s/]+/\d+/\d+")
# How often in a row what tasks need may be lost with the workers that had it. How often a task is begun again whose
# worker died in the middle of it is up to the cluster (`distributed.scheduler.allowed-failures`); one that raises an
# error would raise it again, and is not repeated.
MOST_LOSSES = 3
MOST_KEPT = 4  # how many jobs' needs stay on the workers

Result = TypeVar("Result")


class Cluster:
    """The workers of a Dask cluster. See `open_cluster`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._sent: dict[str, Any] = {}
        self._executor: Any = self.client.get_executor(pure=False)

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
            self._sent[digest] = self.client.scatter(needed, broadcast=True, hash=False)
        return self._sent[digest]

    def forget(self, digest: str) -> None:
        """Say that what was sent is lost, or not needed any more."""
        self._sent.pop(digest, None)

    def submit(self, function: Callable[..., Result], *arguments: Any) -> futures.Future[Result]:
        """Start one task; what `send` returned stands for what it was given."""
        started: futures.Future[Result] = self._executor.submit(function, *arguments)
        return started

    def run_all(
        self,
        function: Callable[[Any, Any], Result],
        needed: object,
        digest: str,
        arguments: Sequence[Any],
        *,
        deadline: Deadline | None = None,
        note: Callable[[int], None] = lambda done: None,
        kept: dict[int, Result] | None = None,
    ) -> list[Result | None]:
        """Compute ``function(needed, argument)`` for every argument; None for those that did not end in time.

        `note` is told how many are done. An error of a task is raised here, and ends the others, as Ctrl-C does; `kept`
        then has what was finished, by the number of its argument.

        Raises
        ------
        UnfinishedError
            If workers died again and again.
        """
        found: dict[int, Result] = {} if kept is None else kept
        losses = 0
        with explained_losses():
            while len(found) < len(arguments):
                sent = self.send(needed, digest)
                missing = [k for k in range(len(arguments)) if k not in found]
                running = {self.submit(function, sent, arguments[k]): k for k in missing}
                try:
                    for ended in _as_completed(running, deadline):
                        found[running[ended]] = ended.result()
                        note(len(found))
                        losses = 0
                    break  # all of them, or the time is over
                except futures.CancelledError:
                    self.forget(digest)
                    losses += 1
                    if losses > MOST_LOSSES:
                        raise
                finally:
                    for future in running:
                        future.cancel()
        return [found.get(k) for k in range(len(arguments))]


def _as_completed(
    running: Collection[futures.Future[Result]], deadline: Deadline | None
) -> Iterator[futures.Future[Result]]:
    """Yield futures as they end, until the time is over: of that, an error that a task raised says nothing."""
    seconds = None if deadline is None else deadline.limits.seconds
    left = None if seconds is None else min(seconds, threading.TIMEOUT_MAX)  # infinite is too long for a lock
    completed = futures.as_completed(running, timeout=left)
    while True:
        try:
            ended = next(completed)
        except (StopIteration, TimeoutError):
            return
        yield ended


@contextlib.contextmanager
def explained_losses() -> Iterator[None]:
    """Say in our own words that workers died, where nothing more can be done about it."""
    from distributed import KilledWorker

    try:
        yield
    except (futures.CancelledError, KilledWorker) as error:
        raise UnfinishedError(
            "the workers of the cluster that had a task died again and again.",
            remedies=(
                Remedy("see in their logs why: a worker is ended that takes more memory than it may"),
                Remedy("give them more memory"),
            ),
        ) from error


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
        dask.config.set(CALM),
        local(n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs="ERROR") as own,
        connect(own, set_as_default=False) as client,
    ):
        yield Cluster(client)
