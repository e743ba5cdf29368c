"""`arcwise explain`: what the report says about an edge, the rules, the table, and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.analysis import Analysis
from arcwise.confidence import Fate
from arcwise.data import Dataset
from arcwise.findings.edge_record import EDGE_COLUMNS, FIRST_COLUMNS
from arcwise.findings.verdict import Verdict
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise.report.edges import effect_sentence, prior_sentence
from arcwise.report.explanation import EdgeExplanation, explain_folder

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Smoke and dust both lead to a cough; the coin and the odd name have nothing to do with it."""
    dag = Dag.from_arcs(["smoke", "dust", "cough", "a->b"], [("smoke", "cough"), ("dust", "cough")])
    rows = [[[0.5, 0.5]], [[0.6, 0.4]], [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.05, 0.95]], [[0.5, 0.5]]]
    network = BayesianNetwork(dag, [["no", "yes"]] * 4, rows)
    return learn(network.sample(400, seed=1), seed=1, permutations=5, name="air", threshold=0.6)


@pytest.fixture
def folder(analysis: Analysis, tmp_path: Path) -> Path:
    return analysis.save(tmp_path / "report")


def test_the_edges_of_the_network_in_the_words_of_the_report(cli: Cli, analysis: Analysis, folder: Path) -> None:
    found = json.loads(cli("explain", folder, "--json"))["edges"]
    kept = [edge for edge in analysis.edges if edge.fate in ("kept", "undirected")]
    assert len(kept) == 2
    assert [(e["from"], e["to"]) for e in found] == [(e.tail, e.head) for e in kept]
    text = " ".join(cli("explain", folder).split())
    for edge, said in zip(kept, found, strict=True):
        assert said["confidence"] == pytest.approx(edge.present)
        assert said["sentences"][0] == analysis.explain(edge.first, edge.second)
        shares = [said[name] for name in ("forward_if_edge", "backward_if_edge", "either_if_edge")]
        assert shares == pytest.approx(edge.split)
        assert analysis.explain(edge.first, edge.second) in text
        assert {m.label: m.threshold.value for m in analysis.thresholds.marks} == pytest.approx(said["rules"])
        assert said["kept_by"] == [m.label for m in analysis.thresholds.marks if edge.present > m.threshold.value]
        assert said["by_method"] == pytest.approx({k: v for k, v in edge.by_method[1:] if v is not None})
    assert "smoke → cough: rely on; direction settled" in text
    assert "What to do: report it. Its direction is settled, from the data" in text
    # The table of cough has two parents: smoke counts with dust held fixed, as it was made to.
    assert "With dust held fixed, cough = " in text
    means = np.asarray(analysis.network.table("cough")).mean(axis=1)[:, 1]  # over dust
    assert any(f"({max(p):.0%} against {min(p):.0%})" in text for p in (means, 1 - means))


@pytest.mark.parametrize(
    "words",
    [["smoke->cough"], ["cough -> smoke"], ["cough--smoke"], ["smoke", "cough"], ["smoke → cough"], ["cough<-smoke"]],
)
def test_edges_by_name(cli: Cli, folder: Path, words: list[str]) -> None:
    found = json.loads(cli("explain", folder, *words, "--json"))["edges"]
    assert [(e["from"], e["to"]) for e in found] == [("smoke", "cough")]


def test_names_with_arrows_and_pairs_without_an_edge(cli: Cli, folder: Path) -> None:
    found = json.loads(cli("explain", folder, "smoke->a->b", "a->b", "dust", "--json"))["edges"]
    assert [{e["first"], e["second"]} for e in found] == [{"smoke", "a->b"}, {"a->b", "dust"}]
    assert all(e["fate"] == "below" and not e["in_network"] for e in found)
    assert "not established: methods disagree" in cli("explain", folder, "smoke--a->b")
    lines = (folder / "edges.csv").read_text().splitlines(keepends=True)  # as if the pair had hardly any confidence
    (folder / "edges.csv").write_text("".join(line for line in lines if not line.startswith("smoke,a->b")))
    text = cli("explain", folder, "smoke--a->b")
    assert "Hardly any network joins smoke and a->b" in " ".join(text.split())
    assert "Without an edge, two variables can still be related" in " ".join(text.split())


