"""Which edges depend on how numbers were cut, from the data to the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.base.run import Run
from arcwise.errors import OptionError
from arcwise.findings.checks import check_cuts, ways_to_cut
from arcwise.findings.method_result import MethodResult, Shortfall
from arcwise.findings.options import LearnOptions
from arcwise.limits import Limits, Status
from arcwise.sampled.numeric_data import NumericData


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = 500
    age = rng.normal(50, 10, rows)
    ill = rng.random(rows) < 1 / (1 + np.exp(-(age - 50) / 4))  # any cut shows it
    score = rng.normal(0, 1, rows)
    rare = rng.random(rows) < np.where(abs(score) > 1, 0.8, 0.2)  # a cut in the middle does not
    return pd.DataFrame({"age": age, "score": score, "ill": np.where(ill, "y", "n"), "rare": np.where(rare, "y", "n")})


def test_edges_that_the_cuts_make(frame: pd.DataFrame, tmp_path: Path) -> None:
    analysis = learn(frame, agree=True, bins=2, seed=1, permutations=0)
    assert analysis.cuts is not None and set(analysis.cuts.columns) == {"age", "score"}
    assert len(analysis.cuts.checks) == len(ways_to_cut(analysis.options))
    edges = {frozenset((edge.first, edge.second)): edge for edge in analysis.cuts.edges}
    assert not edges[frozenset(("age", "ill"))].depends
    fragile = edges[frozenset(("score", "rare"))]
    assert fragile.depends and fragile.here < 0.5 < fragile.highest
    assert analysis.edge("score", "rare").cuts_decide and not analysis.edge("age", "ill").cuts_decide
    analysis.save(tmp_path / "out")
    assert "Do the edges depend on how numbers were cut?" in (tmp_path / "out" / "report.html").read_text()


def test_no_direction_of_a_number_that_was_cut_is_settled() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 4000))
    z = x + y + 0.7 * rng.normal(size=4000)
    sides = pd.DataFrame({name: np.where(own > 0, "high", "low") for name, own in {"x": x, "y": y, "z": z}.items()})
    options = {"seed": 1, "compare": False, "permutations": 0, "replicates": 60, "progress": False}
    plain = learn(sides, **options)
    cut = learn(sides.assign(x=x), discretize="quantile", bins=2, **options)
    for analysis, is_settled in ((plain, True), (cut, False)):
        edge = analysis.edge("x", "z")
        assert (edge.tail, edge.head, edge.is_settled, edge.is_withheld) == ("x", "z", is_settled, not is_settled)
    assert cut.edge("y", "z").is_settled  # neither end of this one was cut
    assert "not settled, because x was cut from numbers" in cut.explain("x", "z")
    assert "x → z" not in cut.to_text().split("The data settle ")[1].split(".")[0]
    said = learn(sides.assign(x=x), discretize="quantile", bins=2, tiers=[["x", "y"], ["z"]], **options)
    assert said.edge("x", "z").is_pointed and not said.edge("x", "z").is_withheld


def test_no_direction_to_what_is_a_function_of_others_is_settled() -> None:
    rng = np.random.default_rng(2)
    x, y, noise = rng.random((3, 3000)) < [[0.4], [0.5], [0.15]]
    options = {"seed": 1, "compare": False, "permutations": 0, "replicates": 60, "progress": False}
    for flips, is_settled in ((noise, True), (noise & False, False)):
        columns = {"x": x, "y": y, "z": (x.astype(int) + y + flips) % 3}
        analysis = learn(pd.DataFrame(columns).astype(int).astype("category"), **options)
        edge = analysis.edge("x", "z")
        assert (edge.head, edge.is_settled, bool(edge.withheld)) == ("z", is_settled, not is_settled)
    assert "because what points to z determines it" in analysis.explain("x", "z")


def test_nothing_cut_nothing_said() -> None:
    rng = np.random.default_rng(1)
    plain = pd.DataFrame({name: rng.choice(["u", "v"], 100) for name in "abc"})
    analysis = learn(plain, permutations=0, replicates=20)
    assert analysis.cuts is None and "how numbers were cut" not in analysis.to_text()


def test_ways() -> None:
    assert ("quantile", 3) not in ways_to_cut(LearnOptions())
    assert ("mdl", 0) in ways_to_cut(LearnOptions(target="ill"))
    assert ("joint", 0) not in ways_to_cut(LearnOptions(discretize="joint"))


@pytest.mark.parametrize(
    ("ended", "note", "by_time"),
    [
        (Status.MEMORY_LIMIT, "Not completed: quantile, 2 bins (memory limit)", False),
        (Status.TIME_LIMIT, "Not tried for want of time: quantile, 2 bins", True),
    ],
)
def test_what_ended_a_way_to_cut_is_said(frame: pd.DataFrame, ended: Status, note: str, by_time: bool) -> None:
    main = learn(frame, agree=True, compare=False, permutations=0, replicates=10, seed=1)

    def average(data: NumericData) -> MethodResult:
        return MethodResult(main.main.recipe, None, ended, 0, Shortfall.NETWORKS)

    checks = check_cuts(main.prepared, main.confidence, main.options, Run(), average)
    assert checks is not None
    assert not checks.checks
    assert [remark.by_time for remark in checks.notes] == [by_time]
    assert checks.notes[0].text.startswith(note)


def test_numbers_are_not_cut_after_the_end_of_the_time(frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch) -> None:
    main = learn(frame, agree=True, compare=False, permutations=0, replicates=10, seed=1)
    monkeypatch.setattr("arcwise.findings.checks.uncut_of", lambda *_, **__: pytest.fail("numbers were cut"))
    over = Run(limits=Limits(seconds=1e-9))
    checks = check_cuts(main.prepared, main.confidence, main.options, over, lambda data: pytest.fail("begun"))
    assert checks is not None
    assert "joint" in checks.notes[0].text
    assert checks.notes[0].by_time


def test_joint_cuts_through_learn(frame: pd.DataFrame) -> None:
    analysis = learn(frame, agree=True, discretize="joint", compare=False, permutations=0)
    assert "chosen together with the structure" in " ".join(analysis.steps)
    assert analysis.edge("score", "rare").present > 0.9 and analysis.edge("age", "ill").present > 0.9


def test_gaps_are_completed_for_every_way_to_cut(frame: pd.DataFrame) -> None:
    holes = frame.assign(score=frame["score"].mask(np.random.default_rng(2).random(len(frame)) < 0.1))
    analysis = learn(holes, agree=True, method="credible", bins=2, seed=1, permutations=0, completions=4)
    assert analysis.cuts is not None and len(analysis.cuts.checks) == len(ways_to_cut(analysis.options)) - 1
    assert {check.confidence.completions for check in analysis.cuts.checks} == {4}
    edges = {frozenset((edge.first, edge.second)): edge for edge in analysis.cuts.edges}
    assert edges[frozenset(("score", "rare"))].depends and not edges[frozenset(("age", "ill"))].depends
    assert "takes columns without gaps" in analysis.to_text()


def test_gaps_as_states_are_states_in_every_way_to_cut(frame: pd.DataFrame) -> None:
    holes = frame.assign(score=frame["score"].mask(np.random.default_rng(2).random(len(frame)) < 0.1))
    analysis = learn(holes, agree=True, impute="state", replicates=20, seed=1, permutations=0)
    assert analysis.cuts is not None and len(analysis.cuts.checks) == len(ways_to_cut(analysis.options)) - 1


def test_mostly_the_largest_value_is_cut_off() -> None:
    values = np.r_[np.full(300, 2.0), np.linspace(0, 1, 60)]
    analysis = learn(pd.DataFrame({"x": values, "y": ["u", "v"] * 180}), agree=True, permutations=0, compare=False)
    assert analysis.data.states[0] == ("(-inf,1]", "(1,inf)")


def test_recut_through_learn(frame: pd.DataFrame, tmp_path: Path) -> None:
    chosen = {"agree": True, "replicates": 30, "permutations": 2, "seed": 1, "recut": True, "compare": False}
    one, other = learn(frame, **chosen), learn(frame, **chosen, threads=3)
    one.save(tmp_path / "one")
    other.save(tmp_path / "other")
    for name in ("report.html", "run.json", "edges.csv", "confidence.parquet"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()
    assert one.main.recipe.source == "bootstrap" and one.main.recipe.recuts
    assert "cut anew" in " ".join(one.steps) and "anew in each replicate" in one.to_text()
    record = json.loads((tmp_path / "one" / "run.json").read_text())
    assert "recut=True" in record["command"] and record["recipe"]["settings"]["recut"] is True


def test_recut_is_refused_where_it_means_nothing(frame: pd.DataFrame) -> None:
    with pytest.raises(OptionError, match="credible set has none"):
        learn(frame, agree=True, recut=True, method="credible")
    with pytest.raises(OptionError, match="none of the data was cut"):
        learn(frame[["ill", "rare"]], recut=True)
