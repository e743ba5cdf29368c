"""From the rows of a calibration study to calibrations: fitted to all, or to all but one family of worlds."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.calibration import ANY, CalibrationEntry, CalibrationTable
from arcwise.confidence.chance import BY_CHANCE, Chance
from arcwise.confidence.curves import (
    TERMS,
    CalibrationCurve,
    CalibrationModel,
    DirectionMap,
    SetFacts,
    cases_level,
    curve_terms,
    direction_odds,
    logistic,
    share_ratios,
    softmax,
)
from arcwise.confidence.probability import COVERED, count_range
from arcwise_studies.experiments.pair_states import ABSENT, FORWARD, UNDIRECTED, StudiedPairs

if TYPE_CHECKING:
    pass

__all__ = ["INDEPENDENT", "Samples", "fit_directions", "fit_model"]

INDEPENDENT = "independent"  # the worlds without edges

LEAST_SHARE = 0.5  # directions are learned from true edges with more confidence than this: of others none is told
ROUNDS = 50
SPREADS = tuple(k / 10 for k in range(31))  # standard deviations in log odds that are tried
PENALTY = 1.0  # of the slopes in the facts: half a pair's worth of evidence against each


@dataclass(frozen=True, eq=False)
class Samples(StudiedPairs):
    """The samples of a study, one per element: a recipe, what it said, and the truth."""

    @cached_property
    def facts(self) -> list[SetFacts]:
        """What is known of each without its truth."""
        return [
            SetFacts.of(states.present, int(cases), states.n_variables)
            for states, cases in zip(self.states, self.frame["cases"], strict=True)
        ]

    @cached_property
    def is_chance(self) -> list[bool]:
        """Whether each shows no more than chance; studies of 0.2 did not look."""
        if "chance" not in self.frame:
            return [False] * len(self)
        return [
            bool(text) and not Chance.from_description(json.loads(text)).is_exceeded for text in self.frame["chance"]
        ]

    def curves(self, model: CalibrationModel) -> list[CalibrationCurve]:
        """Return the curve of each, as `CalibrationTable.calibration` makes it."""
        made = [model.curve(facts) for facts in self.facts]
        return [
            curve.scaled(BY_CHANCE) if chance else curve for curve, chance in zip(made, self.is_chance, strict=True)
        ]

    @cached_property
    def digest(self) -> str:
        """A fingerprint of the results, in any order."""
        hasher = hashlib.sha256()
        for line in sorted(f"{row.cell} {row.states} {row.shares}" for row in self.frame.itertuples()):
            hasher.update(line.encode())
        return hasher.hexdigest()

    @property
    def labels(self) -> tuple[str, ...]:
        """The recipes, "credible:qnml"."""
        return tuple(sorted(set(self.frame["method"] + ":" + self.frame["score"])))

    @property
    def families(self) -> tuple[str, ...]:
        """The families of worlds."""
        return tuple(sorted(set(self.frame["family"])))

    def take(self, rows: NDArray[np.bool_]) -> Samples:
        """Return some of the samples."""
        taken = Samples(self.frame[rows].reset_index(drop=True))
        for name in ("states", "facts", "is_chance"):
            taken.__dict__[name] = [value for value, kept in zip(getattr(self, name), rows, strict=True) if kept]
        return taken

    def of(self, label: str) -> Samples:
        """Return those of a recipe; "credible:any" for all recipes of a source."""
        method, _, score = label.partition(":")
        rows = (self.frame["method"] == method) & ((self.frame["score"] == score) | (score == ANY))
        return self.take(rows.to_numpy(dtype=bool))

    def without(self, family: str) -> Samples:
        """Return those of all families but one."""
        return self.take((self.frame["family"] != family).to_numpy(dtype=bool))

    def within(self, family: str) -> Samples:
        """Return those of one family."""
        return self.take((self.frame["family"] == family).to_numpy(dtype=bool))

    def splits(self) -> Iterator[tuple[str, Samples, Samples]]:
        """Return, part by part, a name, what to learn from and what to judge: each family left out as a whole.

        Independent variables are no family that could be new: what chance looks like is known beforehand. Half of their
        worlds are left out at a time.
        """
        for family in self.families:
            if family != INDEPENDENT:
                yield family, self.without(family), self.within(family)
                continue
            names = self.frame["truth"].to_numpy(dtype=str)
            known = {name: k for k, name in enumerate(np.unique(names[self.frame["family"] == family]).tolist())}
            for half in (0, 1):
                judged = np.array([known.get(name, 1 - half) % 2 == half and name in known for name in names])
                yield f"{family} {half}", self.take(~judged), self.take(judged)

    def model(self) -> CalibrationModel:
        """Fit the model of edges; every pair counts alike, so that probabilities are right over the pairs of all."""
        return fit_model(
            [states.present for states in self.states],
            [states.truth != ABSENT for states in self.states],
            self.facts,
            [1.0] * len(self.states),
        )

    def directions(self) -> DirectionMap:
        """Fit the map of directions, from true edges that some networks have."""
        shares, truth, cases = [], [], []
        for states, n_cases in zip(self.states, self.frame["cases"], strict=True):
            rows = (states.truth != ABSENT) & (states.present > LEAST_SHARE)
            shares.append(states.shares[:, rows] / states.present[rows])
            truth.append(np.where(states.truth == UNDIRECTED, 2, np.where(states.truth == FORWARD, 0, 1))[rows])
            cases.append(np.full(int(rows.sum()), float(n_cases)))
        every = np.concatenate(truth).astype(np.int64)
        return fit_directions(
            np.concatenate(shares, axis=1), every, np.concatenate(cases), np.ones(len(every)).tolist()
        )

    def entry(self, label: str) -> CalibrationEntry:
        """Fit what the package ships for a recipe."""
        own = self.of(label)
        oriented = own.take((own.frame["orient"] == "cpdag").to_numpy(dtype=bool))
        method, _, score = label.partition(":")
        return CalibrationEntry(
            method,
            score,
            own.model(),
            oriented.directions(),
            len(own),
            int(own.frame["truth"].nunique()),
            own.spreads(),
        )

    def spreads(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Fit how far whole data sets are off, each left out with its family: above one half, and below."""
        claims: list[tuple[float, NDArray[np.float64], NDArray[np.bool_]]] = []
        for _, known, judged in self.splits():
            curves = judged.curves(known.model())
            for states, facts, curve in zip(judged.states, judged.facts, curves, strict=True):
                claims.append((cases_level(facts.n_cases), curve(states.present), states.truth != ABSENT))
        return (
            fit_spread([(level, 1 - p[p > 0.5], ~real[p > 0.5]) for level, p, real in claims]),
            fit_spread([(level, p[p <= 0.5], real[p <= 0.5]) for level, p, real in claims]),
        )

    def table(self, provenance: Mapping[str, Any]) -> CalibrationTable:
        """Fit every recipe, and every source with all of its scores."""
        sources = sorted({label.partition(":")[0] for label in self.labels})
        labels: Sequence[str] = [*self.labels, *(f"{source}:{ANY}" for source in sources)]
        entries = [self.entry(label) for label in labels]
        return CalibrationTable({(entry.source, entry.score): entry for entry in entries}, provenance)


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
    parts, counts, hits = [], [], []
    for own, real, row, weight in zip(confidences, truths, np.clip(rows, lowest, highest), weights, strict=True):
        # Pairs of one data set and one confidence differ in the truth alone.
        values, places = np.unique(own, return_inverse=True)
        parts.append((curve_terms(values)[:, None, :] * row[None, :, None]).reshape(-1, len(values)))
        counts.append(weight * np.bincount(places))
        hits.append(weight * np.bincount(places, real))
    design, count, hit = np.concatenate(parts, axis=1).T, np.concatenate(counts), np.concatenate(hits)
    width = rows.shape[1]
    penalty = np.full(design.shape[1], PENALTY)
    penalty[::width] = PENALTY / 100  # the coefficients at an average data set are nearly free
    beta = np.zeros(design.shape[1])
    for _ in range(ROUNDS):
        found = logistic(design @ beta)
        gradient = design.T @ (hit - count * found) - penalty * beta
        curvature = (design * (count * np.maximum(found * (1 - found), 1e-9))[:, None]).T @ design + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        beta = beta + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-6:
            break
    table = beta.reshape(-1, width).round(4)
    return CalibrationModel(
        tuple(map(tuple, table.tolist())), tuple(lowest.round(4).tolist()), tuple(highest.round(4).tolist())
    )


