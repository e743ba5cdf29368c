"""Columns of one content are learned as one."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from arcwise import Dataset, edge_confidence, learn
from arcwise.bootstrap.task import Copies
from arcwise.effects import find_effect
from arcwise.ensemble import bootstrap_networks
from arcwise.errors import OptionError
from arcwise.graph import Beliefs, Constraints
from arcwise.scores import make_score


def hub(cases: int = 600, seed: int = 0) -> Dataset:
    """A variable with a copy of other codes, and four variables that depend on it."""
    rng = np.random.default_rng(seed)
    cause = rng.integers(0, 3, cases)
    effects = [np.where(rng.random(cases) < 0.3, rng.integers(0, 3, cases), cause) for _ in range(4)]
    columns = [effects[0], cause, *effects[1:], (cause + 1) % 3]
    return Dataset.from_codes(np.column_stack(columns), names=["a", "hub", "b", "c", "d", "twin"])


def test_edges_are_not_divided_between_a_column_and_its_copy() -> None:
    data = hub()
    found = bootstrap_networks(data, "qnml", replicates=40, max_parents=3, seed=1)
    assert found.facts["copies"] == {"twin": "hub"}
    shares = edge_confidence(found).present
    at = {name: v for v, name in enumerate(data.names)}
    for effect in "abcd":
        assert shares[at["hub"], at[effect]] > 0.95, effect
        assert shares[at["twin"], at[effect]] == 0, effect
    assert shares[at["hub"], at["twin"]] == 1


@pytest.mark.parametrize("orient", ["cpdag", "dag"])
def test_which_of_two_copies_comes_first_is_open(orient: Literal["cpdag", "dag"]) -> None:
    rng = np.random.default_rng(1)
    one, two = rng.integers(0, 2, (2, 800))
    effect = (one & two) ^ (rng.random(800) < 0.05)  # so that arcs into it have directions
    data = Dataset.from_codes(np.column_stack([one, two, effect, 1 - effect]), names=["one", "two", "effect", "twin"])
    made = edge_confidence(bootstrap_networks(data, "bic", replicates=20, seed=1), orient=orient)
    assert made.directed[0, 2] == 1
    assert made.present[2, 3] == 1 and made.directed[2, 3] == made.directed[3, 2]


@pytest.mark.parametrize("score", ["bic", "qnml", "bdeu:ess=1", "aic"])
@pytest.mark.parametrize("learner", ["tabu", "order"])
def test_scores_are_those_of_the_whole_networks(score: str, learner: str) -> None:
    data = hub(120)
    found = bootstrap_networks(data, score, replicates=3, max_parents=2, seed=1, learner=learner, draws="replacement")
    scorer = make_score(score)
    for k, dag in enumerate(found):
        families = [(v, parents) for v, parents in enumerate(dag.parents)]
        assert found.scores[k] == pytest.approx(scorer.score_families(data, families).sum())
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(1, spawn_key=(k,))))
        own = data.collapse().resample(rng)
        assert found.facts["replicate_scores"][k] == pytest.approx(scorer.score_families(own, families).sum())


def test_no_network_without_its_copy_is_better() -> None:
    data = hub(200)
    whole = bootstrap_networks(data, "bic", replicates=5, seed=3, learner="exact", max_parents=2)
    # As bnlearn does: each column for itself.
    apart = bootstrap_networks(data, "bic", replicates=5, seed=3, options={"refine": 0}, max_parents=2)
    assert "copies" not in apart.facts
    assert all(
        one >= other - 1e-9
        for one, other in zip(whole.facts["replicate_scores"], apart.facts["replicate_scores"], strict=True)
    )


def test_what_tells_columns_apart_keeps_them_apart() -> None:
    data, bic = hub(60), make_score("bic")
    free = Constraints(data.names)
    assert Copies.among(data, bic, free).named == {"twin": "hub"}
    assert Copies.among(data, bic, Constraints(data.names, max_parents=2)).named == {"twin": "hub"}
    assert not Copies.among(data, bic, Constraints(data.names, max_parents=0))
    assert not Copies.among(data, bic, Constraints(data.names, forbidden=[("twin", "a")]))
    believed = make_score("bic", beliefs=Beliefs(arcs={("twin", "a"): 3.0}))
    assert not Copies.among(data, believed, free)
    assert not Copies.among(data, make_score("nip_bde"), free)


def test_a_copy_is_no_cause() -> None:
    data = hub()
    found = bootstrap_networks(data, "bic", replicates=5, seed=1)
    with pytest.raises(OptionError, match="'twin' is a copy of 'hub'"):
        find_effect(found, data, "twin", "a")
    assert find_effect(found, data, "hub", "a").outcome == "a"


def test_a_few_rows_are_no_copy() -> None:
    rare = np.zeros((50, 3), dtype=int)
    rare[:4, :2] = 1
    rare[:25, 2] = 1
    data = Dataset.from_codes(rare, names=["a", "b", "c"])
    free = Constraints(data.names)
    assert not Copies.among(data, make_score("bic"), free)
    rare[:5, :2] = 1
    assert Copies.among(Dataset.from_codes(rare, names=["a", "b", "c"]).collapse(), make_score("bic"), free)


def test_columns_that_are_different_in_every_row_are_no_copies() -> None:
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.permutation(60), rng.permutation(60), rng.integers(0, 2, 60)])
    data = Dataset.from_codes(codes, names=["a", "b", "c"])
    assert not Copies.among(data, make_score("bic"), Constraints(data.names))


def test_a_copy_that_the_score_has_no_use_for_is_learned_apart() -> None:
    states = np.random.default_rng(1).integers(0, 12, 60)
    data = Dataset.from_codes(np.column_stack([states, 11 - states]), names=["a", "b"])
    free = Constraints(data.names)
    assert not Copies.among(data, make_score("bic"), free)
    more = data.take(np.repeat(np.arange(60), 20))
    assert Copies.among(more, make_score("bic"), free).named == {"b": "a"}


def test_a_run_resumes(tmp_path: Path) -> None:
    data, path = hub(80), tmp_path / "replicates"
    whole = bootstrap_networks(data, "bic", replicates=6, seed=5)
    bootstrap_networks(data, "bic", replicates=2, seed=5, path=path)
    again = bootstrap_networks(data, "bic", replicates=6, seed=5, path=path)
    assert [dag.parents for dag in again] == [dag.parents for dag in whole]


def test_an_analysis_says_it() -> None:
    found = learn(hub(), replicates=30, permutations=0, compare=False, progress=False)
    said = [str(remark) for remark in found.remarks if "one to one" in str(remark)]
    assert len(said) == 1 and "'twin' is a copy of 'hub'" in said[0]
    assert {frozenset(edge) for edge in found.cpdag.skeleton} == {
        frozenset(("hub", other)) for other in ("a", "b", "c", "d", "twin")
    }
