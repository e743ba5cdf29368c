from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.confidence.by_recipe import broom_threshold
from arcwise.confidence.rules import (
    cost_threshold,
    fixed_threshold,
    gross_threshold,
    l1_distance,
    scutari_threshold,
)
from arcwise.errors import OptionError

EXAMPLE = np.array([0.1, 0.2, 0.4, 0.8])  # Liao 2022, Example 5.1


# Liao 2022, Table 5.2: cut-off c, t = F(c), L1(t). The printed L1 at t = 0.25, 0.5 and 1 (0.545, 0.425, 0.315) cannot
# be right: L1 is convex in t, but 0.625, 0.545, 0.425, 0.225 has falling slopes. By the printed formula, at t = 0.25,
# |0 - t| 0.1 + |0.25 - t| 0.1 + |0.5 - t| 0.2 + |0.75 - t| 0.4 + |1 - t| 0.2 = 0.425. Its minimum is as printed.
TABLE_5_2 = [
    (0, 0, 0.625, 0.625),
    (0.1, 0.25, 0.545, 0.425),
    (0.2, 0.5, 0.425, 0.275),
    (0.4, 0.75, 0.225, 0.225),
    (0.5, 0.75, 0.225, 0.225),
    (0.8, 1, 0.315, 0.375),
]


@pytest.mark.parametrize(("cutoff", "t", "printed", "by_formula"), TABLE_5_2)
def test_table_5_2(cutoff: float, t: float, printed: float, by_formula: float) -> None:
    assert np.mean(cutoff >= EXAMPLE) == t
    assert l1_distance(EXAMPLE, t) == pytest.approx(by_formula, abs=1e-12)
    if t in (0, 0.75):
        assert by_formula == printed


def test_example_5_1() -> None:
    rule = scutari_threshold(EXAMPLE)
    assert rule.value == pytest.approx(0.4)
    assert rule.details["t"] == 0.75


confidences = st.lists(
    st.floats(0, 1) | st.integers(0, 200).map(lambda k: k / 200) | st.just(0.5), min_size=1, max_size=40
).map(np.array)


@given(confidences)
def test_theorem_5_1_the_rule_keeps_the_edges_above_one_half(values: np.ndarray) -> None:
    np.testing.assert_array_equal(values > scutari_threshold(values).value, values > 0.5)


@given(confidences, st.floats(0, 1))
def test_theorem_5_1_no_share_is_nearer_than_that_at_one_half(values: np.ndarray, t: float) -> None:
    assert l1_distance(values, float(np.mean(values <= 0.5))) <= l1_distance(values, t) + 1e-12


@given(confidences, st.floats(0, 1))
def test_l1_distance_is_the_integral(values: np.ndarray, t: float) -> None:
    grid = (np.arange(20_000) + 0.5) / 20_000
    heights = np.searchsorted(np.sort(values), grid, side="right") / len(values)
    assert l1_distance(values, t) == pytest.approx(float(np.abs(heights - t).mean()), abs=5e-3)


def test_formulas() -> None:
    assert gross_threshold(200).value == pytest.approx(1 / 3 + 0.1)
    assert cost_threshold(beta=0.5).value == pytest.approx(0.8)
    assert cost_threshold(beta=2).value == pytest.approx(0.2)
    assert cost_threshold(alpha=3).value == pytest.approx(0.25)
    assert fixed_threshold(0.85).value == 0.85


@pytest.mark.parametrize("beta", [0, -1, float("nan"), float("inf")])
def test_a_weight_that_makes_no_sense_is_refused(beta: float) -> None:
    with pytest.raises(OptionError, match="must be a positive number"):
        cost_threshold(beta=beta)


def test_the_cost_rule_takes_one_weight() -> None:
    with pytest.raises(OptionError, match="give one"):
        cost_threshold()
    with pytest.raises(OptionError, match="give one"):
        cost_threshold(beta=1, alpha=1)
    with pytest.raises(OptionError, match="between 0 and 1"):
        fixed_threshold(1.5)
    with pytest.raises(OptionError, match="at least 1"):
        gross_threshold(0)


def test_broom_takes_the_largest_excess_over_permutations() -> None:
    observed = np.array([0.9, 0.9, 0.8, 0.3, 0.1, 0.0])
    permuted = np.tile([0.35, 0.3, 0.2, 0.1, 0.0, 0.0], (60, 1))
    rule = broom_threshold(observed, permuted)
    assert (observed > rule.value).sum() == 3
    assert rule.value == 0.35  # 3 edges above, none by chance; every lower cut-off adds as many false ones
    assert rule.details["excess"] == 3


def test_broom_sees_certain_edges_among_many_weak_ones() -> None:
    """A bootstrap of few cases has more weak edges in permuted data than beside certain ones."""
    observed = np.array([1.0, 1.0, 0.98, *[0.1] * 42])
    permuted = np.random.default_rng(2).beta(3, 6, size=(60, 45))
    assert observed.sum() < permuted.sum(axis=1).min()
    rule = broom_threshold(observed, permuted)
    assert (observed > rule.value).sum() == 3
    assert rule.details["p_value"] < 0.02
    assert rule.details["certain_by_chance"] < 0.5 < 2.8 < rule.details["certain_edges"]


def test_broom_finds_almost_no_edge_without_dependence() -> None:
    """The stated rate: in at most 5 % of independent data sets does the rule find any edge."""
    rng = np.random.default_rng(1)
    found, published = 0, 0
    for _ in range(400):
        draws = rng.beta(0.3, 3, size=(61, 45))
        found += (draws[0] > broom_threshold(draws[0], draws[1:]).value).any()
        published += (draws[0] > broom_threshold(draws[0], draws[1:], significance=None).value).any()
    assert found <= 0.05 * 400 + 2 * np.sqrt(0.05 * 0.95 * 400)
    assert published > 300  # as published, the rule has no protection


def test_broom_needs_permutations_over_the_same_pairs() -> None:
    with pytest.raises(OptionError, match="at least 2 permutations"):
        broom_threshold(EXAMPLE, np.zeros((1, 4)))
    with pytest.raises(OptionError, match="same 4 pairs"):
        broom_threshold(EXAMPLE, np.zeros((60, 3)))
    with pytest.raises(OptionError, match="between 0 and 1"):
        broom_threshold(EXAMPLE, np.zeros((60, 4)), significance=2)
