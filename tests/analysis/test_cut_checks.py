"""Which edges depend on how numbers were cut, from the data to the report."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arcwise import learn
from arcwise.analysis.cut_checks import cut_again, ways_to_cut
from arcwise.analysis.options import LearnOptions
from arcwise.data import Table


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
    analysis.save(tmp_path / "out")
    assert ["score", "rare"] in json.loads((tmp_path / "out" / "run.json").read_text())["result"]["depends_on_cuts"]
    assert "Do the edges depend on how numbers were cut?" in (tmp_path / "out" / "report.html").read_text()


def test_nothing_cut_nothing_said() -> None:
    rng = np.random.default_rng(1)
    plain = pd.DataFrame({name: rng.choice(["u", "v"], 100) for name in "abc"})
    analysis = learn(plain, permutations=0)
    assert analysis.cuts is None and "how numbers were cut" not in analysis.to_text()


def test_ways() -> None:
    assert ("quantile", 3) not in ways_to_cut(LearnOptions())
    assert ("mdl", 0) in ways_to_cut(LearnOptions(target="ill"))
    assert ("joint", 0) not in ways_to_cut(LearnOptions(discretize="joint"))


def test_joint_cuts_through_learn(frame: pd.DataFrame) -> None:
    analysis = learn(frame, agree=True, discretize="joint", compare=False, permutations=0)
    assert "chosen together with the structure" in " ".join(analysis.steps)
    assert analysis.edge("score", "rare").present > 0.9 and analysis.edge("age", "ill").present > 0.9


def test_a_column_that_would_not_vary_is_left_out_of_the_ways() -> None:
    values = np.r_[np.zeros(300), np.linspace(1, 2, 60)]
    table = Table.from_dataframe(pd.DataFrame({"x": values, "y": ["u", "v"] * 180}))
    assert cut_again(table, ("x",), "quantile", 2, LearnOptions()) is not None
