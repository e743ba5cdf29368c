"""Meta-ensembles: features, votes, gradient boosting from the shipped table, and the whole from data."""

from __future__ import annotations

import time

import numpy as np
import pytest

from arcwise import datasets
from arcwise.confidence import (
    EdgeConfidence,
    combine_confidences,
    consensus_network,
    recommend,
    studied_recipes,
    team_confidences,
)
from arcwise.confidence.learned_table import learned_table
from arcwise.confidence.meta_ensemble import (
    MISSING,
    TrainingTable,
    boost,
    feature_names,
    fit_booster,
    pair_features,
    training_table,
    vote_weights,
    weighted_vote,
)
from arcwise.ensemble import Recipe
from arcwise.errors import DataWarning, FormatError, OptionError, UnknownNameError
from arcwise.limits import Limits


def confidence(values: list[float], **changes: object) -> EdgeConfidence:
    directed = np.zeros((3, 3))
    directed[np.triu_indices(3, 1)] = values
    facts: dict[str, object] = {
        "names": ("a", "b", "c"),
        "directed": directed,
        "undirected": np.zeros((3, 3)),
        "orient": "cpdag",
        "origin": "bootstrap",
        "n_networks": 10,
        "weights": "own",
        "exact": False,
        "n_cases": 1000,
    }
    return EdgeConfidence(**{**facts, **changes})  # type: ignore[arg-type]


def test_one_row_per_pair() -> None:
    given = {"bootstrap:bic": np.array([0.9, 0.3]), "credible:bic": np.array([0.5, MISSING])}
    rows = pair_features(given, {"bootstrap:bic": 0.4, "credible:bic": 0.5}, 1000.0, 2.0)
    np.testing.assert_allclose(rows[0], [0.9, 0.5, 1, 0.5, 0, 0, 3, 1])  # strictly above counts
    np.testing.assert_allclose(rows[1], [0.3, -0.1, 0, MISSING, 0, 0, 3, 1])
    assert len(feature_names(tuple(given))) == rows.shape[1]


def test_votes() -> None:
    given = {"a:x": np.array([0.9, 0.1, 0.9]), "b:x": np.array([0.9, 0.1, 0.1]), "c:x": np.array([0.1, MISSING, 0.9])}
    cutoffs = dict.fromkeys(given, 0.5)
    np.testing.assert_allclose(weighted_vote(given, cutoffs), [2 / 3, 0, 2 / 3])
    np.testing.assert_allclose(weighted_vote(given, cutoffs, {"a:x": 1, "b:x": 1, "c:x": 2}), [0.5, 0, 0.75])


def test_better_members_weigh_more() -> None:
    labels = ("bootstrap:bdeu", "credible:bic")
    table = learned_table()
    weights = vote_weights(table, labels, 100, "f", 1.0)
    assert sum(weights.values()) == pytest.approx(1)
    loss = {label: table.find(*label.split(":"), 100, "f", 1.0).loss for label in labels}
    assert (weights[labels[0]] > weights[labels[1]]) == (loss[labels[0]] < loss[labels[1]])


def test_the_shipped_table_is_balanced_and_keeps_its_provenance() -> None:
    table = training_table()
    assert table.provenance["study"] == "liao-thresholds"
    assert table.provenance["results"] == learned_table().provenance["results"]
    assert set(np.unique(table.edge)) == {0, 1}
    totals: dict[tuple[str, int], float] = {}
    for name, cases, weight in zip(table.network, table.cases.tolist(), table.weight, strict=True):
        totals[name, cases] = totals.get((name, cases), 0.0) + weight
    whole = np.array(list(totals.values()))
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-3)  # every sample of a network has a weight of 1
    with pytest.raises(FormatError, match="not a training table"):
        TrainingTable.from_bytes(b"nonsense")


def test_the_model_is_trained_the_same_way_every_time_and_kept() -> None:
    labels = ("bootstrap:bic", "credible:bic")
    table = training_table()
    models = [fit_booster(table, learned_table(), labels, "shd") for _ in range(2)]
    given = {"bootstrap:bic": np.array([0.0, 0.5, 1.0]), "credible:bic": np.array([0.0, 0.5, 1.0])}
    rows = pair_features(given, dict.fromkeys(labels, 0.5), 1000.0, 1.0)
    np.testing.assert_array_equal(models[0].predict_proba(rows), models[1].predict_proba(rows))
    first = boost(given, n_cases=1000, metric="shd", weight=1.0)
    begin = time.process_time()
    np.testing.assert_array_equal(boost(given, n_cases=1000, metric="shd", weight=1.0), first)
    assert time.process_time() - begin < 0.5  # kept, not trained again
    assert first[0] < 0.2 < 0.7 < first[2]


