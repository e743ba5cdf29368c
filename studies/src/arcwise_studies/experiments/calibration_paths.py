"""From the rows of a calibration study to the probability that one variable leads to another."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.chance import Chance
from arcwise.confidence.curves import cases_level, softmax
from arcwise.confidence.paths import PATH_TERMS, PathEntry, PathTable, path_terms
from arcwise.graph import Constraints
from arcwise.networks.recipe import NetworkOrigin, Recipe
from arcwise_studies.experiment import SummaryTable
from arcwise_studies.experiments.calibration_fit import Samples
from arcwise_studies.experiments.calibration_judged import EVERY, GROUPS
from arcwise_studies.experiments.pair_states import PairStates, PathStates

__all__ = ["confidence_of", "paths_of", "paths_table", "summarize_paths"]

PENALTY = 2.0  # of the coefficients: a pair's worth of evidence against each
BINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, eq=False)
class PathSample:
    """One sample of a study: what the log odds are linear in, and the truth, at [i, j]."""

    family: str
    cases: int
    terms: NDArray[np.float64]
    states: PathStates

    @property
    def design(self) -> NDArray[np.float64]:
        """The terms and the terms times the level of cases, at [i, j]."""
        return np.concatenate([self.terms, cases_level(self.cases) * self.terms], axis=-1)

    def claims(self, coefficients: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the probabilities, as `PathEntry` makes them."""
        odds = self.design @ coefficients
        return np.where(self.states.shares > 0, softmax(odds, odds.T)[0], 0.0)


def paths_of(samples: Samples, recipe: Recipe) -> list[PathSample]:
    """Return the samples of a recipe whose paths were looked at; edges are as probable as the package says."""
    found = []
    for row, pairs in zip(samples.frame.to_dict(orient="records"), samples.states, strict=True):
        if isinstance(row.get("paths"), str):
            states, cases = PathStates.unpack(row["paths"]), int(row["cases"])
            edges = confidence_of(pairs, recipe, cases, row["chance"]).probability
            found.append(PathSample(str(row["family"]), cases, path_terms(edges, states.shares), states))
    return found


def confidence_of(
    pairs: PairStates, recipe: Recipe, cases: int, chance: str, constraints: Constraints | None = None
) -> EdgeConfidence:
    """Return the confidences of a row of a study as an analysis has them, which was constraints something or not."""
    n = pairs.n_variables
    first, second = np.triu_indices(n, 1)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    directed[first, second], directed[second, first] = pairs.shares[0], pairs.shares[1]
    undirected[first, second] = undirected[second, first] = pairs.shares[2]
    return EdgeConfidence(
        names=tuple(f"v{k}" for k in range(n)) if constraints is None else constraints.names,
        directed=directed,
        undirected=undirected,
        orient="cpdag",
        origin=NetworkOrigin(recipe.source),
        n_networks=int(recipe.settings.get("replicates", 100)),
        weights="equal",
        exact=False,
        complete=True,
        recipe=recipe,
        constraints=constraints,
        n_cases=cases,
        chance=Chance.from_description(json.loads(chance)) if chance else None,
    )


def fit_paths(samples: Sequence[PathSample]) -> NDArray[np.float64]:
    """Fit the coefficients by penalised maximum likelihood: every pair leads one way, the other, or neither."""
    from scipy.optimize import minimize

    ahead, back, truth = [], [], []
    for one in samples:
        i, j = np.triu_indices(len(one.terms), 1)
        ahead.append(one.design[i, j])
        back.append(one.design[j, i])
        truth.append(np.where(one.states.truth[i, j], 0, np.where(one.states.truth[j, i], 1, 2)))
    forward, backward, real = np.concatenate(ahead), np.concatenate(back), np.concatenate(truth)
    weights = np.full(2 * PATH_TERMS, PENALTY)
    weights[0] = 0.0

    def loss(beta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        claims = np.stack(softmax(forward @ beta, backward @ beta))
        own = claims[real, np.arange(len(real))]
        gradient = forward.T @ (claims[0] - (real == 0)) + backward.T @ (claims[1] - (real == 1))
        return float(-np.log(np.maximum(own, 1e-300)).sum() + weights @ beta**2), gradient + 2 * weights * beta

    return np.asarray(minimize(loss, np.zeros(2 * PATH_TERMS), jac=True, method="L-BFGS-B").x)


def paths_table(samples: Samples, recipes: Mapping[str, Recipe], provenance: Mapping[str, Any]) -> PathTable:
    """Fit every recipe of a study, as the package ships it."""
    entries = {}
    for label in samples.labels:
        own, (source, _, score) = samples.of(label), label.partition(":")
        found = fit_paths(paths_of(own, recipes[label])).round(4).tolist()
        counts = len(own), int(own.frame["truth"].nunique())
        entries[source, score] = PathEntry(source, score, tuple(found[:PATH_TERMS]), tuple(found[PATH_TERMS:]), *counts)
    return PathTable(entries, provenance)


def summarize_paths(samples: Samples, recipes: Mapping[str, Recipe]) -> SummaryTable:
    """Compare the probabilities, each family left out, and the shares of the networks, with the truth, bin by bin."""
    import pandas as pd

    lines = []
    for label in samples.labels:
        every = paths_of(samples.of(label), recipes[label])
        judged: list[tuple[str, str, PathSample, NDArray[np.float64]]] = []
        for family in sorted({one.family for one in every}):
            beta = fit_paths([one for one in every if one.family != family])
            for one in every:
                if one.family == family:
                    group = next(name for name, (low, high) in GROUPS.items() if low <= one.cases <= high)
                    judged.append((family, group, one, one.claims(beta)))
        for family, group in itertools.chain(
            ((EVERY, name) for name in (*GROUPS, EVERY)), ((name, EVERY) for name in sorted({one[0] for one in judged}))
        ):
            own = [one for one in judged if family in (one[0], EVERY) and group in (one[1], EVERY)]
            claims = {"probability": [claim for *_, claim in own], "share": [one.states.shares for _, _, one, _ in own]}
            truth = [one.states.truth for _, _, one, _ in own]
            for by, found in claims.items():
                lines += _binned(label, family, group, by, found, truth) if own else []
    caption = (
        "Pairs of which x is claimed to lead to y, and of how many it does: by the probability, each family of worlds "
        "left out, and by the share of the networks."
    )
    return SummaryTable("paths", caption, pd.DataFrame(lines))


def _binned(
    label: str,
    family: str,
    group: str,
    by: str,
    found: Sequence[NDArray[np.float64]],
    real: Sequence[NDArray[np.bool_]],
) -> list[dict[str, Any]]:
    others = [~np.eye(len(own), dtype=bool) for own in real]
    claims = np.concatenate([own[off] for own, off in zip(found, others, strict=True)])
    truth = np.concatenate([own[off] for own, off in zip(real, others, strict=True)])
    place = np.clip(np.searchsorted(BINS, claims, side="right") - 1, 0, len(BINS) - 2)
    return [
        {
            "recipe": label,
            "family": family,
            "cases": group,
            "by": by,
            "from": low,
            "to": high,
            "claimed": round(float(claims[place == k].mean()), 3),
            "true": round(float(truth[place == k].mean()), 3),
            "pairs": int((place == k).sum()),
            "cells": len(found),
        }
        for k, (low, high) in enumerate(itertools.pairwise(BINS))
        if (place == k).any()
    ]
