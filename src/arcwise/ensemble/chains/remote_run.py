"""Chains on the workers of a Dask cluster: one task per chain and stretch of draws.

A worker gets where a chain stands and the state of its random numbers, and gives back the draws and the same two: what
was drawn does not depend on who drew it, and a task that died with its worker is simply repeated. What all of them walk
on is sent to every worker; where the last that had it has died, it is sent again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent import futures
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.chains.blocks import block_weights
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.ensemble import ChainRun

__all__ = ["ChainTask", "RemoteRun"]

MOST_LOSSES = 3  # how often in a row what chains walk on may be lost with the workers that had it

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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_one"}

    @cached_property
    def _one(self) -> dict[int, ChainRun]:
        """A chain of every thread of this worker, to be put where another one stands."""
        return {}

    def advance(
        self, state: State, count: int, targets: NDArray[np.uint32], least: float, seconds: float
    ) -> tuple[int, NDArray[np.uint32], NDArray[np.float64], State]:
        """Let one chain go on from a state; return why it ended, rows, scores and the state it is in then."""
        positions, random, counts = state
        n, thread = self.table.n_variables, threading.get_ident()
        kept = self._one
        if thread not in kept:
            kept[thread] = self.start(np.zeros(1, dtype=np.uint64), positions[:n].copy())
        run = kept[thread]
        before = run.counts()
        run.restore(positions.copy(), random.copy())
        code, _, rows, scores = run.advance(count, targets, least, 1, seconds, None)
        return code, rows, scores, (run.positions(), run.random_states(), counts + (run.counts() - before))


class RemoteRun:
    """What `ChainRun` of the native core does, on a cluster.

    Parameters
    ----------
    task
        What the chains walk on.
    client
        The cluster.
    first
        The chains at their starts.
    """

    def __init__(self, task: ChainTask, client: Any, first: ChainRun, chains: int) -> None:
        self._chains = chains
        self._client = client
        self._given = task
        self._send()
        self._split(first.positions(), first.random_states(), first.counts())

    def _send(self) -> None:
        self._task = self._client.scatter(self._given, broadcast=True, hash=False)

    def _split(self, positions: NDArray[np.uint32], random: NDArray[np.uint64], counts: NDArray[np.uint64]) -> None:
        parts = [np.split(values, self._chains) for values in (positions, random, counts)]
        self._states: list[State] = list(zip(*parts, strict=True))

    def advance(
        self,
        count: int,
        jumps: NDArray[np.uint32],
        least: float,
        threads: int,
        seconds: float,
        callback: Callable[[int, int, float, float], None] | None,
    ) -> tuple[int, NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float64]]:
        """Let every chain make so many draws; see the native core. How many at once is up to the cluster."""
        targets = np.split(jumps, self._chains)
        none = np.empty(0)
        submitted: list[Any] = []
        try:
            for left in range(MOST_LOSSES, -1, -1):
                submitted = [
                    self._client.submit(
                        ChainTask.advance, self._task, state, count, own, least, seconds, pure=False, retries=3
                    )
                    for state, own in zip(self._states, targets, strict=True)
                ]
                try:
                    found = self._client.gather(submitted)
                    break
                except futures.CancelledError:
                    if not left:
                        raise
                    self._client.cancel(submitted)
                    self._send()
            if callback is not None:
                callback(count, count, 0.0, 0.0)
        except KeyboardInterrupt:
            self._client.cancel(submitted)
            return list(Status).index(Status.INTERRUPTED), none.astype(np.uint64), none.astype(np.uint32), none
        codes, rows, scores, states = zip(*found, strict=True)
        self._states = list(states)
        done = np.full(self._chains, count, dtype=np.uint64)
        return max(codes), done, np.concatenate(rows), np.concatenate(scores)

    def positions(self) -> NDArray[np.uint32]:
        """Return the rows of every chain and replica."""
        return np.concatenate([state[0] for state in self._states])

    def random_states(self) -> NDArray[np.uint64]:
        """Return the state of every chain's random numbers."""
        return np.concatenate([state[1] for state in self._states])

    def counts(self) -> NDArray[np.uint64]:
        """Return how often each move was tried and accepted, chain by chain."""
        return np.concatenate([state[2] for state in self._states])

    def restore(self, positions: NDArray[np.uint32], random_states: NDArray[np.uint64]) -> None:
        """Put the chains where others stood."""
        self._split(positions, random_states, self.counts())
