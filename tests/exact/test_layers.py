"""Search over layered orders: against dynamic programming, with ties, equivalent networks, constraints and limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.tables import random_table, tables
from tests.oracles.brute_force_networks import best_score

from arcwise import _core
from arcwise._core.parent_sets import CandidateSets
from arcwise.base.run import Run
from arcwise.certificate import check_certificate
from arcwise.data import Dataset
from arcwise.exact import certify_optimal, component, find_optimal
from arcwise.exact.component import Budget, Incumbent, solve_by_layers
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.parent_sets.build import candidate_sets

MARGIN = 1e-7


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the table is, and to the end."""
    monkeypatch.setattr(component, "LAYERED_FROM", 0)
    monkeypatch.setattr(component, "LAYERED_GAP", math.inf)
    monkeypatch.setattr(component, "WORK", 10**9)


def started(sets: CandidateSets, limits: Limits | None = None) -> tuple[Incumbent, Budget]:
    """Any network of the sets, mostly a bad one."""
    budget = Budget(Run(limits=limits))
    incumbent = Incumbent(sets, 0, budget)
    assert incumbent.begin()
    return incumbent, budget


def check(sets: CandidateSets) -> None:
    """Whatever network it begins with, it ends with an optimal one, and its first bound holds."""
    dp = _core.exact.SubsetDp(sets)
    dp.run(1, math.inf, None)
    incumbent, _ = started(sets)
    search = _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None)
    assert search.is_exact
    assert incumbent.score + search.gap >= dp.optimum - 1e-9
    assert search.run(2**60, 2**60, 2**60, math.inf, None) == (True, 0)
    incumbent.take(search.order)
    assert incumbent.score == pytest.approx(dp.optimum, abs=MARGIN)
    again = _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None)
    assert again.run(2**60, 2**60, 2**60, math.inf, None) == (True, 0)
    assert again.order.tolist() == incumbent.order.tolist()
    assert again.nodes <= search.nodes + 1


