"""Precision and recall of edge confidences against a known graph at every threshold, and the areas under curves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import GraphError, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.edge_confidence import EdgeConfidence, rounded
from arcwise.confidence.probability import Reliability, reliability
from arcwise.evaluate.comparison import Graph, match_names
from arcwise.graph.dag import Dag, Pdag

if TYPE_CHECKING:
    import pandas as pd


Kind = Literal["edges", "arcs"]


@one_screen
@dataclass(frozen=True, eq=False)
class ConfidenceCurve:
    """Right and wrong edges at every threshold, from the highest confidence down to 0.

    Parameters
    ----------
    thresholds
        The confidences that occur, falling: an edge counts as found if its confidence is at least the threshold.
    true_positives, false_positives
        How many of the found edges are in the true graph, and how many are not.
    n_true, n_false
        How many pairs are edges of the true graph, and how many are not.
    """

    thresholds: NDArray[np.float64]
    true_positives: NDArray[np.int64]
    false_positives: NDArray[np.int64]
    n_true: int
    n_false: int

    @cached_property
    def precision(self) -> NDArray[np.float64]:
        """The share of the found edges that are true."""
        return self.true_positives / (self.true_positives + self.false_positives)

    @cached_property
    def recall(self) -> NDArray[np.float64]:
        """The share of the true edges that are found; NaN if there are none."""
        with np.errstate(invalid="ignore"):
            return np.divide(self.true_positives, self.n_true)

    @property
    def average_precision(self) -> float:
        """The area under precision over recall, by steps: the mean precision at which the true edges are found.

        Steps, not lines: between two points precision is not linear in recall (Davis and Goadrich 2006). NaN if the
        true graph has no edge.
        """
        if not self.n_true:
            return float("nan")
        gained = np.diff(self.true_positives, prepend=0)
        return float((gained * self.precision).sum() / self.n_true)

    @property
    def roc_area(self) -> float:
        """The area under the ROC curve: how often a true edge has the higher confidence, ties counted half.

        NaN if all pairs are edges of the true graph, or none is.
        """
        if not self.n_true or not self.n_false:
            return float("nan")
        right = np.concatenate([[0], self.true_positives])
        wrong = np.concatenate([[0], self.false_positives])
        return float((np.diff(wrong) * (right[1:] + right[:-1])).sum() / (2 * self.n_true * self.n_false))

    def to_frame(self) -> pd.DataFrame:
        """Return the curve as a table: threshold, precision, recall, and the two counts."""
        import pandas as pd

        return pd.DataFrame(
            {
                "threshold": self.thresholds,
                "precision": self.precision,
                "recall": self.recall,
                "true_positives": self.true_positives,
                "false_positives": self.false_positives,
            }
        )


def confidence_curve(confidence: EdgeConfidence, true: Graph, kind: Kind = "edges") -> ConfidenceCurve:
    """Compare confidences with the true graph at every threshold.

    Parameters
    ----------
    confidence
        The confidences.
    true
        The true graph over the same variables, matched by name.
    kind
        "edges": every pair counts once, whatever the direction. "arcs": every ordered pair counts, against the arcs of
        `true`, which must be a `Dag`; a confidence in an edge without a direction counts half for either.

    Examples
    --------
    >>> from arcwise.confidence import EdgeConfidence
    >>> present = np.array([[0, 0.9, 0.2], [0.9, 0, 0.6], [0.2, 0.6, 0]])
    >>> found = EdgeConfidence(("a", "b", "c"), np.zeros((3, 3)), present, "skeleton", "given", 10, "equal", True)
    >>> curve = confidence_curve(found, Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("a", "c")]))
    >>> curve.recall.tolist(), round(curve.average_precision, 3)
    ([0.5, 0.5, 1.0], 0.833)
    """
    check_known("kind", kind, get_args(Kind))
    graph = _matched(true, confidence)
    values, labels = _pairs(confidence, graph) if kind == "edges" else _ordered_pairs(confidence, graph)
    order = np.argsort(-values, kind="stable")
    falling, hits = values[order], labels[order]
    last = np.flatnonzero(np.append(falling[1:] != falling[:-1], True)) if len(falling) else np.array([], dtype=int)
    right = np.cumsum(hits)[last]
    return ConfidenceCurve(
        thresholds=falling[last],
        true_positives=right.astype(np.int64),
        false_positives=(last + 1 - right).astype(np.int64),
        n_true=int(labels.sum()),
        n_false=int(len(labels) - labels.sum()),
    )


def confidence_reliability(confidence: EdgeConfidence, true: Graph) -> Reliability:
    """Compare confidences, taken as probabilities, with the true edges: calibration error, log loss, Brier score.

    Parameters
    ----------
    confidence
        The confidences; every pair of variables counts once, whatever the direction.
    true
        The true graph over the same variables, matched by name.

    Examples
    --------
    >>> from arcwise.confidence import EdgeConfidence
    >>> present = np.array([[0, 0.9, 0.2], [0.9, 0, 0.6], [0.2, 0.6, 0]])
    >>> found = EdgeConfidence(("a", "b", "c"), np.zeros((3, 3)), present, "skeleton", "given", 10, "equal", True)
    >>> measured = confidence_reliability(found, Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("a", "c")]))
    >>> round(measured.error, 3), round(measured.brier, 3)
    (0.5, 0.337)
    """
    return reliability(*_pairs(confidence, _matched(true, confidence)))


def _matched(true: Graph, confidence: EdgeConfidence) -> Graph:
    match_names(true.names, confidence.names)
    return true.reorder(confidence.names) if true.names != confidence.names else true


def _pairs(confidence: EdgeConfidence, true: Dag | Pdag) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    joined = true.to_adjacency().astype(bool)
    above = np.triu_indices(len(confidence.names), 1)
    return confidence.present[above], (joined | joined.T)[above]


def _ordered_pairs(confidence: EdgeConfidence, true: Dag | Pdag) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    if not isinstance(true, Dag):
        raise GraphError("arcs are compared with those of a DAG; this graph is only partly directed. Compare edges.")
    apart = ~np.eye(len(confidence.names), dtype=bool)
    values = rounded(confidence.directed + confidence.undirected / 2)
    return values[apart], true.to_adjacency().astype(bool)[apart]
