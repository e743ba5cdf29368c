"""The builder and its rules against brute force that knows no pruning: scores of all families, all networks by DP."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins import pruning

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.graph import Constraints
from arcwise.parent_sets import ParentSetTable, build, build_parent_set_tables, build_parent_sets
from arcwise.scores import SCORES, JointPrior, Score, make_score

Family = tuple[int, tuple[int, ...]]
# Scores that need nothing but their name; those with a prior network, or a column of sites, have their own tests.
NAMES = [name for name, kind in SCORES.items() if name not in {"bde", "nip_bde", "expected_log_bde", "bhd"}]
slacks = st.sampled_from([0.0, 0.0, math.log(3), math.log(20), math.log(150)])


@st.composite
def small_data(draw: st.DrawFn, *, max_variables: int = 6, max_rows: int = 60) -> Dataset:
    n = draw(st.integers(1, max_variables))
    arities = draw(st.lists(st.sampled_from([2, 2, 2, 3, 4]), min_size=n, max_size=n))
    rows = draw(st.integers(1, max_rows))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    noise = draw(st.sampled_from([0.0, 0.1, 0.4, 1.0]))
    codes = np.zeros((rows, n), dtype=int)
    for v, arity in enumerate(arities):
        # A function of some earlier columns, with noise: families that matter, and deterministic ones.
        chosen = [u for u in range(v) if rng.random() < 0.5]
        exact = codes[:, chosen].sum(axis=1) % arity if chosen else rng.integers(arity, size=rows)
        codes[:, v] = np.where(rng.random(rows) < noise, rng.integers(arity, size=rows), exact)
    weights = rng.integers(0, 5, size=rows) if draw(st.booleans()) else None
    if weights is not None:
        weights[0] = 1
    return Dataset.from_codes(codes, states=[[str(k) for k in range(r)] for r in arities], weights=weights)


def score_all_families(data: Dataset, score: Score) -> dict[Family, float]:
    n = data.n_variables
    families = [
        (child, parents)
        for child in range(n)
        for size in range(n)
        for parents in itertools.combinations([v for v in range(n) if v != child], size)
    ]
    return dict(zip(families, score.score_families(data, families).tolist(), strict=True))


def learnable_families(
    data: Dataset, values: dict[Family, float], required: Sequence[tuple[str, str]] = ()
) -> dict[Family, float]:
    """Those of the families in which a variable that shows one state in all cases has no arc but required ones."""
    counted = slice(None) if data.weights is None else data.weights > 0
    varies = [len(np.unique(codes[counted])) > 1 for codes in data.codes]

    def is_learnable(parent: int, child: int) -> bool:
        return (data.names[parent], data.names[child]) in required or (varies[parent] and varies[child])

    return {family: value for family, value in values.items() if all(is_learnable(p, family[0]) for p in family[1])}


def best_networks(values: dict[Family, float], n: int) -> tuple[float, dict[Family, float]]:
    """The score of the best network, and of the best one that has each family.

    By dynamic programming over sets, where the nodes of a set come before the others: a network with the family
    (i, P) has an order in which the nodes before i are some set that holds P.
    """
    best_parents = np.full((n, 2**n), -np.inf)
    for (child, parents), value in values.items():
        best_parents[child, sum(1 << p for p in parents)] = value
    for bit, mask in itertools.product(range(n), range(2**n)):
        if mask >> bit & 1:
            best_parents[:, mask] = np.maximum(best_parents[:, mask], best_parents[:, mask ^ 1 << bit])
    everything = 2**n - 1
    before, after = np.full(2**n, -np.inf), np.full(2**n, -np.inf)
    before[0] = after[everything] = 0.0
    for mask in range(1, 2**n):
        before[mask] = max(before[mask ^ 1 << v] + best_parents[v, mask ^ 1 << v] for v in range(n) if mask >> v & 1)
    for mask in range(everything - 1, -1, -1):
        after[mask] = max(after[mask | 1 << v] + best_parents[v, mask] for v in range(n) if not mask >> v & 1)
    best_with = {}
    for (child, parents), value in values.items():
        needed = sum(1 << p for p in parents)
        best_with[child, parents] = value + max(
            before[mask] + after[mask | 1 << child]
            for mask in range(2**n)
            if mask & needed == needed and not mask >> child & 1
        )
    return float(before[everything]), best_with


def table_rows(table: ParentSetTable) -> dict[Family, float]:
    return {
        (node, table.parents_of(row)): float(table.scores[row])
        for node in range(table.n_variables)
        for row in table.rows_of(node)
    }


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=60)
@given(data=small_data(), slack=slacks, limit=st.none() | st.integers(0, 4))
def test_the_table_equals_its_twin(name: str, data: Dataset, slack: float, limit: int | None) -> None:
    table = build_parent_sets(data, name, slack=slack, max_parents=limit)
    table.validate()
    found = table_rows(table)
    twin = table_rows(pruning.build_parent_sets_twin(data, name, slack=slack, max_parents=limit))
    assert found.keys() == twin.keys()
    np.testing.assert_allclose(list(found.values()), [twin[family] for family in found], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("name", ["bdeu", "bdeu:ess=20", "bic", "qbdj", "qnml"])
@settings(max_examples=40)
@given(data=small_data(max_variables=7, max_rows=25), slack=slacks, limit=st.none() | st.integers(2, 5))
def test_levels_made_at_once_equal_the_twin(name: str, data: Dataset, slack: float, limit: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "DENSE_FROM", 0.0)
        table = build_parent_sets(data, name, slack=slack, max_parents=limit)
        table.validate()
        threaded = build_parent_sets(data, name, slack=slack, max_parents=limit, threads=2)
    assert table.digest == threaded.digest
    found = table_rows(table)
    twin = table_rows(pruning.build_parent_sets_twin(data, name, slack=slack, max_parents=limit))
    assert found.keys() == twin.keys()
    np.testing.assert_allclose(list(found.values()), [twin[family] for family in found], rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=30)
@given(data=small_data(max_variables=5), slack=slacks)
def test_every_family_of_a_network_within_the_slack_is_kept(name: str, data: Dataset, slack: float) -> None:
    values = learnable_families(data, score_all_families(data, make_score(name)))
    optimum, best_with = best_networks(values, data.n_variables)
    kept = table_rows(build_parent_sets(data, name, slack=slack)).keys()
    needed = {family for family, best in best_with.items() if best >= optimum - slack - 1e-10}
    assert needed <= kept


@settings(max_examples=15)
@given(data=small_data(max_variables=6, max_rows=200), slack=slacks)
def test_six_variables_too(data: Dataset, slack: float) -> None:
    for name in ("bic", "bdeu"):
        values = learnable_families(data, score_all_families(data, make_score(name)))
        optimum, best_with = best_networks(values, data.n_variables)
        kept = table_rows(build_parent_sets(data, name, slack=slack)).keys()
        assert {family for family, best in best_with.items() if best >= optimum - slack - 1e-10} <= kept


def supersets(parents: tuple[int, ...], child: int, n: int) -> list[tuple[int, ...]]:
    others = [v for v in range(n) if v != child and v not in parents]
    return [
        tuple(sorted((*parents, *more)))
        for size in range(len(others) + 1)
        for more in itertools.combinations(others, size)
    ]


@settings(max_examples=150)
@given(data=small_data(max_variables=5, max_rows=120), slack=slacks, name=st.sampled_from(["bic", "aic", "bdeu", "k2"]))
def test_each_rule_drops_only_what_no_network_within_the_slack_has(data: Dataset, slack: float, name: str) -> None:
    n = data.n_variables
    score = make_score(name)
    values = score_all_families(data, score)
    optimum, best_with = best_networks(values, n)
    weight = {"bic": math.log(data.n_cases) / 2, "aic": 1.0}.get(name)

    def assert_useless(child: int, sets: list[tuple[int, ...]]) -> None:
        for parents in sets:
            assert best_with[child, parents] < optimum - slack + 1e-9

    for (child, parents), value in values.items():
        r = int(data.arities[child])
        q = math.prod(int(data.arities[p]) for p in parents)
        best_subset = max(
            (values[child, subset] for size in range(len(parents)) for subset in itertools.combinations(parents, size)),
            default=-math.inf,
        )
        above = supersets(parents, child, n)
        if pruning.beaten_by_subset(best_subset, value, slack):
            assert_useless(child, [parents])
        if weight is not None and weight > 0:
            full = _likelihood(data, child, [v for v in range(n) if v != child])
            if pruning.beaten_with_supersets(best_subset, pruning.penalty_bound(full, weight, q, r), slack):
                assert_useless(child, above)
            for j in parents:
                rest = [p for p in parents if p != j]
                entropy = -_likelihood(data, j, rest)
                room = pruning.arity_room(entropy, weight, int(data.arities[j]), q / int(data.arities[j]), slack=slack)
                if pruning.parent_adds_too_little(room, r):
                    assert_useless(child, above)
        else:
            occupied = int(np.count_nonzero(contingency(data, [*parents, child])))
            if pruning.beaten_with_supersets(best_subset, pruning.occupied_bound(occupied, r), slack):
                assert_useless(child, above)


def _likelihood(data: Dataset, child: int, parents: list[int]) -> float:
    return make_score("ll").score_family(data, child, parents)


@pytest.mark.parametrize("dense_from", [0.0, 2e5])
@settings(max_examples=20)
@given(data=small_data(), slack=slacks)
def test_several_scores_at_once_equal_each_alone(dense_from: float, data: Dataset, slack: float) -> None:
    names = ["bic", "k2", "bdeu:ess=5", "bdj"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "DENSE_FROM", dense_from)
        together = build_parent_set_tables(data, names, slack=slack, threads=2)
        for name, table in zip(names, together, strict=True):
            assert table.digest == build_parent_sets(data, name, slack=slack).digest


@pytest.mark.parametrize("dense_from", [0.0, 2e5])
@settings(max_examples=20)
@given(data=small_data(max_variables=6), slack=slacks, seed=st.integers(0, 2**32 - 1))
def test_constraints_are_those_of_brute_force(dense_from: float, data: Dataset, slack: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = data.n_variables
    order = rng.permutation(n)
    required, forbidden = [], []
    for a, b in itertools.permutations(range(n), 2):
        draw = rng.random()
        if draw < 0.15 and order[a] < order[b]:
            required.append((data.names[a], data.names[b]))
        elif draw < 0.35:
            forbidden.append((data.names[a], data.names[b]))
    constraints = Constraints(data.names, required=required, forbidden=forbidden)
    for name in ("bic", "k2", "bdeu"):
        score = make_score(name)
        values = {
            (child, parents): value
            for (child, parents), value in learnable_families(data, score_all_families(data, score), required).items()
            if constraints.allows(child, parents)
        }
        expected = {
            family: value
            for family, value in values.items()
            if not any(
                pruning.beaten_by_subset(other, value, slack, pruning.score_tolerance(value))
                for (child, parents), other in values.items()
                if child == family[0] and set(parents) < set(family[1])
            )
        }
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(build, "DENSE_FROM", dense_from)
            found = table_rows(build_parent_sets(data, name, slack=slack, constraints=constraints))
        assert found.keys() == expected.keys()


def test_dense_levels_hold_required_parents() -> None:
    data = Dataset.from_codes(np.random.default_rng(5).integers(2, size=(40, 6)))
    a, b = data.names[:2]
    constraints = Constraints(data.names, required=[(a, b)])
    values = score_all_families(data, make_score("bdeu"))
    levels = []
    for dense_from in (0.0, math.inf):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(build, "DENSE_FROM", dense_from)
            stages: set[str] = set()
            table = build_parent_sets(
                data,
                "bdeu",
                slack=200.0,
                constraints=constraints,
                progress=lambda event, stages=stages: stages.add(event.stage),  # type: ignore[misc]
            )
        rows = table_rows(table)
        assert {parents for child, parents in rows if child == 1} == {
            (0, *others) for size in range(5) for others in itertools.combinations((2, 3, 4, 5), size)
        }
        levels.append(len(stages))
        assert all(value == pytest.approx(values[family], abs=1e-9) for family, value in rows.items())
    assert levels[0] < levels[1]  # a dense level is the last


@settings(max_examples=10)
@given(data=small_data(max_variables=4, max_rows=40), slack=slacks, seed=st.integers(0, 2**32 - 1))
def test_scores_with_prior_networks_equal_their_twin(data: Dataset, slack: float, seed: int) -> None:
    table = np.random.default_rng(seed).random(tuple(data.arities.tolist())) ** 3
    prior = JointPrior(data.names, table / table.sum())
    for score in (
        make_score("bde", prior=prior, ess=3),
        make_score("nip_bde"),
        make_score("expected_log_bde"),
        make_score("bhd", site=data.names[0]),
    ):
        found = table_rows(build_parent_sets(data, score, slack=slack, threads=2))
        twin = table_rows(pruning.build_parent_sets_twin(data, score, slack=slack))
        assert found.keys() == twin.keys()
        np.testing.assert_allclose(list(found.values()), [twin[family] for family in found], rtol=1e-10, atol=1e-9)
