"""The structural Hamming distance between two equivalence classes, and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.evaluate.aligned import Graph, align
from arcwise.showing import one_screen

__all__ = ["StructuralHamming", "shd", "structural_hamming"]


@one_screen
@dataclass(frozen=True, slots=True)
class StructuralHamming:
    """The edges in which a learned graph differs from the true one, by kind (the columns of Ueno's Tables 1 and 2)."""

    missing: int
    """ME: edges of the true graph that the learned one does not have."""
    extra: int
    """EE: edges that only the learned graph has."""
    wrong_orientation: int
    """WO: directed in both, but in opposite directions."""
    missing_orientation: int
    """MO: directed in the true graph, undirected in the learned one."""
    extra_orientation: int
    """EO: undirected in the true graph, directed in the learned one."""

    @property
    def total(self) -> int:
        """The structural Hamming distance."""
        return self.missing + self.extra + self.wrong_orientation + self.missing_orientation + self.extra_orientation


def structural_hamming(true: Graph, learned: Graph) -> StructuralHamming:
    """Return the structural Hamming distance between the CPDAGs of two graphs, by kind of difference.

    Liao, Definition 2.2 (section 2.4.1), after Tsamardinos, Brown and Aliferis (2006): the number of edges to add or
    delete and of orientations to add, remove or reverse to turn one CPDAG into the other; an edge counts once. Ueno
    (2012, Tables 1 and 2) reports the five kinds. A `Dag` stands for its CPDAG; a `Pdag` is compared as it is.
    """
    first, second = align(true, learned)
    missing = extra = wrong = missing_orientation = extra_orientation = 0
    for v in range(first.n_nodes):
        true_in, learned_in = first.parent_masks[v], second.parent_masks[v]
        true_out, learned_out = first.child_masks[v], second.child_masks[v]
        true_free, learned_free = first.neighbour_masks[v], second.neighbour_masks[v]
        earlier = (1 << v) - 1  # every edge is looked at from its later node, once
        true_all, learned_all = true_in | true_out | true_free, learned_in | learned_out | learned_free
        missing += (true_all & ~learned_all & earlier).bit_count()
        extra += (learned_all & ~true_all & earlier).bit_count()
        wrong += ((true_in & learned_out | true_out & learned_in) & earlier).bit_count()
        missing_orientation += ((true_in | true_out) & learned_free & earlier).bit_count()
        extra_orientation += (true_free & (learned_in | learned_out) & earlier).bit_count()
    return StructuralHamming(missing, extra, wrong, missing_orientation, extra_orientation)


def shd(true: Graph, learned: Graph) -> int:
    """Return the structural Hamming distance between the CPDAGs of two graphs."""
    return structural_hamming(true, learned).total
