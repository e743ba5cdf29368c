"""The verb query: one question or several, rows of evidence, files."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, write_bif

Cli = Callable[..., str]

NETWORK = BayesianNetwork(
    Dag.from_arcs(["rain", "wet grass", "slip"], [("rain", "wet grass"), ("wet grass", "slip")]),
    [["no", "yes"], ["dry", "wet, very"], ["no", "yes"]],
    [[[0.8, 0.2]], [[0.9, 0.1], [0.0, 1.0]], [[1.0, 0.0], [0.7, 0.3]]],
)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    write_bif(NETWORK, tmp_path / "rain.bif.gz")
    return tmp_path / "rain.bif.gz"


def test_questions_are_answered_as_by_the_library(cli: Cli, network: Path, tmp_path: Path) -> None:
    questions = [
        "P(rain | slip=yes)",
        'P(rain, "wet grass")',
        "P(slip=yes | rain=yes)",
        "P(* | slip=yes)",
        "MPE(rain=no)",
    ]
    found = json.loads(cli("query", network, *questions, "--json", "--threads", 2))["answers"]
    rain = NETWORK.query("rain", {"slip": "yes"})
    assert found[0]["probabilities"][1] == {"rain": "yes", "probability": rain["yes"]}
    assert found[0]["log_evidence"] == rain.log_evidence
    assert [cell["probability"] for cell in found[1]["probabilities"]] == pytest.approx([0.72, 0.08, 0, 0.2])
    assert found[2]["probability"] == pytest.approx(0.3)
    assert found[3]["marginals"]["wet grass"] == {"dry": 0, "wet, very": 1}
    assert found[4]["states"] == {"wet grass": "dry", "slip": "no"}
    assert found[4]["probability"] == pytest.approx(0.9)
    printed = cli("query", network, *questions)
    assert "wet, very" in printed
    assert f"probability of the evidence: {math.exp(rain.log_evidence):.6g}" in printed
    assert "probability of these states given the evidence: 0.9" in printed
    cli("query", network, questions[0], "-o", tmp_path / "rain.csv")
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "rain.csv"), rain.to_frame())
    assert cli("query", network, questions[0], "-o", "-") == (tmp_path / "rain.csv").read_text()


def test_rows_of_evidence(cli: Cli, network: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("slip,wet grass,other\nyes,,1\n,dry,2\nno,?,3\nyes,dry,4\n")
    assert "line 5 (wet grass=dry, slip=yes) has probability 0" in cli(
        "query", network, "P(rain)", "--evidence", rows, code=1
    )
    output = tmp_path / "answers.csv.gz"
    told = cli("query", network, "P(rain)", "--evidence", rows, "--impossible", "missing", "-o", output)
    assert told == ""
    frame = pd.read_csv(output)
    assert list(frame.columns) == ["rain=no", "rain=yes", "log_evidence"]
    assert frame.isna().sum(axis=1).tolist() == [0, 0, 0, 2]
    assert frame["log_evidence"][3] == -math.inf
    for number, evidence in enumerate([{"slip": "yes"}, {"wet grass": "dry"}, {"slip": "no"}]):
        one = NETWORK.query("rain", evidence)
        assert frame["rain=yes"][number] == pytest.approx(one["yes"])
        assert frame["log_evidence"][number] == pytest.approx(one.log_evidence)
    rows.write_text("slip\nyes\nno\n")
    printed = cli("query", network, 'P("wet grass", rain)', "--evidence", rows)
    assert printed.splitlines()[0].startswith('"wet grass=dry, rain=no",')


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["P(rain"], "a comma or", 1),
        (["P(rian)"], "did you mean 'rain'", 1),
        (["P(rain | slip=maybe)"], "unknown state of 'slip' 'maybe'", 1),
        (['P(rain | slip=yes, "wet grass"=dry)'], "the evidence is impossible: slip=yes, wet grass=dry", 1),
        (['P(rain=yes | slip=yes, "wet grass"=dry)'], "the evidence is impossible", 1),
        (["P(rain=yes | rain=yes)"], "both asked for and observed", 1),
        (["P(rain=yes, rain=no)"], "names a variable twice", 1),
        (["P(slip)", "--max-cells", "1"], "raise --max-cells", 1),
        (["P(slip)", "-o", "answers.txt"], "end the name in .csv", 1),
        (["P(slip)", "P(rain)", "-o", "answers.csv"], "one question at a time", 2),
        (["P(slip)", "--impossible", "perhaps"], "error or missing", 2),
        (["MPE()", "--evidence", "rows.csv"], "cannot be asked for rows", 1),
        ([], "Missing argument", 2),
    ],
)
def test_mistakes(cli: Cli, network: Path, arguments: list[str], message: str, code: int) -> None:
    assert message in cli("query", network, *arguments, code=code)


def test_a_graph_has_no_probabilities(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "graph.csv").write_text("from,to\na,b\n")
    assert "arcwise fit" in cli("query", tmp_path / "graph.csv", "P(a)", code=1)
