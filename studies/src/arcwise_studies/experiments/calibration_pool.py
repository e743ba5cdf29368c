"""Several recipes together: do fitted weights beat a plain mean of their log odds?

The meta-ensemble of the thesis (Liao 2022, section 5.5) with the sources as members, trained for log loss: the log odds
of an edge are linear in those that the members' calibrated probabilities have, with weights that move with log N. Each
family of worlds is left out of the members' calibrations and of the weights that it is judged by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.curves import CalibrationModel
from arcwise.confidence.meta_ensemble import pooled
from arcwise_studies.experiments.calibration_fit import Samples
from arcwise_studies.experiments.pair_states import ABSENT

__all__ = ["POOLED", "STACKED", "Together", "judge_together"]

POOLED, STACKED = "pooled", "stacked"
SMALLEST = 1e-4
PENALTY = 5.0  # of weights that differ from those of a plain mean
ROUNDS = 30


@dataclass(frozen=True, eq=False)
class Together:
    """One sample that all members learned from: the truth, and what each and both ways to join them claim."""

    family: str
    cases: int
    real: NDArray[np.bool_]
    claims: Mapping[str, NDArray[np.float64]]


def judge_together(samples: Samples, labels: Sequence[str]) -> list[Together]:
    """Give the samples that all of these recipes learned from probabilities that have not seen their family."""
    common = _common(samples, labels)
    found = []
    for _, known, judged in common.splits():
        models = {label: known.of(label).model() for label in labels}
        weights = _fit(list(_members(known, models)), labels)
        for one in _members(judged, models):
            stacked = _logistic(_design(one, labels) @ weights)
            parts = [one.claims[label] for label in labels]
            claims = {**one.claims, POOLED: pooled(parts), STACKED: stacked}
            found.append(Together(one.family, one.cases, one.real, claims))
    return found


def _common(samples: Samples, labels: Sequence[str]) -> Samples:
    frame = samples.frame
    names = frame["truth"] + "|" + frame["cases"].astype(str) + "|" + frame["repetition"].astype(str)
    wanted = (frame["method"] + ":" + frame["score"]).isin(labels)
    counts = names[wanted].value_counts()
    return samples.take((wanted & names.map(counts).eq(len(labels))).to_numpy(dtype=bool))


def _members(samples: Samples, models: Mapping[str, CalibrationModel]) -> Iterator[Together]:
    """Return every sample with the members' probabilities."""
    by_sample: dict[str, list[tuple[str, Together]]] = {}
    for label, model in models.items():
        own = samples.of(label)
        for states, curve, row in zip(own.states, own.curves(model), own.frame.itertuples(), strict=True):
            claim = {label: curve(states.present)}
            made = Together(str(row.family), int(str(row.cases)), np.asarray(states.truth != ABSENT), claim)
            by_sample.setdefault(f"{row.truth}|{row.cases}|{row.repetition}", []).append((label, made))
    for parts in by_sample.values():
        first = parts[0][1]
        claims = {label: made.claims[label] for label, made in parts}
        yield Together(first.family, first.cases, first.real, claims)


def _design(one: Together, labels: Sequence[str]) -> NDArray[np.float64]:
    """Return, per pair: 1, log N, the members' log odds, and these times log N."""
    inside = np.clip(np.array([one.claims[label] for label in labels]), SMALLEST, 1 - SMALLEST)
    odds = np.log(inside / (1 - inside))
    level, ones = math.log10(one.cases / 1000), np.ones((1, odds.shape[1]))
    return np.concatenate([ones, level * ones, odds, level * odds]).T


def _fit(samples: Sequence[Together], labels: Sequence[str]) -> NDArray[np.float64]:
    """Fit the weights by penalised maximum likelihood (Newton's method), beginning with a plain mean."""
    design = np.concatenate([_design(one, labels) for one in samples])
    real = np.concatenate([one.real for one in samples]).astype(np.float64)
    start = np.concatenate([np.zeros(2), np.full(len(labels), 1 / len(labels)), np.zeros(len(labels))])
    weights = start.copy()
    for _ in range(ROUNDS):
        found = _logistic(design @ weights)
        gradient = design.T @ (real - found) - PENALTY * (weights - start)
        curvature = (design * (found * (1 - found))[:, None]).T @ design + PENALTY * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return weights


def _logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))
