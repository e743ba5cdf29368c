"""`KeptBatches`: replicates that are counted together, and kept for the next score."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.options import MANY_VARIABLES
from arcwise.base.run import Limits, Status
from arcwise.data.dataset import Dataset
from arcwise.local.problem import LocalProblem

if TYPE_CHECKING:
    from arcwise._core.local import ClimbOptions, LocalLearner, Outcome, ReplicateCounts
    from arcwise.local.problem import Layout


# With many rows, nearly all of a replicate's time is counting, and replicates of many cases ask for much the same
# families. So a batch of them is searched one after the other over counts that are made for all of them at once. Each
# gets the network and the score that it would get alone, to the last bit; which ones are together does not matter.


# With fewer distinct rows a replicate is counted in less time than it takes to score what others ask for: child with
# 20,000 cases takes as long either way, alarm with 50,000 (23,000 distinct rows) twice as long together, child with
# 2,000,000 (606,000) a sixth.
FEWEST_ROWS = 2**16
# A weight beyond a byte takes extra work: on average they are to be far below.
MOST_WEIGHT = 16
# What the weights of a batch may take, at BYTES a row and replicate; fewer replicates than FEWEST are as quick alone.
BATCH_BYTES = 2**29
BYTES = 12
FEWEST = 8


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a batch, with what was finished before."""

    def __init__(self, found: list[Any]) -> None:
        super().__init__()
        self.found = found


def counted_together(problem: LocalProblem) -> int:
    """Return how many replicates of the data are best counted together; 1: each alone."""
    data = problem.data
    if problem.score.data_score.holds_data:  # nothing is counted
        return 1
    if data.n_rows < FEWEST_ROWS or data.n_variables > MANY_VARIABLES:
        return 1
    if data.n_cases >= 2**32 or data.n_cases > MOST_WEIGHT * data.n_rows:
        return 1
    if data.targets is not None or not _core.local.RareColumns.fits(data.arities, data.n_rows):
        return 1
    most = min(_core.local.REPLICATES_TOGETHER, BATCH_BYTES // (BYTES * data.n_rows))
    return most if most >= FEWEST else 1


def lay_out_together(
    problem: LocalProblem, seed: int, indices: Sequence[int], drawn: Sequence[tuple[NDArray[np.int64], int]]
) -> CountedBatch:
    """Lay out replicates, of each of which the weights of rows and the seed of its search were drawn."""
    weights, seeds = zip(*drawn, strict=True)
    counts = _core.local.ReplicateCounts(problem.layout.blocks, problem.layout.rare, list(weights))
    return CountedBatch(problem.layout, seed, tuple(indices), np.array(seeds, dtype=np.uint64), counts)


def climb_together(
    learner: LocalLearner,
    batch: CountedBatch,
    options: ClimbOptions,
    *,
    limits: Limits,
    progress: Callable[..., None],
) -> list[Outcome]:
    """Climb in each replicate with its seed; where the time ends or Ctrl-C comes, in the first of them."""
    found = learner.climb_together(batch.counts, batch.search_seeds, options, limits.native_seconds, progress)
    complete = [outcome for outcome in found if Status.from_native(outcome[-1]) is Status.COMPLETE]
    if found and Status.from_native(found[-1][-1]) is Status.INTERRUPTED:
        raise Interrupted(complete)
    return complete


# What a replicate is drawn from does not depend on the score, nor does what is counted in it, and searches by different
# scores ask for much the same families. So a caller that makes several bootstraps of the same data with the same seed
# keeps the batches that were counted together (`KeptBatches`): the next one draws nothing, and counts what is not
# counted yet.


# With what was drawn alone, two million cases in 600,000 distinct rows take 20 megabytes a batch.
KEPT_BYTES = 3 * 2**28


@dataclass(frozen=True, eq=False)
class CountedBatch:
    """Some replicates of one data set, and what was counted in them; one search at a time may use it."""

    layout: Layout  # that of the data, by which the counts are made
    seed: int
    indices: tuple[int, ...]  # what the replicates were drawn from, with the seed
    search_seeds: NDArray[np.uint64]
    counts: ReplicateCounts  # the weights of the replicates, and the sets of variables that were counted


class KeptBatches:
    """Batches of one data set that wait for the next score, as many as `memory` holds.

    They are kept until the last one that was expected has had them (`reserve`, `release`). Threads may share it.
    """

    def __init__(self, memory: int = KEPT_BYTES) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._kept: dict[tuple[int, ...], CountedBatch] = {}
        self._expected: list[object] | None = None  # not known yet
        self._selected: tuple[Dataset, tuple[str, ...], Dataset] | None = None

    def reserve(self, users: Iterable[object]) -> None:
        """Register the users of the batches; without one, nothing is kept."""
        with self._lock:
            self._expected = list(users)
            self._let_go()

    def release(self, user: object) -> None:
        """Note that one of them wants no more."""
        with self._lock:
            if self._expected is not None:
                self._expected = [one for one in self._expected if one != user]
            self._let_go()

    def _let_go(self) -> None:
        if self._expected == []:
            self._kept.clear()
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
        """Return the replicates of a kept batch if all of them are wanted; none if there is no such batch."""
        with self._lock:
            kept = [batch for batch in self._kept.values() if batch.layout is layout and batch.seed == seed]
            among = set(wanted) if kept else set()
            return next((list(batch.indices) for batch in kept if among.issuperset(batch.indices)), [])

    def take(self, layout: Layout, seed: int, indices: Iterable[int]) -> CountedBatch | None:
        """Return the batch of just these replicates, which is the caller's until it is put back; None if not kept."""
        key = tuple(indices)
        with self._lock:
            batch = self._kept.get(key)
            is_asked_for = batch is not None and batch.layout is layout and batch.seed == seed
            return self._kept.pop(key) if is_asked_for else None

    def put(self, batch: CountedBatch) -> None:
        """Keep a batch for the next one; where memory is short, without what was counted, or not at all."""
        with self._lock:
            if self._expected == [] or any(set(batch.indices) & set(indices) for indices in self._kept):
                return
            room = self._memory - sum(kept.counts.bytes for kept in self._kept.values())
            if batch.counts.bytes > room:
                batch.counts.forget()
            if batch.counts.bytes > room:
                return
            self._kept[batch.indices] = batch
