"""`FixedPairs`, which say what a class is, and the classes of many DAGs at once: a 128-bit key each.

Two DAGs over the same nodes have equal keys if and only if they are Markov equivalent and, where pairs are fixed, agree
on the arcs of these pairs, up to a chance below 10^-26 for a million classes. Millions of DAGs per second: the work is
native, in batches between which Ctrl-C is noticed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import GraphError
from arcwise.base.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import NamedNodes, Node, Orientations, bits, to_words

BATCH = 2**16  # some MB of keys at a time


def class_keys(
    rows: NDArray[np.integer],
    *,
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    node_offsets: NDArray[np.int64] | None = None,
    fixed: FixedPairs | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.uint64]:
    """Return the class keys, shape (DAGs, 2), of DAGs that are given as rows of a table of parent sets.

    Parameters
    ----------
    rows
        Shape (DAGs, nodes), any integer type: the row of the table that holds the parents of the node.
    set_offsets, members
        The table: row r has the parents ``members[set_offsets[r]:set_offsets[r + 1]]``, ascending.
    node_offsets
        If given, `rows` count within the node: row r of node v is row ``node_offsets[v] + r`` of the table.
    fixed
        Pairs whose direction is not the data's to tell: classes are Markov classes cut down to the members that agree
        on them (`FixedPairs.class_of`).
    progress
        See `arcwise.progress.show_progress`.
    """
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise GraphError(f"rows must have the shape (DAGs, nodes); they have {rows.shape}.")
    n_nodes, n_rows = rows.shape[1], len(set_offsets) - 1
    first = np.zeros(n_nodes, dtype=np.int64) if node_offsets is None else np.asarray(node_offsets[:n_nodes])
    offsets = np.ascontiguousarray(set_offsets, dtype=np.int64)
    parents = np.ascontiguousarray(members, dtype=np.int32)
    pairs = _pairs(fixed, n_nodes)
    if parents.size and not (parents.min() >= 0 and parents.max() < n_nodes):
        raise GraphError(f"the table names parents outside of the {n_nodes} nodes.")
    keys = np.empty((len(rows), 2), dtype=np.uint64)
    with show_progress(progress) as report:
        for start in range(0, len(rows), BATCH):
            batch = np.ascontiguousarray(rows[start : start + BATCH] + first, dtype=np.int64)
            if not (batch.min() >= 0 and batch.max() < n_rows):
                raise GraphError(f"rows must lie between 0 and {n_rows - 1}, the rows of the table.")
            keys[start : start + BATCH] = _core.graph.class_keys_of_rows(batch, offsets, parents, pairs).reshape(-1, 2)
            report(ProgressEvent("equivalence classes", min(start + BATCH, len(rows)), len(rows)))
    return keys


def class_keys_from_masks(
    masks: NDArray[np.uint64],
    *,
    fixed: FixedPairs | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.uint64]:
    """Return the class keys, shape (DAGs, 2), of DAGs that are given as bits.

    Parameters
    ----------
    masks
        Shape (DAGs, nodes, words), or (DAGs, nodes) for up to 64 nodes: bit p of the words of node v is set if p is a
        parent of v; the lowest bit of the first word is node 0.
    fixed, progress
        See `class_keys`.
    """
    words = masks[:, :, None] if masks.ndim == 2 else masks
    if words.ndim != 3 or words.shape[1] == 0 or words.shape[2] != -(-words.shape[1] // 64):
        raise GraphError(f"masks must have the shape (DAGs, nodes, ceil(nodes / 64)); they have {masks.shape}.")
    spare = words.shape[1] % 64
    if spare and (words[:, :, -1] >> np.uint64(spare)).any():
        raise GraphError(f"masks name parents outside of the {words.shape[1]} nodes.")
    keys = np.empty((len(words), 2), dtype=np.uint64)
    pairs = _pairs(fixed, words.shape[1])
    with show_progress(progress) as report:
        for start in range(0, len(words), BATCH):
            batch = np.ascontiguousarray(words[start : start + BATCH], dtype=np.uint64)
            keys[start : start + BATCH] = _core.graph.class_keys_of_masks(batch, pairs).reshape(-1, 2)
            report(ProgressEvent("equivalence classes", min(start + BATCH, len(words)), len(words)))
    return keys


def _pairs(fixed: FixedPairs | None, n_nodes: int) -> NDArray[np.uint64]:
    if fixed is not None and fixed.n_nodes != n_nodes:
        raise GraphError(f"the fixed pairs are of {fixed.n_nodes} nodes, the DAGs of {n_nodes}.")
    return native_pairs(fixed)


def collider_keys(
    rows: NDArray[np.integer],
    *,
    set_offsets: NDArray[np.int64],
    members: NDArray[np.int32],
    node_offsets: NDArray[np.int64] | None = None,
) -> NDArray[np.uint64]:
    """Return the keys, shape (DAGs, 2), of the collider classes of DAGs; the parameters are those of `class_keys`.

    Two DAGs are of one collider class if they have the same skeleton and the same colliders a -> b <- c, *whether or
    not a and c are adjacent*. Liao (2022, section 2.4.1) defines v-structures without asking for parents that are not
    adjacent, and counts these classes. They are finer than Markov classes: all DAGs of three nodes that are complete
    are Markov equivalent, but form three collider classes.

    >>> sets, members = np.array([0, 0, 1, 2, 4]), np.array([0, 1, 0, 1], dtype=np.int32)  # {}, {0}, {1}, {0, 1}
    >>> keys = collider_keys(np.array([[0, 1, 3], [2, 0, 3]]), set_offsets=sets, members=members)
    >>> bool((keys[0] == keys[1]).all())  # 0 -> 1 and 1 -> 0, and 2 the child of both
    True
    """
    n_nodes = rows.shape[1]
    first = np.zeros(n_nodes, dtype=np.int64) if node_offsets is None else np.asarray(node_offsets[:n_nodes])
    keys = np.zeros((len(rows), 2), dtype=np.uint64)
    for v in range(n_nodes):
        used, which = np.unique(rows[:, v].astype(np.int64) + first[v], return_inverse=True)
        keys += np.array([_family_key(members[set_offsets[r] : set_offsets[r + 1]], v, n_nodes) for r in used])[which]
    return keys


def _family_key(parents: NDArray[np.int32], child: int, n_nodes: int) -> NDArray[np.uint64]:
    """Return the sum, modulo 2^64 and twice, of what edges and colliders of a family are mixed to."""
    edges = [(min(p, child) * n_nodes + max(p, child)) * (n_nodes + 1) + n_nodes for p in parents.tolist()]
    colliders = [(p * n_nodes + q) * (n_nodes + 1) + child for p, q in combinations(parents.tolist(), 2)]
    codes = [[2 * code + 1, 2 * code + 2] for code in (*edges, *colliders)]
    # The output function of SplitMix64.
    mixed: NDArray[np.uint64] = np.array(codes, dtype=np.uint64).reshape(-1, 2) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    summed: NDArray[np.uint64] = (mixed ^ (mixed >> np.uint64(31))).sum(axis=0, dtype=np.uint64)
    return summed


def number_classes(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Number the classes 0, 1, ... in the order of first appearance; return the number of each key's class."""
    if keys.ndim != 2 or keys.shape[1] != 2:
        raise GraphError(f"keys have the shape (DAGs, 2), not {keys.shape}.")
    return _core.graph.number_classes(np.ascontiguousarray(keys, dtype=np.uint64))


