"""The demo: everything that a new user sees first, without any data."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise.analysis import open as open_analysis
from arcwise.cli.output import program
from arcwise.datasets import SURVEY

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"  # none in a source distribution


def test_the_demo_writes_a_report_and_says_where_it_is(
    cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = cli("demo")
    assert "9 variables, 2,000 rows; 200 networks" in shown
    assert "Report  demo-output/report.html" in shown
    for picture in FIGURES.glob("report-*.png"):  # docs/pictures.py has written down what a picture shows
        comment = picture.read_bytes().split(b"Comment\0", 1)[1][:200].decode("latin-1")
        counts = re.findall(r"(rely on|probably|open) (\d+)", comment)
        assert counts
        for verdict, count in counts:
            stale = f"{picture.name} is of another demo: run python docs/pictures.py"
            assert f"{verdict.capitalize()} ({count})" in shown, stale
    for line in shown.splitlines()[-3:]:
        assert cli(*shlex.split(line.removeprefix("Next").strip())[1:])
    assert "cough" in open_analysis("demo-output").data.names


def test_the_demo_is_a_good_example(cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No check fails, tiers and data settle directions, one edge is disputed; its survey can be learned from again."""
    monkeypatch.chdir(tmp_path)
    shown = json.loads(cli("demo", "--json"))
    kept = [edge for edge in shown["edges"] if edge["verdict"] in ("rely on", "probably", "open")]
    kept = [edge for edge in kept if edge["probability"] > 0.5]
    disputed = [e for e in kept if e["verdict"] != "rely on"]
    assert [(e["from"], e["to"], e["verdict"]) for e in disputed] == [("sex", "smoke", "probably")]
    assert disputed[0]["do"].startswith("report with: methods disagree (")
    assert {(e["from"], e["to"]) for e in kept} == {(p, name) for name, _, own, _ in SURVEY for p in own.split()}
    assert {"settled", "yours"} <= {edge["direction"] for edge in kept}
    assert "FAILS" not in open_analysis("demo-output").report.to_html()
    command = shlex.split(shown["command"])
    assert command[:4] == ["arcwise", "learn", "survey.csv", "-o"]
    cli("learn", "demo-output/survey.csv", "-o", "again", *command[5:])
    again = {path.name: path.read_bytes() for path in Path("again").iterdir()}
    first = {path.name: path.read_bytes() for path in Path("demo-output").iterdir()}
    assert first.pop("survey.csv").startswith(b"age,sex,asthma,smoke,")
    assert first == again


def test_a_demo_is_replaced_only_if_all_of_it_is_ours(
    cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cli("demo", "-q")
    cli("demo", "-q", "--force")
    survey = Path("demo-output", "survey.csv")
    survey.write_text("age,sex\n1,f\n")  # somebody's own
    assert "such as survey.csv" in cli("demo", "--force", code=1)
    assert survey.read_text() == "age,sex\n1,f\n"
    survey.unlink()
    assert "demo-output: it holds the result of an earlier run" in cli("demo", code=1)


def test_commands_are_spelled_so_that_they_work_as_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `make demo` the program is in .venv/bin, which is on no PATH yet."""
    monkeypatch.setattr(sys, "argv", [".venv/bin/arcwise", "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == ".venv/bin/arcwise"
    (tmp_path / "arcwise").write_text("#!/bin/sh\n")
    (tmp_path / "arcwise").chmod(0o755)
    assert program() == "arcwise"
