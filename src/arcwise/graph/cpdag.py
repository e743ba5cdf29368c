"""`Cpdag`: a Markov equivalence class of DAGs, as a completed partially directed acyclic graph."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain

import numpy as np

from arcwise.errors import GraphError
from arcwise.graph.bitset import bits, components
from arcwise.graph.dag import Dag
from arcwise.graph.orientations import OrientationCounter, orientations, sample_orientation
from arcwise.graph.pdag import Pdag
from arcwise.seeds import Seed, generator_of

__all__ = ["Cpdag", "compelled_parents_twin"]


class Cpdag(Pdag):
    """A Markov equivalence class: arcs that all its DAGs have, and edges that its DAGs orient differently.

    Liao, section 2.4.1. A graph that does not represent a class is refused; `Pdag(...).to_cpdag()` completes one that
    has a consistent extension.
    """

    __slots__ = ()

    def __init__(
        self, names: Sequence[str], parents: Sequence[Iterable[int]], neighbours: Sequence[Iterable[int]]
    ) -> None:
        super().__init__(names, parents, neighbours)
        completed = self.extend().cpdag
        if (completed._parents, completed._neighbours) != (self._parents, self._neighbours):
            raise GraphError(self._what_differs(completed))

    def _what_differs(self, completed: Cpdag) -> str:
        surplus = [f"{a} -> {b} is reversible" for a, b in self.arcs if (a, b) not in set(completed.arcs)]
        missing = [f"{a} -> {b} is compelled" for a, b in completed.arcs if (a, b) not in set(self.arcs)]
        return f"not a CPDAG: {(surplus + missing)[0]}. Complete the graph with Pdag(...).to_cpdag()."

    @classmethod
    def from_dag(cls, dag: Dag) -> Cpdag:
        """Return the class of a DAG, in time linear in its arcs (native; see cpp/core/graph/cpdag.cpp)."""
        from arcwise import _core

        sizes = np.fromiter(map(len, dag.parents), dtype=np.int64, count=dag.n_nodes)
        offsets = np.zeros(dag.n_nodes + 1, dtype=np.int64)
        np.cumsum(sizes, out=offsets[1:])
        tails = np.fromiter(chain.from_iterable(dag.parents), dtype=np.int32, count=int(offsets[-1]))
        flags = iter(_core.graph.compelled_arcs(offsets, tails).tolist())
        parents: list[list[int]] = [[] for _ in dag.names]
        neighbours: list[list[int]] = [[] for _ in dag.names]
        for child, ps in enumerate(dag.parents):
            for p in ps:
                if next(flags):
                    parents[child].append(p)
                else:
                    neighbours[child].append(p)
                    neighbours[p].append(child)
        return cls._trusted(dag.names, parents, [sorted(ns) for ns in neighbours])

    def to_dag(self) -> Dag:
        """Return a DAG of the class: where an edge is free it points, if it can, to the later node."""
        return self.extend()

    @cached_property
    def _chordal_masks(self) -> tuple[int, ...]:
        joined = sum(1 << v for v, ns in enumerate(self._neighbours) if ns)
        return tuple(components(self.neighbour_masks, joined))

    @cached_property
    def _counter(self) -> OrientationCounter:
        return OrientationCounter(self.neighbour_masks)

    @cached_property
    def size(self) -> int:
        """The number of DAGs in the class, exactly, in polynomial time (Clique-Picking)."""
        return self._counter.product(self._chordal_masks)

    def members(self) -> Iterator[Dag]:
        """Yield every DAG of the class once, in a fixed order; `size` says how many to expect."""
        for choice in orientations(self.neighbour_masks, self._chordal_masks):
            yield self._oriented(choice)

    def sample(self, seed: Seed = None) -> Dag:
        """Return a DAG of the class, each with the same probability."""
        rng = generator_of(seed)
        return self._oriented(sample_orientation(self.neighbour_masks, self._chordal_masks, self._counter, rng))

    def _oriented(self, choice: dict[int, int]) -> Dag:
        return Dag(self._names, [sorted([*ps, *bits(choice.get(v, 0))]) for v, ps in enumerate(self._parents)])

    def __contains__(self, dag: object) -> bool:
        return isinstance(dag, Dag) and set(dag.names) == set(self._names) and dag.reorder(self._names).cpdag == self


def compelled_parents_twin(dag: Dag) -> list[int]:
    """Return the compelled parents of each node as bit sets: what the native kernel is compared with.

    Chickering (UAI 1995, Figure 4), all arcs into a node at once: see cpp/core/graph/cpdag.cpp.
    """
    parents = dag.parent_masks
    rank = {v: position for position, v in enumerate(dag.topological_order)}
    compelled = [0] * dag.n_nodes
    for y in dag.topological_order:
        if dag.parents[y]:
            x = max(dag.parents[y], key=rank.__getitem__)
            everything = compelled[x] & ~parents[y] or parents[y] & ~parents[x] & ~(1 << x)
            compelled[y] = parents[y] if everything else compelled[x]
    return compelled
