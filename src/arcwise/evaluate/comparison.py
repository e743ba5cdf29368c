"""`compare`: every structural measure of a learned graph against the true one, in one result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from arcwise.errors import GraphError
from arcwise.evaluate.aligned import Graph, align
from arcwise.evaluate.edge_counts import EdgeCounts, directed_counts, skeleton_counts, undirected_counts
from arcwise.evaluate.f_beta import weigh_classes
from arcwise.evaluate.moral_distance import moral_distance
from arcwise.evaluate.structural_hamming import StructuralHamming, structural_hamming

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a learned graph differs from the true one; each field names its measure."""

    n_nodes: int
    hamming: StructuralHamming
    """The structural Hamming distance between the CPDAGs, by kind."""
    skeleton: EdgeCounts
    directed: EdgeCounts
    """Arcs of the CPDAGs."""
    undirected: EdgeCounts
    """Undirected edges of the CPDAGs."""
    moral_distance: int | None
    """The Hamming distance between the moral graphs; None if a graph has no consistent extension."""
    equivalent: bool
    """Whether the two graphs are Markov equivalent."""
    beta: float
    alpha: float

    def __repr__(self) -> str:
        kinds = f"{self.hamming.missing} missing, {self.hamming.extra} extra"
        same = "equivalent" if self.equivalent else "not equivalent"
        return (
            f"Comparison({self.n_nodes} nodes: SHD {self.shd} ({kinds}), F-beta {self.f_beta:.3f}, "
            f"cost {self.misclassification_cost:g}; {same})"
        )

    @property
    def shd(self) -> int:
        """The structural Hamming distance (Liao, Definition 2.2)."""
        return self.hamming.total

    @property
    def f_beta(self) -> float:
        """The F-beta score of the skeletons (Liao, Definition 2.3)."""
        return self.skeleton.f_beta(self.beta)

    @property
    def multiclass_f_beta(self) -> float:
        """The weighted multi-class F-beta score of the CPDAGs (Liao, Definition 2.4)."""
        return weigh_classes(self.directed, self.undirected, beta=self.beta)

    @property
    def misclassification_cost(self) -> float:
        """The cost alpha FN + FP on the skeletons (Liao, Definition 2.5)."""
        return self.skeleton.cost(self.alpha)

    def to_dict(self) -> dict[str, Any]:
        """Return all measures as plain numbers, for JSON and tables."""
        return {
            "nodes": self.n_nodes,
            "true_edges": self.skeleton.n_true,
            "learned_edges": self.skeleton.true_positives + self.skeleton.false_positives,
            "equivalent": self.equivalent,
            "shd": self.shd,
            "missing": self.hamming.missing,
            "extra": self.hamming.extra,
            "wrong_orientation": self.hamming.wrong_orientation,
            "missing_orientation": self.hamming.missing_orientation,
            "extra_orientation": self.hamming.extra_orientation,
            "skeleton_precision": self.skeleton.precision,
            "skeleton_recall": self.skeleton.recall,
            "beta": self.beta,
            "f_beta": self.f_beta,
            "multiclass_f_beta": self.multiclass_f_beta,
            "alpha": self.alpha,
            "misclassification_cost": self.misclassification_cost,
            "moral_distance": self.moral_distance,
        }


def compare(true: Graph, learned: Graph, *, beta: float = 1.0, alpha: float = 1.0) -> Comparison:
    """Compare a learned graph with the true one.

    Parameters
    ----------
    true, learned
        Graphs over the same nodes, matched by name: a `Dag` (it stands for its CPDAG), a `Cpdag` or a `Pdag`.
    beta
        How much more recall weighs than precision in the F-beta scores.
    alpha
        How much more a missing edge costs than an extra one.
    """
    first, second = align(true, learned)
    try:
        moral = moral_distance(true, learned)
    except GraphError:
        moral = None
    comparison = Comparison(
        n_nodes=first.n_nodes,
        hamming=structural_hamming(first, second),
        skeleton=skeleton_counts(first, second),
        directed=directed_counts(first, second),
        undirected=undirected_counts(first, second),
        moral_distance=moral,
        equivalent=first == second,
        beta=float(beta),
        alpha=float(alpha),
    )
    comparison.to_dict()  # refuses an alpha or beta out of range now, not when it is printed
    return comparison
