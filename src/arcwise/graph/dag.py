"""The graphs of this package over named nodes: `Dag`, `Pdag`, and `Cpdag`, a Markov equivalence class of DAGs.

With them bnlearn's model strings, R's way to write a network in one line: ``[A][B|A][C|A:B]``. A node stands in
brackets, after a bar its parents, with colons between them. bnlearn writes nodes in an order of its own, parents
first; here they keep the order of the variables, which bnlearn's ``model2network`` reads as well. The format has no
quotation marks: a name with ``[ ] | :`` or with white space at an end is refused.
"""

from __future__ import annotations

import heapq
import operator
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.base.errors import FormatError, GraphError, Hinted, errors_within
from arcwise.base.options import load_networkx
from arcwise.base.run import Seed, generator_of
from arcwise.base.showing import wrapped
from arcwise.graph.nodes import NamedNodes, Node, Orientations, Relatives, bits, bitset, components, reach, read_matrix
from arcwise.plotting.layout import network_picture, plot_network

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes


# A node of a model string; every alternative is linear in the text: no backtracking.
_NODE = re.compile(r"\s*+\[([^\[\]|:]++)(?:\|([^\[\]|]*+))?\]")
_MARKS = frozenset("[]|:")
MOST_LISTED = 20  # nodes of a cycle, in a message


class Pairs(tuple[tuple[str, str], ...]):
    """The arcs or edges of a graph; called, as networkx has it, the same: ``dag.edges()`` is ``dag.edges``."""

    __slots__ = ()

    def __call__(self) -> Pairs:
        """Return the pairs."""
        return self


class _Graph(NamedNodes, Hinted):
    """What a `Dag` and a `Pdag` have in common: arcs and, of a `Pdag`, undirected edges; immutable, hashable."""

    __slots__ = ("_parents",)
    _KIND = "graph"

    _parents: tuple[tuple[int, ...], ...]

    @cached_property
    def parents(self) -> Relatives:
        """For each node, the positions of its parents, ascending; ``parents("x")`` gives the names of x's."""
        return Relatives.of(self._names, self._parents)

    @cached_property
    def parent_masks(self) -> tuple[int, ...]:
        """For each node, its parents as a bit set (see `arcwise.graph.nodes`)."""
        return tuple(bitset(ps) for ps in self._parents)

    @cached_property
    def child_masks(self) -> tuple[int, ...]:
        """For each node, its children as a bit set."""
        masks = [0] * self.n_nodes
        for p, child in self._arc_positions():
            masks[p] |= 1 << child
        return tuple(masks)

    @cached_property
    def arcs(self) -> Pairs:
        """All arcs as (parent, child) pairs of names, by child and then by parent."""
        return Pairs(self._name_arcs(self._arc_positions()))

    @cached_property
    def skeleton(self) -> tuple[tuple[str, str], ...]:
        """All edges without direction, as pairs of names in the order of the nodes."""
        pairs = [*self._arc_positions(), *self._edge_positions()]
        return self._name_arcs(sorted((min(pair), max(pair)) for pair in pairs))

    @cached_property
    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """The triples (a, child, b) of names: a and b are parents of the child and not adjacent."""
        return tuple(
            (self._names[a], self._names[child], self._names[b])
            for child, ps in enumerate(self._parents)
            for position, b in enumerate(ps)
            for a in ps[:position]
            if not self.adjacent_masks[a] >> b & 1
        )

    @cached_property
    def adjacent_masks(self) -> tuple[int, ...]:
        """For each node, the nodes that an arc or an edge joins to it, as a bit set."""
        masks = [a | b for a, b in zip(self.parent_masks, self.child_masks, strict=True)]
        for a, b in self._edge_positions():
            masks[a] |= 1 << b
            masks[b] |= 1 << a
        return tuple(masks)

    def _arc_positions(self) -> list[tuple[int, int]]:
        return [(p, c) for c, ps in enumerate(self._parents) for p in ps]

    def _edge_positions(self) -> list[tuple[int, int]]:
        """Return the undirected edges, the smaller position first."""
        return []

    def _moved(self, names: Sequence[str], *relatives: Sequence[Iterable[int]]) -> list[list[list[int]]]:
        """Return the positions of relatives if the nodes are put in another order."""
        moved = self._new_positions(names)
        order = sorted(range(self.n_nodes), key=moved.__getitem__)
        return [[sorted(moved[u] for u in own[v]) for v in order] for own in relatives]

    def to_adjacency(self) -> NDArray[np.uint8]:
        """Return the matrix with 1 at (i, j) for an arc i -> j, and at (i, j) and (j, i) for an edge i - j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.uint8)
        edges = np.array(self._edge_positions(), dtype=np.int64).reshape(-1, 2)
        ends = np.concatenate([np.array(self._arc_positions(), dtype=np.int64).reshape(-1, 2), edges, edges[:, ::-1]])
        matrix[ends[:, 0], ends[:, 1]] = 1
        return matrix

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return a networkx directed graph; an undirected edge is there in both directions."""
        graph: nx.DiGraph[str] = load_networkx().DiGraph()
        edges = self._name_arcs(self._edge_positions())
        graph.add_nodes_from(self._names)
        graph.add_edges_from([*self.arcs, *edges, *((b, a) for a, b in edges)])
        return graph

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the graph in layers, by matplotlib; edges without a direction have no head. Return the axes."""
        return plot_network(self._names, *self._drawn(), ax=ax)

    def _repr_svg_(self) -> str | None:
        return network_picture(self._names, *self._drawn()) or None

    def _drawn(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return arcs, and edges as they would point in a DAG of the graph."""
        return self._arc_positions(), []

    def _content(self) -> tuple[object, ...]:
        return (self._names, self._parents)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Graph) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._content())


