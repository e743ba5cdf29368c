"""`Dag`: a directed acyclic graph over named nodes."""

from __future__ import annotations

import heapq
import operator
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import GraphError
from arcwise.graph.adjacency import read_matrix
from arcwise.graph.bitset import bits, bitset
from arcwise.graph.nodes import LISTED_NAMES, NamedNodes, Node
from arcwise.graph.relatives import Relatives
from arcwise.showing import wrapped

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from matplotlib.axes import Axes

    from arcwise.graph.cpdag import Cpdag

__all__ = ["Dag"]


class Dag(NamedNodes):
    """A directed acyclic graph over named nodes; immutable, hashable, checked for cycles.

    Methods take a node by name or by position, and return names.

    Parameters
    ----------
    names
        The nodes, in the order of the variables of the data.
    parents
        For each node, the positions of its parents.
    """

    __slots__ = ("_parents",)

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
        from arcwise.graph.model_string import parse_model_string

        return parse_model_string(text)

    @cached_property
    def parents(self) -> Relatives:
        """For each node, the positions of its parents, ascending; ``parents("x")`` gives the names of x's."""
        return Relatives.of(self._names, self._parents)

    @cached_property
    def children(self) -> Relatives:
        """For each node, the positions of its children, ascending; ``children("x")`` gives the names of x's."""
        children: list[list[int]] = [[] for _ in self._names]
        for child, ps in enumerate(self._parents):
            for p in ps:
                children[p].append(child)
        return Relatives.of(self._names, (tuple(c) for c in children))

    @cached_property
    def parent_masks(self) -> tuple[int, ...]:
        """For each node, its parents as a bit set (see `arcwise.graph.bitset`)."""
        return tuple(bitset(ps) for ps in self._parents)

    @cached_property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All arcs as (parent, child) pairs of names, by child and then by parent."""
        return self._name_arcs((p, c) for c, ps in enumerate(self._parents) for p in ps)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
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
            if len(cycle) > LISTED_NAMES + 1:
                cycle = [*cycle[:LISTED_NAMES], f"... ({len(cycle) - 1:,} nodes) ...", cycle[-1]]
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
    def skeleton(self) -> tuple[tuple[str, str], ...]:
        """The edges without direction, as pairs of names in the order of the nodes."""
        return self._name_arcs(sorted((min(p, c), max(p, c)) for c, ps in enumerate(self._parents) for p in ps))

    @cached_property
    def v_structures(self) -> tuple[tuple[str, str, str], ...]:
        """The triples (a, child, b) of names: a and b are parents of the child and not adjacent."""
        masks = self.parent_masks
        return tuple(
            (self._names[a], self._names[child], self._names[b])
            for child, ps in enumerate(self._parents)
            for position, b in enumerate(ps)
            for a in ps[:position]
            if not (masks[a] >> b & 1 or masks[b] >> a & 1)
        )

    @cached_property
    def moral_edges(self) -> tuple[tuple[str, str], ...]:
        """The edges of the moral graph: the skeleton, and an edge between any two parents of a child."""
        edges = {(min(p, c), max(p, c)) for c, ps in enumerate(self._parents) for p in ps}
        edges.update((a, b) for ps in self._parents for i, b in enumerate(ps) for a in ps[:i])
        return self._name_arcs(sorted(edges))

    def moral_graph(self) -> nx.Graph[str]:
        """Return the moral graph as a networkx graph."""
        from arcwise.extras import load_networkx

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
        return self._names_in(self._reach(start, self._parents) & ~start)

    def descendants(self, nodes: Node | Iterable[Node]) -> tuple[str, ...]:
        """Return the nodes to which a directed path leads from `nodes`, without `nodes` themselves."""
        start = self._mask(nodes)
        return self._names_in(self._reach(start, self.children) & ~start)

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
        """Say whether `given` d-separates the nodes `first` from the nodes `second`.

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
                next_parent |= self._child_masks[v]
            for v in bits(from_parent & ~z):
                next_parent |= self._child_masks[v]
            for v in bits(from_parent & z):
                next_child |= self.parent_masks[v]
            from_child = next_child & ~seen_from_child
            from_parent = next_parent & ~seen_from_parent
        return not (seen_from_child | seen_from_parent) & ~z & b

    @cached_property
    def _child_masks(self) -> tuple[int, ...]:
        return tuple(bitset(cs) for cs in self.children)

    def _reach(self, start: int, steps: Sequence[tuple[int, ...]]) -> int:
        reached, stack = start, list(bits(start))
        while stack:
            for u in steps[stack.pop()]:
                if not reached >> u & 1:
                    reached |= 1 << u
                    stack.append(u)
        return reached

    def _names_in(self, mask: int) -> tuple[str, ...]:
        return tuple(self._names[v] for v in bits(mask))

    def is_equivalent(self, other: Dag) -> bool:
        """Say whether the two DAGs are Markov equivalent: same skeleton, same v-structures (Liao, Theorem 2.1).

        The nodes must have the same names; their order may differ.
        """
        if self._names != other._names:
            other = other.reorder(self._names)
        return self.cpdag == other.cpdag

    @cached_property
    def cpdag(self) -> Cpdag:
        """The CPDAG that represents the Markov equivalence class of the DAG."""
        from arcwise.graph.cpdag import Cpdag

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
        moved = self._new_positions(names)
        parents: list[list[int]] = [[] for _ in names]
        for child, ps in enumerate(self._parents):
            parents[moved[child]] = [moved[p] for p in ps]
        return Dag(names, parents)

    def to_adjacency(self) -> NDArray[np.uint8]:
        """Return the adjacency matrix: entry (i, j) is 1 for an arc i -> j."""
        matrix = np.zeros((self.n_nodes, self.n_nodes), dtype=np.uint8)
        for child, ps in enumerate(self._parents):
            matrix[list(ps), child] = 1
        return matrix

    def to_frame(self) -> pd.DataFrame:
        """Return the adjacency matrix as a DataFrame with the names of the nodes; `from_adjacency` reads it."""
        import pandas as pd

        return pd.DataFrame(self.to_adjacency(), index=list(self._names), columns=list(self._names))

    def to_model_string(self) -> str:
        """Return bnlearn's model string, such as ``[A][B|A]``, for R's ``model2network``."""
        from arcwise.graph.model_string import format_model_string

        return format_model_string(self)

    def to_networkx(self) -> nx.DiGraph[str]:
        """Return the graph as a networkx directed graph."""
        from arcwise.extras import load_networkx

        graph: nx.DiGraph[str] = load_networkx().DiGraph()
        graph.add_nodes_from(self._names)
        graph.add_edges_from(self.arcs)
        return graph

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the graph in layers, by matplotlib; return the axes."""
        from arcwise.plotting.network import plot_network

        return plot_network(self._names, self._positions_of_arcs(), ax=ax)

    def _repr_svg_(self) -> str | None:
        from arcwise.plotting.network import network_picture

        return network_picture(self._names, self._positions_of_arcs()) or None

    def _positions_of_arcs(self) -> list[tuple[int, int]]:
        return [(p, c) for c, ps in enumerate(self._parents) for p in ps]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dag) and self._names == other._names and self._parents == other._parents

    def __hash__(self) -> int:
        return hash((self._names, self._parents))

    def __reduce__(self) -> tuple[type[Dag], tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]]:
        return (Dag, (self._names, self._parents))

    def __repr__(self) -> str:
        head = f"Dag({self.n_nodes} nodes, {len(self.arcs)} arcs: "
        return wrapped(head, (f"{a} -> {b}" for a, b in self.arcs), ")")
