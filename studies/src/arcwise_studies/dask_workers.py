"""`DaskWorkers`: the worker processes of a Dask cluster.

A Dask task is a batch of cells. A Dask worker does not run cells itself: each of its threads keeps a process of the
kind that a local run has, so that memory and time limits hold, and a cell that crashes takes no Dask worker with it.
When a Dask worker dies, the scheduler gives its tasks to another one.
"""

from __future__ import annotations

import contextlib
import json
import math
import queue
import threading
import time
from collections import deque
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError
from arcwise_studies.config import Study
from arcwise_studies.local_workers import LocalWorkers, WorkerError
from arcwise_studies.outcome import Outcome
from arcwise_studies.plan import Cell
from arcwise_studies.sources import Sources

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["DaskWorkers"]

# A batch takes about so long, so that a task's own cost of some milliseconds does not count.
BATCH_SECONDS = 1.0
LARGEST_BATCH = 500
# How many batches per thread are under way or wait in line on the cluster.
IN_LINE = 2
CONNECT_SECONDS = 10.0
ASK_SECONDS = 2.0
FETCH_SECONDS = 60.0


class DaskWorkers:
    """A cluster at an address, or a client of one."""

    def __init__(self, study: Study, cluster: str | Client) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise OptionError("a Dask cluster needs Dask: pip install 'arcwise[cluster]'.") from error
        if isinstance(cluster, Client):
            self._client: Any = cluster
            self._is_own = False
        else:
            try:
                self._client = Client(cluster, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
            except (OSError, ValueError) as error:
                raise OptionError(f"no Dask scheduler answers at '{cluster}' ({error}).") from error
            self._is_own = True
        self._check_versions()
        self._task = json.dumps({"study": study.content, "sources": asdict(study.sources)})
        self._waiting: deque[Cell] = deque()
        self._running: dict[Any, list[Cell]] = {}
        self._inbox: queue.Queue[Any] = queue.Queue()
        self._mean = math.inf
        self._threads = 1
        self._ask_at = 0.0

    def _check_versions(self) -> None:
        """Refuse a cluster whose machines cannot import this version of arcwise: every cell would fail there."""
        found = self._client.run(arcwise_version, on_error="return")
        wrong = {address: answer for address, answer in found.items() if answer != arcwise_version()}
        if wrong:
            address, answer = next(iter(wrong.items()))
            if self._is_own:
                self._client.close()
            raise OptionError(
                f"{len(wrong)} of {len(found)} Dask workers do not have arcwise {arcwise_version()}, for example "
                f"{address}: {answer}. Install it there."
            )

    @property
    def count(self) -> int:
        """The number of threads of the cluster, as of a few seconds ago; workers may come and go."""
        if time.monotonic() >= self._ask_at:  # the answer is a message away
            threads: dict[str, int] = self._client.nthreads()
            self._threads = max(1, sum(threads.values()))
            self._ask_at = time.monotonic() + ASK_SECONDS
        return self._threads

    def room(self) -> int:
        """Return how many more cells should be handed over now."""
        under_way = sum(map(len, self._running.values())) + len(self._waiting)
        return max(0, IN_LINE * self.count * self._batch_size() - under_way)

    def submit(self, cell: Cell) -> None:
        """Put a cell in line; batches are sent by `collect`."""
        self._waiting.append(cell)

    def collect(self, timeout: float) -> list[Outcome]:
        """Send what is in line, wait at most this long for a batch, and return the outcomes that are there."""
        self._send()
        outcomes: list[Outcome] = []
        with contextlib.suppress(queue.Empty):
            outcomes += self._receive(self._inbox.get(timeout=timeout))
            while True:
                outcomes += self._receive(self._inbox.get_nowait())
        self._send()
        return outcomes

    def close(self) -> None:
        """Cancel what is not done, and end the processes of this study; the cluster stays."""
        with contextlib.suppress(Exception):  # of a cluster that is gone already
            self._client.cancel(list(self._running), force=True)
            self._client.run(end_processes, self._task, on_error="ignore")
        if self._is_own:
            self._client.close()

    def _batch_size(self) -> int:
        if not math.isfinite(self._mean):
            return 1
        return max(1, min(LARGEST_BATCH, int(BATCH_SECONDS / max(self._mean, 1e-6))))

    def _send(self) -> None:
        size = self._batch_size()
        while self._waiting:
            # Small batches rather than idle threads.
            share = math.ceil(len(self._waiting) / self.count)
            cells = [self._waiting.popleft() for _ in range(min(size, share))]
            self._send_batch(cells)

    def _send_batch(self, cells: list[Cell]) -> None:
        texts = [json.dumps(asdict(cell)) for cell in cells]
        future = self._client.submit(run_batch, self._task, texts, pure=False)
        self._running[future] = cells
        future.add_done_callback(self._inbox.put)

    def _receive(self, future: Any) -> list[Outcome]:
        cells = self._running.pop(future, None)
        if cells is None:
            return []
        if future.status != "error":
            texts = self._fetch(future)
            if texts is None:  # its worker died with the result: once more
                self._send_batch(cells)
                return []
            outcomes = [Outcome.from_json(text) for text in texts]
            spent = sum(outcome.seconds for outcome in outcomes) / max(1, len(outcomes))
            self._mean = spent if math.isinf(self._mean) else 0.8 * self._mean + 0.2 * spent
            return outcomes
        # The scheduler gave up: workers died under this batch, again and again.
        if len(cells) > 1:
            for cell in cells:
                self._send_batch([cell])
            return []
        return [Outcome(cells[0].id, "failed", f"on the Dask cluster: {future.exception()}")]

    def _fetch(self, future: Any) -> list[str] | None:
        """Return what a task returned, None if it is lost."""
        if self._client.status != "running":
            raise WorkerError("the Dask cluster is gone; what is finished is in the store. Run again to continue.")
        if future.status != "finished":
            return None
        try:
            texts: list[str] = future.result(timeout=FETCH_SECONDS)
        except Exception:  # Dask has many ways to say that a worker is gone
            return None
        return texts


# The processes of this Dask worker, by the thread that they belong to, and the study that they were started for.
_pools: dict[int, tuple[str, LocalWorkers]] = {}


def run_batch(task: str, cells: list[str]) -> list[str]:
    """Run cells in the process that belongs to this thread of the Dask worker; return outcomes as JSON."""
    thread = threading.get_ident()
    own = _pools.get(thread)
    if own is None or own[0] != task:
        if own is not None:
            own[1].close()
        given = json.loads(task)
        own = (task, LocalWorkers(Study.from_content(given["study"], Sources(**given["sources"])), 1))
        _pools[thread] = own
    for text in cells:
        own[1].submit(Cell(**json.loads(text)))
    outcomes: list[Outcome] = []
    while len(outcomes) < len(cells):
        outcomes += own[1].collect(timeout=60.0)
    return [outcome.to_json() for outcome in outcomes]


def arcwise_version() -> str:
    """Return the version that is installed here."""
    from importlib.metadata import version

    return version("arcwise")


def end_processes(task: str) -> None:
    """End the processes that this Dask worker has for a study, with the cells that are under way."""
    for thread, (own, workers) in list(_pools.items()):
        if own == task:
            del _pools[thread]
            workers.close()
