"""The tables of a calibration check, goal by goal: how true the package's probabilities are on worlds it never saw.

Standard errors count whole samples: the pairs of one world are wrong together.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.calibration import SETTLED_PROBABILITY
from arcwise.confidence.paths import path_probability
from arcwise.confidence.probability import Expected, arcs_decided, reliability
from arcwise.ensemble import Recipe
from arcwise.graph import Constraints
from arcwise_studies.experiment import SummaryTable
from arcwise_studies.experiments.calibration_check import CUT, NEW
from arcwise_studies.experiments.calibration_paths import confidence_of
from arcwise_studies.experiments.calibration_tables import settled_arrows, wilson
from arcwise_studies.experiments.pair_states import ABSENT, BACKWARD, FORWARD, PairStates, PathStates

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Claim", "claims_of", "summarize"]

EDGES = (*(k / 10 for k in range(1, 10)), 0.95, 0.99, 1.0)  # of the bins that a reader looks at
FEWEST, WITHIN = 100, 0.07  # pairs of a bin that is judged, and how far from its mean it may be
NOISE = ("independent", "shuffled")
SYSTEM = "system:"  # how the text of a world of numbers begins
OTHERS = {"hill climbing": "hill_climb", "tabu": "tabu", "averaged bootstrap": "averaged"}


@dataclass(frozen=True, eq=False)
class Claim:
    """What the package says of one sample, and the truth."""

    kind: str
    is_cut: bool  # numbers that were cut, of which the package settles no direction
    cases: int
    nodes: int
    confidence: EdgeConfidence
    states: PairStates
    paths: PathStates | None
    distances: dict[str, float]

    @property
    def probability(self) -> NDArray[np.float64]:
        """Of an edge between each pair of which nobody said whether there is one."""
        return self.confidence.probability.vector[self.open]

    @property
    def real(self) -> NDArray[np.bool_]:
        """Whether it is there."""
        return np.asarray(self.states.truth != ABSENT)[self.open]

    @property
    def open(self) -> NDArray[np.bool_]:
        """Of which pairs nobody said whether there is an edge."""
        return ~self.said[0]

    @property
    def said(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Of which pairs it was said whether there is an edge, and of which anything was said."""
        known = self.confidence.constraints
        if known is None:
            return np.zeros_like(self.states.truth, dtype=bool), np.zeros_like(self.states.truth, dtype=bool)
        barred, needed = arcs_decided(known, known.names)
        pairs = np.triu_indices(len(known.names), 1)
        edges = barred & barred.T | needed | needed.T
        return edges[pairs], (edges | barred | barred.T)[pairs]

    @cached_property
    def expected(self) -> Expected:
        """What is said of the edges above one half."""
        every = self.confidence.probability
        return every.expected(every.vector > 0.5)

    @cached_property
    def settled(self) -> tuple[int, int]:
        """How many directions are called settled, and how many of these are right."""
        edges = self.confidence.probability
        first, second = np.triu_indices(len(edges.names), 1)
        ahead, back = edges.directed[first, second], edges.directed[second, first]
        arrows = settled_arrows(edges.present, edges.directed, strictly=edges.is_strict)
        called = (arrows[first, second] | arrows[second, first]) & ~self.said[1]
        right = self.states.truth == np.where(ahead >= back, FORWARD, BACKWARD)
        if self.confidence.constraints is not None and self.paths is not None:
            # What is told compels directions, too, that data cannot tell: then those of the true network count.
            leads = np.where(ahead >= back, self.paths.truth[first, second], self.paths.truth[second, first])
            right = leads & (self.states.truth != ABSENT)
        return int(called.sum()), int((called & right).sum())


def claims_of(rows: pd.DataFrame, recipe: Recipe) -> list[Claim]:
    """Return what the package that runs says of the samples of a check."""
    found = []
    for row in rows.to_dict(orient="records"):
        states, cases = PairStates.unpack(row), int(row["cases"])
        paths = PathStates.unpack(row["paths"]) if isinstance(row.get("paths"), str) else None
        methods = {"learn": "learn", **OTHERS}
        apart = {name: float(row.get(f"distance_{key}", math.nan)) for name, key in methods.items()}
        apart = apart if math.isfinite(apart["learn"]) else {}
        made = confidence_of(states, recipe, cases, row["chance"], _told(row.get("told")))
        kind, is_cut = str(row["kind"]), str(row["truth"]).startswith(SYSTEM)
        found.append(Claim(kind, is_cut, cases, int(row["nodes"]), made, states, paths, apart))
    return found


