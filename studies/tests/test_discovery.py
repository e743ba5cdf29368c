"""The discovery experiment: its smoke size from the configuration to tables, figures and products."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from arcwise.confidence import LearnedTable
from arcwise.confidence.meta_ensemble import TrainingTable
from arcwise.errors import ConfigError, FormatError, UnknownNameError
from arcwise_studies import plan_study, read_study, run_study, study_frames, summarize_study
from arcwise_studies.experiments.discovery import Discovery, DiscoverySettings
from arcwise_studies.experiments.instances import Instances
from arcwise_studies.experiments.pair_states import PairStates
from arcwise_studies.products import export_product

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
        ({"bayes_factor": 0.5}, "a number >= 1"),
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
