"""Codes that are written as numbers, columns that were computed from others, and rows that follow each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from arcwise import check, learn
from arcwise.audit import Kind, Severity
from arcwise.errors import ArcwiseError

ROWS = 400
RNG = np.random.default_rng(8)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(25, 75, ROWS),
        "wt71": RNG.normal(70, 15, ROWS).round(2),
        "wt82": RNG.normal(73, 16, ROWS).round(2),
        "smoke": RNG.choice(["yes", "no"], ROWS),
    }
)


def told(frame: pd.DataFrame, kind: Kind, **said: object) -> list[str]:
    return [finding.what for finding in check(frame, **said).findings if finding.kind is kind]


@pytest.mark.parametrize("name", ["birthplace", "villnum", "distcod", "FIPS_county", "naics", "region", "District"])
def test_codes_are_not_cut_as_numbers(name: str) -> None:
    codes = RNG.choice(np.arange(3, 90, 3), ROWS)
    frame = PEOPLE.assign(**{name: codes})
    assert told(frame, Kind.CODES) == [f"column '{name}' holds codes, not quantities: bins of them mean nothing"]
    assert check(frame).repaired.column(name).labels == tuple(str(k) for k in sorted(set(codes.tolist())))
    assert not check(frame).repaired.column(name).is_continuous()
    assert told(frame, Kind.CODES, keep=(name,)) == []
    assert told(frame, Kind.CODES, categories=(name,)) == []
    with pytest.raises(ArcwiseError, match="holds codes"):
        learn(frame, discretize="quantile", replicates=2)


def test_codes_of_many_kinds_are_left_out() -> None:
    frame = PEOPLE.assign(villnum=RNG.integers(1, 119, ROWS))
    assert "villnum" not in check(frame).repaired.names


@pytest.mark.parametrize("name", ["income", "episode", "decode", "number of children", "codeine", "ward_size"])
def test_quantities_are_none(name: str) -> None:
    assert told(PEOPLE.assign(**{name: RNG.integers(0, 60, ROWS)}), Kind.CODES) == []


def test_sums_differences_and_means() -> None:
    frame = PEOPLE.assign(change=(PEOPLE.wt82 - PEOPLE.wt71).round(1), mean=((PEOPLE.wt71 + PEOPLE.wt82) / 2).round(1))
    assert told(frame[["age", "wt71", "wt82", "change"]], Kind.DETERMINED) == [
        "column 'change' follows from others: change = - wt71 + wt82"
    ]
    assert told(frame[["age", "wt71", "wt82", "mean"]], Kind.DETERMINED) == [
        "column 'mean' follows from others: mean = 0.5 wt71 + 0.5 wt82"
    ]
    gapped = frame[["age", "wt71", "wt82", "change"]].mask(RNG.random((ROWS, 4)) < 0.1)
    assert any("change = - wt71 + wt82" in what for what in told(gapped, Kind.DETERMINED))
    related = frame[["age", "wt71", "wt82"]].assign(risk=frame.wt71 + 0.5 * frame.age + RNG.normal(0, 2, ROWS))
    assert told(related, Kind.DETERMINED) == []


def test_classes_of_a_number() -> None:
    frame = PEOPLE.assign(older=np.where(PEOPLE.age >= 50, "1", "0"))
    assert told(frame, Kind.DETERMINED) == ["column 'older' follows from column 'age': each of its labels is a bin"]
    assert told(PEOPLE, Kind.DETERMINED) == []


def test_rows_that_follow_each_other() -> None:
    walk = pd.DataFrame(RNG.normal(size=(ROWS, 3)).cumsum(axis=0), columns=list("abc"))
    found = [finding for finding in check(walk).findings if finding.kind is Kind.ROW_ORDER]
    assert "rows that follow each other are alike in 3 of 3 columns" in found[0].what
    assert found[0].severity is Severity.NOTE
    days = PEOPLE.assign(day=pd.date_range("2020-01-01", periods=ROWS).astype(str))
    assert told(days, Kind.ROW_ORDER) == ["the rows are in the order of the dates of column 'day'"]
    shuffled = days.sample(frac=1, random_state=1).reset_index(drop=True)
    assert told(shuffled, Kind.ROW_ORDER) == []
    assert told(PEOPLE, Kind.ROW_ORDER) == []
