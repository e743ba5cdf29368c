"""`arcwise credible`, as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise.data import write_data
from arcwise.datasets import load
from arcwise.ensemble import NetworkSet


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "arcwise.cli", *arguments], capture_output=True, text=True, check=False
    )


def test_tic_tac_toe_as_the_issue_asks(tmp_path: Path) -> None:
    data, nets = tmp_path / "tic-tac-toe.csv", tmp_path / "nets.parquet"
    write_data(load("tic-tac-toe"), data)
    done = run(
        "credible", str(data), "--score", "bdeu", "--ess", "1", "--bayes-factor", "20", "--json", "-o", str(nets)
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["count"], answer["classes"], answer["complete"]) == (152, 24, True)
    assert answer["optimum"] == pytest.approx(-9423.068333, abs=1e-6)
    assert answer["seconds"] > 0
    assert "152 networks in 24 equivalence classes" in done.stderr
    assert NetworkSet.load(nets).count == 152


def test_a_table_that_was_cut_short_is_not_complete(tmp_path: Path) -> None:
    data = tmp_path / "breast-cancer.csv"
    write_data(load("breast-cancer"), data)
    done = run("credible", str(data), "--limit-seconds", "0.001", "--json", "--no-classes")
    assert done.returncode == 3, done.stderr
    answer = json.loads(done.stdout)
    assert not answer["complete"]
    assert answer["status"] == "time limit"


def test_tables_limits_and_mistakes(tmp_path: Path) -> None:
    table = tmp_path / "t.jkl"
    table.write_text("2\n0 2\n0.0 0\n1.0 1 1\n1 2\n0.0 0\n1.0 1 0\n")
    refused = run("credible", str(table))
    assert refused.returncode == 1
    assert "GuaranteeError" in refused.stderr
    trusted = run("credible", str(table), "--trust-table", "--bayes-factor", "anecdotal", "--quiet")
    assert trusted.returncode == 0, trusted.stderr
    assert len(trusted.stdout.splitlines()) == 2
    assert trusted.stderr == ""
    wrong = run("credible", str(table), "--bayes-factor", "0.5")
    assert wrong.returncode == 1
    assert "--bayes-factor 0.5 must be a finite number >= 1" in wrong.stderr
