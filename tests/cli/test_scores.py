"""The verb scores: formats, limits, interruption and resumption."""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.parent_sets import parse_jkl, read_parent_sets

Cli = Callable[..., str]


def write_csv(path: Path, rows: int, columns: int) -> Path:
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=(rows, columns))
    for v in range(1, columns):
        copied = rng.random(rows) < 0.6
        codes[copied, v] = codes[copied, rng.integers(v)]
    names = ",".join(f"column {v}" for v in range(columns))
    np.savetxt(path, codes, fmt="%d", delimiter=",", header=names, comments="")
    return path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "data.csv", 200, 6)


def test_text_binary_and_stdout_hold_the_same_table(cli: Cli, data: Path, tmp_path: Path) -> None:
    text = parse_jkl(cli("scores", data, "--bayes-factor", 20, "-o", "-", "-q").encode())
    assert text.slack == pytest.approx(math.log(20))
    assert text.names[0] == "column 0"
    for name in ("table.jkl", "table.jkl.gz", "table.arct", "table.arct.gz"):
        cli("scores", data, "--slack", math.log(20), "-o", tmp_path / name, "-q")
        assert read_parent_sets(tmp_path / name).digest == text.digest


def test_json_and_limits(cli: Cli, data: Path, tmp_path: Path) -> None:
    output = tmp_path / "table.arct"
    facts = json.loads(cli("scores", data, "--score", "bdeu:ess=2", "--max-parents", 1, "-o", output, "--json"))
    assert facts["score"] == {"name": "bdeu", "ess": 2}
    assert facts["max_parents"] == 1
    assert facts["parent_sets"] == read_parent_sets(output).n_rows
    message = cli("scores", data, "-s", "bdeu", "--limit-seconds", 1e-9, "-o", output, code=3)
    assert "time limit: the table holds sets of at most 0 parents. Run the same command to continue" in message
    assert read_parent_sets(output).max_parents == 0


def test_constraints_from_a_file(cli: Cli, data: Path, tmp_path: Path) -> None:
    from arcwise.graph import Constraints, write_constraints

    names = [f"column {v}" for v in range(6)]
    write_constraints(tmp_path / "constraints.json", Constraints(names, required=[(names[0], names[5])]))
    table = parse_jkl(cli("scores", data, "--constraints", tmp_path / "constraints.json", "-q").encode())
    assert all(0 in table.parents_of(row) for row in table.rows_of(5))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--slack", "1", "--bayes-factor", "3"], "give one of them"),
        (["--bayes-factor", "0.5"], "must be a finite number >= 1"),
        (["--slack", "-1"], "must be 0 or more"),
        (["--score", "bdue"], "did you mean 'bdeu'"),
        (["--limit-memory", "-1"], "must be a positive number"),
        (["-o", "table.txt"], "ends in .jkl, .arct"),
    ],
)
def test_mistakes_are_told(cli: Cli, data: Path, options: list[str], message: str) -> None:
    assert message in cli("scores", data, *options, code=1)


def test_an_interrupted_or_killed_run_goes_on_where_it_was(cli: Cli, tmp_path: Path) -> None:
    data = write_csv(tmp_path / "wide.csv", 800, 200)
    output = tmp_path / "wide.jkl"
    checkpoint = tmp_path / "wide.jkl.checkpoint"
    command = [sys.executable, "-m", "arcwise.cli", "scores", str(data), "--max-parents", "2", "-o", str(output)]

    def stop_by(number: signal.Signals) -> int:
        checkpoint.unlink(missing_ok=True)
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        # The checkpoint of level 1 is larger than that of level 0, and is there as long as level 2 is at work.
        while time.monotonic() < deadline and not (checkpoint.exists() and checkpoint.stat().st_size > 400_000):
            time.sleep(0.005)
        process.send_signal(number)
        process.communicate(timeout=60)
        return process.returncode

    assert stop_by(signal.SIGKILL) == -signal.SIGKILL
    assert checkpoint.exists() and not output.exists()
    assert stop_by(signal.SIGINT) == 3
    assert read_parent_sets(output).max_parents == 1
    message = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    assert "3,980,200 families scored" in message
    assert not checkpoint.exists()
    resumed = read_parent_sets(output)
    cli("scores", data, "--max-parents", 2, "-o", tmp_path / "whole.arct", "-q")
    assert resumed.digest == read_parent_sets(tmp_path / "whole.arct").digest
