"""The verbs search and bootstrap, on files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from arcwise.data import read_data
from arcwise.ensemble import NetworkSet, bootstrap_networks
from arcwise.graph import read_structure
from arcwise.local import genetic_search, tabu_search
from arcwise.scores import make_score

Cli = Callable[..., str]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 300)
    b = np.where(rng.random(300) < 0.8, a, rng.integers(0, 3, 300))
    c = np.where(rng.random(300) < 0.7, (a + b) % 2, rng.integers(0, 2, 300))
    d = rng.integers(0, 2, 300)
    lines = ["a,b,c,d", *(f"a{w},b{x},c{y},d{z}" for w, x, y, z in zip(a, b, c, d, strict=True))]
    path = tmp_path / "table.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_search_by_every_method(cli: Cli, table: Path, tmp_path: Path) -> None:
    data = read_data(table)
    for method in ("tabu", "hill-climbing", "first-ascent", "genetic"):
        found = json.loads(cli("search", table, "--method", method, "--score", "bdeu:ess=2", "--json", "--seed", 3))
        assert found["method"] == method
        assert found["status"] == "complete"
        assert found["scored_by"] == {"name": "bdeu", "ess": 2.0}
        assert max(found["history"]) == found["score"]
    expected = genetic_search(data, score="bdeu:ess=2", seed=3)
    assert [tuple(arc) for arc in found["arcs"]] == list(expected.dag.arcs)
    by_order = json.loads(
        cli("search", table, "--method", "order", "--score", "bdeu:ess=2", "--iterations", 50, "--json")
    )
    assert by_order["score"] >= found["score"] - 1e-9
    assert by_order["iterations"] == 50
    printed = cli("search", table, "--quiet").splitlines()
    dag = tabu_search(data, score="bic", seed=0).dag
    assert printed == ["from,to,kind", *(f"{tail},{head},->" for tail, head in dag.arcs)]
    for suffix in ("csv", "dot", "graphml", "txt"):
        assert cli("search", table, "-o", tmp_path / f"network.{suffix}") == ""
    assert read_structure(tmp_path / "network.txt") == dag


def test_search_options_reach_the_search(cli: Cli, table: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"required": [["d", "a"]], "forbidden": [["a", "b"], ["b", "a"]]}))
    found = json.loads(cli("search", table, "--constraints", rules, "--max-parents", 1, "--restarts", 2, "--json"))
    assert ["d", "a"] in found["arcs"]
    assert not {("a", "b"), ("b", "a")} & {tuple(arc) for arc in found["arcs"]}
    assert len(found["restarts"]) == 2
    stopped = cli("search", table, "--limit-seconds", 1e-9, "--json", code=3)
    assert "stopped: time limit" in stopped
    for arguments, message in (
        (("--population", 5), "--population is not an option of --method tabu, but of genetic"),
        (("--score", "bdue"), "did you mean 'bdeu'"),
        (("-o", tmp_path / "network.xyz"), "must end in .csv"),
        (("--limit-seconds", -1), "must be positive"),
    ):
        error = cli("search", table, *arguments, code=1)
        assert message in error
        assert "Traceback" not in error
    assert "Usage" in cli("search", table, "--method", "annealing", code=2)


def test_bootstrap_writes_networks_and_resumes(cli: Cli, table: Path, tmp_path: Path) -> None:
    output, journal = tmp_path / "nets.parquet", tmp_path / "nets.partial"
    arguments = ("bootstrap", table, "--score", "bdeu", "--replicates", 40, "--seed", 1)
    printed = cli(*arguments, "-o", output, "--resume", journal, "-j", 2)
    assert printed.splitlines()[0].split()[-2] == "1.0000"
    expected = bootstrap_networks(read_data(table), replicates=40, score="bdeu", seed=1)
    networks = NetworkSet.load(output)
    assert list(networks) == list(expected)
    assert networks.origin == "bootstrap"
    np.testing.assert_allclose(
        networks.scores, [make_score("bdeu").score_network(read_data(table), g) for g in expected]
    )
    before = journal.read_bytes()
    facts = json.loads(cli(*arguments, "--resume", journal, "--json"))
    assert journal.read_bytes() == before
    assert (facts["networks"], facts["status"]) == (40, "complete")
    chance = json.loads(cli(*arguments, "--permutation", "--learner", "hill-climbing", "--json"))
    assert chance["origin"] == "permutation"
    assert sum(e["strength"] for e in chance["edges"]) < sum(e["strength"] for e in facts["edges"])


def test_bootstrap_limits_and_mistakes(cli: Cli, table: Path, tmp_path: Path) -> None:
    assert "0 of 200 networks" in cli("bootstrap", table, "--limit-seconds", 1e-9, code=3)
    part = tmp_path / "part.networks"
    cli("bootstrap", table, "--replicates", 10**6, "--limit-seconds", 2, "-o", part, code=3)
    assert 0 < len(NetworkSet.load(part)) < 10**6
    for arguments, message in (
        (("--learner", "tbu"), "did you mean 'tabu'"),
        (("--learner-option", "restarts"), "name=value"),
        (("--learner-option", "restart=5"), "has no option 'restart'"),
        (("--backend", "mpi"), "unknown backend"),
    ):
        error = cli("bootstrap", table, *arguments, code=1)
        assert message in error
        assert "Traceback" not in error
    found = json.loads(cli("bootstrap", table, "--replicates", 3, "--learner-option", "restarts=2", "--json"))
    assert found["networks"] == 3


@pytest.mark.parametrize(
    ("method", "more", "arcs"),
    [
        ("ges", (), None),
        ("chow-liu", (), 4),
        ("naive-bayes", ("--target", "species"), 4),
        ("tan", ("--target", "species"), 7),
    ],
)
def test_networks_to_compare_with(
    cli: Cli, tmp_path: Path, method: str, more: tuple[str, ...], arcs: int | None
) -> None:
    from arcwise import datasets

    datasets.load("iris").to_file(tmp_path / "iris.csv")
    found = json.loads(
        cli("search", tmp_path / "iris.csv", "--method", method, "--score", "ll" if arcs else "bic", *more, "--json")
    )
    assert found["method"] == method
    assert arcs is None or len(found["arcs"]) == arcs
    message = cli("search", tmp_path / "iris.csv", "--method", method, *more, "--max-parents", 2, code=1)
    assert "knows no constraints and no limit of parents" in message
    if more:
        assert "needs the variable to predict: --target NAME" in cli(
            "search", tmp_path / "iris.csv", "--method", method, code=1
        )


def test_only_predictors_take_a_target(cli: Cli, tmp_path: Path) -> None:
    from arcwise import datasets

    datasets.load("iris").to_file(tmp_path / "iris.csv")
    message = cli("search", tmp_path / "iris.csv", "--target", "species", code=1)
    assert "--target is not an option of --method tabu, but of naive-bayes, tan" in message


def test_numbers_are_scored_as_they_are_if_the_score_takes_them(cli: Cli, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    dose = rng.normal(size=300).round(3)
    pain = (dose**2 + rng.normal(size=300) / 2).round(3)
    sex = rng.choice(["f", "m"], 300)
    lines = ["dose,pain,sex,twice", *(f"{d},{p},{s},{2 * p:.6f}" for d, p, s in zip(dose, pain, sex, strict=True))]
    path = tmp_path / "numbers.csv"
    path.write_text("\n".join(lines) + "\n")
    found = json.loads(cli("search", path, "--score", "bic-dg", "--json", "--drop", "twice"))
    assert {frozenset(arc) for arc in found["arcs"]} == {frozenset(("dose", "pain"))}  # a parabola: no line has a slope
    told = cli("search", path, "--score", "bic-dg", "--limit-seconds", 1e-9, code=3)
    assert "'twice' is a copy of 'pain' in every row" in told
    optimal = json.loads(cli("optimal", path, "--score", "bic-dg", "--json", "--drop", "twice"))
    assert optimal["score"] == pytest.approx(found["score"], abs=1e-6)
    shares = cli("bootstrap", path, "--score", "bic-dg", "--replicates", 20, "--seed", 1, "--drop", "twice")
    assert "dose" in shares.splitlines()[0]
    assert "hold numbers" in cli("search", path, code=1)
    assert "is nominal" in cli("search", path, "--score", "bic-g", code=1)
