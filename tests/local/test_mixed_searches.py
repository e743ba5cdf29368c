"""Tables, searches and bootstraps of numbers, scales and categories: what follows a score needs nothing new."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import bootstrap_networks, build_parent_sets, find_optimal
from arcwise.credible.credible_set import CredibleSet
from arcwise.data import MixedData
from arcwise.graph import Constraints, Dag
from arcwise.graph.random_dags import all_dags
from arcwise.local.searches import (
    equivalence_search,
    first_ascent,
    genetic_search,
    hill_climb,
    order_search,
    tabu_search,
)
from arcwise.recipes.posterior import find_posterior
from arcwise.scores import make_score


def world(seed: int, n: int = 5, rows: int = 150) -> MixedData:
    """Return cases of a random network, in which every third variable is a category."""
    rng = np.random.default_rng(seed)
    frame: dict[str, object] = {}
    latent = np.zeros((rows, n))
    for v in range(n):
        parents = [p for p in range(v) if rng.random() < 0.5]
        own = latent[:, parents] @ rng.uniform(0.5, 1.5, len(parents)) + rng.normal(size=rows)
        if v % 3 == 2:
            latent[:, v] = own > 0
            frame[f"c{v}"] = np.where(own > 0, "yes", "no")
        else:
            latent[:, v] = own
            frame[f"x{v}"] = own
    return MixedData.from_dataframe(pd.DataFrame(frame))


@given(seed=st.integers(0, 10**6), name=st.sampled_from(["bic-dg", "bic-cg"]))
def test_the_optimum_is_the_best_of_all_networks(seed: int, name: str) -> None:
    data = world(seed, 4)
    score = make_score(name)
    families: dict[tuple[int, tuple[int, ...]], float] = {}

    def value(dag: Dag) -> float:
        for family in enumerate(dag.parents):
            if family not in families:
                families[family] = score.score_family(data, *family)
        return math.fsum(families[family] for family in enumerate(dag.parents))

    best = max(map(value, all_dags(data.names)))
    found = find_optimal(build_parent_sets(data, score), data=data)
    assert found.score == pytest.approx(best, abs=1e-6)


@pytest.mark.parametrize("search", [hill_climb, tabu_search, first_ascent, genetic_search])
@pytest.mark.parametrize("name", ["bic-dg", "bic-cg"])
def test_searches_return_what_they_say(search, name: str) -> None:  # type: ignore[no-untyped-def]
    data = world(7, 6)
    score = make_score(name)
    found = search(data, score, seed=1)
    assert found.score == pytest.approx(score.score_network(data, found.dag), abs=1e-6)
    assert found.score <= find_optimal(build_parent_sets(data, score)).score + 1e-6
    rules = Constraints(data.names, required=[("x0", "x1")], forbidden=[("x0", "x3")], max_parents=2)
    obeying = search(data, score, seed=1, constraints=rules)
    assert not rules.violations(obeying.dag)


def test_climbs_without_a_single_gaining_change_and_in_any_order_of_columns() -> None:
    data = world(3, 8, 400)
    found = hill_climb(data, "bic-dg")
    turned = hill_climb(data.select(data.names[::-1]), "bic-dg")
    assert turned.dag.reorder(data.names).cpdag == found.dag.cpdag
    assert turned.score == pytest.approx(found.score, abs=1e-6)
    score = make_score("bic-dg")
    for child, parents in enumerate(found.dag.parents):
        below = {data.index(name) for name in found.dag.descendants(data.names[child])}
        for x in range(8):
            changed = tuple(sorted(set(parents) ^ {x}))
            if x == child or (x not in parents and x in below):
                continue
            assert score.score_family(data, child, changed) <= score.score_family(data, child, parents) + 1e-6


def test_what_follows_a_table_takes_it() -> None:
    data = world(11, 5, 120)
    score = make_score("bic-dg")
    table = build_parent_sets(data, score, slack=math.log(20))
    optimum = find_optimal(table)
    credible = CredibleSet.build(table, bayes_factor=20)
    values = [score.score_network(data, dag) for dag in all_dags(data.names)]
    assert credible.count == sum(value >= optimum.score - math.log(20) - 1e-9 for value in values)
    assert order_search(table, seed=0).score == pytest.approx(optimum.score, abs=1e-6)
    assert equivalence_search(data, score).score <= optimum.score + 1e-6
    posterior = find_posterior(data, score)
    assert posterior.is_exact
    weights = np.exp(np.array(values) - max(values))
    shares = np.array([weights[i] * dag.to_adjacency() for i, dag in enumerate(all_dags(data.names))]).sum(axis=0)
    np.testing.assert_allclose(posterior.arc_probabilities(), shares / weights.sum(), atol=1e-8)


def test_replicates_weigh_rows_and_do_not_depend_on_threads() -> None:
    data = world(5, 6, 300)
    alone = bootstrap_networks(data, "bic-dg", replicates=12, seed=4, workers=1)
    together = bootstrap_networks(data, "bic-dg", replicates=12, seed=4, workers=2)
    assert alone.scores.tolist() == together.scores.tolist()
    assert alone.facts["replicate_scores"] == together.facts["replicate_scores"]
    first = Dag(data.names, alone.parents(0))
    assert alone.scores[0] == pytest.approx(make_score("bic-dg").score_network(data, first), abs=1e-6)
    exact = bootstrap_networks(data, "bic-dg", replicates=3, seed=4, learner="exact", workers=1)
    assert exact.count == 3
    shuffled = bootstrap_networks(data, "bic-dg", replicates=20, seed=4, resampling="permutation", workers=1)
    assert np.mean([sum(map(len, shuffled.parents(k))) for k in range(20)]) < 1.0 < len(first.arcs)


def test_a_variable_is_scored_without_the_rows_in_which_it_was_set() -> None:
    data = world(9, 4, 200)
    set_rows = [None if row % 2 else "x1" for row in range(200)]
    trial = data.with_targets(set_rows)
    score = make_score("bic-dg")
    observed = data.take(np.arange(1, 200, 2))
    gain = score.score_family(trial, 1, (0,)) - score.score_family(trial, 1)
    assert gain == pytest.approx(score.score_family(observed, 1, (0,)) - score.score_family(observed, 1), abs=0.5)
    found = tabu_search(trial, score)
    assert found.score == pytest.approx(score.score_network(trial, found.dag), abs=1e-6)
    table = build_parent_sets(trial, score)
    assert find_optimal(table).score >= found.score - 1e-6


def test_beliefs_are_added() -> None:
    data = world(2, 4)
    beliefs = pd.DataFrame({"from": ["x0"], "to": ["x3"], "odds": [1e6]})
    believed = make_score("bic-dg", beliefs=beliefs)
    plain = make_score("bic-dg")
    gain = believed.score_family(data, 3, (0,)) - plain.score_family(data, 3, (0,))
    assert gain == pytest.approx(math.log(1e6), abs=1e-6)
    assert ("x0", "x3") in find_optimal(build_parent_sets(data, believed)).dag.arcs
    assert ("x0", "x3") in hill_climb(data, believed).dag.arcs
