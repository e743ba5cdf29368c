"""Answers averaged over networks: against the mixture written out, and parameters against their posterior."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.effects.model_average import ModelAverage
from arcwise.ensemble import CredibleSet, NetworkSet
from arcwise.errors import OptionError
from arcwise.evaluate import negative_log_likelihood
from arcwise.graph import Dag
from arcwise.model import fit_parameters
from arcwise.networks.classes import blanket_shares, blankets_of
from arcwise.parent_sets import build_parent_sets


@pytest.fixture(scope="module")
def made() -> tuple[ModelAverage, CredibleSet, Dataset]:
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.8, a, 1 - a)
    c = np.where(rng.random(60) < 0.7, b, rng.integers(0, 3, 60))
    data = Dataset.from_codes(np.stack([a, b, c], axis=1), names=["a", "b", "c"])
    networks = CredibleSet.build(build_parent_sets(data, "bdeu", slack=20, progress=False), bayes_factor=1000)
    return ModelAverage(networks.networks(), data), networks, data


def test_rows_are_predicted_by_the_mixture(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    average, _, data = made
    joint = np.zeros((data.n_rows, 3))
    for network, weight in average.members(most=10_000):
        found = network.query_rows("c", data, progress=False)
        assert found.log_evidence is not None
        joint += weight * np.exp(found.log_evidence)[:, None] * found.probabilities
    expected = joint / joint.sum(axis=1, keepdims=True)
    assert average.predict_proba(data, "c", most=10_000) == pytest.approx(expected)


def test_densities_and_samples_are_those_of_the_mixture(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    average, _, data = made
    states = np.array([[a, b, c] for a in range(2) for b in range(2) for c in range(3)])
    cells = Dataset.from_codes(states, names=["a", "b", "c"], states=data.states)
    parts = average.members(most=10_000)
    assert len(parts) > 1
    expected = sum(weight * np.exp(network.row_log_likelihoods(cells, progress=False)) for network, weight in parts)
    found = np.exp(average.row_log_likelihoods(cells))
    assert found == pytest.approx(expected)
    assert found.sum() == pytest.approx(1.0)
    weighted = data.collapse()
    assert average.log_likelihood(weighted) == pytest.approx(average.row_log_likelihoods(data).sum())
    assert negative_log_likelihood([average], data) == pytest.approx(-average.log_likelihood(data))
    drawn = average.sample(60_000, seed=3)
    counts = np.bincount(drawn.codes.T.astype(int) @ np.array([6, 3, 1]), minlength=12)
    assert (counts - 60_000 * found) ** 2 / (60_000 * found) == pytest.approx(0, abs=12)
    assert (average.sample(50, seed=3).codes == average.sample(50, seed=3).codes).all()
    assert average.predict(data, "c").tolist() == [
        data.states[2][k] for k in average.predict_proba(data, "c").argmax(axis=1)
    ]


def test_the_prior_of_cells_is_chosen_by_name(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    _, networks, data = made
    single = networks.networks()[:1]
    fitted = fit_parameters(single[0], data, estimator="laplace", progress=False)
    average = ModelAverage(single, data, prior="k2")
    assert average.row_log_likelihoods(data) == pytest.approx(fitted.row_log_likelihoods(data, progress=False))
    with pytest.raises(OptionError, match="prior"):
        ModelAverage(single, data, prior="flat")


def test_an_average_query_and_its_interval(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    average, _, data = made
    found = average.query("a", draws=4000, seed=1)
    counts = np.bincount(data.codes[0]) + 0.5
    # Without evidence, and whatever the network, P(a) is a Beta distribution.
    draws = np.random.default_rng(2).dirichlet(counts, 100_000)[:, 0]
    assert found.mean[0] == pytest.approx(counts[0] / counts.sum(), abs=0.005)
    assert found.low[0] == pytest.approx(np.quantile(draws, 0.025), abs=0.015)
    assert found.high[0] == pytest.approx(np.quantile(draws, 0.975), abs=0.015)
    given = average.query("c", {"a": "1"}, draws=200, seed=1)
    assert given.mean.sum() == pytest.approx(1.0)
    assert (given.low <= given.mean).all() and (given.mean <= given.high).all()
    assert given.to_frame().shape == (3, 5)
    again = average.query("c", {"a": "1"}, draws=200, seed=1)
    assert (again.mean == given.mean).all()


def test_blankets_are_those_of_each_network(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    _, networks, _ = made
    listed = networks.networks()
    for v, name in enumerate(listed.names):
        inside = blankets_of(listed, v)
        for row, dag in enumerate(listed):
            assert tuple(np.array(listed.names)[inside[row]]) == dag.markov_blanket(name)
        shares, whole = blanket_shares(listed, v)
        assert shares[v] == 0
        assert sum(share for _, share in whole) == pytest.approx(1.0)


def test_mistakes(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    average, networks, data = made
    with pytest.raises(OptionError, match="both asked for and observed"):
        average.query("a", {"a": "1"})
    with pytest.raises(OptionError, match="draws"):
        average.query("a", draws=1)
    with pytest.raises(OptionError, match="level"):
        average.query("a", level=0)
    with pytest.raises(OptionError, match="different variables"):
        ModelAverage(networks.networks(), data.select(["b", "a", "c"]))


def test_what_no_draw_allows_is_refused_and_what_some_allow_is_not() -> None:
    # With next to no prior, a state that was not seen has no chance in nearly all draws of the parameters.
    data = Dataset(np.zeros((2, 30), dtype=np.uint8), ("a", "b"), (("0", "1"), ("0", "1")))
    apart = NetworkSet.from_dags([Dag(["a", "b"], [[], []])], origin="test")
    with pytest.raises(OptionError, match="impossible in every network: b=1 has probability 0"):
        ModelAverage(apart, data, ess=1e-9).query("a", {"b": "1"}, draws=5)
    found = ModelAverage(apart, data, ess=0.5).query("a", {"b": "1"}, draws=400, seed=1)
    assert found.mean[0] > 0.9
    assert repr(ModelAverage(apart, data)) == "ModelAverage(1 networks over 2 variables)"


def test_profiles_give_each_network_several_parts(made: tuple[ModelAverage, CredibleSet, Dataset]) -> None:
    _, credible, data = made
    average = ModelAverage(credible.networks(), data, profiles=3, strength=2.0, prior="backoff", ess=8.0)
    states = np.array([[a, b, c] for a in range(2) for b in range(2) for c in range(3)])
    cells = Dataset.from_codes(states, names=["a", "b", "c"], states=data.states)
    parts = average.members(most=10_000)
    assert len(parts) == 3 * average.count
    assert sum(weight for _, weight in parts) == pytest.approx(1.0)
    density = np.exp(average.row_log_likelihoods(cells))
    expected = sum(weight * np.exp(network.row_log_likelihoods(cells, progress=False)) for network, weight in parts)
    assert density == pytest.approx(expected)
    assert density.sum() == pytest.approx(1.0)
    # Given a and b, c is distributed as the density says; so are rows that are drawn.
    table = density.reshape(2, 2, 3)
    proba = average.predict_proba(cells, "c", most=10_000).reshape(2, 2, 3, 3)[:, :, 0]
    assert proba == pytest.approx(table / table.sum(axis=2, keepdims=True))
    drawn = average.sample(60_000, seed=3)
    counts = np.bincount(drawn.codes.T.astype(int) @ np.array([6, 3, 1]), minlength=12)
    assert (counts - 60_000 * density) ** 2 / (60_000 * density) == pytest.approx(0, abs=12)
    asked = average.query("c", {"a": "1"}, draws=4000, seed=1)
    given = table[1].sum(axis=0) / table[1].sum()
    assert asked.mean == pytest.approx(given, abs=0.03)
    assert density != pytest.approx(np.exp(made[0].row_log_likelihoods(cells)), rel=0.01)
    again = ModelAverage(credible.networks(), data, profiles=3, strength=2.0, prior="backoff", ess=8.0)
    assert (again.row_log_likelihoods(cells) == average.row_log_likelihoods(cells)).all()
    with pytest.raises(OptionError, match="profiles"):
        ModelAverage(credible.networks(), data, profiles=0)
    with pytest.raises(OptionError, match="strength"):
        ModelAverage(credible.networks(), data, profiles=2, strength=0.0)
