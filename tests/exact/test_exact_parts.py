"""The native parts of the exact solver against readable twins and brute force."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.tables import random_table, tables
from tests.oracles.brute_force_networks import best_score
from tests.twins.subset_dp import dp_twin

from arcwise import _core
from arcwise.base.run import Run
from arcwise.exact import optimal
from arcwise.exact.component import Budget, Incumbent, solve_by_dp
from arcwise.exact.relaxation import PseudoCosts, Relaxation, Root, floor_of, shrink, solve_root
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.build import candidate_sets, components_of

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets


def budget() -> Budget:
    return Budget(Run())


@given(tables(), st.integers(1, 3))
def test_subset_dp_equals_its_twin(table: ParentSetTable, threads: int) -> None:
    sets = candidate_sets(table)
    dp = _core.exact.SubsetDp(sets)
    assert dp.run(threads, math.inf, None) == 0
    assert dp.best.tolist() == dp_twin(sets)


def test_subset_dp_equals_its_twin_beyond_one_block() -> None:
    sets = candidate_sets(random_table(12, sets=15, seed=8))
    dp = _core.exact.SubsetDp(sets)
    dp.run(2, math.inf, None)
    assert dp.best.tolist() == dp_twin(sets)


@given(tables(), st.integers(1, 3))
def test_layers_change_nothing(table: ParentSetTable, threads: int) -> None:
    sets = candidate_sets(table)
    whole, layered = _core.exact.SubsetDp(sets), _core.exact.SubsetDp(sets, layered=True)
    assert whole.run(threads, math.inf, None) == layered.run(threads, math.inf, None) == 0
    assert layered.best.size == 0
    assert layered.optimum == whole.optimum
    if math.isfinite(whole.optimum):
        assert layered.rows().tolist() == whole.rows().tolist()


@pytest.mark.parametrize("n", [15, 17, 19])
def test_layers_change_nothing_across_parts(n: int) -> None:
    """From 15 variables on there are several parts; few digits make ties."""
    sets = candidate_sets(random_table(n, sets=25, seed=n, digits=0))
    whole = _core.exact.SubsetDp(sets)
    whole.run(1, math.inf, None)
    for threads in (1, 2):
        layered = _core.exact.SubsetDp(sets, layered=True)
        layered.run(threads, math.inf, None)
        assert layered.optimum == whole.optimum
        assert layered.rows().tolist() == whole.rows().tolist()


def test_layers_take_half_the_memory() -> None:
    memory = _core.exact.SubsetDp.memory_for
    assert memory(30) > 8 * 2**30
    assert memory(30, layered=True) < 5 * 2**30


@given(tables(with_empty=True), st.randoms(use_true_random=False))
def test_an_order_gets_the_best_set_of_each_node(table: ParentSetTable, random) -> None:  # type: ignore[no-untyped-def]
    order = list(range(table.n_variables))
    random.shuffle(order)
    search = _core.local.OrderSearch(candidate_sets(table), 0)
    given_order, rows, score, missing = search.evaluate(np.array(order, dtype=np.int32))
    expected = []
    for v in range(table.n_variables):
        before = set(order[: order.index(v)])
        expected.append(next(r for r in table.rows_of(v) if before.issuperset(table.parents_of(r))))
    assert rows.tolist() == expected
    assert (given_order.tolist(), missing) == (order, 0)
    assert score == pytest.approx(sum(table.scores[r] for r in expected))


@given(tables(with_empty=True))
@settings(max_examples=40)
def test_local_search_is_never_above_the_optimum(table: ParentSetTable) -> None:
    incumbent = Incumbent(candidate_sets(table), 1, budget())
    incumbent.improve(iterations=50)
    assert incumbent.score <= best_score(table) + 1e-9


@given(tables(with_empty=True))
@settings(max_examples=60)
def test_the_relaxation_bounds_the_optimum_at_every_step(table: ParentSetTable) -> None:
    sets = candidate_sets(table).undominated()
    expected = best_score(table)
    relaxation = Relaxation(sets, float(sets.scores[sets.offsets[1:] - 1].sum()), budget())
    for _ in range(20):
        solution = relaxation.solve(-math.inf)
        assert solution.bound >= expected - 1e-7
        if not relaxation.separate(solution, effort=2, threshold=1e-4):
            break


def test_the_root_closes_what_it_can_and_keeps_the_optimum() -> None:
    table = random_table(9, sets=10, seed=11)
    sets = candidate_sets(table).undominated()
    optimum, _ = solve_by_dp(sets, budget()) or (math.nan, None)
    incumbent = Incumbent(sets, 0, budget())
    incumbent.improve()
    root = solve_root(sets, incumbent, budget(), 1e-7)
    assert root.bound >= optimum - 1e-7
    left, _ = solve_by_dp(root.sets, budget()) or (math.nan, None)
    assert left == pytest.approx(optimum, abs=1e-7)


def test_probing_leaves_the_program_as_it_was() -> None:
    sets = candidate_sets(random_table(12, sets=20, seed=3)).undominated()
    relaxation = Relaxation(sets, float(sets.scores[sets.offsets[1:] - 1].sum()), budget())
    before = relaxation.solve(-math.inf)
    relaxation.separate(before, effort=1)
    before = relaxation.solve(-math.inf)
    allowed = _core.exact.impose_arc(sets, np.ones(sets.rows, dtype=np.uint8), 0, 1, False)
    probed, _ = relaxation.probe(allowed, 50)
    after = relaxation.solve(-math.inf)
    assert after.bound == pytest.approx(before.bound, abs=1e-7)
    assert probed <= before.bound + 1e-6


def test_components_partition_the_nodes() -> None:
    parts = components_of(candidate_sets(random_table(15, sets=4, seed=2, reach=2)))
    assert sorted(np.concatenate(parts).tolist()) == list(range(15))


@pytest.mark.parametrize("seed", range(3))
def test_what_fixing_splits_is_solved_part_by_part(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two tables, and bad sets that lead from one to the other: they are dropped as if fixing had done it."""
    parts = [random_table(5, sets=6, seed=seed), random_table(5, sets=6, seed=seed + 10)]
    entries = []
    for number, part in enumerate(parts):
        for v in range(5):
            own = [(float(part.scores[r]), tuple(p + 5 * number for p in part.parents_of(r))) for r in part.rows_of(v)]
            entries.append([*own, (own[-1][0] + 1e-3, (5 * (1 - number) + v,))])
    table = ParentSetTable.from_lists([f"X{v}" for v in range(10)], entries)

    def unclosed(sets: CandidateSets, incumbent: Incumbent, *given: Any, **named: Any) -> Root:
        if sets.variables < 10:
            return solve_root(sets, incumbent, *given, **named)
        any_network = Incumbent(sets, 0, budget())
        assert any_network.begin()
        root = Root(sets, Relaxation(sets, floor_of(sets, any_network), budget()), any_network, math.inf)
        group = np.repeat(np.arange(sets.variables), np.diff(sets.offsets)) // 5
        inside = [not words[0] & ~np.uint64(31 << 5 * int(g)) for words, g in zip(sets.sets, group, strict=True)]
        shrink(root, np.array(inside))
        return root

    monkeypatch.setattr(optimal, "solve_root", unclosed)
    monkeypatch.setattr(optimal, "WIDE", math.inf)  # what is known is not improved before
    found = optimal.find_optimal(table, method="branch-and-bound")
    assert found.statistics["components after fixing"] == 2
    assert found.is_proved
    assert found.score == pytest.approx(sum(best_score(part) for part in parts), abs=1e-7)


