"""Structural EM: expected counts against enumeration, EM against brute force, and what it promises."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.conftest import random_networks
from tests.twins.networks import expected_counts_twin

from arcwise.base.run import Run
from arcwise.data import Dataset, Incomplete
from arcwise.errors import DataError, OptionError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.local import hill_climb
from arcwise.model import BayesianNetwork, structural_em
from arcwise.model.fitting import ExpectedCounts, ExpectedScores, climb_expected


def with_gaps(network: BayesianNetwork, rows: int, share: float, seed: int, *, targets: bool = False) -> Incomplete:
    rng = np.random.default_rng(seed)
    data = network.sample(rows, seed=seed)
    missing = rng.random((network.n_variables, rows)) < share
    missing[:, 0] = False
    if targets:
        chosen = rng.integers(0, network.n_variables + 1, size=rows)
        missing[chosen[chosen < network.n_variables], np.flatnonzero(chosen < network.n_variables)] = False
        data = data.with_targets([None if v == network.n_variables else network.names[v] for v in chosen])
    return Incomplete(data, missing)


def all_families(n: int) -> list[tuple[int, tuple[int, ...]]]:
    others = [[u for u in range(n) if u != v] for v in range(n)]
    return [(v, ps) for v in range(n) for k in range(min(n, 3)) for ps in itertools.combinations(others[v], k)]


@settings(max_examples=40, deadline=None)
@given(
    random_networks(min_states=2, max_variables=5, max_states=3),
    st.integers(0, 2**31),
    st.booleans(),
    st.sampled_from([1, 6, 1024]),
)
def test_expected_counts_are_those_of_all_completions(
    network: BayesianNetwork, seed: int, targets: bool, table_cells: int
) -> None:
    """From joint tables, or from trees where these would be too large."""
    data = with_gaps(network, 8, 0.5, seed, targets=targets)
    families = all_families(network.n_variables)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arcwise.model.fitting.TABLE_CELLS", table_cells)
        expected = ExpectedCounts(network, data, Run(threads=2))
    tables, log_likelihood = expected_counts_twin(network, data, families)
    assert expected.log_likelihood == pytest.approx(log_likelihood, rel=1e-9, abs=1e-9)
    for found, table in zip(expected.tables(families), tables, strict=True):
        np.testing.assert_allclose(found, table, atol=1e-9)


def test_a_gap_with_hundreds_of_observed_children_is_not_impossible() -> None:
    """A class that is missing, and 400 features of it: the product of their probabilities is below any double."""
    names = ["class", *(f"x{i}" for i in range(400))]
    dag = Dag.from_arcs(names, [("class", name) for name in names[1:]])
    row = [0.1, 0.9], [0.1001, 0.8999]
    network = BayesianNetwork(dag, [["0", "1"]] * 401, [[[0.5, 0.5]], *([list(row)] * 400)])
    data = Dataset.from_codes(np.zeros((2, 401), dtype=int), names=names, states=[["0", "1"]] * 401)
    missing = np.zeros((401, 2), dtype=bool)
    missing[0, 1] = True
    expected = ExpectedCounts(network, Incomplete(data, missing))
    odds = 400 * math.log(0.1001 / 0.1)
    assert expected.tables([(0, ())])[0][0] == pytest.approx([1 + 1 / (1 + math.exp(odds)), 1 / (1 + math.exp(-odds))])
    known = math.log(0.5) + 400 * math.log(0.1)
    assert expected.log_likelihood == pytest.approx(known + known + math.log1p(math.exp(odds)))


def test_a_start_that_costs_more_than_any_likelihood_is_left(gappy: Incomplete) -> None:
    last = gappy.names[-1]
    start = Dag.from_arcs(gappy.names, [(name, last) for name in gappy.names[:-1]])
    few = gappy.take(np.arange(24))
    found = structural_em(few, start=start)
    assert found.complete
    assert len(found.dag.parents_of(last)) < len(start.parents_of(last))


def test_many_gaps_that_depend_on_each_other_are_eliminated() -> None:
    """Fourteen binary variables in a chain, all missing but the last: 8,192 configurations are not enumerated."""
    names = [f"x{i}" for i in range(14)]
    dag = Dag.from_arcs(names, list(itertools.pairwise(names)))
    network = BayesianNetwork(dag, [["0", "1"]] * 14, [[[0.3, 0.7]], *([[[0.9, 0.1], [0.2, 0.8]]] * 13)])
    data = Dataset.from_codes(np.array([[0] * 14, [1] * 14]), names=names, states=[["0", "1"]] * 14)
    missing = np.zeros((14, 2), dtype=bool)
    missing[:13, 1] = True
    expected = ExpectedCounts(network, Incomplete(data, missing))
    power = np.linalg.matrix_power(np.array([[0.9, 0.1], [0.2, 0.8]]), 6)
    rest = np.linalg.matrix_power(np.array([[0.9, 0.1], [0.2, 0.8]]), 7)[:, 1]
    joint = np.array([0.3, 0.7])[:, None] * power * rest
    (found,) = expected.tables([(6, (0,))])
    found[0, 0] -= 1  # the first row
    np.testing.assert_allclose(found, joint / joint.sum(), rtol=1e-12)
    log_likelihood = math.log(joint.sum()) + math.log(0.3) + 13 * math.log(0.9)
    assert expected.log_likelihood == pytest.approx(log_likelihood, rel=1e-12)


def brute_force_em(data: Incomplete, dag: Dag, steps: int) -> float:
    """The log likelihood after EM on a given structure, over enumerated completions."""
    families = [(v, tuple(parents)) for v, parents in enumerate(dag.parents)]
    rng = np.random.default_rng(0)
    shapes = [math.prod(int(data.arities[p]) for p in parents) for _, parents in families]
    tables = [
        rng.dirichlet(np.full(int(data.arities[v]), 5.0), size=q) for (v, _), q in zip(families, shapes, strict=True)
    ]
    for _ in range(steps):
        network = BayesianNetwork(dag, data.states, tables)
        counts, log_likelihood = expected_counts_twin(network, data, families)
        tables = [(c + 1e-12) / (c + 1e-12).sum(axis=1, keepdims=True) for c in counts]
    return log_likelihood


def test_the_network_is_the_best_of_all_by_brute_force() -> None:
    """Three binary variables, all 25 networks, each with parameters by EM over enumerated completions."""
    from arcwise.graph.random_dags import all_dags

    rng = np.random.default_rng(4)
    a = rng.integers(0, 2, 60)
    b = np.where(rng.random(60) < 0.9, a, 1 - a)
    c = np.where(rng.random(60) < 0.9, b, 1 - b)
    data = Dataset.from_codes(np.stack([a, b, c], axis=1), names=["a", "b", "c"], states=[["0", "1"]] * 3)
    missing = rng.random((3, 60)) < 0.2
    gappy = Incomplete(data, missing).collapse()
    found = structural_em(gappy)
    assert found.complete
    best = max(
        brute_force_em(gappy, dag, 12) - math.log(60) / 2 * sum(2 ** len(ps) for ps in dag.parents)
        for dag in all_dags(data.names)
        if len(dag.arcs) in (1, 2)
    )
    assert found.score >= best - 0.02
    assert {frozenset(arc) for arc in found.dag.arcs} == {frozenset("ab"), frozenset("bc")}


@pytest.fixture(scope="module")
def gappy() -> Incomplete:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 3, 400)
    b = np.where(rng.random(400) < 0.8, a, rng.integers(0, 3, 400))
    c = np.where(rng.random(400) < 0.8, b, rng.integers(0, 3, 400))
    d = rng.integers(0, 2, 400)
    e = np.where(rng.random(400) < 0.85, (c > 0) ^ d, rng.integers(0, 2, 400))
    states = [list("123")] * 3 + [["0", "1"]] * 2
    data = Dataset.from_codes(np.stack([a, b, c, d, e], axis=1), names=list("abcde"), states=states)
    return Incomplete(data, rng.random((5, 400)) < 0.35)


@pytest.mark.parametrize("start", ["best", "available", "empty", "random"])
def test_the_score_never_falls(gappy: Incomplete, start: str) -> None:
    found = structural_em(gappy, start=start, seed=3)
    assert (np.diff(found.history) >= -1e-8).all()
    assert found.score == found.history[-1]
    expected = ExpectedCounts(found.network, gappy)
    sizes = sum(table.shape[0] * (table.shape[1] - 1) for table in found.network.tables)
    assert found.score == pytest.approx(expected.log_likelihood - sizes * math.log(400) / 2)


def test_without_gaps_it_is_hill_climbing(gappy: Incomplete) -> None:
    whole = Incomplete(gappy.held, np.zeros_like(gappy.missing))
    found = structural_em(whole, start="empty")
    plain = hill_climb(gappy.held, "bic", refine=0, by_position=True)
    assert found.dag == plain.dag
    assert found.score == pytest.approx(plain.score)


def test_constraints_limits_and_mistakes(gappy: Incomplete) -> None:
    rules = Constraints(gappy.names, required=[("d", "a")], forbidden=[("a", "b"), ("b", "a")])
    found = structural_em(gappy, constraints=rules, max_parents=1)
    assert not rules.violations(found.dag)
    assert max(len(parents) for parents in found.dag.parents) == 1
    one = structural_em(gappy, start="empty", limits=Limits(count=1))
    assert (one.iterations, one.status) == (1, Status.COUNT_LIMIT)
    cut = structural_em(gappy, limits=Limits(seconds=1e-9), constraints=rules)
    assert (cut.status, cut.iterations, cut.as_dict()["score"]) == (Status.TIME_LIMIT, 0, None)
    assert not rules.violations(cut.dag)
    with pytest.raises(OptionError, match="structural EM takes bic, aic, ll"):
        structural_em(gappy, "bdeu")
    with pytest.raises(ValueError, match="unknown start 'emty'"):
        structural_em(gappy, start="emty")  # type: ignore[arg-type]


def test_what_was_set_is_known_and_follows_from_nothing(gappy: Incomplete) -> None:
    """In half of the rows b is set at random: a and b are independent there, and these rows leave b's family alone."""
    rng = np.random.default_rng(7)
    rows = np.arange(400) % 2 == 0
    codes = gappy.held.codes.copy()
    codes[1, rows] = rng.integers(0, 3, rows.sum())
    missing = gappy.missing.copy()
    missing[1, rows] = False
    held = Dataset(codes, gappy.names, gappy.states).with_targets(["b" if one else None for one in rows])
    found = structural_em(Incomplete(held, missing))
    assert {frozenset(arc) for arc in found.dag.arcs} >= {frozenset("ab")}
    assert not any(arc == ("b", "a") for arc in found.dag.arcs)
    missing[1, 0] = True
    with pytest.raises(DataError, match="'b' was set by an experiment in 1 rows that lack its value"):
        Incomplete(held, missing)


