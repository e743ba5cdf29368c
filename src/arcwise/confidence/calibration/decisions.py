"""Decisions that follow from probabilities: the cut-off that is best on average, for what mistakes cost.

With probabilities p of the edges that mean what they say, what a set of edges will cost is known on average, and so is
the best set. It is always the most probable edges, so that only their number is to be found:

- cost alpha FN + FP: every edge with p > 1 / (1 + alpha);
- structural Hamming distance: an edge that is left out costs p, one that is put in costs 1 less the probability of the
  way it is drawn; the number with the least sum;
- F_beta: the number k with the largest (1 + beta^2) sum of the k largest p / (k + beta^2 sum of all p), the ratio of
  the expectations (Lewis 1995; the expectation of the ratio differs by terms of order 1 / edges);
- the false discovery rate q: the largest number whose mean 1 - p is at most q.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.curve import CalibrationCurve
from arcwise.confidence.calibration.edge_probability import EdgeProbability
from arcwise.errors import OptionError
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

__all__ = ["Ranked", "best_cut", "false_rate_cut"]

TIE = 1e-12  # confidences that differ by less are equal


def best_cut(confidence: EdgeConfidence, metric: str, weight: float) -> tuple[float, float]:
    """Return the cut-off that is best on average: as a confidence, and as a probability.

    `metric` is "cost" (weight alpha), "shd", "f" or "f-cpdag" (weight beta). Edges are those strictly above.
    """
    probability = confidence.probability
    if metric == "cost":
        return cost_cut(probability.calibration.curve, weight)
    return Ranked.of(confidence.vector, probability.vector, probability.calibration.curve).best(
        metric, weight, _right(probability)
    )


def cost_cut(curve: CalibrationCurve, alpha: float) -> tuple[float, float]:
    """Return the cut-off of least cost, which no other pair has a say in."""
    bar = 1 / (1 + alpha)
    return curve.cut_off(bar), bar


def false_rate_cut(confidence: EdgeConfidence, rate: float) -> tuple[float, float]:
    """Return the lowest cut-off above which at most this share of the edges is expected to be false."""
    if not 0 <= rate <= 1:
        raise OptionError(Argument("false_rate", rate), "must be between 0 and 1.")
    probability = confidence.probability
    ranked = Ranked.of(confidence.vector, probability.vector, probability.calibration.curve)
    counts = np.arange(len(ranked.possible))
    false = np.concatenate([[0.0], np.cumsum(1 - ranked.probability)])
    fits = np.flatnonzero(ranked.possible & (false <= rate * counts + 1e-12))
    return ranked.cut(int(fits[-1]))


@dataclass(frozen=True, eq=False)
class Ranked:
    """The pairs, the most credible first, and what their confidences are worth."""

    order: NDArray[np.int64]
    confidence: NDArray[np.float64]
    probability: NDArray[np.float64]
    curve: CalibrationCurve

    @classmethod
    def of(cls, confidence: NDArray[np.float64], probability: NDArray[np.float64], curve: CalibrationCurve) -> Ranked:
        """Take the confidences and the probabilities of all pairs."""
        order = np.argsort(-confidence, kind="stable")
        return cls(order, confidence[order], probability[order], curve)

    def best(self, metric: str, weight: float, right: NDArray[np.float64]) -> tuple[float, float]:
        """Return the cut-off that is best on average, with the probability of the way in which each edge is drawn."""
        if metric == "cost":
            return cost_cut(self.curve, weight)
        p, drawn = self.probability, right[self.order]
        if metric == "shd":
            gains = np.concatenate([[0.0], np.cumsum(drawn + p - 1)])
        else:
            gains = _f_expected(p if metric == "f" else drawn, p, weight)
        return self.cut(int(np.argmax(np.where(self.possible, gains, -np.inf))))

    @property
    def possible(self) -> NDArray[np.bool_]:
        """For 0, 1, 2, ... edges, whether a cut-off leaves so many: equal confidences cannot be told apart."""
        next_ones = np.concatenate([self.confidence[1:], [0.0]])  # what no network has is never chosen
        return np.concatenate([[True], self.confidence > next_ones + TIE])

    def cut(self, count: int) -> tuple[float, float]:
        """Return a cut-off half way between the last of so many edges and the next, and its probability."""
        values = self.confidence
        if count == 0:
            value = float(values[0]) if len(values) else 1.0
        elif count == len(values):
            value = float(values[-1]) / 2
        else:
            value = float(values[count - 1] + values[count]) / 2
        return value, float(self.curve(value))


def _right(probability: EdgeProbability) -> NDArray[np.float64]:
    """Return, for each pair, the probability of the way in which its edge is drawn: the most probable one."""
    i, j = np.triu_indices(len(probability.names), 1)
    ways = probability.directed[i, j], probability.directed[j, i], probability.undirected[i, j]
    return np.asarray(np.max(ways, axis=0))


def _f_expected(right: NDArray[np.float64], p: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    """Return the ratio of expectations for the first 0, 1, 2, ... edges."""
    counts = np.arange(len(p) + 1)
    hits = np.concatenate([[0.0], np.cumsum(right)])
    return np.asarray((1 + beta**2) * hits / np.maximum(counts + beta**2 * p.sum(), 1e-300))
