"""The random walk over networks: its stationary distribution is the posterior, and gains are those of BDeu."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracles.all_dags import members, parent_masks

from arcwise.data import Dataset
from arcwise.ensemble.gaps.arc_gains import ArcGains
from arcwise.ensemble.gaps.drawn_tables import draw_tables
from arcwise.ensemble.gaps.structure_walk import StructureWalk, reaches
from arcwise.graph import Constraints, Dag
from arcwise.scores import make_score


def weak_data(rows: int, seed: int) -> Dataset:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, rows)
    b = (rng.random(rows) < np.where(a, 0.6, 0.4)).astype(int)
    c = (rng.random(rows) < np.where(a + b == 2, 0.65, 0.45)).astype(int)
    return Dataset.from_codes(np.stack([a, b, c], axis=1), states=[["0", "1"]] * 3)


def test_the_walk_visits_networks_by_their_posterior() -> None:
    data, score = weak_data(60, 1), make_score("bdeu:ess=1")
    gains = ArcGains(data.codes, data.arities, np.ones((3, 60), dtype=bool), ess=1.0)
    logs = {}
    for masks in parent_masks(3).tolist():
        logs[tuple(masks)] = sum(score.score_family(data, v, members(mask)) for v, mask in enumerate(masks))
    top = max(logs.values())
    total = sum(math.exp(value - top) for value in logs.values())
    walk, rng = StructureWalk(Constraints(data.names)), np.random.default_rng(2)
    seen: Counter[tuple[int, ...]] = Counter()
    now = walk.start
    for _ in range(20_000):
        now = walk.walk(now, gains, 6, rng)
        seen[tuple(now)] += 1
    for masks, value in logs.items():
        expected = math.exp(value - top) / total
        assert seen[masks] / 20_000 == pytest.approx(expected, abs=0.012 + 0.05 * expected)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31))
def test_gains_are_differences_of_scores_over_cases_that_have_both_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    data = Dataset.from_codes(rng.integers(0, 3, size=(40, 4)), states=[list("012")] * 4)
    seen = rng.random((4, 40)) < 0.7
    score = make_score("bdeu:ess=2")
    for whole in (False, True):
        gains = ArcGains(data.codes, data.arities, seen, ess=2.0, whole_families=whole)
        for tail, head in itertools.permutations(range(4), 2):
            others = [v for v in range(4) if v not in (tail, head) and rng.random() < 0.5]
            rows = seen[tail] & seen[head]
            if whole:
                rows &= seen[others].all(axis=0)
            found = gains(head, sum(1 << v for v in others), tail)
            if not rows.any():
                assert found == -math.inf
                continue
            part = data.take(rows)
            expected = score.score_family(part, head, [*others, tail]) - score.score_family(part, head, others)
            assert found == pytest.approx(expected, abs=1e-9)


def test_constraints_hold_in_every_step_and_climbs_end_where_nothing_gains() -> None:
    rng = np.random.default_rng(4)
    data = Dataset.from_codes(rng.integers(0, 2, size=(50, 6)), states=[["0", "1"]] * 6)
    names = data.names
    rules = Constraints(names, required=[("X0", "X1")], forbidden=[("X2", "X3")], max_parents=2)
    gains = ArcGains(data.codes, data.arities, np.ones((6, 50), dtype=bool), ess=20.0)
    walk = StructureWalk(rules)
    now = walk.climb(walk.start, gains)
    for head, tail in itertools.permutations(range(6), 2):
        if not now[head] >> tail & 1 and now[head].bit_count() < 2 and (tail, head) != (2, 3):
            assert gains(head, now[head], tail) <= 1e-9 or reaches(now, head, tail)
    for _ in range(200):
        now = walk.walk(now, gains, 30, rng)
        dag = Dag(names, [members(mask) for mask in now])  # refuses cycles
        assert rules.violations(dag) == []


def test_tables_are_drawn_from_their_dirichlet_distribution() -> None:
    dag = Dag.from_arcs(["a", "b"], [("a", "b")])
    counts = {(0,): np.array([3, 0]), (0, 1): np.array([[2, 1, 0], [0, 0, 0]])}
    seen = (np.array([True, True]), np.array([True, True, False]))
    rng = np.random.default_rng(1)
    states = (("0", "1"), ("0", "1", "2"))
    drawn = [
        draw_tables(dag, lambda axes: counts[tuple(axes)], ess=1.0, seen=seen, rng=rng, states=states)
        for _ in range(4000)
    ]
    first = np.array([network.tables[0][0] for network in drawn])
    second = np.array([network.tables[1] for network in drawn])
    assert first[:, 0].mean() == pytest.approx(3.5 / 4, abs=0.01)
    assert first[:, 0].var() == pytest.approx(3.5 * 0.5 / (16 * 5), rel=0.15)
    np.testing.assert_allclose(second.mean(axis=0), [[2.25 / 3.5, 1.25 / 3.5, 0], [0.5, 0.5, 0]], atol=0.03)
    assert np.isfinite(second).all()
