"""Simulation-based calibration (Talts et al. 2018): networks that data were made from rank anywhere among the draws.

If a DAG is drawn from the prior and data from the DAG, then the DAG is a draw from the posterior given the data, and so
is each draw of a chain: the rank of any quantity of the DAG among those of L draws is uniform on 0 .. L. Priors, score,
table, chains and their thinning are all tested at once, and nothing is computed twice by the same code.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2
from tests.oracles.uniform_dags import _count, binary_cases, uniform_dag

from arcwise.data import Dataset
from arcwise.ensemble import sample_posterior
from arcwise.limits import Limits
from arcwise.parent_sets import ParentSetTable, build_parent_sets

DRAWS, BINS = 99, 5


def rank_of(truth: float, draws: np.ndarray, rng: np.random.Generator) -> int:
    """Return how many draws are lower; of equal ones, a random number."""
    return int((draws < truth).sum() + rng.integers(0, (np.abs(draws - truth) < 1e-9).sum() + 1))


def ranks_of(n: int, seed: int) -> tuple[int, int, int]:
    """Return the ranks of the number of arcs, of the score and of the arcs from the first half of the nodes."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((1, n), dtype=np.int64)
    while (codes.min(axis=0) == codes.max(axis=0)).any():  # of data without constants, the same is true
        parents = uniform_dag(n, rng)
        codes = binary_cases(parents, 40, 1.0, rng)
    data = Dataset.from_codes(codes, states=[["0", "1"]] * n)
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf)
    found = sample_posterior(table, seed=seed, steps=300, chains=4, limits=Limits(count=34))
    rows = found.rows.reshape(-1, n)[:DRAWS] + table.node_offsets[:-1].astype(np.uint32)
    assert len(rows) == DRAWS
    wanted = [table.rows_of(v)[_place(table, v, parents[v])] for v in range(n)]
    quantities = (
        np.diff(table.set_offsets),
        table.scores,
        np.array([sum(p < n // 2 for p in table.parents_of(row)) for row in range(table.n_rows)]),
    )
    ranks = [rank_of(float(of[wanted].sum()), of[rows].sum(axis=1), rng) for of in quantities]
    return ranks[0], ranks[1], ranks[2]


def _place(table: ParentSetTable, node: int, parents: list[int]) -> int:
    return [table.parents_of(row) for row in table.rows_of(node)].index(tuple(sorted(parents)))


def test_dags_that_data_were_made_from_rank_anywhere_among_the_draws() -> None:
    sizes = [3, 4, 5, 6, 7] * 16 + [10] * 14 + [12] * 6
    ranks = np.array([ranks_of(n, seed) for seed, n in enumerate(sizes)])
    for own in ranks.T:
        counts = np.bincount(own * BINS // (DRAWS + 1), minlength=BINS)
        expected = len(sizes) / BINS
        assert ((counts - expected) ** 2 / expected).sum() < chi2.ppf(1 - 1e-4, BINS - 1), counts


def test_uniform_dags_are_counted_as_robinson_counts_them() -> None:
    assert [sum(_count(n, k) for k in range(1, n + 1)) for n in range(1, 7)] == [1, 3, 25, 543, 29281, 3781503]
    rng = np.random.default_rng(0)
    drawn = [tuple(tuple(sorted(p)) for p in uniform_dag(3, rng)) for _ in range(5000)]
    counts = [drawn.count(dag) for dag in set(drawn)]
    assert len(counts) == 25
    assert min(counts) == pytest.approx(200, abs=60)
    assert max(counts) == pytest.approx(200, abs=60)
