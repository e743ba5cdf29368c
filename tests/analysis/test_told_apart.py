"""What the data found and what the analyst said, told apart from a CSV and a TOML file to every file of a run."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise.analysis import Origin, explain_folder
from arcwise.cli.main import main
from arcwise.confidence import Fate
from arcwise.graph import Constraints
from arcwise.model import read_bif

NAMES = ("smoke", "lung", "bronc", "dysp", "asia")
TOML = """
tiers = [["smoke"], ["lung", "bronc"], ["dysp"]]
required = [["asia", "dysp"]]
separate = [["smoke", "bronc"]]
leaves = ["dys?"]
"""
QUICK: dict[str, Any] = {"permutations": 0, "seed": 1}


def cases(rows: int = 600) -> pd.DataFrame:
    """Return cases in which smoking leads to both diseases, these to short breath, and a journey to nothing."""
    random = np.random.default_rng(5)

    def drawn(chance: Any) -> Any:
        return (random.random(rows) < chance).astype(int)

    smoke, asia = drawn(0.5), drawn(0.4)
    lung = drawn(0.1 + 0.4 * smoke)
    bronc = drawn(0.2 + 0.5 * smoke)
    dysp = drawn(0.1 + 0.4 * lung + 0.4 * bronc)
    return pd.DataFrame(dict(zip(NAMES, (smoke, lung, bronc, dysp, asia), strict=True)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("told")
    cases().to_csv(where / "cases.csv", index=False)
    (where / "known.toml").write_text(TOML)
    words = [
        "learn",
        str(where / "cases.csv"),
        "-o",
        str(where / "out"),
        "--details",
        "--constraints",
        str(where / "known.toml"),
    ]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), pytest.raises(SystemExit) as end:
        main([*words, "--method", "credible", "--permutations", "0", "--seed", "1", "--categorical"])
    assert not end.value.code
    (where / "terminal.txt").write_text(printed.getvalue())
    return where


def test_edges_csv_has_the_origins(folder: Path) -> None:
    table = pd.read_csv(folder / "out" / "edges.csv", keep_default_na=False).set_index(["first", "second"])
    assert table.loc[("dysp", "asia"), "origin"] == "required"
    directed = table.loc[("smoke", "lung"), ["from", "to", "origin", "said"]].tolist()
    assert directed == ["smoke", "lung", "directed", "your tiers"]
    apart = table.loc[("smoke", "bronc")]
    assert apart["origin"] == "forbidden"
    assert float(apart["without_constraints"]) > 0.9
    assert float(apart["confidence"]) == 0
    assert apart["said"] == "your word that there is no arc between smoke and bronc"
    assert float(table.loc[("dysp", "asia"), "without_constraints"]) < 0.5
    assert set(table["origin"]) <= {str(origin) for origin in Origin}


def test_terminal_report_and_record_speak_of_them(folder: Path) -> None:
    terminal = " ".join((folder / "terminal.txt").read_text().split())
    page = (folder / "out" / "report.html").read_text()
    record = json.loads((folder / "out" / "run.json").read_text())
    assert "What you said, and what it cost" in terminal
    assert "You forbade an edge that the data would have: smoke — bronc" in terminal
    assert "The data object to there being no arc between smoke and bronc by a factor of" in terminal
    for text in (
        "asia → dysp is required",
        "the tiers are smoke | lung, bronc | dysp",
        "dysp has no children",
        "required by you",
        "directed by your tiers",
        "forbidden by you (the data would have had it:",
        "Every network had to satisfy these constraints",
        "They lowered the log score of the best network by",
    ):
        assert text in page, text
    assert record["options"]["constraints"] == {
        "required": [["asia", "dysp"]],
        "tiers": [["smoke"], ["bronc", "lung"], ["dysp"]],
        "leaves": ["dysp"],
        "separate": [["bronc", "smoke"]],
    }
    price = record["result"]["constraints"]
    assert price["exact"] is True
    assert price["cost"] > 1
    assert price["statements"][0] == {"kind": "separate", "text": "there is no arc between smoke and bronc"} | {
        "cost": price["statements"][0]["cost"]
    }
    assert price["without_constraints"] > price["with_constraints"]


def test_explain_does_not_call_a_requirement_a_finding(folder: Path) -> None:
    required, directed, forbidden = explain_folder(
        folder / "out", [("asia", "dysp"), ("smoke", "lung"), ("smoke", "bronc")]
    )
    text = " ".join(required.sentences)
    assert "You required asia → dysp: every network has it, whatever the data say." in text
    assert "report it as an assumption, not as a finding" in required.advice
    assert "rely on it" not in text
    assert "cannot rule out" not in text
    assert required.title.endswith(": your assumption; direction yours")
    assert "comes from your tiers, not from the data. The data alone would not tell." in " ".join(directed.sentences)
    assert "Its direction is yours" in directed.advice
    assert "forbidden by you" in forbidden.title
    assert "Without your constraints the network would have it" in " ".join(forbidden.sentences)
    assert "report that you excluded it" in forbidden.advice
    assert not set(read_bif(folder / "out" / "network.bif").dag.arcs) & {("smoke", "bronc"), ("bronc", "smoke")}


def test_the_command_repeats_the_run(folder: Path) -> None:
    record = json.loads((folder / "out" / "run.json").read_text())
    assert "--constraints" in record["command"]
    known = Constraints(NAMES, **record["options"]["constraints"])
    again = arcwise.learn(folder / "cases.csv", constraints=known, categorical=True, method="credible", **QUICK)
    assert (folder / "out" / "edges.csv").read_text() == again.to_frame(full=True).to_csv(index=False)


def test_directions_that_follow_say_so() -> None:
    # smoke - lung is directed by the tiers; lung - bronc, without an edge from smoke, then follows.
    known = Constraints(NAMES, forbidden=[("lung", "smoke")], separate=[("smoke", "bronc")])
    analysis = arcwise.learn(cases(), constraints=known, categorical=True, compare=False, **QUICK)
    edge = analysis.edge("smoke", "lung")
    assert edge.origin is Origin.DIRECTED
    assert edge.origin_label == "directed by your forbidden arc lung → smoke"
    kinds = {frozenset((e.first, e.second)): e.origin for e in analysis.edges if e.fate.in_network}
    turned = {frozenset(pair) for pair in analysis.dag.cpdag.edges} - {frozenset(pair) for pair in analysis.cpdag.edges}
    assert {pair for pair, kind in kinds.items() if kind is Origin.FOLLOWS} == turned - {frozenset(("smoke", "lung"))}


def test_without_constraints_everything_is_found_and_nothing_more_is_computed() -> None:
    analysis = arcwise.learn(cases(), categorical=True, compare=False, **QUICK)
    assert analysis.without_constraints is None
    assert analysis.price is None
    assert {edge.origin for edge in analysis.edges} == {Origin.FOUND}
    assert "origin" not in analysis.to_text()
    empty = arcwise.learn(cases(), constraints=Constraints(NAMES), categorical=True, compare=False, **QUICK)
    assert empty.to_frame(full=True).equals(analysis.to_frame(full=True))


def test_ancestors_are_obeyed_to_the_last_file(tmp_path: Path) -> None:
    known = Constraints(NAMES, ancestors=[("asia", "smoke")], non_ancestors=[("smoke", "dysp")])
    analysis = arcwise.learn(cases(), constraints=known, categorical=True, **QUICK)
    assert analysis.main.recipe.source == "credible"
    assert not known.violations(analysis.dag)
    analysis.save(tmp_path / "out")
    assert not known.violations(read_bif(tmp_path / "out" / "network.bif").dag)
    assert analysis.price is not None
    assert analysis.price.cost > 1
    below = [edge for edge in analysis.consensus.edges if edge.fate is Fate.REQUIRED]
    for edge in below:
        found = analysis.edge(edge.tail, edge.head)
        assert found.origin is Origin.REQUIRED
        assert "on the most credible path" in analysis.explain(edge.tail, edge.head)
    with pytest.raises(arcwise.errors.ConstraintError, match="the bootstrap cannot obey constraints on ancestors"):
        arcwise.learn(cases(), constraints=known, categorical=True, method="bootstrap", **QUICK)