def test_a_network_and_data(cli: Cli, analysis: Analysis, tmp_path: Path) -> None:
    analysis.data.to_file(tmp_path / "data.csv")
    (tmp_path / "graph.dot").write_text("digraph { smoke -> cough; dust -> cough }")
    text = " ".join(cli("explain", tmp_path / "graph.dot", "--data", tmp_path / "data.csv").split())
    edge = analysis.edge("smoke", "cough")
    assert "smoke → cough Of the rows with smoke = " in text
    assert effect_sentence(analysis.data, edge) in text
    assert prior_sentence(edge) in text
    assert "arcwise learn DATA -o DIR" in text
    cli("fit", tmp_path / "graph.dot", tmp_path / "data.csv", "-o", tmp_path / "network.bif", "-q")
    found = json.loads(
        cli(
            "explain", tmp_path / "network.bif", "--data", tmp_path / "data.csv", "dust--smoke", "dust->cough", "--json"
        )
    )
    assert [e["fate"] for e in found["edges"]] == ["below", "kept"]
    assert found["edges"][0]["confidence"] is None
    assert any("With smoke held fixed" in s for s in found["edges"][1]["sentences"])
    (tmp_path / "class.dot").write_text("digraph { smoke -> cough [dir=none]; dust }")
    assert "it fits either way" in cli("explain", tmp_path / "class.dot", "--data", tmp_path / "data.csv")


