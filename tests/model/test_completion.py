"""Missing cells: exact draws from their joint distribution given the observed cells of the row."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, poisson
from tests.model.conftest import random_networks
from tests.twins.inference import joint_twin
from tests.twins.networks import draw_missing_twin

from arcwise.base.run import Run
from arcwise.data import Dataset, Incomplete
from arcwise.errors import DataError, OptionError
from arcwise.graph import Dag
from arcwise.model import BayesianNetwork
from arcwise.model.fitting import draw_missing


def with_gaps(network: BayesianNetwork, rows: int, share: float, seed: int) -> Incomplete:
    rng = np.random.default_rng(seed)
    data = network.sample(rows, seed=seed)
    missing = rng.random((network.n_variables, rows)) < share
    missing[:, 0] = False
    return Incomplete(data, missing)


@settings(max_examples=40, deadline=None)
@given(random_networks(min_states=2, max_variables=5, max_states=3), st.integers(0, 2**31))
def test_rows_are_drawn_from_the_joint_distribution_of_their_missing_cells(network: BayesianNetwork, seed: int) -> None:
    """One row, many times: the draws are compared with the enumerated joint distribution by a chi-square test."""
    rng = np.random.default_rng(seed)
    row = network.sample(1, seed=seed).codes[:, 0]
    gaps = rng.random(network.n_variables) < 0.6
    copies = 3000
    data = Dataset(np.repeat(row[:, None], copies + 1, axis=1), network.names, network.states)
    missing = np.repeat(gaps[:, None], copies + 1, axis=1)
    missing[:, 0] = False
    drawn = draw_missing(network, Incomplete(data, missing), seed=seed).codes[:, 1:]
    np.testing.assert_array_equal(drawn[~gaps], np.repeat(row[~gaps][:, None], copies, axis=1))
    asked = [network.names[v] for v in np.flatnonzero(gaps)]
    evidence = {name: network.states[v][row[v]] for v, name in enumerate(network.names) if not gaps[v]}
    if not asked:
        return
    joint = joint_twin(network, asked, evidence)
    expected = (joint / joint.sum()).ravel()
    counts = np.zeros(joint.shape)
    np.add.at(counts, tuple(drawn[gaps].astype(np.intp)), 1)
    counts = counts.ravel()
    assert counts[expected == 0].sum() == 0
    common = expected * copies >= 5
    rest = np.array([expected[~common].sum() * copies, counts[~common].sum()])
    # Of few expected cases the statistic is not distributed as chi-squared; their number is nearly Poisson's.
    assert rest[0] == 0 or poisson.sf(rest[1] - 1, rest[0]) > 1e-6
    pairs = [*zip(expected[common] * copies, counts[common], strict=True), *([tuple(rest)] if rest[0] >= 5 else [])]
    statistic = sum((seen - wanted) ** 2 / wanted for wanted, seen in pairs)
    assert chi2.sf(statistic, max(len(pairs) - 1, 1)) > 1e-6


@settings(max_examples=40, deadline=None)
@given(random_networks(min_states=2, max_variables=6, max_states=3), st.integers(0, 2**31))
def test_gaps_that_are_separated_are_drawn_as_the_twin_draws_them(network: BayesianNetwork, seed: int) -> None:
    """With one gap in each row, both draw the same states from the same numbers."""
    rng = np.random.default_rng(seed)
    data = network.sample(30, seed=seed)
    missing = np.zeros((network.n_variables, 30), dtype=bool)
    missing[rng.integers(0, network.n_variables, size=29), np.arange(1, 30)] = True
    gappy = Incomplete(data, missing)
    np.testing.assert_array_equal(
        draw_missing(network, gappy, seed=seed).codes, draw_missing_twin(network, gappy, seed=seed).codes
    )


def test_the_twin_draws_from_the_same_distribution(sprinkler: BayesianNetwork) -> None:
    rows = 2000
    data = Dataset.from_codes(np.tile([0, 1, 1, 1], (rows, 1)), states=sprinkler.states, names=sprinkler.names)
    missing = np.zeros((4, rows), dtype=bool)
    missing[[0, 1, 2], 1:] = True
    shares = []
    for draw in (draw_missing, draw_missing_twin):
        codes = draw(sprinkler, Incomplete(data, missing), seed=3).codes[:, 1:]
        shares.append([((cell == codes[:3].T).all(axis=1)).mean() for cell in itertools.product(range(2), repeat=3)])
    exact = joint_twin(sprinkler, ["cloudy", "sprinkler", "rain"], {"wet": "yes"}).ravel()
    for found in shares:
        np.testing.assert_allclose(found, exact / exact.sum(), atol=0.04)


def test_many_gaps_that_depend_on_each_other_are_drawn_by_a_junction_tree() -> None:
    """A chain of 13 binary variables, of which only the ends are observed: 2,048 configurations."""
    n, rows = 13, 4000
    names = [f"x{i}" for i in range(n)]
    step = np.array([[0.8, 0.2], [0.3, 0.7]])
    dag = Dag.from_arcs(names, list(itertools.pairwise(names)))
    network = BayesianNetwork(dag, [["0", "1"]] * n, [[[0.4, 0.6]], *[step.tolist()] * (n - 1)])
    data = Dataset.from_codes(np.tile([0] * (n - 1) + [1], (rows, 1)), names=names, states=[["0", "1"]] * n)
    missing = np.zeros((n, rows), dtype=bool)
    missing[1:-1, 1:] = True
    drawn = draw_missing(network, Incomplete(data, missing), seed=2).codes[:, 1:]
    power = np.linalg.matrix_power
    joint = power(step, 5)[0][:, None] * step * power(step, 6)[:, 1]
    found = np.array([[((drawn[5] == i) & (drawn[6] == j)).mean() for j in range(2)] for i in range(2)])
    np.testing.assert_allclose(found, joint / joint.sum(), atol=0.04)


@settings(max_examples=25, deadline=None)
@given(random_networks(min_states=2, max_variables=5, max_states=3), st.integers(0, 2**31))
def test_few_gaps_are_drawn_as_the_twin_draws_them(network: BayesianNetwork, seed: int) -> None:
    """Where all configurations are enumerated, both draw variable by variable, from the same numbers."""
    data = with_gaps(network, 25, 0.5, seed)
    np.testing.assert_array_equal(
        draw_missing(network, data, seed=seed).codes, draw_missing_twin(network, data, seed=seed).codes
    )


def test_values_that_were_set_say_nothing_about_their_parents(sprinkler: BayesianNetwork) -> None:
    """The grass was made wet in half of the rows: only in the others does it speak for rain."""
    rows = 4000
    data = Dataset.from_codes(np.tile([0, 0, 0, 1], (rows, 1)), states=sprinkler.states, names=sprinkler.names)
    missing = np.zeros((4, rows), dtype=bool)
    missing[:3, 1:] = True
    made = np.arange(rows) % 2 == 1
    data = data.with_targets([sprinkler.names[3] if one else None for one in made])
    drawn = draw_missing(sprinkler, Incomplete(data, missing), seed=4).codes[2]
    seen = joint_twin(sprinkler, ["rain"], {"wet": sprinkler.states[3][1]})
    prior = joint_twin(sprinkler, ["rain"], {})
    assert drawn[made].mean() == pytest.approx(prior[1], abs=0.04)
    assert drawn[~made].mean() == pytest.approx(seen[1] / seen.sum(), abs=0.04)
    assert abs(prior[1] - seen[1] / seen.sum()) > 0.1


def test_draws_depend_on_nothing_but_seed_row_and_cells(sprinkler: BayesianNetwork) -> None:
    data = with_gaps(sprinkler, 500, 0.4, 1)
    first = draw_missing(sprinkler, data, seed=5, run=Run(threads=1))
    np.testing.assert_array_equal(first.codes, draw_missing(sprinkler, data, seed=5, run=Run(threads=4)).codes)
    assert (first.codes != draw_missing(sprinkler, data, seed=6).codes).any()
    np.testing.assert_array_equal(first.codes[~data.missing], data.held.codes[~data.missing])
    some = data.take(np.arange(100))
    np.testing.assert_array_equal(first.codes[:, :100], draw_missing(sprinkler, some, seed=5).codes)


def test_tiny_probabilities_do_not_underflow() -> None:
    n = 60
    names = [f"x{i}" for i in range(n)]
    dag = Dag.from_arcs(names, [(names[0], name) for name in names[1:]])
    tiny = 1e-30
    tables = [[[0.5, 0.5]], *([[[tiny, 1 - tiny], [tiny / 2, 1 - tiny / 2]]] * (n - 1))]
    network = BayesianNetwork(dag, [["a", "b"]] * n, tables)
    data = Dataset.from_codes(np.zeros((40, n), dtype=int), names=names, states=[["a", "b"]] * n)
    missing = np.zeros((n, 40), dtype=bool)
    missing[0, 1:] = True
    assert (draw_missing(network, Incomplete(data, missing), seed=1).codes[0] == 0).all()  # 2^59 to 1


def test_what_cannot_be_drawn_is_said(sprinkler: BayesianNetwork) -> None:
    never = BayesianNetwork(
        Dag.from_arcs(["a", "b"], [("a", "b")]), [["no", "yes"]] * 2, [[[0.5, 0.5]], [[1.0, 0.0], [1.0, 0.0]]]
    )
    seen = Dataset.from_codes([[0, 0], [1, 1]], names=["a", "b"], states=never.states)
    with pytest.raises(OptionError, match="the evidence is impossible: b=yes has probability 0"):
        draw_missing(never, Incomplete(seen, [[False, True], [False, False]]), seed=1)
    other = Dataset.from_codes([[0, 1], [1, 0]])
    with pytest.raises(DataError, match="same variables and states"):
        draw_missing(sprinkler, Incomplete(other, np.zeros((2, 2), dtype=bool)))
    with pytest.raises(OptionError, match="at most 1 are allowed"):
        draw_missing(sprinkler, with_gaps(sprinkler, 50, 0.5, 1), seed=1, max_cells=1)
