"""`DirectionMap`: from the shares of the directions among the networks to the probabilities of the directions.

Given that there is an edge, the true equivalence class has it one way, the other way, or without a direction. The odds
of either way against none follow from the shares f, b and u of the networks that have the edge:

    log odds of forward against none = a + s log((f + e) / (u + e)) + t log((b + e) / (u + e)),

with a, s and t that depend on the number of cases; backward is the same with f and b exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError
from arcwise.showing import one_screen

__all__ = ["DirectionMap", "fit_directions"]

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
            raise FormatError(f"a map of directions has {TERMS} numbers at 1,000 cases, and {TERMS} per decade.")

    def __call__(
        self, forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64], n_cases: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities given an edge, of shares that sum to 1 (or to 0, where there is nothing to say)."""
        level = _level(n_cases)
        terms = np.array(self.at_thousand) + level * np.array(self.per_decade)
        return _softmax(*_log_odds(terms, _ratios(forward, backward, free)))


def _level(n_cases: float) -> float:
    """Return log10 of the number of cases over 1,000, within what was studied."""
    return math.log10(min(max(n_cases, FEWEST_CASES), MOST_CASES) / 1000)


def _ratios(
    forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    low = np.log(free + SMALLEST)
    return np.log(forward + SMALLEST) - low, np.log(backward + SMALLEST) - low


def _log_odds(
    terms: NDArray[np.float64], ratios: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ahead, back = ratios
    return terms[0] + terms[1] * ahead + terms[2] * back, terms[0] + terms[1] * back + terms[2] * ahead


def _softmax(
    ahead: NDArray[np.float64], back: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    top = np.maximum(np.maximum(ahead, back), 0.0)
    parts = np.exp(ahead - top), np.exp(back - top), np.exp(-top)
    total = parts[0] + parts[1] + parts[2]
    return parts[0] / total, parts[1] / total, parts[2] / total


def fit_directions(
    shares: NDArray[np.float64], truth: NDArray[np.int64], n_cases: NDArray[np.float64], weights: Sequence[float]
) -> DirectionMap:
    """Fit the map by least log loss.

    Parameters
    ----------
    shares
        3 x pairs: forward, backward and undirected, each column summing to 1; of true edges.
    truth
        0 for forward, 1 for backward, 2 for undirected.
    n_cases, weights
        The number of cases of each pair's sample, and what the pair counts.
    """
    from scipy.optimize import minimize

    ratios = _ratios(*shares)
    level = np.array([_level(n) for n in n_cases])
    weight = np.asarray(weights, dtype=np.float64) / np.sum(weights)

    def loss(parameters: NDArray[np.float64]) -> float:
        terms = parameters[:TERMS, None] + parameters[TERMS:, None] * level
        found = np.stack(_softmax(*_log_odds(terms, ratios)))
        own = np.take_along_axis(found, truth[None, :], axis=0)[0]
        return float(-(weight * np.log(np.maximum(own, 1e-9))).sum() + 1e-4 * (parameters[1:] ** 2).sum())

    start = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    found = minimize(loss, start, method="L-BFGS-B").x.round(4).tolist()
    return DirectionMap(tuple(found[:TERMS]), tuple(found[TERMS:]))