class Dag(_Graph):
    """A directed acyclic graph over named nodes; immutable, hashable, checked for cycles.

    Methods take a node by name or by position, and return names.

    Parameters
    ----------
    names
        The nodes, in the order of the variables of the data.
    parents
        For each node, the positions of its parents.
    """

    __slots__ = ()

    def __init__(self, names: Sequence[str], parents: Sequence[Iterable[int]]) -> None:
        super().__init__(names)
        try:
            self._parents = tuple(tuple(sorted(map(operator.index, ps))) for ps in parents)
        except TypeError as error:
            raise GraphError(
                f"parents are given as positions, one list per node ({error}); Dag.from_parents takes names."
            ) from None
        if len(self._names) != len(self._parents):
            raise GraphError(f"{len(self._names)} names but {len(self._parents)} parent sets.")
        for child, ps in enumerate(self._parents):
            self._check_parents(child, ps)
        _ = self.topological_order

    def _check_parents(self, child: int, parents: tuple[int, ...]) -> None:
        name = self._names[child]
        if parents and not (parents[0] >= 0 and parents[-1] < len(self._names)):
            wrong = parents[0] if parents[0] < 0 else parents[-1]
            raise GraphError(
                f"parent {wrong} of node '{name}' is not a position among the nodes; "
                f"they are 0 to {len(self._names) - 1}."
            )
        if child in parents:
            raise GraphError(f"node '{name}' cannot be its own parent.")
        for first, second in pairwise(parents):
            if first == second:
                raise GraphError(f"the arc {self._names[first]} -> {name} is given twice.")

    @classmethod
    def from_arcs(cls, names: Sequence[str], arcs: Iterable[tuple[str, str]]) -> Dag:
        """Make a DAG from (parent, child) pairs of names; an unknown name, a self-arc or a repeated arc is refused."""
        nodes = NamedNodes(names)
        parents: list[list[int]] = [[] for _ in nodes.names]
        for tail, head in arcs:
            try:
                parents[nodes.index(head)].append(nodes.index(tail))
            except GraphError as error:
                raise error.within(f"arc {tail} -> {head}:") from None
        return cls(nodes.names, parents)

    @classmethod
    def from_parents(cls, parents: Mapping[str, Iterable[str]]) -> Dag:
        """Make a DAG from a mapping of each node to its parents."""
        return cls.from_arcs(list(parents), [(p, child) for child, ps in parents.items() for p in ps])

    @classmethod
    def from_adjacency(cls, matrix: ArrayLike, *, names: Sequence[str] | None = None) -> Dag:
        """Make a DAG from an adjacency matrix: entry (i, j) is not zero for an arc i -> j.

        Parameters
        ----------
        matrix
            A square array, or a DataFrame whose columns (and index) name the nodes.
        names
            The nodes; the names in the DataFrame, or X0, X1, ..., if not given.
        """
        found, entries = read_matrix(matrix, names)
        return cls(found, [np.flatnonzero(column).tolist() for column in entries.T])

    @classmethod
    def from_networkx(cls, graph: nx.DiGraph[Any]) -> Dag:
        """Make a DAG from a networkx directed graph; nodes keep their order and are named by `str(node)`."""
        if not graph.is_directed() or graph.is_multigraph():
            raise GraphError("a networkx.DiGraph is needed; this graph is undirected or a multigraph.")
        return cls.from_arcs([str(v) for v in graph], [(str(a), str(b)) for a, b in graph.edges])

    @classmethod
    def from_model_string(cls, text: str) -> Dag:
        """Make a DAG from bnlearn's model string, such as ``[A][B|A]``."""
        return parse_model_string(text)

    @cached_property
    def children(self) -> Relatives:
        """For each node, the positions of its children, ascending; ``children("x")`` gives the names of x's."""
        children: list[list[int]] = [[] for _ in self._names]
        for child, ps in enumerate(self._parents):
            for p in ps:
                children[p].append(child)
        return Relatives.of(self._names, map(tuple, children))

    @property
    def edges(self) -> Pairs:
        """The same as `arcs`: all edges of a DAG have a direction."""
        return self.arcs

    @property
    def n_arcs(self) -> int:
        """The number of arcs."""
        return sum(map(len, self._parents))

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """An order with parents before children: of the nodes that may come next, always the smallest."""
        missing = [len(ps) for ps in self._parents]
        ready = [v for v, count in enumerate(missing) if count == 0]
        order: list[int] = []
        while ready:
            v = heapq.heappop(ready)
            order.append(v)
            for child in self.children[v]:
                missing[child] -= 1
                if missing[child] == 0:
                    heapq.heappush(ready, child)
        if len(order) < len(self._names):
            cycle = self._find_cycle(set(order))
            if len(cycle) > MOST_LISTED + 1:
                cycle = [*cycle[:MOST_LISTED], f"... ({len(cycle) - 1:,} nodes) ...", cycle[-1]]
            raise GraphError(f"not acyclic: {' -> '.join(cycle)}.")
        return tuple(order)

    def _find_cycle(self, removed: set[int]) -> list[str]:
        v = next(v for v in range(len(self._names)) if v not in removed)
        seen: dict[int, int] = {}
        path: list[int] = []
        while v not in seen:
            seen[v] = len(path)
            path.append(v)
            v = next(p for p in self._parents[v] if p not in removed)
        cycle = [*path[seen[v] :], v]
        return [self._names[u] for u in reversed(cycle)]

    @cached_property
    def moral_edges(self) -> tuple[tuple[str, str], ...]:
        """The edges of the moral graph: the skeleton, and an edge between any two parents of a child."""
        edges = {(min(arc), max(arc)) for arc in self._arc_positions()}
        edges.update((a, b) for ps in self._parents for i, b in enumerate(ps) for a in ps[:i])
        return self._name_arcs(sorted(edges))

    def moral_graph(self) -> nx.Graph[str]:
        """Return the moral graph as a networkx graph."""
        graph: nx.Graph[str] = load_networkx().Graph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self.moral_edges)
        return graph

    def parents_of(self, node: Node) -> tuple[str, ...]:
        """Return the parents of a node."""
        return tuple(self._names[p] for p in self._parents[self.index(node)])

    def children_of(self, node: Node) -> tuple[str, ...]:
        """Return the children of a node."""
        return tuple(self._names[c] for c in self.children[self.index(node)])

    def ancestors(self, nodes: Node | Iterable[Node]) -> tuple[str, ...]:
        """Return the nodes from which a directed path leads to `nodes`, without `nodes` themselves."""
        start = self._mask(nodes)
        return self._names_in(reach(start, self.parent_masks) & ~start)

    def descendants(self, nodes: Node | Iterable[Node]) -> tuple[str, ...]:
        """Return the nodes to which a directed path leads from `nodes`, without `nodes` themselves."""
        start = self._mask(nodes)
        return self._names_in(reach(start, self.child_masks) & ~start)

    def markov_blanket(self, node: Node) -> tuple[str, ...]:
        """Return the parents, the children and the children's other parents of a node (Liao, section 2.2)."""
        v = self.index(node)
        blanket = self.parent_masks[v]
        for child in self.children[v]:
            blanket |= self.parent_masks[child] | 1 << child
        return self._names_in(blanket & ~(1 << v))

    def d_separated(
        self, first: Node | Iterable[Node], second: Node | Iterable[Node], given: Node | Iterable[Node] = ()
    ) -> bool:
        """Return whether `given` d-separates the nodes `first` from the nodes `second`.

        The three sets must be disjoint, and `first` and `second` not empty. Reachability along active trails
        (Shachter's Bayes ball, UAI 1998): a trail that comes from a parent turns round at a given node, which also
        opens the colliders above it, and goes on to the children at any other. Linear in the nodes and arcs.
        """
        a, b, z = self._mask(first), self._mask(second), self._mask(given)
        if not a or not b:
            raise GraphError("d-separation needs at least one node on each side.")
        if a & b or a & z or b & z:
            shared = self._names[next(bits(a & b or a & z or b & z))]
            raise GraphError(f"d-separation: '{shared}' is in two of the three sets; they must be disjoint.")
        from_child, from_parent = a, 0  # how a trail arrives; a start acts as if reached from a child
        seen_from_child = seen_from_parent = 0
        while from_child or from_parent:
            seen_from_child |= from_child
            seen_from_parent |= from_parent
            next_child = next_parent = 0
            for v in bits(from_child & ~z):
                next_child |= self.parent_masks[v]
                next_parent |= self.child_masks[v]
            for v in bits(from_parent & ~z):
                next_parent |= self.child_masks[v]
            for v in bits(from_parent & z):
                next_child |= self.parent_masks[v]
            from_child = next_child & ~seen_from_child
            from_parent = next_parent & ~seen_from_parent
        return not (seen_from_child | seen_from_parent) & ~z & b

    def _names_in(self, mask: int) -> tuple[str, ...]:
        return tuple(self._names[v] for v in bits(mask))

    def is_equivalent(self, other: Dag) -> bool:
        """Return whether the two DAGs are Markov equivalent: same skeleton, same v-structures (Liao, Theorem 2.1).

        The nodes must have the same names; their order may differ.
        """
        if self._names != other._names:
            other = other.reorder(self._names)
        return self.cpdag == other.cpdag

    @cached_property
    def cpdag(self) -> Cpdag:
        """The CPDAG that represents the Markov equivalence class of the DAG."""
        return Cpdag.from_dag(self)

    def relabel(self, names: Mapping[str, str] | Sequence[str]) -> Dag:
        """Return the same graph with other names: a mapping of old names to new ones, or all names in order."""
        if isinstance(names, Mapping):
            for name in names:
                self.index(name)
            names = [names.get(name, name) for name in self._names]
        return Dag(names, self._parents)

    def reorder(self, names: Sequence[str]) -> Dag:
        """Return the same graph with the nodes in another order."""
        return Dag(names, *self._moved(names, self._parents))

    def to_frame(self) -> pd.DataFrame:
        """Return the adjacency matrix as a DataFrame with the names of the nodes; `from_adjacency` reads it."""
        import pandas as pd

        return pd.DataFrame(self.to_adjacency(), index=list(self._names), columns=list(self._names))

    def to_model_string(self) -> str:
        """Return bnlearn's model string, such as ``[A][B|A]``, for R's ``model2network``."""
        return format_model_string(self)

    def __repr__(self) -> str:
        head = f"Dag({self.n_nodes} nodes, {len(self.arcs)} arcs: "
        return wrapped(head, (f"{a} -> {b}" for a, b in self.arcs), ")")


