"""`ClassMembers`: the networks of one class, all of them or some at random, where pairs may be fixed.

The networks of a Markov class are the independent acyclic moral orientations of the chain components of its CPDAG. Of a
class with fixed pairs they are those that have the known arcs: an orientation has one source per component, which
leaves smaller components (He, Jia and Yu 2015), so that they are found source by source, without a dead end, as they
are counted (`known_orientations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from arcwise.graph.big_integers import integer_below, pick_by_weight
from arcwise.graph.bitset import bits, components
from arcwise.graph.dag import Dag
from arcwise.graph.fixed_pairs import FixedPairs
from arcwise.graph.known_orientations import KnownOrientationCounter
from arcwise.graph.orientations import blocks_after

__all__ = ["ClassMembers"]

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
