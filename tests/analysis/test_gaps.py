"""`learn` from data with gaps: end to end, and what it says about them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import Dataset
from arcwise.analysis import Analysis, learn
from arcwise.data import Incomplete
from arcwise.errors import OptionError

QUICK = {"permutations": 0, "compare": False, "completions": 8}
CREDIBLE = {"method": "credible", **QUICK}  # one set of networks for each of the completions


def trial(rows: int = 250, seed: int = 3) -> pd.DataFrame:
    """A trial: treatment is randomised and known of three quarters; age, a number, and outcome go with sickness."""
    rng = np.random.default_rng(seed)
    sick = rng.integers(0, 2, rows)
    age = rng.normal(50 + 12 * sick, 8).round(2)
    outcome = np.where(rng.random(rows) < np.where(sick, 0.8, 0.15), "dead", "alive")
    treated = np.array(["drug", "placebo"])[rng.integers(0, 2, rows)]
    frame = pd.DataFrame({"treated": treated, "age": age, "sick": np.array(["no", "yes"])[sick], "outcome": outcome})
    frame.loc[rng.random(rows) < 0.25, "treated"] = None
    frame.loc[rng.random(rows) < np.where(sick, 0.5, 0.1), "outcome"] = None
    frame.loc[rng.random(rows) < 0.2, "age"] = np.nan
    return frame


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("gaps") / "trial.csv"
    trial().to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def found(file: Path) -> Analysis:
    return learn(file, agree=True, **CREDIBLE)


def test_from_a_file_with_gaps_to_a_folder(file: Path, found: Analysis, tmp_path: Path) -> None:
    assert found.prepared.gaps == "completions:8"
    assert found.main.recipe.gaps == "completions:8"
    assert found.confidence["age", "sick"] > 0.9
    assert found.confidence["sick", "outcome"] > 0.9
    assert found.confidence["treated", "age"] < 0.2
    edge = found.edge("sick", "outcome")
    frame = trial()
    assert edge.share_filled == pytest.approx(frame["outcome"].isna().mean())
    assert edge.between_completions is not None
    assert edge.counts.sum() == pytest.approx(250, abs=2)
    found.save(tmp_path / "first")
    learn(file, agree=True, threads=2, **CREDIBLE).save(tmp_path / "second")
    for name in sorted(path.name for path in (tmp_path / "first").iterdir()):
        assert (tmp_path / "first" / name).read_bytes() == (tmp_path / "second" / name).read_bytes(), name
    table = pd.read_csv(tmp_path / "first" / "edges.csv")
    assert table["share_filled"].between(0, 1).all()
    assert table["spread"].notna().all()
    record = json.loads((tmp_path / "first" / "run.json").read_text())
    assert "missing at random" in record["data"]["steps"][0]
    assert record["data"]["digest"] == found.prepared.data.digest


def test_the_report_says_what_was_assumed_and_what_gaps_depend_on(found: Analysis) -> None:
    text = " ".join(found.to_text(width=200).split())
    for part in (
        "missing at random",
        "rows are complete",
        "Gaps are not completely at random",
        "outcome sick",  # the table: gaps of outcome depend on sick
        "completions of the data",
        "by data augmentation (Tanner & Wong, 1987)",
        "Tanner, M. A.",
    ):
        assert part in text, part


def test_without_gaps_nothing_changes(tmp_path: Path) -> None:
    frame = trial().dropna().reset_index(drop=True)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    options = {"permutations": 0, "compare": False, "agree": True, "name": "whole", "replicates": 20}
    learn(tmp_path / "whole.csv", **options).save(tmp_path / "usual")
    for impute in ("completions", "knn"):
        found = learn(tmp_path / "whole.csv", impute=impute, **options)
        assert found.gaps is None
        assert found.main.recipe.gaps == "none"
        found.save(tmp_path / impute)
        for name in ("edges.csv", "network.bif", "confidence.parquet", "cpdag.dot"):
            assert (tmp_path / "usual" / name).read_bytes() == (tmp_path / impute / name).read_bytes()
    data = found.data
    nothing = np.zeros((data.n_variables, data.n_rows), dtype=bool)
    same, usual = (
        learn(given, permutations=0, compare=False, replicates=20) for given in (Incomplete(data, nothing), data)
    )
    np.testing.assert_array_equal(same.confidence.present, usual.confidence.present)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("knn", "Expect edges that are in the filling alone"),
        ("mode", "expect edges to look weaker"),
        ("state", "Expect edges between columns that are missing together"),
        ("drop", "Fewer rows show fewer edges"),
    ],
)
def test_filling_once_comes_with_a_warning(file: Path, method: str, words: str) -> None:
    found = learn(file, agree=True, impute=method, replicates=20, **QUICK)
    assert found.main.recipe.gaps == method
    assert found.gaps is None
    assert isinstance(found.prepared.data, Dataset)
    assert any(words in step for step in found.steps)
    if method == "state":
        assert "missing" in found.data.states[found.data.index("age")]


def test_the_bootstrap_completes_each_replicate(file: Path) -> None:
    found = learn(file, agree=True, numbers="cut", replicates=20, **QUICK)
    assert found.main.title == "bootstrap, qNML"
    assert found.confidence.spread is None
    assert found.confidence.completions == 20
    assert found.confidence["age", "sick"] > 0.9
    assert "each network was learned from its own completion" in found.explain("sick", "outcome")
    assert found.to_frame(full=True)["spread"].isna().all()
    text = " ".join(found.to_text().split())
    assert "Each network was learned from a sample of the rows with their gaps, which was completed anew." in text
    assert "Each bootstrap sample was drawn with its gaps and completed anew." in text
    assert "completions of the data" not in text
    same = learn(file, agree=True, numbers="cut", replicates=20, threads=2, **QUICK)
    assert same.to_html() == found.to_html()


def test_gaps_of_data_that_are_discrete_already(file: Path) -> None:
    frame = trial()
    frame["age"] = np.where(frame["age"].isna(), None, np.where(frame["age"] > 56, "old", "young"))
    found = learn(Incomplete.from_dataframe(frame), **CREDIBLE)
    assert found.confidence.completions >= 8
    with pytest.raises(OptionError, match="gaps of Incomplete data are completed"):
        learn(Incomplete.from_dataframe(frame), impute="knn")


def test_shuffled_columns_keep_their_gaps(file: Path) -> None:
    found = learn(file, agree=True, method="credible", permutations=2, compare=False, completions=4)
    assert [mark.label for mark in found.thresholds.marks][-1] == "Broom"


def test_data_of_experiments_are_completed(tmp_path: Path) -> None:
    """In a third of the rows sickness was set, at random: it is not caused by age there, and does not hide that."""
    frame = trial(600)
    rng = np.random.default_rng(8)
    made = rng.random(600) < 0.35
    frame.loc[made, "sick"] = rng.choice(["no", "yes"], made.sum())
    frame["set"] = np.where(made, "sick", "")
    found = learn(frame, interventions="set", agree=True, **CREDIBLE)
    assert found.main.recipe.gaps == "completions:8"
    assert found.confidence["age", "sick"] > 0.8
    assert any("Taken as set by experiments: sick in" in step for step in found.steps)
    assert found.confidence.directed[found.data.index("age"), found.data.index("sick")] > 0.8
    found.save(tmp_path / "out")
    again = learn(frame, interventions="set", agree=True, replicates=8, **QUICK)
    assert again.confidence["age", "sick"] > 0.5
