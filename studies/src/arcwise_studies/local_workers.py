"""`LocalWorkers`: worker processes of this machine, and what happens when one of them dies."""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from dataclasses import asdict
from typing import IO, Protocol

from arcwise.errors import ArcwiseError
from arcwise_studies.config import Study
from arcwise_studies.outcome import Outcome
from arcwise_studies.plan import Cell
from arcwise_studies.worker import LEAVING, READY

__all__ = ["CellWorkers", "LocalWorkers", "WorkerError"]

# A worker has this many seconds of work at hand, so that it does not wait while the runner writes to the store; cells
# that take longer are handed out one by one, so that none waits behind another while a worker is idle.
AT_HAND_SECONDS = 0.5
MOST_AT_HAND = 200
# A cell whose worker dies is tried again in a new one: the death may be another program's doing.
DEATHS = 2
# A cell that ignores its limit is ended after limit * PATIENCE + GRACE_SECONDS.
PATIENCE = 1.25
GRACE_SECONDS = 10.0
# Numerical libraries would otherwise start as many threads in every worker as there are processors.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class WorkerError(ArcwiseError):
    """Worker processes cannot be started, or the cluster is gone."""


class CellWorkers(Protocol):
    """Something that does the work of cells in the background."""

    @property
    def count(self) -> int:
        """How many cells run at the same time."""
        ...

    def room(self) -> int:
        """Return how many more cells should be handed over now."""
        ...

    def submit(self, cell: Cell) -> None:
        """Hand over a cell; sooner or later there is one outcome for it."""
        ...

    def collect(self, timeout: float) -> list[Outcome]:
        """Wait for outcomes, at most this long, and return those that are there."""
        ...

    def close(self) -> None:
        """End everything, at once; cells that are under way have no outcome."""
        ...


