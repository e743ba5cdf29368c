"""The experiments `lau` and `density`: what they compute, and that the smoke study ends with tables and figures."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from arcwise.ensemble import find_credible
from arcwise.errors import ConfigError
from arcwise.evaluate import negative_log_likelihood
from arcwise.limits import Limits, Status
from arcwise.model import fit_parameters
from arcwise.parent_sets import build_parent_sets
from arcwise_studies import (
    CellContext,
    Sources,
    load_experiment,
    plan_study,
    read_study,
    run_study,
    study_frames,
    summarize_study,
)
from arcwise_studies.experiments.stand_ins import STAND_INS

ROOT = Path(__file__).resolve().parents[2]
STUDIES = sorted((ROOT / "studies").glob("*.toml"))
STUDIES.remove(ROOT / "studies" / "pyproject.toml")


def context(seed: int = 1) -> CellContext:
    return CellContext(np.random.default_rng(seed), Limits(), Sources(), 1)


@pytest.mark.parametrize(
    ("score", "estimator"), [("aic", "m-row"), ("aic", "m-table"), ("bic", "snml"), ("bdeu", "bdeu"), ("qbdj", "bdj")]
)
def test_density_is_the_likelihood_of_every_network_fitted_on_its_own(score: str, estimator: str) -> None:
    experiment = load_experiment("density")
    settings = experiment.Settings(data=("iris",), max_networks=40)
    given = context()
    result = experiment.run(settings, {"data": "iris", "split": 0, "score_name": score}, given)
    row = next(row for row in result.rows if row["estimator"] == estimator)
    # The long way: every network of the set fitted as a whole, through other functions.
    data = given.sources.data("iris")
    train, test = data.split(0.7, given.shared_rng("density", "iris", 0))
    slack = math.log(150)
    networks = find_credible(
        build_parent_sets(train, score, slack=slack), log_slack=slack, limits=Limits(count=40), progress=False
    )
    options = {
        "m-table": {"estimator": "m-estimate", "m": 1.0},
        "m-row": {"estimator": "bd", "alpha": lambda family: np.full(family.counts.shape, 1 / 3)},  # three states each
        "snml": {"estimator": "snml"},
        "bdeu": {"estimator": "bd", "alpha": "bdeu", "ess": 1.0},
        "bdj": {"estimator": "bd", "alpha": "bdj"},
    }[estimator]
    fitted = [fit_parameters(dag, train, **options) for dag in networks]
    expected = negative_log_likelihood(fitted, test, log_weights=networks.log_weights, per_case=True)
    assert row["nll"] == pytest.approx(expected, rel=1e-12)
    assert row["nll_best"] == pytest.approx(-fitted[0].log_likelihood(test) / test.n_cases, rel=1e-12)
    assert row["networks"] == len(networks) == 40
    assert result.status is Status.COMPLETE, "the limit on networks is the experiment's own"


def test_all_scores_see_the_same_split() -> None:
    experiment = load_experiment("density")
    settings = experiment.Settings(data=("balance-scale",), scores=("bic", "aic"))
    rows = [
        experiment.run(settings, {"data": "balance-scale", "split": 3, "score_name": score}, context(seed)).rows[0]
        for seed, score in enumerate(("bic", "bic"))
    ]
    assert rows[0]["nll"] == rows[1]["nll"]


def test_a_density_cell_says_when_it_ran_out_of_time() -> None:
    experiment = load_experiment("density")
    settings = experiment.Settings(data=("breast-cancer",))
    given = CellContext(np.random.default_rng(1), Limits(seconds=1e-3), Sources(), 1)
    result = experiment.run(settings, {"data": "breast-cancer", "split": 0, "score_name": "bdeu"}, given)
    assert result.status is Status.TIME_LIMIT


def test_a_lau_cell_is_one_run_of_the_search() -> None:
    from arcwise.local import first_ascent, genetic_search

    experiment = load_experiment("lau")
    settings = experiment.Settings(problems=("tic-tac-toe",), runs=1)
    data = Sources().data("tic-tac-toe")
    for search in ("empty", "random", "genetic"):
        given = {"problem": "tic-tac-toe", "score_name": "k2", "search": search, "run": 0}
        run, *steps = experiment.run(settings, given, context(5)).rows
        rng = np.random.default_rng(5)
        expected = (
            genetic_search(data, score="k2", max_parents=None, seed=rng)
            if search == "genetic"
            else first_ascent(data, score="k2", start=search, max_parents=None, seed=rng)
        )
        assert run["score"] == expected.score
        passes = expected.iterations if search == "genetic" else len(expected.history)
        assert (run["iterations"], run["operations"]) == (passes, expected.operations)
        assert run["optimum"] >= expected.score
        assert [step["score"] for step in steps] == ([] if search == "genetic" else expected.history.tolist())


def test_at_a_local_maximum_lau_counts_one_iteration() -> None:
    experiment = load_experiment("lau")
    problem = "random:nodes=2,mean_parents=0,seed=1@50"
    settings = experiment.Settings(problems=(problem,), runs=1)
    given = {"problem": problem, "score_name": "bic_laplace", "search": "empty", "run": 0}
    run, *steps = experiment.run(settings, given, context()).rows
    assert (run["iterations"], run["operations"], len(steps)) == (1, 6, 1)


@pytest.mark.parametrize("name", STAND_INS)
def test_the_stand_ins_are_those_that_the_rule_draws(name: str) -> None:
    study = read_study(ROOT / "studies" / "lau.toml")
    rule = STAND_INS[name]
    problems = study.content["experiments"]["lau"]["problems"]
    listed = [problem for problem in problems if problem.startswith(rule.networks)]
    assert listed == rule.draw(12, study.seed)


def test_lau_problems_are_samples_of_the_size_asked_for() -> None:
    from arcwise_studies.experiments.lau import problem_data

    data = problem_data("random:nodes=4,seed=1@100", Sources(), 1)
    assert (data.n_variables, data.n_cases) == (4, 100)
    assert data.digest != problem_data("random:nodes=4,seed=1@100", Sources(), 2).digest
    with pytest.raises(ValueError, match="after @ comes the number of cases"):
        load_experiment("lau").Settings(problems=("asia@many",))


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_can_be_read_and_planned_and_has_a_smoke_size(path: Path) -> None:
    full, small = read_study(path), read_study(path, smoke=True)
    assert len(plan_study(small)) <= len(plan_study(full))


@pytest.mark.parametrize("path", [p for p in STUDIES if p.stem != "smoke"], ids=lambda path: path.stem)
def test_the_smoke_size_of_every_study_runs(path: Path, tmp_path: Path, networks: Path) -> None:
    study = read_study(path, smoke=True, networks_folder=networks)
    try:
        study.check()
    except ConfigError as error:
        pytest.skip(f"the networks are not here: {error}")
    store = tmp_path / "smoke.duckdb"
    report = run_study(study, store, workers=2, progress=False)
    _, cells = next(iter(study_frames(store).values()))
    assert (report.pending, report.failed) == (0, 0), cells["message"].unique()
    files = summarize_study(store).write(tmp_path / "out", figures=False)
    assert len(files) > 2


def test_the_smoke_study_ends_with_tables_and_figures(tmp_path: Path) -> None:
    """In its smallest size, without any folder of networks or data: what every machine can run."""
    study = read_study(ROOT / "studies" / "smoke.toml", smoke=True)
    report = run_study(study, tmp_path / "smoke.duckdb", workers=2, progress=False)
    assert report.finished == report.planned == len(plan_study(study))
    files = summarize_study(tmp_path / "smoke.duckdb").write(tmp_path / "out")
    names = {file.name for file in files}
    assert {"density-borda.csv", "density-values.csv", "lau-runs.csv", "lau-claims.csv", "density-excess.png"} <= names
    assert all(file.stat().st_size > 0 for file in files)
    facts = json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))
    assert all(counts["pending"] == 0 for counts in facts["cells"].values())
    summary = summarize_study(tmp_path / "smoke.duckdb")
    borda = summary.table("density", "borda")
    assert borda["ours"].sum() > 0
    assert (borda["cells"] > 0).all()
    claims = summary.table("lau", "claims")
    assert claims["all"].str.fullmatch(r"[0-3] of [0-3]").all()
    assert {"samples of 100", "samples of 5000", "data sets", "cells"} <= set(claims)
