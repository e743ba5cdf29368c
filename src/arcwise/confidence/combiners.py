"""How an ensemble combines its members (Liao 2022, section 5.5): majority, weighted voting, gradient boosting.

One row stands for one pair of variables. For each member it has the confidence, the distance of the confidence from the
member's learned threshold, and the prediction (above it or not); for all members together the sample size and the
weight, beta or alpha, for which the thresholds were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.learned_table import SIZE_GROUPS, WEIGHTS, LearnedTable, learned_table, size_group
from arcwise.confidence.training_table import MISSING, TrainingTable, training_table
from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy

__all__ = ["boost", "feature_names", "fit_booster", "majority_vote", "pair_features", "vote_weights", "weighted_vote"]


def member_thresholds(
    table: LearnedTable, labels: Sequence[str], n_cases: int | None, metric: str, weight: float
) -> dict[str, float]:
    """Return the learned threshold of each member, such as "bootstrap:bic"."""
    found = {}
    for label in labels:
        method, _, score = label.partition(":")
        first, second, share = table.neighbours(method, score, n_cases, metric, weight)
        found[label] = first.threshold + share * (second.threshold - first.threshold)
    return found


def feature_names(labels: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns of `pair_features`."""
    own = tuple(f"{label} {what}" for label in labels for what in ("confidence", "distance", "prediction"))
    return (*own, "log10 cases", "log2 weight")


def pair_features(
    confidences: Mapping[str, NDArray[np.float64]],
    thresholds: Mapping[str, NDArray[np.float64] | float],
    n_cases: NDArray[np.float64] | float,
    weight: NDArray[np.float64] | float,
) -> NDArray[np.float64]:
    """Return one row per pair: confidence, distance to threshold and prediction of each member, size and weight."""
    rows = len(next(iter(confidences.values())))
    columns: list[NDArray[np.float64]] = []
    for label, values in confidences.items():
        absent = values == MISSING
        distance = np.where(absent, 0.0, values - thresholds[label])
        columns += [values, distance, (distance > 0).astype(np.float64)]
    columns += [np.full(rows, 1.0) * np.log10(n_cases), np.full(rows, 1.0) * np.log2(weight)]
    return np.column_stack(columns)


def majority_vote(
    confidences: Mapping[str, NDArray[np.float64]], thresholds: Mapping[str, float]
) -> NDArray[np.float64]:
    """Return the share of the members that predict the edge; more than one half is a majority."""
    return weighted_vote(confidences, thresholds, dict.fromkeys(confidences, 1.0))


def weighted_vote(
    confidences: Mapping[str, NDArray[np.float64]], thresholds: Mapping[str, float], weights: Mapping[str, float]
) -> NDArray[np.float64]:
    """Return the weight of the members that predict the edge, as a share of the weight of those with a prediction."""
    rows = len(next(iter(confidences.values())))
    for_it, all_of_it = np.zeros(rows), np.zeros(rows)
    for label, values in confidences.items():
        known = values != MISSING
        all_of_it += weights[label] * known
        for_it += weights[label] * (known & (values > thresholds[label]))
    return np.divide(for_it, all_of_it, out=np.zeros(rows), where=all_of_it > 0)


def vote_weights(
    table: LearnedTable, labels: Sequence[str], n_cases: int | None, metric: str, weight: float
) -> dict[str, float]:
    """Return the weight of each member: the inverse of its mean loss on the proxies, scaled to sum to 1."""
    raw = {}
    for label in labels:
        method, _, score = label.partition(":")
        entry, _, _ = table.neighbours(method, score, n_cases, metric, weight)
        raw[label] = 1.0 / max(entry.loss, 1e-6) if np.isfinite(entry.loss) else 1.0
    total = sum(raw.values())
    return {label: value / total for label, value in raw.items()}


def fit_booster(training: TrainingTable, thresholds: LearnedTable, labels: Sequence[str], metric: str) -> Any:
    """Fit scikit-learn's gradient boosting, with its default settings as in the thesis, to proxy pairs.

    Deterministic: the seed is fixed, and every row has one weight of the grid, in turn, so that beta or alpha can be a
    feature without a copy of the rows for each.
    """
    from sklearn.ensemble import GradientBoostingClassifier

    if unknown := [label for label in labels if label not in training.confidences]:
        raise OptionError(
            f"gradient boosting was not trained with {unknown[0]}; it knows {', '.join(training.confidences)}.",
            remedies=(Remedy("use", Argument("combine", "majority")), Remedy("use members that it knows")),
        )
    grid = np.array([1.0]) if metric == "shd" else np.array(WEIGHTS)
    weight = grid[np.arange(len(training)) % len(grid)]
    cutoffs = {label: np.empty(len(training)) for label in labels}
    groups = np.array([size_group(int(n)) for n in training.cases])
    for name, (first, _) in SIZE_GROUPS.items():
        for value in grid:
            rows = (groups == name) & (weight == value)
            for label, cutoff in member_thresholds(thresholds, labels, first, metric, float(value)).items():
                cutoffs[label][rows] = cutoff
    known = {label: training.confidences[label] for label in labels}
    features = pair_features(known, cutoffs, training.cases.astype(np.float64), weight)
    return GradientBoostingClassifier(random_state=0).fit(features, training.edge, sample_weight=training.weight)


@cache
def _shipped_booster(labels: tuple[str, ...], metric: str) -> Any:
    return fit_booster(training_table(), learned_table(), labels, metric)


def boost(
    confidences: Mapping[str, NDArray[np.float64]], *, n_cases: int, metric: str, weight: float
) -> NDArray[np.float64]:
    """Return the probability of an edge for each pair by the model trained on the shipped table.

    The model is trained on first use (a few seconds) for the members and the metric at hand, then kept in this process.
    """
    labels = tuple(sorted(confidences))
    model = _shipped_booster(labels, metric)
    ordered = {label: confidences[label] for label in labels}
    cutoffs = member_thresholds(learned_table(), labels, n_cases, metric, weight)
    return np.asarray(model.predict_proba(pair_features(ordered, cutoffs, float(n_cases), weight))[:, 1])
