"""The demo: everything that a new user sees first, without any data."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise.analysis import open_analysis
from arcwise.cli.output import program

FIGURES = Path(__file__).resolve().parents[2] / "docs" / "figures"  # none in a source distribution


def test_the_demo_writes_a_report_and_says_where_it_is(
    cli: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = cli("demo")
    assert "A Bayesian network of 14 variables from 178 cases" in shown
    assert "Report  demo-output/report.html" in shown
    for picture in FIGURES.glob("report-*.png"):  # docs/pictures.py has written down what a picture shows
        comment = picture.read_bytes().split(b"Comment\0", 1)[1][:200].decode("latin-1")
        edges, _, _, rely, probable, opened = re.findall(r"\d+", comment)[:6]
        stale = f"{picture.name} is of another demo: run python docs/pictures.py"
        assert f"{edges} edges: {rely} to rely on, {probable} probable and {opened} open." in " ".join(shown.split()), (
            stale
        )
    for line in shown.splitlines()[-3:]:
        assert cli(*shlex.split(line.removeprefix("Next").strip())[1:])
    assert "cultivar" in open_analysis("demo-output").data.names
    assert "demo-output: it holds the result of an earlier run" in cli("demo", code=1)


def test_commands_are_spelled_so_that_they_work_as_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After `make demo` the program is in .venv/bin, which is on no PATH yet."""
    monkeypatch.setattr(sys, "argv", [".venv/bin/arcwise", "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert program() == ".venv/bin/arcwise"
    (tmp_path / "arcwise").write_text("#!/bin/sh\n")
    (tmp_path / "arcwise").chmod(0o755)
    assert program() == "arcwise"
