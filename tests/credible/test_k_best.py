"""The k best networks, class sizes and deviation curves against all DAGs."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.ensemble import (
    class_size,
    deviation_curve,
    find_credible,
    k_best,
    plot_deviations,
)
from arcwise.errors import GuaranteeError, OptionError
from arcwise.graph import Dag
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
@given(scores=brute.score_tables((2, 3, 4)), k=st.sampled_from([1, 2, 7, 60, 10_000]))
def test_k_best_are_the_first_of_all(scores: list[dict[int, float]], k: int) -> None:
    total = np.sort(totals(scores))[::-1]
    found = k_best(brute.full_table(scores), k)
    assert found.origin == "k-best"
    np.testing.assert_allclose(found.scores, total[:k], atol=1e-9)


def test_k_best_classes_and_conditions() -> None:
    g = np.random.default_rng(3).normal(size=16)
    scores = [{m: float(g[m | 1 << v] - g[m]) for m in range(16) if not m >> v & 1} for v in range(4)]
    table = brute.full_table(scores)
    everything = find_credible(table, log_slack=100.0)
    by_class: dict[object, float] = {}
    for dag, score in zip(everything, everything.scores.tolist(), strict=True):
        by_class[dag.cpdag] = score
    found = k_best(table.vouched(equivalent=True), 20, by="mec")
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
