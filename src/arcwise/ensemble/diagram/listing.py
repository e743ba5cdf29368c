"""Networks of a diagram, one by one: all within some slack, or a number of the best.

The lister goes through a diagram depth first and never leaves the slack it was given, so its cost is that of what it
lists, but its order is not that of the scores. The best k are therefore found by trying smaller slacks: a trial ends as
soon as it has listed more than twice k, and that alone settles most slacks; once a trial ends by itself with
at least k, the k best of it are the k best of all. Ties are the exception: if a million networks share the k-th place,
no slack has between k and 2 k of them. Then the networks strictly better are listed, and as many of the tied ones as
are missing. Nothing here relies on counts that are made in another way (`CredibleDiagram.sums` joins losses that are
equal except for rounding), so that exactly k networks are returned whenever there are k.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram
from arcwise.ensemble.families import choice_type
from arcwise.graph import class_keys
from arcwise.limits import Status
from arcwise.progress import ProgressCallback, ProgressEvent

__all__ = ["CHUNK", "Listed", "iterate_chunks", "list_all", "list_best"]

CHUNK = 1 << 18
# Between two doubles of the size of a slack there is nothing to halve after this many steps.
HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Listed:
    """Networks by falling score: the row of each node's parent set, counted within the node, and what each loses."""

    choices: NDArray[Any]
    losses: NDArray[np.float64]
    status: Status

    def best(self, count: int) -> Listed:
        """Return the first ones, this many."""
        return Listed(self.choices[:count], self.losses[:count], self.status)


def iterate_chunks(
    diagram: CredibleDiagram, slack: float | None = None, size: int = CHUNK
) -> Iterator[tuple[NDArray[Any], NDArray[np.float64]]]:
    """Yield all networks within a slack (by default the diagram's), up to `size` at a time, in the diagram's order.

    A chunk may be empty: between two chunks a caller can look at the clock.
    """
    lister = diagram.lister(slack)
    met = _ClassesMet(diagram) if diagram.repeats_classes else None
    while not lister.done:
        chunk = diagram.next_chunk(lister, size)
        yield chunk if met is None else met.only_new(*chunk)


class _ClassesMet:
    """The classes that were listed, where a diagram may have several networks of one: 16 bytes each."""

    def __init__(self, diagram: CredibleDiagram) -> None:
        self._table, self._fixed = diagram.table, diagram.fixed
        self._keys: NDArray[np.void] = np.empty(0, dtype="V16")  # sorted

    def only_new(self, rows: NDArray[Any], losses: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the first network of each class that was not met before."""
        if not len(losses):
            return rows, losses
        table = self._table
        keys = class_keys(
            rows,
            set_offsets=table.set_offsets,
            members=table.members,
            node_offsets=table.node_offsets,
            fixed=self._fixed,
            progress=False,
        )
        found, first = np.unique(np.ascontiguousarray(keys).view("V16").ravel(), return_index=True)
        new = ~np.isin(found, self._keys)
        self._keys = np.union1d(self._keys, found[new])
        kept = np.sort(first[new])
        return rows[kept], losses[kept]


def list_all(
    diagram: CredibleDiagram,
    deadline: Deadline,
    callback: ProgressCallback,
    *,
    slack: float | None = None,
    most: int | None = None,
) -> Listed:
    """List the networks within a slack by falling score.

    With more than `most` the list ends early with the status COUNT_LIMIT and then holds an arbitrary part of them.
    """
    limit = deadline.given.native_count if most is None else most
    status, listed = deadline.status, 0
    rows: list[NDArray[Any]] = []
    losses: list[NDArray[np.float64]] = []
    memory = deadline.given.native_memory
    try:
        if status is Status.COMPLETE:
            for chosen, lost in iterate_chunks(diagram, slack, min(CHUNK, limit + 1)):
                rows.append(chosen)
                losses.append(lost)
                listed += len(lost)
                callback(ProgressEvent("credible set: networks", listed))
                if listed > limit:
                    status = Status.COUNT_LIMIT
                elif sum(part.nbytes for part in rows) > memory:
                    status = Status.MEMORY_LIMIT
                else:
                    status = deadline.status
                if status is not Status.COMPLETE:
                    break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    n = diagram.table.n_variables
    kind = choice_type(int(np.diff(diagram.table.node_offsets).max(initial=1)))
    loss = np.concatenate(losses) if losses else np.empty(0)
    choices = np.concatenate(rows) if rows else np.empty((0, n), dtype=kind)
    order = np.argsort(loss, kind="stable")
    return Listed(choices[order], loss[order], status)


def list_best(diagram: CredibleDiagram, count: int, deadline: Deadline, callback: ProgressCallback) -> Listed:
    """List the best `count` networks of a diagram, by falling score; all of them if there are no more.

    The status is COMPLETE if they are the best, and COUNT_LIMIT if there are more; of networks that tie for the last
    place, any may be listed. Where time or memory ends first, nothing is: whatever was seen was not chosen by score.
    """
    found = list_all(diagram, deadline, callback, most=count)
    if found.status is not Status.COUNT_LIMIT:
        return found
    low, high = -diagram.tolerance, diagram.slack  # fewer than count within low (or none at all), more within high
    below: Listed | None = None
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        trial = list_all(diagram, deadline, callback, slack=middle, most=2 * count)
        if trial.status not in (Status.COMPLETE, Status.COUNT_LIMIT):
            return Listed(trial.choices[:0], trial.losses[:0], trial.status)
        if trial.status is Status.COUNT_LIMIT:
            high = middle
        elif len(trial.losses) < count:
            low, below = middle, trial
        else:
            return Listed(trial.choices[:count], trial.losses[:count], Status.COUNT_LIMIT)
    tied = list_all(diagram, deadline, callback, slack=high, most=count)
    if tied.status is not Status.COUNT_LIMIT:
        return Listed(tied.choices[:0], tied.losses[:0], tied.status)
    if below is None:
        return tied.best(count)
    # Of the first `count` + 1 in the diagram's order at most those below are not tied.
    choices, lost = _not_in(diagram, tied, below)
    missing = count - len(below.losses)
    losses = np.concatenate([below.losses, lost[:missing]])
    order = np.argsort(losses, kind="stable")
    return Listed(np.concatenate([below.choices, choices[:missing]])[order], losses[order], Status.COUNT_LIMIT)


def _not_in(diagram: CredibleDiagram, tied: Listed, below: Listed) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return what is tied but not below.

    Where several paths stand for one class, their losses may differ by rounding, and the first that is met within a
    slack need not be the first within more of it: then classes are compared, not networks.
    """
    if diagram.repeats_classes:
        met = _ClassesMet(diagram)
        met.only_new(below.choices, below.losses)
        return met.only_new(tied.choices, tied.losses)
    new = ~np.isin(_as_items(tied.choices), _as_items(below.choices))
    return tied.choices[new], tied.losses[new]


def _as_items(rows: NDArray[Any]) -> NDArray[np.void]:
    """Return each row as one item that can be compared."""
    packed = np.ascontiguousarray(rows)
    return packed.view(np.dtype((np.void, packed.dtype.itemsize * packed.shape[1]))).ravel()
