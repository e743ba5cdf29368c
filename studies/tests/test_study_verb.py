"""`arcwise study`: plan, run, status, summarize, export."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Cli = Callable[..., str]


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "little.toml"
    path.write_text("[experiments.overhead]\ncells = 5\nfail = [1]\n[smoke.overhead]\ncells = 1\n", encoding="utf-8")
    return path


def test_a_study_from_plan_to_export(cli: Cli, config: Path, tmp_path: Path) -> None:
    plan = json.loads(cli("study", "plan", config, "--json"))
    assert len(plan["cells"]) == 5
    assert cli("study", "plan", config).count("overhead") == 5
    message = cli("study", "run", config, code=3)  # a cell fails
    assert "5 cells in" in message
    assert "4 finished, 1 failed" in message
    assert (tmp_path / "little-summary" / "summary.md").exists()
    status = json.loads(cli("study", "status", config, "--json"))
    assert status["cells"]["overhead"]["failed"] == 1
    assert status["complete"]
    assert "4 finished, 1 failed" in cli("study", "status", "--store", "little.duckdb")
    files = cli("study", "summarize", "--store", "little.duckdb", "-o", "again", "--no-figures").split()
    assert sorted(Path(file).name for file in files) == ["cell-times.csv", "cells.csv", "summary.json", "summary.md"]
    assert json.loads(cli("study", "export", config, "-o", "rows.csv", "--json"))["rows"] == 5
    small = json.loads(cli("study", "run", config, "--smoke", "--json", "--quiet"))
    assert (small["name"], small["planned"], small["status"]) == ("little-smoke", 1, "complete")
    assert (tmp_path / "little-smoke.duckdb").exists()


def test_without_matplotlib_there_are_tables_and_a_word(
    cli: Cli, config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When all cells are finished, what cannot be drawn is left out."""
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    told = cli("study", "run", config, code=3)  # a cell fails
    assert "Without pictures: figures are drawn by matplotlib, which is not installed" in told
    names = sorted(path.name for path in (tmp_path / "little-summary").iterdir())
    assert names == ["cell-times.csv", "cells.csv", "summary.json", "summary.md"]
    assert len(cli("study", "summarize", "--store", "little.duckdb", "-o", "again").split()) == len(names)


def test_mistakes_end_with_one_message(cli: Cli, config: Path) -> None:
    assert "no such folder" in cli("study", "run", config, "--networks", "absent", code=1)
    assert "there is no store little.duckdb" in cli("study", "status", config, code=1)
    assert "give the study's TOML file, or its store" in cli("study", "summarize", code=1)
    config.write_text("[experiments.overhead]\ncels = 5\n", encoding="utf-8")
    assert "did you mean 'cells'" in cli("study", "plan", config, code=1)


def test_a_limit_of_cells_is_exit_code_3_and_a_change_is_told(cli: Cli, config: Path) -> None:
    assert "stopped: count limit" in cli("study", "run", config, "--limit-cells", 1, code=3)
    config.write_text("[experiments.overhead]\ncells = 6\n", encoding="utf-8")
    assert "--accept-changes" in cli("study", "run", config, code=1)
    assert "5 cells: 1 finished" in cli("study", "status", config)
    report = json.loads(cli("study", "run", config, "--accept-changes", "--json", "-q"))
    assert report["finished"] == 6