class _Process:
    """One worker process, the cells that it has, and since when the first of them runs."""

    def __init__(self, number: int, study: Study, inbox: queue.Queue[tuple[_Process, bytes]]) -> None:
        self.number = number
        self.cells: deque[Cell] = deque()
        self.is_ready = False
        self.is_leaving = False
        self.since = time.monotonic()
        self.kill_reason = ""
        environment = {**dict.fromkeys(THREAD_VARIABLES, "1"), **os.environ}
        # -P: no module of the current folder is imported by mistake. Its own session: Ctrl-C reaches the runner alone.
        self._popen = subprocess.Popen(
            [sys.executable, "-P", "-c", "from arcwise_studies.worker import main; main()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            start_new_session=True,
        )
        assert self._popen.stdout is not None
        self._write(json.dumps({"study": study.content, "sources": asdict(study.sources)}))
        threading.Thread(target=self._listen, args=(self._popen.stdout, inbox), daemon=True).start()

    def submit(self, cell: Cell) -> None:
        if not self.cells:
            self.since = time.monotonic()
        self.cells.append(cell)
        self._write(json.dumps(asdict(cell)))

    def kill(self, reason: str = "") -> None:
        self.kill_reason = reason
        self._popen.kill()

    def close(self) -> None:
        self._popen.kill()
        self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def ending(self) -> str:
        """Return how the process ended, in words."""
        code = self._popen.wait()
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return f"signal {-code}, {signal.Signals(-code).name}"
        return f"signal {-code}"

    def _write(self, line: str) -> None:
        assert self._popen.stdin is not None
        try:
            self._popen.stdin.write(line.encode() + b"\n")
            self._popen.stdin.flush()
        except OSError:  # mostly it is dead; one that is not would wait for ever for what it was not told
            self._popen.kill()  # shows at the other end

    def _listen(self, stream: IO[bytes], inbox: queue.Queue[tuple[_Process, bytes]]) -> None:
        with contextlib.suppress(ValueError, OSError):  # closed meanwhile
            for line in stream:
                inbox.put((self, line))
        inbox.put((self, b""))


class LocalWorkers:
    """Processes of this machine; each runs one cell at a time, and a dead one is replaced."""

    def __init__(self, study: Study, count: int) -> None:
        self._count = count
        self._study = study
        self._inbox: queue.Queue[tuple[_Process, bytes]] = queue.Queue()
        self._again: deque[Cell] = deque()  # cells whose worker died before they were run
        self._deaths: Counter[str] = Counter()
        self._mean = math.inf  # seconds of a cell, the last ones counting most
        self._failed_starts = 0
        self._is_closed = False
        self._processes: list[_Process] = []
        try:
            for number in range(count):
                self._processes.append(_Process(number, study, self._inbox))
        except OSError as error:
            self.close()
            raise WorkerError(f"cannot start a worker process: {error.strerror}.") from error

    @property
    def count(self) -> int:
        """The number of processes."""
        return self._count

    def room(self) -> int:
        """Return how many more cells should be handed over now."""
        depth = self._depth()
        return sum(max(0, depth - len(process.cells)) for process in self._processes) - len(self._again)

    def submit(self, cell: Cell) -> None:
        """Hand a cell to the process that has the fewest."""
        min(self._processes, key=lambda process: len(process.cells)).submit(cell)

    def collect(self, timeout: float) -> list[Outcome]:
        """Wait for outcomes, at most this long, and return those that are there."""
        self._hand_out_again()
        outcomes = self._overdue()
        end = time.monotonic() + timeout
        while not outcomes and (left := end - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                outcomes += self._receive(*self._inbox.get(timeout=min(left, self._until_overdue())))
            outcomes += self._overdue()
            self._hand_out_again()
        with contextlib.suppress(queue.Empty):
            while True:
                outcomes += self._receive(*self._inbox.get_nowait())
        self._hand_out_again()
        return outcomes

    def close(self) -> None:
        """Kill all processes; a `collect` that another thread waits in raises a WorkerError."""
        self._is_closed = True
        for process in self._processes:
            process.close()

    def _depth(self) -> int:
        if not self._mean < AT_HAND_SECONDS:
            return 1
        return max(1, min(MOST_AT_HAND, int(AT_HAND_SECONDS / max(self._mean, 1e-6))))

    def _receive(self, process: _Process, line: bytes) -> list[Outcome]:
        if line == READY:
            process.is_ready = True
            self._failed_starts = 0
            return []
        if line == LEAVING:
            process.is_leaving = True
            return []
        if line.endswith(b"\n"):
            outcome = Outcome.from_json(line)
            cell = process.cells.popleft()
            assert cell.id == outcome.id
            process.since = time.monotonic()
            self._mean = outcome.seconds if math.isinf(self._mean) else 0.9 * self._mean + 0.1 * outcome.seconds
            return [outcome]
        return self._bury(process)

    def _bury(self, process: _Process) -> list[Outcome]:
        """Replace a dead process. The first of its cells was running: it is tried again, or fails."""
        if self._is_closed:
            raise WorkerError("the workers were closed while cells were under way.")
        if process not in self._processes:
            return []  # killed and replaced already
        how = process.ending()
        process.close()
        outcomes = []
        cells = process.cells
        if not process.is_ready:
            self._failed_starts += 1
            if self._failed_starts >= 2 * self.count + 1:
                raise WorkerError(f"worker processes cannot start ({how}); what they said is above, on stderr.")
        elif cells and not process.is_leaving:
            running = cells.popleft()
            self._deaths[running.id] += 1
            if process.kill_reason:
                seconds = time.monotonic() - process.since
                outcomes.append(Outcome(running.id, "limit", process.kill_reason, seconds))
            elif self._deaths[running.id] >= DEATHS:
                message = f"its worker process died {DEATHS} times ({how})"
                outcomes.append(Outcome(running.id, "failed", message, time.monotonic() - process.since))
            else:
                self._again.append(running)
        self._again.extend(cells)
        at = self._processes.index(process)
        self._processes[at] = _Process(process.number, self._study, self._inbox)
        return outcomes

    def _hand_out_again(self) -> None:
        while self._again and any(len(process.cells) < self._depth() for process in self._processes):
            self.submit(self._again.popleft())

    def _until_overdue(self) -> float:
        limit = self._study.limits.seconds
        return math.inf if limit is None else 1.0

    def _overdue(self) -> list[Outcome]:
        """Kill the processes whose cell does not keep its time limit."""
        limit = self._study.limits.seconds
        if limit is None:
            return []
        allowed = limit * PATIENCE + GRACE_SECONDS
        found: list[Outcome] = []
        for process in list(self._processes):
            if process.is_ready and process.cells and time.monotonic() - process.since > allowed:
                process.kill(f"ended by the runner after {allowed:g} s: it did not keep its limit of {limit:g} s")
                found += self._bury(process)
        return found
