"""From a CSV file with a column of interventions to the files of `learn`, and the verbs that read data."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.confidence import EdgeConfidence
from arcwise.data import read_data
from arcwise.ensemble import NetworkSet
from arcwise.errors import DataError, DataWarning
from arcwise.graph import Dag, FixedPairs
from arcwise.model import BayesianNetwork, read_bif
from arcwise.parent_sets import read_parent_sets

Cli = Callable[..., str]
CHAIN = Dag.from_arcs(["raf", "mek", "erk"], [("raf", "mek"), ("mek", "erk")])


@pytest.fixture
def cells(tmp_path: Path) -> Path:
    """A chain of three, observed and with an inhibitor of the middle one, as a laboratory would write it down."""
    network = BayesianNetwork(
        CHAIN, [["low", "high"]] * 3, [[[0.5, 0.5]], [[0.8, 0.2], [0.2, 0.8]], [[0.85, 0.15], [0.1, 0.9]]]
    )
    frames = []
    for label, do in (("control", None), ("inhibitor", {"mek": "low"}), ("stimulus", {"mek": "high"})):
        frame = network.sample(400, seed=len(frames), do=do).to_dataframe()[list(CHAIN.names)]  # type: ignore[arg-type]
        frames.append(frame.assign(plate=label))
    pd.concat(frames).to_csv(tmp_path / "cells.csv", index=False)
    return tmp_path / "cells.csv"


WORDS = (
    *("--interventions", "plate", "--condition", "control=", "--condition", "inhibitor=mek"),
    *("--condition", "stimulus=mek", "--no-compare", "--permutations", 0, "--seed", 1),
)


def test_directions_come_from_the_experiment(
    cli: Cli, cells: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("learn", cells, *WORDS, "-o", tmp_path / "out")
    edges = pd.read_csv(tmp_path / "out" / "edges.csv")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert sorted(map(tuple, record["result"]["arcs"])) == [("mek", "erk"), ("raf", "mek")]
    assert record["options"]["interventions"] == "plate"
    assert record["options"]["conditions"] == ["control=", "inhibitor=mek", "stimulus=mek"]
    assert any("set by experiments: mek in 800 of 1,200 rows" in step for step in record["data"]["steps"])
    assert "experiments" not in record["result"]  # nothing is open
    confidence = EdgeConfidence.load(tmp_path / "out" / "confidence.parquet")
    assert confidence.undirected.sum() == pytest.approx(0.0, abs=1e-6)
    assert len(edges) >= 2
    assert "->" in (tmp_path / "out" / "cpdag.dot").read_text()
    report = (tmp_path / "out" / "report.html").read_text()
    assert "Cooper" in report
    assert "Which experiment next" not in report
    fitted = read_bif(tmp_path / "out" / "network.bif")
    plain = pd.read_csv(cells)
    control = plain[plain["plate"] == "control"]  # in the other rows mek was set
    for state in ("low", "high"):
        share = float((control["mek"][control["raf"] == state] == "high").mean())
        assert fitted.query("mek", {"raf": state})["high"] == pytest.approx(share, abs=0.01)
    # The record repeats the run.
    monkeypatch.chdir(cells.parent)
    cli(*shlex.split(record["command"])[1:], "-o", tmp_path / "again", "--force")
    for name in ("run.json", "edges.csv", "network.bif"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_the_same_in_python_and_without_the_column(cli: Cli, cells: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(cells)
    conditions = {"control": "", "inhibitor": "mek", "stimulus": ["mek"]}
    options = {"compare": False, "permutations": 0, "seed": 1}
    found = learn(frame, interventions="plate", conditions=conditions, **options)
    cli("learn", cells, *WORDS, "-o", tmp_path / "out")
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert found.data.digest == record["data"]["digest"]
    targets = np.where(frame["plate"] == "control", "", "mek").tolist()
    given = read_data(cells, drop=["plate"]).with_targets(targets)
    assert learn(given, **options).dag == found.dag
    blind = learn(frame.drop(columns="plate"), **options)
    assert blind.main.experiments is not None
    assert blind.main.experiments.best == "mek"
    assert "Which experiment next" in blind.to_text()


def test_the_column_is_asked_to_be_explained(cli: Cli, cells: Path) -> None:
    message = cli("learn", cells, "--interventions", "plate", code=1)
    assert "'control'" in message
    assert "--condition control= --condition inhibitor=VARIABLE --condition stimulus=VARIABLE" in " ".join(
        message.split()
    )
    rest = cli("learn", cells, "--interventions", "plate", "--condition", "control=", code=1)
    assert "says 'inhibitor'" in rest
    assert "control=" not in rest
    with pytest.raises(
        DataError, match=r"conditions=\{'control': '', 'inhibitor': 'VARIABLE', 'stimulus': 'VARIABLE'\}"
    ):
        read_data(cells, interventions="plate")
    assert "--interventions" in cli("learn", cells, "--condition", "control=", code=1)
    assert "'plates'" in cli("learn", cells, "--interventions", "plates", code=1)


def test_conditions_that_no_row_has_are_told(cells: Path) -> None:
    known = {"control": "", "inhibitor": "mek", "stimulus": "mek"}
    with pytest.warns(DataWarning, match=r"nowhere says 'extra'.*'control', 'inhibitor', 'stimulus'"):
        found = read_data(cells, interventions="plate", conditions={**known, "extra": "raf"})
    assert found.digest == read_data(cells, interventions="plate", conditions=known).digest


def test_stage_verbs_read_the_column(cli: Cli, cells: Path, tmp_path: Path) -> None:
    words = ("--interventions", "plate", "--condition", "control=", "--condition", "inhibitor=mek")
    words = (*words, "--condition", "stimulus=mek")
    cli("scores", cells, *words, "--score", "bic", "-o", tmp_path / "table.arct")
    assert read_parent_sets(tmp_path / "table.arct").targets == ((), ("mek",))
    credible = json.loads(cli("credible", tmp_path / "table.arct", "--bayes-factor", 1, "--json"))
    assert credible["count"] == 1  # three without the experiment
    network = json.loads(cli("optimal", tmp_path / "table.arct", "--json"))
    assert sorted(map(tuple, network["arcs"])) == [("mek", "erk"), ("raf", "mek")]
    cli("bootstrap", cells, *words, "--replicates", 5, "--seed", 1, "-o", tmp_path / "boot.nets")
    networks = NetworkSet.load(tmp_path / "boot.nets")
    assert networks.fixed == FixedPairs.by_targets(networks.names, [["mek"]])


def test_stage_verbs_resample_groups(cli: Cli, tmp_path: Path) -> None:
    codes = np.random.default_rng(1).integers(0, 3, (60, 4))
    frame = pd.DataFrame(np.repeat(codes, 4, axis=0), columns=list("abcd")).astype(str)
    path = tmp_path / "visits.csv"
    frame.assign(patient=np.repeat(np.arange(60), 4)).to_csv(path, index=False)
    words = ["bootstrap", str(path), "--score", "bdeu", "--replicates", "12", "--seed", "3", "--json"]
    kept = tmp_path / "kept.arcwise"
    edges = json.loads(cli(*words, "--groups", "patient", "--resume", kept))["edges"]
    assert json.loads(cli(*words, "--groups", "patient", "--resume", kept))["edges"] == edges
    alone = json.loads(cli(*words, "--drop", "patient"))["edges"]
    assert sum(edge["strength"] for edge in edges) < sum(edge["strength"] for edge in alone)
    assert "data" in cli(*words, "--drop", "patient", "--resume", kept, code=1)
    assert "patient" not in {edge["from"] for edge in edges}
    assert "--groups names the unknown column 'doctor'" in " ".join(cli(*words, "--groups", "doctor", code=1).split())
    out = tmp_path / "out"
    cli("learn", path, "--groups", "patient", "--no-compare", "--replicates", 20, "-o", out)
    record = json.loads((out / "run.json").read_text())
    assert record["data"]["groups"] == record["data"]["effective_cases"] == 60
    assert "--groups patient" in record["command"]
    assert any("'patient'" in step for step in record["data"]["steps"])