def test_from_data_to_a_network() -> None:
    data = datasets.load("tic-tac-toe")
    recipes = studied_recipes("bic", "bdeu")
    team = team_confidences(data, recipes, seed=1)
    assert set(team) == {"bootstrap:bic", "bootstrap:bdeu", "credible:bic", "credible:bdeu"}
    assert [team[label].recipe for label in sorted(team)] == sorted(recipes, key=lambda r: (r.source, r.score["name"]))
    assert team["credible:bdeu"].recipe is not None
    assert team["credible:bdeu"].recipe.max_parents == 3  # as the study had it
    found = combine_confidences(team)
    assert found.origin == "ensemble"
    assert np.isnan(found.standard_error).all()
    again = combine_confidences(team_confidences(data, recipes, seed=1))
    np.testing.assert_array_equal(found.present, again.present)
    rows = found.rows()
    assert len(rows) == 45
    assert {"first", "bootstrap:bic confidence", "credible:bdeu distance", "log10 cases", "combined"} <= set(rows)
    advice = recommend(found, metric="f", beta=1)
    assert advice.threshold.rule == "learned"
    assert consensus_network(found, advice.threshold).dag.n_arcs > 5
    np.testing.assert_allclose(found.directed + found.directed.T + found.undirected, found.present, atol=1e-9)


def test_votes_are_shares_of_the_members() -> None:
    members = {"bootstrap:bic": confidence([0.9, 0.1, 0.9]), "bootstrap:aic": confidence([0.95, 0.9, 0.0])}
    for how in ("majority", "weighted"):
        found = combine_confidences(members, combine=how)  # type: ignore[arg-type]
        assert found.vector[0] == 1
        assert found.pair("a", "b").forward == 1
    np.testing.assert_allclose(combine_confidences(members, combine="majority").vector, [1, 0.5, 0.5])


def test_a_member_without_time_is_reported() -> None:
    data = datasets.load("tic-tac-toe")
    with pytest.raises(OptionError, match="no member found a network"):
        team_confidences(data, [Recipe.of("credible", "bic")], limits=Limits(seconds=1e-9), seed=1)


def test_members_made_in_another_way_are_warned_of() -> None:
    data = datasets.load("tic-tac-toe")
    team = team_confidences(data, [Recipe.of("bootstrap", "bic", replicates=10)], seed=1)
    with pytest.warns(DataWarning, match="the member bootstrap:bic: .*the replicates: 10 here, 200 there"):
        combine_confidences(team, combine="majority")


def test_mistakes() -> None:
    data = datasets.load("tic-tac-toe")
    with pytest.raises(UnknownNameError, match="did you mean 'majority'"):
        combine_confidences({"bootstrap:bic": confidence([0, 0, 0])}, combine="majorty")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="unknown method"):
        Recipe.of("bootstrab")
    with pytest.raises(OptionError, match="each source with each score once"):
        team_confidences(data, [Recipe.of("bootstrap", "bdeu:ess=1"), Recipe.of("bootstrap", "bdeu:ess=2")])
    with pytest.raises(UnknownNameError, match="unknown studied score 'k2'"):
        studied_recipes("k2")
    with pytest.raises(OptionError, match="there is no confidence"):
        combine_confidences({})
    with pytest.raises(OptionError, match="has different variables"):
        combine_confidences({"a:x": confidence([0, 0, 0]), "b:x": confidence([0, 0, 0], names=("a", "b", "d"))})
    with pytest.raises(OptionError, match="same data"):
        combine_confidences({"a:x": confidence([0, 0, 0]), "b:x": confidence([0, 0, 0], n_cases=7)})
    with pytest.raises(OptionError, match="was not trained with bootstrap:k2"):
        combine_confidences({"bootstrap:k2": confidence([0, 0, 0])})
    with pytest.raises(OptionError, match="replicates=0 must be an integer >= 1"):
        Recipe.of("bootstrap", "bic", replicates=0)
