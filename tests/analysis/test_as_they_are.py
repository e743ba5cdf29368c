"""Learning from numbers and scales that are not cut: what is found, what is told, and what cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.analysis.analysis import Analysis
from arcwise.data.mixed import MixedData
from arcwise.data.read import read_table
from arcwise.effects.mixed_effect import find_mixed_effect
from arcwise.errors import ArcwiseError, OptionError
from arcwise.evaluate.prediction import NumberScores, PredictionScores
from arcwise.findings.options import LearnOptions
from arcwise.model.mixed_network import MixedNetwork, NumberAnswer


def trial(rows: int = 900) -> pd.DataFrame:
    """A treatment that helps by 3.4 units, which thirds of the outcome hardly show: age and base vary far more."""
    rng = np.random.default_rng(4)
    age = rng.normal(50, 12, rows)
    base = 70 + 0.3 * age + rng.normal(0, 15, rows)
    arm = rng.integers(0, 2, rows)
    final = base + 3.4 * arm - 0.2 * age + rng.normal(0, 6, rows)
    mark = np.clip(np.round(age / 15 + rng.normal(0, 0.5, rows)), 1, 6).astype(int)
    noise = rng.normal(size=rows)
    columns = {"age": age, "base": base, "arm": np.array(["no", "yes"])[arm], "final": final, "mark": mark}
    return pd.DataFrame({**columns, "noise": noise})


def quick(frame: object, **options: object) -> Analysis:
    return learn(
        frame,  # type: ignore[arg-type]
        numbers="as-they-are",
        replicates=60,
        seed=1,
        threads=1,
        progress=False,
        **{"compare": False, **options},
    )


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    return quick(trial())


def test_what_numbers_say_is_found(analysis: Analysis) -> None:
    present = {frozenset((e.first, e.second)): e.present for e in analysis.edges}
    for pair in (("arm", "final"), ("base", "final"), ("age", "final"), ("age", "mark"), ("age", "base")):
        assert present[frozenset(pair)] >= 0.9, pair
    assert all(value < 0.5 for pair, value in present.items() if "noise" in pair)
    assert analysis.main.recipe.score["name"] == "bic-dg"
    assert analysis.main.recipe.title == "bootstrap, degenerate Gaussian BIC"
    # Cut in three, a difference of 3.4 units among 25 is half lost.
    cut = learn(trial(), agree=True, replicates=60, seed=1, threads=1, compare=False, progress=False)
    assert cut.confidence.pair("arm", "final").present < 0.8


def test_the_effect_is_in_units(analysis: Analysis) -> None:
    kept, mixed = analysis.main.kept, analysis.prepared.mixed
    assert kept is not None and mixed is not None
    effect = find_mixed_effect(kept.networks, mixed, "arm", "final")
    assert effect.change is not None and effect.probability > 0.5
    low, high = float(effect.change.low[0, 0]), float(effect.change.high[0, 0])
    assert low < 3.4 < high and low > 0


def test_it_is_told_first_that_no_study_stands_behind_it(analysis: Analysis) -> None:
    assert analysis.report.summary[0].startswith("Not calibrated for columns like these")
    told = " ".join(analysis.prepared.steps)
    assert "Taken as numbers 'age', 'base', 'final', 'noise'; as scales 'mark'; as categories 'arm'." in told
    assert analysis.fit is not None and analysis.fit.all_edges and analysis.cuts is None


def test_a_target_that_is_a_number_is_predicted_in_its_units() -> None:
    found = quick(trial(400), target="final")
    assert found.focus is not None and isinstance(found.focus.scores, NumberScores)
    assert 5 < found.focus.scores.rmse < 8 and found.focus.scores.explained > 0.8
    assert "of its variance is explained" in found.report.to_text()
    state = quick(trial(400), target="arm")
    assert state.focus is not None and isinstance(state.focus.scores, PredictionScores)
    assert state.focus.scores.states == ("no", "yes")


def test_other_scores_of_numbers_are_compared_with() -> None:
    found = quick(trial(400), compare=True)
    names = {str(made.recipe.score["name"]) for made in found.comparisons}
    assert "bootstrap, degenerate Gaussian BIC (numbers ranks, functions 1)" in {m.title for m in found.comparisons}
    assert names == {"bic-dg", "bic-cg"} and all(made.recipe.source == "bootstrap" for made in found.comparisons)


def test_what_cutting_would_find_stands_beside_it() -> None:
    found = quick(trial(), compare=True)
    assert found.when_cut is not None and found.when_cut.confidence is not None and found.cuts is None
    assert found.when_cut.recipe.score["name"] == "qnml"
    told = found.report.to_text()
    there = found.when_cut.confidence.probability
    apart = [
        (edge.first, edge.second)
        for edge in found.edges
        if (found.probability[edge.first, edge.second] > 0.5) != (there[edge.first, edge.second] > 0.5)
    ]
    assert ("age", "final") in apart  # given base, thirds of age hardly show it
    listed = told[told.index("What cutting would find") : told.index("Before learning")]
    assert all(f"{first} — {second}" in listed for first, second in apart)
    assert listed.count(" — ") == len(apart)
    assert not any(edge.cuts_decide for edge in found.edges)


def test_the_folder_holds_numbers_and_their_network(analysis: Analysis, tmp_path: Path) -> None:
    analysis.save(tmp_path / "out")
    mixed = MixedData.from_table(read_table(tmp_path / "out" / "columns.parquet"))
    assert analysis.prepared.mixed is not None and mixed.digest == analysis.prepared.mixed.digest
    network = MixedNetwork.read(tmp_path / "out" / "network.json")
    assert network.dag == analysis.dag
    answer = network.query("final", {"base": 90.0, "age": 40.0, "arm": "yes"})
    assert isinstance(answer, NumberAnswer) and abs(answer.mean - (90 + 3.4 - 8)) < 1.5
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert record["options"]["numbers"] == "as-they-are" and "numbers='as-they-are'" in record["command"]


def test_weights_experiments_and_gaps() -> None:
    frame = trial(300)
    frame["set"] = np.where(np.arange(300) < 100, "arm", "")
    frame.loc[5:9, "age"] = np.nan
    found = quick(frame, interventions="set", impute="knn")
    mixed = found.prepared.mixed
    assert mixed is not None and mixed.targets is not None and mixed.targets.names == ("arm",)
    assert np.isfinite(mixed.values).all() and mixed.n_rows == 300
    again = quick(mixed)
    assert again.prepared.mixed is not None and again.prepared.mixed.digest == mixed.digest


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "qnml"}, "needs a score of numbers"),
        ({"impute": "completions"}, "takes numbers that are all there"),
        ({"recut": True}, "leaves numbers whole"),
        ({"method": "posterior"}, "is for the bootstrap"),
    ],
)
def test_what_cannot_be_asked_together(options: dict[str, object], words: str) -> None:
    with pytest.raises(OptionError, match=words):
        quick(trial(200), **options)


def test_a_score_of_numbers_asks_for_numbers() -> None:
    with pytest.raises(OptionError, match="Take them as they are: numbers='as-they-are'"):
        LearnOptions(score="bic-dg")
    with pytest.raises(ArcwiseError, match="raw data"):
        quick(MixedData.from_dataframe(trial(200)).as_dataset())
    with pytest.raises(ArcwiseError, match=r"fill each from the rows that are most similar \(impute='knn'\)"):
        quick(trial(200).mask(np.eye(200, 6, dtype=bool)))