def _told(text: object) -> Constraints | None:
    """Read what the learner of a sample was told."""
    if not isinstance(text, str):
        return None
    facts = json.loads(text)
    return Constraints.from_description(tuple(facts["names"]), facts["said"])


def summarize(rows: pd.DataFrame, recipe: Recipe) -> Sequence[SummaryTable]:
    """Return the tables."""
    claims = claims_of(rows, recipe)
    worlds = [one for one in claims if one.kind not in NOISE]
    new = [one for one in claims if one.kind in NEW]
    directed = [one for one in worlds if not one.is_cut or one.kind == CUT]
    tables = {
        "noise": (
            "Tables without any dependence, and how many of them have an edge above one half.",
            [_noise(key, own) for key, own in grouped([c for c in claims if c.kind in NOISE], by_cases)],
        ),
        **{
            name: (
                f"Bins of probability of at least {FEWEST} pairs, and how many are within {WITHIN:g} of their mean; "
                "those that are not, as true share for claimed with its standard error; edges above one half that are "
                "false, counted and expected; the share of samples with false and missed edges in their ranges.",
                [_judged(key, part) for key, part in grouped(own, by)],
            )
            for name, own, by in (("grid", new, by_cell), ("kinds", worlds, by_kind), ("sizes", new, by_cases))
        },
        "directions": (
            f"Directions with a probability of at least {SETTLED_PROBABILITY:g}, compelled with as much, and how many "
            "are right, with the interval of 95 % (Wilson); a direction of a pair without an edge is wrong. By the "
            "number of cases without cut numbers, of which the package settles none; of a learner that was told "
            "something, those of pairs of which nothing was said.",
            [
                *(_directions(key, own) for key, own in grouped([c for c in new if not c.is_cut], by_cases)),
                *(_directions(key, own) for key, own in grouped(directed, by_kind)),
            ],
        ),
        "distances": (
            "Structural Hamming distance between classes, means; for each other method the mean difference to `learn`, "
            "with its standard error (positive: `learn` is nearer).",
            [
                _distances(key, own)
                for some, by in ((new, by_cases), ([c for c in worlds if c.distances], by_kind))
                for key, own in grouped(some, by)
            ],
        ),
        "paths": (
            "Pairs of which one is said to lead to the other, and of how many it does.",
            [
                line
                for some, by in ((new, by_cases), (worlds, by_kind))
                for key, own in grouped(some, by)
                for line in _paths(key, own)
            ],
        ),
    }
    return [_table(name, caption, lines) for name, (caption, lines) in tables.items() if lines]


def _table(name: str, caption: str, lines: list[dict[str, Any]]) -> SummaryTable:
    import pandas as pd

    return SummaryTable(name, caption, pd.DataFrame(lines))


def by_cell(one: Claim) -> dict[str, Any]:
    """Group by the numbers of cases and variables."""
    return {"cases": one.cases, "variables": one.nodes}


def by_cases(one: Claim) -> dict[str, Any]:
    """Group by the number of cases."""
    return {"of": f"{one.cases:,} cases"}


def by_kind(one: Claim) -> dict[str, Any]:
    """Group by the kind of worlds."""
    return {"of": one.kind}


def grouped(
    claims: Sequence[Claim], by: Callable[[Claim], dict[str, Any]]
) -> Iterator[tuple[dict[str, Any], list[Claim]]]:
    """Return the samples by group, in the order of the groups' keys."""
    found: dict[Hashable, tuple[dict[str, Any], list[Claim]]] = {}
    for one in sorted(claims, key=lambda one: (one.cases, one.nodes)):
        key = by(one)
        found.setdefault(tuple(key.values()), (key, []))[1].append(one)
    yield from found.values()


