"""The node-average likelihood: against bnlearn, against brute force, and through every search."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.twins.scores import bound_families, bound_family_twin, score_family_twin

from arcwise.data import Dataset, Incomplete
from arcwise.data.dataset import GapStates
from arcwise.ensemble import bootstrap_networks
from arcwise.errors import DataError, OptionError
from arcwise.exact import find_optimal
from arcwise.graph import Dag
from arcwise.graph.random_dags import all_dags
from arcwise.local import first_ascent, genetic_search, hill_climb, order_search, tabu_search
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import make_score

# bnlearn 4.9.4 (R 4.2): set.seed(18); d = learning.test[1:40, ]; for (v in names(d)) d[sample(40, 10), v] = NA
ROWS = (
    "-c-ab- bacabb aaaa-a -aaa-b aa--aa --acca ccbcca bb-b-b bb-aca ba-a-a --a-ca c-b--- c-bac- ccac-a bcabc- -abcaa "
    "-ab-bb ccabbb babaca -c-bab c-ac-b cbaaca ca-cab baabaa aaa-aa ba-b-a a-a-a- -cbaca c--cc- --a-c- aaa-bb -cabbb "
    "bc-b-- ccaaca ccbcc- baabaa baa-aa c-ac-a cca-ab c-ccb-"
)
# score(model2network("[A][C][F][B|A][D|A:C][E|B:F]"), d, by.node = TRUE, ...): type = "nal", and type = "pnal" with
# k = N * N^-alpha / n for alpha = 0.25 and 0.4. bnlearn divides k by N once more, so that the penalty is N^-alpha / n.
PARENTS = [[], [0], [], [0, 2], [1, 5], []]
NAL = (-1.022169375743282, -0.689907119705455, -0.803314976140876, -0.498623005820534, -0.394637176436694)
NAL = (*NAL, -0.657157761497341)
QUARTER = (-1.154714497204457, -1.087542484088980, -0.935860097602051, -1.691529098971110, -1.189907905203744)
QUARTER = (*QUARTER, -0.723430322227928)
FASTER = (-1.098386884397836, -0.918559645669118, -0.879532484795430, -1.184580583711524, -0.851942228364020)
FASTER = (*FASTER, -0.695266515824618)


@pytest.fixture(scope="module")
def learning_test() -> Incomplete:
    states = [list("abc")] * 5 + [list("ab")]
    table = np.array([list(row) for row in ROWS.split()])
    codes = np.array([[max(0, "abc".find(cell)) for cell in row] for row in table])
    return Incomplete(Dataset.from_codes(codes, names=list("ABCDEF"), states=states), (table == "-").T)


@pytest.mark.parametrize(("score", "expected"), [("nal", NAL), ("pnal", QUARTER), ("pnal:alpha=0.4", FASTER)])
def test_bnlearn_gives_the_same(learning_test: Incomplete, score: str, expected: tuple[float, ...]) -> None:
    found = make_score(score).score_families(learning_test, list(enumerate(PARENTS)))
    np.testing.assert_allclose(found / learning_test.n_cases, expected, rtol=1e-13)
    dag = Dag(learning_test.names, PARENTS)
    assert make_score(score).score_network(learning_test, dag) == pytest.approx(40 * sum(expected), rel=1e-13)


# hc(d, score = "pnal", k = ...): the network and its score, for alpha = 0.25 and 0.4.
@pytest.mark.parametrize(("alpha", "expected"), [(0.25, -5.94650923077061), (0.4, -5.23795983649438)])
def test_climbs_are_at_least_as_good_as_those_of_bnlearn(
    learning_test: Incomplete, alpha: float, expected: float
) -> None:
    score = make_score("pnal", alpha=alpha)
    for search in (hill_climb, tabu_search):
        found = search(learning_test, score, seed=1)
        assert found.score / 40 >= expected - 1e-12
        assert found.score == pytest.approx(score.score_network(learning_test, found.dag), rel=1e-12)


@st.composite
def gappy_data(draw: st.DrawFn, variables: int = 3) -> Incomplete:
    arities = draw(st.lists(st.integers(2, 3), min_size=variables, max_size=variables))
    rows = draw(st.integers(2, 14))
    codes = np.array([[draw(st.integers(0, r - 1)) for r in arities] for _ in range(rows)])
    missing = np.array(draw(st.lists(st.lists(st.booleans(), min_size=rows, max_size=rows), min_size=3, max_size=3)))
    assume(not missing.all(axis=1).any())
    weights = np.array(draw(st.lists(st.integers(1, 30), min_size=rows, max_size=rows)))
    states = [[str(k) for k in range(r)] for r in arities]
    return Incomplete(Dataset.from_codes(codes, states=states, weights=weights), missing)


def by_hand(data: Incomplete, child: int, parents: tuple[int, ...], weight: float) -> float:
    """N (LL / n - w q (r - 1)), case by case."""
    cases = [row for row in range(data.n_rows) if not data.missing[[*parents, child], row].any()]
    weights, codes = data.held.weights, data.held.codes
    assert weights is not None
    total, whole = 0.0, sum(int(weights[row]) for row in cases)
    for row in cases:
        alike = [other for other in cases if all(codes[p, other] == codes[p, row] for p in parents)]
        same = sum(int(weights[other]) for other in alike if codes[child, other] == codes[child, row])
        total += weights[row] * math.log(same / sum(int(weights[other]) for other in alike))
    average = total / whole if whole else -math.log(int(data.arities[child]))
    parameters = (int(data.arities[child]) - 1) * math.prod(int(data.arities[p]) for p in parents)
    return data.n_cases * (average - weight * parameters)


@settings(max_examples=40)
@given(data=gappy_data())
def test_native_twin_and_brute_force_agree_and_the_bound_holds(data: Incomplete) -> None:
    families = [(0, parents) for k in range(3) for parents in itertools.combinations((1, 2), k)]
    marked = data.with_gap_states()
    assert isinstance(marked, GapStates)
    for name, alpha in (("nal", None), ("pnal", 0.25), ("pnal", 0.45)):
        score = make_score(name) if alpha is None else make_score(name, alpha=alpha)
        weight = 0.0 if alpha is None else data.n_cases**-alpha / 3
        found = score.score_families(data, families)
        bounds = bound_families(score, data, families)
        for place, (child, parents) in enumerate(families):
            assert found[place] == pytest.approx(by_hand(data, child, parents, weight), rel=1e-10, abs=1e-9)
            assert score_family_twin(score, marked, child, parents) == pytest.approx(found[place], rel=1e-10, abs=1e-9)
            assert bound_family_twin(score, marked, child, parents) == pytest.approx(bounds[place], rel=1e-10)
            for other, (_, larger) in enumerate(families):
                if set(parents) <= set(larger):
                    assert found[other] <= bounds[place] + 1e-9


@settings(max_examples=15)
@given(data=gappy_data())
def test_every_search_finds_the_best_of_all_networks(data: Incomplete) -> None:
    """Tables are pruned by subsets and by the penalty, which hold for any cases: the optimum survives."""
    score = make_score("pnal", alpha=0.4)
    marked = data.with_gap_states()
    silent = marked.silent_arcs
    best = max(
        score.score_network(data, dag)
        for dag in all_dags(data.names)
        if not any(silent[v, p] for v, parents in enumerate(dag.parents) for p in parents)
    )
    table = build_parent_sets(data, score)
    assert find_optimal(table).score == pytest.approx(best, rel=1e-10, abs=1e-9)
    assert order_search(table, seed=1).score == pytest.approx(best, rel=1e-10, abs=1e-9)
    for search in (hill_climb, tabu_search, first_ascent, genetic_search):
        found = search(data, score, seed=1)
        assert found.score == pytest.approx(score.score_network(data, found.dag), rel=1e-10, abs=1e-9)


def test_complete_data_have_their_log_likelihood() -> None:
    rng = np.random.default_rng(1)
    data = Dataset.from_codes(rng.integers(0, 3, (50, 4)), states=[list("abc")] * 4)
    nothing = Incomplete(data, np.zeros((4, 50), dtype=bool))
    families = [(0, (1,)), (2, (0, 3)), (3, ())]
    for given_data in (data, nothing):
        np.testing.assert_allclose(
            make_score("nal").score_families(given_data, families), make_score("ll").score_families(data, families)
        )
    found = hill_climb(nothing, "bic")
    assert found.dag == hill_climb(data, "bic").dag


def test_a_bootstrap_draws_cases_with_their_gaps(learning_test: Incomplete) -> None:
    first = bootstrap_networks(learning_test, "pnal:alpha=0.4", replicates=6, seed=3)
    again = bootstrap_networks(learning_test, "pnal:alpha=0.4", replicates=6, seed=3, workers=2)
    assert [dag.arcs for dag in first] == [dag.arcs for dag in again]
    assert first.data_digest == learning_test.with_gap_states().digest
    assert np.isfinite(first.scores).all()


def test_mistakes_are_told(learning_test: Incomplete) -> None:
    with pytest.raises(DataError, match=r"60 values are missing, and BIC needs complete rows.*score='pnal'"):
        hill_climb(learning_test, "bic")
    with pytest.raises(DataError, match="needs complete rows"):
        build_parent_sets(learning_test, "bdeu")
    with pytest.raises(OptionError, match=r"alpha=0.5 .* must be a number in \(0, 0.5\)"):
        make_score("pnal", alpha=0.5)


def test_a_value_that_never_varies_where_it_is_seen_has_no_arcs() -> None:
    codes = np.array([[0, 0], [0, 1], [0, 0], [0, 1], [1, 1]])
    data = Incomplete(Dataset.from_codes(codes, states=[["a", "b"]] * 2), [[False] * 4 + [True], [False] * 5])
    assert data.with_gap_states().constant.tolist() == [True, False]
    assert not hill_climb(data, "nal").dag.arcs
