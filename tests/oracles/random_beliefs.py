"""Random prior odds of every kind, and data with something to find."""

from __future__ import annotations

import itertools

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Beliefs, Constraints


def random_data(rng: np.random.Generator, n: int, rows: int) -> Dataset:
    """Columns that mostly follow an earlier one, none of them constant."""
    arities = rng.choice([2, 2, 3], n)
    columns: list[np.ndarray] = []
    for v, arity in enumerate(arities.tolist()):
        own = rng.integers(0, arity, rows)
        if v and rng.random() < 0.7:
            own = np.where(rng.random(rows) < 0.7, columns[rng.integers(v)] % arity, own)
        own[:2] = 0, 1
        columns.append(own)
    return Dataset.from_codes(np.column_stack(columns), states=[[str(k) for k in range(r)] for r in arities.tolist()])


def random_beliefs(rng: np.random.Generator, names: tuple[str, ...], *, strength: float = 1.5) -> Beliefs:
    """Odds of some arcs and edges, and sometimes of all edges, an expected number of them, or fair sizes."""

    def odds() -> float:
        return float(np.exp(rng.normal(0.0, strength)))

    arcs = {pair: odds() for pair in itertools.permutations(names, 2) if rng.random() < 0.3}
    edges = {pair: odds() for pair in itertools.combinations(names, 2) if rng.random() < 0.3}
    kind = rng.integers(5)
    pairs = len(names) * (len(names) - 1) / 2
    return Beliefs(
        arcs,
        edges,
        every_edge=odds() if kind == 1 else 1.0,
        expected_edges=float(rng.uniform(0.1, 0.9) * pairs) if kind == 2 else None,
        expected_parents=float(rng.uniform(0.1, 0.9) * pairs / len(names)) if kind == 3 else None,
        fair_sizes=bool(kind == 4),
    )


def random_constraints(rng: np.random.Generator, names: tuple[str, ...]) -> Constraints:
    """Some forbidden arcs, and a required one."""
    order = [names[v] for v in rng.permutation(len(names))]
    required = [(order[0], order[1])]
    forbidden = [pair for pair in itertools.permutations(names, 2) if rng.random() < 0.2 and pair not in required]
    return Constraints(names, required=required, forbidden=forbidden)
