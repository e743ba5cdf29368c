"""`FixedPairs`: the pairs of variables whose edge, where there is one, has its direction from elsewhere.

Data alone cannot tell the members of a Markov class apart. Two things can: what the analyst knows (an arc that a
tier, a requirement or a prohibition excludes), and experiments (rows in which one end of the edge was set, and the
other not). Both say of a *pair* that its edge, if a network has it, points the way it does in that network and in no
other: a network that satisfies the constraints has it the allowed way, and networks that differ in an edge which an
experiment cuts are told apart by the experiment (Hauser and Buehlmann, JMLR 2012, Theorem 10). So one set of pairs is
all that classes need to know of knowledge and of experiments, and the class of a network is the maximally oriented
graph that its CPDAG becomes when these edges get the network's own directions (Meek, UAI 1995: rules 1 to 4 are
complete with background knowledge).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag, Pdag
from arcwise.graph.nodes import NamedNodes, Node, bits, to_words


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

        A limit on the parents of all variables fixes nothing by itself: parents are swapped with the ends of a covered
        arc. But a limit that required arcs fill, or of 0, excludes all further arcs, and so their direction.
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
