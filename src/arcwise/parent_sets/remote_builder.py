"""`RemoteBuilder`: a table of parent sets whose children are shared out among the workers of a Dask cluster.

Pruning compares parent sets of the same child only, so that the rows of a child are the same whoever builds those of
the others. A set of variables is counted once for all children of a task, and again in other tasks: the children are
shared out in as few tasks as there are workers, each of which builds all levels of its own. The rows are put together
child by child.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.cluster import Cluster, open_cluster
from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.limits import Limits, Status
from arcwise.parent_sets.grouped_builder import (
    ChildRows,
    Families,
    GroupedBuilder,
    Rows,
    joined_rows,
    rows_of_child,
    too_little_memory,
)
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["RemoteBuilder", "RemoteWork"]


@dataclass(frozen=True, eq=False)
class Part:
    """What a worker built: for each of its children and each score the rows, and how far it came."""

    rows: dict[int, list[ChildRows]]
    level: int
    status: Status
    families: int
    sets: int
    peak_bytes: float


@dataclass(frozen=True, eq=False)
class RemoteWork:
    """What is scored, as `GroupedBuilder` takes it."""

    data: Dataset
    scores: tuple[Score, ...]
    families: Families
    slack: float
    memory_bytes: float

    @property
    def digest(self) -> str:
        """What is the same if the table and the memory that it may take are."""
        scores = [score.identity() for score in self.scores]
        of = self.families
        own = [self.data.digest, scores, repr(self.slack), of.required, of.allowed, of.sizes, self.memory_bytes]
        return hashlib.sha256(json.dumps(own, default=str).encode()).hexdigest()

    def build(self, children: Sequence[int], seconds: float) -> Part:
        """Build all levels of some children, as far as the time goes."""
        builder = GroupedBuilder(
            self.data,
            self.scores,
            self.families.of_children(children),
            slack=self.slack,
            threads=1,  # a worker has one core
            memory_bytes=self.memory_bytes,
            dense_from=math.inf,  # all levels at once need all children
        )
        deadline = Deadline(Limits(None if math.isinf(seconds) else seconds))
        status = Status.COMPLETE
        while not builder.finished and status is Status.COMPLETE:
            free = builder.level < self.families.least
            status = Status.from_native(builder.advance(None, math.inf if free else deadline.seconds_left))
        tables = [builder.table(number) for number in range(len(self.scores))]
        rows = {child: [rows_of_child(table, child, None) for table in tables] for child in children}
        return Part(rows, builder.level, status, builder.families, builder.sets, builder.peak_bytes)


class RemoteBuilder:
    """Builds tables on a cluster: what `GroupedBuilder` says of them after the last level."""

    def __init__(
        self,
        work: RemoteWork,
        cluster: str | Client | Cluster,
        deadline: Deadline,
        progress: bool | ProgressCallback | None,
    ) -> None:
        n = work.data.n_variables
        with show_progress(progress) as callback, open_cluster(cluster) as opened:
            count = min(n, opened.count)
            asked = [(list(range(first, n, count)), deadline.seconds_left) for first in range(count)]

            def note(done: int) -> None:
                callback(ProgressEvent("parent sets, groups of children", done, count))

            found = opened.run_all(_build, work, work.digest, asked, note=note)
        self._parts: list[Part] = [part for part in found if part is not None]
        ended = [part.status for part in self._parts if part.status is not Status.COMPLETE]
        self.status = ended[0] if ended else Status.COMPLETE
        stopped = [part.level for part in self._parts if part.status is not Status.COMPLETE]
        self.level = min(stopped) if stopped else max(part.level for part in self._parts)
        if stopped and self.level < work.families.least:
            raise too_little_memory(work.memory_bytes)
        self.families = sum(part.families for part in self._parts)
        self.sets = sum(part.sets for part in self._parts)
        self.peak_bytes = max(part.peak_bytes for part in self._parts)

    def table(self, score: int) -> Rows:
        """Return the rows of one score as a `ParentSetTable` holds them."""
        own: dict[int, Any] = {child: rows[score] for part in self._parts for child, rows in part.rows.items()}
        most = None if self.status is Status.COMPLETE else self.level
        parts = []
        for child in sorted(own):
            scores, sizes, members = own[child]
            kept = sizes <= (np.inf if most is None else most)
            parts.append((scores[kept], sizes[kept], members[np.repeat(kept, sizes)]))
        return joined_rows(parts)


def _build(work: RemoteWork, asked: tuple[list[int], float]) -> Part:
    return work.build(*asked)
