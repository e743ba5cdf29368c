"""`EdgeCounts`: how many edges of one kind were found, missed and invented."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from arcwise.errors import OptionError
from arcwise.evaluate.aligned import Graph, align
from arcwise.mentions import Argument
from arcwise.showing import one_screen

__all__ = ["EdgeCounts", "directed_counts", "misclassification_cost", "skeleton_counts", "undirected_counts"]


@one_screen
@dataclass(frozen=True, slots=True)
class EdgeCounts:
    """True positives, false positives and false negatives among edges of one kind."""

    true_positives: int
    false_positives: int
    false_negatives: int

    @property
    def n_true(self) -> int:
        """The number of edges of this kind in the true graph."""
        return self.true_positives + self.false_negatives

    @property
    def precision(self) -> float:
        """The share of the learned edges that are true; 0 if none was learned although there are some, else 1."""
        learned = self.true_positives + self.false_positives
        return self.true_positives / learned if learned else float(self.false_negatives == 0)

    @property
    def recall(self) -> float:
        """The share of the true edges that were learned; 0 if there are none although some were learned, else 1."""
        return self.true_positives / self.n_true if self.n_true else float(self.false_positives == 0)

    def f_beta(self, beta: float = 1.0) -> float:
        """Return the F-beta score (Liao, Definition 2.3); beta < 1 favours precision, beta > 1 recall.

        Written with counts, (1 + beta^2) TP / ((1 + beta^2) TP + beta^2 FN + FP), it is 0 where precision and recall
        are both 0 (Liao's Example 2.4), and 1 if there is nothing to find and nothing was invented.
        """
        if not (beta >= 0 and math.isfinite(beta)):
            raise OptionError(Argument("beta", beta), "must be 0 or more, and finite.")
        weight = beta * beta
        hits = (1 + weight) * self.true_positives
        errors = weight * self.false_negatives + self.false_positives
        if self.true_positives + self.false_negatives + self.false_positives == 0:
            return 1.0
        return hits / (hits + errors) if hits + errors else 0.0

    def cost(self, alpha: float = 1.0) -> float:
        """Return the misclassification cost alpha FN + FP (Liao, Definition 2.5)."""
        if not (alpha >= 0 and math.isfinite(alpha)):
            raise OptionError(Argument("alpha", alpha), "must be 0 or more, and finite.")
        return alpha * self.false_negatives + self.false_positives


def skeleton_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the edges without their directions."""
    first, second = align(true, learned)
    return _count(_pairs(first.skeleton), _pairs(second.skeleton))


def directed_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the arcs of the CPDAGs; an arc with the wrong direction is a false positive and a false negative."""
    first, second = align(true, learned)
    return _count(set(first.arcs), set(second.arcs))


def undirected_counts(true: Graph, learned: Graph) -> EdgeCounts:
    """Count the undirected edges of the CPDAGs."""
    first, second = align(true, learned)
    return _count(_pairs(first.edges), _pairs(second.edges))


def misclassification_cost(true: Graph, learned: Graph, *, alpha: float = 1.0) -> float:
    """Return C_alpha = alpha FN + FP on undirected edges (Liao, Definition 2.5; used like this in Figures 4.3, 5.3).

    alpha > 1 makes a missing edge cost more than an extra one.
    """
    return skeleton_counts(true, learned).cost(alpha)


def _pairs(edges: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    return {(min(edge), max(edge)) for edge in edges}


def _count(true: set[tuple[str, str]], learned: set[tuple[str, str]]) -> EdgeCounts:
    return EdgeCounts(len(true & learned), len(learned - true), len(true - learned))
