"""`Families`: the distinct parent sets that the networks of an ensemble use, node by node."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError
from arcwise.base.showing import one_screen
from arcwise.graph.constraints import Constraints
from arcwise.plotting.charts import plot_matrix

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


Choices = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@one_screen
@dataclass(frozen=True, eq=False)
class Families:
    """A dictionary of parent sets in compressed rows, so that a network is one small number per node.

    Node v has the rows ``node_offsets[v]:node_offsets[v + 1]``; row r has the parents
    ``members[set_offsets[r]:set_offsets[r + 1]]``, ascending. All rows of a node differ.
    """

    node_offsets: NDArray[np.int64]
    set_offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return len(self.node_offsets) - 1

    @property
    def n_rows(self) -> int:
        """The number of distinct families."""
        return len(self.set_offsets) - 1

    @property
    def choice_type(self) -> np.dtype[np.unsignedinteger]:
        """The smallest unsigned type that numbers the rows of every node."""
        return np.min_scalar_type(int(np.diff(self.node_offsets).max(initial=1)) - 1)

    @cached_property
    def row_nodes(self) -> NDArray[np.int64]:
        """The node (the child) of every row."""
        return np.repeat(np.arange(self.n_nodes), np.diff(self.node_offsets))

    @cached_property
    def masks(self) -> NDArray[np.uint64]:
        """The parents of every row as bits, shape (rows, words)."""
        masks = np.zeros((self.n_rows, max(1, -(-self.n_nodes // 64))), dtype=np.uint64)
        rows = np.repeat(np.arange(self.n_rows), np.diff(self.set_offsets))
        bits = np.uint64(1) << (self.members % 64).astype(np.uint64)
        np.bitwise_or.at(masks, (rows, self.members // 64), bits)
        return masks

    def assert_obey(self, constraints: Constraints | None, used: NDArray[np.bool_]) -> None:
        """Raise an AssertionError if a family in use breaks a constraint: its networks are about to be written."""
        if constraints is None:
            return
        native, rows = constraints.native(), np.flatnonzero(used)
        nodes, masks = self.row_nodes[rows], self.masks[rows]
        broken = (native.required[nodes] & ~masks | native.forbidden[nodes] & masks).any(axis=1)
        broken |= np.diff(self.set_offsets)[rows] > native.limits[nodes]
        if broken.any():
            row = int(rows[np.argmax(broken)])
            names = constraints.names
            family = f"{names[self.row_nodes[row]]} with the parents {[names[p] for p in self.parents_of(row)]}"
            raise AssertionError(f"networks were not written, because one breaks a constraint: {family}")

    def parents_of(self, row: int) -> tuple[int, ...]:
        """Return the parents in a row."""
        return tuple(self.members[self.set_offsets[row] : self.set_offsets[row + 1]].tolist())

    @cached_property
    def parent_tuples(self) -> tuple[tuple[int, ...], ...]:
        """The parents of every row, as tuples."""
        return tuple(self.parents_of(row) for row in range(self.n_rows))

    @classmethod
    def from_sets(cls, sets: Sequence[Iterable[tuple[int, ...]]]) -> Families:
        """Make a dictionary from the parent sets of every node, in the given order."""
        node_offsets, set_offsets = [0], [0]
        members: list[int] = []
        for parent_sets in sets:
            for parents in parent_sets:
                members.extend(sorted(parents))
                set_offsets.append(len(members))
            node_offsets.append(len(set_offsets) - 1)
        return cls(
            np.array(node_offsets, dtype=np.int64),
            np.array(set_offsets, dtype=np.int64),
            np.array(members, dtype=np.int32),
        )

    def take(self, rows: NDArray[np.int64]) -> Families:
        """Return the dictionary of the given rows, which must ascend."""
        sizes = np.diff(self.set_offsets)[rows]
        set_offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        position = np.arange(int(set_offsets[-1])) - np.repeat(set_offsets[:-1], sizes)
        members = self.members[np.repeat(self.set_offsets[rows], sizes) + position]
        return Families(np.searchsorted(rows, self.node_offsets).astype(np.int64), set_offsets, members)

    def arc_shares(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum a share per row into an n x n matrix: entry [p, c] sums the rows of child c that have the parent p.

        Shares of one node sum to at most 1; that of an arc is kept from exceeding 1 by rounding.
        """
        n = self.n_nodes
        cells = self.members.astype(np.int64) * n + np.repeat(self.row_nodes, np.diff(self.set_offsets))
        weights = np.repeat(values, np.diff(self.set_offsets))
        sums: NDArray[np.float64] = np.bincount(cells, weights=weights, minlength=n * n).astype(np.float64)
        return np.minimum(sums, 1.0).reshape(n, n)

    def joins(self, choices: NDArray[Any], first: int, second: int) -> NDArray[np.bool_]:
        """Return whether networks, given as rows of each node on the last axis, have an arc between two nodes."""
        has = np.zeros(choices.shape[:-1], dtype=bool)
        for child, parent in ((first, second), (second, first)):
            a, b = self.node_offsets[child : child + 2]
            has |= np.array([parent in own for own in self.parent_tuples[a:b]], dtype=bool)[choices[..., child]]
        return has

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays, by the names that files have."""
        return {"node_offsets": self.node_offsets, "set_offsets": self.set_offsets, "members": self.members}

    def check(self, where: str, names: Sequence[str]) -> None:
        """Raise a FormatError if the arrays are not a dictionary of parent sets of these nodes."""
        n = self.n_nodes
        if len(self.node_offsets) == 0 or len(self.set_offsets) == 0 or n != len(names):
            raise FormatError(f"{where}: {len(names)} names, but parent sets for another number of nodes.")
        problem = ""
        if n < 0 or self.node_offsets[0] != 0 or _falls(self.node_offsets):
            problem = "the offsets of the nodes do not ascend from 0"
        elif self.node_offsets[-1] != self.n_rows or self.n_rows < 0:
            problem = "the number of parent sets is not that of the offsets"
        elif self.set_offsets[0] != 0 or _falls(self.set_offsets):
            problem = "the offsets of the parent sets do not ascend from 0"
        elif self.set_offsets[-1] != len(self.members):
            problem = "the number of parents is not that of the offsets"
        elif len(self.members) and (self.members.min() < 0 or self.members.max() >= n):
            problem = f"a parent is not one of the {n} nodes"
        else:
            inner = np.ones(len(self.members), dtype=bool)
            inner[self.set_offsets[:-1][np.diff(self.set_offsets) > 0]] = False
            steps = np.diff(self.members, prepend=-1)
            if (steps[inner] <= 0).any():
                problem = "the parents of a set do not ascend"
            elif (self.members == np.repeat(self.row_nodes, np.diff(self.set_offsets))).any():
                problem = "a node is its own parent"
            elif any(len(set(self.parent_tuples[a:b])) < b - a for a, b in itertools.pairwise(self.node_offsets)):
                problem = "a parent set is listed twice for one node"
        if problem:
            raise FormatError(f"{where}: {problem}; the file is damaged or was edited. Write it again.")


def joined_families(parts: Sequence[Families]) -> tuple[Families, list[NDArray[np.int64]]]:
    """Return one dictionary of the parent sets of several, and the number of each of their rows within its node."""
    known: list[dict[tuple[int, ...], int]] = [{} for _ in range(parts[0].n_nodes)]
    numbers = []
    for part in parts:
        rows = zip(part.row_nodes.tolist(), part.parent_tuples, strict=True)
        numbers.append(np.array([known[v].setdefault(own, len(known[v])) for v, own in rows], dtype=np.int64))
    return Families.from_sets(known), numbers


def numbered_families(networks: Sequence[Sequence[tuple[int, ...]]], n_nodes: int) -> tuple[Families, Choices]:
    """Return the dictionary of the parent sets of networks, in the order in which they appear, and its rows by network.

    A network is given by the parents of each node, ascending.
    """
    known: list[dict[tuple[int, ...], int]] = [{} for _ in range(n_nodes)]
    rows = [[known[v].setdefault(own, len(known[v])) for v, own in enumerate(parents)] for parents in networks]
    families = Families.from_sets(known)
    return families, np.array(rows, dtype=families.choice_type).reshape(len(networks), n_nodes)


class _HasArcs(Protocol):
    @property
    def names(self) -> tuple[str, ...]: ...

    def arc_probabilities(self) -> NDArray[np.float64]: ...


class ArcShares:
    """What is read from the probabilities of arcs, for whatever has them."""

    def edge_probabilities(self: _HasArcs) -> NDArray[np.float64]:
        """Return the symmetric matrix of the probabilities of an arc either way."""
        arcs = self.arc_probabilities()
        return np.minimum(arcs + arcs.T, 1.0)

    def plot(self: _HasArcs, *, ax: Axes | None = None) -> Axes:
        """Draw the matrix of the arcs' probabilities; return the axes."""
        return plot_matrix(self.names, self.arc_probabilities(), labels=("from", "to"), legend="probability", ax=ax)

    def to_frame(self: _HasArcs) -> pd.DataFrame:
        """Return one row per arc that any network has, with its probability, the likeliest first."""
        import pandas as pd

        arcs = self.arc_probabilities()
        tails, heads = np.nonzero(arcs > 0)
        found = arcs[tails, heads]
        order = np.argsort(-found, kind="stable")
        labels = np.array(self.names, dtype=object)
        return pd.DataFrame({"from": labels[tails[order]], "to": labels[heads[order]], "probability": found[order]})


def _falls(offsets: NDArray[np.int64]) -> bool:
    """Return whether a number is smaller than the one before; a difference could overflow."""
    return bool((offsets[1:] < offsets[:-1]).any())