def sampled(n: int, cases: int, seed: int) -> Dataset:
    """Cases of a random network, with noise: scores of them are the same for equivalent networks."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((cases, n), dtype=np.int32)
    for v in range(n):
        parents = [u for u in range(v) if rng.random() < 0.5]
        codes[:, v] = np.where(rng.random(cases) < 0.35, rng.integers(0, 2, cases), codes[:, parents].sum(axis=1) % 2)
    codes[0], codes[1] = 0, 1
    return Dataset.from_codes(codes[:, rng.permutation(n)], states=[["0", "1"]] * n)


@given(tables())
@settings(max_examples=200)
def test_small_tables(table: ParentSetTable) -> None:
    sets = candidate_sets(table)
    if _core.exact.feasible_order(sets).size < sets.variables:
        return
    check(sets)
    check(sets.undominated(None))


@pytest.mark.parametrize("digits", [None, 0, -1])
@pytest.mark.parametrize("n", [7, 10, 13])
def test_random_tables(n: int, digits: int | None) -> None:
    for seed in range(8):
        table = random_table(n, sets=25, seed=seed, digits=digits, largest=3)
        check(candidate_sets(table))
        without = random_table(n, sets=25, seed=seed, digits=digits, largest=3, with_empty=False)
        sets = candidate_sets(without)
        if _core.exact.feasible_order(sets).size == n:
            check(sets)


@pytest.mark.parametrize("score", ["bic", "aic", "bdeu", "qnml"])
def test_scores_that_are_the_same_for_equivalent_networks(score: str) -> None:
    for seed in range(8):
        data = sampled(9, 40 + 30 * seed, seed)
        check(candidate_sets(build_parent_sets(data, score, max_parents=4, progress=False)).undominated(None))


@pytest.mark.parametrize("seed", range(12))
def test_constraints_and_required_arcs(seed: int, always: None) -> None:
    data = sampled(9, 60, seed)
    names = list(data.names)
    a, b, c, d = np.random.default_rng(seed).permutation(9)[:4].tolist()
    constraints = Constraints(
        names, required=[(names[a], names[b]), (names[c], names[a])], forbidden=[(names[d], names[b])]
    )
    table = build_parent_sets(data, "bic", max_parents=4, constraints=constraints, progress=False)
    expected = find_optimal(table, constraints=constraints, method="dp", progress=False)
    found = find_optimal(table, constraints=constraints, method="branch-and-bound", progress=False)
    assert found.statistics["components by layers"] > 0
    assert found.status is Status.COMPLETE
    assert found.score == pytest.approx(expected.score, abs=MARGIN)


@given(tables(), st.integers(0, 3))
@settings(max_examples=60)
def test_a_search_that_is_given_up_leaves_its_bound(table: ParentSetTable, nodes: int) -> None:
    sets = candidate_sets(table)
    if _core.exact.feasible_order(sets).size < sets.variables:
        return
    incumbent, _ = started(sets)
    search = _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None)
    finished, reason = search.run(2**60, nodes, 2**60, math.inf, None)
    assert reason == 0
    incumbent.take(search.order)
    best = best_score(table)
    assert incumbent.score <= best + 1e-9 <= max(incumbent.score, incumbent.score + search.gap) + 2e-7
    if finished:
        assert incumbent.score == pytest.approx(best, abs=MARGIN)


@pytest.mark.usefixtures("always")
def test_no_work_leaves_everything_to_the_linear_relaxation(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(18, sets=80, seed=3, largest=3)
    expected = find_optimal(table, method="dp", progress=False).score
    found = {}
    for work in (0, 10**9):
        monkeypatch.setattr(component, "WORK", work)
        optimum = find_optimal(table, method="branch-and-bound", progress=False)
        assert optimum.score == pytest.approx(expected, abs=MARGIN)
        found[work] = optimum.statistics.get("components by layers", 0)
    assert found == {0: 0, 10**9: 1}


def test_memory_is_limited() -> None:
    sets = candidate_sets(random_table(14, sets=40, seed=0, largest=3))
    incumbent, _ = started(sets)
    for most, finished in ((1000, False), (2**30, True)):
        search = _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None)
        assert search.run(2**60, 2**60, most, math.inf, None) == (finished, 0)


def test_sparse_tables_and_wide_gaps_are_left_alone() -> None:
    sparse = candidate_sets(random_table(12, sets=20, seed=1))
    wide = candidate_sets(random_table(12, sets=80, seed=1))
    for sets in (sparse, wide):
        incumbent, budget = started(sets)
        assert not solve_by_layers(sets, incumbent, budget, MARGIN)[0]
        assert budget.status is Status.COMPLETE
        assert budget.nodes == 0


def test_scores_too_far_apart_for_whole_numbers(always: None) -> None:
    table = ParentSetTable.from_lists(["a", "b"], [[(-1.0, (1,)), (-1e6, ())], [(-1.0, (0,)), (-2e6, ())]])
    sets = candidate_sets(table)
    incumbent, budget = started(sets)
    assert not _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None).is_exact
    assert not solve_by_layers(sets, incumbent, budget, MARGIN)[0]
    assert find_optimal(table, method="branch-and-bound", progress=False).score == pytest.approx(-1e6 - 1)


def test_a_margin_that_rounding_uses_up() -> None:
    sets = candidate_sets(random_table(6, sets=8, seed=0))
    incumbent, _ = started(sets)
    assert not _core.exact.LayeredSearch(sets, incumbent.order, 1e-12, None).is_exact


def test_interruption_stops_it(always: None) -> None:
    sets = candidate_sets(random_table(22, sets=120, seed=5, largest=4))
    incumbent, budget = started(sets)
    events: list[object] = []

    def interrupt(event: object) -> None:
        events.append(event)
        raise KeyboardInterrupt

    budget.run = budget.run.replace(progress=interrupt)
    budget._next_report = 0.0
    proved, bound = solve_by_layers(sets, incumbent, budget, MARGIN)
    assert events
    assert not proved
    assert budget.status is Status.INTERRUPTED
    assert bound >= incumbent.score


def test_interruption_is_heard_while_the_root_is_bounded(always: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search itself must not be needed to hear it: reading a dense table and bounding it takes a second."""
    sets = candidate_sets(random_table(40, sets=800, seed=3, largest=4))
    incumbent, budget = started(sets)
    asked = 0

    def pulse(*_: float) -> None:
        nonlocal asked
        asked += 1
        budget.stop(Status.INTERRUPTED)
        raise KeyboardInterrupt

    whole = _core.exact.LayeredSearch(sets, incumbent.order, MARGIN, None)
    monkeypatch.setattr(budget, "pulse", pulse)
    proved, bound = solve_by_layers(sets, incumbent, budget, MARGIN)
    assert asked == 1
    assert not proved
    assert bound >= incumbent.score + whole.gap


def test_certificates_do_without(always: None, tmp_path) -> None:  # type: ignore[no-untyped-def]
    table = random_table(10, sets=25, seed=2, largest=3)
    path = tmp_path / "proof.json"
    proved = certify_optimal(table, path, progress=False)
    assert "components by layers" not in proved.statistics
    assert check_certificate(table, path).gap < MARGIN
    assert find_optimal(table, method="branch-and-bound", progress=False).score == pytest.approx(proved.score)
