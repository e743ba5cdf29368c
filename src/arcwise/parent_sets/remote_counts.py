"""`RemoteCounts`: the sets of a level, counted by the workers of a Dask cluster.

A table is built level by level, and nearly all the work is counting: a set of variables S is counted once, and serves
every child in S, as P + child = S, and later as a parent set. So tasks are ranges of sets, not children: shared out by
child, a set of five variables would be counted on each of up to five workers. What is done between two levels, which
families follow from the last one and which are pruned, is done here, where all scores are. To a task go the ranks of
its sets, 16 bytes each, and from it come their sums, 12 bytes for one score, while counting takes about a microsecond
for every thousand cases. What is found of a set depends on nothing but the data and the set, so that the table is the
same to the last bit.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster import Cluster
from arcwise.data import Dataset
from arcwise.deadline import NO_TIME, Deadline
from arcwise.errors import ArcwiseError
from arcwise.limits import Limits, Status
from arcwise.progress import ProgressCallback, ProgressEvent
from arcwise.scores import Score

if TYPE_CHECKING:
    from arcwise._core.parent_sets import SetBatch, SetTask

__all__ = ["CountWork", "RemoteCounts"]

# Counting a set takes about as long as looking at all rows once, and at so many more whatever their number.
ROWS_MORE = 500
# Rows to look at: for less (a tenth of a second) a level is counted here, and no task has more (about a second).
LEAST_ROWS, MOST_ROWS = 1e9, 1e10
SMALLEST_TASK = 2048  # sets, or half of what is counted here
# Tasks get smaller towards the end of a level, so that all workers end at about the same time: each takes this part of
# one worker's share of what is left.
SHARE = 3
AHEAD = 2  # tasks that wait, for each that runs

# Of some sets: a group of children, the size of the sets, their ranks, and for families which of them are wanted.
Asked = tuple[int, int, NDArray[np.uint64], NDArray[np.uint8] | None]
Found = tuple[NDArray[np.float64], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class CountWork:
    """What is counted, and the scores that are made of it."""

    data: Dataset
    scores: tuple[Score, ...]

    @property
    def digest(self) -> str:
        """What is the same if the data and the scores are."""
        own = [self.data.digest, [score.identity() for score in self.scores]]
        return hashlib.sha256(f"counts {json.dumps(own, default=str)}".encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tasks"}

    @cached_property
    def _tasks(self) -> dict[tuple[int, int], SetTask]:
        """What counts, of every thread of this worker and every group of children."""
        return {}

    def count(self, asked: Asked) -> Found:
        """Return the sums of all scores and the numbers of cells that occur, or scores and bounds of families."""
        from arcwise import _core

        number, size, ranks, needed = asked
        key = threading.get_ident(), number
        if key not in self._tasks:
            group = self.data.child_groups[number]
            scores = [score.native(group) for score in self.scores]
            made = _core.parent_sets.make_set_task(group.codes, group.arities, group.native_weights, scores)
            self._tasks[key] = made
        task = self._tasks[key]
        return task.sum_sets(size, ranks) if needed is None else task.score_families(size, ranks, needed)


def _count(work: CountWork, asked: Asked) -> Found:
    return work.count(asked)


class RemoteCounts:
    """Has the sets of a builder's levels counted on a cluster.

    Parameters
    ----------
    work
        What is counted.
    cluster
        Who counts.
    callback
        Who is told how many are done.
    """

    def __init__(self, work: CountWork, cluster: Cluster, callback: ProgressCallback) -> None:
        self._work, self._digest = work, work.digest
        self._cluster = cluster
        self._callback = callback

    def count(self, group: int, batch: SetBatch, seconds: float) -> int | None:
        """Have a batch counted and put the results in it; return the native status, None if it is too little work."""
        rows = self._work.data.child_groups[group].n_rows + ROWS_MORE
        if batch.size * rows < LEAST_ROWS:
            return None
        least = max(SMALLEST_TASK, int(LEAST_ROWS / 2 / rows))
        most = max(least, int(MOST_ROWS / rows))
        deadline = Deadline(Limits(max(NO_TIME, seconds) if np.isfinite(seconds) else None))
        stage = f"sets of {batch.set_size} variables"
        given: dict[int, tuple[int, int]] = {}  # task -> its first set, and how many numbers it finds
        done = 0
        with self._cluster.tasks(_count, self._work, self._digest) as tasks:
            workers = self._cluster.count
            pieces = _pieces(batch.size, workers, least, most)
            try:
                while True:
                    while len(tasks) < (1 + AHEAD) * workers and (piece := next(pieces, None)) is not None:
                        needed = batch.needed(*piece) if batch.is_of_families else None
                        count = piece[1] - piece[0] if needed is None else needed.size
                        given[tasks.give((group, batch.set_size, batch.ranks(*piece), needed))] = piece[0], count
                    if not len(tasks):
                        return list(Status).index(Status.COMPLETE)
                    ended = tasks.take(deadline)
                    if ended is None:
                        return list(Status).index(Status.TIME_LIMIT)
                    number, found = ended
                    store: Any = batch.store_families if batch.is_of_families else batch.store_sums
                    first, count = given.pop(number)
                    if found[1].size != count or not store(first, *found):
                        raise ArcwiseError("a worker of the cluster has counted other sets than it was told to.")
                    done += 1
                    self._callback(ProgressEvent(stage, done, None))
            except KeyboardInterrupt:
                return list(Status).index(Status.INTERRUPTED)


def _pieces(size: int, workers: int, least: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of sets, one after the other, that get shorter towards the end.

    >>> list(_pieces(10_000, 2, 2_000, 2_500))
    [(0, 2000), (2000, 4000), (4000, 6000), (6000, 8000), (8000, 10000)]
    >>> list(_pieces(10_000, 1, 1_000, 3_000))
    [(0, 3000), (3000, 5333), (5333, 6888), (6888, 7925), (7925, 8925), (8925, 9925), (9925, 10000)]
    """
    first = 0
    while first < size:
        last = min(size, first + min(most, max(least, (size - first) // (SHARE * workers))))
        yield first, last
        first = last
