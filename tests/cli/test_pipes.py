"""From raw data to a network by pipes alone: impute, discretize, scores, optimal, and what goes to stdout."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.data import read_data, read_table, write_table
from arcwise.exact import find_optimal
from arcwise.parent_sets import build_parent_sets, write_parent_sets

Cli = Callable[..., str]
PROGRAM = f"{sys.executable} -m arcwise.cli"


@pytest.fixture
def raw(tmp_path: Path) -> Path:
    """Two numbers, one of them with gaps, and two categories that depend on them."""
    rng = np.random.default_rng(1)
    lines = ["dose,age,smoke,ill"]
    for _ in range(200):
        dose, age = rng.normal(), rng.uniform(20, 80)
        smoke, ill = ("yes" if age > 50 else "no"), ("yes" if dose + rng.normal() / 2 > 0 else "no")
        lines.append(f"{dose:.3f},{'' if rng.random() < 0.1 else f'{age:.1f}'},{smoke},{ill}")
    path = tmp_path / "raw.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_whole_analysis_in_one_pipe(raw: Path) -> None:
    command = (
        f"{PROGRAM} impute {raw} -q | {PROGRAM} discretize - --bins 2 -q | {PROGRAM} scores - -o - -q "
        f"| {PROGRAM} optimal - --json"
    )
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert {frozenset(arc) for arc in found["arcs"]} == {frozenset({"dose", "ill"}), frozenset({"age", "smoke"})}
    assert found["status"] == "complete"


def test_impute_and_discretize_write_what_they_say(cli: Cli, raw: Path, tmp_path: Path) -> None:
    filled, cut = tmp_path / "filled.parquet", tmp_path / "cut.arff"
    said = json.loads(cli("impute", raw, "--method", "mode", "-o", filled, "--json"))
    assert said["missing"]["age"] > 5
    assert read_table(filled).n_missing == {}
    said = json.loads(cli("discretize", filled, "--method", "width", "--bins", 3, "-o", cut, "--json"))
    assert list(said["intervals"]) == ["dose", "age"]
    data = read_data(cut)
    assert data.names == ("dose", "age", "smoke", "ill")
    assert [list(states) for states in data.states[:2]] == list(said["intervals"].values())
    dropped = cli("impute", raw, "--method", "drop")
    assert len(dropped.splitlines()) == 1 + 200 - len([None for line in raw.read_text().splitlines() if ",," in line])
    assert "did you mean 'knn'" in cli("impute", raw, "--method", "kn", code=1)
    cli("discretize", raw, "--method", "width", "-o", tmp_path / "gaps.csv")
    assert read_table(tmp_path / "gaps.csv").n_missing == read_table(raw).n_missing
    assert "give one of them" in cli("discretize", raw, "--cut", "age", "--numeric", code=2)


@pytest.mark.parametrize("name", ["table.csv", "table.tsv", "table.arff", "table.parquet", "table.csv.gz"])
def test_a_table_with_gaps_is_read_back_as_it_was(raw: Path, tmp_path: Path, name: str) -> None:
    table = read_table(raw)
    write_table(table, tmp_path / name)
    again = read_table(tmp_path / name)
    assert again.names == table.names
    assert again.n_missing == table.n_missing
    np.testing.assert_allclose(again.column("age").values(), table.column("age").values())
    write_table(table.take(np.arange(3)).with_counts([2, 0, 1]), tmp_path / name)
    assert read_table(tmp_path / name).column("smoke").codes.size == 3


@pytest.mark.parametrize("suffix", [".jkl", ".arct", ".jkl.gz"])
def test_a_table_of_parent_sets_on_stdin(
    cli: Cli, raw: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    data = read_data(raw, columns=["smoke", "ill"])
    table = build_parent_sets(data, "aic", progress=False)
    write_parent_sets(tmp_path / f"table{suffix}", table)

    def feed(content: bytes) -> None:
        stream = io.BufferedReader(io.BytesIO(content))  # type: ignore[arg-type]
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))

    feed((tmp_path / f"table{suffix}").read_bytes())
    assert json.loads(cli("optimal", "-", "--json"))["score"] == pytest.approx(find_optimal(table).score)
    feed(b"2\n0 1\n-1.5 0\n1 2\n-2.5 0\n-1 1 0\n")  # of another program
    assert json.loads(cli("optimal", "-", "--json"))["score"] == -2.5
    feed(b"a,b\n0,1\n1,0\n1,1\n0,0\n")
    assert json.loads(cli("optimal", "-", "--json"))["variables"] == ["a", "b"]
    feed(b"")
    assert "empty" in cli("optimal", "-", code=1)


def test_what_may_go_to_stdout(cli: Cli, raw: Path, tmp_path: Path) -> None:
    cli("impute", raw, "-o", tmp_path / "filled.csv")
    cli("discretize", tmp_path / "filled.csv", "-o", tmp_path / "cut.csv")
    cut = tmp_path / "cut.csv"
    for verb in ("search", "optimal"):
        lines = cli(verb, cut, "-o", "-").splitlines()
        assert lines[0] == "from,to,kind"
        assert all(line.endswith(",->") for line in lines[1:])
        assert "needs a file" in cli(verb, cut, "-o", "-", "--json", code=2)
    for verb in ("bootstrap", "credible"):
        assert "cannot write networks to stdout" in cli(verb, cut, "-o", "-", code=1)
        assert "there is no folder" in cli(verb, cut, "-o", tmp_path / "none" / "x.parquet", code=1)
        assert "it is a folder" in cli(verb, cut, "-o", tmp_path, code=1)
    assert cli("bootstrap", cut, "--replicates", 2, "--max-parents", 0, "-q") == "# no edge is in any network\n"


PAGE = Path(__file__).resolve().parents[2] / "docs" / "questions" / "step-by-step.md"


@pytest.mark.slow
def test_the_documented_pipes_run(raw: Path, tmp_path: Path) -> None:
    """All bash blocks of the page, one after the other in one folder, as a reader would type them."""
    blocks = re.findall(r"^```bash\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "arcwise").write_text(f'#!/bin/sh\nexec {sys.executable} -m arcwise.cli "$@"\n')
    (programs / "arcwise").chmod(0o755)
    raw.rename(tmp_path / "survey.csv")
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    printed = []
    for block in blocks:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        printed.append(done.stdout)
    assert "proved optimal" in printed[0]
    assert "structural Hamming distance" in printed[1]
    assert "structural Hamming distance" in printed[2]