def fit_spread(claims: Sequence[tuple[float, NDArray[np.float64], NDArray[np.bool_]]]) -> tuple[float, float]:
    """Return the spread, at 1,000 cases and per decade, whose ranges hold in nine of ten data sets.

    `claims` has the level of cases of every data set, the probabilities of some of its pairs, and which are true. Of
    the data sets in each third of the levels, the smallest spread of a grid is taken that covers enough of them.
    """
    levels = np.array([level for level, _, _ in claims])
    parts = np.array_split(np.argsort(levels, kind="stable"), 3)
    at, needed = [], []
    for part in parts:
        for spread in SPREADS:
            ranges = [(count_range(claims[k][1], spread), int(claims[k][2].sum())) for k in part.tolist()]
            if np.mean([low <= true <= high for (low, high), true in ranges]) >= COVERED:
                break
        at.append(float(levels[part].mean()))
        needed.append(spread)
    if max(at) - min(at) < 0.1:
        return round(float(np.mean(needed)), 2), 0.0
    slope, level = np.polyfit(at, needed, 1)
    return round(float(level), 2), round(float(slope), 2)


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

    ratios = share_ratios(*shares)
    level = np.array([cases_level(n) for n in n_cases])
    weight = np.asarray(weights, dtype=np.float64) / np.sum(weights)

    def loss(parameters: NDArray[np.float64]) -> float:
        terms = parameters[:TERMS, None] + parameters[TERMS:, None] * level
        found = np.stack(softmax(*direction_odds(terms, ratios)))
        own = np.take_along_axis(found, truth[None, :], axis=0)[0]
        return float(-(weight * np.log(np.maximum(own, 1e-9))).sum() + 1e-4 * (parameters[1:] ** 2).sum())

    start = np.array([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    found = minimize(loss, start, method="L-BFGS-B").x.round(4).tolist()
    return DirectionMap(tuple(found[:TERMS]), tuple(found[TERMS:]))
