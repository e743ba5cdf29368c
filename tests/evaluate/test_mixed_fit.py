"""Fit and prediction of networks over numbers as they are: against scipy's tests, and right and wrong networks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tests.model.test_mixed_network import DAG, mixed_data

from arcwise.data.mixed import NOMINAL, NUMBER, MixedData
from arcwise.errors import OptionError
from arcwise.evaluate.fit import added_p_value, check_mixed_fit, pair_information
from arcwise.evaluate.prediction import NumberScores, PredictionScores, cross_validate, score_numbers
from arcwise.graph.dag import Dag
from arcwise.model.mixed_network import MixedNetwork


def test_the_tests_are_those_of_regressions() -> None:
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 200))
    y = 0.1 * x + z + rng.normal(size=200)
    g = (x + rng.normal(size=200) > 0).astype(float)
    data = MixedData(
        np.array([x, y, z, g]), ("x", "y", "z", "g"), (NUMBER,) * 3 + (NOMINAL,), ((), (), (), ("no", "yes"))
    )
    values = data.matrix
    assert np.isclose(added_p_value(data, values, 1, 0, ()), stats.pearsonr(x, y).pvalue, rtol=1e-9)
    own = [column - np.polyval(np.polyfit(z, column, 1), z) for column in (x, y)]
    r = float(np.corrcoef(*own)[0, 1])
    t = r * np.sqrt((200 - 3) / (1 - r**2))
    assert np.isclose(added_p_value(data, values, 1, 0, (2,)), 2 * stats.t.sf(abs(t), 197), rtol=1e-9)
    groups = [x[g == k] for k in range(2)]
    assert np.isclose(added_p_value(data, values, 0, 3, ()), stats.ttest_ind(*groups).pvalue, rtol=1e-9)
    # Of a category, the likelihood ratio of a logistic regression, here near the t test of the number.
    assert 0 < added_p_value(data, values, 3, 0, ()) < 1e-6
    assert np.isclose(pair_information(data)[0, 1], -0.5 * np.log(1 - np.corrcoef(x, y)[0, 1] ** 2))


def test_a_right_network_fits_and_one_that_lacks_an_edge_does_not() -> None:
    data = mixed_data(2000)
    right = check_mixed_fit(MixedNetwork.fit(DAG, data), data, replicates=20, progress=False)
    assert not right.misfits and right.all_edges and right.independent < right.log_likelihood <= right.saturated + 0.01
    lacking = Dag.from_arcs(["g", "x", "y", "d"], [("g", "x"), ("g", "y"), ("g", "d"), ("x", "y")])
    wrong = check_mixed_fit(MixedNetwork.fit(lacking, data), data, replicates=0, progress=False)
    assert {wrong.misfits[0].first, wrong.misfits[0].second} == {"x", "d"}


def test_p_values_of_independent_columns_are_uniform() -> None:
    rng, found = np.random.default_rng(8), []
    for _ in range(150):
        g, h = rng.integers(0, 3, (2, 120))
        x, y = rng.normal(size=(2, 120))
        kinds, states = (NOMINAL, NOMINAL, NUMBER, NUMBER), (("a", "b", "c"), ("a", "b", "c"), (), ())
        data = MixedData(np.array([g, h, x, y]), ("g", "h", "x", "y"), kinds, states)
        values = data.matrix
        found += [added_p_value(data, values, v, w, ()) for v, w in ((0, 1), (0, 2), (2, 0), (3, 2))]
        found.append(added_p_value(data, values, 0, 2, (3,)))
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_cross_validation_is_of_cases_that_were_held_out() -> None:
    data = mixed_data(600)

    def learner(training: MixedData, fold: int) -> MixedNetwork:
        del fold
        assert training.n_rows == 480
        return MixedNetwork.fit(DAG, training)

    number = cross_validate(learner, data, "y", folds=5, progress=False)
    assert isinstance(number, NumberScores)
    assert 1.0 < number.rmse < 1.6 and number.explained > 0.99 and abs(number.inside - 0.95) < 0.03
    state = cross_validate(learner, data, "d", folds=5, progress=False)
    assert (
        isinstance(state, PredictionScores)
        and state.log_loss < state.usual_log_loss
        and state.states == ("u", "v", "w")
    )
    with pytest.raises(OptionError, match="folds"):
        cross_validate(learner, data, "y", folds=1, progress=False)


def test_the_figures_of_a_number_are_those_of_their_definitions() -> None:
    truth, mean = np.array([1.0, 2.0, 4.0]), np.array([1.0, 3.0, 3.0])
    found = score_numbers(truth, mean, mean - 0.5, mean + 0.5, target="y")
    assert np.isclose(found.rmse, np.sqrt(2 / 3)) and np.isclose(found.absolute, 2 / 3)
    assert np.isclose(found.inside, 1 / 3) and np.isclose(found.explained, 1 - 2 / np.sum((truth - 7 / 3) ** 2))
