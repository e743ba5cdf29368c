"""`best_cut`, `false_rate_cut`: where to cut confidences, by what the edges above are expected to cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import places_of
from arcwise.base.errors import check_argument
from arcwise.confidence.curves import CalibrationCurve

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence


# Decisions that follow from probabilities: the cut-off that is best on average, for what mistakes cost.
#
# With probabilities p of the edges that mean what they say, what a set of edges will cost is known on average, and so
# is the best set. It is always the most probable edges, so that only their number is to be found:
#
# - cost alpha FN + FP: every edge with p > 1 / (1 + alpha);
# - structural Hamming distance: an edge that is left out costs p, one that is put in costs 1 less the probability of
#   the way it is drawn; the number with the least sum;
# - F_beta: the number k with the largest expectation, if the edges are independent given their probabilities. Of no
#   edge at all that is the probability that there is none, and counts where little is believed;
# - the false discovery rate q: the largest number whose mean 1 - p is at most q.


TIE = 1e-12  # confidences that differ by less are equal
TINY = 1e-300  # keeps a logarithm finite
Alike = tuple[NDArray[np.float64], NDArray[np.int64]]  # probabilities, and how many pairs have each
NO_PAIRS: Alike = (np.zeros(0), np.zeros(0, dtype=np.int64))
NODES = 120  # of the quadrature of an expectation: right to 1e-12 with 8 pairs and with 25,000


def best_cut(confidence: EdgeConfidence, metric: str, weight: float) -> tuple[float, float]:
    """Return the cut-off that is best on average: as a confidence, and as a probability.

    `metric` is "cost" (weight alpha), "shd", "f" or "f-cpdag" (weight beta). Edges are those strictly above.
    """
    return Ranked.joined(confidence).best(metric, weight)


def false_rate_cut(confidence: EdgeConfidence, rate: float) -> tuple[float, float]:
    """Return the lowest cut-off above which at most this share of the edges is expected to be false."""
    check_argument(0 <= rate <= 1, "false_rate", rate, "must be between 0 and 1.")
    ranked = Ranked.joined(confidence)
    counts = np.arange(len(ranked.possible))
    false = np.concatenate([[0.0], np.cumsum(1 - ranked.probability)])
    fits = np.flatnonzero(ranked.possible & (false <= rate * counts + 1e-12))
    return ranked.cut(int(fits[-1]))


@dataclass(frozen=True, eq=False)
class Ranked:
    """Pairs, the most credible first, and what their confidences are worth.

    `drawn` are the probabilities of the most probable ways, in which edges are drawn; `others` the probabilities of all
    other pairs, each with how many have it.
    """

    confidence: NDArray[np.float64]
    probability: NDArray[np.float64]
    drawn: NDArray[np.float64]
    others: Alike
    curve: CalibrationCurve

    @classmethod
    def of(
        cls,
        confidence: NDArray[np.float64],
        probability: NDArray[np.float64],
        drawn: NDArray[np.float64],
        curve: CalibrationCurve,
        others: Alike = NO_PAIRS,
    ) -> Ranked:
        """Rank pairs."""
        order = np.argsort(-confidence, kind="stable")
        return cls(confidence[order], probability[order], drawn[order], others, curve)

    @classmethod
    def joined(cls, confidence: EdgeConfidence) -> Ranked:
        """Rank the pairs that some network joins."""
        found, n, (i, j) = confidence.probability, len(confidence.names), confidence.joined
        i, j = i[i < j], j[i < j]
        rest = np.ones(len(found.vector), dtype=bool)
        rest[places_of(i, j, n)] = False
        return cls.of(
            confidence.present[i, j],
            found.present[i, j],
            np.max([found.directed[i, j], found.directed[j, i], found.undirected[i, j]], axis=0),
            found.calibration.curve,
            np.unique(found.vector[rest], return_counts=True),
        )

    def best(self, metric: str, weight: float) -> tuple[float, float]:
        """Return the cut-off that is best on average."""
        if metric == "cost":
            bar = 1 / (1 + weight)  # no other pair has a say in this one
            return self.curve.cut_off(bar), bar
        p, drawn = self.probability, self.drawn
        if metric == "shd":
            gains = np.concatenate([[0.0], np.cumsum(drawn + p - 1)])
        else:
            most = int(np.flatnonzero(self.possible)[-1])
            gains = f_expected((p if metric == "f" else drawn)[:most], p, weight, self.others)
        return self.cut(int(np.argmax(np.where(self.possible[: len(gains)], gains, -np.inf))))

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


def f_expected(
    right: NDArray[np.float64],
    p: NDArray[np.float64],
    beta: float,
    further: Alike = NO_PAIRS,
) -> NDArray[np.float64]:
    """Return the expectation of F_beta for the first 0, 1, 2, ... pairs as edges; cost: pairs times `NODES`.

    `right` has, for as many of them as may be edges, the probability of an edge that counts as a hit; `p` those of an
    edge between each pair there is, but for `further` ones: probabilities, each with how many pairs have it.

    With M true edges in all, of which H are hit by k, F_beta is (1 + beta^2) H / (k + beta^2 M), and 1 if k = M = 0.
    A true edge i is hit beside M - 1 others, and 1 / a is the integral of t^(a - 1) from 0 to 1, so that with the
    generating function of M the expectation is one integral for all k:

        (1 + beta^2) * integral of t^(k + beta^2 - 1) G(t) sum over i <= k of p_i / g_i(t),
        g_i(t) = 1 - p_i + p_i t^(beta^2),  G the product of all g_i.

    The ratio of expectations (Lewis 1995) is near that where edges are many, and always asks for some. Gauss-Legendre
    nodes in y with z = 1 - y^4 are dense where G of many edges is not small; z = t^min(1, beta^2) keeps the powers of z
    at 1 and more.
    """
    square = beta**2
    unit = min(1.0, square)
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    y = (nodes + 1) / 2
    log_z, weight = np.log1p(-(y**4)), 2 * weights * y**3
    counts = np.arange(len(right) + 1)
    total = np.zeros(len(right) + 1)
    first, (alike, times) = p[: len(right)], np.unique(p[len(right) :], return_counts=True)
    others = np.concatenate([alike, further[0]]), np.concatenate([times, further[1]])
    for own, node_weight in zip(log_z.tolist(), weight.tolist(), strict=True):
        left = np.exp(square / unit * own)  # may underflow, where a certain edge would have a factor of 0
        each, every = (np.maximum(1 - some + some * left, TINY) for some in (first, others[0]))
        log_all = np.log(each).sum() + (np.log(every) * others[1]).sum()
        powers = np.exp(((counts + square) / unit - 1) * own + log_all)
        total += node_weight * powers * np.concatenate([[0.0], np.cumsum(right / each)])
    total *= (1 + square) / unit
    total[0] = np.prod(1 - p) * np.prod((1 - further[0]) ** further[1])
    return total
