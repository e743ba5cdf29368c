"""The time that is left reaches what comes before learning: gaps that are filled and numbers that are cut."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from arcwise.analysis import learn
from arcwise.base.run import NO_TIME, Limits, Run, Status
from arcwise.cli.main import app
from arcwise.data import Table
from arcwise.data.discretize import quantiles, rounded
from arcwise.data.impute import fill_gaps, impute
from arcwise.errors import UnfinishedError
from arcwise.local.joint_cuts import joint_cuts
from arcwise.sampled.numeric_data import Cutting, NumericData

NUMBERS = pd.DataFrame(np.random.default_rng(1).normal(size=(300, 4)).cumsum(axis=1), columns=list("abcd"))


def gapped(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame({name: rng.choice(["x", "y", "y"], rows) for name in "abc"})
    frame["n"] = rng.normal(size=rows)
    return frame.mask(rng.random(frame.shape) < 0.2)


def over() -> Run:
    return Run(limits=Limits(seconds=NO_TIME))


def test_gaps_that_the_time_does_not_suffice_for_get_the_usual_value() -> None:
    table = Table.from_dataframe(gapped())
    filled, told = fill_gaps(table, "knn", over())
    assert "Time ran out" in told
    usual = impute(table.select(["a", "b", "c"]), method="mode")
    for name in "abc":
        assert filled.column(name).codes.tolist() == usual.column(name).codes.tolist()
    mean = np.nanmean(table.column("n").values())
    assert np.allclose(filled.column("n").values()[table.column("n").is_missing], mean)
    whole, nothing = fill_gaps(table, "knn", Run())
    assert nothing == ""
    assert [c.codes.tolist() for c in whole.columns] == [c.codes.tolist() for c in impute(table).columns]


def test_the_time_of_a_verb_counts_from_before_gaps_are_filled(tmp_path: Path) -> None:
    gapped().drop(columns="n").to_csv(tmp_path / "gaps.csv", index=False)
    words = ["search", str(tmp_path / "gaps.csv"), "--impute", "knn", "--limit-seconds"]
    assert CliRunner().invoke(app, [*words, "100"]).exit_code == 0
    assert CliRunner().invoke(app, [*words, "0.000001"]).exit_code == 3


def test_an_analysis_says_that_gaps_were_filled_in_a_hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Run, "share", lambda self, part: over() if part == 0.5 and not self.progress else self)
    made = learn(gapped(), impute="knn", discretize="quantile", agree=True, replicates=5, compare=False, permutations=0)
    assert "Time ran out" in made.prepared.hurried
    assert made.status is Status.TIME_LIMIT
    assert "got the most frequent values" in made.to_text()


def test_clusters_that_the_time_does_not_suffice_for_are_quantiles() -> None:
    table = Table.from_dataframe(NUMBERS)
    hurried = NumericData(table, tuple("abcd"), Cutting("kmeans", 5, limit_seconds=NO_TIME))
    assert hurried.cut_status is Status.TIME_LIMIT
    numbers = NUMBERS["b"].to_numpy()
    assert hurried.cuts["b"].tolist() == rounded(quantiles(numbers, 5), numbers).tolist()
    assert NumericData(table, tuple("abcd"), Cutting("kmeans", 5)).cut_status is Status.COMPLETE


@pytest.mark.parametrize("method", ["kmeans", "joint"])
def test_a_sample_is_cut_in_time_or_not_at_all(method: str) -> None:
    data = NumericData(Table.from_dataframe(NUMBERS), tuple("abcd"), Cutting(method, 3))
    with pytest.raises(UnfinishedError, match="before the numbers of a sample were cut"):
        data.sample(1, over())
    assert data.sample(1, Run(limits=Limits(seconds=1000))).digest == data.sample(1).digest


def test_joint_cuts_look_at_the_clock_for_every_column(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[str] = []
    monkeypatch.setitem(joint_cuts.__globals__, "_cuts_for", lambda data, dag, name, fine: chosen.append(name))
    made = joint_cuts(Table.from_dataframe(NUMBERS), [*"abcd"], limits=Limits(seconds=NO_TIME))
    assert made.status is Status.TIME_LIMIT
    assert chosen == []
