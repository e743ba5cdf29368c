"""What every score must do: the same checks over all of `SCORES`, each fact of each score included."""

from __future__ import annotations

import functools
import itertools
import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.twins.scores import (
    EXAMPLES,
    bound_families,
    bound_family_twin,
    local_twin,
    make_example,
    score_family_twin,
    skewed_prior,
)

from arcwise.data import Dataset
from arcwise.data.dataset import GapStates
from arcwise.errors import DataError, OptionError, UnknownScoreError
from arcwise.graph import Dag
from arcwise.scores import SCORES, Score, make_score

CASES = [
    pytest.param(functools.partial(make_example, name, options), id=f"{name}-{k}")
    for name, examples in EXAMPLES.items()
    for k, options in enumerate(examples)
]
every_score = pytest.mark.parametrize("make", CASES)
Make = Callable[[Dataset], Score]


@st.composite
def small_data(draw: st.DrawFn, *, variables: int = 3, max_rows: int = 12, weighted: bool = True) -> Dataset:
    arities = draw(st.lists(st.integers(2, 4), min_size=variables, max_size=variables))
    rows = draw(st.integers(1, max_rows))
    codes = np.array([[draw(st.integers(0, r - 1)) for r in arities] for _ in range(rows)])
    weights = None
    if weighted and draw(st.booleans()):
        weights = np.array(draw(st.lists(st.integers(0, 500), min_size=rows, max_size=rows)))
        assume(weights.sum() > 0)
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities], weights=weights)


def all_families(data: Dataset) -> list[tuple[int, tuple[int, ...]]]:
    n = data.n_variables
    others = [[u for u in range(n) if u != v] for v in range(n)]
    return [(v, ps) for v in range(n) for k in range(n) for ps in itertools.combinations(others[v], k)]


def all_dags(names: tuple[str, ...]) -> list[Dag]:
    """All 25 DAGs over three nodes."""
    choices = [
        [ps for k in range(3) for ps in itertools.combinations([u for u in range(3) if u != v], k)] for v in range(3)
    ]
    dags = []
    for parents in itertools.product(*choices):
        try:
            dags.append(Dag(names, parents))
        except ValueError:
            continue
    assert len(dags) == 25
    return dags


def equivalence_class(dag: Dag) -> tuple[frozenset[frozenset[int]], frozenset[tuple[int, frozenset[int]]]]:
    """Skeleton and v-structures (Liao 2022, Theorem 2.1)."""
    arcs = [(p, v) for v, ps in enumerate(dag.parents) for p in ps]
    skeleton = frozenset(frozenset(arc) for arc in arcs)
    colliders = frozenset(
        (v, frozenset(pair))
        for v, ps in enumerate(dag.parents)
        for pair in itertools.combinations(ps, 2)
        if frozenset(pair) not in skeleton
    )
    return skeleton, colliders


def close(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-10)


def test_every_score_is_examined() -> None:
    assert set(EXAMPLES) == set(SCORES)
    for name, kind in SCORES.items():
        assert kind.name == name


@every_score
@settings(max_examples=25)
@given(data=small_data())
def test_native_equals_the_twin(make: Make, data: Dataset) -> None:
    score = make(data)
    families = all_families(data)
    native = score.score_families(data, families)
    for (child, parents), value in zip(families, native, strict=True):
        assert close(value, score_family_twin(score, data, child, parents))


@every_score
@settings(max_examples=20)
@given(data=small_data())
def test_a_network_scores_the_sum_of_its_families(make: Make, data: Dataset) -> None:
    score = make(data)
    for dag in all_dags(data.names)[::5]:
        parts = [score.score_family(data, v, parents) for v, parents in enumerate(dag.parents)]
        assert close(score.score_network(data, dag), sum(parts))


@every_score
@settings(max_examples=20)
@given(data=small_data())
def test_equivalent_networks_score_the_same(make: Make, data: Dataset) -> None:
    score = make(data)
    if not score.facts.equivalent:
        return
    classes: dict[object, list[float]] = {}
    for dag in all_dags(data.names):
        classes.setdefault(equivalence_class(dag), []).append(score.score_network(data, dag))
    assert len(classes) == 11
    for values in classes.values():
        assert all(close(v, values[0], 1e-10) for v in values)


