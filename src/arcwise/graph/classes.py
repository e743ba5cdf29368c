"""Classes of many DAGs at once: a 128-bit key each, and the classes that occur.

Two DAGs over the same nodes have equal keys if and only if they are Markov equivalent and, where pairs are fixed, agree
on the arcs of these pairs, up to a chance below 10^-26 for a million classes. Millions of DAGs per second: the work is
native, in batches between which Ctrl-C is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import GraphError
from arcwise.base.run import ProgressCallback, ProgressEvent, show_progress
from arcwise.graph.dag import Dag
from arcwise.graph.fixed_pairs import FixedPairs, native_pairs
from arcwise.graph.nodes import bits
from arcwise.graph.orientations import Orientations

BATCH = 2**16


def class_keys(
    rows: NDArray[np.integer],
    *,
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    node_offsets: NDArray[np.int64] | None = None,
    fixed: FixedPairs | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.uint64]:
    """Return the class keys, shape (DAGs, 2), of DAGs that are given as rows of a table of parent sets.

    Parameters
    ----------
    rows
        Shape (DAGs, nodes), any integer type: the row of the table that holds the parents of the node.
    set_offsets, members
        The table: row r has the parents ``members[set_offsets[r]:set_offsets[r + 1]]``, ascending.
    node_offsets
        If given, `rows` count within the node: row r of node v is row ``node_offsets[v] + r`` of the table.
    fixed
        Pairs whose direction is not the data's to tell: classes are Markov classes cut down to the members that agree
        on them (`FixedPairs.class_of`).
    progress
        See `arcwise.progress.show_progress`.
    """
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise GraphError(f"rows must have the shape (DAGs, nodes); they have {rows.shape}.")
    n_nodes, n_rows = rows.shape[1], len(set_offsets) - 1
    first = np.zeros(n_nodes, dtype=np.int64) if node_offsets is None else np.asarray(node_offsets[:n_nodes])
    offsets = np.ascontiguousarray(set_offsets, dtype=np.int64)
    parents = np.ascontiguousarray(members, dtype=np.int32)
    pairs = _pairs(fixed, n_nodes)
    if parents.size and not (parents.min() >= 0 and parents.max() < n_nodes):
        raise GraphError(f"the table names parents outside of the {n_nodes} nodes.")
    keys = np.empty((len(rows), 2), dtype=np.uint64)
    with show_progress(progress) as report:
        for start in range(0, len(rows), BATCH):
            batch = np.ascontiguousarray(rows[start : start + BATCH] + first, dtype=np.int64)
            if not (batch.min() >= 0 and batch.max() < n_rows):
                raise GraphError(f"rows must lie between 0 and {n_rows - 1}, the rows of the table.")
            keys[start : start + BATCH] = _core.graph.class_keys_of_rows(batch, offsets, parents, pairs).reshape(-1, 2)
            report(ProgressEvent("equivalence classes", min(start + BATCH, len(rows)), len(rows)))
    return keys


def class_keys_from_masks(
    masks: NDArray[np.uint64],
    *,
    fixed: FixedPairs | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.uint64]:
    """Return the class keys, shape (DAGs, 2), of DAGs that are given as bits.

    Parameters
    ----------
    masks
        Shape (DAGs, nodes, words), or (DAGs, nodes) for up to 64 nodes: bit p of the words of node v is set if p is a
        parent of v; the lowest bit of the first word is node 0.
    fixed, progress
        See `class_keys`.
    """
    words = masks[:, :, None] if masks.ndim == 2 else masks
    if words.ndim != 3 or words.shape[1] == 0 or words.shape[2] != -(-words.shape[1] // 64):
        raise GraphError(f"masks must have the shape (DAGs, nodes, ceil(nodes / 64)); they have {masks.shape}.")
    spare = words.shape[1] % 64
    if spare and (words[:, :, -1] >> np.uint64(spare)).any():
        raise GraphError(f"masks name parents outside of the {words.shape[1]} nodes.")
    keys = np.empty((len(words), 2), dtype=np.uint64)
    pairs = _pairs(fixed, words.shape[1])
    with show_progress(progress) as report:
        for start in range(0, len(words), BATCH):
            batch = np.ascontiguousarray(words[start : start + BATCH], dtype=np.uint64)
            keys[start : start + BATCH] = _core.graph.class_keys_of_masks(batch, pairs).reshape(-1, 2)
            report(ProgressEvent("equivalence classes", min(start + BATCH, len(words)), len(words)))
    return keys


def _pairs(fixed: FixedPairs | None, n_nodes: int) -> NDArray[np.uint64]:
    if fixed is not None and fixed.n_nodes != n_nodes:
        raise GraphError(f"the fixed pairs are of {fixed.n_nodes} nodes, the DAGs of {n_nodes}.")
    return native_pairs(fixed)


def number_classes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Number the classes 0, 1, ... in the order of first appearance; return the number of each key's class."""
    if keys.ndim != 2 or keys.shape[1] != 2:
        raise GraphError(f"keys have the shape (DAGs, 2), not {keys.shape}.")
    return _core.graph.number_classes(np.ascontiguousarray(keys, dtype=np.uint64))


class ClassMembers:
    """The networks of the class of a network: all of them, or some at random.

    Those of a Markov class are the independent acyclic moral orientations of the chain components of its CPDAG; of a
    class with fixed pairs, those that have the known arcs.

    Parameters
    ----------
    dag
        One of them.
    fixed
        The pairs whose direction is the same in all of them; None for a Markov class.

    Examples
    --------
    >>> chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> members = ClassMembers(chain)
    >>> members.count, sorted(dag.arcs for dag in members)[0]
    (3, (('a', 'b'), ('b', 'c')))
    """

    def __init__(self, dag: Dag, fixed: FixedPairs | None = None) -> None:
        fixed = fixed or FixedPairs(dag.names)
        self._names = dag.names
        cpdag, members = dag.cpdag, fixed.class_of(dag)
        self._parents = cpdag.parent_masks
        self._graphs = cpdag.chordal_masks
        known = [a & b for a, b in zip(members.parent_masks, cpdag.neighbour_masks, strict=True)]
        self._orientations = Orientations(cpdag.neighbour_masks, known)

    @property
    def count(self) -> int:
        """How many there are, itself included; an UnfinishedError where that is too much to count (`Orientations`)."""
        return self._orientations.product(self._graphs)

    def __iter__(self) -> Iterator[Dag]:
        for oriented in self._orientations.every(self._graphs):
            yield self._network(oriented)

    def draw(self, rng: np.random.Generator) -> Dag:
        """Return one of them, each with the same probability, exactly."""
        return self._network(self._orientations.draw(self._graphs, rng))

    def _network(self, oriented: dict[int, int]) -> Dag:
        masks = [own | oriented.get(v, 0) for v, own in enumerate(self._parents)]
        return Dag(self._names, [list(bits(mask)) for mask in masks])
