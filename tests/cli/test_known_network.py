"""Constraints from verb to verb: every file that the command line writes obeys them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise import datasets
from arcwise.ensemble import NetworkSet
from arcwise.graph import Constraints, broken_rules, read_graph

NAMES = ("class", "left-weight", "left-distance", "right-weight", "right-distance")
KNOWN = {
    "tiers": [["class"], list(NAMES[1:])],
    "required": [["left-weight", "right-weight"]],
    "max_parents_of": {"left-distance": 0},
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    datasets.load("balance-scale").to_dataframe().to_csv(path, index=False)
    return path


def obeys(path: Path) -> bool:
    graph = read_graph(path) if path.suffix != ".csv" else read_graph(path, names=NAMES)
    return broken_rules(graph, Constraints(NAMES, **KNOWN)) == []


@pytest.mark.parametrize("verb", ["optimal", "search"])
def test_single_networks(verb: str, data: Path, tmp_path: Path, cli: Callable[..., str]) -> None:
    cli(verb, data, "--constraints", json.dumps(KNOWN), "-o", tmp_path / "net.graphml", "--quiet")
    assert obeys(tmp_path / "net.graphml")


@pytest.mark.parametrize(
    "verb", [("credible", "--bayes-factor", "20"), ("bootstrap", "--replicates", "6", "--seed", "1")]
)
def test_from_networks_to_the_consensus(
    verb: tuple[str, ...], data: Path, tmp_path: Path, cli: Callable[..., str]
) -> None:
    name, *options = verb
    cli(name, data, *options, "--constraints", json.dumps(KNOWN), "-o", tmp_path / "all.nets", "--quiet")
    cli("confidence", tmp_path / "all.nets", "-o", tmp_path / "confidence.parquet", "--quiet")
    for number, extra in enumerate(((), ("--cpdag",))):
        for threshold in ("0", "0.5", "1"):
            path = tmp_path / f"{number}-{threshold}.graphml"
            cli("consensus", tmp_path / "confidence.parquet", "--threshold", threshold, *extra, "-o", path, "--quiet")
            assert obeys(path)
    printed = cli("consensus", tmp_path / "confidence.parquet", "--threshold", "1")
    assert "left-weight -> right-weight" in printed
    assert "required" in printed


def test_other_constraints_may_be_given_to_the_consensus(data: Path, tmp_path: Path, cli: Callable[..., str]) -> None:
    cli("bootstrap", data, "--replicates", "4", "--seed", "1", "-o", tmp_path / "all.nets", "--quiet")
    cli("confidence", tmp_path / "all.nets", "-o", tmp_path / "confidence.parquet", "--quiet")
    found = cli("consensus", tmp_path / "confidence.parquet", "--threshold", "0", "--json")
    assert json.loads(found)["arcs"]
    neither = [[a, b] for a in NAMES for b in NAMES if a != b]
    rules = json.dumps({"forbidden": neither})
    found = cli("consensus", tmp_path / "confidence.parquet", "--threshold", "0", "--constraints", rules, "--json")
    assert json.loads(found)["arcs"] == []
    assert {edge["fate"] for edge in json.loads(found)["edges"]} == {"forbidden"}


def test_a_credible_set_under_constraints_on_ancestors(data: Path, tmp_path: Path, cli: Callable[..., str]) -> None:
    known = Constraints(NAMES, ancestors=[("class", "left-weight")])
    listed = ("credible", data, "--constraints", json.dumps(known.describe()), "--bayes-factor", "20", "--json")
    found = json.loads(cli(*listed, "-o", tmp_path / "all.nets", "--quiet"))
    networks = NetworkSet.load(tmp_path / "all.nets")
    assert found["complete"] and found["count"] == networks.count > 0
    assert all(known.allows_dag(dag) for dag in networks)
    assert networks.obeyed == known
    shown = {(arc["from"], arc["to"]): arc["probability"] for arc in found["arcs"]}
    probabilities = networks.arc_probabilities()
    assert shown == {
        (NAMES[p], NAMES[c]): pytest.approx(
            probabilities[networks.names.index(NAMES[p]), networks.names.index(NAMES[c])]
        )
        for p in range(5)
        for c in range(5)
        if probabilities[networks.names.index(NAMES[p]), networks.names.index(NAMES[c])]
    }
    cli("confidence", tmp_path / "all.nets", "-o", tmp_path / "confidence.parquet", "--quiet")
    for extra in ((), ("--cpdag",)):
        path = tmp_path / "net.graphml"
        cli("consensus", tmp_path / "confidence.parquet", "--threshold", "0.5", *extra, "-o", path, "--quiet")
        assert broken_rules(read_graph(path), known) == []
