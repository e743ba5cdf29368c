"""Experiments on networks: sampling under do(), likelihoods and fits that leave out what was set."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.networks import row_log_likelihoods_twin, sample_twin

from arcwise.counts import contingency
from arcwise.data import stack
from arcwise.errors import ArcwiseError, OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork, fit_parameters

DAG = Dag.from_arcs(["cloudy", "rain", "wet"], [("cloudy", "rain"), ("rain", "wet"), ("cloudy", "wet")])
STATES = [["no", "yes"], ["dry", "light", "heavy"], ["no", "yes"]]


@pytest.fixture
def network() -> BayesianNetwork:
    return BayesianNetwork(
        DAG,
        STATES,
        [
            [[0.4, 0.6]],
            [[0.8, 0.15, 0.05], [0.3, 0.4, 0.3]],
            [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.8, 0.2], [0.5, 0.5], [0.1, 0.9]],
        ],
    )


def test_setting_a_variable_removes_its_parents_and_nothing_else(network: BayesianNetwork) -> None:
    changed = network.do({"rain": "heavy"})
    assert changed.dag.arcs == (("cloudy", "wet"), ("rain", "wet"))
    assert changed.table("rain").tolist() == [0.0, 0.0, 1.0]
    assert changed.query("cloudy")["yes"] == pytest.approx(0.6)  # not P(cloudy | rain = heavy)
    # The adjustment formula: sum over c of P(c) P(wet | c, heavy).
    assert changed.query("wet")["yes"] == pytest.approx(0.4 * 0.8 + 0.6 * 0.9)
    assert network.query("wet", {"rain": "heavy"})["yes"] != pytest.approx(0.4 * 0.8 + 0.6 * 0.9, abs=1e-3)
    uniform = network.do({"rain": None, "cloudy": {"yes": 0.25, "no": 0.75}})
    assert uniform.table("rain").round(6).tolist() == [0.333333] * 3
    assert uniform.table("cloudy").tolist() == [0.75, 0.25]
    assert network.do({}) == network


def test_what_cannot_be_set_is_refused(network: BayesianNetwork) -> None:
    with pytest.raises(ArcwiseError, match="'rains'"):
        network.do({"rains": "heavy"})
    with pytest.raises(ArcwiseError, match="'hevy'"):
        network.do({"rain": "hevy"})
    with pytest.raises(OptionError, match="sum to 1"):
        network.do({"rain": {"dry": 0.5, "heavy": 0.7}})


@pytest.mark.parametrize("do", [{"rain": "heavy"}, {"rain": None}, {"cloudy": "yes", "wet": {"no": 0.9, "yes": 0.1}}])
def test_sampling_under_do_is_the_twin(network: BayesianNetwork, do: dict[str, object]) -> None:
    drawn = network.sample(500, seed=3, do=do)  # type: ignore[arg-type]
    assert drawn.digest == sample_twin(network, 500, seed=3, do=do).digest  # type: ignore[arg-type]
    assert drawn.targets is not None
    assert drawn.targets.sets == (tuple(sorted(do)),)
    assert network.sample(500, seed=3, do=do, threads=3).digest == drawn.digest  # type: ignore[arg-type]
    assert network.sample(500, seed=3, do={}).digest == network.sample(500, seed=3).digest


def test_a_sample_under_do_has_the_frequencies_of_the_changed_network(network: BayesianNetwork) -> None:
    drawn = network.sample(40_000, seed=1, do={"rain": "light"})
    exact = network.do({"rain": "light"})
    for v, name in enumerate(DAG.names):
        shares = contingency(drawn, [v]) / drawn.n_cases
        assert shares == pytest.approx([exact.query(name)[state] for state in STATES[v]], abs=0.01)
    # What does not depend on the experiment stays, row by row.
    assert (drawn.codes[0] == network.sample(40_000, seed=1).codes[0]).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_likelihoods_leave_out_what_was_set(seed: int) -> None:
    rng = np.random.default_rng(seed)
    tables = [rng.dirichlet(np.ones(r), size=q) for q, r in ((1, 2), (2, 3), (6, 2))]
    network = BayesianNetwork(DAG, STATES, tables)
    plain = network.sample(40, seed=seed % 1000)
    mask = rng.random((40, 3)) < 0.3
    data = plain.with_targets(mask)
    rows = network.row_log_likelihoods(data, threads=2)
    np.testing.assert_allclose(rows, row_log_likelihoods_twin(network, data), rtol=1e-12)
    # In another order of variables too.
    np.testing.assert_allclose(network.row_log_likelihoods(data.select(["wet", "cloudy", "rain"])), rows, rtol=1e-12)
    for row in range(40):
        do = {name: STATES[v][plain.codes[v, row]] for v, name in enumerate(DAG.names) if mask[row, v]}
        assert network.do(do).row_log_likelihoods(plain.take([row]))[0] == pytest.approx(rows[row])


def test_fits_leave_out_what_was_set(network: BayesianNetwork) -> None:
    data = stack([network.sample(300, seed=1), network.sample(300, seed=2, do={"rain": "heavy"})])
    fitted = fit_parameters(DAG, data, estimator="mle")
    observed = fit_parameters(DAG, data.take(np.arange(300)), estimator="mle")
    everything = fit_parameters(DAG, data.with_targets(None), estimator="mle")
    assert (fitted.table("rain") == observed.table("rain")).all()
    assert (fitted.table("wet") == everything.table("wet")).all()
    assert not (fitted.table("rain") == everything.table("rain")).all()
    always = data.with_targets(["rain"] * 600)
    assert fit_parameters(DAG, always, estimator="bd").table("rain").round(6).tolist() == [[0.333333] * 3] * 2
    assert fit_parameters(DAG, always, estimator="mle").n_undefined_rows == 2
