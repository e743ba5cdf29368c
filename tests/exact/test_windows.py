"""Windows of a network, solved apart: against brute force, and never for the worse."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.exact.tables import random_table, tables

from arcwise.base.run import Run
from arcwise.exact import optimal
from arcwise.exact.component import Budget, Incumbent, Window, order_of_rows, solve_by_dp, undecided
from arcwise.exact.optimal import _ExactSearch, find_optimal
from arcwise.exact.relaxation import Relaxation, Root, shrink
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.build import candidate_sets


def budget(count: int | None = None) -> Budget:
    return Budget(Run(limits=Limits(count=count)))


def is_acyclic(table: ParentSetTable, rows: list[int]) -> bool:
    try:
        Dag(table.names, [table.parents_of(row) for row in rows])
    except ValueError:
        return False
    return True


def best_with_the_rest(table: ParentSetTable, rows: list[int], nodes: list[int]) -> float:
    """The best score over all acyclic choices that differ only in the families of some nodes."""
    best = -math.inf
    for choice in itertools.product(*(table.rows_of(v) for v in nodes)):
        changed = list(rows)
        for v, row in zip(nodes, choice, strict=True):
            changed[v] = row
        if is_acyclic(table, changed):
            best = max(best, math.fsum(table.scores[changed].tolist()))
    return best


@given(tables(with_empty=True), st.data())
@settings(max_examples=60)
def test_a_window_holds_the_networks_that_keep_the_rest(table: ParentSetTable, data: st.DataObject) -> None:
    sets = candidate_sets(table)
    incumbent = Incumbent(sets, 0, budget())
    order = data.draw(st.permutations(range(table.n_variables)))
    assert incumbent.take(np.array(order, dtype=np.int32))
    nodes = sorted(data.draw(st.sets(st.sampled_from(range(table.n_variables)), min_size=1)))
    window = Window.around(sets, incumbent.rows, np.array(nodes, dtype=np.int64))
    found = solve_by_dp(window.sets, budget())
    assert found is not None
    rows = incumbent.rows.copy()
    rows[nodes] = window.rows[found[1]]
    assert is_acyclic(table, rows.tolist())
    assert table.scores[rows].sum() == pytest.approx(best_with_the_rest(table, incumbent.rows.tolist(), nodes))
    assert sorted(window.order.tolist()) == list(range(len(nodes)))


def test_an_order_of_rows_puts_parents_first() -> None:
    table = random_table(80, sets=12, seed=5)
    incumbent = Incumbent(candidate_sets(table), 0, budget())
    assert incumbent.begin()
    place = np.argsort(order_of_rows(incumbent.sets, incumbent.rows))
    for v, row in enumerate(incumbent.rows.tolist()):
        assert all(place[p] < place[v] for p in table.parents_of(row))


@pytest.mark.parametrize("seed", range(4))
def test_polishing_never_makes_it_worse_and_often_better(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From a bad network of 70 nodes (two words), with windows of any size, towards what the whole search proves."""
    table = random_table(70, sets=8, seed=seed, reach=6, largest=2)
    monkeypatch.setattr(optimal, "WINDOW_SHARE", 1.0)
    sets = candidate_sets(table)
    incumbent = Incumbent(sets, seed, budget())
    assert incumbent.begin()
    before = incumbent.score
    relaxation = Relaxation(sets, before, budget())
    for _ in range(5):
        solution = relaxation.solve(-math.inf)
        relaxation.separate(solution, effort=1)
    assert undecided(sets, incumbent.rows, solution).size > 1
    search = _ExactSearch("auto", Budget(Run(seed)))
    assert search._polish(incumbent, solution) == (incumbent.score > before)
    assert incumbent.score > before
    assert search.counts["windows"] >= 1
    assert is_acyclic(table, incumbent.rows.tolist())
    assert incumbent.score == pytest.approx(table.scores[incumbent.rows].sum())
    assert incumbent.score <= find_optimal(table, progress=False).score + 1e-7


