"""`CalibrationModel`: the curve of a recipe, by the numbers of cases and variables and by how confidences look.

Within one data set the probability depends on the confidence alone, and never falls. Between data sets the curve moves
with what is known of them without a truth: the number of cases N and of variables n, the expected number of edges per
variable (the sum of the confidences over n), and how undecided the confidences are (the sum of c (1 - c) over that of
c). The log odds of an edge are piecewise linear in log odds of the confidence: one slope below one half and one above
as in beta calibration (Kull, Silva Filho & Flach 2017), which may change once more at 0.1 and at 0.9, and steps for
what no network has and what all have. Each of these seven coefficients is linear in the facts of the data set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration.curve import KNOTS, CalibrationCurve
from arcwise.errors import FormatError
from arcwise.showing import one_screen

__all__ = ["CASES", "VARIABLES", "CalibrationModel", "SetFacts", "fit_model"]

EDGE = 0.002  # confidences nearer to 0 or 1 are taken for this near; steps take care of the very ends
END = 0.0005
BENDS = (0.1, 0.9)  # where the slopes may change, besides one half
SPREAD = math.log((1 - EDGE) / EDGE)
ROUNDS = 50
CASES, VARIABLES = 1, 3  # where these stand among the facts of a data set
PENALTY = 1.0  # of the slopes in the facts: half a pair's worth of evidence against each


@one_screen
@dataclass(frozen=True, slots=True)
class SetFacts:
    """What is known of a data set, and of the confidences learned from it, without a truth."""

    n_cases: int
    n_variables: int
    edges_per_variable: float
    indecision: float

    @classmethod
    def of(cls, vector: NDArray[np.float64], n_cases: int, n_variables: int) -> SetFacts:
        """Take the confidences of all pairs."""
        total = float(vector.sum())
        return cls(
            n_cases, n_variables, total / max(n_variables, 1), float((vector * (1 - vector)).sum()) / (total + 0.5)
        )

    def row(self) -> NDArray[np.float64]:
        """Return the facts as the coefficients' regressors, the first of which is 1."""
        cases = math.log10(self.n_cases / 1000)
        return np.array(
            [
                1.0,
                cases,
                cases * cases,
                math.log(max(self.n_variables, 1) / 20),
                math.log(self.edges_per_variable + 0.1),
                self.indecision,
            ]
        )


@one_screen
@dataclass(frozen=True)
class CalibrationModel:
    """The coefficients (one row per term, one column per fact), and the range of the facts that were studied."""

    coefficients: tuple[tuple[float, ...], ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]

    def __post_init__(self) -> None:
        width = len(SetFacts(1000, 20, 1.0, 0.0).row())
        table = np.asarray(self.coefficients, dtype=np.float64)
        height = len(_terms(KNOTS[:1]))
        if table.shape != (height, width) or not np.isfinite(table).all():
            raise FormatError(f"a calibration model has {height} rows of {width} coefficients.")
        if not len(self.lowest) == len(self.highest) == width:
            raise FormatError(f"a calibration model knows the ranges of {width} facts.")

    def curve(self, facts: SetFacts) -> CalibrationCurve:
        """Return the curve for a data set; facts beyond what was studied count as the nearest that was."""
        inside = np.clip(facts.row(), self.lowest, self.highest)
        return CalibrationCurve.of(_logistic(_terms(KNOTS).T @ _rising(np.asarray(self.coefficients) @ inside)))


def _terms(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 7 x pairs: constant, both sides of the log odds, the ends' steps, and the log odds beyond the bends."""
    near = np.clip(confidence, EDGE, 1 - EDGE)
    odds = np.log(near / (1 - near)) / SPREAD
    ends = confidence < END, confidence > 1 - END
    low, high = (math.log(bend / (1 - bend)) / SPREAD for bend in BENDS)
    return np.stack(
        [
            np.ones_like(odds),
            np.minimum(odds, 0),
            np.maximum(odds, 0),
            *(end.astype(float) for end in ends),
            np.minimum(odds - low, 0),
            np.maximum(odds - high, 0),
        ]
    )


def _rising(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients with slopes and steps that never fall.

    Where the facts of a data set would turn a slope round, the curve is level there: a running maximum would lift all
    that comes after to the height of a bump among confidences that hardly occur.
    """
    level, low, high, none, every, low_bend, high_bend = terms.tolist()
    low, high = max(low, 0.0), max(high, 0.0)
    bends = max(low_bend, -low), max(high_bend, -high)
    return np.array([level, low, high, min(none, 0.0), max(every, 0.0), *bends])


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


def fit_model(
    confidences: Sequence[NDArray[np.float64]],
    truths: Sequence[NDArray[np.bool_]],
    facts: Sequence[SetFacts],
    weights: Sequence[float],
) -> CalibrationModel:
    """Fit a model to data sets whose truth is known, by penalised maximum likelihood (Newton's method).

    Parameters
    ----------
    confidences, truths
        For each data set, the confidences of its pairs, and whether the edge is there.
    facts, weights
        For each data set its facts, and what each of its pairs counts.
    """
    rows = np.array([own.row() for own in facts])
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    parts = []
    for own, row in zip(confidences, np.clip(rows, lowest, highest), strict=True):
        parts.append((_terms(own)[:, None, :] * row[None, :, None]).reshape(-1, len(own)))
    design = np.concatenate(parts, axis=1).T
    truth = np.concatenate([own.astype(np.float64) for own in truths])
    weight = np.concatenate([np.full(len(own), w) for own, w in zip(truths, weights, strict=True)])
    width = rows.shape[1]
    penalty = np.full(design.shape[1], PENALTY)
    penalty[::width] = PENALTY / 100  # the coefficients at an average data set are nearly free
    beta = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        found = _logistic(design @ beta)
        gradient = design.T @ (weight * (truth - found)) - penalty * beta
        curvature = (design * (weight * np.maximum(found * (1 - found), 1e-9))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-6:
            break
    table = beta.reshape(-1, width).round(4)
    return CalibrationModel(
        tuple(map(tuple, table.tolist())), tuple(lowest.round(4).tolist()), tuple(highest.round(4).tolist())
    )
