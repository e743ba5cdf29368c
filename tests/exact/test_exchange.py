"""Cuts that leave one of several best networks: against whole numbers written out, and against all networks."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.exact.tables import random_table, tables
from tests.exact.test_information import dependent_data
from tests.oracles.brute_force_networks import best_score, is_acyclic
from tests.oracles.exchange import GRAIN_BITS, Parents, Worths

from arcwise import _core
from arcwise.base.run import Run
from arcwise.certificate import check_certificate
from arcwise.exact import certify_optimal, find_optimal, relaxation
from arcwise.exact.component import Budget, Incumbent, bits_of
from arcwise.exact.relaxation import solve_root
from arcwise.graph import Constraints
from arcwise.limits import Status
from arcwise.model import read_bif
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.parent_sets.build import candidate_sets

GRAIN = 2.0**-GRAIN_BITS
LOST = 1e-8


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first round on, as if there were data."""
    monkeypatch.setattr(relaxation, "inform", lambda root, data, budget: root.rounds == 1)
    monkeypatch.setattr(relaxation, "PLAIN_ROUNDS", 1)
    monkeypatch.setattr(relaxation, "WIDE_OPEN", 0.0)


class Case:
    """The exchanges of a table under a random order, natively and written out."""

    def __init__(self, table: ParentSetTable, seed: int) -> None:
        self.sets = candidate_sets(table)
        n = self.n = table.n_variables
        order = np.random.default_rng(seed).permutation(n).astype(np.int32)
        self.exchanges = _core.exact.Exchanges(self.sets, order, LOST)
        spans = list(itertools.pairwise(self.sets.offsets.tolist()))
        inside = bits_of(self.sets.sets, n)
        self.parents: list[Parents] = [frozenset(np.flatnonzero(row).tolist()) for row in inside]
        self.rows = [range(first, end) for first, end in spans]
        scores = [{self.parents[r]: float(self.sets.scores[r]) for r in rows} for rows in self.rows]
        place = {v: i for i, v in enumerate(order.tolist())}
        most = sum(max(sum(place[u] > place[v] for u in s) for s in scores[v]) for v in range(n))
        against = round((self.exchanges.loss / GRAIN - n) / most) if most else 0
        self.worths = Worths.of(scores, order.tolist(), against)

    def excludes(self, u: int, row: int, v: int, other: int) -> bool:
        """As written out, of rows of two nodes."""
        first, second = self.parents[row], self.parents[other]
        return (v in first and self.worths.excludes(u, first, v, second)) or (
            u in second and self.worths.excludes(v, second, u, first)
        )

    def networks(self) -> list[tuple[int, ...]]:
        choices = itertools.product(*self.rows)
        return [rows for rows in choices if is_acyclic([tuple(self.parents[row]) for row in rows])]

    def worthiest(self) -> tuple[int, ...] | None:
        def worth(rows: tuple[int, ...]) -> int:
            return sum(self.worths.of_node[v][self.parents[row]] for v, row in enumerate(rows))

        return max(self.networks(), key=worth, default=None)


@given(tables(), st.integers(0, 1000))
@settings(max_examples=150, deadline=None)
def test_exclusions_equal_their_twin_and_leave_a_best_network(table: ParentSetTable, seed: int) -> None:
    case = Case(table, seed)
    assert case.exchanges.is_exact
    assert case.exchanges.loss <= LOST
    excluded = set()
    for u, v in itertools.combinations(range(case.n), 2):
        for row, other in itertools.product(case.rows[u], case.rows[v]):
            expected = case.excludes(u, row, v, other)
            assert case.exchanges.excludes(case.sets, row, other) == expected
            if expected:
                excluded.add((row, other))
    best = case.worthiest()
    if best is None:
        return
    assert not excluded.intersection(itertools.combinations(best, 2))
    score = math.fsum(case.sets.scores[list(best)].tolist())
    assert score >= best_score(table) - case.exchanges.loss - 1e-12


