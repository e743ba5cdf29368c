"""Clusters from flows and from reduced costs: against enumeration of all clusters, and against the bound itself."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.exact.tables import random_table, tables
from tests.oracles.brute_force_networks import best_score

from arcwise import _core
from arcwise.base.run import Run
from arcwise.exact.component import Budget
from arcwise.exact.relaxation import Relaxation
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.build import candidate_sets


def budget() -> Budget:
    return Budget(Run())


def most_violated(table: ParentSetTable, rows: list[int], values: list[float]) -> float:
    """The violation of the best cluster with k = 1, by trying them all."""
    node = np.repeat(np.arange(table.n_variables), np.diff(table.node_offsets))
    best = 0.0
    for size in range(2, table.n_variables + 1):
        for cluster in itertools.combinations(range(table.n_variables), size):
            inside = [
                value
                for row, value in zip(rows, values, strict=True)
                if node[row] in cluster and set(table.parents_of(row)) & set(cluster)
            ]
            best = max(best, math.fsum(inside) - size + 1)
    return best


@given(st.integers(3, 7), st.integers(0, 10**6))
@settings(max_examples=80)
def test_of_sets_with_one_parent_no_violated_cluster_is_missed(n: int, seed: int) -> None:
    """A mixture of single parents, which has long cycles: where a cluster is violated, one is found."""
    rng = np.random.default_rng(seed)
    entries = [[(-float(rng.uniform()), (u,)) for u in range(n) if u != v] + [(-2.0, ())] for v in range(n)]
    table = ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries)
    rows, values = [], []
    for v in range(n):
        chosen = rng.choice(np.array(table.rows_of(v)), size=int(rng.integers(1, 4)), replace=False)
        rows += sorted(chosen.tolist())
        values += rng.dirichlet(np.ones(chosen.size)).tolist()
    violation = most_violated(table, rows, values)
    assume(abs(violation - 1e-4) > 1e-6)
    _, codes = _core.exact.separate_cuts(
        candidate_sets(table), np.array(rows, dtype=np.int64), np.array(values), 100, 1e-4, 0, flows=True
    )
    assert bool((codes == 1).any()) == (violation > 1e-4)


def test_a_cluster_that_only_a_flow_finds() -> None:
    """Two long cycles in equal parts over 300 nodes: every arc weighs a half, and no short cycle is violated."""
    n = 300
    entries = [[(-1.0, ((v + 1) % n,)), (-2.0, ((v + 77) % n,)), (-9.0, ())] for v in range(n)]
    sets = candidate_sets(ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries))
    rows = np.sort(np.concatenate([sets.offsets[:-1], sets.offsets[:-1] + 1])).astype(np.int64)
    members, codes = _core.exact.separate_cuts(sets, rows, np.full(2 * n, 0.5), 100, 1e-4, 0, flows=True)
    sizes = [int(np.unpackbits(m.view(np.uint8)).sum()) for m, code in zip(members, codes, strict=True) if code == 1]
    assert n in sizes


@given(tables(with_empty=True))
@settings(max_examples=80)
def test_an_ascent_lowers_the_bound_by_its_steps(table: ParentSetTable) -> None:
    sets = candidate_sets(table).undominated()
    every = np.ones(sets.rows, dtype=np.uint8)
    pool = _core.exact.CutPool(sets.variables)
    before, costs = pool.bound(sets, every)
    members, steps = _core.exact.ascend(sets, costs, 1000, 1e-9, None)
    assert (steps > 1e-9).all()
    if steps.size:
        pool.extend(members, np.ones(steps.size, dtype=np.int32))
        pool.set_multipliers(steps)
    after, costs = pool.bound(sets, every)
    scale = max(1.0, abs(before))
    assert after == pytest.approx(before - steps.sum(), abs=1e-9 * scale)
    assert after >= best_score(table) - 1e-9 * scale
    assert _core.exact.ascend(sets, costs, 1000, 1e-6 * scale, None)[1].size == 0


def ascend_twin(table: ParentSetTable, least: float) -> float:
    """How far the bound falls, written plainly: while no choice of free sets is acyclic, raise what is stuck."""
    costs = {}
    for v in range(table.n_variables):
        best = max(float(table.scores[row]) for row in table.rows_of(v))
        costs[v] = {frozenset(table.parents_of(row)): best - float(table.scores[row]) for row in table.rows_of(v)}
    fallen = 0.0
    while True:
        stuck = set(costs)
        while placed := [v for v in stuck if any(c <= least and not s & stuck for s, c in costs[v].items())]:
            stuck -= set(placed)
        if not stuck:
            return fallen
        step = min(c for v in stuck for s, c in costs[v].items() if not s & stuck)
        for v in stuck:
            costs[v] = {s: c if s & stuck else c - step for s, c in costs[v].items()}
        fallen += step


@given(tables(with_empty=True))
@settings(max_examples=60)
def test_an_ascent_finds_something_wherever_its_twin_does(table: ParentSetTable) -> None:
    sets = candidate_sets(table)
    costs = _core.exact.CutPool(sets.variables).bound(sets, np.ones(sets.rows, dtype=np.uint8))[1]
    _, steps = _core.exact.ascend(sets, costs, 1000, 1e-9, None)
    assert (steps.sum() > 0) == (ascend_twin(table, 1e-9) > 0)


@pytest.mark.parametrize("seed", range(3))
def test_the_relaxation_bounds_the_optimum_after_every_ascent(seed: int) -> None:
    table = random_table(6, sets=8, seed=seed)
    sets = candidate_sets(table).undominated()
    expected = best_score(table)
    relaxation = Relaxation(sets, float(sets.scores[sets.offsets[1:] - 1].sum()), budget())
    reached = math.inf
    for _ in range(12):
        solution = relaxation.solve(-math.inf)
        assert expected - 1e-7 <= solution.bound <= reached + 1e-6
        first = len(relaxation.pool)
        relaxation.ascend(solution, 1e-6, twice=True)
        reached = solution.bound
        if len(relaxation.pool) == first and not relaxation.separate(solution, effort=2, threshold=1e-4):
            break
