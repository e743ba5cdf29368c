"""Tiny data, and every DAG over them with its score: what all answers are compared with."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.oracles.all_dags import adjacency, parent_masks

from arcwise.data import Dataset
from arcwise.graph import Constraints, Cpdag, Dag
from arcwise.scores import JointPrior, Score, make_score

__all__ = ["SCORES", "Problem", "Rules", "make_problem"]

# Scores that differ in what calls may do with them: equivalent or not, with an object as an option, with many ties.
SCORES = ("bic", "aic", "bdeu", "k2", "bde")


@dataclass(frozen=True)
class Rules:
    """Constraints as plain numbers, so that a call can be printed, repeated and shrunk."""

    required: tuple[tuple[int, int], ...] = ()
    forbidden: tuple[tuple[int, int], ...] = ()
    max_parents: int | None = None

    def of(self, names: tuple[str, ...]) -> Constraints | None:
        if self == Rules():
            return None
        arcs = {kind: [(names[a], names[b]) for a, b in getattr(self, kind)] for kind in ("required", "forbidden")}
        return Constraints(names, **arcs, max_parents=self.max_parents)

    def allow(self, n: int) -> NDArray[np.bool_]:
        """Which of all DAGs satisfy them."""
        arcs = adjacency(n)
        kept = np.ones(len(arcs), dtype=bool)
        for a, b in self.required:
            kept &= arcs[:, a, b]
        for a, b in self.forbidden:
            kept &= ~arcs[:, a, b]
        if self.max_parents is not None:
            kept &= (arcs.sum(axis=1) <= self.max_parents).all(axis=1)
        return kept


@dataclass(frozen=True)
class Problem:
    """Data of up to five variables."""

    data: Dataset

    @property
    def n(self) -> int:
        return self.data.n_variables

    def score(self, name: str) -> Score:
        if name == "bdeu":
            return make_score("bdeu", ess=1.0)
        if name == "bde":
            shape = tuple(int(r) for r in self.data.arities)
            return make_score("bde", prior=JointPrior(self.data.names, np.full(shape, 1 / np.prod(shape))), ess=1.0)
        return make_score(name)

    @functools.cache  # noqa: B019 - one problem is alive at a time
    def scores(self, name: str) -> NDArray[np.float64]:
        """The score of every DAG, from its families one by one."""
        n, score = self.n, self.score(name)
        value = np.zeros((n, 1 << n))
        for v in range(n):
            masks = [m for m in range(1 << n) if not m >> v & 1]
            families = [(v, [p for p in range(n) if m >> p & 1]) for m in masks]
            value[v, masks] = score.score_families(self.data, families)
        chosen = parent_masks(n)
        return np.asarray(sum(value[v, chosen[:, v]] for v in range(n)))

    def masks_of(self, dag: Dag) -> tuple[int, ...]:
        return tuple(sum(1 << p for p in parents) for parents in dag.parents)

    @functools.cache  # noqa: B019
    def index(self) -> dict[tuple[int, ...], int]:
        """The number of each DAG."""
        return {tuple(row): k for k, row in enumerate(parent_masks(self.n).tolist())}

    def number(self, dag: Dag) -> int:
        return self.index()[self.masks_of(dag)]

    def classes(self, kept: NDArray[np.bool_]) -> int:
        """How many equivalence classes the kept DAGs are in."""
        found: set[Any] = set()
        for row in parent_masks(self.n)[kept].tolist():
            dag = Dag(self.data.names, [[p for p in range(self.n) if mask >> p & 1] for mask in row])
            found.add(Cpdag.from_dag(dag))
        return len(found)


def make_problem(seed: int, largest: int = 4) -> Problem:
    """Return data in which dependence, independence, equal columns and columns of one state occur."""
    rng = random.Random(seed)
    n = rng.randint(2, largest)
    rows = rng.choice((6, 12, 30, 80))
    arities = [rng.choice((2, 2, 2, 3)) for _ in range(n)]
    columns: list[list[int]] = []
    for v in range(n):
        if columns and rng.random() < 0.6:
            source, noise = rng.choice(columns), rng.choice((0.0, 0.1, 0.3, 0.6))
            columns.append([s % arities[v] if rng.random() >= noise else rng.randrange(arities[v]) for s in source])
        else:
            columns.append([rng.randrange(arities[v]) for _ in range(rows)])
    for v in range(n):  # every state occurs, as the constant column is a question of its own
        columns[v][: arities[v]] = range(arities[v])
    codes = np.array(columns, dtype=np.int64).T
    names = [f"v{k}" for k in range(n)]
    return Problem(Dataset.from_codes(codes, names=names, states=[[f"s{k}" for k in range(r)] for r in arities]))