def test_a_network_without_edges_says_so(cli: Cli, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    noise = Dataset.from_codes(rng.integers(0, 2, (300, 3)), names=["x", "y", "z"])
    learn(noise, permutations=0, compare=False).save(tmp_path / "empty")
    assert "The network has no edge" in cli("explain", tmp_path / "empty")
    assert json.loads(cli("explain", tmp_path / "empty", "--json"))["edges"] == []


def test_mistakes_get_one_message(cli: Cli, folder: Path, tmp_path: Path) -> None:
    assert "did you mean 'smoke'" in cli("explain", folder, "smok->cough", code=1)
    assert "did you mean 'cough'" in cli("explain", folder, "smoke", "cogh", code=1)
    assert "did you mean 'smoke'" in cli("explain", folder, "smok", code=1)
    assert "twice" in cli("explain", folder, "smoke--smoke", code=1)
    assert "no such folder" in cli("explain", tmp_path / "none", code=1)
    assert "no such folder" in cli("explain", tmp_path / "none", "a--b", code=1)
    assert "give the folder" in cli("explain", folder / "network.bif", code=1)
    assert "Leave it out" in cli("explain", folder, "--data", "data.csv", code=1)
    assert "there is none" in cli("explain", folder, "--drop", "smoke", code=1)
    assert "run.json" in cli("explain", tmp_path, code=1)
    lines = (folder / "edges.csv").read_text().splitlines()
    (folder / "edges.csv").write_text("\n".join(line.replace("explanation", "words") for line in lines))
    assert "Write the folder again: arcwise.learn(data" in cli("explain", folder, code=1)


def test_advice_fits_the_edge(folder: Path) -> None:
    from dataclasses import replace

    found = explain_folder(folder)[0]

    def other(**changes: object) -> EdgeExplanation:
        return replace(found, edge=replace(found.edge, **{"judged": None, "probability": None, **changes}))  # type: ignore[arg-type]

    assert "Its direction is settled, from the data" in other(settled=True).advice
    assert "Its direction is likely" in other(settled=False, split=(0.8, 0.1, 0.1)).advice
    assert "Leave its direction open" in other(settled=False, split=(0.6, 0.3, 0.1)).advice
    assert "report with: probability 0.75" in other(present=0.75).advice
    assert "not established: probability 0.65" in other(present=0.65).advice
    assert "not established: methods disagree" in other(present=0.75, by_method=(("one", 0.9), ("another", 0.1))).advice
    assert "cycle" in other(fate=Fate.DROPPED).advice
    below = other(fate=Fate.BELOW, present=0.3)
    assert "--threshold 0.29" in below.advice
    assert "not in the network" in below.title
    assert "Other cut-offs" not in " ".join(other(fate=Fate.BELOW, present=0.02).sentences)
    assert "Other cut-offs keep it: learned" in " ".join(other(fate=Fate.BELOW, present=0.42).sentences)


@pytest.mark.parametrize("version", sorted({column.since for column in EDGE_COLUMNS}))
def test_a_folder_of_an_earlier_version_can_be_asked(cli: Cli, folder: Path, version: str) -> None:
    """Columns that came later are not missed: what they say is not known, and the words of the report are kept."""
    path = folder / "edges.csv"
    before = json.loads(cli("explain", folder, "--json"))["edges"]
    later = [column.name for column in EDGE_COLUMNS if column.since > version]
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    frame.drop(columns=[name for name in later if name in frame]).to_csv(path, index=False)
    found = json.loads(cli("explain", folder, "--json"))["edges"]
    assert [(e["from"], e["to"], e["sentences"][0]) for e in found] == [
        (e["from"], e["to"], e["sentences"][0]) for e in before
    ]
    for one, same in zip(found, before, strict=True):
        assert {k: v for k, v in one.items() if k not in (*later, "sentences", "advice")} == {
            k: v for k, v in same.items() if k not in (*later, "sentences", "advice")
        }
        assert one["origin"] == "found"
        assert one["without_constraints"] is None
        if "settled" in later:  # then the shares tell
            assert one["settled"] == (max(one["forward_if_edge"], one["backward_if_edge"]) >= 0.9)
    assert "What to do: report it." in cli("explain", folder, "smoke--cough")


def test_the_columns_of_the_first_version_are_those_that_it_wrote() -> None:
    written = "first second confidence standard_error forward_if_edge backward_if_edge either_if_edge from to"
    assert (*written.split(), "in_network", "fate", "agreement", "explanation") == FIRST_COLUMNS


def test_a_column_that_somebody_added_is_not_a_method(cli: Cli, folder: Path) -> None:
    """The methods are those that the record names; a note of 0.5 beside an edge is no confidence."""
    before = json.loads(cli("explain", folder, "--json"))["edges"]
    assert before[0]["by_method"]
    path = folder / "edges.csv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    for note in ("0.5", "hello"):
        written = [f"{header},my note", *(f"{line},{note}" for line in lines)]
        path.write_text("\n".join(written) + "\n", encoding="utf-8")
        assert json.loads(cli("explain", folder, "--json"))["edges"] == before


def test_a_change_of_nothing_names_no_states() -> None:
    from arcwise.findings.variable import Neighbour
    from arcwise.report.sections import _change

    def told(change: float) -> str:
        one = object.__new__(Neighbour)
        object.__setattr__(one, "change", change)
        object.__setattr__(one, "at", ("low", "high", "yes"))
        return _change(one)

    assert told(0.449) == "0.45 (low → high: yes)"
    assert told(0.004) == "0.00"


def test_the_advice_knows_what_else_is_said(folder: Path) -> None:
    """What the report decided is in the file; without it, an edge that the prior decides is not one to rely on."""

    def found() -> EdgeExplanation:
        return explain_folder(folder, [("smoke", "cough")])[0]

    assert (found().edge.verdict, found().edge.action) == (Verdict.RELY, "report it")
    edges = pd.read_csv(folder / "edges.csv", dtype=str, keep_default_na=False)
    its = (edges["first"] == "smoke") & (edges["second"] == "cough")
    edges.loc[its, ["verdict", "do"]] = "probably", "report with: the bins decide"
    edges.to_csv(folder / "edges.csv", index=False)
    assert found().advice.startswith("What to do: report with: the bins decide.")
    edges.loc[its, ["verdict", "prior"]] = "", "depends"
    edges.to_csv(folder / "edges.csv", index=False)
    assert found().advice.startswith("What to do: report with: the prior decides.")
