from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.twins.networks import sample_twin

from arcwise.errors import OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise.model.inference import sample

from .conftest import random_networks


@settings(max_examples=40)
@given(random_networks(min_states=2, max_states=20, max_variables=6), st.integers(0, 2**64), st.integers(1, 3))
def test_native_rows_equal_the_twin_with_numpys_generator(network: BayesianNetwork, seed: int, threads: int) -> None:
    native = sample(network, 8, seed=seed, threads=threads)
    np.testing.assert_array_equal(native.codes, sample_twin(network, 8, seed=seed).codes)
    assert native.names == network.names
    assert native.states == network.states


def test_a_seed_gives_the_same_rows_whatever_the_threads_and_a_prefix(sprinkler: BayesianNetwork) -> None:
    rows = sprinkler.sample(30_000, seed=5, threads=1)
    assert rows.digest == sprinkler.sample(30_000, seed=5, threads=2).digest
    np.testing.assert_array_equal(sprinkler.sample(1_000, seed=5).codes, rows.codes[:, :1_000])
    assert rows.digest != sprinkler.sample(30_000, seed=6).digest
    assert sprinkler.sample(100).digest != sprinkler.sample(100).digest
    rng = np.random.default_rng(5)
    assert sprinkler.sample(100, seed=rng).digest == sprinkler.sample(100, seed=5).digest
    assert sprinkler.sample(100, seed=rng).digest != sprinkler.sample(100, seed=5).digest


def test_frequencies_are_those_of_the_network(sprinkler: BayesianNetwork) -> None:
    """Pearson's chi-square over the joint table: rejects at 1 in 10,000, and the seed is fixed."""
    rows = 200_000
    data = sprinkler.sample(rows, seed=11)
    observed = np.zeros((2, 2, 2, 2))
    np.add.at(observed, tuple(data.codes), 1)
    expected = rows * sprinkler.query(sprinkler.names).probabilities
    possible = expected > 0
    assert observed[~possible].sum() == 0
    statistic = ((observed[possible] - expected[possible]) ** 2 / expected[possible]).sum()
    assert statistic < chi2.ppf(0.9999, possible.sum() - 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 0}, "rows=0 must be at least 1"),
        ({"rows": 1.5}, "rows=1.5 must be a whole number"),
        ({"rows": 5, "seed": -1}, "seed=-1 must not be negative"),
        ({"rows": 5, "threads": 0}, "threads=0 must be an integer from 1"),
    ],
)
def test_wrong_options_are_named(sprinkler: BayesianNetwork, options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        sprinkler.sample(**options)


def test_undefined_rows_are_named_before_anything_is_drawn(sprinkler: BayesianNetwork) -> None:
    tables = [*sprinkler.tables[:3], [[np.nan] * 2, *sprinkler.tables[3][1:].tolist()]]
    network = BayesianNetwork(sprinkler.dag, sprinkler.states, tables)
    with pytest.raises(OptionError, match=r"1 of 4 rows of the table of 'wet' .* for wet \| sprinkler=no, rain=no"):
        network.sample(5)


def test_a_variable_of_one_state_is_named() -> None:
    network = BayesianNetwork(Dag(["a"], [()]), [["only"]], [[[1.0]]])
    with pytest.raises(OptionError, match="variable 'a' has one state, 'only', and data need two"):
        network.sample(5)


def test_an_exception_in_the_progress_callback_stops_the_work(sprinkler: BayesianNetwork) -> None:
    def fail(event: object) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        sprinkler.sample(100_000, seed=1, progress=fail)


def test_an_interrupt_ends_the_work(sprinkler: BayesianNetwork) -> None:
    def interrupt(event: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sprinkler.sample(100_000, seed=1, progress=interrupt)
