"""Hill climbing and tabu search against R's bnlearn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.bnlearn_samples import golden, read_sample

from arcwise.limits import Limits
from arcwise.local import hill_climb, tabu_search


@pytest.mark.parametrize("name", ["alarm", "hailfinder"])
@pytest.mark.parametrize(("method", "search"), [("hc", hill_climb), ("tabu", tabu_search)])
def test_scores_reach_bnlearns(name: str, method: str, search: Any) -> None:
    theirs = golden(name)[method]
    data, _ = read_sample(name)
    assert search(data, score="bic").score >= theirs - 1e-6
    # The same algorithm with the same ties broken the same way: even the same local optimum.
    assert search(data, score="bic", refine=0, by_position=True).score == pytest.approx(theirs, abs=1e-6)


def test_restarts_escape_the_local_optimum() -> None:
    data, _ = read_sample("alarm")
    once = hill_climb(data, score="bic", refine=0, by_position=True)
    more = hill_climb(data, score="bic", refine=0, by_position=True, restarts=20, perturb=5, seed=1)
    assert more.score > once.score + 10
    assert len(more.restarts) == 20
    assert len(more.history) == more.iterations + 21


def test_refinement_finds_more() -> None:
    data, _ = read_sample("alarm")
    more = {"restarts": 20, "perturb": 5, "seed": 1}
    once, restarted = (hill_climb(data, refine=0, by_position=True, **how) for how in ({}, more))
    refined = hill_climb(data, by_position=True)
    assert refined.score > restarted.score + 100
    # Every gain is an iteration; there is no random number that the seed could change.
    assert (np.diff(refined.history) > 0).all()
    assert refined.history[: len(once.history)].tolist() == once.history.tolist()
    assert len(refined.history) == refined.iterations + 1
    assert (refined.seed != hill_climb(data).seed) and refined.dag == hill_climb(data, seed=5, by_position=True).dag
    assert hill_climb(data, refine=6, by_position=True).score >= refined.score
    # A climb that a limit ended is not at an optimum that could be refined.
    assert hill_climb(data, limits=Limits(count=7)).iterations == 7


def test_random_ties_lead_to_other_directions_and_optima() -> None:
    data, _ = read_sample("insurance")
    found = [hill_climb(data, score="bic", refine=0, random_ties=True, seed=seed) for seed in range(10)]
    assert len({result.dag for result in found}) > 5
    assert len({round(result.score, 6) for result in found}) > 1
    # The first change is an arc whose two directions are equally good: each is taken by some.
    first = {round(result.history[1], 6) for result in found}
    assert len(first) == 1
