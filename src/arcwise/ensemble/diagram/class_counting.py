"""How many equivalence classes a credible set has."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.diagram.credible_diagram import CHUNK, CredibleDiagram
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable

__all__ = ["count_classes", "has_whole_classes"]

# More networks than this are not listed for the sake of counting their classes, unless limits.count allows for more.
LARGEST_LISTED = 50_000_000
# Up to this many networks, listing them all is cheaper than a diagram of the classes.
FEW = 20_000


def has_whole_classes(table: ParentSetTable) -> bool:
    """Say whether the table holds all members of a class with one score: that is, whether the score is equivalent.

    A limit on parents forbids all members of a class or none: they are joined by reversing covered arcs (Chickering
    1995, Theorem 2), which swaps the numbers of parents of the two ends.
    """
    if "name" not in table.score:
        return False
    from arcwise.scores import make_score

    options = dict(table.score)
    return make_score(str(options.pop("name")), **options).facts.equivalent


def count_classes(
    diagram: CredibleDiagram, count: int, build: Callable[[], CredibleDiagram], *, whole: bool, limits: Limits
) -> int | None:
    """Return the number of equivalence classes among the `count` networks of a diagram of DAGs.

    A few networks are listed and grouped by the key of their CPDAG. So are many where classes are not whole; where they
    are, the diagram of the classes (`build` makes it) is counted. None if that would be too many (`limits.count`, or
    `LARGEST_LISTED`), or another limit was met.
    """
    start = time.monotonic()
    if whole and count > FEW:
        return _count_diagram(build(), limits)
    if count > _most_listed(limits):
        return None
    from arcwise import _core

    table = diagram.table
    lister = diagram.lister()
    known: NDArray[np.void] = np.empty(0, dtype="V16")
    fresh: list[NDArray[np.void]] = []
    pending = 0
    while not lister.done:
        if time.monotonic() - start > limits.native_seconds:
            return None
        choices, _ = diagram.next_chunk(lister, CHUNK)
        rows = choices.astype(np.int64) + table.node_offsets[:-1]
        keys = _core.graph.class_keys_of_rows(rows, table.set_offsets, table.members)
        fresh.append(np.unique(np.ascontiguousarray(keys).view("V16").ravel()))
        pending += len(fresh[-1])
        if pending > len(known):
            known, fresh, pending = np.unique(np.concatenate([known, *fresh])), [], 0
    return len(np.unique(np.concatenate([known, *fresh])))


def _count_diagram(classes: CredibleDiagram, limits: Limits) -> int | None:
    """Count the classes of a diagram of classes: its paths, or those paths that are least members."""
    if classes.status is not Status.COMPLETE:
        return None
    sums = classes.sums(limits=limits)
    if sums.status is not Status.COMPLETE or classes.rank is None:
        return sums.count if sums.status is Status.COMPLETE else None
    if sums.count > _most_listed(limits):
        return None
    start, count = time.monotonic(), 0
    lister = classes.lister()
    while not lister.done:
        if time.monotonic() - start > limits.native_seconds:
            return None
        count += len(classes.next_chunk(lister, CHUNK)[1])
    return count


def _most_listed(limits: Limits) -> int:
    return max(LARGEST_LISTED, limits.count or 0)