class Pdag(_Graph):
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

    __slots__ = ("_neighbours",)

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
            with errors_within(f"edge {first} - {second}:"):
                a, b = directed.index(first), directed.index(second)
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
    def neighbours(self) -> Relatives:
        """For each node, the positions of those joined by an undirected edge; ``neighbours("x")`` gives names."""
        return Relatives.of(self._names, self._neighbours)

    @cached_property
    def neighbour_masks(self) -> tuple[int, ...]:
        """For each node, its neighbours by undirected edges as a bit set."""
        return tuple(bitset(ns) for ns in self._neighbours)

    @cached_property
    def edges(self) -> Pairs:
        """The undirected edges as pairs of names, in the order of the nodes."""
        return Pairs(self._name_arcs(self._edge_positions()))

    def _edge_positions(self) -> list[tuple[int, int]]:
        return [(a, b) for a, ns in enumerate(self._neighbours) for b in ns if a < b]

    def extend(self) -> Dag:
        """Return a DAG with the same skeleton, the same v-structures and all arcs: a consistent extension.

        Dor and Tarsi (1992): remove, again and again, a node without children whose neighbours are adjacent to all
        nodes that are adjacent to it, and point its edges to it. Of the nodes that qualify, the last one in order.

        Raises
        ------
        GraphError
            If there is none: every orientation has a cycle or a new v-structure.
        """
        neighbours, children = list(self.neighbour_masks), list(self.child_masks)
        adjacent = list(self.adjacent_masks)
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
        """Return the graph with every further arc that its arcs imply: Meek's rules 1 to 4.

        Meek, "Causal inference and causal explanation with background knowledge" (UAI 1995): rules 1 to 3 complete the
        pattern of a DAG, and rule 4 is needed when further arcs are known. If the graph has a consistent extension,
        the result has exactly the arcs that all of them share.

        Raises
        ------
        GraphError
            If an edge is implied in both directions: then no DAG extends the graph.
        """
        parents, neighbours, children = list(self.parent_masks), list(self.neighbour_masks), list(self.child_masks)
        adjacent = self.adjacent_masks

        def implied(a: int, b: int) -> bool:
            """Return whether the edge a - b must be a -> b."""
            if parents[a] & ~adjacent[b]:  # rule 1: p -> a - b, else a new v-structure at a
                return True
            if children[a] & parents[b]:  # rule 2: a -> c -> b, else a cycle
                return True
            shared = neighbours[a] & parents[b]  # rule 3: a - c -> b, a - d -> b, c and d apart
            if any(shared & ~adjacent[c] & ~(1 << c) for c in bits(shared)):
                return True
            far = neighbours[a] & ~adjacent[b] & ~(1 << b)  # rule 4: a - d -> c -> b, a and c adjacent, d and b apart
            return any(parents[c] & far for c in bits(parents[b] & adjacent[a]))

        dirty = {(v, u) for v, mask in enumerate(neighbours) for u in bits(mask)}
        while dirty:
            a, b = dirty.pop()
            if not neighbours[a] >> b & 1 or not implied(a, b):
                continue
            if implied(b, a):
                edge = f"'{self._names[a]}' - '{self._names[b]}'"
                raise GraphError(f"no DAG extends the graph: {edge} is forced in both directions by Meek's rules.")
            neighbours[a] &= ~(1 << b)
            neighbours[b] &= ~(1 << a)
            parents[b] |= 1 << a
            children[a] |= 1 << b
            for v in (a, b, *bits(neighbours[a] & adjacent[b])):
                for u in bits(neighbours[v]):
                    dirty.update(((v, u), (u, v)))
        return Pdag(self._names, [list(bits(p)) for p in parents], [list(bits(n)) for n in neighbours])

    def to_cpdag(self) -> Cpdag:
        """Return the CPDAG of a consistent extension: all of them are Markov equivalent."""
        return self.extend().cpdag

    @property
    def is_cpdag(self) -> bool:
        """Whether the graph is a CPDAG: it has a consistent extension, and exactly the arcs that are compelled."""
        try:
            return self.to_cpdag() == self
        except GraphError:
            return False

    def reorder(self, names: Sequence[str]) -> Self:
        """Return the same graph with the nodes in another order."""
        return self._trusted(tuple(names), *self._moved(names, self._parents, self._neighbours))

    def _drawn(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return arcs, and edges as they would point in a DAG of the graph; as they are listed if there is none."""
        arcs, edges = self._arc_positions(), self._edge_positions()
        try:
            parents = self.extend().parent_masks
        except GraphError:
            return arcs, edges
        return arcs, [(a, b) if parents[b] >> a & 1 else (b, a) for a, b in edges]

    def _content(self) -> tuple[object, ...]:
        return (self._names, self._parents, self._neighbours)

    def __repr__(self) -> str:
        parts = [f"{a} -> {b}" for a, b in self.arcs] + [f"{a} - {b}" for a, b in self.edges]
        return wrapped(f"{type(self).__name__}({self.n_nodes} nodes, {len(parts)} edges: ", parts, ")")


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
        if completed != self:
            wrong = [f"{a} -> {b} is reversible" for a, b in self.arcs if (a, b) not in set(completed.arcs)]
            wrong += [f"{a} -> {b} is compelled" for a, b in completed.arcs if (a, b) not in set(self.arcs)]
            raise GraphError(f"not a CPDAG: {wrong[0]}. Complete the graph with Pdag(...).to_cpdag().")

    @classmethod
    def from_dag(cls, dag: Dag) -> Cpdag:
        """Return the class of a DAG, in time linear in its arcs (native; see cpp/core/graph/cpdag.cpp)."""
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
    def chordal_masks(self) -> tuple[int, ...]:
        """The components that undirected edges join, as bit sets; each is chordal."""
        joined = sum(1 << v for v, ns in enumerate(self._neighbours) if ns)
        return tuple(components(self.neighbour_masks, joined))

    @cached_property
    def _orientations(self) -> Orientations:
        return Orientations(self.neighbour_masks)

    @cached_property
    def size(self) -> int:
        """The number of DAGs in the class, exactly, in polynomial time (Clique-Picking)."""
        return self._orientations.product(self.chordal_masks)

    def members(self) -> Iterator[Dag]:
        """Yield every DAG of the class once, in a fixed order; `size` says how many to expect."""
        for choice in self._orientations.every(self.chordal_masks):
            yield self._oriented(choice)

    def sample(self, seed: Seed = None) -> Dag:
        """Return a DAG of the class, each with the same probability."""
        return self._oriented(self._orientations.draw(self.chordal_masks, generator_of(seed)))

    def _oriented(self, choice: dict[int, int]) -> Dag:
        return Dag(self._names, [sorted([*ps, *bits(choice.get(v, 0))]) for v, ps in enumerate(self._parents)])

    def __contains__(self, dag: object) -> bool:
        return isinstance(dag, Dag) and set(dag.names) == set(self._names) and dag.reorder(self._names).cpdag == self


def format_model_string(dag: Dag) -> str:
    """Return bnlearn's model string of a DAG.

    >>> format_model_string(Dag.from_parents({"A": [], "B": ["A"], "C": ["A", "B"]}))
    '[A][B|A][C|A:B]'
    """
    for name in dag.names:
        if _MARKS & set(name) or name != name.strip():
            raise FormatError(
                f"the name {name!r} cannot stand in a model string: it has one of [ ] | : or white space at an end. "
                "Rename it with Dag.relabel."
            )
    parents = (":".join(dag.parents_of(name)) for name in dag.names)
    return "".join(
        f"[{name}|{given}]" if given else f"[{name}]" for name, given in zip(dag.names, parents, strict=True)
    )


def parse_model_string(text: str, *, source: str = "model string") -> Dag:
    """Return the DAG of a model string, its nodes in the order of the string; `source` is what errors call it.

    >>> parse_model_string("[A][C|A:B][B|A]").arcs
    (('A', 'C'), ('B', 'C'), ('A', 'B'))
    """
    parents: dict[str, list[str]] = {}
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _NODE.match(text, position)
        if match is None:
            line = text.count("\n", 0, position) + 1
            column = position - text.rfind("\n", 0, position)
            raise FormatError(
                f"{source}, line {line}, column {column}: expected [NODE] or [NODE|PARENT:PARENT], found "
                f"{text[position : position + 20]!r}."
            )
        name = match[1].strip()
        if not name or name in parents:
            raise FormatError(f"{source}: {f'the node {name!r} is there twice' if name else 'a node has no name'}.")
        parents[name] = [parent.strip() for parent in match[2].split(":")] if (match[2] or "").strip() else []
        position = match.end()
    if not parents:
        raise FormatError(f"{source}: there is no node; a model string is like [A][B|A].")
    with errors_within(f"{source}:", kind=FormatError):
        return Dag.from_parents(parents)
