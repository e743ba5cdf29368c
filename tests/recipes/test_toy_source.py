"""A source of networks that arcwise does not know: one file and one line make it work everywhere."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise import datasets
from arcwise.data import write_data
from arcwise.recipes.registry import SOURCES

SOURCE = '''
"""Jackknife networks: the best climb without each of some blocks of the cases."""
from dataclasses import dataclass

import numpy as np

from arcwise.ensemble import NetworkSet
from arcwise.recipes.registry import Source
from arcwise.local import hill_climb
from arcwise.base.options import CheckedOptions, option


@dataclass(frozen=True)
class Settings(CheckedOptions):
    blocks: int = option(6, "how many blocks the cases fall into", low=2)


class Jackknife(Source):
    name = "jackknife"
    title = "jackknife"
    networks = "networks learned without a block of the cases"
    meaning = "one network per block that is left out"
    heading = "The jackknifed networks"
    Settings = Settings
    default_score = "bic"
    is_sample = True
    quick_permutations = 20

    def run(self, recipe, data, run):
        block = np.random.default_rng(run.seed).permutation(data.n_cases) % recipe.settings["blocks"]
        kept = [data.take(np.flatnonzero(block != k)) for k in range(recipe.settings["blocks"])]
        options = {"max_parents": recipe.max_parents, "constraints": recipe.constraints_on(data.names)}
        dags = [hill_climb(part, score=recipe.scorer, seed=run.seed, progress=False, **options).dag for part in kept]
        scores = [recipe.scorer.score_network(data, dag) for dag in dags]
        found = NetworkSet.from_dags(dags, scores=scores, origin="jackknife", weights="equal")
        return found.made_by(recipe)

    def summary(self, made):
        return f"{made.were} learned without a sixth of {made.n_cases} cases."
'''

USE = """
import json, sys
import arcwise
from arcwise.confidence import choose_threshold
from arcwise.ensemble import Recipe

data = arcwise.read_data(sys.argv[1])
main = arcwise.learn(data, method="jackknife", permutations=3, seed=1)
beside = arcwise.learn(data, method="bootstrap", replicates=20, permutations=0, seed=1)
confidence = main.confidence
broom = choose_threshold(confidence, "broom", data=data, permutations=4, seed=1)
print(json.dumps({
    "main": main.main.title,
    "recipe": confidence.recipe.describe(),
    "beside": [other.title for other in beside.comparisons],
    "broom": broom.value,
    "text": main.to_text(),
    "methods": main.explain("class", "left-weight"),
}))
"""

STUDY = """
name = "toy"
seed = 1
[experiments.discovery]
data_sets = ["balance-scale", "iris"]
truth_scores = ["bic"]
sizes = [100]
scores = ["bic"]
methods = ["jackknife", "bootstrap"]
replicates = 10
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the source, the line that registers it, data and a study."""
    folder = tmp_path_factory.mktemp("toy")
    add_package(folder, "jackknife", SOURCE, "jackknife = jackknife:Jackknife")
    write_data(datasets.load("balance-scale"), folder / "balance.csv")
    (folder / "use.py").write_text(USE)
    (folder / "toy.toml").write_text(STUDY)
    return folder


def run(world: Path, *words: str) -> str:
    paths = (str(world), os.environ.get("PYTHONPATH", ""))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    found = subprocess.run(
        [sys.executable, *words], cwd=world, env=environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


def add_package(folder: Path, name: str, code: str, line: str) -> None:
    (folder / f"{name}.py").write_text(code)
    (folder / f"{name}-1.dist-info").mkdir(parents=True)
    (folder / f"{name}-1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
    (folder / f"{name}-1.dist-info" / "entry_points.txt").write_text(f"[arcwise.sources]\n{line}\n")


LIST = """
import json, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from arcwise.recipes.registry import SOURCES
told = [str(warning.message) for warning in caught if warning.category is RuntimeWarning]
print(json.dumps({"sources": {name: type(source).__module__ for name, source in SOURCES.items()}, "told": told}))
"""


def test_a_package_that_is_broken_or_takes_a_name_is_told_of_and_left_out(tmp_path: Path) -> None:
    add_package(tmp_path, "jackknife", SOURCE, "jackknife = jackknife:Jackknife")
    add_package(tmp_path, "broken", "import a_module_that_is_not_there", "broken = broken:Broken")
    clash = SOURCE.replace('name = "jackknife"', 'name = "bootstrap"')
    add_package(tmp_path, "clash", clash, "bootstrap = clash:Jackknife")
    add_package(tmp_path, "other", "class Other:\n    name = 'other'", "other = other:Other")
    add_package(tmp_path, "renamed", SOURCE, "knife = renamed:Jackknife")
    found = json.loads(run(tmp_path, "-c", LIST))
    assert found["sources"] == {name: type(source).__module__ for name, source in SOURCES.items()} | {
        "jackknife": "jackknife"
    }
    told = sorted(found["told"])
    assert len(told) == 4
    assert told[0] == ("the source 'bootstrap' of the package clash is left out: there is one of that name already.")
    assert "the source 'broken' of the package broken cannot be loaded: ModuleNotFoundError" in told[1]
    assert "the source 'knife' of the package renamed cannot be loaded: ValueError: its name is 'jackknife'" in told[2]
    assert "the source 'other' of the package other cannot be loaded: TypeError" in told[3]


def test_learn_comparisons_and_broom(world: Path) -> None:
    found = json.loads(run(world, "use.py", "balance.csv"))
    assert found["main"] == "jackknife, BIC"
    assert found["recipe"]["settings"] == {"blocks": 6}
    assert "jackknife, BIC" in found["beside"]
    assert 0 <= found["broom"] <= 1
    assert "networks learned without a block of the cases" in found["text"]
    assert "of 6 networks learned without a block of the cases" in found["methods"]
    assert "The jackknifed networks" in found["text"]
    assert "6 networks were learned without a sixth of 625 cases." in found["text"]


def test_the_command_line(world: Path) -> None:
    run(world, "-m", "arcwise.cli", "learn", "balance.csv", "--method", "jackknife", "-o", "out", "--permutations", "0")
    record = json.loads((world / "out" / "run.json").read_text())
    assert record["recipe"]["source"] == "jackknife"
    assert "--method jackknife" in record["command"]
    confidences = str(world / "out" / "confidence.parquet")
    broom = ("--rule", "broom", "--data", "balance.csv", "--permutations", "3", "--json")
    found = json.loads(run(world, "-m", "arcwise.cli", "threshold", confidences, *broom))
    assert found["rule"] == "broom"


def test_a_study(world: Path) -> None:
    run(world, "-m", "arcwise.cli", "study", "run", "toy.toml", "--store", "toy.duckdb")
    found = run(world, "-m", "arcwise.cli", "study", "status", "--store", "toy.duckdb", "--json")
    assert json.loads(found)["complete"]
