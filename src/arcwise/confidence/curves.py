"""From confidences to probabilities: the curve of edges, the map of directions, and the model of a recipe's curves."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import FormatError
from arcwise.base.showing import one_screen

# `CalibrationCurve`: how often an edge of confidence c is there, as a curve that never falls.


# Where a curve is known; between these it is straight. Dense at the ends, where confidences are.
KNOTS: NDArray[np.float64] = np.array(
    [0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.07]
    + [k / 20 for k in range(2, 19)]
    + [0.93, 0.96, 0.98, 0.99, 0.995, 0.9975, 0.999, 1]
)


@one_screen
@dataclass(frozen=True)
class CalibrationCurve:
    """The probability of an edge at each confidence of `KNOTS`; between them it is interpolated.

    It never falls: what is more credible is at least as probable, so that the edges above a probability are those above
    a confidence.

    >>> curve = CalibrationCurve.of(0.2 + 0.7 * KNOTS)
    >>> float(curve(0.5)), curve.cut_off(0.55)
    (0.55, 0.5)
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        fits = values.shape == KNOTS.shape and bool(np.isfinite(values).all())
        if not fits or values.min() < 0 or values.max() > 1 or (np.diff(values) < 0).any():
            raise FormatError(f"a calibration curve has {len(KNOTS)} probabilities, none below the one before it.")

    @classmethod
    def of(cls, values: ArrayLike) -> CalibrationCurve:
        """Make a curve of probabilities at the knots; where they fall, the largest so far is kept."""
        return cls(tuple(np.maximum.accumulate(np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)).tolist()))

    @classmethod
    def identity(cls) -> CalibrationCurve:
        """Return the curve that takes confidences for probabilities."""
        return cls(tuple(KNOTS.tolist()))

    def __call__(self, confidence: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of edges of these confidences."""
        return np.asarray(np.interp(np.asarray(confidence, dtype=np.float64), KNOTS, self.values))

    def scaled(self, factor: float) -> CalibrationCurve:
        """Return the curve of probabilities that are a share of these."""
        return CalibrationCurve.of(factor * np.asarray(self.values))

    def cut_off(self, probability: float) -> float:
        """Return the confidence above which the probability is above the given one; 1 if it is nowhere.

        Where even a confidence of 0 has more, it is 0: an edge that no network has is never chosen.
        """
        values = np.asarray(self.values)
        above = int(np.searchsorted(values, probability, side="right"))  # the first knot with more
        if above == 0:
            return 0.0
        if above == len(values):
            return 1.0
        low, high = values[above - 1], values[above]
        share = (probability - low) / (high - low)
        return round(float(KNOTS[above - 1] + share * (KNOTS[above] - KNOTS[above - 1])), 12)


# `DirectionMap`: from the shares of the directions among the networks to the probabilities of the directions.
#
# Given that there is an edge, the true equivalence class has it one way, the other way, or without a direction. The
# odds of either way against none follow from the shares f, b and u of the networks that have the edge:
#
#     log odds of forward against none = a + s log((f + e) / (u + e)) + t log((b + e) / (u + e)),
#
# with a, s and t that depend on the number of cases; backward is the same with f and b exchanged.


SMALLEST = 0.01  # the share that an unseen direction is given: e
TERMS = 3  # a, s and t, each with a slope in log10 N
# Numbers of cases beyond count as these, here and where maps are fitted: samples of 50,000 cases are in the study, and
# are right as often by the map for 20,000 (97 to 100 % of the directions that are settled, family by family).
FEWEST_CASES, MOST_CASES = 50, 20_000


@one_screen
@dataclass(frozen=True)
class DirectionMap:
    """The coefficients a, s, t at 1,000 cases, and what a tenfold number of cases adds to each."""

    at_thousand: tuple[float, ...]
    per_decade: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(len(own) == TERMS and np.isfinite(own).all() for own in (self.at_thousand, self.per_decade)):
            raise FormatError(f"a map of directions has {TERMS} numbers at 1,000 rows, and {TERMS} per decade.")

    def __call__(
        self, forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64], n_cases: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities given an edge, of shares that sum to 1 (or to 0, where there is nothing to say)."""
        level = cases_level(n_cases)
        terms = np.array(self.at_thousand) + level * np.array(self.per_decade)
        return softmax(*direction_odds(terms, share_ratios(forward, backward, free)))


def cases_level(n_cases: float) -> float:
    """Return log10 of the number of cases over 1,000, within what was studied."""
    return math.log10(min(max(n_cases, FEWEST_CASES), MOST_CASES) / 1000)


def share_ratios(
    forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log ratios of the shares of both ways to that of neither."""
    low = np.log(free + SMALLEST)
    return np.log(forward + SMALLEST) - low, np.log(backward + SMALLEST) - low


def direction_odds(
    terms: NDArray[np.float64], ratios: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log odds of both ways against neither, by the terms a, s and t."""
    ahead, back = ratios
    return terms[0] + terms[1] * ahead + terms[2] * back, terms[0] + terms[1] * back + terms[2] * ahead


def softmax(
    ahead: NDArray[np.float64], back: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities of both ways and of neither, from log odds against neither."""
    top = np.maximum(np.maximum(ahead, back), 0.0)
    parts = np.exp(ahead - top), np.exp(back - top), np.exp(-top)
    total = parts[0] + parts[1] + parts[2]
    return parts[0] / total, parts[1] / total, parts[2] / total


# `CalibrationModel`: the curve of a recipe, by the numbers of cases and variables and by how confidences look.
#
# Within one data set the probability depends on the confidence alone, and never falls. Between data sets the curve
# moves with what is known of them without a truth: the number of cases N and of variables n, the expected number of
# edges per variable (the sum of the confidences over n), how undecided the confidences are (the sum of c (1 - c)
# over that of c), and how many of them are middling and faint. What shuffled columns gain and how many edges they have
# was tried beside these and gave nothing on families left out: what it tells, the test of `Chance` takes. The log odds
# of an edge are piecewise
# linear in log odds of the confidence: one slope below one half and one above as in beta calibration (Kull, Silva Filho
# & Flach 2017), which may change once more at 0.1 and at 0.9, and steps for what no network has and what all have. Each
# of these seven coefficients is linear in the facts of the data set.


EDGE = 0.002  # confidences nearer to 0 or 1 are taken for this near; steps take care of the very ends
END = 0.0005  # nearer to 0 and 1 than this is the end itself
BENDS = (0.1, 0.9)  # where the slopes may change, besides one half
SPREAD = math.log((1 - EDGE) / EDGE)
MIDDLING, FAINT = (0.2, 0.8), (0.02, 0.3)
CASES, VARIABLES = 1, 3  # where these stand among the facts of a data set


@one_screen
@dataclass(frozen=True, slots=True)
class SetFacts:
    """What is known of a data set, and of the confidences learned from it, without a truth."""

    n_cases: int
    n_variables: int
    edges_per_variable: float
    indecision: float
    middling: float = 0.0  # the log ratio of the number of middling confidences to the expected edges; of faint ones
    faint: float = 0.0

    @classmethod
    def of(cls, vector: NDArray[np.float64], n_cases: int, n_variables: int) -> SetFacts:
        """Take the confidences of all pairs."""
        vector = vector[vector != 0]  # of thousands of variables nearly all are
        total = float(vector.sum())
        middling, faint = (int(((vector > low) & (vector < high)).sum()) for low, high in (MIDDLING, FAINT))
        return cls(
            n_cases,
            n_variables,
            total / max(n_variables, 1),
            float((vector * (1 - vector)).sum()) / (total + 0.5),
            math.log((middling + 0.5) / (total + 0.5)),
            math.log((faint + 0.5) / (total + 0.5)),
        )

    def row(self) -> NDArray[np.float64]:
        """Return the facts as the coefficients' regressors, the first of which is 1."""
        cases, variables = math.log10(self.n_cases / 1000), math.log(max(self.n_variables, 1) / 20)
        return np.array(
            [
                1.0,
                cases,
                cases * cases,
                variables,
                math.log(self.edges_per_variable + 0.1),
                self.indecision,
                self.middling,
                self.faint,
                cases * variables,
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
        height = len(curve_terms(KNOTS[:1]))
        if table.shape != (height, width) or not np.isfinite(table).all():
            raise FormatError(f"a calibration model has {height} rows of {width} coefficients.")
        if not len(self.lowest) == len(self.highest) == width:
            raise FormatError(f"a calibration model knows the ranges of {width} facts.")

    def curve(self, facts: SetFacts) -> CalibrationCurve:
        """Return the curve for a data set; facts beyond what was studied count as the nearest that was."""
        inside = np.clip(facts.row(), self.lowest, self.highest)
        return CalibrationCurve.of(logistic(curve_terms(KNOTS).T @ _rising(np.asarray(self.coefficients) @ inside)))


def curve_terms(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
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


def logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))
