"""What can be asked of a folder whose numbers are as they are: each verb answers in units, or says why not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from tests.analysis.test_as_they_are import quick, trial

from arcwise.analysis import Analysis
from arcwise.analysis import open as open_analysis
from arcwise.effects.mixed_effect import MixedEffect, MixedEffects
from arcwise.effects.model_average import AveragedDistribution, AveragedNumber
from arcwise.graph import Constraints
from arcwise.model.mixed_network import NumberAnswer

Cli = Callable[..., str]


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """With what comes first in time, so that directions are known."""
    frame = trial()
    known = Constraints(tuple(frame), tiers=[["age", "arm", "noise"], ["base", "mark"], ["final"]])
    return quick(frame, constraints=known)


@pytest.fixture(scope="module")
def folder(analysis: Analysis, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return analysis.save(tmp_path_factory.mktemp("mixed") / "out")


# ---- Effects


def test_an_effect_in_units_is_the_same_in_memory_and_from_the_folder(
    cli: Cli, analysis: Analysis, folder: Path, tmp_path: Path
) -> None:
    saved = open_analysis(folder)
    one, other = analysis.effect("arm", "final"), saved.effect("arm", "final")
    assert isinstance(one, MixedEffect) and isinstance(other, MixedEffect)
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
    text = " ".join(cli("effect", folder, "arm", "final", "-o", tmp_path / "effect.csv").split())
    row = one.to_frame().iloc[0]
    assert "How often such a probability is right" in text
    assert f"setting arm (no → yes) changes the mean of final by {row.change:+.3g}" in text
    assert row.low < 3.4 < row.high
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "effect.csv"), one.to_frame())
    told = json.loads(cli("effect", folder, "age", "final", "--by", "10", "--json"))
    slope = saved.effect("age", "final")
    assert isinstance(slope, MixedEffect) and slope.change is not None
    assert told["table"][0]["change"] == pytest.approx(10 * float(slope.change.mean[0, 0]))
    change = json.loads(cli("effect", folder, "age", "final", "--from", "50", "--to", "40", "--json"))["table"][0]
    assert change["change"] == pytest.approx(-10 * float(slope.change.mean[0, 0]))
    back = " ".join(cli("effect", folder, "arm", "final", "--from", "yes", "--to", "no").split())
    assert f"setting arm (yes → no) changes the mean of final by {-row.change:+.3g}" in back
    assert "unknown state of arm 'maybe'" in cli(
        "effect", folder, "arm", "final", "--from", "no", "--to", "maybe", code=1
    )
    assert "numbers here" in cli("effect", folder, "age", "final", "--from", "old", "--to", "40", code=1)


def test_all_effects_and_those_within_the_class(cli: Cli, folder: Path) -> None:
    found = open_analysis(folder).effects()
    assert isinstance(found, MixedEffects)
    told = json.loads(cli("effect", folder, "base", "--json"))["table"]
    whole = found.to_frame()
    assert [row["outcome"] for row in told] == whole[whole["cause"] == "base"]["outcome"].tolist()
    assert "final" in told[0]["outcome"]
    within = json.loads(cli("effect", folder, "base", "final", "--within-class", "--json"))
    assert within["table"] and all(row["change"] == pytest.approx(0.95, abs=0.05) for row in within["table"])


def test_what_of_effects_numbers_cannot_have(cli: Cli, folder: Path) -> None:
    told = cli("effect", folder, "arm", "final", "--hidden-causes", "possible", code=1)
    assert "nothing bounds a number" in told


# ---- Queries


def test_a_query_is_of_numbers_and_the_folder_answers_as_the_analysis_does(
    cli: Cli, analysis: Analysis, folder: Path
) -> None:
    told = json.loads(cli("query", folder, "P(final | base=90, arm=yes, age=40)", "--json"))["answers"][0]
    row = told["answers"]["final"][0]
    assert abs(row["mean"] - (90 + 3.4 - 8)) < 1.5 and row["low"] < row["mean"] < row["high"]
    assert row["high"] - row["low"] == pytest.approx(2 * 1.96 * 6, rel=0.15)
    own = analysis.mixed_network.query("final", {"base": 90, "arm": "yes", "age": 40})
    assert isinstance(own, NumberAnswer) and own.mean == pytest.approx(row["mean"])
    frame = trial()
    old = frame[frame["age"] > 60]
    text = json.loads(cli("query", folder, "P(base | age>60)", "P(arm | final>100)", "--json"))["answers"]
    assert abs(text[0]["answers"]["base"][0]["mean"] - old["base"].mean()) < 3
    share = (frame[frame["final"] > 100]["arm"] == "yes").mean()
    assert abs(text[1]["answers"]["arm"][1]["probability"] - share) < 0.08
    one = json.loads(cli("query", folder, "P(final>100, arm=yes | age<=50)", "--json"))["answers"][0]
    young = frame[frame["age"] <= 50]
    expected = ((young["final"] > 100) & (young["arm"] == "yes")).mean()
    assert abs(one["probability"] - expected) < 0.05
    scale = cli("query", folder, "P(mark | age=60)")
    assert "mean" in scale and "probability" in scale and scale.count("mark") == 8
    everything = cli("query", folder, "P(* | age=60)")
    assert all(name in everything for name in ("base", "arm", "final", "noise"))


def test_an_average_has_the_uncertainty_of_the_mean_and_of_values(cli: Cli, analysis: Analysis, folder: Path) -> None:
    one = open_analysis(folder).query("final", {"base": 90.0, "arm": "yes", "age": "40"}, draws=60, seed=3)
    other = analysis.query("final", {"base": 90.0, "arm": "yes", "age": "40"}, draws=60, seed=3)
    assert isinstance(one, AveragedNumber) and isinstance(other, AveragedNumber)
    pd.testing.assert_frame_equal(one.to_frame(), other.to_frame())
    # Of 900 rows with a spread of 6: the mean is known to about one unit, a value to 24.
    assert 0.3 < one.high - one.low < 4 < 18 < one.most - one.least < 30
    assert one.low < 90 + 3.4 - 8 < one.high
    told = json.loads(cli("query", folder, "P(final>90 | base=90, arm=yes)", "--average", "--draws", "40", "--json"))[
        "answers"
    ][0]
    assert told["answer"][0]["low"] < told["answer"][0]["probability"] < told["answer"][0]["high"]
    arm = analysis.query("arm", {"final": 90.0, "base": 90.0}, draws=30)
    assert isinstance(arm, AveragedDistribution) and arm.mean.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("MPE(arm=yes)", "most probable values of numbers"),
        ("P(final, base)", "one variable is asked for at a time"),
        ("P(final=90)", "ask P(final>90)"),
        ("P(final | arm>no)", "no order"),
        ("P(final | arm=perhaps)", "must be one of no, yes"),
        ("P(final | age=old)", "finite number"),
    ],
)
def test_what_of_queries_numbers_cannot_have(cli: Cli, folder: Path, question: str, words: str) -> None:
    assert words in " ".join(cli("query", folder, question, code=1).split())


# ---- Predictions, fit, samples


def test_new_rows_are_predicted_in_units_with_gaps_and_without_columns(cli: Cli, folder: Path, tmp_path: Path) -> None:
    frame = trial(300).sample(frac=1, random_state=1).head(60).reset_index(drop=True)
    frame.loc[:9, "base"] = float("nan")
    frame.drop(columns="noise").to_csv(tmp_path / "new.csv", index=False)
    told = json.loads(
        cli("predict", folder, tmp_path / "new.csv", "--target", "final", "-o", tmp_path / "out.csv", "--json")
    )
    assert told["known"] == 60 and told["inside"] > 0.85 and told["rmse"] > 6
    found = pd.read_csv(tmp_path / "out.csv")
    assert list(found) == ["final", "low", "high"]
    near = (found["final"] - frame["final"]).abs()
    assert near[10:].mean() < 7 < 8 < near[:10].mean() + 8
    assert (found["high"] - found["low"])[:10].mean() > 1.5 * (found["high"] - found["low"])[10:].mean()
    saved = open_analysis(folder)
    pd.testing.assert_frame_equal(saved.predict_numbers(frame.drop(columns="noise"), "final"), found)
    states = saved.predict(frame, "arm")
    assert set(states) <= {"no", "yes"}
    averaged = saved.predict_numbers(frame, "final", average=True, most=10)
    assert (averaged["final"] - found["final"]).abs().mean() < 2


def test_cross_validation_fit_and_samples_from_the_folder(cli: Cli, folder: Path, tmp_path: Path) -> None:
    told = json.loads(cli("predict", folder, "--target", "final", "--folds", "2", "--json"))
    assert 5 < told["rmse"] < 8 and told["folds"] == 2 and told["explained"] > 0.8
    fit = json.loads(cli("check-fit", folder, "--replicates", "10", "--json"))
    assert fit["misfits"] <= 2 and fit["independent"] < fit["log_likelihood"]
    cli("sample", folder, "-n", "400", "--seed", "2", "-o", tmp_path / "drawn.csv")
    cli("sample", folder / "network.json", "-n", "400", "--seed", "2", "-o", tmp_path / "again.csv")
    assert (tmp_path / "drawn.csv").read_bytes() == (tmp_path / "again.csv").read_bytes()
    drawn, frame = pd.read_csv(tmp_path / "drawn.csv"), trial()
    assert list(drawn) == list(frame) and abs(drawn["final"].mean() - frame["final"].mean()) < 4
    new = json.loads(cli("check-fit", folder, tmp_path / "drawn.csv", "--replicates", "0", "--json"))
    assert new["n_cases"] == 400
    assert "needs a value" in cli("sample", folder, "-n", "5", "--do", "arm", code=1)
    assert "over numbers as they are" in " ".join(
        cli("convert", folder / "network.json", "-o", tmp_path / "x.bif", code=1).split()
    )
