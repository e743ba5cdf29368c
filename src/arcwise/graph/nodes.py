"""`NamedNodes`: what every graph has, nodes with names in a fixed order."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from arcwise.errors import GraphError

__all__ = ["NamedNodes", "Node", "listed", "node_names"]

# A node is given by its name or by its position.
Node = str | int

LISTED_NAMES = 20
# Half of a character of UTF-16, as JSON can spell it.
SURROGATE = re.compile("[\ud800-\udfff]")


class NamedNodes:
    """Nodes with names in a fixed order; the base of `Dag`, `Pdag` and `Constraints`."""

    __slots__ = ("__dict__", "_names")

    _names: tuple[str, ...]

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)
        seen: set[str] = set()
        for position, name in enumerate(self._names):
            _check_name(position, name)
            if name in seen:
                raise GraphError(f"two nodes have the name '{name}'; names must differ.")
            seen.add(name)

    @property
    def names(self) -> tuple[str, ...]:
        """The node names, in the order of the variables of the data."""
        return self._names

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self._names)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self._names)}

    def index(self, node: Node) -> int:
        """Return the position of a node that is given by name or by position."""
        if isinstance(node, str):
            position = self._positions.get(node)
            if position is None:
                raise GraphError(_unknown_node(node, self._names))
            return position
        if not 0 <= node < len(self._names):
            raise GraphError(f"no node at position {node}; the positions are 0 to {len(self._names) - 1}.")
        return int(node)

    def _mask(self, nodes: Node | Iterable[Node]) -> int:
        """Return one node, or several, as a bit set."""
        if isinstance(nodes, str | int):
            return 1 << self.index(nodes)
        if not isinstance(nodes, Iterable):
            raise GraphError(f"a node is given by its name or its position, not by {nodes!r}.")
        mask = 0
        for node in nodes:
            mask |= 1 << self.index(node)
        return mask

    def _new_positions(self, names: Sequence[str]) -> list[int]:
        """Return where each node goes if the nodes are put in the order `names`."""
        target = NamedNodes(names)
        missing = [name for name in self._names if name not in target._positions]
        surplus = [name for name in target.names if name not in self._positions]
        if missing or surplus:
            raise GraphError(
                f"the nodes differ: {listed(missing) or 'none'} only here, {listed(surplus) or 'none'} only there."
            )
        return [target._positions[name] for name in self._names]

    def _name_arcs(self, arcs: Iterable[tuple[int, int]]) -> tuple[tuple[str, str], ...]:
        return tuple((self._names[a], self._names[b]) for a, b in arcs)


def _check_name(position: int, name: object) -> None:
    if not isinstance(name, str) or not name:
        raise GraphError(f"node {position} has the name {name!r}; a name is a string that is not empty.")
    if not name.isascii() and SURROGATE.search(name):
        raise GraphError(f"node {position} has the name {name!r}, which is not valid Unicode; it could not be written.")


def _unknown_node(name: str, names: Sequence[str]) -> str:
    near = difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean '{near[0]}'?" if near else "."
    return f"unknown node '{name}'{guess} The nodes are {listed(names)}."


def listed(names: Sequence[str]) -> str:
    """Return names for a message: the first ones, and how many more there are."""
    more = f" and {len(names) - LISTED_NAMES:,} more" if len(names) > LISTED_NAMES else ""
    return ", ".join(names[:LISTED_NAMES]) + more


def node_names(nodes: int | Sequence[str]) -> tuple[str, ...]:
    """Return the names of nodes that are given by name, or X0, X1, ... for a number of nodes."""
    if isinstance(nodes, int | np.integer):
        if nodes < 0:
            raise GraphError(f"a graph cannot have {nodes} nodes.")
        return tuple(f"X{v}" for v in range(int(nodes)))
    return NamedNodes(nodes).names
