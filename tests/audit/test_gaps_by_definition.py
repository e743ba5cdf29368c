"""Values that are missing by definition are told, and never completed at random without a word."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise import check, learn
from arcwise.audit import Kind
from arcwise.data import Table
from arcwise.errors import ArcwiseError

ROWS = 300


def hospital(noise: float = 0.0, elsewhere: float = 0.0) -> pd.DataFrame:
    """Dates of death of the dead, of whom a few lack one; days until death are numbers."""
    rng = np.random.default_rng(4)
    death = rng.choice(["0", "1"], ROWS, p=[0.7, 0.3])
    month = np.where(death == "1", rng.integers(1, 13, ROWS).astype(str), None)
    month = np.where((death == "0") & (rng.random(ROWS) < noise), "5", month)
    month = np.where((death == "1") & (rng.random(ROWS) < elsewhere), None, month)
    days = np.where(death == "1", rng.integers(1, 5000, ROWS).astype(float), np.nan)
    smoke = rng.choice(["yes", "no"], ROWS)
    return pd.DataFrame({"smoke": smoke, "death": death, "month": month, "days": days})


def of_kind(frame: pd.DataFrame, **said: object) -> list[str]:
    return [finding.what for finding in check(frame, **said).findings if finding.kind is Kind.BY_DEFINITION]


def test_what_is_missing_exactly_where_another_column_says_so() -> None:
    assert of_kind(hospital()) == [
        "column 'month' is missing exactly where 'death' is '0'",
        "column 'days' is missing exactly where 'death' is '0'",
    ]


def test_nearly_so() -> None:
    assert of_kind(hospital(noise=0.01)[["smoke", "death", "month"]]) == [
        "column 'month' is missing nearly always where 'death' is '0'"
    ]
    assert of_kind(hospital(elsewhere=0.05)[["smoke", "death", "month"]]) == [
        "column 'month' is missing nearly always where 'death' is '0'"
    ]


def test_gaps_at_random_or_that_depend_on_a_value_are_not_by_definition() -> None:
    frame = hospital()
    rng = np.random.default_rng(5)
    frame["month"] = np.where(rng.random(ROWS) < 0.3, None, rng.choice(["a", "b"], ROWS))
    frame["days"] = np.where(rng.random(ROWS) < np.where(frame["death"] == "1", 0.9, 0.05), np.nan, rng.random(ROWS))
    assert of_kind(frame) == []
    assert of_kind(hospital().iloc[:20]) == []  # too few to tell


def test_they_get_a_state_of_their_own_or_are_left_out() -> None:
    audited = check(hospital())
    assert audited.repaired.names == ("smoke", "death", "month")
    month = audited.repaired.column("month")
    assert month.labels == (*map(str, range(1, 13)), "missing")
    assert month.n_missing == 0
    assert [month.labels[code] for code in month.codes[:40]] == [
        value if isinstance(value, str) else "missing" for value in hospital()["month"][:40]
    ]
    assert any("as a state of its own: there is none exactly where 'death' is '0'" in step for step in audited.steps)


def test_learning_asks_about_them_unless_it_was_said_what_to_do_about_gaps() -> None:
    frame = hospital()[["smoke", "death", "month"]]
    small = {"replicates": 5, "compare": False, "permutations": 0}
    with pytest.raises(ArcwiseError, match="'month' is missing exactly where 'death' is '0'"):
        learn(frame, **small)
    made = learn(frame, agree=True, **small)
    assert "missing" in made.data.states[made.data.index("month")]
    assert "missing at random" not in " ".join(made.prepared.steps)
    new = pd.DataFrame({"smoke": ["yes"], "death": ["0"], "month": [None]})
    assert made.prepared.coding is not None
    month = made.prepared.coding.apply(Table.from_dataframe(new)).table.column("month")
    assert [month.labels[code] for code in month.codes] == ["missing"]
    told = learn(frame, impute="mode", **small)
    assert told.prepared.audit is not None
    assert any("by definition, not at random" in finding.what for finding in told.prepared.audit.findings)
