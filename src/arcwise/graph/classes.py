"""Classes of many DAGs at once: a 128-bit key each, and the classes that occur.

Two DAGs over the same nodes have equal keys if and only if they are Markov equivalent and, where pairs are fixed, agree
on the arcs of these pairs, up to a chance below 10^-26 for a million classes. Millions of DAGs per second: the work is
native, in batches between which Ctrl-C is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import GraphError
from arcwise.base.run import ProgressCallback, ProgressEvent, show_progress
from arcwise.graph.dag import Dag
from arcwise.graph.fixed_pairs import FixedPairs, KnownOrientationCounter, native_pairs
from arcwise.graph.nodes import bits, components, integer_below, pick_by_weight
from arcwise.graph.orientations import blocks_after

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
    fixed
        See `class_keys`.
    progress
        See `arcwise.progress.show_progress`.
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


# `ClassMembers`: the networks of one class, all of them or some at random, where pairs may be fixed.
#
# The networks of a Markov class are the independent acyclic moral orientations of the chain components of its CPDAG.
# Of a class with fixed pairs they are those that have the known arcs: an orientation has one source per component,
# which leaves smaller components (He, Jia and Yu 2015), so that they are found source by source, without a dead end,
# as they are counted (`known_orientations`).


Split = tuple[dict[int, int], list[int]]  # parents of each node of a component so far, and what is left to orient


class ClassMembers:
    """The networks of the class of a network.

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
        self._neighbours = cpdag.neighbour_masks
        self._known = [a & b for a, b in zip(members.parent_masks, self._neighbours, strict=True)]
        joined = sum(1 << v for v, mask in enumerate(self._neighbours) if mask)
        self._graphs = list(components(self._neighbours, joined))
        self._counter = KnownOrientationCounter(self._neighbours, self._known)

    @property
    def count(self) -> int:
        """How many there are; an UnfinishedError where that is too much to count (`FixedPairs.class_size`)."""
        return self._counter.product(self._graphs)

    def __iter__(self) -> Iterator[Dag]:
        for oriented in self._orientations(self._graphs):
            yield self._network(oriented)

    def draw(self, rng: np.random.Generator) -> Dag:
        """Return one of them, each with the same probability, exactly."""
        oriented: dict[int, int] = {}
        pending = list(self._graphs)
        while pending:
            component = pending.pop()
            split = self._drawn_from_tree(component, rng)
            if split is None:
                splits = [found for source in bits(component) if (found := self._split(component, source)) is not None]
                split = splits[pick_by_weight([self._counter.product(parts) for _, parts in splits], rng)]
            arcs, parts = split
            for v, before in arcs.items():
                oriented[v] = oriented.get(v, 0) | before
            pending.extend(parts)
        return self._network(oriented)

    def _drawn_from_tree(self, component: int, rng: np.random.Generator) -> Split | None:
        """Return a split of a tree without known arcs, which has one orientation for each source; None for others."""
        nodes = list(bits(component))
        edges = sum((self._neighbours[v] & component).bit_count() for v in nodes) // 2
        if edges >= len(nodes) or any(self._known[v] & component for v in nodes):
            return None
        return self._split(component, nodes[integer_below(len(nodes), rng)])

    def _orientations(self, graphs: Sequence[int]) -> Iterator[dict[int, int]]:
        if not graphs:
            yield {}
            return
        for source in bits(graphs[0]):
            split = self._split(graphs[0], source)
            if split is None:
                continue
            arcs, parts = split
            for later in self._orientations([*parts, *graphs[1:]]):
                yield {v: arcs.get(v, 0) | later.get(v, 0) for v in {*arcs, *later}}

    def _split(self, component: int, source: int) -> Split | None:
        """Return what follows if a node is the source of a component; None if a known arc forbids it."""
        arcs, parts = {source: 0}, []
        before, later = 1 << source, component & ~(1 << source)
        if self._known[source] & component:
            return None
        for block in blocks_after(self._neighbours, component, 1 << source):
            later &= ~block
            for v in bits(block):
                if self._known[v] & later:
                    return None
                arcs[v] = self._neighbours[v] & before
            parts += [part for part in components(self._neighbours, block) if part & (part - 1)]
            before |= block
        if any(self._counter.count(part) == 0 for part in parts):
            return None
        return arcs, parts

    def _network(self, oriented: dict[int, int]) -> Dag:
        masks = [own | oriented.get(v, 0) for v, own in enumerate(self._parents)]
        return Dag(self._names, [list(bits(mask)) for mask in masks])
