"""Broom's rule from data: permutations are learned as the data were."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise import datasets
from arcwise.base.run import Run
from arcwise.confidence import choose_threshold, confidence_by_recipe, edge_confidence, permuted_confidences
from arcwise.confidence.by_recipe import recipe_of
from arcwise.data import Dataset
from arcwise.ensemble import Recipe, bootstrap_networks, find_credible
from arcwise.errors import OptionError, UnknownNameError
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_sets
from arcwise.progress import ProgressEvent


def independent(seed: int, n: int = 6, rows: int = 200) -> Dataset:
    codes = np.random.default_rng(seed).integers(0, 2, size=(n, rows)).astype(np.uint8)
    return Dataset(codes=codes, names=tuple("abcdefgh"[:n]), states=((("0", "1"),) * n))


def test_the_recipe_is_read_off_the_confidences() -> None:
    data = datasets.load("tic-tac-toe")
    sample = edge_confidence(bootstrap_networks(data, replicates=7, score="bdeu:ess=3", max_parents=2, seed=1))
    found = recipe_of(sample)
    assert found == Recipe.of("bootstrap", "bdeu:ess=3", max_parents=2, replicates=7)
    assert sample.n_cases == 958
    table = build_parent_sets(data, "bic", slack=np.log(20))
    exact = recipe_of(edge_confidence(find_credible(table, bayes_factor=20)))
    assert exact == Recipe.of("credible", "bic", bayes_factor=20)


def test_permutations_depend_on_the_seed_and_their_number_alone() -> None:
    data = datasets.load("tic-tac-toe")
    recipe = Recipe.of("bootstrap", "bic", replicates=5)
    few = permuted_confidences(data, recipe, permutations=3, seed=4)
    more = permuted_confidences(data, recipe, permutations=5, seed=4)
    np.testing.assert_array_equal(more.vectors[:3], few.vectors)
    assert few.complete
    assert few.vectors.shape == (3, 45)
    assert few.vectors.mean() < 0.02  # nothing to find


def test_a_limit_leaves_what_is_finished() -> None:
    found = permuted_confidences(
        datasets.load("tic-tac-toe"), Recipe.of("bootstrap", "bic"), seed=1, limits=Limits(seconds=0.05)
    )
    assert found.status is Status.TIME_LIMIT
    assert len(found.vectors) < 60


@pytest.mark.parametrize("method", ["bootstrap", "credible"])
def test_broom_on_independent_columns_finds_almost_nothing(method: str) -> None:
    """The stated rate: edges in at most 5 % of independent data sets; 12 of them here, so at most 2."""
    hits = 0
    for seed in range(12):
        data = independent(seed)
        recipe = Recipe.of(method, "bic", **({"replicates": 20} if method == "bootstrap" else {"bayes_factor": 150}))
        confidence = confidence_by_recipe(recipe, data, Run(seed=seed))
        assert confidence is not None
        chosen = choose_threshold(confidence, "broom", data=data, permutations=30, seed=seed)
        hits += bool((confidence.vector > chosen.value).any())
    assert hits <= 2


def test_broom_finds_what_is_there() -> None:
    data = datasets.load("tic-tac-toe")
    confidence = edge_confidence(bootstrap_networks(data, replicates=20, seed=1))
    chosen = choose_threshold(confidence, "broom", data=data, permutations=20, seed=1)
    assert (confidence.vector > chosen.value).sum() >= 9
    assert chosen.details["permutations"] == 20


def test_mistakes() -> None:
    data = independent(1)
    confidence = confidence_by_recipe(Recipe.of("bootstrap", "bic", replicates=5), data)
    assert confidence is not None
    with pytest.raises(OptionError, match="needs either data="):
        choose_threshold(confidence, "broom")
    with pytest.raises(OptionError, match="different variables"):
        choose_threshold(confidence, "broom", data=independent(1, n=5))
    with pytest.raises(OptionError, match="at least 2"):
        choose_threshold(confidence, "broom", data=data, permutations=1)
    with pytest.raises(OptionError, match="permuted= is used as it is"):
        choose_threshold(confidence, "broom", permuted=np.zeros((3, 15)), seed=1)
    with pytest.raises(OptionError, match="do not say how they were found"):
        recipe_of(edge_confidence(bootstrap_networks(data, replicates=3, resampling="permutation", seed=1)))


def test_ctrl_c_and_time_that_is_over_leave_what_is_finished() -> None:
    data, recipe = datasets.load("tic-tac-toe"), Recipe.of("bootstrap", "bic", replicates=2)

    def interrupt(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    found = permuted_confidences(data, recipe, permutations=3, seed=1, progress=interrupt)
    assert (found.status, found.vectors.shape) == (Status.INTERRUPTED, (1, 45))
    over = permuted_confidences(data, recipe, permutations=3, seed=1, limits=Limits(seconds=1e-9))
    assert (over.status, over.vectors.shape) == (Status.TIME_LIMIT, (0, 45))


def test_options_of_a_rule_are_checked() -> None:
    data = independent(1, rows=60)
    sample = edge_confidence(bootstrap_networks(data, replicates=3, seed=1))
    vectors = np.zeros((4, len(sample.vector)))
    with pytest.raises(UnknownNameError, match="unknown threshold rule 'brom'"):
        choose_threshold(sample, "brom")
    with pytest.raises(OptionError, match="the rule 'gross' has no options"):
        choose_threshold(sample, "gross", beta=1.0)
    with pytest.raises(OptionError, match="the rule 'cost' takes beta, alpha"):
        choose_threshold(sample, "cost", value=1.0)
    with pytest.raises(OptionError, match="the rule 'fixed' needs value"):
        choose_threshold(sample, "fixed")
    with pytest.raises(OptionError, match="seed: these options are for data="):
        choose_threshold(sample, "broom", permuted=vectors, seed=1)
    with pytest.raises(OptionError, match="different variables"):
        choose_threshold(sample, "broom", data=data.select(data.names[::-1]))
    with pytest.raises(UnknownNameError, match="source of thresholds"):
        choose_threshold(sample, "learned", source="mine")
