"""A graph that one verb writes, in whatever format or to a pipe, is one that every other verb reads."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise import datasets
from arcwise.model import read_bif

Cli = Callable[..., str]
Feed = Callable[[bytes], None]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    datasets.load("balance-scale").to_file(tmp_path / "data.csv")
    return tmp_path / "data.csv"


@pytest.fixture
def feed(monkeypatch: pytest.MonkeyPatch) -> Feed:
    def give(content: bytes) -> None:
        stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))

    return give


@pytest.mark.parametrize("suffix", [".csv", ".dot", ".graphml", ".txt", ".graphml.gz", ".json", ".modelstring"])
def test_fit_and_evaluate_read_what_search_and_optimal_write(
    cli: Cli, data: Path, tmp_path: Path, suffix: str, feed: Feed
) -> None:
    for verb in ("search", "optimal"):
        graph = tmp_path / f"graph{suffix}"
        if suffix == ".json":
            graph.write_text(cli(verb, data, "--json", "-q"))
        else:
            cli(verb, data, "-o", graph, "-q")
        found = json.loads(cli("fit", graph, data, "-o", tmp_path / "network.bif", "--json"))
        assert (found["variables"], found["arcs"]) == (5, 4)
        compared = json.loads(cli("evaluate", graph, tmp_path / "network.bif", "--json"))
        assert compared["shd"] == 0
        feed(graph.read_bytes())
        assert json.loads(cli("fit", "-", data, "--json"))["log_likelihood"] == found["log_likelihood"]
        feed(graph.read_bytes())
        assert json.loads(cli("evaluate", tmp_path / "network.bif", "-", "--json"))["shd"] == 0


def test_a_network_on_stdin(cli: Cli, data: Path, tmp_path: Path, feed: Feed) -> None:
    cli("search", data, "-o", tmp_path / "graph.txt", "-q")
    cli("fit", tmp_path / "graph.txt", data, "-o", tmp_path / "network.bif.gz", "-q")
    feed((tmp_path / "network.bif.gz").read_bytes())
    rows = cli("sample", "-", "--rows", 3).splitlines()
    assert rows[0] == ",".join(read_bif(tmp_path / "network.bif.gz").names)
    assert len(rows) == 4


def test_what_a_graph_cannot_do_is_said(cli: Cli, data: Path, tmp_path: Path) -> None:
    cli("search", data, "-o", tmp_path / "graph.graphml", "-q")
    message = cli("sample", tmp_path / "graph.graphml", "--rows", 3, code=1)
    assert "a graph without probability tables" in message
    assert "arcwise fit" in message
    assert "only one" in cli("evaluate", "-", "-", code=2)
    assert "only one" in cli("fit", "-", "-", code=2)
    (tmp_path / "open.dot").write_text('digraph { class -> "left-weight" [dir=none] }')
    assert "the graph has undirected edges" in cli("fit", tmp_path / "open.dot", data, code=1)
    (tmp_path / "graph.xyz").write_text("a")
    assert "known are a network (.bif, .xmlbif," in cli("fit", tmp_path / "graph.xyz", data, code=1)


def test_convert_writes_what_the_name_says(cli: Cli, data: Path, tmp_path: Path, feed: Feed) -> None:
    cli("search", data, "-o", tmp_path / "graph.txt", "-q")
    cli("fit", tmp_path / "graph.txt", data, "-o", tmp_path / "a.bif", "-q")
    network = read_bif(tmp_path / "a.bif")
    before = "a.bif"
    for name in ("b.xmlbif", "c.net", "d.xdsl.gz", "e.uai"):
        cli("convert", tmp_path / before, "-o", tmp_path / name)
        before = name
        feed((tmp_path / name).read_bytes())
        assert cli("convert", "-") == (tmp_path / "a.bif").read_text()
    found = json.loads(cli("convert", tmp_path / "e.uai", "-o", tmp_path / "f.modelstring", "--json"))
    assert (found["variables"], found["edges"], found["has_tables"]) == (5, 4, True)
    feed((tmp_path / "f.modelstring").read_bytes())
    assert cli("convert", "-").startswith("from,to,kind")
    (tmp_path / "g.txt").write_text((tmp_path / "f.modelstring").read_text())
    cli("convert", tmp_path / "g.txt", "-o", tmp_path / "h.txt")
    assert (tmp_path / "h.txt").read_text() == (tmp_path / "graph.txt").read_text()
    assert read_bif(tmp_path / "a.bif") == network
    assert "without probability tables" in cli("convert", tmp_path / "h.txt", "-o", tmp_path / "i.net", code=1)
    assert "must end in" in cli("convert", tmp_path / "h.txt", "-o", tmp_path / "i.zip", code=1)
    assert "known are .bif, .xmlbif" in cli("fit", tmp_path / "h.txt", data, "-o", tmp_path / "i.csv", code=1)