@pytest.mark.parametrize("is_closed", [True, False])
def test_what_cuts_may_have_lost_is_in_the_bound_of_parts_that_are_open(
    is_closed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = candidate_sets(random_table(6, sets=6, seed=1))
    incumbent = Incumbent(sets, 0, budget())
    assert incumbent.begin()
    root = Root(sets, Relaxation(sets, floor_of(sets, incumbent), budget()), incumbent, math.inf, loss=0.25)
    parts = [np.arange(3, dtype=np.int32), np.arange(3, 6, dtype=np.int32)]
    scores = [math.fsum(sets.scores[incumbent.rows[nodes]].tolist()) for nodes in parts]
    bounds = scores if is_closed else [scores[0], scores[1] + 1.0]
    origins = [sets.origins[incumbent.rows[nodes]] for nodes in parts]
    solved = [optimal._Part(*own) for own in zip(origins, scores, bounds, strict=True)]
    monkeypatch.setattr(optimal._ExactSearch, "solve_all", lambda *given: solved)
    search = optimal._ExactSearch("auto", budget())
    found = search._by_parts(root, math.inf, parts)
    assert found.score == pytest.approx(sum(scores))
    assert found.bound == pytest.approx(sum(scores) + (0.0 if is_closed else 1.25))


def test_pseudo_costs_are_means() -> None:
    costs = PseudoCosts()
    assert costs.estimate((0, 1, True)) == 1.0
    costs.learn((0, 1, True), 4.0, 0.5)
    costs.learn((0, 1, True), 2.0, 0.5)
    assert costs.estimate((0, 1, True)) == pytest.approx(6.0)
    assert costs.estimate((5, 6, False)) == pytest.approx(6.0)
    assert not costs.knows(0, 1)


def test_dp_reports_the_memory_limit() -> None:
    spent = Budget(Run(limits=Limits(memory_bytes=1000)))
    assert solve_by_dp(candidate_sets(random_table(14, sets=5, seed=1)), spent) is None
    assert spent.status is Status.MEMORY_LIMIT
