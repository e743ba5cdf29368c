"""`Pdag`: a graph with directed and undirected edges and no directed cycle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import GraphError
from arcwise.graph.adjacency import read_matrix
from arcwise.graph.bitset import bits, bitset
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import NamedNodes
from arcwise.graph.relatives import Relatives
from arcwise.showing import wrapped

if TYPE_CHECKING:
    import networkx as nx
    from matplotlib.axes import Axes

    from arcwise.graph.cpdag import Cpdag

__all__ = ["Pdag"]


class Pdag(NamedNodes):
    """A partially directed acyclic graph: arcs a -> b and undirected edges a - b; immutable, hashable.

    What orienting some edges of a skeleton gives: a consensus network, or a class with background knowledge. A `Cpdag`
    is a Pdag that represents a Markov equivalence class.

    Parameters
    ----------
    names
        The nodes.
    parents
        For each node, the positions of the nodes with an arc to it.
    neighbours
        For each node, the positions of the nodes that an undirected edge joins to it (named from both ends).
    """

    __slots__ = ("_neighbours", "_parents")

    _parents: tuple[tuple[int, ...], ...]
    _neighbours: tuple[tuple[int, ...], ...]

    def __init__(
        self, names: Sequence[str], parents: Sequence[Iterable[int]], neighbours: Sequence[Iterable[int]]
    ) -> None:
        directed = Dag(names, parents)  # checks positions, repetitions and cycles
        super().__init__(directed.names)
        self._parents = directed._parents
        self._neighbours = tuple(tuple(sorted(set(ns))) for ns in neighbours)
        if len(self._neighbours) != len(self._names):
            raise GraphError(f"{len(self._names)} names but {len(self._neighbours)} neighbour sets.")
        self._check_edges(directed)

    def _check_edges(self, directed: Dag) -> None:
        for v, ns in enumerate(self._neighbours):
            for u in ns:
                first, second = self._names[self.index(u)], self._names[v]
                if u == v:
                    raise GraphError(f"node '{second}' cannot be its own neighbour.")
                if v not in self._neighbours[u]:
                    raise GraphError(f"the edge {second} - {first} is given from one end only.")
                if u in directed.parents[v] or v in directed.parents[u]:
                    raise GraphError(f"'{first}' and '{second}' are joined by both an arc and an undirected edge.")

    @classmethod
    def from_edges(
        cls, names: Sequence[str], arcs: Iterable[tuple[str, str]] = (), edges: Iterable[tuple[str, str]] = ()
    ) -> Self:
        """Make the graph from arcs (parent, child) and undirected edges, as pairs of names."""
        directed = Dag.from_arcs(names, arcs)
        neighbours: list[set[int]] = [set() for _ in directed.names]
        for first, second in edges:
            try:
                a, b = directed.index(first), directed.index(second)
            except GraphError as error:
                raise error.within(f"edge {first} - {second}:") from None
            if b in neighbours[a]:
                raise GraphError(f"the edge {first} - {second} is given twice.")
            neighbours[a].add(b)
            neighbours[b].add(a)
        return cls(directed.names, directed.parents, neighbours)

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, *, names: Sequence[str] | None = None) -> Self:
        """Make the graph from a matrix: entries (i, j) and (j, i) for an edge i - j, (i, j) alone for i -> j."""
        found, entries = read_matrix(matrix, names)
        both = entries & entries.T
        directed = (entries & ~both).T
        return cls(found, [np.flatnonzero(r).tolist() for r in directed], [np.flatnonzero(r).tolist() for r in both])

    @classmethod
    def _trusted(
        cls, names: tuple[str, ...], parents: Sequence[Iterable[int]], neighbours: Sequence[Iterable[int]]
    ) -> Self:
        """Make the graph without checks, from ascending positions."""
        graph = cls.__new__(cls)
        graph._names = names
        graph._parents = tuple(map(tuple, parents))
        graph._neighbours = tuple(map(tuple, neighbours))
        return graph

    @cached_property
    def parents(self) -> Relatives:
        """For each node, the positions of the nodes with an arc to it, ascending; ``parents("x")`` gives names."""
        return Relatives.of(self._names, self._parents)

    @cached_property
    def neighbours(self) -> Relatives:
        """For each node, the positions of those joined by an undirected edge; ``neighbours("x")`` gives names."""
        return Relatives.of(self._names, self._neighbours)

    @cached_property
    def parent_masks(self) -> tuple[int, ...]:
        """For each node, its parents as a bit set."""
        return tuple(bitset(ps) for ps in self._parents)

    @cached_property
    def child_masks(self) -> tuple[int, ...]:
        """For each node, the nodes to which an arc leads from it, as a bit set."""
        masks = [0] * self.n_nodes
        for child, ps in enumerate(self._parents):
            for p in ps:
                masks[p] |= 1 << child
        return tuple(masks)

    @cached_property
    def neighbour_masks(self) -> tuple[int, ...]:
        """For each node, its neighbours by undirected edges as a bit set."""
        return tuple(bitset(ns) for ns in self._neighbours)

    @cached_property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """The arcs as (parent, child) pairs of names, by child and then by parent."""
        return self._name_arcs((p, c) for c, ps in enumerate(self._parents) for p in ps)

    @cached_property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """The undirected edges as pairs of names, in the order of the nodes."""
        return self._name_arcs((a, b) for a, ns in enumerate(self._neighbours) for b in ns if a < b)

    @cached_property
    def skeleton(self) -> tuple[tuple[str, str], ...]:
        """All edges without direction, as pairs of names in the order of the nodes."""
        pairs = [(min(p, c), max(p, c)) for c, ps in enumerate(self._parents) for p in ps]
        pairs += [(a, b) for a, ns in enumerate(self._neighbours) for b in ns if a < b]
        return self._name_arcs(sorted(pairs))

    def extend(self) -> Dag:
        """Return a DAG with the same skeleton, the same v-structures and all arcs: a consistent extension.

        Dor and Tarsi (1992): remove, again and again, a node without children whose neighbours are adjacent to all
        nodes that are adjacent to it, and point its edges to it. Of the nodes that qualify, the last one in order.

        Raises
        ------
        GraphError
            If there is none: every orientation has a cycle or a new v-structure.
        """
        parents = list(self.parent_masks)
        neighbours = list(self.neighbour_masks)
        children = list(self.child_masks)
        adjacent = [parents[v] | children[v] | neighbours[v] for v in range(self.n_nodes)]
        result = list(self.parent_masks)
        candidates = remaining = (1 << self.n_nodes) - 1
        while candidates:
            v = candidates.bit_length() - 1
            bit = 1 << v
            candidates ^= bit
            if children[v] or any(adjacent[v] & ~(adjacent[u] | 1 << u) for u in bits(neighbours[v])):
                continue
            result[v] |= neighbours[v]
            for u in bits(adjacent[v]):
                adjacent[u] &= ~bit
                neighbours[u] &= ~bit
                children[u] &= ~bit
            candidates |= adjacent[v]
            remaining ^= bit
        if remaining:
            stuck = ", ".join(self._names[v] for v in bits(remaining))
            raise GraphError(
                f"no DAG has these edges and v-structures: every orientation of the edges among {stuck} has a cycle "
                f"or a new v-structure."
            )
        return Dag(self._names, [list(bits(mask)) for mask in result])

    def close(self) -> Pdag:
        """Return the graph with every further arc that its arcs imply: Meek's rules 1 to 4 (UAI 1995).

        If the graph has a consistent extension, the result has exactly the arcs that all of them share.

        Raises
        ------
        GraphError
            If an edge is implied in both directions.
        """
        from arcwise.graph.meek import close_under_meek_rules

        parents, neighbours = close_under_meek_rules(self._names, self.parent_masks, self.neighbour_masks)
        return Pdag(self._names, [list(bits(p)) for p in parents], [list(bits(n)) for n in neighbours])

    def to_cpdag(self) -> Cpdag:
        """Return the CPDAG of a consistent extension: all of them are Markov equivalent."""
        return self.extend().cpdag

    @property
    def is_cpdag(self) -> bool:
        """Whether the graph is a CPDAG: it has a consistent extension, and exactly the arcs that are compelled."""
        try:
            completed = self.to_cpdag()
        except GraphError:
            return False
        return (completed._parents, completed._neighbours) == (self._parents, self._neighbours)

    def reorder(self, names: Sequence[str]) -> Self:
        """Return the same graph with the nodes in another order."""
        moved = self._new_positions(names)
        parents: list[list[int]] = [[] for _ in names]
        neighbours: list[list[int]] = [[] for _ in names]
        for v in range(self.n_nodes):
            parents[moved[v]] = sorted(moved[p] for p in self._parents[v])
            neighbours[moved[v]] = sorted(moved[u] for u in self._neighbours[v])
        return self._trusted(tuple(names), parents, neighbours)

    def to_adjacency(self) -> NDArray[np.uint8]:
        """Return the matrix with 1 at (i, j) for an arc i -> j, and at (i, j) and (j, i) for an edge i - j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.uint8)
        for v in range(self.n_nodes):
            matrix[[*self._parents[v], *self._neighbours[v]], v] = 1
        return matrix

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return a networkx directed graph; an undirected edge is there in both directions."""
        from arcwise.extras import load_networkx

        graph: nx.DiGraph[str] = load_networkx().DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self.arcs)
        graph.add_edges_from(self.edges)
        graph.add_edges_from((b, a) for a, b in self.edges)
        return graph

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the graph in layers, by matplotlib; edges without a direction have no head. Return the axes."""
        from arcwise.plotting.network import plot_network

        return plot_network(self._names, *self._drawn(), ax=ax)

    def _repr_svg_(self) -> str | None:
        from arcwise.plotting.network import network_picture

        return network_picture(self._names, *self._drawn()) or None

    def _drawn(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return arcs, and edges as they would point in a DAG of the graph; as they are listed if there is none."""
        arcs = [(p, c) for c, ps in enumerate(self._parents) for p in ps]
        edges = [(a, b) for a, ns in enumerate(self._neighbours) for b in ns if a < b]
        try:
            parents = self.extend().parent_masks
        except GraphError:
            return arcs, edges
        return arcs, [(a, b) if parents[b] >> a & 1 else (b, a) for a, b in edges]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pdag) and (self._names, self._parents, self._neighbours) == (
            other._names,
            other._parents,
            other._neighbours,
        )

    def __hash__(self) -> int:
        return hash((self._names, self._parents, self._neighbours))

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), (self._names, self._parents, self._neighbours))

    def __repr__(self) -> str:
        parts = [f"{a} -> {b}" for a, b in self.arcs] + [f"{a} - {b}" for a, b in self.edges]
        return wrapped(f"{type(self).__name__}({self.n_nodes} nodes, {len(parts)} edges: ", parts, ")")
