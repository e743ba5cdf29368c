from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.networks import row_log_likelihoods_twin

from arcwise.data import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.model import BayesianNetwork
from arcwise.model.inference import row_log_likelihoods

from .conftest import random_networks


@st.composite
def networks_with_data(draw: st.DrawFn) -> tuple[BayesianNetwork, Dataset]:
    """Data in another order of columns and states than the network's, with a column that it does not have."""
    network = draw(random_networks(undefined=True, min_states=2, max_states=5))
    n = network.n_variables
    columns = draw(st.permutations(range(n)))
    states = [draw(st.permutations(network.states[v])) for v in columns]
    rows = draw(st.integers(1, 20))
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    codes = np.column_stack([*(rng.integers(len(s), size=rows) for s in states), rng.integers(3, size=rows)])
    names = [*(network.names[v] for v in columns), "other one"]
    return network, Dataset.from_codes(codes, names=names, states=[*states, ["p", "q", "r"]])


@given(networks_with_data(), st.integers(1, 3))
def test_native_rows_equal_the_twin(pair: tuple[BayesianNetwork, Dataset], threads: int) -> None:
    network, data = pair
    native = row_log_likelihoods(network, data, threads=threads)
    np.testing.assert_allclose(native, row_log_likelihoods_twin(network, data), rtol=1e-13, equal_nan=True)


def test_threads_do_not_change_bits(sprinkler: BayesianNetwork) -> None:
    data = sprinkler.sample(20_000, seed=3)
    one, two = (sprinkler.row_log_likelihoods(data, threads=threads) for threads in (1, 2))
    assert one.tobytes() == two.tobytes()


def test_the_total_counts_weights_and_says_impossible_and_undefined(sprinkler: BayesianNetwork) -> None:
    rows = np.array([[0, 0, 1, 1], [0, 0, 0, 1]])  # the second is impossible: wet without rain or sprinkler
    likely = np.log(0.5 * 0.5 * 0.2 * 0.9)

    def data(*weights: int) -> Dataset:
        return Dataset.from_codes(rows, names=sprinkler.names, states=sprinkler.states, weights=np.array(weights))

    assert sprinkler.log_likelihood(data(3, 0)) == pytest.approx(3 * likely, rel=1e-15)
    assert sprinkler.log_likelihood(data(3, 1)) == -np.inf
    undefined = BayesianNetwork(
        sprinkler.dag, sprinkler.states, [*sprinkler.tables[:3], [[np.nan] * 2, *sprinkler.tables[3][1:].tolist()]]
    )
    assert np.isnan(undefined.log_likelihood(data(3, 1)))
    assert undefined.log_likelihood(data(3, 0)) == pytest.approx(3 * likely, rel=1e-15)


def test_more_than_256_states() -> None:
    from arcwise.graph import Dag

    states = [[str(k) for k in range(300)], ["a", "b"]]
    rng = np.random.default_rng(1)
    dag = Dag.from_arcs(["big", "small"], [("big", "small")])
    network = BayesianNetwork(dag, states, [rng.dirichlet(np.ones(300), 1), rng.dirichlet([1, 1], 300)])
    data = network.sample(50, seed=1)
    assert data.codes.dtype == np.uint16
    np.testing.assert_allclose(row_log_likelihoods(network, data), row_log_likelihoods_twin(network, data), rtol=1e-13)


def test_columns_and_states_that_do_not_match_are_named(sprinkler: BayesianNetwork) -> None:
    data = sprinkler.sample(4, seed=1)
    with pytest.raises(DataError, match="no column 'wet' of the network's variables"):
        sprinkler.log_likelihood(Dataset(data.codes[:3], data.names[:3], data.states[:3]))
    other = Dataset(np.zeros_like(data.codes), data.names, (("maybe", "yes"), *data.states[1:]))
    with pytest.raises(DataError, match=r"column 'cloudy' has the state 'maybe', which .* in 4 rows; .* no, yes"):
        sprinkler.log_likelihood(other)
    with pytest.raises(OptionError, match="threads=0 must be an integer from 1"):
        sprinkler.log_likelihood(data, threads=0)
