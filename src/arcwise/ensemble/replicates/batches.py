"""`KeptBatches`: replicates that were drawn and counted once, for bootstraps with several scores.

What a replicate is drawn from does not depend on the score, nor does what is counted in it, and searches by different
scores ask for much the same families. So who makes several bootstraps of the same data with the same seed keeps the
batches that were counted together (`arcwise.ensemble.replicates.together`): the next bootstrap draws nothing, and
counts what no other has counted.
"""

from __future__ import annotations

import threading
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arcwise._core.local import ReplicateCounts
    from arcwise.data import Dataset
    from arcwise.local.problem import Layout

__all__ = ["CountedBatch", "KeptBatches"]

# With what was drawn alone, two million cases in 600,000 distinct rows take 20 megabytes a batch.
KEPT_BYTES = 3 * 2**28


@dataclass(frozen=True, eq=False)
class CountedBatch:
    """Some replicates of one data set, and what was counted in them; one search at a time may use it.

    Parameters
    ----------
    layout
        The data, by whose layout the counts are made.
    seed, indices
        What the replicates were drawn from.
    search_seeds
        The seeds of their searches.
    counts
        Their weights, and the sets of variables that were counted.
    """

    layout: Layout
    seed: int
    indices: tuple[int, ...]
    search_seeds: NDArray[np.uint64]
    counts: ReplicateCounts


class KeptBatches:
    """Batches of one data set that wait for the next score, as many as `memory` holds.

    They are kept until the last one that was expected has had them (`expect`, `had`). Threads may share it.
    """

    def __init__(self, memory: int = KEPT_BYTES) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], CountedBatch] = {}
        self._bytes: dict[tuple[int, ...], int] = {}
        self._expected: list[object] | None = None  # nobody has said yet
        self._selected: tuple[Dataset, tuple[str, ...], Dataset] | None = None

    def expect(self, users: Iterable[object]) -> None:
        """Say who will want the batches; where there is nobody, nothing is kept."""
        with self._lock:
            self._expected = list(users)
            self._let_go()

    def had(self, user: object) -> None:
        """Say that one of them wants no more."""
        with self._lock:
            if self._expected is not None:
                self._expected = [one for one in self._expected if one != user]
            self._let_go()

    def _let_go(self) -> None:
        if self._expected == []:
            self._kept.clear()
            self._bytes.clear()
            self._selected = None

    def select(self, data: Dataset, names: tuple[str, ...]) -> Dataset:
        """Return some columns of the data: to all who ask for the same ones the same object, which batches are of."""
        with self._lock:
            last = self._selected
            if last is not None and last[0] is data and last[1] == names:
                return last[2]
            made = data.select(names)
            if self._expected != []:
                self._selected = data, names, made
            return made

    def list_whole(self, layout: Layout, seed: int, wanted: Collection[int]) -> list[int]:
        """Return the replicates of a batch that is kept and of which all are wanted; none if there is no such batch."""
        with self._lock:
            kept = [batch for batch in self._kept.values() if batch.layout is layout and batch.seed == seed]
            among = set(wanted) if kept else set()
            return next((list(batch.indices) for batch in kept if among.issuperset(batch.indices)), [])

    def take(self, layout: Layout, seed: int, indices: Iterable[int]) -> CountedBatch | None:
        """Return the batch of just these replicates, which is the caller's until it is put back; None if not kept."""
        key = tuple(indices)
        with self._lock:
            batch = self._kept.get(key)
            if batch is None or batch.layout is not layout or batch.seed != seed:
                return None
            del self._kept[key], self._bytes[key]
            return batch

    def put(self, batch: CountedBatch) -> None:
        """Keep a batch for the next one; where memory is short, without what was counted, or not at all."""
        with self._lock:
            if self._expected == [] or any(set(batch.indices) & set(indices) for indices in self._kept):
                return
            room = self._memory - sum(self._bytes.values())
            if batch.counts.bytes > room:
                batch.counts.forget()
            if batch.counts.bytes > room:
                return
            self._kept[batch.indices], self._bytes[batch.indices] = batch, batch.counts.bytes
