"""`arcwise learn` on the command line: agreement, messages, exit codes, JSON."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import arcwise
from arcwise import Analysis, datasets
from arcwise.analysis import learning
from arcwise.analysis.folder import FILES
from arcwise.findings.edge_record import Verdict
from arcwise.report.report import print_answer, rendered


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    path = tmp_path / "iris.csv"
    datasets.load("iris").to_file(path)
    return path


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": rng.normal(size=80).round(3), "b": rng.choice(["x", "y"], size=80), "c": "same"})
    frame.loc[2, "b"] = None
    path = tmp_path / "messy.csv"
    frame.to_csv(path, index=False)
    return path


def test_from_a_file_to_a_folder(cli: Callable[..., str], flowers: Path, tmp_path: Path) -> None:
    printed = cli("learn", flowers, "-o", tmp_path / "out", "--seed", 1)
    assert f"Report  {tmp_path / 'out' / 'report.html'}" in printed.splitlines()
    assert "petal-length" in printed
    asked = [line.removeprefix("Next").strip() for line in printed.splitlines()[-3:]]
    for command in asked:  # each works as it stands
        program, *words = shlex.split(command)
        assert program == "arcwise"
        assert cli(*words)
    assert len(list((tmp_path / "out").iterdir())) == len(FILES)
    assert "--force" in cli("learn", flowers, "-o", tmp_path / "out", code=1)
    cli("learn", flowers, "-o", tmp_path / "out", "--force", "--quiet", "--no-compare", "--permutations", 0)


def test_ctrl_c_once_a_first_report_is_there_ends_with_it(
    cli: Callable[..., str], flowers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, written = Analysis.save, []

    def interrupted(found: Analysis, *folder: Path, force: bool) -> Path:
        written.append(save(found, *folder, force=force))
        if len(written) == 1:
            raise KeyboardInterrupt
        return written[-1]

    monkeypatch.setattr(learning, "WORTH_SECONDS", 0.0)
    monkeypatch.setattr(Analysis, "save", interrupted)
    cli("learn", flowers, "-o", tmp_path / "out", "--seed", 1, "--permutations", 0, "--replicates", 30, code=3)
    assert len(written) == 2
    assert "You stopped the run" in (tmp_path / "out" / "run.json").read_text()


def test_with_details_everything_is_printed(cli: Callable[..., str], flowers: Path) -> None:
    quick = ("--no-compare", "--permutations", 0)
    printed = cli("learn", flowers, *quick, "--details")
    assert "Methods, ready to paste" in printed
    assert "Report" not in printed
    assert "Methods, ready to paste" not in cli("learn", flowers, *quick)


def test_the_answer_fits_a_terminal() -> None:
    """Twenty-five lines for fifteen edges: by verdict, with what to expect, the checks, and what is next."""
    found = arcwise.learn(datasets.load("wine"), seed=1, permutations=0)
    kept = [edge for edge in found.edges if edge.fate.in_network]
    assert len(kept) > 12
    printed = rendered(partial(print_answer, found.report, found.report.network), width=100)
    assert len(printed.splitlines()) + 4 <= 25  # the report and three commands follow
    for verdict in {edge.verdict for edge in kept}:
        count = sum(edge.verdict is verdict for edge in kept)
        assert f"{verdict[0].upper()}{verdict[1:]} ({count})" in printed
    for check in found.report.checks:
        assert check.name in printed
    opened = sum(edge.verdict is Verdict.OPEN for edge in kept)
    words = " ".join(printed.split())
    assert f"Of the {len(kept) - opened} edges that are not open, " in words and f"of the {opened} open ones " in words
    first = [edge.name for edge in kept if edge.verdict is Verdict.RELY]
    assert sum(name in words for name in first) > 5  # those to rely on come before what else is to be said


def test_json_has_the_record_and_the_edges(cli: Callable[..., str], flowers: Path) -> None:
    printed = json.loads(cli("learn", flowers, "--json", "--no-compare", "--permutations", 0))
    assert (printed["recipe"]["source"], printed["recipe"]["score"]) == ("bootstrap", {"name": "qnml"})
    assert printed["recipe"]["settings"]["replicates"] == 200
    assert printed["edges"][0]["confidence"] <= 1
    assert printed["output"] is None


def test_without_agreement_there_is_a_proposal_and_nothing_else(
    cli: Callable[..., str], messy: Path, tmp_path: Path
) -> None:
    message = cli("learn", messy, "-o", tmp_path / "out", "--numbers", "cut", code=1)
    assert message.startswith("PreparationError: ")
    for part in ("--impute completions", "--discretize quantile", "--drop c", "--yes"):
        assert part in message
    for part in ("agree=", "drop=", "impute=", "discretize="):
        assert part not in message
    assert not (tmp_path / "out").exists()
    cli("learn", messy, "-o", tmp_path / "out", "--yes", "--no-compare", "--permutations", 0)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["options"]["agree"] is True
    assert record["recipe"]["gaps"] == "completions:20"


def test_check_lists_what_learn_asks_about(cli: Callable[..., str], messy: Path) -> None:
    points = re.findall(r"^  - (.*?)(?: \(.*?\))?\. Proposal", cli("learn", messy, code=1), re.MULTILINE)
    found = [one for one in json.loads(cli("check", messy, "--json"))["findings"] if one["severity"] != "note"]
    assert [one["what"] for one in found] == points and len(points) == 2
    assert [one["option"] for one in found] == ["drop", "impute"]  # numbers are taken as they are
    shown = " ".join(cli("check", messy).split())
    assert "2 points would have to be dealt with" in shown
    assert "--impute completions" in shown and "--discretize" not in shown


@pytest.mark.parametrize("ending", [[], ["--"]])
def test_what_is_proposed_can_be_run_as_it_stands(
    cli: Callable[..., str], messy: Path, tmp_path: Path, ending: list[str]
) -> None:
    required, folder = tmp_path / "said so.csv", tmp_path / "out"
    required.write_text("from,to\nb,a\n")
    own = ["--required", required, "-o", folder, "--replicates", 20, "--no-compare", "--permutations", 0]
    message = cli("learn", *own, *ending, messy, code=1)
    found = re.search("choose: `(.*)`", message)
    assert found is not None, message
    program, *words = shlex.split(found[1])
    assert program == "arcwise"
    cli(*words)
    record = json.loads((folder / "run.json").read_text())
    assert record["options"]["constraints"] == {"required": [["b", "a"]]} and record["options"]["replicates"] == 20
    assert record["data"]["name"] == "messy.csv" and record["options"]["drop"] == ["c"]


def test_an_interactive_answer_counts(
    cli: Callable[..., str], messy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    answers = iter([False, True])
    monkeypatch.setattr("typer.confirm", lambda *_, **__: next(answers))
    quick = ("--no-compare", "--permutations", 0, "--quiet")
    assert "Proposal:" in cli("learn", messy, "-o", tmp_path / "out", *quick, code=1)
    cli("learn", messy, "-o", tmp_path / "out", *quick)
    assert (tmp_path / "out" / "report.html").is_file()


def test_a_limit_of_time_is_exit_code_3(cli: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "boards.csv"
    datasets.load("tic-tac-toe").to_file(path)
    words = ("learn", path, "-o", tmp_path / "out", "--method", "bootstrap", "--replicates", 1_000_000)
    cli(*words, "--limit-seconds", 4, "--no-compare", "--permutations", 0, code=3)
    assert json.loads((tmp_path / "out" / "run.json").read_text())["result"]["status"] == "time limit"
    assert "must be positive" in cli("learn", path, "--limit-seconds", 0, code=1)


def test_another_separator(cli: Callable[..., str], tmp_path: Path) -> None:
    path = tmp_path / "european.csv"
    path.write_text(datasets.load("balance-scale").to_dataframe().to_csv(index=False, sep=";"))
    quick = ("--no-compare", "--permutations", 0, "--json")
    assert json.loads(cli("learn", path, *quick))["data"]["variables"] == 5
    assert "separator" in cli("learn", path, "--separator", ",", *quick, code=1)
    assert json.loads(cli("learn", path, "--separator", ";", *quick))["data"]["variables"] == 5


def test_a_credible_set_that_a_limit_ends_is_an_answer_with_its_bound(cli: Callable[..., str], tmp_path: Path) -> None:
    source = tmp_path / "balance.csv"
    datasets.load("balance-scale").to_file(source)
    (tmp_path / "must.csv").write_text("from,to\nclass,left-weight\n")
    (tmp_path / "not.csv").write_text("from,to\nleft-weight,right-weight\n")
    known = ("--required", tmp_path / "must.csv", "--forbidden", tmp_path / "not.csv")
    out = tmp_path / "out"
    cli("learn", source, "--method", "credible", "--limit-seconds", 1e-6, "--no-compare", *known, "-o", out, code=3)
    record = json.loads((out / "run.json").read_text())
    assert record["recipe"]["source"] == "optimum" and record["result"]["asked"]["source"] == "credible"
    assert {"score", "upper_bound", "gap", "proved", "most_parents"} == set(record["result"]["best"])
    assert ["class", "left-weight"] in record["result"]["arcs"]
    assert "--method credible" in record["command"]
    assert "is not complete" in (out / "report.html").read_text()
    assert (out / "networks.nets").exists() and (out / "network.bif").exists()