def test_an_expected_count_of_next_to_nothing_is_no_obstacle() -> None:
    class Counted:
        """Expected counts with a cell whose share of its row is 0 in floating point."""

        def tables(self, families: list[tuple[int, tuple[int, ...]]]) -> list[np.ndarray]:
            alone, joined = np.array([[600.0, 1400.0]]), np.array([[5e-324, 1200.0], [600.0, 200.0]])
            return [joined if parents else alone for _, parents in families]

    scores = ExpectedScores(Counted(), np.array([2, 2], dtype=np.int32), np.array([1.0, 1.0]))  # type: ignore[arg-type]
    scores.learn([(0, (1,)), (0, ())])
    assert scores[0, (1,)] == pytest.approx(600 * math.log(0.75) + 200 * math.log(0.25) - 2, rel=1e-12)
    found = climb_expected(scores, [0b10, 0], Constraints(("a", "b")))
    assert sum(found).bit_count() == 1


def test_threads_do_not_change_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = Dag.from_arcs("abcdef", ["ab", "bc", "cd", "de", "ef"])
    network = BayesianNetwork(chain, [["0", "1"]] * 6, [[[0.3, 0.7]], *([[[0.9, 0.1], [0.2, 0.8]]] * 5)])
    data = with_gaps(network, 500, 0.3, 7)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr("arcwise.base.run.thread_count", lambda _, threads=threads: threads)
        found.append(structural_em(data, max_parents=3, progress=False))
    assert found[0].dag.n_arcs > 0
    for other in found[1:]:
        assert other.dag == found[0].dag
        assert other.history.tobytes() == found[0].history.tobytes()
        assert all(
            a.tobytes() == b.tobytes() for a, b in zip(other.network.tables, found[0].network.tables, strict=True)
        )