class ClassMembers:
    """The networks of the class of a network: all of them, or some at random.

    Those of a Markov class are the independent acyclic moral orientations of the chain components of its CPDAG; of a
    class with fixed pairs, those that have the known arcs.

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
        self._graphs = cpdag.chordal_masks
        known = [a & b for a, b in zip(members.parent_masks, cpdag.neighbour_masks, strict=True)]
        self._orientations = Orientations(cpdag.neighbour_masks, known)

    @property
    def count(self) -> int:
        """How many there are, itself included; an UnfinishedError where that is too much to count (`Orientations`)."""
        return self._orientations.product(self._graphs)

    def __iter__(self) -> Iterator[Dag]:
        for oriented in self._orientations.every(self._graphs):
            yield self._network(oriented)

    def draw(self, rng: np.random.Generator) -> Dag:
        """Return one of them, each with the same probability, exactly."""
        return self._network(self._orientations.draw(self._graphs, rng))

    def _network(self, oriented: dict[int, int]) -> Dag:
        masks = [own | oriented.get(v, 0) for v, own in enumerate(self._parents)]
        return Dag(self._names, [list(bits(mask)) for mask in masks])


# `FixedPairs`: the pairs of variables whose edge, where there is one, has its direction from elsewhere.
#
# Data alone cannot tell the members of a Markov class apart. Two things can: what the analyst knows (an arc that a
# tier, a requirement or a prohibition excludes), and experiments (rows in which one end of the edge was set, and the
# other not). Both say of a *pair* that its edge, if a network has it, points the way it does in that network and in no
# other: a network that satisfies the constraints has it the allowed way, and networks that differ in an edge which an
# experiment cuts are told apart by the experiment (Hauser and Buehlmann, JMLR 2012, Theorem 10). So one set of pairs is
# all that classes need to know of knowledge and of experiments, and the class of a network is the maximally oriented
# graph that its CPDAG becomes when these edges get the network's own directions (Meek, UAI 1995: rules 1 to 4 are
# complete with background knowledge).


def native_pairs(fixed: FixedPairs | None) -> NDArray[np.uint64]:
    """Return what the kernels take: the pairs as rows of bits, or no row where no pair is fixed."""
    return np.empty((0, 1), dtype=np.uint64) if fixed is None or fixed.is_empty else fixed.native


class FixedPairs(NamedNodes):
    """Pairs of variables whose edge, where there is one, has its direction from knowledge or from experiments.

    Parameters
    ----------
    names
        The variables.
    masks
        For each variable, the others of its fixed pairs as a bit set; made symmetric. None for no pair.

    Examples
    --------
    >>> fixed = FixedPairs.by_constraints(Constraints(["a", "b", "c"], tiers=[["a"], ["b", "c"]]))
    >>> chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> chain.cpdag.edges, fixed.class_of(chain).arcs
    ((('a', 'b'), ('b', 'c')), (('a', 'b'), ('b', 'c')))
    """

    __slots__ = ("_masks",)

    def __init__(self, names: Sequence[str], masks: Sequence[int] | None = None) -> None:
        super().__init__(names)
        given = [0] * self.n_nodes if masks is None else [mask & ~(1 << v) for v, mask in enumerate(masks)]
        symmetric = list(given)
        for v, mask in enumerate(given):
            for u in bits(mask):
                symmetric[u] |= 1 << v
        self._masks = tuple(symmetric)

    @classmethod
    def by_constraints(cls, constraints: Constraints) -> FixedPairs:
        """Return the pairs of which the constraints exclude a direction.

        A limit on the parents of all variables alone fixes nothing: parents are swapped with the ends of a covered arc.
        But a limit that required arcs fill, or of 0, excludes all further arcs, and so their direction.
        """
        return cls(constraints.names, constraints.forbidden_masks)

    @classmethod
    def by_targets(cls, names: Sequence[str], targets: Iterable[Iterable[Node]]) -> FixedPairs:
        """Return the pairs that some experiment separates: it set one of the two and not the other."""
        nodes = NamedNodes(names)
        everything = (1 << nodes.n_nodes) - 1
        masks = [0] * nodes.n_nodes
        for target in targets:
            inside = nodes._mask(target)
            for v in bits(inside):
                masks[v] |= everything & ~inside
        return cls(names, masks)

    @property
    def masks(self) -> tuple[int, ...]:
        """For each variable, the others of its fixed pairs, as a bit set."""
        return self._masks

    @property
    def is_empty(self) -> bool:
        """Whether no pair is fixed: classes are then Markov classes."""
        return not any(self._masks)

    def fixes(self, first: Node, second: Node) -> bool:
        """Return whether the edge of a pair, where there is one, has its direction from elsewhere."""
        return bool(self._masks[self.index(first)] >> self.index(second) & 1)

    def __or__(self, other: FixedPairs) -> FixedPairs:
        """Return the pairs that either fixes; the variables must be the same, in the same order."""
        if self._names != other._names:
            other = other.reorder(self._names)
        return FixedPairs(self._names, [a | b for a, b in zip(self._masks, other._masks, strict=True)])

    def class_of(self, dag: Dag) -> Pdag:
        """Return the class of a network: the arcs that all its members have, and the edges that they turn.

        Members have the network's dependences and its directions of all fixed pairs. Without fixed pairs it is
        the CPDAG. Two networks are of one class if and only if the graphs are equal.
        """
        if dag.names != self._names:
            dag = dag.reorder(self._names)
        cpdag = dag.cpdag
        if not any(neighbours & fixed for neighbours, fixed in zip(cpdag.neighbour_masks, self._masks, strict=True)):
            return cpdag
        parents, neighbours = list(cpdag.parent_masks), list(cpdag.neighbour_masks)
        for child, mask in enumerate(dag.parent_masks):
            for parent in bits(mask & neighbours[child] & self._masks[child]):
                parents[child] |= 1 << parent
                neighbours[child] &= ~(1 << parent)
                neighbours[parent] &= ~(1 << child)
        return Pdag(self._names, [list(bits(p)) for p in parents], [list(bits(n)) for n in neighbours]).close()

    def reorder(self, names: Sequence[str]) -> FixedPairs:
        """Return the same pairs with the variables in another order."""
        moved = self._new_positions(names)
        masks = [0] * self.n_nodes
        for v, mask in enumerate(self._masks):
            masks[moved[v]] = sum(1 << moved[u] for u in bits(mask))
        return FixedPairs(names, masks)

    @cached_property
    def native(self) -> NDArray[np.uint64]:
        """The pairs as rows of bits, shape (nodes, words), for the kernels."""
        return to_words(self._masks, self.n_nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FixedPairs) and (self._names, self._masks) == (other._names, other._masks)

    def __hash__(self) -> int:
        return hash((self._names, self._masks))

    def __repr__(self) -> str:
        return f"FixedPairs({self.n_nodes} nodes, {sum(mask.bit_count() for mask in self._masks) // 2} pairs)"

    def __reduce__(self) -> tuple[object, ...]:
        return (FixedPairs, (self._names, self._masks))
