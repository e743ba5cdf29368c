"""The choice of a construction and of an order, with constructions whose states are known beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from arcwise import _core
from arcwise.credible import diagram as credible_diagram
from arcwise.credible import parts as diagram_plan
from arcwise.credible.parts import UNLIMITED, OrderSearch, build_as_planned
from arcwise.data import Dataset
from arcwise.ensemble import CredibleSet, count_credible
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets

MEMORY_LIMIT, INTERRUPTED = 2, 4  # of Status in cpp/core/monitor.hpp
SOURCES, FRONTIER = _core.credible.Construction.SOURCES, _core.credible.Construction.FRONTIER


@dataclass
class Diagram:
    """What the plan looks at of a diagram."""

    explored: int
    status: int
    layers: int = 0

    @property
    def layer_begin(self) -> NDArray[np.uint32]:
        return np.arange(self.layers + 2, dtype=np.uint32)


@dataclass
class Constructions:
    """Constructions whose states grow by e^rate per unit of slack; those of the frontier also with disorder."""

    sources: float
    frontier: float
    stop_after: int | None = None
    calls: list[tuple[Any, list[int], float, int]] = field(default_factory=list)

    def __call__(self, construction: Any, order: NDArray[np.int32], slack: float, most: int) -> Diagram:
        self.calls.append((construction, order.tolist(), slack, most))
        if self.stop_after is not None and len(self.calls) > self.stop_after:
            return Diagram(10, INTERRUPTED)
        rate = self.sources
        if construction == FRONTIER:
            disorder = np.abs(order - np.arange(len(order))).mean() / len(order)
            rate = self.frontier * (1 + disorder)
        states = math.exp(min(700.0, rate * slack))
        return Diagram(int(min(states, most)), 3 if states > most else 0, len(order))

    def plan(self, order: list[int], slack: float) -> Any:
        return build_as_planned(self, np.array(order, dtype=np.int32), slack, seed=1)  # type: ignore[arg-type]


def test_a_small_set_is_built_at_once() -> None:
    build = Constructions(1.0, 1.0)
    assert build.plan([0, 1, 2], 5.0).status == 0
    assert [call[0] for call in build.calls] == [SOURCES]


@pytest.mark.parametrize(("sources", "frontier", "best"), [(3.0, 6.0, SOURCES), (4.0, 2.0, FRONTIER)])
def test_the_construction_with_fewer_states_is_taken(sources: float, frontier: float, best: Any) -> None:
    build = Constructions(sources, frontier)
    assert build.plan(list(range(12)), 5.0).status == 0
    assert build.calls[-1][0] == best
    assert build.calls[-1][2:] == (5.0, UNLIMITED)
    assert sum(most == UNLIMITED and slack == 5.0 for _, _, slack, most in build.calls) == 1


def test_an_order_is_searched_for_and_pays() -> None:
    start = np.random.default_rng(3).permutation(20).tolist()
    build = Constructions(5.0, 2.5)
    assert build.plan(start, 5.0).status == 0
    construction, order, _, _ = build.calls[-1]
    assert construction == FRONTIER
    assert sorted(order) == list(range(20))
    distance = np.abs(np.array(order) - np.arange(20)).mean()
    assert distance < 0.5 * np.abs(np.array(start) - np.arange(20)).mean()
    again = Constructions(5.0, 2.5)
    again.plan(start, 5.0)
    assert again.calls == build.calls


def test_the_search_costs_about_as_much_as_the_diagram_itself() -> None:
    build = Constructions(5.0, 3.2)
    build.plan(list(range(20)), 5.0)
    whole = math.exp(3.2 * 5.0)
    spent = sum(
        min(math.exp(min(700.0, (5.0 if c == SOURCES else 3.2) * s)), most) for c, _, s, most in build.calls[:-1]
    )
    assert 0.05 * whole < spent < 2 * whole


@pytest.mark.parametrize("calls", [0, 3, 30, 200])
def test_an_interrupted_pilot_ends_the_plan(calls: int) -> None:
    build = Constructions(5.0, 3.2, stop_after=calls)
    assert build.plan(list(range(20)), 5.0).status == 4
    assert len(build.calls) <= calls + 1


def test_an_order_is_found_where_no_pilot_ends() -> None:
    # Even 5 % of the slack takes more states than a first pilot has, in the first order.
    start = np.random.default_rng(5).permutation(20).tolist()
    build = Constructions(90.0, 30.0)
    search = OrderSearch(build, FRONTIER, np.array(start, dtype=np.int32), 10.0, 0)  # type: ignore[arg-type]
    search.run(300_000)
    assert np.abs(search.order - np.arange(20)).mean() < 0.5 * np.abs(np.array(start) - np.arange(20)).mean()
    assert max(most for _, _, _, most in build.calls) < 100_000


def test_one_construction_without_memory_leaves_the_other() -> None:
    build = Constructions(3.0, 3.2)

    def narrow(construction: Any, order: NDArray[np.int32], slack: float, most: int) -> Diagram:
        diagram = build(construction, order, slack, most)
        return Diagram(10, MEMORY_LIMIT) if construction == FRONTIER else diagram

    planned = build_as_planned(narrow, np.arange(12, dtype=np.int32), 5.0, seed=1)  # type: ignore[arg-type]
    assert planned.status == 0
    assert build.calls[-1][0] == SOURCES


def test_an_order_is_searched_for_where_little_slack_holds_no_network() -> None:
    # A part of a cover may hold no network at all within the slack of a pilot: a diagram without layers.
    build = Constructions(90.0, 0.8)

    def empty(construction: Any, order: NDArray[np.int32], slack: float, most: int) -> Diagram:
        diagram = build(construction, order, slack, most)
        return Diagram(diagram.explored, 0, -1) if diagram.status == 0 else diagram

    search = OrderSearch(empty, FRONTIER, np.arange(12, dtype=np.int32), 10.0, 0)  # type: ignore[arg-type]
    search.run(20_000)
    assert sorted(search.order.tolist()) == list(range(12))
    assert any(order != list(range(12)) for _, order, _, _ in build.calls), "no move was tried"


def test_moves_keep_all_nodes() -> None:
    for n in (2, 3, 9, 40):
        build = Constructions(1.0, 0.5)
        search = OrderSearch(build, FRONTIER, np.arange(n, dtype=np.int32), 5.0, 0)  # type: ignore[arg-type]
        search.run(5_000)
        assert all(sorted(order) == list(range(n)) for _, order, _, _ in build.calls)
        assert build.calls[-1][1] != list(range(n)) or n == 2


def test_a_real_set_is_counted_through_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    # 14 nodes in a ring, each with either neighbour, both or none as parents.
    rng = np.random.default_rng(2)
    n = 14
    entries = [
        [
            (float(rng.normal(scale=0.4)) + 0.4 * len(s), s)
            for s in ([], [(v - 1) % n], [(v + 1) % n], [(v - 1) % n, (v + 1) % n])
        ]
        for v in range(n)
    ]
    table = ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
    expected = count_credible(table, log_slack=4.0)
    monkeypatch.setattr(credible_diagram, "LARGEST_BY_SUBSETS", 0)
    monkeypatch.setattr(diagram_plan, "FIRST_STATES", 10)
    monkeypatch.setattr(diagram_plan, "PILOT_STATES", 50)
    monkeypatch.setattr(diagram_plan, "WORTH_A_SEARCH", 10)
    found = count_credible(table, log_slack=4.0)
    assert found.count == expected.count
    np.testing.assert_allclose(found.arc_probabilities(), expected.arc_probabilities(), atol=1e-9)
    stopped = count_credible(table, log_slack=4.0, limits=Limits(seconds=1e-9))
    assert stopped.status is Status.TIME_LIMIT


def test_a_set_whose_pilots_hold_no_network_is_counted(shared: Path) -> None:
    """30 variables, 2,000 cases: the search for an order failed, with an error about sizes, on this data set."""
    kept = np.load(shared / "repro" / "repro_cover.npz")
    states = [[str(k) for k in range(arity)] for arity in kept["arities"]]
    data = Dataset.from_codes(kept["codes"], states=states)
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.log(150), max_parents=3, progress=False)
    few, many = (CredibleSet.build(table, bayes_factor=factor, progress=False) for factor in (3, 150))
    assert (few.count, many.count) == (992, 500_776)
    assert len(few.networks()) == few.count