@given(tables(), st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_cuts_are_violated_and_hold_for_the_worthiest_network(table: ParentSetTable, seed: int) -> None:
    case = Case(table, seed)
    rng = np.random.default_rng(seed)
    picked = [np.sort(rng.choice(of, min(2, len(of)), replace=False)) for of in case.rows]
    rows = np.concatenate(picked).astype(np.int64)
    values = np.concatenate([np.full(of.size, 1 / of.size) for of in picked])
    pool = _core.exact.CutPool(case.n)
    added = case.exchanges.add_violated(pool, case.sets, rows, values, 100, 1e-6)
    assert added == len(pool)
    coefficients = coefficients_of(case, pool)
    assert (coefficients[:, rows] @ values > 1 + 1e-6).all()
    best = case.worthiest()
    if best is not None:
        assert (coefficients[:, list(best)].sum(axis=1) <= 1).all()
    # Every arc whose whole support excludes itself is found.
    if not added:
        for u, v in itertools.permutations(range(case.n), 2):
            ends = [[r for r in rows.tolist() if r in case.rows[w]] for w in (u, v)]
            if all(v in case.parents[r] for r in ends[0]):
                assert not all(case.excludes(u, a, v, b) for a, b in itertools.product(*ends))


def coefficients_of(case: Case, pool: _core.exact.CutPool) -> NDArray[np.float64]:
    columns = np.arange(case.sets.rows, dtype=np.int64)
    (starts, index, value), _, _ = pool.rows(case.sets, columns, 0)
    dense = np.zeros((len(pool), case.sets.rows))
    for cut in range(len(pool)):
        dense[cut, index[starts[cut] : starts[cut + 1]]] = value[starts[cut] : starts[cut + 1]]
    return dense


@given(st.integers(0, 10_000), st.integers(4, 8), st.sampled_from([None, 0]))
@settings(max_examples=40, deadline=None)
def test_the_optimum_is_that_of_dynamic_programming(seed: int, n: int, digits: int | None) -> None:
    table = random_table(n, sets=14, seed=seed, digits=digits)
    found = find_optimal(table, method="branch-and-bound", progress=False)
    assert found.status is Status.COMPLETE
    assert found.score == pytest.approx(find_optimal(table, method="dp", progress=False).score, abs=1e-7)


@given(st.integers(0, 10_000), st.sampled_from(["bic", "bdeu", "aic"]))
@settings(max_examples=15, deadline=None)
def test_equivalent_scores_with_constraints(seed: int, score: str) -> None:
    """Where a constraint forbids the other member of a class, what is left must be found."""
    data = dependent_data(8, 200, seed, arity=2)
    names = list(data.names)
    constraints = Constraints(names, required=[(names[5], names[1])], forbidden=[(names[0], names[2])])
    table = build_parent_sets(data, score, max_parents=3, constraints=constraints)
    expected = find_optimal(table, method="dp", constraints=constraints, progress=False).score
    found = find_optimal(table, method="branch-and-bound", constraints=constraints, progress=False)
    assert found.score == pytest.approx(expected, abs=1e-7)


def test_only_a_search_for_one_network_uses_them(tmp_path: Path) -> None:
    table = random_table(9, sets=25, seed=4)
    sets = candidate_sets(table)

    def root(may_lose: float) -> relaxation.Root:
        incumbent = Incumbent(sets, 0, Budget(Run()))
        incumbent.improve()
        return solve_root(sets, incumbent, Budget(Run()), 1e-7, may_lose=may_lose)

    assert root(0.0).loss == 0
    assert 0 < root(2e-8).loss <= 2e-8
    path = tmp_path / "proof.json"
    best = certify_optimal(table, path, progress=False)
    assert check_certificate(table, path).gap < 1e-7
    assert best.score == pytest.approx(find_optimal(table, progress=False).score, abs=1e-7)


def test_scores_too_far_apart_for_whole_numbers_are_left_alone() -> None:
    entries = [[(0.0, ()), (-1e9, (1,))], [(0.0, ()), (-1.0, (0,))]]
    sets = candidate_sets(ParentSetTable.from_lists(["a", "b"], entries))
    exchanges = _core.exact.Exchanges(sets, np.arange(2, dtype=np.int32), LOST)
    assert not exchanges.is_exact
    assert not exchanges.excludes(sets, 1, 2)
    pool = _core.exact.CutPool(2)
    assert exchanges.add_violated(pool, sets, np.array([1, 3]), np.ones(2), 10, 1e-3) == 0


def test_a_class_is_searched_once(networks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alarm with 20,000 cases: from 13 nodes to 3."""
    monkeypatch.undo()
    data = read_bif(networks / "alarm.bif.gz").sample(20_000, seed=1)
    found = find_optimal(build_parent_sets(data, "bic", max_parents=3), progress=False)
    assert found.status is Status.COMPLETE
    assert found.score == pytest.approx(-210590.3871, abs=1e-3)
    assert found.nodes < 10


def test_cuts_are_violated_however_much_there_is_to_look_at() -> None:
    """With thousands of sets per node, the search for further rows of a cut ends early; those of the point are in."""
    rng = np.random.default_rng(0)
    n = 16
    entries = []
    for v in range(n):
        others = [u for u in range(n) if u != v]
        sets = [(), *(c for k in range(1, 6) for c in itertools.combinations(others, k))]
        entries.append([(-float(rng.gamma(2.0, 10.0)) - 20.0 * (5 - len(c)) - 60.0 * (not c), c) for c in sets])
    sets = candidate_sets(ParentSetTable.from_lists([f"X{v}" for v in range(n)], entries))
    exchanges = _core.exact.Exchanges(sets, np.arange(n, dtype=np.int32), LOST)
    rows = np.array([rng.integers(first, end) for first, end in itertools.pairwise(sets.offsets)], dtype=np.int64)
    pool = _core.exact.CutPool(n)
    added = exchanges.add_violated(pool, sets, rows, np.ones(n), n, 1e-3)
    (starts, _, values), _, _ = pool.rows(sets, rows, 0)
    left = [values[first:end].sum() for first, end in itertools.pairwise(starts)]
    assert added == len(left) > 0 and min(left) > 1 + 1e-3
