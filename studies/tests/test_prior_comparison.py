from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from arcwise import datasets
from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.graph import Dag
from arcwise.limits import Status
from arcwise.model import BayesianNetwork, fit_parameters
from arcwise.priors.optima import Learning, find_optima
from arcwise.scores import make_score
from arcwise_studies import prior_comparison
from arcwise_studies.prior_comparison import compare_priors, fit_under, make_compared

NAMES = list("abcdef")
TRUTH = Dag(NAMES, [[], [0], [0], [1, 2], [3], [3]])


def truth_network() -> BayesianNetwork:
    rows = {0: [[0.6, 0.4]], 1: [[0.8, 0.2], [0.3, 0.7]], 2: [[0.7, 0.3], [0.2, 0.8]]}
    rows[3] = [[0.9, 0.1], [0.4, 0.6], [0.5, 0.5], [0.1, 0.9]]
    rows[4] = rows[5] = [[0.85, 0.15], [0.25, 0.75]]
    return BayesianNetwork(TRUTH, [["0", "1"]] * 6, [np.array(rows[v]) for v in range(6)])


def test_min_is_sparser_and_max_denser() -> None:
    data = truth_network().sample(60, seed=1)
    found = compare_priors(data, truth=TRUTH, splits=4, seed=2)
    assert found.scores == ("min_bdeu", "bdeu", "max_bdeu")
    assert found.n_arcs[0] <= found.n_arcs[1] <= found.n_arcs[2]
    assert found.n_arcs[0] < found.n_arcs[2]
    assert found.values[0] < found.values[1] < found.values[2]
    assert found.from_bdeu[1] == 0
    assert found.held_out_error[1] == 0
    assert np.isfinite(found.held_out).all()
    assert found.status is Status.COMPLETE
    frame = found.to_frame()
    assert list(frame["score"]) == ["min_bdeu", "bdeu", "max_bdeu"]
    assert len(found.plot().axes) == 3


def test_the_networks_are_the_optima_and_the_likelihoods_those_of_the_test_data() -> None:
    network = truth_network()
    data, test = network.sample(80, seed=3), network.sample(500, seed=4)
    found = compare_priors(data, test=test)
    assert found.splits == 0
    assert np.isnan(found.from_truth).all()
    optima = find_optima(data, make_compared(1.0, 0.5), Learning(), progress=False)
    for dag, value, optimum in zip(found.dags, found.values, optima, strict=True):
        assert dag == optimum.dag
        assert value == pytest.approx(optimum.score)
    expected = fit_parameters(found.dags[1], data, ess=1.0).log_likelihood(test) / 500
    assert found.held_out[1] == pytest.approx(expected)
    assert not np.allclose(found.held_out[0], compare_priors(data, test=test, parameter_prior="own").held_out[0])


def test_own_priors_are_those_of_the_scores() -> None:
    data = truth_network().sample(30, seed=3)
    minimum = make_score("min_bdeu", ess=4.0, epsilon=0.5)
    table = fit_under(minimum, Dag(NAMES, [[]] * 6), data, "own").tables[0]
    counts = np.bincount(data.codes[0], minlength=2)
    alphas = np.array([1.0, 1.0])
    alphas[counts.argmin()] += 2.0  # ess 4: the floor is 4 x (1 - 0.5) / 2, and all of the rest goes to the rarest
    np.testing.assert_allclose(table.ravel(), (counts + alphas) / (30 + 4))


def test_the_same_seed_gives_the_same_table() -> None:
    data = truth_network().sample(50, seed=9)
    first, second = (compare_priors(data, splits=2, seed=1) for _ in range(2))
    np.testing.assert_array_equal(first.held_out, second.held_out)


def test_bad_requests() -> None:
    data = truth_network().sample(50, seed=9)
    with pytest.raises(OptionError, match="splits=0"):
        compare_priors(data, splits=0)
    with pytest.raises(OptionError, match="between 0 and 1"):
        compare_priors(data, held_out=1.5)
    with pytest.raises(OptionError, match="epsilon=1"):
        compare_priors(data, epsilon=1.0)
    with pytest.raises(OptionError, match="'uniform' or 'own'"):
        compare_priors(data, parameter_prior="mine")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="different variables"):
        compare_priors(data, test=Dataset.from_codes(np.array([[0, 1], [1, 0]])))
    with pytest.raises(DataError, match="too few"):
        compare_priors(data.take([0, 1]), held_out=0.01)


@pytest.mark.parametrize("finished", [0, 1, 2])
def test_ctrl_c_keeps_the_finished_splits(monkeypatch: pytest.MonkeyPatch, finished: int) -> None:
    data = datasets.load("balance-scale")
    calls = itertools.count()

    def interrupted(*arguments: Any, **options: Any) -> Any:
        if next(calls) == finished + 1:
            raise KeyboardInterrupt
        return find_optima(*arguments, **options)

    expected = compare_priors(data, splits=max(finished, 1), seed=3)
    monkeypatch.setattr(prior_comparison, "find_optima", interrupted)
    part = compare_priors(data, splits=4, seed=3)
    assert (part.status, part.splits) == (Status.INTERRUPTED, finished)
    assert part.dags == expected.dags
    if finished:
        np.testing.assert_array_equal(part.held_out, expected.held_out)
    else:
        assert np.isnan(part.held_out).all()
    assert len(part.to_frame()) == 3
    part.plot()
