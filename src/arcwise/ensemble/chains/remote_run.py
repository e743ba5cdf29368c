"""Chains on the workers of a Dask cluster: one task per chain and stretch of draws.

A worker gets where a chain stands and the state of its random numbers, and gives back the draws and the same two: what
was drawn does not depend on who drew it, and a task that died with its worker is simply repeated (`Cluster`). Chains do
not wait for each other, nor for the verdict on what they have drawn.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster import Cluster, Tasks, give_back_unwanted
from arcwise.deadline import Deadline
from arcwise.ensemble.chains.blocks import block_weights
from arcwise.ensemble.chains.stretches import Stretch, Stretches
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.ensemble import ChainRun

__all__ = ["ChainTask", "RemoteRun"]

AHEAD = 4  # stretches that a chain may have ended before the other chains have, or before they have been looked at
Result = TypeVar("Result")

# Of one chain: positions, random numbers, moves.
State = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64]]


@dataclass(frozen=True, eq=False)
class ChainTask:
    """What chains walk on, and how: enough to make them anywhere.

    Parameters
    ----------
    table
        The parent sets.
    mixture, window, steps, heats
        See `ChainSettings`.
    """

    table: ParentSetTable
    mixture: tuple[float, ...]
    window: float
    steps: int
    heats: tuple[float, ...]

    def start(self, seeds: NDArray[np.uint64], starts: NDArray[np.uint32]) -> ChainRun:
        """Return chains with these seeds at these networks: rows of every chain and node."""
        from arcwise import _core

        options = block_weights(self.table).native_options(
            mixture=np.array(self.mixture, dtype=np.float64),
            window=float(self.window),
            thin=self.steps,
            heats=np.array(self.heats, dtype=np.float64),
        )
        return _core.ensemble.ChainRun(self.table.native, options, seeds, starts)

    @property
    def digest(self) -> str:
        """What is the same if the chains walk alike."""
        how = repr((self.mixture, self.window, self.steps, self.heats))
        return hashlib.sha256(f"{self.table.digest} {how}".encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_one"}

    @cached_property
    def _one(self) -> dict[int, ChainRun]:
        """A chain of every thread of this worker, to be put where another one stands."""
        return {}

    def advance(self, asked: Asked) -> Walked:
        """Let one chain go on from a state."""
        positions, random, counts = asked.state
        n, thread = self.table.n_variables, threading.get_ident()
        kept = self._one
        if thread not in kept:
            kept[thread] = self.start(np.zeros(1, dtype=np.uint64), positions[:n].copy())
        run = kept[thread]
        before, begin = run.counts(), time.monotonic()
        run.restore(positions.copy(), random.copy())
        code, _, rows, scores = run.advance(asked.count, asked.targets, asked.least, 1, asked.seconds, _go_on)
        state = run.positions(), run.random_states(), counts + (run.counts() - before)
        return Walked(code, rows, scores, state, time.monotonic() - begin)


def _go_on(*_: float) -> None:
    give_back_unwanted()


@dataclass(frozen=True, eq=False)
class Asked:
    """A chain's way: from a state, so many draws, with these jumps from networks of at least this score, in time."""

    state: State
    count: int
    targets: NDArray[np.uint32]
    least: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Walked:
    """What came of it: why it ended, the draws, where the chain is then, and what it took."""

    code: int
    rows: NDArray[np.uint32]
    scores: NDArray[np.float64]
    state: State
    seconds: float


def _advance(task: ChainTask, asked: Asked) -> Walked:
    return task.advance(asked)


def _compute(compute: Callable[[], Result], found: futures.Future[Result]) -> None:
    """Compute what `found` is to have, unless it has been cancelled."""
    if not found.set_running_or_notify_cancel():
        return
    try:
        found.set_result(compute())
    except BaseException as error:
        found.set_exception(error)


def _ended(status: Status) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]:
    """Return what a stretch is of which not all chains have come to the end."""
    return list(Status).index(status), np.empty(0, dtype=np.uint32), np.empty(0)


