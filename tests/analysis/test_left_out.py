"""Constraints and prior odds about columns that were left out: the message says so, and why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arcwise import Constraints, learn
from arcwise.errors import ConstraintError, OptionError
from arcwise.graph import Beliefs

COLUMNS = ("id", "a", "b", "same", "day", "twin")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = 200
    a = rng.choice(["x", "y"], rows)
    return pd.DataFrame(
        {
            "id": [f"C{k:05}" for k in range(rows)],
            "a": a,
            "b": rng.choice(["x", "y"], rows),
            "same": "one",
            "day": pd.date_range("2020-01-01", periods=rows).astype(str),
            "twin": np.where(a == "x", "1", "2"),
        }
    )


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"required": [("id", "a")]}, ("'id'", "an identifier", "keep=['id']")),
        ({"tiers": [["day"], ["a", "b"]]}, ("'day'", "holds dates or times", "dates='month'")),
        ({"roots": ["twin"]}, ("'twin'", "a copy of column 'a'", "keep=['twin']")),
        ({"max_parents_of": {"same": 1}}, ("'same'", "fewer than two distinct values")),
    ],
)
def test_constraints(frame: pd.DataFrame, said: dict[str, Any], words: tuple[str, ...]) -> None:
    with pytest.raises(ConstraintError) as caught:
        learn(frame, agree=True, constraints=Constraints(COLUMNS, **said))
    for word in (*words, "which was left out"):
        assert word in str(caught.value)


def test_dropped_as_asked(frame: pd.DataFrame) -> None:
    with pytest.raises(ConstraintError, match=r"left out, as asked for\. Say nothing about it, or do not drop it"):
        learn(frame, agree=True, drop=["b"], constraints=Constraints(COLUMNS, required=[("b", "a")]))


def test_prior_odds(frame: pd.DataFrame) -> None:
    with pytest.raises(OptionError, match=r"'id' .* left out, since column 'id' is different"):
        learn(frame, agree=True, beliefs=Beliefs(arcs={("id", "a"): 3}))


def test_constraints_over_all_columns_that_speak_of_those_left(frame: pd.DataFrame) -> None:
    known = Constraints(COLUMNS, required=[("a", "b")], max_parents=2)
    assert learn(frame, agree=True, constraints=known, permutations=0, compare=False).edge("a", "b").present == 1.0


@pytest.mark.parametrize(
    ("verb", "column", "why"),
    [
        (["learn", "--yes"], "day", "holds dates"),
        (["scores", "--drop", "id", "--drop", "day"], "same", "fewer than two"),
        (["scores", "--drop", "id", "--drop", "day"], "id", "as asked for"),
        (["bootstrap", "--drop", "id", "--drop", "day"], "same", "fewer than two"),
        (["optimal", "--drop", "id", "--drop", "day"], "same", "fewer than two"),
    ],
)
def test_on_the_command_line(
    frame: pd.DataFrame, tmp_path: Path, cli: Callable[..., str], verb: list[str], column: str, why: str
) -> None:
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    told = cli(verb[0], path, *verb[1:], "--constraints", f'{{"required": [["{column}", "a"]]}}', code=1)
    assert f"--constraints speak of column '{column}'" in told and why in told
