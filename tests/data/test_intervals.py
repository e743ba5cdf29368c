"""Intervals as states: read from their labels, and found by a number."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data.discretize import Interval, interval_labels, intervals_of, state_holding
from arcwise.errors import UnknownNameError

AGES = ("(-inf,37]", "(37,61]", "(61,inf)", "no answer")


@pytest.mark.parametrize("label", ["", "high", "37", "(37]", "(a,b]", "(61,37]", "(1,2,3]", "(37,61", "[nan,3)"])
def test_what_is_no_interval(label: str) -> None:
    assert Interval.parse(label) is None


def test_ends() -> None:
    found = Interval.parse("[ 0, 1e3 )")
    assert found == Interval(0, 1000, with_low=True, with_high=False)
    assert found.holds(0) and found.holds(999.9) and not found.holds(1000) and not found.holds(-0.1)
    assert Interval.parse("(-inf,+Infinity)") == Interval(-math.inf, math.inf, with_low=False, with_high=False)


def test_a_number_finds_its_interval() -> None:
    assert [state_holding("age", text, AGES) for text in ("18", "37", "37.5", "-4e2", "61", "99")] == [
        *(AGES[0], AGES[0], AGES[1], AGES[0], AGES[1], AGES[2])
    ]


def test_what_is_in_no_interval_or_in_several() -> None:
    with pytest.raises(UnknownNameError, match=r"no bin of 'age' holds 90: they are '\[0,18\]', '\(18,65\]'"):
        state_holding("age", "90", ["[0,18]", "(18,65]"])
    with pytest.raises(UnknownNameError, match=r"18 may be in any of these .* '\[0,18\]', '\[18,65\]'\. Name the one"):
        state_holding("age", "18", ["[0,18]", "[18,65]", "(65,inf)"])
    with pytest.raises(UnknownNameError, match=r"1234568 may be in any"):  # the cut may be at 1234567.8
        state_holding("town", "1234568", ["(-inf,1.23457e+06]", "(1.23457e+06,inf)"])
    with pytest.raises(UnknownNameError, match=r"unknown state of 'age' 'old'.* A number stands for the bin"):
        state_holding("age", "old", AGES)
    with pytest.raises(UnknownNameError, match=r"Known: no, yes\.$"):
        state_holding("smoke", "3", ["no", "yes"])


@given(st.lists(st.integers(-(10**5), 10**5), min_size=1, max_size=6, unique=True), st.floats(-2e4, 2e4))
def test_numbers_are_found_where_they_were_cut(ends: list[int], value: float) -> None:
    cuts = np.sort(np.array(ends, dtype=np.float64)) / 10
    labels = interval_labels(cuts)
    own = labels[int(intervals_of(np.array([value]), cuts)[0])]
    try:
        assert state_holding("x", repr(value), labels) == own
    except UnknownNameError:
        assert float(f"{value:.6g}") in cuts and value not in cuts
