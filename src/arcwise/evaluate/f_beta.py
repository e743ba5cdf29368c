"""F-beta scores: on skeletons, and on CPDAGs where an edge must have its kind and direction."""

from __future__ import annotations

from typing import Literal

from arcwise.errors import UnknownNameError, suggestion
from arcwise.evaluate.aligned import Graph
from arcwise.evaluate.edge_counts import EdgeCounts, directed_counts, skeleton_counts, undirected_counts

__all__ = ["AVERAGES", "f_beta", "multiclass_f_beta", "weigh_classes"]

Average = Literal["weighted", "macro"]
AVERAGES = ("weighted", "macro")


def f_beta(true: Graph, learned: Graph, *, beta: float = 1.0) -> float:
    """Return the binary F-beta score of the skeletons (Liao, section 2.4.2, Definition 2.3)."""
    return skeleton_counts(true, learned).f_beta(beta)


def multiclass_f_beta(true: Graph, learned: Graph, *, beta: float = 1.0, average: Average = "weighted") -> float:
    """Return the multi-class F-beta score of the CPDAGs (Liao, section 2.4.2, Definition 2.4).

    The classes are directed and undirected edges; each has its own F-beta score. "weighted" averages them by how many
    edges of the class the *true* CPDAG has, which the thesis uses; "macro" weighs them equally. Hence an edge of a
    class that the true CPDAG does not have at all costs nothing under "weighted"; the skeleton's score shows it.
    """
    return weigh_classes(directed_counts(true, learned), undirected_counts(true, learned), beta=beta, average=average)


def weigh_classes(
    directed: EdgeCounts, undirected: EdgeCounts, *, beta: float = 1.0, average: Average = "weighted"
) -> float:
    """Average the F-beta scores of the two classes; if the true graph has no edge, the score is 1 or 0."""
    if average not in AVERAGES:
        raise UnknownNameError(suggestion("average", average, AVERAGES))
    scores = directed.f_beta(beta), undirected.f_beta(beta)
    if average == "macro":
        return (scores[0] + scores[1]) / 2
    n_true = directed.n_true + undirected.n_true
    if n_true == 0:
        return float(directed.false_positives + undirected.false_positives == 0)
    return (scores[0] * directed.n_true + scores[1] * undirected.n_true) / n_true
