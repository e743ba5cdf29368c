"""Lau & Bush 2004, section 6.3: the genetic search in its earlier forms, which they describe and gave up.

Each round, networks mate and every offspring mutates. What they tried, and what we had to choose where they do not say:

mates "best"     the worst 3 are dropped, the best 3 promoted, and each survivor mates with one of the best 3 (their
                 last form, `arcwise.local.genetic_search`)
mates "score"    the best 1 is promoted; each of the others mates with a network that is drawn with a chance
                 proportional to its score above the lowest one (they say only that a higher score is likelier)
genes "nodes"    the offspring takes the parents of 1 to n random nodes from its mate
genes "arcs"     it takes the state (none, one way, the other) of 1 to n (n - 1) / 2 random pairs
mutations "first"   one step of first ascent
mutations "random"  the classical form: each pair takes another of its states with chance 1 / (n (n - 1) / 2)

An offspring with a cycle is drawn again, up to 20 times. The search ends after `patience` rounds without a better
network.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from arcwise.errors import ConfigError
from arcwise.scores import Score, make_score
from arcwise_studies.experiment import CellContext, CellResult, Experiment, Row, SummaryTable
from arcwise_studies.experiments.lau import NEAR, best_score, problem_data

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data import Dataset
    from arcwise_studies.sources import Sources

__all__ = ["Evolution", "LauGenetic", "LauGeneticSettings"]

POPULATION, KEPT, TRIES = 16, 3, 20
Network = tuple[int, ...]  # of each node, its parents as bits
Variant = Literal["best-nodes", "score-nodes", "best-arcs", "score-arcs", "classical"]
VARIANTS: dict[str, tuple[str, str, str]] = {
    "best-nodes": ("best", "nodes", "first"),
    "score-nodes": ("score", "nodes", "first"),
    "best-arcs": ("best", "arcs", "first"),
    "score-arcs": ("score", "arcs", "first"),
    "classical": ("score", "arcs", "random"),
}


@dataclass(frozen=True)
class LauGeneticSettings:
    """The settings: problems, the forms of the search, rounds without progress that end it, and runs of each."""

    problems: tuple[str, ...]
    score: str = "bic_laplace"
    variants: tuple[Variant, ...] = ("best-nodes", "score-nodes", "best-arcs", "score-arcs", "classical")
    patience: tuple[int, ...] = (1, 5, 10)
    runs: int = 50

    def __post_init__(self) -> None:
        if self.runs < 1 or min(self.patience) < 1:
            raise ConfigError("runs and patience must be at least 1.")
        make_score(self.score)


class LauGenetic(Experiment[LauGeneticSettings]):
    """Runs of the genetic search in each of its forms."""

    Settings = LauGeneticSettings
    axes = ("problems", "variants", "patience", "runs")

    def check(self, settings: LauGeneticSettings, sources: Sources) -> None:
        """Check that every problem is there."""
        for problem in settings.problems:
            sources.check_network(problem.rpartition("@")[0])

    def plan(self, settings: LauGeneticSettings) -> Iterable[Row]:
        """Return one cell per problem, form, patience and run."""
        for problem in settings.problems:
            for variant in settings.variants:
                for patience in settings.patience:
                    for run in range(settings.runs):
                        yield {"problem": problem, "variant": variant, "patience": patience, "run": run}

    def run(self, settings: LauGeneticSettings, parameters: Mapping[str, Any], context: CellContext) -> CellResult:
        """Run the search once."""
        problem = parameters["problem"]
        data = problem_data(problem, context.sources, context.seed)
        evolution = Evolution(data, make_score(settings.score), *VARIANTS[parameters["variant"]], rng=context.rng)
        score, rounds = evolution.evolve(parameters["patience"])
        best = best_score(problem, settings.score, context.sources, context.seed, context.limits.seconds)
        optimal = None if best is None else bool(best - score <= NEAR * abs(best))
        row: Row = {"score": score, "rounds": rounds, "operations": evolution.operations, "is_optimal": optimal}
        return CellResult([row])

    def summarize(
        self, settings: LauGeneticSettings, rows: pd.DataFrame, cells: pd.DataFrame
    ) -> Sequence[SummaryTable]:
        """Return how often each form ends at the optimum, and what it costs."""
        import pandas as pd

        lines: list[dict[str, Any]] = []
        for (variant, patience), part in rows.groupby(["variant", "patience"], sort=False):
            mates, genes, mutations = VARIANTS[str(variant)]
            by_problem = part.groupby("problem")["is_optimal"].mean()
            lines.append(
                {
                    "mates": mates,
                    "genes": genes,
                    "mutations": mutations,
                    "patience": patience,
                    "optimal": round(float(by_problem.mean()), 3),
                    "problems always solved": int((by_problem == 1).sum()),
                    "rounds": round(float(part["rounds"].mean()), 1),
                    "operations": round(float(part["operations"].mean())),
                    "problems": len(by_problem),
                    "cells": len(part),
                }
            )
        caption = (
            "The genetic search in the forms of section 6.3: the share of runs that end at the optimum, on how many "
            "problems all do, rounds and operations."
        )
        return [SummaryTable("variants", caption, pd.DataFrame(lines))]


class Evolution:
    """One run of the genetic search; `operations` counts the changes that mutations have looked at."""

    def __init__(
        self, data: Dataset, score: Score, mates: str, genes: str, mutations: str, *, rng: np.random.Generator
    ) -> None:
        self.data, self.score, self.rng = data, score, rng
        self.mates, self.genes, self.mutations = mates, genes, mutations
        self.n = data.n_variables
        self.pairs = list(combinations(range(self.n), 2))
        self.changes = [(kind, a, b) for kind in range(3) for a in range(self.n) for b in range(self.n) if a != b]
        self.families: dict[tuple[int, int], float] = {}
        self.operations = 0

    def evolve(self, patience: int) -> tuple[float, int]:
        """Return the best score and the number of rounds."""
        population = [(0,) * self.n, *(self._random_network() for _ in range(POPULATION - 1))]
        best, since, rounds = max(map(self.value, population)), 0, 0
        while since < patience:
            population = [self._mutated(network) for network in self._mated(population)]
            found = max(map(self.value, population))
            rounds += 1
            since = 0 if found > best + NEAR * abs(best) * 1e-3 else since + 1
            best = max(best, found)
        return best, rounds

    def value(self, network: Network) -> float:
        """Return the score of a network."""
        return sum(self._family(v, parents) for v, parents in enumerate(network))

    def _family(self, child: int, parents: int) -> float:
        key = (child, parents)
        if key not in self.families:
            members = [v for v in range(self.n) if parents >> v & 1]
            self.families[key] = self.score.score_family(self.data, child, members)
        return self.families[key]

    def _random_network(self) -> Network:
        order = self.rng.permutation(self.n)
        density = min(0.5, 2.0 / max(1, self.n - 1))  # as for the random starts of first ascent
        parents = [0] * self.n
        for i, j in self.pairs:
            if self.rng.random() < density:
                parents[order[j]] |= 1 << int(order[i])
        return tuple(parents)

    def _mated(self, population: list[Network]) -> list[Network]:
        ranked = sorted(population, key=self.value, reverse=True)
        if self.mates == "best":
            survivors, promoted = ranked[:-KEPT], ranked[:KEPT]
            return [*promoted, *(self._offspring(own, promoted[self.rng.integers(KEPT)]) for own in survivors)]
        values = np.array([self.value(network) for network in ranked])
        chances = values - values.min()
        total = chances.sum()
        chances = chances / total if total > 0 else np.full(len(ranked), 1 / len(ranked))
        chosen = self.rng.choice(len(ranked), size=len(ranked) - 1, p=chances)
        return [ranked[0], *(self._offspring(own, ranked[mate]) for own, mate in zip(ranked[1:], chosen, strict=True))]

    def _offspring(self, own: Network, mate: Network) -> Network:
        for _ in range(TRIES):
            made = list(own)
            if self.genes == "nodes":
                for v in self.rng.permutation(self.n)[: self.rng.integers(1, self.n + 1)]:
                    made[v] = mate[v]
            else:
                for k in self.rng.permutation(len(self.pairs))[: self.rng.integers(1, len(self.pairs) + 1)]:
                    a, b = self.pairs[k]
                    made[a] = made[a] & ~(1 << b) | mate[a] & 1 << b
                    made[b] = made[b] & ~(1 << a) | mate[b] & 1 << a
            if is_acyclic(made):
                return tuple(made)
        return own

    def _mutated(self, network: Network) -> Network:
        return self._ascended(network) if self.mutations == "first" else self._shaken(network)

    def _ascended(self, network: Network) -> Network:
        """Return the network after the first change, in random order, that improves it."""
        for k in self.rng.permutation(len(self.changes)):
            self.operations += 1
            changed = self._changed(network, *self.changes[k])
            if changed is None:
                continue
            touched = [v for v in range(self.n) if changed[v] != network[v]]
            gain = sum(self._family(v, changed[v]) - self._family(v, network[v]) for v in touched)
            if gain > 1e-9 * abs(self._family(touched[0], network[touched[0]])) and is_acyclic(changed):
                return tuple(changed)
        return network

    @staticmethod
    def _changed(network: Network, kind: int, a: int, b: int) -> list[int] | None:
        """Return the parents after an arc a -> b was added, removed or reversed; None if that cannot be done."""
        present = network[b] >> a & 1
        if (kind == 0) == bool(present):
            return None
        changed = list(network)
        changed[b] ^= 1 << a
        if kind == 2:
            changed[a] ^= 1 << b
        return changed

    def _shaken(self, network: Network) -> Network:
        for _ in range(TRIES):
            made = list(network)
            for k in np.flatnonzero(self.rng.random(len(self.pairs)) < 1 / len(self.pairs)):
                self.operations += 1
                a, b = self.pairs[k]
                state = (made[b] >> a & 1) + 2 * (made[a] >> b & 1)
                state = (state + int(self.rng.integers(1, 3))) % 3
                made[b] = made[b] & ~(1 << a) | (1 << a if state == 1 else 0)
                made[a] = made[a] & ~(1 << b) | (1 << b if state == 2 else 0)
            if is_acyclic(made):
                return tuple(made)
        return network


def is_acyclic(parents: Sequence[int]) -> bool:
    """Return whether parents as bits have no cycle."""
    left = (1 << len(parents)) - 1
    while left:
        free = sum(1 << v for v, own in enumerate(parents) if left >> v & 1 and not own & left)
        if not free:
            return False
        left &= ~free
    return True
