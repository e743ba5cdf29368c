"""`NamedNodes`: what every graph has, nodes with names in a fixed order."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import GraphError

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
        return bitset(map(self.index, nodes))

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


# Sets of node positions as Python integers, bit v for node v: any number of nodes, set algebra at machine speed.


def bitset(members: Iterable[int]) -> int:
    """Return the set of the given positions.

    >>> bitset([0, 2])
    5
    """
    mask = 0
    for v in members:
        mask |= 1 << v
    return mask


def bits(mask: int) -> Iterator[int]:
    """Yield the positions in a set, ascending.

    >>> list(bits(5))
    [0, 2]
    """
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def first_bit(mask: int) -> int:
    """Return the smallest position in a set that is not empty."""
    return (mask & -mask).bit_length() - 1


def reach(start: int, steps: Sequence[int], within: int = -1) -> int:
    """Return a set with all that is reached from it by steps inside `within`, one bit set of steps per node."""
    reached = frontier = start
    while frontier:
        found = 0
        for v in bits(frontier):
            found |= steps[v]
        frontier = found & within & ~reached
        reached |= frontier
    return reached


def components(neighbours: Sequence[int], within: int) -> Iterator[int]:
    """Yield the connected components of an undirected graph, restricted to the set `within`."""
    while within:
        component = reach(within & -within, neighbours, within)
        yield component
        within &= ~component


def to_words(masks: Sequence[int], n_nodes: int) -> NDArray[np.uint64]:
    """Return sets as the native core takes them: one row per set, 64 positions per word, lowest first."""
    n_words = max(1, -(-n_nodes // 64))
    raw = b"".join(mask.to_bytes(8 * n_words, "little") for mask in masks)
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(len(masks), n_words)


# Exact random choices with integers of any size: counts of graphs do not fit into a machine word.


def integer_below(bound: int, rng: np.random.Generator) -> int:
    """Return an integer from 0 to bound - 1, each with the same probability: random bits until one is in range."""
    n_bits = (bound - 1).bit_length()
    n_bytes = -(-n_bits // 8)
    while True:
        value = int.from_bytes(rng.bytes(n_bytes), "little") >> (8 * n_bytes - n_bits)
        if value < bound:
            return value


def pick_by_weight(weights: Sequence[int], rng: np.random.Generator) -> int:
    """Return a position with probability proportional to its weight, exactly."""
    rest = integer_below(sum(weights), rng)
    for position, weight in enumerate(weights):
        rest -= weight
        if rest < 0:
            return position
    raise AssertionError("unreachable: the weights sum to more than the value drawn")


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


def read_matrix(matrix: ArrayLike, names: Sequence[str] | None) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """Return the node names and where the matrix is not zero; anything but a square matrix of numbers is refused.

    A DataFrame names the nodes by its columns; its index, unless it is the default one, must say the same.
    """
    columns = getattr(matrix, "columns", None)
    if columns is not None:
        labels = [str(label) for label in columns]
        index = [str(label) for label in matrix.index]  # type: ignore[union-attr]
        if index not in (labels, [str(row) for row in range(len(index))]):
            raise GraphError("the index and the columns of the adjacency matrix name different nodes.")
        names = labels if names is None else names
    try:
        entries = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise GraphError("an adjacency matrix holds numbers: 0 for no arc, 1 for an arc.") from None
    if entries.ndim != 2 or entries.shape[0] != entries.shape[1]:
        raise GraphError(f"an adjacency matrix is square; this one has the shape {entries.shape}.")
    if np.isnan(entries).any():
        raise GraphError("the adjacency matrix has missing entries (NaN); write 0 for no arc.")
    if names is None:
        names = [f"X{v}" for v in range(len(entries))]
    if len(names) != len(entries):
        raise GraphError(f"{len(names)} names for an adjacency matrix of {len(entries)} nodes.")
    return tuple(names), entries != 0
