"""The discovery experiment: its smoke size from the configuration to tables, figures and products."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.confidence import LearnedTable
from arcwise.confidence.learned_table import GRID
from arcwise.confidence.meta_ensemble import TrainingTable
from arcwise.errors import ConfigError, FormatError, UnknownNameError
from arcwise.evaluate import shd
from arcwise.graph import Dag
from arcwise_studies import plan_study, read_study, run_study, study_frames, summarize_study
from arcwise_studies.experiments.discovery import Discovery, DiscoverySettings
from arcwise_studies.experiments.discovery_ensembles import averaged_dag_losses, squared_errors
from arcwise_studies.experiments.ensemble_study import EnsembleStudy
from arcwise_studies.experiments.instances import Instances
from arcwise_studies.experiments.pair_states import PairStates, true_states
from arcwise_studies.products import export_product
from arcwise_studies.settings import plain_settings

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("discovery")
    network = "network x { } variable a { type discrete [2] { y, n }; } variable b { type discrete [2] { y, n }; } "
    network += "variable c { type discrete [2] { y, n }; } "
    network += "probability ( a ) { table 0.5, 0.5; } probability ( b ) { table 0.4, 0.6; } "
    network += "probability ( c | a, b ) { (y, y) 0.95, 0.05; (n, y) 0.2, 0.8; (y, n) 0.3, 0.7; (n, n) 0.02, 0.98; }"
    (folder / "asia.bif").write_text(network)
    study = read_study(ROOT / "studies" / "liao-thresholds.toml", smoke=True, networks_folder=folder)
    report = run_study(study, folder / "smoke.duckdb", progress=False)
    assert report.finished == report.planned
    return folder / "smoke.duckdb"


def test_cells_compare_scores_and_methods_on_the_same_sample(store: Path) -> None:
    rows, cells = study_frames(store)["discovery"]
    assert len(rows) == len(cells) == 16  # 2 truths x 2 sizes x 2 methods x 2 scores
    assert rows.groupby(["truth", "cases"])["states"].nunique().eq(1).all()
    named = rows[(rows["truth"] == "asia") & (rows["cases"] == 1000)]
    for row in named.to_dict(orient="records"):
        states = PairStates.unpack(row)
        assert states.truth.tolist() == [0, 1, 1]  # a -> c <- b
        assert states.present[1] > 0.5
        assert states.present[2] > 0.5
    permuted = rows[rows["permuted"]]
    assert len(permuted) == 4
    assert permuted["broom"].between(0, 1).all()
    assert (permuted["permutations"] == 4).all()


def test_tables_of_both_chapters(store: Path, tmp_path: Path) -> None:
    found = summarize_study(store)
    names = {part.name for part in found.parts["discovery"]}
    assert {"thresholds", "thresholds-shd", "rules", "rules-with-broom", "learned-against-half", "methods"} <= names
    for part in found.parts["discovery"]:
        if hasattr(part, "frame"):
            assert "cells" in part.frame
    rules = found.table("discovery", "rules")
    assert set(rules["method"]) == {"bootstrap", "credible"}
    assert {"Scutari", "Gross", "cost", "learned", "winner"} <= set(rules)
    from arcwise_studies.experiments import discovery_scores

    rows, cells = study_frames(store)["discovery"]
    by_truth = discovery_scores.summarize((), rows, cells)[0].frame  # type: ignore[union-attr]
    assert set(by_truth["ground truth"]) == {"named", "fitted-bic", "all"}
    assert found.write(tmp_path / "summary")


def test_learned_thresholds_leave_the_benchmark_out(store: Path) -> None:
    rows, _ = study_frames(store)["discovery"]
    instances = Instances.of(rows)
    left_out = instances.left_out_thresholds("f", 1.0)
    frame = instances.frame
    for k in range(len(frame)):
        same = (frame[["method", "score", "group"]] == frame.loc[k, ["method", "score", "group"]]).all(axis=1)
        others = (same & (frame["benchmark"] != frame["benchmark"][k])).to_numpy()
        expected = instances.take(others).learn("f", 1.0)
        entry = next(e for e in expected if e.cases == frame["group"][k] and e.score == frame["score"][k])
        assert left_out[k] == entry.threshold


def test_thresholds_may_depend_on_more_than_method_score_and_size(store: Path) -> None:
    rows, _ = study_frames(store)["discovery"]
    twice = [rows.assign(benchmark=rows["benchmark"] + name, kind=name) for name in ("", "2")]
    twice[1]["states"], twice[1]["shares"] = twice[0]["states"].to_numpy()[::-1], twice[0]["shares"].to_numpy()[::-1]
    instances = Instances.of(pd.concat(twice, ignore_index=True))
    plain, by_kind = (instances.left_out_thresholds("f", 1.0, *also) for also in ((), ("kind",)))
    assert not np.array_equal(plain, by_kind)
    for kind in ("", "2"):
        chosen = (instances.frame["kind"] == kind).to_numpy()
        assert np.array_equal(by_kind[chosen], instances.take(chosen).left_out_thresholds("f", 1.0))


def test_the_chapter_by_instance(tmp_path: Path, store: Path) -> None:
    study = read_study(ROOT / "studies" / "liao-ensembles.toml", smoke=True, networks_folder=store.parent)
    report = run_study(study, tmp_path / "smoke.duckdb", progress=False)
    assert report.finished == report.planned == 16
    found = summarize_study(tmp_path / "smoke.duckdb")
    tables = {part.name: part.frame for part in found.parts["discovery"] if hasattr(part, "frame")}
    assert {"ensembles", "curves", "models-by-size", "squared", "variables", "flatness", "averaged-dags"} < set(tables)
    assert set(tables["ensembles"]["members"]) == {"bootstrap", "credible", "both"}
    whole = tables["curves"].query("share == 1")
    for row in tables["ensembles"].query("metric == 'shd'").to_dict(orient="records"):
        curve = whole.query("metric == 'shd' and score == 'boosting' and method == @row['members']")
        assert curve["cumulative loss"].item() == pytest.approx(4 * row["boosting"], abs=1e-3)  # of four samples
        assert row["boosting better"] + row["boosting worse"] <= 4
    assert (tables["flatness"]["lowest"] <= tables["flatness"]["threshold"]).all()
    assert (tables["flatness"]["threshold"] <= tables["flatness"]["highest"]).all()


def test_a_model_of_one_size_sees_no_other(store: Path) -> None:
    rows, _ = study_frames(store)["discovery"]
    study = EnsembleStudy(Instances.of(rows), by_size=True)
    assert set(study.training_table({}).cases) == {100, 1000}
    assert set(study.training_table({}, group="500-1000").cases) == {1000}


def test_squared_errors_shun_large_losses() -> None:
    losses = np.array([[0.0, 0.2], [0.0, 0.2], [0.5, 0.0]])  # the first loses much once, the second a little twice
    assert squared_errors(losses) == pytest.approx([0.25 / 3, 0.08 / 3])


def random_dag(n: int, rng: np.random.Generator) -> Dag:
    names, order = [f"x{k}" for k in range(n)], rng.permutation(n)
    pairs = [(names[order[i]], names[order[j]]) for i in range(n) for j in range(i + 1, n) if rng.random() < 0.4]
    return Dag.from_arcs(names, pairs)


@pytest.mark.parametrize("seed", range(6))
def test_an_averaged_dag_of_one_network_is_that_network(seed: int) -> None:
    truth, learned = (random_dag(7, np.random.default_rng([seed, k])) for k in (0, 1))
    matrix = np.array([[name in learned.parents(child) for child in learned.names] for name in learned.names])  # arcs
    first, second = np.triu_indices(7, 1)
    shares = np.stack([matrix[first, second], matrix[second, first], np.zeros(21)]).astype(float)
    assert set(averaged_dag_losses(true_states(truth), shares)) == {shd(truth, learned)}


def test_an_averaged_dag_leaves_out_the_weakest_arc_of_a_circle() -> None:
    names = ["a", "b", "c"]
    truth = Dag.from_arcs(names, [("a", "c"), ("b", "c")])
    shares = np.array([[0.92, 0.1, 0.81], [0.02, 0.6, 0.11], [0.0, 0.0, 0.0]])  # a -> b, c -> a, b -> c
    found = dict(zip(GRID.round(2), averaged_dag_losses(true_states(truth), shares), strict=True))
    chain = Dag.from_arcs(names, [("a", "b"), ("b", "c")])
    assert found[0.95] == shd(truth, Dag(names, [[], [], []])) == 2
    assert found[0.9] == shd(truth, chain)
    assert found[0.0] == shd(truth, chain)


def test_products(store: Path, tmp_path: Path) -> None:
    count = export_product(store, tmp_path / "thresholds.json", "thresholds")
    table = LearnedTable.from_json((tmp_path / "thresholds.json").read_text())
    assert len(table.entries) == count
    assert table.provenance["study"] == "liao-thresholds-smoke"
    assert table.provenance["cells"] == {"finished": 16}
    assert {"bootstrap", "credible", "ensemble"} == set(table.methods)
    summary = summarize_study(store).table("discovery", "thresholds")
    assert len(summary) == count
    for row in summary.to_dict(orient="records"):
        entry = table.entries[row["method"], row["score"], row["cases"], row["metric"], row["weight"]]
        assert (entry.threshold, entry.proxies) == (row["threshold"], row["cells"])
    export_product(store, tmp_path / "ensemble.csv.gz", "ensemble")
    training = TrainingTable.from_bytes((tmp_path / "ensemble.csv.gz").read_bytes())
    assert set(training.confidences) == {"bootstrap:bic", "bootstrap:bdeu", "credible:bic", "credible:bdeu"}
    assert training.provenance["results"] == table.provenance["results"]
    with pytest.raises(UnknownNameError, match="did you mean 'thresholds'"):
        export_product(store, tmp_path / "x", "threshold")


def test_products_need_results(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("[experiments.overhead]\ncells = 1\n")
    run_study(read_study(tmp_path / "a.toml"), tmp_path / "a.duckdb", progress=False)
    with pytest.raises(FormatError, match="no result of the experiment 'discovery'"):
        export_product(tmp_path / "a.duckdb", tmp_path / "x", "thresholds")


def test_more_repetitions_keep_the_finished_cells() -> None:
    settings = DiscoverySettings(networks=("asia",), repetitions=1, sizes=(50,))
    more = DiscoverySettings(networks=("asia", "child"), repetitions=2, sizes=(50, 100))
    few = [tuple(row.items()) for row in Discovery().plan(settings)]
    many = [tuple(row.items()) for row in Discovery().plan(more)]
    assert set(few) < set(many)
    assert len(many) == len(set(many)) == 2 * 2 * 2 * 8


def test_later_samples_are_those_of_the_whole_study() -> None:
    first, second, both = (
        Discovery().plan(DiscoverySettings(networks=("asia",), data_sets=("iris",), sizes=(50,), **given))  # type: ignore[arg-type]
        for given in (
            {"repetitions": 1, "fitted_repetitions": 1},
            {"repetitions": 2, "fitted_repetitions": 2, "first_repetition": 1},
            {"repetitions": 2, "fitted_repetitions": 2},
        )
    )
    assert [*first, *second] == list(both)


def test_a_setting_that_came_later_leaves_older_cells_alone() -> None:
    plain, more = (plain_settings(DiscoverySettings(networks=("asia",), keep_arcs=keep)) for keep in (False, True))
    assert more == {**plain, "keep_arcs": True}
    assert "keep_arcs" not in plain
    assert "replicates" in plain


def test_the_plan_of_the_thesis_can_be_stated() -> None:
    """90 networks x 18 samples: 4,860 bootstrap cells for three scores (4,320 were run), 6,480 credible for four."""
    data_sets = tuple(f"d{k}" for k in range(16))
    networks = tuple(f"n{k}" for k in range(10))
    for method, scores in (("bootstrap", ("aic", "bdeu", "bic")), ("credible", ("aic", "bdeu", "bic", "qnml"))):
        settings = DiscoverySettings(networks=networks, data_sets=data_sets, scores=scores, methods=(method,))  # type: ignore[arg-type]
        assert len(list(Discovery().plan(settings))) == 90 * 18 * len(scores)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": ()}, "give networks"),
        ({"repetitions": 0}, "at least 1"),
        ({"first_repetition": 3}, "leaves no sample"),
        ({"bayes_factor": 0.5}, "a finite number >= 1"),
        ({"permutations": 1}, "at least 2"),
        ({"sizes": (1,)}, "at least 2 cases"),
    ],
)
def test_settings_are_checked(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        DiscoverySettings(**{"networks": ("asia",), **changes})  # type: ignore[arg-type]


def test_the_study_of_the_package_is_planned() -> None:
    study = read_study(ROOT / "studies" / "liao-thresholds.toml")
    cells = plan_study(study)
    assert len({cell.id for cell in cells}) == len(cells)
    assert math.isclose(np.log(study.experiments["discovery"].bayes_factor), np.log(150))
