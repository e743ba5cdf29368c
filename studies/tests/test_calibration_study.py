"""The study behind the probabilities: its worlds, its cells, and the table that comes with the package."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise.confidence.calibration import CalibrationTable, calibration_table
from arcwise.confidence.learned_table import learned_table, relearned_table, table_for
from arcwise.ensemble import Recipe
from arcwise.errors import ConfigError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise_studies import read_study, run_study, summarize_study
from arcwise_studies.config import Study
from arcwise_studies.experiments.calibration import FAMILIES, CalibrationSettings, random_world, worlds
from arcwise_studies.network_parts import part_of
from arcwise_studies.products import export_product
from arcwise_studies.random_networks import random_network, visible_names
from arcwise_studies.source_text import SourceText
from arcwise_studies.sources import Sources

STUDIES = Path(__file__).resolve().parents[2] / "studies"


def chain() -> BayesianNetwork:
    names = [f"v{k}" for k in range(6)]
    tables = [[[0.3, 0.7]], *([[0.9, 0.1], [0.2, 0.8]] for _ in range(5))]
    return BayesianNetwork(Dag(names, [[], *([k] for k in range(5))]), [["n", "y"]] * 6, tables)


def test_a_part_is_connected_and_keeps_its_tables() -> None:
    whole = chain()
    for seed in range(10):
        part = part_of(whole, 3, np.random.default_rng(seed))
        assert part.n_variables == 3
        first = whole.names.index(part.names[0])
        assert part.names == whole.names[first : first + 3]
        for name in part.names[1:]:
            np.testing.assert_array_equal(part.tables[part.names.index(name)], whole.tables[whole.names.index(name)])
        if first > 0:  # the parent outside was set to one of its states
            assert part.tables[0].tolist()[0] in whole.tables[first].tolist()
    assert part_of(whole, 20, np.random.default_rng(0)).n_variables == 6


def test_hidden_causes_are_there_but_not_seen() -> None:
    text = "random:nodes=8,max_degree=3,hidden=2,mixture=0.5,seed=4"
    network = random_network(SourceText.parse(text))
    seen = visible_names(network.names)
    assert len(seen) == 8
    assert network.n_variables == 11
    children = [[c for c in range(11) if h in network.dag.parents[c]] for h in (8, 9, 10)]
    assert all(2 <= len(own) <= 4 for own in children[:2])
    assert len(children[2]) == 4
    assert all(c < 8 for own in children for c in own)
    same = random_network(SourceText.parse(text))
    assert same.dag == network.dag
    without = random_network(SourceText.parse("random:nodes=8,max_degree=3,seed=4"))
    assert without.n_variables == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("part:nodes=3", "say which network"),
        ("part:network=asia,nodes=1", "say which network"),
        ("random:nodes=5,mixture=2", "a share between 0 and 1"),
        ("random:nodes=1,hidden=1", "needs two variables"),
    ],
)
def test_worlds_that_cannot_be(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Sources().check_network(text)


def test_the_plan_has_all_families_in_turn() -> None:
    settings = CalibrationSettings(
        published=("asia",), collected=("survey",), parts_of=("andes",), random=2, hidden=2, mixed=2
    )
    first = [family for family, _, _ in worlds(settings)][:6]
    assert tuple(first) == FAMILIES[:6]
    assert random_world("hidden", 3) == random_world("hidden", 3) != random_world("hidden", 4)
    with pytest.raises(ConfigError, match="give worlds"):
        CalibrationSettings()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Worlds of two families, of which the small ones are learned from."""
    folder = tmp_path_factory.mktemp("calibration")
    content = {
        "name": "small",
        "seed": 1,
        "limits": {"seconds": 60},
        "experiments": {
            "calibration": {
                "random": 16,
                "hidden": 16,
                "sizes": [100, 1000],
                "sizes_per_world": 1,
                "recipes": ["credible:bic"],
                "largest_exact": 15,
            }
        },
    }
    path = folder / "small.duckdb"
    run_study(Study.from_content(content, source="small"), path, progress=False)
    return path


def test_a_study_gives_tables_and_a_product(store: Path, tmp_path: Path) -> None:
    summary = summarize_study(store)
    summary.write(tmp_path / "summary")
    quality = pd.read_csv(tmp_path / "summary" / "quality.csv")
    assert set(quality["family"]) == {"all", "hidden", "random"}
    assert (quality[["error_probability", "log_loss_probability", "brier_probability"]] >= 0).all(axis=None)
    count = export_product(store, tmp_path / "calibration.json", "calibration")
    table = CalibrationTable.from_json((tmp_path / "calibration.json").read_text(encoding="utf-8"))
    assert count == len(table.entries) == 2  # the score, and any score
    assert table.provenance["recipes"]["credible:bic"]["settings"]["bayes_factor"] == 20


