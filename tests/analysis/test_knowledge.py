"""What the analyst knows, end to end: it is obeyed, and directions follow it."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import datasets, learn, read_bif
from arcwise.confidence import Fate
from arcwise.graph import Constraints, read_graph

QUICK: dict[str, Any] = {"permutations": 0, "compare": False, "limit_seconds": None, "progress": False}


@pytest.fixture(scope="module")
def trial() -> pd.DataFrame:
    """A trial as survival::pbc is one: by chance, the treated are older; treatment does nothing."""
    rng = np.random.default_rng(3)
    n = 300
    age = rng.integers(0, 3, size=n)
    trt = (rng.random(n) < 0.3 + 0.2 * age).astype(int)
    stage = np.clip(age + rng.integers(0, 2, size=n), 0, 3)
    status = (rng.random(n) < 0.15 + 0.2 * stage).astype(int)
    frame = pd.DataFrame({"trt": trt, "age": age, "stage": stage, "status": status})
    return frame.map(lambda value: f"s{value}")


def test_a_forbidden_arc_is_in_no_file(trial: pd.DataFrame, tmp_path: Path) -> None:
    free = learn(trial, **QUICK)
    assert free.edge("age", "trt").fate.in_network  # the data would have it
    known = Constraints(list(trial), forbidden=[("age", "trt")])
    analysis = learn(trial, constraints=known, threshold=0.2, **QUICK)
    analysis.save(tmp_path / "out")
    dag = read_bif(tmp_path / "out" / "network.bif").dag
    assert "age" not in dag.parents_of("trt")
    assert known.allows_dag(dag)
    assert "probability ( trt | age )" not in (tmp_path / "out" / "network.bif").read_text()
    edge = analysis.edge("age", "trt")  # it may still be there the other way
    assert (edge.tail, edge.head) == ("trt", "age")
    assert edge.undirected == 0
    neither = Constraints(list(trial), forbidden=[("age", "trt"), ("trt", "age")])
    assert learn(trial, constraints=neither, **QUICK).confidence["age", "trt"] == 0


def test_a_required_arc_is_there_although_the_data_do_not_show_it(trial: pd.DataFrame, tmp_path: Path) -> None:
    known = Constraints(list(trial), required=[("trt", "status")])
    assert learn(trial, **QUICK).confidence["trt", "status"] < 0.5
    analysis = learn(trial, constraints=known, **QUICK)
    analysis.save(tmp_path / "out")
    assert ("trt", "status") in read_bif(tmp_path / "out" / "network.bif").dag.arcs
    assert ("trt", "status") in read_graph(tmp_path / "out" / "cpdag.graphml").arcs
    assert analysis.edge("trt", "status").fate is Fate.REQUIRED


@pytest.mark.parametrize(("method", "open_in"), [("credible", 0.9), ("bootstrap", 0.5)])
def test_tiers_direct_what_they_order(networks: Path, method: str, open_in: float) -> None:
    asia = read_bif(networks / "asia.bif.gz")
    data = asia.sample(5000, seed=1)
    tiers = [["asia", "smoke"], ["tub", "lung", "bronc"], ["either"], ["xray", "dysp"]]
    known = Constraints(asia.names, tiers=tiers)
    free = learn(data, method=method, **QUICK).edge("smoke", "bronc")
    assert not free.is_settled
    assert free.undirected > open_in  # either way, as far as the data go
    analysis = learn(data, method=method, constraints=known, **QUICK)
    edge = analysis.edge("smoke", "bronc")
    assert (edge.tail, edge.head, edge.fate) == ("smoke", "bronc", Fate.KEPT)
    assert edge.undirected == 0
    lines = [line for line in analysis.to_text().splitlines() if line.startswith("smoke → bronc")]
    assert lines
    assert "either way" not in lines[0]
    tier_of = {name: i for i, tier in enumerate(known.tiers) for name in tier}
    for found in analysis.edges:
        assert found.undirected == 0 or tier_of[found.first] == tier_of[found.second]


def test_cuts_that_are_chosen_with_a_structure_know_the_constraints(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("arcwise.local.joint_cuts")
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=200), "z": rng.normal(size=200), "id": range(200)})
    known = Constraints(["x", "y", "z"], required=[("y", "x")])
    asked: list[Any] = []
    search = module.hill_climb
    monkeypatch.setattr(module, "hill_climb", lambda *a, **k: asked.append(k["constraints"]) or search(*a, **k))
    learn(frame, constraints=known, discretize="joint", drop=("id",), **QUICK)
    assert asked
    assert set(asked) == {known}


def test_tiers_are_given_as_lists_or_as_text() -> None:
    """The order of time is a question of its own: lists, text and `Constraints` say the same, and add to each other."""
    data = datasets.load("balance-scale")
    rest = [name for name in data.names if name != "class"]
    quick = {"permutations": 0, "compare": False, "replicates": 20, "seed": 1, "progress": False}
    said = arcwise.Constraints(data.names, tiers=[rest, ["class"]])
    wanted = arcwise.learn(data, constraints=said, **quick)
    for tiers in ([rest, ["class"]], f"{', '.join(rest)} | class"):
        found = arcwise.learn(data, tiers=tiers, **quick)
        assert found.constraints == wanted.constraints
        assert found.confidence.directed.tolist() == wanted.confidence.directed.tolist()
    both = arcwise.learn(
        data,
        tiers=[rest, ["class"]],
        constraints=arcwise.Constraints(data.names, forbidden=[(rest[0], rest[1])]),
        **quick,
    )
    assert both.constraints is not None
    assert both.constraints.tiers == said.tiers and (rest[0], rest[1]) in both.constraints.forbidden