class RemoteRun:
    """What `ChainRun` of the native core does, on a cluster.

    A chain does not wait for the others: whoever has ended a stretch goes on with the next, up to some stretches ahead
    of what this process has taken. What is ahead when the run ends is as if it had not been drawn.

    Parameters
    ----------
    task
        What the chains walk on.
    cluster
        Who walks.
    first
        The chains at their starts.
    chains
        How many.
    stretches
        What each of them draws.
    deadline
        Of the run.
    """

    def __init__(
        self,
        task: ChainTask,
        cluster: Cluster,
        first: ChainRun,
        chains: int,
        stretches: Stretches,
        deadline: Deadline,
    ) -> None:
        self._chains = range(chains)
        self._stretches, self._deadline = stretches, deadline
        self._tasks: Tasks[Walked] = cluster.tasks(_advance, task, task.digest)
        self._walking: dict[int, int] = {}  # task -> chain
        self._done = 0  # draws that were taken, of each chain
        self.restore(first.positions(), first.random_states(), first.counts())

    def __enter__(self) -> RemoteRun:
        self._tasks.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._tasks.__exit__(*raised)

    def restore(
        self, positions: NDArray[np.uint32], random: NDArray[np.uint64], counts: NDArray[np.uint64] | None = None
    ) -> None:
        """Put the chains where others stood."""
        made = self.counts() if counts is None else counts
        parts = [np.split(values, len(self._chains)) for values in (positions, random, made)]
        self._states: list[State] = list(zip(*parts, strict=True))
        self._ahead: list[deque[Walked]] = [deque() for _ in self._chains]
        self._walking = {}  # what is under way leads from elsewhere

    def advance(
        self, stretch: Stretch, report: Callable[[int, int, float, float], None]
    ) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]:
        """Return why the next stretch ended, and what all chains drew in it, once they have."""
        self._done = stretch.first
        try:
            self._send_on()
            while not all(self._ahead):
                if self._deadline.is_over:  # a worker looks at its own clock, which starts when it begins
                    return _ended(Status.TIME_LIMIT)
                self._take()
            report(stretch.count, stretch.count, 0.0, 0.0)
        except KeyboardInterrupt:
            return _ended(Status.INTERRUPTED)
        found = [own.popleft() for own in self._ahead]
        self._states = [one.state for one in found]
        self._done += stretch.count
        code = max(one.code for one in found)
        return code, np.concatenate([one.rows for one in found]), np.concatenate([one.scores for one in found])

    def meanwhile(self, compute: Callable[[], Result]) -> tuple[Status, Result]:
        """Compute something while the chains go on; Ctrl-C ends the chains, and waits for the result."""
        found: futures.Future[Result] = futures.Future()
        found.add_done_callback(lambda _: self._tasks.wake())
        with futures.ThreadPoolExecutor(1) as others:
            try:
                others.submit(_compute, compute, found)
                self._send_on()
                while not found.done() and self._walking and not self._deadline.is_over:
                    self._take()
                return Status.COMPLETE, found.result()
            except KeyboardInterrupt:  # maybe before it was begun
                return Status.INTERRUPTED, compute() if found.cancel() else found.result()

    def _take(self) -> None:
        """Wait for a chain to end a stretch, and let it go on; or until the time is over, or somebody wakes us."""
        ended = self._tasks.take(self._deadline)
        if ended is None:
            return
        number, walked = ended
        chain = self._walking.pop(number, None)
        if chain is None:
            return
        self._ahead[chain].append(walked)
        self._stretches.pace.note(len(walked.scores), walked.seconds)
        self._send_on()

    def _send_on(self) -> None:
        """Let every chain go on that does not, unless it is far enough, or has been ended."""
        walking = set(self._walking.values())
        for chain in self._chains:
            own = self._ahead[chain]
            if chain in walking or len(own) >= AHEAD or (own and own[-1].code):
                continue
            stretch = self._stretches.at(self._done + sum(len(one.scores) for one in own))
            if stretch is None:
                continue
            targets = np.split(stretch.targets, len(self._chains))[chain]
            state = own[-1].state if own else self._states[chain]
            asked = Asked(state, stretch.count, targets, self._stretches.least, self._deadline.seconds_left)
            self._walking[self._tasks.give(asked)] = chain

    def positions(self) -> NDArray[np.uint32]:
        """Return the rows of every chain and replica."""
        return np.concatenate([state[0] for state in self._states])

    def random_states(self) -> NDArray[np.uint64]:
        """Return the state of every chain's random numbers."""
        return np.concatenate([state[1] for state in self._states])

    def counts(self) -> NDArray[np.uint64]:
        """Return how often each move was tried and accepted, chain by chain."""
        return np.concatenate([state[2] for state in self._states])
