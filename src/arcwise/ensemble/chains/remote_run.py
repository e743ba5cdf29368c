"""Chains on the workers of a Dask cluster: one task per chain and stretch of draws.

A worker gets where a chain stands and the state of its random numbers, and gives back the draws and the same two: what
was drawn does not depend on who drew it, and a task that died with its worker is simply repeated (`Cluster`).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster import Cluster
from arcwise.ensemble.chains.blocks import block_weights
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.ensemble import ChainRun

__all__ = ["ChainTask", "RemoteRun"]

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


def _advance(
    task: ChainTask, asked: tuple[State, int, NDArray[np.uint32], float, float]
) -> tuple[int, NDArray[np.uint32], NDArray[np.float64], State]:
    return task.advance(*asked)


class RemoteRun:
    """What `ChainRun` of the native core does, on a cluster.

    Parameters
    ----------
    task
        What the chains walk on.
    cluster
        Who walks.
    first
        The chains at their starts.
    """

    def __init__(self, task: ChainTask, cluster: Cluster, first: ChainRun, chains: int) -> None:
        self._chains = chains
        self._cluster = cluster
        self._task, self._digest = task, task.digest
        self._split(first.positions(), first.random_states(), first.counts())

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
        none = np.empty(0)
        asked = [
            (state, count, own, least, seconds)
            for state, own in zip(self._states, np.split(jumps, self._chains), strict=True)
        ]
        try:
            found = [one for one in self._cluster.run_all(_advance, self._task, self._digest, asked) if one is not None]
            if callback is not None:
                callback(count, count, 0.0, 0.0)
        except KeyboardInterrupt:
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
