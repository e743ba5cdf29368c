"""The verbs confidence, threshold and consensus, on files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import pytest

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
    assert "wrong options for the rule 'gross'" in cli("threshold", confidence, "--rule", "gross", "--beta", 1, code=1)
    assert "must be a positive number" in cli("threshold", confidence, "--rule", "cost", "--beta", 0, code=1)
    assert "cannot read" in cli("confidence", tmp_path / "none.parquet", code=1)
    assert "not one of edge confidences" in cli("threshold", tmp_path / "nets.parquet", code=1)
    assert "must end in" in cli("consensus", confidence, "--threshold", 0.5, "-o", tmp_path / "a.xyz", code=1)
    assert not (tmp_path / "a.xyz").exists()
