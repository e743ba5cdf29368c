"""The verbs confidence, threshold and consensus, on files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from arcwise import datasets
from arcwise.confidence.learned_table import relearned_table
from arcwise.ensemble import NetworkSet
from arcwise.graph import Dag

NAMES = ["a", "b", "c", "d"]


Cli = Callable[..., str]


@pytest.fixture
def confidence(cli: Cli, tmp_path: Path) -> Path:
    dags = [Dag(NAMES, [[], [], [0, 1], []]), Dag(NAMES, [[], [], [0, 1], [2]]), Dag(NAMES, [[], [], [0], []])]
    NetworkSet.from_dags(dags, origin="bootstrap").save(tmp_path / "nets.parquet")
    cli("confidence", tmp_path / "nets.parquet", "-o", tmp_path / "confidence.parquet")
    return tmp_path / "confidence.parquet"


def test_from_networks_to_a_graph(cli: Cli, confidence: Path, tmp_path: Path) -> None:
    facts = json.loads(cli("confidence", tmp_path / "nets.parquet", "--json", "--above", 0.5))
    assert {(p["first"], p["second"]) for p in facts["pairs"]} == {("a", "c"), ("b", "c")}
    assert json.loads(cli("threshold", confidence, "--json"))["details"]["equivalent"] == 0.5
    assert json.loads(cli("threshold", confidence, "--rule", "cost", "--alpha", 3, "--json"))["threshold"] == 0.25
    network = tmp_path / "network.graphml"
    found = json.loads(cli("consensus", confidence, "--threshold", 0.5, "-o", network, "--json"))
    assert found["arcs"] == [["a", "c"], ["b", "c"]]
    assert set(nx.read_graphml(network).edges) == {("a", "c"), ("b", "c")}
    for suffix in ("csv", "dot", "txt"):
        cli("consensus", confidence, "--threshold", 0.5, "-o", tmp_path / f"network.{suffix}")
        assert (tmp_path / f"network.{suffix}").stat().st_size > 0
    assert "a -> c  1.0000" in cli("consensus", confidence, "--threshold", 0.5)


def test_broom_from_files(cli: Cli, confidence: Path) -> None:
    facts = json.loads(
        cli("threshold", confidence, "--rule", "broom", "--permuted", confidence, "--permuted", confidence, "--json")
    )
    assert facts["threshold"] == 1  # no more edges than in the "permuted" data


def test_mistakes_get_one_message(cli: Cli, confidence: Path, tmp_path: Path) -> None:
    assert "did you mean 'gross'" in cli("threshold", confidence, "--rule", "grosz", code=1)
    assert "--beta 1: the rule 'gross' has no options" in cli(
        "threshold", confidence, "--rule", "gross", "--beta", 1, code=1
    )
    assert "must be a positive number" in cli("threshold", confidence, "--rule", "cost", "--beta", 0, code=1)
    assert "cannot read" in cli("confidence", tmp_path / "none.parquet", code=1)
    assert "not one of edge confidences" in cli("threshold", tmp_path / "nets.parquet", code=1)
    assert "must end in" in cli("consensus", confidence, "--threshold", 0.5, "-o", tmp_path / "a.xyz", code=1)
    assert not (tmp_path / "a.xyz").exists()


@pytest.mark.parametrize("verb", ["credible", "bootstrap"])
def test_from_data_to_a_defended_threshold(cli: Cli, tmp_path: Path, verb: str) -> None:
    data, nets, conf = tmp_path / "data.csv", tmp_path / "nets.parquet", tmp_path / "conf.parquet"
    datasets.load("tic-tac-toe").to_file(data)
    options = ["--replicates", 20, "--seed", 1] if verb == "bootstrap" else []
    cli(verb, data, "--score", "bic", *options, "-o", nets, "-q")
    cli("confidence", nets, "-o", conf)
    facts = json.loads(cli("threshold", conf, "--rule", "learned", "--metric", "f", "--beta", 0.5, "--json"))
    expected = relearned_table().find(verb, "bic", 958, "f", 0.5)
    assert facts["threshold"] == expected.threshold  # the number of cases went through the files
    assert facts["rule"] == "learned"
    assert facts["meaning"] == "reporting only true edges matters twice as much as finding all of them"
    assert len(facts["neighbours"]) >= 3
    text = cli("threshold", conf, "--metric", "cost", "--alpha", 2)
    assert "missing an edge costs you twice an extra edge" in text
    assert "wrong" in text and "missing" in text
    usual = json.loads(cli("threshold", conf, "--metric", "cost", "--alpha", 2, "--json"))
    assert (usual["rule"], usual["details"]["probability"]) == ("calibrated", pytest.approx(1 / 3))
    plain = ("threshold", conf, "--rule", "calibrated", "--metric", "cost", "--alpha", 2, "--calibration", "none")
    assert json.loads(cli(*plain, "--json"))["threshold"] == pytest.approx(1 / 3)
    careful = json.loads(cli("threshold", conf, "--false-rate", 0.05, "--json"))
    assert careful["details"]["false"] <= 0.05 * careful["significant"] + 1e-9
    for rule, more in (
        ("scutari", []),
        ("gross", []),
        ("cost", ["--beta", 0.5]),
        ("fixed", ["--value", 0.85]),
        ("learned", []),
        ("learned", ["--published"]),
        ("broom", ["--data", data, "--permutations", 3, "-q"]),
    ):
        found = json.loads(cli("threshold", conf, "--rule", rule, *more, "--json"))
        assert 0 <= found["threshold"] <= 1
        assert found["rule"] == rule
    assert "takes alpha, not beta" in cli("threshold", conf, "--metric", "cost", "--beta", 1, code=1)
    assert "must be a positive number" in cli("threshold", conf, "--metric", "f", "--beta", 0, code=1)
    assert "needs --data" in cli("threshold", conf, "--rule", "broom", code=1)
    assert "are for the rule 'broom'" in cli("threshold", conf, "--rule", "gross", "--data", data, code=1)


def test_features_and_comparison(cli: Cli, confidence: Path, tmp_path: Path) -> None:
    nets = tmp_path / "nets.parquet"
    blankets = json.loads(cli("confidence", nets, "--feature", "markov-blanket", "--json"))["pairs"]
    assert {(p["first"], p["second"]) for p in blankets} >= {("a", "b"), ("a", "c")}
    for other in (nets, confidence):
        both = json.loads(cli("confidence", nets, "--compare", other, "--json"))["pairs"]
        assert all(pair["difference"] == 0 for pair in both)
    assert "difference" in cli("confidence", nets, "--compare", nets)


def test_sets_that_make_no_sense(cli: Cli, confidence: Path, tmp_path: Path) -> None:
    nets = NetworkSet.load(tmp_path / "nets.parquet")
    nets[0:0].save(tmp_path / "empty.parquet")
    assert "there is no network in the set" in cli("confidence", tmp_path / "empty.parquet", code=1)
    NetworkSet.from_dags([Dag(["a", "z"], [[], []])], origin="x").save(tmp_path / "other.parquet")
    message = cli("confidence", tmp_path / "nets.parquet", "--compare", tmp_path / "other.parquet", code=1)
    assert "b, c, d, z occur in one only" in message
    weights = nets.log_weights.copy()
    weights[0] = np.nan
    replace(nets, log_weights=weights).save(tmp_path / "nan.parquet")
    assert "weights of the networks do not sum to 1" in cli("confidence", tmp_path / "nan.parquet", code=1)


def test_bootstrap_cuts_numbers_anew(cli: Callable[..., str], tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=80)
    rows = "".join(f"{a:.3f},{'on' if a + e > 0 else 'off'}\n" for a, e in zip(x, rng.normal(size=80), strict=True))
    path = tmp_path / "raw.csv"
    path.write_text("x,c\n" + rows)
    made = json.loads(cli("bootstrap", path, "--recut", "quantile", "--bins", 2, "--replicates", 8, "--json"))
    assert made["networks"] == 8 and made["cut"] == {"method": "quantile", "bins": 2}
    assert all(edge["strength"] <= 1.0 for edge in made["edges"])
    assert "Name the class column: --target" in cli("bootstrap", path, "--recut", "mdl", code=1)
    assert "there are none" in cli("bootstrap", path, "--recut", "width", "--categorical", code=1)