def _noise(key: dict[str, Any], own: Sequence[Claim]) -> dict[str, Any]:
    drawn = sum(bool((one.probability > 0.5).any()) for one in own)
    return {**key, "tables": len(own), "with_edge": drawn, **wilson(drawn, len(own)), "cells": len(own)}


def _judged(key: dict[str, Any], own: Sequence[Claim]) -> dict[str, Any]:
    claims, real = (np.concatenate([getattr(one, name) for one in own]) for name in ("probability", "real"))
    sample = np.repeat(np.arange(len(own)), [len(one.real) for one in own])
    bins, within, off = 0, 0, []
    for low, high in itertools.pairwise(EDGES):
        inside = (claims > low) & (claims <= high)
        if inside.sum() < FEWEST:
            continue
        bins += 1
        claimed, true = float(claims[inside].mean()), float(real[inside].mean())
        if abs(claimed - true) <= WITHIN:
            within += 1
            continue
        wrong = np.bincount(sample[inside], weights=real[inside] - true)
        error = math.sqrt(float((wrong**2).sum())) / int(inside.sum())
        off.append(f"{true:.2f} ± {error:.2f} for {claimed:.2f}")
    made = reliability(claims, real)
    false, missed = [], []
    for one in own:
        said, chosen = one.expected, one.probability > 0.5
        if not said.is_chance:
            false.append(said.false_range[0] <= int((chosen & ~one.real).sum()) <= said.false_range[1])
            missed.append(said.missed_range[0] <= int((~chosen & one.real).sum()) <= said.missed_range[1])
    return {
        **key,
        "bins": bins,
        "within": within,
        "off": "; ".join(off),
        "error": round(made.error, 3),
        "log_loss": round(made.log_loss, 3),
        "false": sum(int(((one.probability > 0.5) & ~one.real).sum()) for one in own),
        "expected": round(sum(one.expected.false for one in own), 1),
        "in_false_range": round(float(np.mean(false)), 2) if false else None,
        "in_missed_range": round(float(np.mean(missed)), 2) if missed else None,
        "cells": len(own),
    }


def _directions(key: dict[str, Any], own: Sequence[Claim]) -> dict[str, Any]:
    counts = np.array([one.settled for one in own]).sum(axis=0).tolist()
    compelled = sum(int((np.isin(one.states.truth, (FORWARD, BACKWARD)) & ~one.said[1]).sum()) for one in own)
    share = round(counts[0] / compelled, 2) if compelled else None
    return {
        **key,
        "compelled": compelled,
        "settled": counts[0],
        "share": share,
        "right": counts[1],
        **wilson(counts[1], counts[0]),
        "cells": len(own),
    }


def _distances(key: dict[str, Any], own: Sequence[Claim]) -> dict[str, Any]:
    learned = np.array([one.distances["learn"] for one in own])
    line: dict[str, Any] = {**key, "learn": round(float(learned.mean()), 2)}
    for name in OTHERS:
        apart = np.array([one.distances[name] for one in own]) - learned
        apart = apart[np.isfinite(apart)]
        error = float(apart.std(ddof=1)) / math.sqrt(len(apart)) if len(apart) > 1 else math.nan
        line[name] = f"{apart.mean():+.2f} ± {error:.2f}" if len(apart) else ""
    return {**line, "cells": len(own)}


def _paths(key: dict[str, Any], own: Sequence[Claim]) -> Iterator[dict[str, Any]]:
    claims, real = [], []
    for one in own:
        if one.paths is not None:
            others = ~np.eye(len(one.paths.truth), dtype=bool)
            claims.append(path_probability(one.confidence, one.paths.shares).values[others])
            real.append(one.paths.truth[others])
    every, truth = np.concatenate(claims), np.concatenate(real)
    for low, high in itertools.pairwise(EDGES):
        inside = (every > low) & (every <= high)
        if inside.sum() >= FEWEST:
            claimed, true = float(every[inside].mean()), float(truth[inside].mean())
            bounds = {"from": low, "to": high, "claimed": round(claimed, 3), "true": round(true, 3)}
            yield {**key, **bounds, "pairs": int(inside.sum()), "cells": len(own)}
