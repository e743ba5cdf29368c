"""The probability that one variable leads to another: its parts, what is decided, and what it is on fresh worlds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.paths import best_paths, path_probability, path_table
from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset
from arcwise.effects import find_effect, find_effects
from arcwise.ensemble import Recipe
from arcwise.graph import Constraints, Dag
from arcwise.model import BayesianNetwork


def collider_data(cases: int = 1000, seed: int = 1) -> Dataset:
    """a -> c <- b, c -> d, and e on its own."""
    dag = Dag.from_arcs(["a", "b", "c", "d", "e"], [("a", "c"), ("b", "c"), ("c", "d")])
    either = [[0.9, 0.1], [0.3, 0.7], [0.3, 0.7], [0.05, 0.95]]
    tables = [[[0.5, 0.5]], [[0.6, 0.4]], either, [[0.9, 0.1], [0.2, 0.8]], [[0.5, 0.5]]]
    return BayesianNetwork(dag, [["n", "y"]] * 5, tables).sample(cases, seed=seed, progress=False)


def brute_paths(arrows: np.ndarray) -> np.ndarray:
    """The best product over all simple paths, one by one."""
    n = len(arrows)
    found = np.zeros((n, n))

    def walk(start: int, at: int, seen: frozenset[int], product: float) -> None:
        for w in range(n):
            if w not in seen:
                found[start, w] = max(found[start, w], product * arrows[at, w])
                walk(start, w, seen | {w}, product * arrows[at, w])

    for v in range(n):
        walk(v, v, frozenset({v}), 1.0)
    return found


@settings(max_examples=50, deadline=None)
@given(st.integers(2, 5), st.integers(0, 2**31))
def test_the_best_path_is_that_of_enumeration(n: int, seed: int) -> None:
    arrows = np.random.default_rng(seed).random((n, n)) * (np.random.default_rng(seed + 1).random((n, n)) < 0.6)
    np.testing.assert_allclose(best_paths(arrows), brute_paths(arrows), rtol=1e-12)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([50, 300, 3000, 10**6]))
def test_two_variables_do_not_lead_to_each_other(seed: int, cases: int) -> None:
    rng = np.random.default_rng(seed)
    data = collider_data(100)
    confidence = edge_confidence(Recipe.usual("bootstrap", n_cases=100, replicates=4).run(data, seed=1, progress=False))
    shares = np.triu(rng.random((5, 5)), 1)
    shares = shares + (1 - shares.T) * np.tril(rng.random((5, 5)), -1)
    found = path_probability(replace(confidence, n_cases=cases), shares).values
    assert ((found >= 0) & (found + found.T <= 1 + 1e-12)).all()
    assert (np.diagonal(found) == 0).all()


def test_what_leads_where_is_told_from_what_does_not() -> None:
    data = collider_data()
    reach = family_reach(Recipe.usual("bootstrap", n_cases=1000).run(data, seed=1, progress=False))
    found = reach.paths
    assert found.basis and not found.doubt
    a, b, c, d, e = range(5)
    assert min(found.values[a, c], found.values[b, c], found.values[a, d], found.values[c, d]) > 0.8
    assert max(found.values[c, a], found.values[a, b], found.values[d, c]) < 0.2
    assert found.values[e].max() < 0.2
    effect = find_effect(reach, data, "a", "c")
    assert (effect.probability, effect.share) == (found.values[a, c], reach.leads_to("a", "c"))
    assert find_effects(reach, data).probability[a, c] == found.values[a, c]
    # The average is what there is with an effect, and without, by this probability.
    assert effect.set_if_effect is not None
    wanted = effect.probability * effect.set_if_effect.mean + (1 - effect.probability) * effect.marginal
    assert effect.set_to.mean == pytest.approx(wanted, abs=1e-3)


def test_constraints_decide_paths() -> None:
    data = collider_data(300)
    known = Constraints(data.names, required=[("a", "c"), ("c", "d")], tiers=[["a", "b"], ["c", "d"], ["e"]])
    recipe = replace(Recipe.usual("bootstrap", n_cases=300, replicates=20), constraints=known.describe())
    found = family_reach(recipe.run(data, seed=1, progress=False)).paths.values
    a, b, c, d, e = range(5)
    assert found[a, c] == found[c, d] == found[a, d] == 1.0
    assert found[c, a] == found[d, a] == found[e].max() == found[c, b] == 0.0


def test_networks_that_no_study_looked_at_keep_their_shares() -> None:
    data = collider_data(300)
    networks = Recipe.usual("bootstrap", "bdeu", n_cases=300, replicates=20).run(data, seed=1, progress=False)
    reach = family_reach(networks)
    assert reach.paths.basis == ""
    np.testing.assert_array_equal(reach.paths.values, reach.ancestor_probabilities())


def test_the_table_knows_its_study() -> None:
    table = path_table()
    assert set(table.entries) >= {("bootstrap", "qnml")}
    recipe = table.recipe("bootstrap", "qnml")
    assert recipe is not None
    assert type(table).from_json(table.to_json()).entries == table.entries
