"""The exact posterior, the k best and class sizes against sums over all DAGs."""

from __future__ import annotations

import importlib.util
import math
from collections import Counter
from functools import reduce
from operator import or_
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.ensemble import (
    class_size,
    count_credible,
    deviation_curve,
    exact_posterior,
    find_credible,
    k_best,
    plot_deviations,
)
from arcwise.errors import GuaranteeError, OptionError
from arcwise.graph import Dag
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable

_spec = importlib.util.spec_from_file_location("credible_tests", Path(__file__).parent / "test_credible.py")
assert _spec is not None
assert _spec.loader is not None
brute = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(brute)


def totals(scores: list[dict[int, float]]) -> np.ndarray:
    dags = brute.all_dags(len(scores))
    return sum(np.array([row[int(m)] for m in dags[:, v]]) for v, row in enumerate(scores))  # type: ignore[return-value]


@settings(max_examples=40)
@given(n=st.sampled_from([1, 2, 3, 4]), seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.0, 1.0, 30.0]))
def test_posterior_is_the_sum_over_all_dags(n: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    scores = [{m: float(scale * rng.normal()) for m in range(1 << n) if not m >> v & 1} for v in range(n)]
    table = brute.full_table(scores)
    dags, total = brute.all_dags(n), totals(scores)
    weights = np.exp(total - total.max())
    found = exact_posterior(table)
    assert found.log_total == pytest.approx(total.max() + math.log(weights.sum()), rel=1e-12)
    expected = np.array([[(weights * (dags[:, c] >> p & 1)).sum() / weights.sum() for c in range(n)] for p in range(n)])
    np.testing.assert_allclose(found.arc_probabilities(), expected, atol=1e-12)
    assert found.defect < 1e-12
    for slack in (0.5, 3.0):
        share = weights[total >= total.max() - slack - 1e-9].sum() / weights.sum()
        assert found.covered_by(find_credible(table, log_slack=slack)) == pytest.approx(share)
        assert found.covered_by(count_credible(table, log_slack=slack)) == pytest.approx(share)


def test_posterior_of_five_nodes_and_its_conditions() -> None:
    rng = np.random.default_rng(1)
    scores = [{m: float(5 * rng.normal()) for m in range(32) if not m >> v & 1} for v in range(5)]
    total = totals(scores)
    found = exact_posterior(brute.full_table(scores))
    assert found.log_total == pytest.approx(total.max() + math.log(np.exp(total - total.max()).sum()), rel=1e-12)
    flat = [{m: 0.0 for m in range(32) if not m >> v & 1} for v in range(5)]
    assert exact_posterior(brute.full_table(flat)).log_total == pytest.approx(math.log(29281), rel=1e-14)
    pruned = ParentSetTable.from_lists(["a", "b"], [[(0.0, [])], [(0.0, []), (1.0, [0])]], slack=1.0)
    with pytest.raises(GuaranteeError, match="all parent sets"):
        exact_posterior(pruned)
    assert exact_posterior(pruned.vouched()).arc_probabilities()[0, 1] == pytest.approx(math.e / (1 + math.e))
    many = ParentSetTable.from_lists([f"v{i}" for i in range(21)], [[(0.0, [])]] * 21, slack=math.inf)
    with pytest.raises(OptionError, match="up to 20 variables"):
        exact_posterior(many)


def ancestors(masks: list[int]) -> list[int]:
    """The ancestors of every node of a DAG that is given by parent masks."""
    found = list(masks)
    for _ in masks:
        found = [m | reduce(or_, (found[p] for p in brute.members(m)), 0) for m in found]
    return found


@settings(max_examples=30)
@given(n=st.sampled_from([1, 2, 3, 4, 5]), seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([0.0, 1.0, 10.0]))
def test_posterior_of_paths_is_the_sum_over_all_dags(n: int, seed: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    scores = [{m: float(scale * rng.normal()) for m in range(1 << n) if not m >> v & 1} for v in range(n)]
    dags, total = brute.all_dags(n), totals(scores)
    weights = np.exp(total - total.max())
    # Few DAGs have nearly all the weight: those are enough.
    heavy = np.flatnonzero(weights > 1e-13 * weights.max())
    reach = np.array([ancestors(dag) for dag in dags[heavy].tolist()])
    expected = [[(weights[heavy] * (reach[:, c] >> p & 1)).sum() for c in range(n)] for p in range(n)]
    found = exact_posterior(brute.full_table(scores), paths=True)
    assert found.paths is not None
    np.testing.assert_allclose(found.paths, np.array(expected) / weights.sum(), atol=1e-8)
    assert (found.paths >= found.arc_probabilities() - 1e-12).all()
    assert found.defect < 1e-12
    assert exact_posterior(brute.full_table(scores)).paths is None


def test_posterior_counts_the_dags_of_twelve_nodes_exactly() -> None:
    # All scores 0: the total is the number of labelled DAGs (OEIS A003024).
    n = 12
    entries = [[(0.0, brute.members(m)) for m in range(1 << n) if not m >> v & 1] for v in range(n)]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
    assert exact_posterior(table).log_total == pytest.approx(math.log(521939651343829405020504063), rel=1e-15)
    assert exact_posterior(table, limits=Limits(seconds=1e-6)).status is Status.TIME_LIMIT


@settings(max_examples=40)
@given(scores=brute.score_tables((2, 3, 4)), k=st.sampled_from([1, 2, 7, 60, 10_000]))
def test_k_best_are_the_first_of_all(scores: list[dict[int, float]], k: int) -> None:
    total = np.sort(totals(scores))[::-1]
    found = k_best(brute.full_table(scores), k)
    assert found.origin == "k-best"
    np.testing.assert_allclose(found.scores, total[:k], atol=1e-9)


def test_k_best_classes_and_conditions() -> None:
    g = np.random.default_rng(3).normal(size=16)
    scores = [{m: float(g[m | 1 << v] - g[m]) for m in range(16) if not m >> v & 1} for v in range(4)]
    table = brute.full_table(scores).vouched(equivalent=True)
    everything = find_credible(table, log_slack=100.0)
    by_class: dict[object, float] = {}
    for dag, score in zip(everything, everything.scores.tolist(), strict=True):
        by_class[dag.cpdag] = score
    found = k_best(table, 20, by="mec")
    np.testing.assert_allclose(found.scores, sorted(by_class.values(), reverse=True)[:20], atol=1e-9)
    assert len({dag.cpdag for dag in found}) == 20
    tight = ParentSetTable.from_lists(["a", "b"], [[(0.0, [])], [(0.0, []), (1.0, [0])]], slack=0.5)
    with pytest.raises(GuaranteeError, match="only 1 are"):
        k_best(tight, 2)
    with pytest.raises(OptionError, match="at least 1"):
        k_best(tight, 0)


def test_class_sizes_are_those_of_the_groups() -> None:
    n = 5
    names = [f"v{i}" for i in range(n)]
    rng = np.random.default_rng(2)
    dags = brute.all_dags(n)
    # Every class of a sample, against the number of its members among all 29,281.
    everything = [Dag(names, [brute.members(int(m)) for m in dag]) for dag in dags[::1]]
    sizes = Counter(dag.cpdag for dag in everything)
    for i in rng.choice(len(everything), 400, replace=False):
        assert class_size(everything[i]) == sizes[everything[i].cpdag]


def test_deviation_curves() -> None:
    scores = [{0: 0.0, 2: 1.0}, {0: 0.0, 1: 1.0}]
    networks = find_credible(brute.full_table(scores), log_slack=2.0)
    np.testing.assert_allclose(deviation_curve(networks), [0.0, 0.0, 1.0])
    ax = plot_deviations({"two": networks})
    assert ax.get_lines()[0].get_label() == "two"
    assert len(ax.get_lines()) == 4
