"""`arcwise optimal` from tables and from data."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from arcwise.cli.main import app
from arcwise.cli.optimal import register
from arcwise.graph import read_structure
from arcwise.parent_sets import ParentSetTable, write_jkl

if not any(command.name == "optimal" for command in app.registered_commands):
    register(app)

runner = CliRunner()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "small.jkl"
    entries = [[(-1.0, (1,)), (-4.0, ())], [(-2.0, (0,)), (-3.0, ())], [(-5.0, (0, 1)), (-9.0, ())]]
    write_jkl(path, ParentSetTable.from_lists(["a", "b", "c"], entries))
    return path


def test_a_table(table: Path) -> None:
    result = runner.invoke(app, ["optimal", str(table), "--json"])
    assert result.exit_code == 0
    answer = json.loads(result.stdout)
    assert answer["score"] == answer["upper_bound"] == -9.0
    assert answer["status"] == "complete"
    assert sorted(map(tuple, answer["arcs"])) == [("a", "c"), ("b", "a"), ("b", "c")]
    assert {"method", "seconds", "reason", "ties_possible"} <= set(answer)


def test_text_and_structure_file(table: Path, tmp_path: Path) -> None:
    output = tmp_path / "best.txt"
    result = runner.invoke(app, ["optimal", str(table), "-o", str(output)])
    assert result.exit_code == 0
    assert "proved optimal" in result.stdout
    assert ("b", "a") in read_structure(output).arcs


def test_constraints_apply(table: Path, tmp_path: Path) -> None:
    from arcwise.graph import Constraints, write_constraints

    path = tmp_path / "known.json"
    write_constraints(path, Constraints(["a", "b", "c"], forbidden=[("b", "a")]))
    result = runner.invoke(app, ["optimal", str(table), "--constraints", str(path), "--json"])
    assert json.loads(result.stdout)["score"] == -11.0


def test_data_are_scored_first(shared: Path) -> None:
    data = shared / "data" / "liao2019" / "alarm1000.csv.gz"
    result = runner.invoke(app, ["optimal", str(data), "--score", "bic", "--json"])
    answer = json.loads(result.stdout)
    assert result.exit_code == 0
    assert answer["score"] == pytest.approx(-11783.0524, abs=1e-3)
    assert answer["gap"] == 0


def test_a_limit_is_exit_code_3(shared: Path) -> None:
    table = shared / "data" / "scores" / "soybean_BIC.jkl.gz"
    result = runner.invoke(app, ["optimal", str(table), "--limit-seconds", "0.2", "--json"])
    assert result.exit_code == 3
    answer = json.loads(result.stdout)
    assert answer["status"] == "time limit"
    assert answer["score"] < answer["upper_bound"]


def test_a_parent_limit_needs_data(table: Path) -> None:
    result = runner.invoke(app, ["optimal", str(table), "--max-parents", "2"])
    assert result.exit_code == 1
    assert "already built" in str(result.exception)
