"""Data with gaps on the command line: what each verb does about them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

Cli = Callable[..., str]


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
def test_searches_take_gaps_as_they_are_asked_to(cli: Cli, file: Path, options: list[str]) -> None:
    assert arcs(cli("search", file, *options)) == {frozenset("ab"), frozenset("bc")}


@pytest.mark.parametrize("verb", ["search", "scores", "optimal", "credible", "posterior", "bootstrap"])
def test_gaps_are_refused_with_what_to_do(cli: Cli, file: Path, verb: str) -> None:
    told = cli(verb, file, code=1)
    assert "missing values in 1 of 3 columns" in told
    assert "arcwise learn" in told
    few = ["--replicates", "3"] if verb == "bootstrap" else []
    cli(verb, file, "--impute", "mode", "--quiet", *few)


def test_a_network_is_compared_with_data_whose_gaps_are_filled(cli: Cli, file: Path, tmp_path: Path) -> None:
    (tmp_path / "arcs.csv").write_text("from,to\na,b\nb,c\n")
    network = tmp_path / "network.bif"
    assert "missing values" in cli("fit", tmp_path / "arcs.csv", file, "-o", network, code=1)
    cli("fit", tmp_path / "arcs.csv", file, "--impute", "mode", "-o", network, "--quiet")
    for verb in (("check-fit", network, file), ("effect", network, "a", "b", "--data", file)):
        assert "missing values" in cli(*verb, code=1)
        cli(*verb, "--impute", "mode", "--quiet")


def test_structural_em_says_what_it_did(cli: Cli, file: Path) -> None:
    found = json.loads(cli("search", file, "--method", "em", "--json", "--max-parents", 1))
    assert found["status"] == "complete"
    assert (np.diff(found["history"]) > -1e-8).all()
    assert "leave --impute out" in cli("search", file, "--method", "em", "--impute", "mode", code=1)
    assert "not an option of --method em" in cli("search", file, "--method", "em", "--tabu", 3, code=1)


def test_a_bootstrap_completes_each_replicate(cli: Cli, file: Path) -> None:
    found = json.loads(cli("bootstrap", file, "--impute", "completions", "--replicates", 5, "--seed", 1, "--json"))
    assert found["networks"] == 5
    assert "completions are made by" in cli("credible", file, "--impute", "completions", code=1)


def test_the_check_tells_which_gaps_depend_on_what(cli: Cli, file: Path) -> None:
    assert "Gaps are not completely at random" in cli("check", file)
    found = json.loads(cli("check", file, "--json"))["gap_dependences"]
    assert [(one["variable"], one["on"]) for one in found] == [("c", "a"), ("c", "b")]
