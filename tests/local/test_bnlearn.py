"""Hill climbing and tabu search against R's bnlearn (golden values with their commands: ../shared/golden/bnlearn)."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.limits import Limits
from arcwise.local import hill_climb, tabu_search


def read_golden(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "golden/bnlearn/golden.json").read_text())


def read_sample(shared: Path, name: str) -> Dataset:
    states = read_golden(shared)["networks"][name.split("_", maxsplit=1)[0]]["states"]
    with gzip.open(shared / f"golden/bnlearn/{name}.csv.gz", "rt") as file:
        names, *rows = csv.reader(file)
    codes = [[states[names[v]].index(value) for v, value in enumerate(row)] for row in rows]
    return Dataset.from_codes(np.array(codes), names=names, states=[states[name] for name in names])


@pytest.mark.parametrize("name", ["alarm_5000", "hailfinder_5000"])
@pytest.mark.parametrize(("method", "search"), [("hc", hill_climb), ("tabu", tabu_search)])
def test_scores_reach_bnlearns(shared: Path, name: str, method: str, search: Any) -> None:
    golden = read_golden(shared)[method][name]["score"]
    data = read_sample(shared, name)
    assert search(data, score="bic").score >= golden - 1e-6
    # The same algorithm with the same ties broken the same way: even the same local optimum.
    assert search(data, score="bic", refine=0, by_position=True).score == pytest.approx(golden, abs=1e-6)


def test_restarts_escape_the_local_optimum(shared: Path) -> None:
    data = read_sample(shared, "alarm_5000")
    once = hill_climb(data, score="bic", refine=0, by_position=True)
    more = hill_climb(data, score="bic", refine=0, by_position=True, restarts=20, perturb=5, seed=1)
    assert more.score > once.score + 10
    assert len(more.restarts) == 20
    assert len(more.history) == more.iterations + 21


def test_refinement_finds_more(shared: Path) -> None:
    data = read_sample(shared, "alarm_5000")
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


def test_random_ties_lead_to_other_directions_and_optima(shared: Path) -> None:
    data = read_sample(shared, "insurance_1000")
    found = [hill_climb(data, score="bic", refine=0, random_ties=True, seed=seed) for seed in range(10)]
    assert len({result.dag for result in found}) > 5
    assert len({round(result.score, 6) for result in found}) > 1
    # The first change is an arc whose two directions are equally good: each is taken by some.
    first = {round(result.history[1], 6) for result in found}
    assert len(first) == 1
