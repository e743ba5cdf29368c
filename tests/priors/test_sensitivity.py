from __future__ import annotations

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.graph import Dag
from arcwise.model import fit_parameters
from arcwise.priors import data_saturation, prior_sensitivity


def chain(cases: int, seed: int = 0) -> Dataset:
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, cases)]
    for _ in range(4):
        columns.append(np.where(rng.random(cases) < 0.85, columns[-1], 1 - columns[-1]))
    names = list("abcde")
    return Dataset.from_codes(np.stack(columns, axis=1), names=names, states=[["0", "1"]] * 5)


TRUTH = Dag(list("abcde"), [[], [0], [1], [2], [3]])


def test_the_scores_enclose_bdeu_and_the_nodes_add_up() -> None:
    found = prior_sensitivity(chain(100), TRUTH)
    assert found.lower < found.score < found.upper
    assert found.by_node.sum() == pytest.approx(found.value)
    assert (np.diff(found.sweep) > 0).all()
    assert found.to_frame()["share"].sum() == pytest.approx(1)
    assert found.plot().axes


def test_a_small_epsilon_leaves_nothing() -> None:
    assert prior_sensitivity(chain(100), TRUTH, epsilon=1e-9).value == pytest.approx(0, abs=1e-6)


def test_more_data_make_the_graph_less_sensitive() -> None:
    values = [prior_sensitivity(chain(cases), TRUTH).relative for cases in (20, 200, 2000)]
    assert values[0] > values[1] > values[2]


def test_saturation_is_seen() -> None:
    found = data_saturation(chain(3000), truth=TRUTH, repetitions=2, seed=1)
    assert found.sizes[-1] == 3000
    assert (np.diff(found.sensitivity) < 0).all()
    assert found.settled
    assert "would not change the structure much" in found.advice
    assert found.distance[-1] == 0
    assert found.distance[0] > 0
    few = data_saturation(chain(50), repetitions=4, seed=1)
    assert not few.settled
    assert np.isnan(few.distance).all()
    assert len(few.to_frame()) == len(few.sizes)
    assert found.plot().axes


def test_accuracy_falls_in_step_with_the_sensitivity_where_the_network_is_known() -> None:
    network = fit_parameters(TRUTH, chain(2000, seed=9))
    found = data_saturation(network.sample(1280, seed=2), truth=network, repetitions=2, seed=1)
    assert found.accuracy[-1] < 1 < found.accuracy[0]
    assert np.corrcoef(np.argsort(found.accuracy), np.argsort(found.sensitivity))[0, 1] > 0.8
    assert found.distance[-1] == 0
    assert len(found.plot().axes) == 3


def test_the_same_seed_gives_the_same_table() -> None:
    first, second = (data_saturation(chain(100), repetitions=2, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.change, second.change)


def test_bad_requests() -> None:
    with pytest.raises(OptionError, match="above 0 and at most 1"):
        prior_sensitivity(chain(50), TRUTH, epsilon=0)
    with pytest.raises(DataError, match="too few"):
        data_saturation(chain(20))
    with pytest.raises(OptionError, match="at least 1"):
        data_saturation(chain(50), repetitions=0)


def test_a_variable_that_was_always_set_adds_nothing() -> None:
    data = Dataset.from_codes(np.array([[0, 1], [1, 1], [0, 0], [1, 0]] * 5), names=["a", "b"])
    dag = Dag(["a", "b"], [(), (0,)])
    seen, told = prior_sensitivity(data, dag), prior_sensitivity(data.with_targets(["a"] * 20), dag)
    assert told.by_node[0] == 0
    assert told.by_node[1] == pytest.approx(seen.by_node[1])
