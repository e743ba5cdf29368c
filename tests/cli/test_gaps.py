"""Data with gaps on the command line: what each verb does about them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a -> b -> c; the gaps of c depend on a."""
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 300)
    b = np.where(rng.random(300) < 0.85, a, 1 - a)
    c = np.where(rng.random(300) < 0.85, b, 1 - b)
    labels = np.array(["no", "yes"])
    frame = pd.DataFrame({"a": labels[a], "b": labels[b], "c": labels[c]})
    frame.loc[rng.random(300) < np.where(a, 0.5, 0.1), "c"] = None
    path = tmp_path_factory.mktemp("gaps") / "gaps.csv"
    frame.to_csv(path, index=False)
    return path


def arcs(text: str) -> set[frozenset[str]]:
    return {frozenset(line.split(",")[:2]) for line in text.splitlines()[1:]}


@pytest.mark.parametrize("options", [["--method", "em"], ["--score", "pnal"], ["--impute", "drop"]])
def test_searches_take_gaps_as_they_are_asked_to(file: Path, options: list[str]) -> None:
    result = run("search", str(file), *options)
    assert result.exit_code == 0, result.output
    assert arcs(result.stdout) == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("verb", ["search", "scores", "optimal", "credible", "posterior", "bootstrap"])
def test_gaps_are_refused_with_what_to_do(file: Path, verb: str) -> None:
    result = run(verb, str(file))
    assert result.exit_code != 0
    assert "missing values in 1 of 3 columns" in result.stderr
    assert "arcwise learn" in result.stderr
    assert run(verb, str(file), "--impute", "mode", "--quiet").exit_code == 0


def test_structural_em_says_what_it_did(file: Path) -> None:
    result = run("search", str(file), "--method", "em", "--json", "--max-parents", "1")
    found = json.loads(result.stdout)
    assert found["status"] == "complete"
    assert found["history"] == sorted(found["history"])
    assert "leave --impute out" in run("search", str(file), "--method", "em", "--impute", "mode").stderr
    assert "not an option of --method em" in run("search", str(file), "--method", "em", "--tabu", "3").stderr


def test_a_bootstrap_completes_each_replicate(file: Path) -> None:
    result = run("bootstrap", str(file), "--impute", "completions", "--replicates", "5", "--seed", "1")
    assert result.exit_code == 0, result.output
    assert "5 of 5 networks" in result.output
    assert "completions are made by" in run("credible", str(file), "--impute", "completions").stderr


def test_the_check_tells_which_gaps_depend_on_what(file: Path) -> None:
    assert "Gaps are not completely at random" in run("check", str(file)).stdout
    found = json.loads(run("check", str(file), "--json").stdout)["gap_dependences"]
    assert [(one["variable"], one["on"]) for one in found] == [("c", "a"), ("c", "b")]
