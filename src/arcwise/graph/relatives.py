"""`Relatives`: the parents or children of all nodes, as positions to compute with and as names to ask for."""

from __future__ import annotations

from collections.abc import Iterable

from arcwise.graph.nodes import NamedNodes, Node

__all__ = ["Relatives"]


class Relatives(tuple[tuple[int, ...], ...]):
    """For each node the positions of its relatives; called with a node, the names of its own.

    ``dag.parents[2]`` are positions, for computing; ``dag.parents("cough")`` are names, for reading.
    """

    _names: tuple[str, ...]

    @classmethod
    def of(cls, names: tuple[str, ...], positions: Iterable[tuple[int, ...]]) -> Relatives:
        """Make the relatives of nodes with the given names."""
        made = cls(positions)
        made._names = names
        return made

    def __call__(self, node: Node) -> tuple[str, ...]:
        """Return the names of a node's relatives."""
        return tuple(self._names[v] for v in self[NamedNodes(self._names).index(node)])

    def __reduce__(self) -> tuple[object, ...]:
        return Relatives.of, (self._names, tuple(self))
