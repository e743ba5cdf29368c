"""Tiny data, and every DAG over them with its score: what all answers are compared with.

Data are states, half of the time; else numbers, scales and categories as they are. Some rows belong together, or have
weights of a survey. A session may go on with a sample of its data.
"""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.oracles.all_dags import adjacency, parent_masks

from arcwise.data import Dataset, MixedData
from arcwise.data.column import VariableKind
from arcwise.graph import Constraints, Cpdag, Dag
from arcwise.scores import JointPrior, Score, make_score
from arcwise.scores.gaussian import BlockScore

__all__ = ["Problem", "Rules", "make_problem"]

# Scores that differ in what calls may do with them: equivalent or not, with an object as an option, with many ties.
SCORES = ("bic", "aic", "bdeu", "k2", "bde", "bhd")
MIXED_SCORES = ("bic-dg", "bge", "bic-cg", "bic-jcg")


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

    data: Dataset | MixedData

    @property
    def n(self) -> int:
        return self.data.n_variables

    @property
    def score_names(self) -> tuple[str, ...]:
        """The scores that these data have; the first is the usual one."""
        return MIXED_SCORES if isinstance(self.data, MixedData) else SCORES

    def sample(self, seed: int, share: float | None) -> Problem:
        """Return the problem of a sample of these data: rows are drawn with replacement, or a share of them without."""
        return Problem(self.data.resample(seed) if share is None else self.data.subsample(share, seed))

    def score(self, name: str) -> Score:
        if name == "bdeu":
            return make_score("bdeu", ess=1.0)
        if name == "bde":
            shape = tuple(int(r) for r in self.data.arities)
            return make_score("bde", prior=JointPrior(self.data.names, np.full(shape, 1 / np.prod(shape))), ess=1.0)
        if name == "bhd":
            return make_score("bhd", site=self.data.names[0], alike=4.0)
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

    def possible(self, name: str, required: tuple[tuple[int, int], ...] = ()) -> NDArray[np.bool_]:
        """Which of all DAGs the data allow: silent columns have required arcs alone; no score is infinite."""
        arcs = adjacency(self.n).copy()
        for a, b in required:
            arcs[:, a, b] = False
        joined = arcs.any(axis=1) | arcs.any(axis=2)
        score, silent = self.score(name), self.data.constant
        if isinstance(score, BlockScore):  # which sees nothing of a category whose levels are all rare but one
            silent = silent | (score.blocks(self.data).widths == 0)  # type: ignore[arg-type]
        return np.asarray(~joined[:, silent].any(axis=1) & np.isfinite(self.scores(name)))

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
    """Return data in which dependence, independence, equal columns, groups and weights occur."""
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
    states = [[f"s{k}" for k in range(r)] for r in arities]
    data: Dataset | MixedData = Dataset.from_codes(codes, names=names, states=states)
    if rng.random() < 0.35:
        data = _mixed(codes, names, states, rng)
    match rng.choice(("cases", "cases", "groups", "survey")):
        case "groups":
            data = data.with_groups([rng.randrange(rows // 3) for _ in range(rows)])
        case "survey":
            data = data.with_survey([rng.choice((0.2, 1.0, 1.0, 2.5)) for _ in range(rows)])
    return Problem(data)


def _mixed(codes: NDArray[np.int64], names: list[str], states: list[list[str]], rng: random.Random) -> MixedData:
    """Return the columns as numbers, scales or categories; numbers are the codes with noise, some in other units."""
    values, kinds = codes.T.astype(float), [rng.choice(list(VariableKind)) for _ in names]
    for column, kind in zip(values, kinds, strict=True):
        if kind is VariableKind.NUMBER:
            noise, unit, origin = rng.choice((0.1, 1.0)), rng.choice((1.0, 1e-3, 1e4)), rng.choice((0.0, 50.0))
            column[:] = [unit * (origin + value + rng.gauss(0, noise)) for value in column]
    own = tuple(() if kind is VariableKind.NUMBER else tuple(of) for kind, of in zip(kinds, states, strict=True))
    return MixedData(values, tuple(names), tuple(kinds), own)
