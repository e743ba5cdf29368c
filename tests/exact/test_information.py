"""Cuts from what the data have to tell: against entropies written out, and against dynamic programming."""

from __future__ import annotations

import itertools
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.oracles.brute_force_networks import best_score
from tests.oracles.information import entropy, joint_of, told, total_correlation

from arcwise import _core
from arcwise.base.run import Run
from arcwise.data import Dataset
from arcwise.exact import component, find_optimal
from arcwise.exact import relaxation as branch_and_bound
from arcwise.exact.component import Budget, Incumbent, Information, bits_of
from arcwise.exact.relaxation import Relaxation, solve_root
from arcwise.limits import Status
from arcwise.model import read_bif
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.parent_sets.build import candidate_sets


def budget() -> Budget:
    return Budget(Run())


def dependent_data(n: int, rows: int, seed: int, arity: int = 3) -> Dataset:
    """Variables that each depend on two before them; every third row counts twice."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((rows, n), dtype=np.uint8)
    for v in range(n):
        before = rng.choice(v, size=min(2, v), replace=False) if v else []
        signal = codes[:, before].sum(axis=1) if v else np.zeros(rows)
        noise = rng.integers(0, arity, size=rows)
        codes[:, v] = np.where(rng.random(rows) < 0.75, signal % arity, noise)
    codes[0] = arity - 1  # every state occurs
    weights = np.where(np.arange(rows) % 3 == 0, 2, 1)
    return Dataset.from_codes(codes, names=[f"X{v}" for v in range(n)], weights=weights)


def joint_of_rows(data: Dataset, parents: list[tuple[int, ...]]) -> NDArray[np.float64]:
    """The joint distribution of a network with the frequencies of the data, uniform where there is no case."""
    arities = data.arities.tolist()
    tables = []
    for v, ps in enumerate(parents):
        counts = np.zeros([arities[u] for u in (*ps, v)])
        np.add.at(counts, tuple(data.codes[u] for u in (*ps, v)), data.weights)
        totals = counts.sum(axis=-1, keepdims=True)
        tables.append(np.where(totals > 0, counts / np.maximum(totals, 1), 1 / arities[v]))
    return joint_of(tables, parents, arities)


@pytest.fixture(autouse=True)
def _small_tables_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(component, "FEWEST_ROWS", 1)
    monkeypatch.setattr(component, "FEWEST_CASES", 1)
    monkeypatch.setattr(branch_and_bound, "PLAIN_ROUNDS", 1)
    monkeypatch.setattr(branch_and_bound, "WIDE_OPEN", 0.0)


def words(members: set[int]) -> NDArray[np.uint64]:
    return np.array([sum(1 << v for v in members)], dtype=np.uint64)


def prepared(data: Dataset) -> tuple[ParentSetTable, Incumbent, Information, NDArray[np.float64]]:
    table = build_parent_sets(data, "bic", max_parents=3, slack=math.inf)
    incumbent = Incumbent(candidate_sets(table), 0, budget())
    incumbent.improve()
    found = Information.under(incumbent.sets, incumbent.rows, data, budget())
    assert found is not None
    inside = bits_of(incumbent.sets.sets[incumbent.rows], data.n_variables)
    joint = joint_of_rows(data, [tuple(np.flatnonzero(row).tolist()) for row in inside])
    return table, incumbent, found, joint


@given(st.integers(0, 10_000), st.integers(2, 6))
@settings(max_examples=25, deadline=None)
def test_entropies_and_cuts_equal_their_twins(seed: int, n: int) -> None:
    data = dependent_data(n, 60, seed)
    _, incumbent, found, joint = prepared(data)
    sets = incumbent.sets
    assert found._native.total == pytest.approx(total_correlation(joint, range(n)), abs=1e-12)
    inside = bits_of(sets.sets, n)
    node = np.repeat(np.arange(n), np.diff(sets.offsets))
    rng = np.random.default_rng(seed)
    chosen = {v for v in range(n) if rng.random() < 0.6}
    coefficients = found._native.coefficients(sets, words(chosen))
    for row in range(sets.rows):
        v, parents = int(node[row]), set(np.flatnonzero(inside[row]).tolist())
        expected = told(joint, v, parents & chosen) if v in chosen else 0.0
        assert coefficients[row] == pytest.approx(expected, abs=1e-12)
        assert found._native.entropy(words(parents | {v})) == pytest.approx(entropy(joint, parents | {v}), abs=1e-12)


@given(st.integers(0, 10_000), st.integers(3, 9))
@settings(max_examples=25, deadline=None)
def test_violated_cuts_have_the_side_of_their_members(seed: int, n: int) -> None:
    """Of any point: the side is the total correlation, and the point is beyond it."""
    data = dependent_data(n, 80, seed, arity=2)
    _, incumbent, found, joint = prepared(data)
    sets = incumbent.sets
    rng = np.random.default_rng(seed)
    spans = itertools.pairwise(sets.offsets.tolist())
    rows = np.concatenate([np.sort(rng.choice(np.arange(first, end), 2)) for first, end in spans])
    values = np.full(rows.size, 0.5)
    for _ in range(3):  # the first time most boundaries are only asked for
        members, sides = found._native.separate(sets, rows.astype(np.int64), values, 50, 1e-9)
        wanted = found._native.take_wanted()
        if len(wanted):
            assert found._learn(bits_of(wanted, n), budget())
    for inside, side in zip(members, sides.tolist(), strict=True):
        chosen = set(np.flatnonzero(bits_of(inside.reshape(1, -1), n)[0]).tolist())
        assert side == pytest.approx(total_correlation(joint, chosen), abs=1e-10)
        numbers = found._native.coefficients(sets, inside)
        assert values @ numbers[rows] > side + 1e-9


@given(st.integers(0, 10_000))
@settings(max_examples=15, deadline=None)
def test_the_bound_holds_with_information_at_every_step(seed: int) -> None:
    table, incumbent, found, _ = prepared(dependent_data(4, 120, seed))
    sets = incumbent.sets
    expected = best_score(table)
    relaxation = Relaxation(sets, float(sets.scores[sets.offsets[1:] - 1].sum()), budget(), found)
    for _ in range(20):
        solution = relaxation.solve(-math.inf)
        assert solution.bound >= expected - 1e-7
        if not relaxation.separate(solution, effort=2, threshold=1e-4):
            break


@pytest.mark.parametrize("score", ["bic", "bdeu", "qnml"])
@pytest.mark.parametrize("seed", range(2))
def test_the_optimum_is_that_of_dynamic_programming(seed: int, score: str) -> None:
    data = dependent_data(8, 300 * 8**seed, seed, arity=2 + seed)
    table = build_parent_sets(data, score, max_parents=3)
    found = find_optimal(table, method="branch-and-bound", progress=False)
    assert found.status is Status.COMPLETE
    assert found.score == pytest.approx(find_optimal(table, method="dp", progress=False).score, abs=1e-6)


def test_the_first_cut_alone_closes_most_of_the_gap() -> None:
    table, incumbent, found, _ = prepared(dependent_data(10, 30_000, 5))
    sets = candidate_sets(table).undominated()
    incumbent = incumbent.moved_to(sets)
    floor = float(sets.scores[sets.offsets[1:] - 1].sum())
    gaps = [
        Relaxation(sets, floor, budget(), given).solve(-math.inf).bound - incumbent.score for given in (None, found)
    ]
    assert 0 <= gaps[1] < 0.05 * gaps[0]


def test_many_cases_are_no_harder(networks: Path) -> None:
    """Alarm with 10,000 cases took more than a hundred nodes, and 20,000 more than a hundred seconds."""
    data = read_bif(networks / "alarm.bif.gz").sample(10_000, seed=1)
    found = find_optimal(build_parent_sets(data, "bic", max_parents=3), progress=False)
    assert found.status is Status.COMPLETE
    assert found.score == pytest.approx(-106335.7678, abs=1e-3)
    assert found.nodes < 30


def test_weighted_cuts_move_with_their_pool() -> None:
    _, incumbent, found, _ = prepared(dependent_data(6, 300, 2))
    sets = incumbent.sets
    pool, other = _core.exact.CutPool(6), _core.exact.CutPool(6)
    pool.extend(words({0, 1, 2}).reshape(1, 1), np.array([1], dtype=np.int32))
    found.add_first(pool, sets)
    pool.set_multipliers(np.array([1.5, 40.0]))
    every = np.ones(sets.rows, dtype=np.uint8)
    bound, _ = pool.bound(sets, every)
    other.extend_from(pool, np.array([0, 1], dtype=np.uint8))
    other.set_multipliers(np.array([40.0]))
    pool.set_multipliers(np.array([0.0, 40.0]))
    assert other.codes.tolist() == [0]
    assert other.bound(sets, every)[0] == pool.bound(sets, every)[0] != bound
    pool.keep(np.array([0, 1], dtype=np.uint8))
    assert pool.bound(sets, every)[0] == other.bound(sets, every)[0]
    keep = (np.arange(sets.rows) % 2 == 0) | np.isin(np.arange(sets.rows), sets.offsets)
    smaller = sets.kept(keep.astype(np.uint8))  # rows are numbered anew; the coefficients follow them
    assert pool.bound(smaller, np.ones(smaller.rows, dtype=np.uint8))[0] == pool.bound(sets, keep.astype(np.uint8))[0]


def test_a_root_without_data_is_as_before() -> None:
    _, incumbent, _, _ = prepared(dependent_data(7, 200, 3))
    assert Information.under(incumbent.sets, incumbent.rows, None, budget()) is None
    assert solve_root(incumbent.sets, incumbent, budget(), 1e-7).bound >= incumbent.score - 1e-7


@pytest.mark.parametrize("name", ["FEWEST_ROWS", "FEWEST_CASES", "MOST_CELLS", "LARGEST_FAMILY"])
def test_what_is_too_little_or_too_much_is_left_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = dependent_data(5, 100, 1)
    _, incumbent, _, _ = prepared(data)
    monkeypatch.setattr(component, name, 10**9 if name.startswith("FEWEST") else 1)
    assert Information.under(incumbent.sets, incumbent.rows, data, budget()) is None


def test_a_table_that_is_sent_away_leaves_its_data() -> None:
    data = dependent_data(4, 50, 0)
    table = build_parent_sets(data, "bic")
    assert table.data is data
    sent = pickle.loads(pickle.dumps(table))
    assert sent.data is None
    assert sent.digest == table.digest
