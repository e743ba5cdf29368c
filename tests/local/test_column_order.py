"""One search has one result, whatever the order of columns and rows."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise import datasets
from arcwise.data import Dataset
from arcwise.graph import Constraints, Dag
from arcwise.local import (
    LocalSearchResult,
    chow_liu,
    equivalence_search,
    hill_climb,
    tabu_search,
    tree_augmented,
)
from arcwise.local.problem import order_of_content


def noisy(seed: int) -> Dataset:
    """Twelve binary columns with many ties: even counts, and each depends on two before it."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((400, 12), dtype=np.int64)
    for v in range(12):
        above = rng.choice(v, size=min(v, 2), replace=False) if v else []
        codes[:, v] = (codes[:, above].sum(axis=1) + (rng.random(400) < 0.3)) % 2
        codes[: 200 - int(codes[:, v].sum()) if codes[:, v].sum() < 200 else 0, v] = 1
    return Dataset.from_codes(codes, names=[f"v{k}" for k in range(12)], states=[["no", "yes"]] * 12)


def tied() -> Dataset:
    """Seven columns in a ring: every row occurs in all its rotations, so that nothing but names tells them apart."""
    rng = np.random.default_rng(2)
    steps = np.cumsum(rng.random((60, 7)) < 0.3, axis=1) % 2
    codes = np.concatenate([np.roll(steps, k, axis=1) for k in range(7)])
    return Dataset.from_codes(codes, names=[f"v{k}" for k in range(7)], states=[["no", "yes"]] * 7)


def same(one: LocalSearchResult, other: LocalSearchResult) -> bool:
    return one.score == other.score and one.dag.reorder(other.dag.names) == other.dag


@pytest.mark.parametrize("search", [hill_climb, tabu_search])
@pytest.mark.parametrize("score", ["bic", "bdeu", "k2"])
def test_columns_and_rows_in_any_order_end_in_the_same_network(search, score: str) -> None:  # type: ignore[no-untyped-def]
    for data in (noisy(1), noisy(2), datasets.load("tic-tac-toe")):
        found = search(data, score, seed=1)
        rng = np.random.default_rng(5)
        for _ in range(6):
            names = [data.names[v] for v in rng.permutation(data.n_variables)]
            moved = data.select(names).take(rng.permutation(data.n_rows))
            assert same(search(moved, score, seed=1), found)
            assert same(search(moved.collapse(), score, seed=1), found)


@pytest.mark.parametrize(
    "search", [equivalence_search, chow_liu, lambda data, score: tree_augmented(data, "v3", score)]
)
def test_classes_and_trees_are_found_in_any_order(search) -> None:  # type: ignore[no-untyped-def]
    data = tied()
    found = search(data, "bdeu").dag
    for seed in range(20):
        moved = search(data.select(np.random.default_rng(seed).permutation(data.names).tolist()), "bdeu").dag
        assert moved.reorder(data.names).cpdag == found.cpdag


def test_a_hundred_orders_and_names_of_columns_end_in_one_class() -> None:
    data = noisy(4)
    classes = set()
    for seed in range(100):
        order = np.random.default_rng(seed).permutation(data.n_variables)
        codes = data.codes[order].T.astype(np.int64)
        moved = Dataset.from_codes(codes, names=[f"c{k}" for k in range(12)], states=[["no", "yes"]] * 12)
        found = tabu_search(moved, "bdeu", seed=seed).dag
        arcs = [(data.names[order[int(a[1:])]], data.names[order[int(b[1:])]]) for a, b in found.arcs]
        classes.add(Dag.from_arcs(data.names, arcs).cpdag)
    assert len(classes) == 1


def test_restarts_constraints_and_starts_are_about_names(monkeypatch: pytest.MonkeyPatch) -> None:
    data = noisy(3)
    rules = Constraints(data.names, required=[("v3", "v1")], forbidden=[("v0", "v5")], max_parents=3)
    start = Dag.from_arcs(data.names, [("v3", "v1"), ("v7", "v8")])
    options = {"constraints": rules, "start": start, "restarts": 3, "perturb": 4, "seed": 2}
    found = tabu_search(data, "bdeu", **options)
    assert not rules.violations(found.dag)
    assert same(tabu_search(data.select(data.names[::-1]), "bdeu", **options), found)


def test_without_it_ties_are_broken_by_position() -> None:
    data = noisy(1)
    ends = {
        hill_climb(data.select(np.random.default_rng(k).permutation(data.names).tolist()), "bic", by_position=True)
        .dag.reorder(data.names)
        .cpdag
        for k in range(8)
    }
    assert len(ends) > 1


def test_columns_that_are_alike_go_by_name() -> None:
    codes = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0], [1, 0, 1]])
    data = Dataset.from_codes(codes, names=["b", "c", "a"], states=[["0", "1"]] * 3)
    first = [data.names[v] for v in order_of_content(data)]
    again = data.select(["a", "b", "c"])
    assert [again.names[v] for v in order_of_content(again)] == first
    assert first.index("a") < first.index("b")
