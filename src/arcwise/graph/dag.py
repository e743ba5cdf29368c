"""`Dag`: a directed acyclic graph over named nodes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from arcwise.errors import GraphError

__all__ = ["Dag"]


class Dag:
    """A directed acyclic graph over named nodes; immutable, hashable, checked for cycles.

    Parameters
    ----------
    names
        The nodes, in the order of the variables of the data.
    parents
        For each node, the positions of its parents.
    """

    __slots__ = ("__dict__", "_names", "_parents")

    def __init__(self, names: Sequence[str], parents: Sequence[Iterable[int]]) -> None:
        self._names = tuple(names)
        self._parents = tuple(tuple(sorted(set(p))) for p in parents)
        if len(self._names) != len(self._parents):
            raise GraphError(f"{len(self._names)} names but {len(self._parents)} parent sets.")
        _ = self.topological_order

    @classmethod
    def from_arcs(cls, names: Sequence[str], arcs: Iterable[tuple[str, str]]) -> Dag:
        """Make a DAG from (parent, child) pairs of names."""
        index = {name: i for i, name in enumerate(names)}
        parents: list[set[int]] = [set() for _ in names]
        for tail, head in arcs:
            for name in (tail, head):
                if name not in index:
                    raise GraphError(f"arc {tail} -> {head}: no node '{name}'; the nodes are {', '.join(names)}.")
            parents[index[head]].add(index[tail])
        return cls(names, parents)

    @classmethod
    def from_parents(cls, parents: Mapping[str, Iterable[str]]) -> Dag:
        """Make a DAG from a mapping of each node to its parents."""
        return cls.from_arcs(list(parents), [(p, child) for child, ps in parents.items() for p in ps])

    @property
    def names(self) -> tuple[str, ...]:
        """The node names."""
        return self._names

    @property
    def parents(self) -> tuple[tuple[int, ...], ...]:
        """For each node, the positions of its parents, ascending."""
        return self._parents

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self._names)

    @cached_property
    def arcs(self) -> tuple[tuple[str, str], ...]:
        """All arcs as (parent, child) pairs of names, by child and then by parent."""
        return tuple((self._names[p], self._names[c]) for c, ps in enumerate(self._parents) for p in ps)

    @cached_property
    def topological_order(self) -> tuple[int, ...]:
        """An order with parents before children: of the nodes that may come next, always the smallest."""
        import heapq

        missing = [len(ps) for ps in self._parents]
        children: list[list[int]] = [[] for _ in self._names]
        for child, ps in enumerate(self._parents):
            for p in ps:
                if not 0 <= p < len(self._names):
                    raise GraphError(f"parent {p} of node '{self._names[child]}' is not a position among the nodes.")
                children[p].append(child)
        ready = [v for v, count in enumerate(missing) if count == 0]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            v = heapq.heappop(ready)
            order.append(v)
            for child in children[v]:
                missing[child] -= 1
                if missing[child] == 0:
                    heapq.heappush(ready, child)
        if len(order) < len(self._names):
            raise GraphError(f"not acyclic: {' -> '.join(self._find_cycle(set(order)))}.")
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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Dag) and self._names == other._names and self._parents == other._parents

    def __hash__(self) -> int:
        return hash((self._names, self._parents))

    def __repr__(self) -> str:
        arcs = ", ".join(f"{a} -> {b}" for a, b in self.arcs)
        return f"Dag({self.n_nodes} nodes, {len(self.arcs)} arcs: {arcs})"
