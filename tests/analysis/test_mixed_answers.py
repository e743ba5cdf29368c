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
from arcwise.graph import Constraints

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
    assert "not calibrated" in text
    assert f"setting arm (no → yes) changes the mean of final by {row.change:+.3g}" in text
    assert row.low < 3.4 < row.high
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "effect.csv"), one.to_frame())
    told = json.loads(cli("effect", folder, "age", "final", "--by", "10", "--json"))
    slope = saved.effect("age", "final")
    assert isinstance(slope, MixedEffect) and slope.change is not None
    assert told["table"][0]["change"] == pytest.approx(10 * float(slope.change.mean[0, 0]))


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