@every_score
def test_a_score_that_is_not_equivalent_has_a_counterexample(make: Make) -> None:
    facts = make(pair_data()).facts
    assert (facts.asymmetric is None) == facts.equivalent
    if facts.asymmetric is not None:
        example = facts.asymmetric
        data = table_data(np.array(example.counts).reshape(example.shape))
        if example.gaps:
            data = GapStates(data.codes, data.names, data.states, data.weights)
        first, second = Dag(data.names, example.first), Dag(data.names, example.second)
        assert equivalence_class(first) == equivalence_class(second)
        score = make(data)
        assert abs(score.score_network(data, first) - score.score_network(data, second)) > 1e-6


def table_data(table: np.ndarray) -> Dataset:
    codes = np.array(list(np.ndindex(table.shape)))
    states = [[str(k) for k in range(r)] for r in table.shape]
    return Dataset.from_codes(codes, states=states, weights=table.ravel())


def pair_data() -> Dataset:
    return table_data(np.array([[3, 1], [0, 2]]))


@every_score
@settings(max_examples=20)
@given(data=small_data(), choice=st.data())
def test_relabelling_changes_nothing(make: Make, data: Dataset, choice: st.DataObject) -> None:
    score = make(data)
    order = choice.draw(st.permutations(range(data.n_variables)))
    codes = data.codes.astype(int).copy()
    states = []
    for v, arity in enumerate(data.arities):
        moved = np.array(choice.draw(st.permutations(range(int(arity)))))  # state k becomes moved[k]
        codes[v] = moved[codes[v]]
        states.append([data.states[v][k] for k in np.argsort(moved)])
    relabelled = Dataset.from_codes(
        codes[list(order)].T,
        states=[states[v] for v in order],
        names=[data.names[v] for v in order],
        weights=data.weights,
    )
    place = {v: i for i, v in enumerate(order)}
    for child, parents in all_families(data):
        again = make(relabelled).score_family(relabelled, place[child], [place[p] for p in parents])
        assert close(score.score_family(data, child, parents), again, 1e-10)


@every_score
@settings(max_examples=30)
@given(data=small_data(variables=4, max_rows=10))
def test_the_bound_holds_for_every_superset(make: Make, data: Dataset) -> None:
    score = make(data)
    families = [(0, ps) for k in range(4) for ps in itertools.combinations((1, 2, 3), k)]
    values = dict(zip(families, score.score_families(data, families), strict=True))
    bounds = dict(zip(families, bound_families(score, data, families), strict=True))
    for (_, smaller), bound in bounds.items():
        twin = bound_family_twin(score, data, 0, smaller)
        assert close(bound, twin, 1e-9) or bound == twin
        for (_, larger), value in values.items():
            if set(smaller) <= set(larger):
                assert value <= bound + 1e-9 * max(1.0, abs(value))


@every_score
@settings(max_examples=40)
@given(
    pattern=st.lists(st.lists(st.integers(0, 4), min_size=2, max_size=3), min_size=1, max_size=3),
    copies=st.integers(1, 3),
    empty=st.integers(0, 2),
)
def test_a_regular_score_prefers_fewer_parents(make: Make, pattern: list[list[int]], copies: int, empty: int) -> None:
    """Every configuration is split into `copies` equal parts and `empty` parts that do not occur: entropy stays."""
    width = min(len(row) for row in pattern)
    larger = np.array([row[:width] for row in pattern]).repeat(copies, axis=0).reshape(len(pattern), copies, width)
    assume(larger.sum() > 0)
    smaller = larger.sum(axis=1)
    larger = np.concatenate([larger, np.zeros((len(pattern), empty, width), dtype=int)], axis=1).reshape(-1, width)
    data = pair_data()
    score = make(data)
    if score.facts.regular and copies + empty > 1:
        assert local_twin(score, smaller) >= local_twin(score, larger) - 1e-9


