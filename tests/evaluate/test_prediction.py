from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.evaluate import accuracy_score, borda_count, negative_log_likelihood


class Coin:
    """A network with one binary variable."""

    def __init__(self, heads: float) -> None:
        self.heads = heads

    def row_log_likelihoods(self, data: Dataset) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(np.where(data.codes[0] == 1, self.heads, 1 - self.heads))


DATA = Dataset.from_codes(np.array([[0], [1], [1]]), weights=np.array([2, 1, 3]))


def test_average_of_two_coins_by_hand() -> None:
    # Weights 1/4 and 3/4 on P(1) = 0.2 and 0.6: the average has P(1) = 0.5.
    value = negative_log_likelihood([Coin(0.2), Coin(0.6)], DATA, log_weights=np.log([1, 3]))
    assert value == pytest.approx(6 * math.log(2))
    assert negative_log_likelihood([Coin(0.2), Coin(0.6)], DATA, log_weights=np.log([1, 3]), per_case=True) == (
        pytest.approx(math.log(2))
    )
    assert negative_log_likelihood((Coin(p) for p in (0.2, 0.8)), DATA) == pytest.approx(6 * math.log(2))
    # The average of the logarithms would give something else.
    assert negative_log_likelihood([Coin(0.4)], DATA) == pytest.approx(-2 * math.log(0.6) - 4 * math.log(0.4))


@given(st.integers(1, 6), st.integers(1, 8), st.integers(0, 2**32))
def test_equals_logsumexp(networks: int, rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = -rng.exponential(1000, (networks, rows))
    table[rng.random(table.shape) < 0.1] = -np.inf
    table[0] = -1e5  # no row is impossible
    log_weights = rng.normal(0, 500, networks)
    weights = rng.integers(0, 5, rows)
    weights[0] = 1
    expected = -np.dot(logsumexp(table + (log_weights - logsumexp(log_weights))[:, None], axis=0), weights)
    assert negative_log_likelihood(table, log_weights=log_weights, row_weights=weights) == pytest.approx(expected)
    assert negative_log_likelihood(iter(table), log_weights=log_weights, row_weights=weights) == pytest.approx(expected)


def test_impossible_rows() -> None:
    assert negative_log_likelihood([Coin(0.0), Coin(0.0)], DATA) == math.inf
    assert math.isfinite(negative_log_likelihood([Coin(0.0), Coin(0.5)], DATA))
    # A row with weight 0 does not count.
    assert negative_log_likelihood([[0.0, -math.inf]], row_weights=[1, 0]) == 0


@pytest.mark.parametrize(
    ("networks", "options", "message"),
    [
        ([], {}, "no network"),
        ([[0.0, math.nan]], {}, "network 0 does not define the probability of row 1"),
        ([[0.0], [0.0, 0.0]], {}, "network 1 has 2 rows where the first one has 1"),
        ([[[0.0]]], {}, "one log-likelihood per row"),
        ([[0.0]], {"log_weights": [0.0, 0.0]}, "1 networks but 2 log weights"),
        ([[0.0], [0.0]], {"log_weights": [0.0]}, "2 networks but 1 log weights"),
        ([[0.0]], {"log_weights": [[0.0]]}, "one log weight per network"),
        ([[0.0]], {"log_weights": [-math.inf]}, "not all -infinity"),
        ([[0.0]], {"row_weights": [1, 1]}, "1 rows but row weights"),
        ([[0.0]], {"row_weights": [-1]}, "not negative"),
        ([[0.0]], {"row_weights": [0]}, "no row has a positive weight"),
    ],
)
def test_bad_likelihoods(networks: list[object], options: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        negative_log_likelihood(networks, **options)
    with pytest.raises(OptionError, match="pass data="):
        negative_log_likelihood([Coin(0.5)])


def test_accuracy_score_by_hand() -> None:
    # Scanagatta, section 4: the percentual difference of the two log-likelihoods.
    assert accuracy_score(-200.0, -210.0) == pytest.approx(5)
    assert accuracy_score(-200.0, -200.0) == 0
    true, learned = -2 * math.log(0.4) - 4 * math.log(0.6), -6 * math.log(0.5)
    assert accuracy_score(Coin(0.6), Coin(0.5), DATA) == pytest.approx(100 * (learned - true) / true)
    assert accuracy_score(Coin(0.6), Coin(0.0), DATA) == math.inf
    with pytest.raises(DataError, match="log-likelihood -inf"):
        accuracy_score(Coin(0.0), Coin(0.5), DATA)


def test_liao_example_2_6() -> None:
    """Table 2.2."""
    values = [[0.0, 0.5, 0.8], [0.2, 0.4, 0.4], [0.5, 0.5, 0.5]]
    borda = borda_count(values, candidates=["A1", "A2", "A3"])
    assert borda.by_instance.tolist() == [[0, 1, 2], [0, 1, 1], [0, 0, 0]]
    assert borda.points.tolist() == [0, 2, 3]
    assert borda.winners == ("A3",)
    assert borda.ranking == (("A3", 3), ("A2", 2), ("A1", 0))
    costs = borda_count(-np.array(values), higher_is_better=False)
    assert costs.points.tolist() == [0, 2, 3]
    assert costs.candidates == ("0", "1", "2")


@given(st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6))
def test_borda_count_by_definition(values: list[list[int]]) -> None:
    borda = borda_count(values)
    for row, points in zip(values, borda.by_instance, strict=True):
        assert points.tolist() == [sum(other < value for other in row) for value in row]
        assert points.min() == 0
    assert borda.points.max() <= len(values) * 3
    assert set(borda.winners) == {str(k) for k in range(4) if borda.points[k] == borda.points.max()}


def test_borda_count_with_infinities_and_tolerance() -> None:
    assert borda_count([[math.inf, math.inf, 0]], higher_is_better=False).points.tolist() == [0, 0, 2]
    assert borda_count([[1.0, 1.05, 1.2]], tolerance=0.1).points.tolist() == [0, 0, 2]


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([1, 2], {}, "one row per instance"),
        (np.zeros((0, 3)), {}, "one row per instance"),
        ([[1, math.nan]], {}, "candidate 1 has no value"),
        ([[1, 2]], {"candidates": ["a"]}, "1 candidates but 2 columns"),
        ([[1, 2]], {"tolerance": -1}, "tolerance"),
    ],
)
def test_bad_values(values: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        borda_count(values, **options)
