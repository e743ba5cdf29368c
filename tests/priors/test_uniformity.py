from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from arcwise.errors import OptionError
from arcwise.priors import uniformity, uniformity_by_squares

shapes = st.tuples(st.integers(2, 4), st.integers(2, 4), st.integers(1, 3))
tables = npst.arrays(np.float64, shapes, elements=st.integers(0, 50).map(float)).filter(lambda t: t.sum() > 0)


def simplex(weights: list[int]) -> np.ndarray:
    values = np.array(weights, dtype=float)
    return values / values.sum()


margins = st.lists(st.integers(1, 20), min_size=2, max_size=4).map(simplex)


@given(tables)
def test_both_forms_agree(table: np.ndarray) -> None:
    assert uniformity(table) == pytest.approx(uniformity_by_squares(table), abs=1e-9)


@given(tables)
def test_proposition_1_symmetric_and_not_negative(table: np.ndarray) -> None:
    assert uniformity(table) == pytest.approx(uniformity(table.swapaxes(0, 1)), abs=1e-9)
    assert uniformity(table) >= -1e-9


@given(st.integers(2, 4), margins, st.lists(st.integers(1, 9), min_size=1, max_size=3).map(simplex))
def test_proposition_1_zero_for_independence_with_a_uniform_margin(
    states: int, margin: np.ndarray, contexts: np.ndarray
) -> None:
    table = np.full((states, 1, 1), 1 / states) * margin[None, :, None] * contexts[None, None, :]
    assert uniformity(table) == pytest.approx(0, abs=1e-12)


@given(margins, margins)
def test_positive_for_independent_but_skewed_variables(first: np.ndarray, second: np.ndarray) -> None:
    """U = (|A| sum p(a)^2 - 1) (|B| sum p(b)^2 - 1) for independent variables."""
    expected = (len(first) * (first**2).sum() - 1) * (len(second) * (second**2).sum() - 1)
    assert uniformity(np.outer(first, second)[..., None]) == pytest.approx(expected, abs=1e-12)


def test_proposition_1_is_not_an_equivalence() -> None:
    """A dependent distribution with U = 0, which the proposition says does not exist."""
    p = np.array([[0.35, 0.25], [0.25, 0.15]])
    assert uniformity(p) == pytest.approx(0, abs=1e-15)
    assert not np.allclose(np.outer(p.sum(axis=1), p.sum(axis=0)), p)


def test_senseless_tables_are_refused() -> None:
    for table in (np.zeros((2, 2)), np.array([0.5, 0.5]), np.array([[-1.0, 2.0], [0.0, 0.0]])):
        with pytest.raises(OptionError, match="non-negative"):
            uniformity(table)