@every_score
def test_a_score_that_is_not_regular_has_an_example(make: Make) -> None:
    score = make(pair_data())
    assert (score.facts.irregular is not None) == (score.facts.regular is False)
    if score.facts.irregular is not None:
        smaller, larger = np.array(score.facts.irregular.smaller), np.array(score.facts.irregular.larger)
        uniform = [
            np.full(counts.shape, 1 / counts.size) for counts in (smaller, larger)
        ]  # for the scores that take any
        assert local_twin(score, larger, uniform[1]) > local_twin(score, smaller, uniform[0]) + 1e-9


@every_score
@settings(max_examples=20)
@given(data=small_data())
def test_a_weight_is_a_number_of_repetitions(make: Make, data: Dataset) -> None:
    weights = np.ones(data.n_rows, dtype=int) if data.weights is None else data.weights % 7 + 1
    weighted = Dataset(data.codes, data.names, data.states, np.ascontiguousarray(weights, dtype=np.int64))
    repeated = Dataset.from_codes(data.codes.T.repeat(weights, axis=0), states=data.states)
    families = all_families(data)
    np.testing.assert_allclose(
        make(weighted).score_families(weighted, families),
        make(repeated).score_families(repeated, families),
        rtol=1e-12,
        atol=1e-12,
    )


@every_score
def test_more_configurations_than_any_integer(make: Make) -> None:
    """70 ternary parents: q = 2.5e33. The score is finite or minus infinity, and no bound is below it."""
    rng = np.random.default_rng(3)
    data = Dataset.from_codes(rng.integers(0, 3, (50, 71)), states=[["a", "b", "c"]] * 71)
    try:
        score = make(data)
        value = score.score_family(data, 0, range(1, 71))
    except OptionError:
        return  # a score that needs the prior's full joint distribution says so
    assert not math.isnan(value)
    assert value <= 0
    assert bound_families(score, data, [(0, range(1, 71))])[0] >= value - 1e-9


@every_score
def test_a_score_describes_itself(make: Make) -> None:
    score = make(pair_data())
    description = score.describe()
    assert json.loads(json.dumps(description)) == json.loads(json.dumps(score.describe()))
    assert description.pop("name") == score.name
    if "prior" in description:
        assert description["prior"].startswith("JointPrior:")
        description["prior"] = skewed_prior(pair_data())
    assert make_score(score.name, **description) == score
    assert score.facts.title
    assert score.facts.reference
    for parameter in score.parameters:
        assert parameter.name in description
        with pytest.raises(OptionError, match=f"{parameter.name}="):
            make_score(score.name, **{**description, parameter.name: -1})


@every_score
def test_mistakes_are_told(make: Make) -> None:
    data = pair_data()
    score = make(data)
    with pytest.raises(DataError, match="own parent"):
        score.score_family(data, 0, [0])
    with pytest.raises(DataError, match="no variable at position 2"):
        score.score_family(data, 0, [2])
    with pytest.raises(DataError, match="different variables: X1, Z"):
        score.score_network(data, Dag(["X0", "Z"], [(), ()]))
    with pytest.raises(DataError, match="no rows"):
        score.score_family(Dataset(data.codes, data.names, data.states, np.zeros(4, dtype=np.int64)), 0, [1])


def test_unknown_scores_and_options() -> None:
    with pytest.raises(UnknownScoreError, match="unknown score 'bdue'; did you mean 'bdeu'"):
        make_score("bdue")
    with pytest.raises(OptionError, match="has no parameter 'iss'; it takes ess"):
        make_score("bdeu", iss=1)
    with pytest.raises(OptionError, match="has no parameters"):
        make_score("bic:w=1")
    with pytest.raises(OptionError, match="given twice"):
        make_score("bdeu:ess=1", ess=1)
    with pytest.raises(OptionError, match="not of the form"):
        make_score("bdeu:10")
    with pytest.raises(OptionError, match=r"ess='x' .* must be a number in \(0, inf\)"):
        make_score("bdeu:ess=x")
    assert make_score("bdeu:ess=1e-3").describe() == {"name": "bdeu", "ess": 1e-3}
    score = make_score("bdeu")
    assert make_score(score) is score
    with pytest.raises(OptionError, match="make a new one"):
        make_score(score, ess=2)
