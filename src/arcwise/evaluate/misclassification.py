"""The cost-sensitive misclassification cost of a learned skeleton."""

from __future__ import annotations

from arcwise.evaluate.aligned import Graph
from arcwise.evaluate.edge_counts import skeleton_counts

__all__ = ["misclassification_cost"]


def misclassification_cost(true: Graph, learned: Graph, *, alpha: float = 1.0) -> float:
    """Return C_alpha = alpha FN + FP on undirected edges (Liao, Definition 2.5; used like this in Figures 4.3, 5.3).

    alpha > 1 makes a missing edge cost more than an extra one.
    """
    return skeleton_counts(true, learned).cost(alpha)
