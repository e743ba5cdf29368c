"""Trees against all trees, on few variables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.graph import Dag
from arcwise.local import chow_liu, naive_bayes, tree_augmented
from arcwise.local.searches import spanning_forest
from arcwise.scores import make_score


def make_data(seed: int, n: int, rows: int = 80) -> Dataset:
    rng = np.random.default_rng(seed)
    columns: list[np.ndarray] = []
    for v in range(n):
        r = 2 + v % 2
        own = rng.integers(0, r, rows)
        columns.append(np.where(rng.random(rows) < 0.5, columns[rng.integers(v)] % r, own) if v else own)
    return Dataset.from_codes(np.column_stack(columns), states=[[str(k) for k in range(2 + v % 2)] for v in range(n)])


def forests(nodes: list[int]) -> list[dict[int, int]]:
    """Every way to give each node at most one parent without a cycle."""
    found = []
    for choice in itertools.product(*([None, *(u for u in nodes if u != v)] for v in nodes)):
        parent = {v: p for v, p in zip(nodes, choice, strict=True) if p is not None}
        if all(_ends(parent, v) for v in nodes):
            found.append(parent)
    return found


def _ends(parent: dict[int, int], v: int) -> bool:
    for _ in range(len(parent) + 1):
        if v not in parent:
            return True
        v = parent[v]
    return False


@pytest.mark.parametrize("score", ["ll", "bic", "bdeu:ess=3", "aic"])
@pytest.mark.parametrize("n", [1, 2, 4, 5])
def test_chow_liu_is_the_best_of_all_trees(n: int, score: str) -> None:
    data = make_data(n, n)
    scorer = make_score(score)
    local = {
        (v, p): scorer.score_family(data, v, [] if p is None else [p])
        for v in range(n)
        for p in (None, *range(n))
        if v != p
    }
    best = max(sum(local[v, parent.get(v)] for v in range(n)) for parent in forests(list(range(n))))
    found = chow_liu(data, score)
    assert found.score == pytest.approx(best, abs=1e-9)
    assert found.score == pytest.approx(scorer.score_network(data, found.dag))
    assert all(len(parents) <= 1 for parents in found.dag.parents)
    if score == "ll":
        assert len(found.dag.arcs) == n - 1


@pytest.mark.parametrize("score", ["ll", "bic", "bdeu:ess=3"])
def test_tan_is_the_best_of_all_trees_below_the_target(score: str) -> None:
    for seed in (1, 2):
        data = make_data(seed, 5)
        scorer = make_score(score)
        target = data.names[2]
        others = [0, 1, 3, 4]
        local = {
            (v, p): scorer.score_family(data, v, [2] if p is None else [2, p])
            for v in others
            for p in (None, *others)
            if v != p
        }
        best = max(sum(local[v, parent.get(v)] for v in others) for parent in forests(others))
        found = tree_augmented(data, target, score)
        assert found.score == pytest.approx(best + scorer.score_family(data, 2), abs=1e-9)
        assert all(target in found.dag.parents_of(data.names[v]) for v in others)
        assert found.dag.parents_of(target) == ()


def test_naive_bayes() -> None:
    data = make_data(3, 4)
    found = naive_bayes(data, data.names[1])
    assert found.dag == Dag(data.names, [[1], [], [1], [1]])
    assert found.score == pytest.approx(make_score("bic").score_network(data, found.dag))
    with pytest.raises(DataError, match="unknown variable 'zz'"):
        naive_bayes(data, "zz")


def test_what_trees_cannot_be_made_of_is_refused() -> None:
    data = make_data(3, 4)
    for function in (lambda: chow_liu(data, "k2"), lambda: tree_augmented(data, data.names[0], "k2")):
        with pytest.raises(OptionError, match="score='k2' gives equivalent networks different scores"):
            function()


def test_ties_and_edges_without_gain() -> None:
    assert spanning_forest(np.zeros((3, 3))) == []
    assert spanning_forest(np.ones((3, 3))) == [(0, 1), (0, 2)]
