"""Recipes: what is true of the networks, and nothing else, in memory, in files, in parts and joins."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from arcwise import datasets, learn
from arcwise.base.arrays import read_parquet, write_parquet
from arcwise.confidence import EdgeConfidence, confidence_by_recipe, edge_confidence, recommend
from arcwise.data import Dataset
from arcwise.ensemble import (
    CredibleSet,
    NetworkSet,
    Recipe,
    bootstrap_networks,
    concatenate,
    find_credible,
    find_posterior,
    k_best,
    stream_credible,
)
from arcwise.errors import DataError, FormatError, GuaranteeError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.networks.recipe import SOURCES
from arcwise.parent_sets import ParentSetTable, build_parent_sets


@pytest.fixture(scope="module")
def table() -> ParentSetTable:
    return build_parent_sets(datasets.load("tic-tac-toe"), "bdeu:ess=1", slack=math.log(20))


def test_a_recipe_does_not_change_and_travels() -> None:
    recipe = Recipe.of("credible", "bdeu:ess=1", bayes_factor=150)
    with pytest.raises(TypeError, match="does not change"):
        recipe.settings["bayes_factor"] = 1  # type: ignore[index]
    assert recipe == Recipe.from_description(recipe.describe()) == pickle.loads(pickle.dumps(recipe))
    assert hash(recipe) == hash(Recipe.of("credible", "bdeu:ess=1", bayes_factor=150))
    strange = replace(recipe, source="elsewhere")
    assert strange.title == "elsewhere, BDeu (ess 1)"
    assert recipe.differences(Recipe.of("credible", "bdeu:ess=1", bayes_factor=20)) == (
        "the Bayes factor: 150 here, 20 there",
    )


def test_limits_of_parents_are_told_once() -> None:
    names = ("a", "b", "c")
    by_option = Recipe.of("bootstrap", "bic", max_parents=2)
    by_constraints = Recipe.of("bootstrap", "bic", constraints=Constraints(names, max_parents=2))
    assert by_constraints.max_parents == 2
    assert by_option.differences(by_constraints) == ()
    assert Recipe.usual("credible", "qnml").max_parents == 3
    assert Recipe.usual("credible", "qnml", constraints=Constraints(names, max_parents=5)).max_parents == 5


def test_the_limit_of_a_score_never_forbids_what_is_required() -> None:
    data = Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (60, 4)), names=list("abcd"))
    constraints = Constraints(data.names, required=[("a", "d"), ("b", "d"), ("c", "d")])
    assert constraints.most_required == 3
    assert Recipe.usual("bootstrap", "qnml", n_cases=60).max_parents == 2
    assert Recipe.usual("bootstrap", "qnml", n_cases=60, constraints=constraints).max_parents == 3
    found = find_posterior(data, "qnml", constraints=constraints)
    assert found.edge_probabilities()[:3, 3].tolist() == [1, 1, 1]
    analysis = learn(data, constraints=constraints, permutations=0, replicates=20, progress=False)
    assert set(constraints.required) <= set(analysis.network.dag.arcs)
    assert analysis.price is not None and analysis.price.exact


def test_a_larger_limit_of_one_variable_is_kept() -> None:
    rng = np.random.default_rng(0)
    b, c = rng.integers(0, 2, (2, 400))
    data = Dataset.from_codes(np.array([b & c ^ (rng.random(400) < 0.1), b, c]).T, names=list("abc"))
    constraints = Constraints(data.names, max_parents=1, max_parents_of={"a": 2})
    for source, more in (("credible", {}), ("bootstrap", {"replicates": 3})):
        recipe = Recipe.of(source, "bdeu:ess=1", constraints=constraints, **more)
        assert recipe.max_parents == 2
        made = recipe.run(data, seed=1)
        listed = made.networks() if isinstance(made, CredibleSet) else made
        assert max(len(dag.parents[0]) for dag in listed) == 2
        assert all(constraints.allows_dag(dag) for dag in listed)
    assert Recipe.of("credible", constraints=constraints, max_parents=1).max_parents == 1
    sample = bootstrap_networks(data, "bdeu:ess=1", replicates=3, constraints=constraints, seed=1, progress=False)
    assert sample.recipe is not None and sample.max_parents == 2
    again = sample.recipe.run(data, seed=1)
    assert isinstance(again, NetworkSet) and list(again) == list(sample)


def test_parts_of_a_credible_set_are_not_the_set(table: ParentSetTable) -> None:
    whole = find_credible(table, bayes_factor=20)
    assert whole.recipe == Recipe.of("credible", "bdeu:ess=1", bayes_factor=20)
    assert whole[:2].status is Status.COUNT_LIMIT
    assert whole[:2].recipe is None
    assert whole[: whole.count].complete
    assert k_best(table, 5).recipe is None
    capped = find_credible(table, bayes_factor=20, limits=Limits(count=10))
    assert capped.recipe == Recipe.of("credible", "bdeu:ess=1", bayes_factor=20, most_networks=10)


def test_joins_and_streams_keep_what_is_the_same(table: ParentSetTable, tmp_path: Path) -> None:
    data = datasets.load("tic-tac-toe")
    sample = bootstrap_networks(data, "bic", replicates=20, seed=1)
    joined = concatenate([sample[:10], sample[10:]])
    assert joined.recipe == sample.recipe
    wanted = recommend(edge_confidence(sample, n_cases=data.n_cases)).threshold.value
    assert recommend(edge_confidence(joined, n_cases=data.n_cases)).threshold.value == wanted
    assert sample.recipe == Recipe.of("bootstrap", "bic", replicates=20)
    plain = bootstrap_networks(data, "bic", replicates=5, seed=1, options={"refine": 0})
    assert plain.recipe == Recipe.of("bootstrap", "bic", replicates=5, refine=0)
    part = next(iter(stream_credible(table, tmp_path / "stream", bayes_factor=20)))
    assert part.recipe == Recipe.of("credible", "bdeu:ess=1", bayes_factor=20)
    sample.save(tmp_path / "sample.nets")
    assert NetworkSet.load(tmp_path / "sample.nets").recipe == sample.recipe


def test_the_best_that_a_recipe_asks_for_are_all_that_it_asks_for() -> None:
    data = datasets.load("tic-tac-toe")
    recipe = Recipe.of("credible", "bic", bayes_factor=20, most_networks=50)
    found = confidence_by_recipe(recipe, data)
    assert found is not None
    assert found.recipe == recipe
    table = build_parent_sets(data, "bic", slack=math.log(20))
    best = edge_confidence(find_credible(table, bayes_factor=20, limits=Limits(count=50)))
    np.testing.assert_array_equal(found.present, best.present)


def test_classes_are_whole_within_the_constraints_of_a_table() -> None:
    data = datasets.load("iris")
    known = Constraints(data.names, forbidden=[("species", "petal-width")])
    table = build_parent_sets(data, "bic", slack=math.log(20), constraints=known)
    found = CredibleSet.build(table, bayes_factor=20)
    assert found.has_whole_classes
    assert found.recipe.constraints == known.describe()
    assert found.networks("mec").count == found.class_count
    both = CredibleSet.build(table, bayes_factor=20, constraints=Constraints(data.names, max_parents=1))
    assert both.has_whole_classes
    assert both.recipe.constraints == {**known.describe(), "max_parents": 1}
    own = CredibleSet.build(table, bayes_factor=20, constraints=Constraints(data.names, max_parents_of={"species": 1}))
    assert not own.has_whole_classes
    with pytest.raises(GuaranteeError, match="as wholes"):
        own.networks("mec")


def test_a_file_of_0_1_says_how_its_confidences_were_made(table: ParentSetTable, tmp_path: Path) -> None:
    made = edge_confidence(CredibleSet.build(table, bayes_factor=20), n_cases=958)
    made.save(tmp_path / "now.parquet")
    frame, facts = read_parquet(tmp_path / "now.parquet")
    assert facts is not None
    del facts["recipe"]
    old = {**facts, "score": {"name": "bdeu", "ess": 1.0}, "log_slack": math.log(20), "max_parents": None}
    write_parquet(frame, tmp_path / "old.parquet", facts=old)
    assert EdgeConfidence.load(tmp_path / "old.parquet").recipe == made.recipe


@pytest.mark.parametrize("limit", [math.inf, math.nan, "many", [3]])
def test_a_limit_of_parents_that_is_no_number_is_refused(limit: object) -> None:
    facts = {**Recipe.of("bootstrap", "bic").describe(), "max_parents": limit}
    with pytest.raises(FormatError, match="the recipe cannot be read"):
        Recipe.from_description(facts)


def test_numbers_beyond_floating_point_are_refused_as_numbers() -> None:
    data = datasets.load("iris")
    with pytest.raises((GuaranteeError, OptionError)):
        find_credible(build_parent_sets(data, "bic", slack=3.0), bayes_factor=10**400)
    with pytest.raises(DataError, match="codes must be integers"):
        Dataset.from_codes(np.array([[0, 1], [10**400, 0]], dtype=object), names=["a", "b"])


@pytest.mark.parametrize("source", sorted(SOURCES))
def test_every_source_takes_more_variables_than_a_number_has_digits_for_their_parent_sets(source: str) -> None:
    """All parent sets of 1,100 variables are more than the largest floating-point number."""
    data = Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (20, 1100)))
    settings = {"replicates": 1} if source == "bootstrap" else {}
    made = Recipe.of(source, "bic", **settings).run(data, limits=Limits(seconds=0.5), progress=False)
    assert made.n_variables == 1100
