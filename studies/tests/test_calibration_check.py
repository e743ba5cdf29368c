"""The check of probabilities on other worlds: what it counts, and that it finds what is wrong."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.confidence import EdgeConfidence
from arcwise.confidence.calibration import Calibration, CalibrationTable, calibration_table
from arcwise.ensemble import Recipe
from arcwise_studies.config import read_study
from arcwise_studies.experiments.calibration_check import KINDS, CheckSettings, world_text
from arcwise_studies.experiments.calibration_goals import Claim, claims_of, summarize
from arcwise_studies.experiments.calibration_goals import _directions as directions
from arcwise_studies.experiments.calibration_goals import _judged as judged
from arcwise_studies.experiments.calibration_paths import confidence_of
from arcwise_studies.experiments.pair_states import PairStates, true_states
from arcwise_studies.frames import read_frames
from arcwise_studies.known_facts import known_facts
from arcwise_studies.products import export_product
from arcwise_studies.run import run_study
from arcwise_studies.sources import Sources
from arcwise_studies.store import Store

STUDY = Path(__file__).parents[1] / "calibration-check.toml"
RECIPE = Recipe.usual("bootstrap", "qnml", replicates=100)


def as_they_are(confidence: EdgeConfidence) -> EdgeConfidence:
    return replace(confidence, calibration=Calibration.identity())


def claim(shares: np.ndarray, truth: np.ndarray) -> Claim:
    """Claims that are the shares themselves."""
    states = PairStates(truth.astype(np.uint8), shares)
    confidence = as_they_are(confidence_of(states, RECIPE, 500, ""))
    return Claim("chain", False, 500, states.n_variables, confidence, states, None, {})


def test_a_bin_is_off_where_what_is_claimed_is_not_true() -> None:
    rng = np.random.default_rng(1)
    shares = np.zeros((3, 66))
    shares[2] = 0.65
    right = [claim(shares, 3 * (rng.random(66) < 0.65)) for _ in range(30)]
    wrong = [claim(shares, 3 * (rng.random(66) < 0.35)) for _ in range(30)]
    found = judged({}, right)
    assert (found["bins"], found["within"], found["off"]) == (1, 1, "")
    found = judged({}, wrong)
    assert (found["bins"], found["within"]) == (1, 0)
    assert found["off"].endswith("for 0.65")
    # The standard error is that of independent pairs, here, within a third.
    error = float(found["off"].split(" ")[2])
    assert error == pytest.approx(np.sqrt(0.35 * 0.65 / (66 * 30)), abs=0.005)
    assert found["error"] == pytest.approx(0.3, abs=0.05)


def test_a_direction_of_no_edge_is_wrong() -> None:
    shares = np.zeros((3, 3))
    shares[0, 1:] = 0.98  # two causes that are not joined; in truth the second pair has an edge, and the third has none
    found = directions({}, [claim(shares, np.array([0, 1, 0]))])
    assert (found["compelled"], found["settled"], found["right"]) == (1, 2, 1)


def test_what_no_third_variable_compels_is_not_settled() -> None:
    shares = np.zeros((3, 3))
    shares[0] = 0.98  # all three are joined: networks may agree on directions, but none follows
    assert directions({}, [claim(shares, np.array([1, 1, 1]))])["settled"] == 0


def test_other_worlds_come_with_another_first_number() -> None:
    one, other = (list(CheckSettings(kinds=("chain",), nodes=(6,), repetitions=(2,), first=k).worlds()) for k in (0, 2))
    assert not {row["truth"] for row in one} & {row["truth"] for row in other}
    assert one == list(CheckSettings(kinds=("chain",), nodes=(6,), repetitions=(2,)).worlds())


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "benchmark"])
def test_every_kind_is_a_world_of_its_size(kind: str) -> None:
    for seed in range(3):
        text = world_text(kind, 9, np.random.default_rng(seed))
        Sources().check_network(text)
        assert len(Sources().world(text).names) == 9


def test_a_check_runs_and_judges_the_package(tmp_path: Path) -> None:
    study = read_study(STUDY, smoke=True)
    store = tmp_path / "check.duckdb"
    run_study(study, store, progress=False)
    rows, _ = read_frames(Store(store))["calibration_check"]
    assert len(rows) == 8
    tables = {table.name: table.frame for table in summarize(rows, RECIPE)}
    assert {"noise", "grid", "kinds", "sizes", "directions", "distances"} <= set(tables)
    assert tables["noise"]["tables"].sum() == 2
    assert isinstance(tables["distances"], pd.DataFrame)
    assert set(tables["distances"]["of"]) == {"60 cases", "200 cases", "chain"}
    assert set(tables["kinds"]["of"]) == {"chain", "tiers", "arcs"}
    told = [one for one in claims_of(rows, RECIPE) if one.confidence.constraints is not None]
    assert len(told) == 4 and all(len(one.probability) == len(one.real) == one.open.sum() for one in told)
    product = tmp_path / "calibration.json"
    product.write_text(calibration_table().to_json(), encoding="utf-8")
    assert export_product(store, product, "told") == 4
    made = CalibrationTable.from_json(product.read_text(encoding="utf-8"))
    assert made.entries["bootstrap", "qnml"].constrained == 4
    assert made.provenance["told"] == study.digest


@pytest.mark.parametrize("kind", ["tiers", "arcs"])
def test_what_is_told_is_true_and_is_not_judged(kind: str) -> None:
    for seed in range(5):
        world = Sources().world(world_text("logistic", 9, np.random.default_rng(seed)))
        told = known_facts(kind, world.dag, np.random.default_rng(seed))
        assert told.allows_dag(world.dag)
        truth = true_states(world.dag)
        states = PairStates(truth, np.full((3, 36), 0.3))
        made = Claim(kind, False, 500, 9, confidence_of(states, RECIPE, 500, "", told), states, None, {})
        both_ways = {frozenset(arc) for arc in told.forbidden if arc[::-1] in told.forbidden}
        decided = both_ways | {frozenset(arc) for arc in told.required}
        assert len(made.probability) == len(made.real) == 36 - len(decided)
        assert bool(decided) == (kind == "arcs")
