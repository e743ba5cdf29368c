from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.priors import edge_prior, skewness_effect
from arcwise.priors.optima import leading_order, log_bayes_factors
from arcwise.scores import make_score


def independent(z: float, cases: int = 100) -> np.ndarray:
    """Steck's section 3.3: two independent binary variables with p(1) = z, as expected counts."""
    margin = np.array([1 - z, z])
    return cases * np.outer(margin, margin)[..., None]


def data_from(counts: list[list[int]]) -> Dataset:
    rows = [(a, b) for a, line in enumerate(counts) for b, n in enumerate(line) for _ in range(n)]
    return Dataset.from_codes(np.array(rows), names=["A", "B"])


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(-2, 3))
def test_equation_7_is_the_difference_of_two_scores(seed: int, log_ess: float) -> None:
    rng = np.random.default_rng(seed)
    codes = np.concatenate([rng.integers(0, [3, 2, 2], size=(30, 3)), [[2, 1, 1]]])
    data = Dataset.from_codes(codes, names=["A", "B", "C"])
    ess = 10**log_ess
    found = edge_prior(data, child="A", parent="B", given=["C"], ess=[ess]).exact[0]
    score = make_score("bdeu", ess=ess)
    assert found == pytest.approx(score.score_family(data, 0, [1, 2]) - score.score_family(data, 0, [2]), abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_equation_8_errs_by_the_square_of_the_ess(seed: int) -> None:
    """Proposition 2: on a log-log grid the error falls with slope -2."""
    counts = np.random.default_rng(seed).integers(0, 20, size=(3, 2, 2))
    ess = np.logspace(4.5, 6, 12)
    error = np.abs(log_bayes_factors(counts, ess) - leading_order(counts, ess))
    slope = np.polyfit(np.log(ess), np.log(error), 1)[0]
    assert slope == pytest.approx(-2, abs=0.05)


def test_figure_1_the_shape() -> None:
    """Skewness alone raises the factor; uniform margins keep it negative; at z = 0 the maximum is at ESS = N."""
    for ess in (1.0, 10.0, 100.0, 1000.0, 10_000.0):
        curve = [log_bayes_factors(independent(z), np.array([ess]))[0] for z in (0.5, 0.4, 0.3, 0.2, 0.1, 0.0)]
        assert curve[0] < 0
        assert (np.diff(curve) > 0).all()
    grid = np.array([1.0, 10.0, 100.0, 1000.0, 10_000.0])  # of the curves drawn, the highest is that of ESS = N
    assert grid[np.argmax(log_bayes_factors(independent(0.0), grid))] == 100
    fine = np.linspace(50, 150, 1001)  # the maximum itself is a little below
    assert 90 < fine[np.argmax(log_bayes_factors(independent(0.0), fine))] < 100


def test_corollary_1_tells_dependence_from_skewness() -> None:
    skewed = edge_prior(data_from([[81, 9], [9, 1]]), child="A", parent="B")
    assert (skewed.cause, skewed.favoured_by_large_ess) == ("skewness", True)
    assert skewed.exact[0] < 0 < skewed.exact[-1]
    assert skewed.alpha_plus == skewed.sign_changes[-1]
    dependent = edge_prior(data_from([[40, 10], [10, 40]]), child="A", parent="B")
    assert dependent.cause == "dependence"
    uniform = edge_prior(data_from([[25, 25], [25, 25]]), child="A", parent="B")
    assert (uniform.cause, uniform.alpha_plus, uniform.favoured_by_large_ess) == ("none", None, False)
    assert (uniform.exact < 0).all()


def test_sign_changes_are_roots() -> None:
    found = edge_prior(data_from([[81, 9], [9, 1]]), child="A", parent="B")
    counts = np.array([[81, 9], [9, 1]])[..., None]
    assert found.sign_changes
    for ess in found.sign_changes:
        assert log_bayes_factors(counts, np.array([ess]))[0] == pytest.approx(0, abs=1e-6)


def test_bad_requests() -> None:
    data = data_from([[3, 2], [1, 4]])
    with pytest.raises(DataError, match="unknown variable 'Z'"):
        edge_prior(data, child="A", parent="Z")
    with pytest.raises(OptionError, match="must all be different"):
        edge_prior(data, child="A", parent="A")
    with pytest.raises(OptionError, match="positive, finite"):
        edge_prior(data, child="A", parent="B", ess=[0.0])


def test_the_plot_is_drawn() -> None:
    found = edge_prior(data_from([[3, 2], [1, 4]]), child="A", parent="B")
    assert found.plot().axes
    np.testing.assert_array_equal(found.to_frame()["log Bayes factor"], found.exact)


def test_a_bayes_factor_that_is_zero_but_for_rounding_has_a_root_there() -> None:
    """With a state of its own for every case the factor is 0 up to rounding, on whichever side."""
    from arcwise.priors.optima import _sign_changes

    counts = np.eye(120, dtype=np.int64)
    grid = np.logspace(-3, 5, 33)
    noise = np.where(np.arange(33) % 2, 1e-13, -1e-13)
    found = _sign_changes(counts, grid, noise)
    assert len(found) == 32
    assert all(
        low - 1e-9 <= root <= high * (1 + 1e-9) for root, low, high in zip(found, grid[:-1], grid[1:], strict=True)
    )


def test_figure_1_of_steck_is_drawn() -> None:
    """The shape is tested above; here that the curves are those, highest at z = 0 for ESS = N."""
    found = skewness_effect()
    at_zero = dict(zip(found.ess.tolist(), found.log_bayes_factors[:, 0].tolist(), strict=True))
    assert max(at_zero, key=lambda ess: at_zero[ess]) == 100
    assert (found.log_bayes_factors[:, -1] < 0).all()
    assert (np.diff(found.log_bayes_factors, axis=1) <= 1e-12).all()
    assert found.to_frame().shape == (51, 6)
    assert len(found.plot().axes[0].lines) == 6
    with pytest.raises(OptionError, match=r"0 to 0\.5"):
        skewness_effect(z=[0.7])
    with pytest.raises(OptionError, match="at least 1"):
        skewness_effect(0)