@pytest.mark.parametrize("seed", range(3))
def test_a_search_with_windows_finds_the_optimum_and_obeys(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(14, sets=14, seed=seed)
    names = table.names
    rules = Constraints(names, required=[], forbidden=[(names[0], v) for v in names[1:6]])
    expected = find_optimal(table, method="dp", constraints=rules, progress=False)
    monkeypatch.setattr(optimal, "WINDOW_SHARE", 1.0)
    monkeypatch.setattr("arcwise.exact.relaxation.FEW_NODES", 0)
    monkeypatch.setattr("arcwise.exact.relaxation.MEAN_OPEN", 0.0)
    monkeypatch.setattr("arcwise.exact.relaxation.POLISH_AFTER", 0)
    found = [
        find_optimal(table, method="branch-and-bound", constraints=rules, progress=False, seed=1) for _ in range(2)
    ]
    assert found[0].score == pytest.approx(expected.score, abs=1e-7)
    assert found[0].is_proved
    assert not rules.violations(found[0].dag)
    assert (found[0].dag, found[0].nodes, found[0].statistics) == (found[1].dag, found[1].nodes, found[1].statistics)


def test_a_budget_aside_ends_with_the_whole_and_counts_for_it() -> None:
    whole = budget(count=5)
    whole.nodes = 2
    with whole.aside(10) as part:
        part.nodes = 2
        assert not part.exhausted()
        part.nodes = 3
        assert part.exhausted()
        assert part.status is Status.COUNT_LIMIT
    assert whole.nodes == 5
    with budget().aside(1) as part:
        assert not part.exhausted()
    stopped = budget()
    with stopped.aside(4) as part:
        stopped.stop(Status.INTERRUPTED)
        assert part.exhausted()
        assert part.status is Status.INTERRUPTED


def test_ctrl_c_in_a_budget_aside_is_for_the_whole() -> None:
    """It may come as an exception of somebody's handler, which the smaller problem catches; a limit is its own."""
    whole = budget()
    with whole.aside(4) as part:
        part.stop(Status.COUNT_LIMIT)
    assert not whole.exhausted()
    with whole.aside(4) as part:
        part.stop(Status.INTERRUPTED)
    assert whole.status is Status.INTERRUPTED


def test_ctrl_c_in_a_window_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(70, sets=8, seed=0, reach=6, largest=2)
    monkeypatch.setattr(optimal, "WINDOW_SHARE", 1.0)
    incumbent = Incumbent(candidate_sets(table), 0, budget())
    assert incumbent.begin()
    before = incumbent.score
    solution = Relaxation(incumbent.sets, before, budget()).solve(-math.inf)

    def press(*_: object) -> None:
        raise KeyboardInterrupt

    for name in ("_by_dp", "_by_branch_and_bound"):
        monkeypatch.setattr(_ExactSearch, name, press)
    search = _ExactSearch("auto", Budget(Run()))
    search._polish(incumbent, solution)
    assert search.budget.status is Status.INTERRUPTED
    assert search.counts["windows"] == 1  # no other is opened
    assert incumbent.score >= before


@pytest.mark.parametrize("seed", range(5))
def test_fewer_sets_keep_those_of_the_incumbent(seed: int) -> None:
    """Cuts that leave one of several best networks give its sets no reduced cost, and may those of the incumbent."""
    sets = candidate_sets(random_table(9, sets=12, seed=seed))
    incumbent = Incumbent(sets, seed, budget())
    assert incumbent.begin()
    root = Root(sets, Relaxation(sets, incumbent.score, budget()), incumbent, math.inf)
    origins = sets.origins[incumbent.rows].tolist()
    shrink(root, np.arange(sets.rows) == sets.offsets[0])
    assert root.incumbent.score == incumbent.score
    assert root.sets.origins[root.incumbent.rows].tolist() == origins
