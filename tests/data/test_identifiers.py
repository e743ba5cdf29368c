"""What numbers or names the rows is no variable; what merely differs in every row may be one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.data import Dataset, Table
from arcwise.data.column import CHANCE, identifier_reason
from arcwise.errors import DataError

RNG = np.random.default_rng(5)
GAPS = np.cumsum(RNG.integers(1, 6, 300))  # customer numbers 1, 2, 5, 9, ...


def reason(values: object, name: str = "x") -> str | None:
    return identifier_reason(Table.from_dataframe(pd.DataFrame({name: values})).columns[0])


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (np.arange(1, 61), "x"),
        (GAPS, "x"),
        (RNG.permutation(GAPS), "x"),
        (GAPS + 70_000_000, "x"),
        (np.append(GAPS.astype(float), np.nan), "x"),
        ([f"p{k}" for k in range(40)], "x"),
        ([f"p{k // 3 * 2}" if k % 3 else f"q{k}" for k in range(60)], "x"),
        *(((RNG.permutation(10**6)[:30] + 10**8), name) for name in ("id", "Customer No", "patientID", "order_number")),
        (np.arange(40) * 5, "id"),
    ],
)
def test_identifiers(values: object, name: str) -> None:
    assert reason(values, name) is not None


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (np.repeat(np.arange(1950, 2020), 3), "year"),  # without a gap, but each year three times
        (np.append(np.arange(1950, 2020), 1950), "year"),  # a single repeat is enough
        (RNG.integers(0, 100, 300), "age"),
        (RNG.permutation(10**6)[:300], "income"),  # different since the range is wide
        (np.arange(60) * 2, "dose"),  # laid out in steps
        (RNG.normal(size=300).round(9), "pressure"),
        (np.arange(40) + 0.5, "x"),
        (np.arange(20), "id"),  # few enough to be categories
        (RNG.permutation(10**6)[:300], "acid"),  # not every name that ends in id says it
        ([f"p{k % 25}" for k in range(60)], "town"),
    ],
)
def test_variables(values: object, name: str) -> None:
    assert reason(values, name) is None


@given(st.integers(21, 200), st.integers(0, 2**31))
def test_measurements_are_hardly_ever_taken_for_identifiers(rows: int, seed: int) -> None:
    """Whatever is called an identifier by its density alone would be different by chance less than once in 1,000."""
    rng = np.random.default_rng(seed)
    width = int(rng.integers(rows, rows * rows))
    values = rng.choice(width, rows, replace=False)
    exact = float(np.prod(1 - np.arange(rows) / (np.ptp(values) + 1)))  # the birthday problem
    if reason(values) is not None:
        assert exact < CHANCE
    elif exact > 0 and len(np.unique(np.diff(np.sort(values)))) > 1:
        assert exact > CHANCE**2  # the bound is not far from it


def test_a_data_set_says_why_a_number_is_refused() -> None:
    frame = pd.DataFrame({"customer": GAPS, "ill": ["yes", "no"] * 150})
    with pytest.raises(DataError, match=r"column 'customer' \(1 of 2\) has 300 whole numbers from .* identifier"):
        Dataset.from_dataframe(frame)
    with pytest.raises(DataError, match="has 300 states, and 300 rows carry at most 75"):
        Dataset.from_dataframe(frame, categorical=["customer"])
    assert Dataset.from_dataframe(frame.assign(customer=GAPS // 40), categorical=True).arities[0] > 20


def test_a_word_after_many_whole_numbers_is_seen_at_once() -> None:
    from arcwise.data.column import numbers_of

    assert numbers_of([*map(str, range(1000, 6000)), "Total"]) is None  # each could be taken apart in three ways
    assert numbers_of(["1.", ".5", "+2e3", "-7"]) is not None
    assert [numbers_of([label]) for label in (".", "1_0", "0x1", "inf", "1 ", "e5", "")] == [None] * 7