needs_studies = pytest.mark.skipif(not STUDIES.is_dir(), reason="a source distribution has no studies")


@needs_studies
def test_the_shipped_table_is_that_of_the_frozen_summary() -> None:
    provenance = calibration_table().provenance
    kept = [label for own in provenance["kept"] for label in own["recipes"]]
    latest = {**provenance, "recipes": sorted(set(provenance["recipes"]) - set(kept))}
    assert provenance["study"] == "calibration"
    for name, own in zip(
        ("calibration", "calibration-scores", "calibration-recipes"), (latest, *provenance["kept"]), strict=True
    ):
        frozen = STUDIES / "summaries" / name
        facts = json.loads((frozen / "summary.json").read_text(encoding="utf-8"))
        assert own["configuration"] == facts["digest"] == read_study(STUDIES / f"{name}.toml").digest
        assert own["cells"] == {key: value for key, value in facts["cells"]["calibration"].items() if value}
        seconds = pd.read_csv(frozen / "seconds.csv").set_index("recipe")
        for label in own["recipes"]:
            source, _, score = label.partition(":")
            assert calibration_table().entries[source, score].data_sets == seconds.loc[label, "cells"]


def test_what_a_study_does_not_have_is_kept_from_the_file(store: Path, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    shipped = calibration_table()
    path.write_text(shipped.to_json(), encoding="utf-8")
    export_product(store, path, "calibration")
    table = CalibrationTable.from_json(path.read_text(encoding="utf-8"))
    assert set(table.entries) == set(shipped.entries)
    assert table.entries["bootstrap", "qnml"] == shipped.entries["bootstrap", "qnml"]
    assert table.entries["credible", "bic"].data_sets < shipped.entries["credible", "bic"].data_sets
    assert table.entries["credible", "any"] != shipped.entries["credible", "any"]
    assert "credible:bic" not in [label for own in table.provenance["kept"] for label in own["recipes"]]
    assert sorted(table.provenance["recipes"]) == sorted(shipped.provenance["recipes"])
    from_ = {label: own["configuration"] for own in table.provenance["kept"] for label in own["recipes"]}
    assert from_["bootstrap:qnml"] == shipped.provenance["configuration"] != from_["bootstrap:bic"]


@needs_studies
def test_on_families_left_out_probabilities_are_better_than_confidences() -> None:
    quality = pd.read_csv(STUDIES / "summaries" / "calibration" / "quality.csv")
    every = quality[quality["family"] == "all"]
    assert (every["log_loss_probability"] < every["log_loss_confidence"]).all()
    assert (every["error_probability"] < every["error_confidence"]).all()
    usual = every[every["recipe"] == "bootstrap:qnml"].set_index("cases")  # what `learn` averages
    assert (usual["error_probability"].drop("50") <= 0.03).all()
    assert (usual["error_probability"].drop(["50", "100-200"]) <= 0.02).all()


@needs_studies
def test_the_score_of_learn_has_the_least_log_loss_of_the_scores_on_the_same_samples() -> None:
    together = pd.read_csv(STUDIES / "summaries" / "calibration-recipes" / "together.csv")
    scores = together[together["members"] == "bootstrap:qnml + bootstrap:bic + bootstrap:bdeu"]
    table = scores.pivot(index="cases", columns="by", values="log_loss").drop(["50", "20000-50000"])
    assert (table["bootstrap:qnml"] < table[["bootstrap:bic", "bootstrap:bdeu"]].min(axis=1)).all()
    assert Recipe.usual("bootstrap").score["name"] == "qnml"


@needs_studies
def test_the_relearned_thresholds_are_of_the_same_study_and_serve_the_recipe_of_learn() -> None:
    assert relearned_table().provenance["results"] == calibration_table().provenance["results"]
    recipe = Recipe.usual("bootstrap", n_cases=1000)
    assert table_for(recipe, 1000) is relearned_table()
    assert relearned_table().mismatch(recipe, 200, 1000) == ""
    assert table_for(Recipe.of("bootstrap", max_parents=2), 1000) is learned_table()  # another limit on parents
    assert table_for(None, 1000) is learned_table()
