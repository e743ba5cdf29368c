"""Every score and every local search on data in which variables were set: native against twin, and by definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.twins.local_search import climb_twin, neighbours_twin
from tests.twins.scores import bound_families, score_family_twin

from arcwise.data import Dataset
from arcwise.ensemble import bootstrap_networks
from arcwise.exact import find_optimal
from arcwise.graph import Beliefs, Constraints
from arcwise.local import hill_climb, tabu_search
from arcwise.local.problem import LocalProblem
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import SCORES, make_score
from arcwise.scores.dirichlet import Bde, UniformPrior
from arcwise.scores.score import Score

LOCAL_SCORES = ["bic", "aic", "bdeu:ess=3", "k2", "qnml", "fnml", "bic_laplace"]


def every_score() -> list[Score]:
    return [
        Bde(prior=UniformPrior({f"X{v}": 3 if v == 1 else 2 for v in range(4)}), ess=2.0)
        if name == "bde"
        else make_score(name, site="X0")
        if name == "bhd"
        else make_score(name)
        for name in SCORES
    ]


@st.composite
def experiments(draw: st.DrawFn, most: int = 4) -> Dataset:
    """Dependent columns with random targets; there may be weights, and variables that were set in every case."""
    n = draw(st.integers(2, most))
    rows = draw(st.integers(4, 50))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    columns: list[np.ndarray] = []
    for v in range(n):
        own = rng.integers(0, 3 if v == 1 else 2, rows)
        if v and rng.random() < 0.7:
            own = np.where(rng.random(rows) < 0.7, columns[rng.integers(v)] % 2, own)
        columns.append(own)
    patterns = rng.random((int(rng.integers(1, 4)), n)) < 0.5
    mask = patterns[rng.integers(len(patterns), size=rows)]
    weights = rng.integers(0, 4, rows) if draw(st.booleans()) else None
    if weights is not None:
        weights[0] += 1
    states = [[str(k) for k in range(3 if v == 1 else 2)] for v in range(n)]
    return Dataset.from_codes(np.column_stack(columns), states=states, weights=weights).with_targets(mask)


@pytest.mark.parametrize("score", every_score(), ids=lambda score: score.name)
@settings(max_examples=15, deadline=None)
@given(data=experiments())
def test_families_are_scored_without_the_cases_in_which_the_child_was_set(score: Score, data: Dataset) -> None:
    families = [
        (child, parents)
        for child in range(data.n_variables)
        for size in range(data.n_variables)
        for parents in itertools.combinations([v for v in range(data.n_variables) if v != child], size)
    ]
    found = score.score_families(data, families)
    for (child, parents), value in zip(families, found.tolist(), strict=True):
        assert value == pytest.approx(score_family_twin(score, data, child, parents), rel=1e-8, abs=1e-8)
        rows = np.ones(data.n_rows, dtype=bool)
        if data.targets is not None:
            rows = data.targets.rows_without(data.names[child])
        if data.weights is not None:
            rows &= data.weights > 0
        plain = data.with_targets(None)
        expected = score.score_family(plain.take(rows), child, parents) if rows.any() else 0.0
        assert value == pytest.approx(expected, rel=1e-8, abs=1e-8)
    bounds = bound_families(score, data, families)
    for (child, parents), bound in zip(families, bounds.tolist(), strict=True):
        for (other, more), value in zip(families, found.tolist(), strict=True):
            if other == child and set(parents) <= set(more):
                assert value <= bound + 1e-8


@settings(max_examples=25, deadline=None)
@given(data=experiments(), name=st.sampled_from(LOCAL_SCORES), slack=st.sampled_from([0.0, 3.0, math.inf]))
def test_a_table_holds_what_its_guarantee_says(data: Dataset, name: str, slack: float) -> None:
    score = make_score(name)
    table = build_parent_sets(data, score, slack=slack, progress=False, threads=2)
    silent = data.silent_arcs
    for child in range(data.n_variables):
        rows = {table.parents_of(r): float(table.scores[r]) for r in table.rows_of(child)}
        others = [v for v in range(data.n_variables) if not silent[child, v] and v != child]
        values = {
            parents: score_family_twin(score, data, child, parents)
            for size in range(len(others) + 1)
            for parents in itertools.combinations(others, size)
        }
        for parents, value in values.items():
            best = max(values[p] for p in values if set(p) <= set(parents))
            if value >= best - slack + 1e-7:
                assert parents in rows
        assert set(rows) <= set(values)
        for parents, value in rows.items():
            assert value == pytest.approx(values[parents], rel=1e-9, abs=1e-8)


@settings(max_examples=40, deadline=None)
@given(data=experiments(5), name=st.sampled_from(LOCAL_SCORES), choice=st.data())
def test_neighbour_scores_equal_the_twin(data: Dataset, name: str, choice: st.DataObject) -> None:
    assume(not data.silent_arcs.any())  # such arcs are set apart, which the twin does not know of
    child = choice.draw(st.integers(0, data.n_variables - 1))
    parents = sorted(choice.draw(st.sets(st.sampled_from([v for v in range(data.n_variables) if v != child]))))
    score = make_score(name)
    learner = LocalProblem.of(data, score).learner()
    own, toggled = learner.neighbours(data.native_weights, child, np.array(parents, dtype=np.int32))
    assert own == pytest.approx(score_family_twin(score, data, child, parents), rel=1e-9, abs=1e-8)
    expected = neighbours_twin(data, score, child, frozenset(parents))
    np.testing.assert_allclose(toggled, expected, rtol=1e-9, atol=1e-8)


@pytest.mark.parametrize("name", ["bic", "bdeu:ess=1", "fnml"])
def test_climbs_equal_the_twin(name: str) -> None:
    for seed in range(6):
        rng = np.random.default_rng(seed)
        columns = [rng.integers(0, 2, 120)]
        for _ in range(4):
            columns.append(
                np.where(rng.random(120) < 0.7, columns[rng.integers(len(columns))], rng.integers(0, 2, 120))
            )
        mask = np.zeros((120, 5), dtype=bool)
        mask[40:70, 1] = mask[70:100, 2] = mask[80:120, 3] = True
        data = Dataset.from_codes(np.column_stack(columns), states=[["0", "1"]] * 5).with_targets(mask)
        score = make_score(name)
        parents, value, _ = climb_twin(data, score)
        found = hill_climb(data, score=score, refine=0)
        assert found.score == pytest.approx(value)
        assert found.dag.parents == tuple(tuple(sorted(p)) for p in parents)
        assert score.score_network(data, tabu_search(data, score=score, seed=seed).dag) >= value - 1e-9


def test_the_prior_of_a_variable_that_was_always_set_counts_everywhere() -> None:
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (60, 3))
    data = Dataset.from_codes(codes, names=["a", "b", "c"]).with_targets(["a"] * 60)
    beliefs = Beliefs(arcs={("c", "a"): 1000, ("a", "b"): 3}, fair_sizes=True)
    score, plain = make_score("bdeu", beliefs=beliefs), make_score("bdeu")
    families = [(0, ()), (0, (2,)), (0, (1, 2)), (1, (0,))]
    prior = beliefs.on(data.names)
    expected = [score_family_twin(plain, data, v, ps) + prior.family(v, ps) for v, ps in families]
    assert expected[1] == pytest.approx(math.log(1000) - math.log(2))
    np.testing.assert_allclose(score.score_families(data, families), expected)
    np.testing.assert_allclose([score_family_twin(score, data, v, ps) for v, ps in families], expected)
    assert (bound_families(score, data, families) >= np.array(expected) - 1e-9).all()
    rules = Constraints(list(data.names), required=[("c", "a")])
    table = build_parent_sets(data, score, constraints=rules, progress=False)
    optimum = find_optimal(table, progress=False)
    assert optimum.score == pytest.approx(score.score_network(data, optimum.dag))
    assert optimum.score == pytest.approx(plain.score_network(data, optimum.dag) + prior.network(optimum.dag))
    for search in (hill_climb, tabu_search):
        found = search(data, score, constraints=rules, seed=1, progress=False)
        assert found.score == pytest.approx(score.score_network(data, found.dag))
        assert found.history[-1] <= found.score + 1e-9
    other = make_score("bdeu", beliefs=Beliefs(arcs={("c", "a"): 10, ("a", "b"): 3}, fair_sizes=True))
    likely, less = (
        bootstrap_networks(data, s, replicates=3, constraints=rules, seed=1, progress=False).facts["replicate_scores"]
        for s in (score, other)
    )
    np.testing.assert_allclose(np.subtract(likely, less), math.log(100))
