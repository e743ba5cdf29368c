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

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.edge_probability import EdgeProbability
from arcwise.errors import OptionError
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

__all__ = ["best_cut", "false_rate_cut"]


def best_cut(confidence: EdgeConfidence, metric: str, weight: float) -> tuple[float, float]:
    """Return the cut-off that is best on average: as a confidence, and as a probability.

    `metric` is "cost" (weight alpha), "shd", "f" or "f-cpdag" (weight beta). Edges are those strictly above.
    """
    probability = confidence.probability
    if metric == "cost":
        bar = 1 / (1 + weight)
        return probability.calibration.curve.cut_off(bar), bar
    order, p = _ranked(confidence, probability)
    if metric == "f":
        gains = _f_expected(p, p, weight)
        return _between(confidence, probability, order, int(np.argmax(gains)))
    right = _right(probability)[order]
    if metric == "shd":
        costs = np.concatenate([[0.0], np.cumsum(1 - right - p)]) + p.sum()
        return _between(confidence, probability, order, int(np.argmin(costs)))
    return _between(confidence, probability, order, int(np.argmax(_f_expected(right, p, weight))))


def false_rate_cut(confidence: EdgeConfidence, rate: float) -> tuple[float, float]:
    """Return the lowest cut-off above which at most this share of the edges is expected to be false."""
    if not 0 <= rate <= 1:
        raise OptionError(Argument("false_rate", rate), "must be between 0 and 1.")
    probability = confidence.probability
    order, p = _ranked(confidence, probability)
    shares = np.cumsum(1 - p) / np.arange(1, len(p) + 1)
    fits = np.flatnonzero(shares <= rate + 1e-12)
    return _between(confidence, probability, order, 0 if not len(fits) else int(fits[-1]) + 1)


def _ranked(confidence: EdgeConfidence, probability: EdgeProbability) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    order = np.argsort(-confidence.vector, kind="stable")
    return order, probability.vector[order]


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


def _between(
    confidence: EdgeConfidence, probability: EdgeProbability, order: NDArray[np.int64], count: int
) -> tuple[float, float]:
    """Return a cut-off half way between the last edge that is in and the first that is out.

    Edges of equal confidence cannot be told apart: they are all in, or all out where the last would be one of them.
    """
    values = confidence.vector[order]
    last = len(values)
    while 0 < count < last and values[count - 1] <= values[count] + 1e-12:
        count -= 1
    if count == 0:
        top = float(values[0]) if last else 1.0
        cut = top
    elif count == last:
        cut = float(values[-1]) / 2
    else:
        cut = float(values[count - 1] + values[count]) / 2
    return cut, float(probability.calibration.curve(cut))
