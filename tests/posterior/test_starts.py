"""Where chains begin: at four kinds of places."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.posterior.chain_tables import random_table

from arcwise import datasets
from arcwise.base.run import Run
from arcwise.ensemble import find_posterior
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.posterior.walk import _local_optima, left_out, slack_for, starting_networks


def network(table: ParentSetTable, rows: np.ndarray) -> list[tuple[int, ...]]:
    return [table.parents_of(int(row)) for row in table.node_offsets[:-1] + rows]


def test_chains_begin_at_the_best_a_local_a_resampled_and_the_empty_network() -> None:
    table = random_table(12, 1, scale=5.0)  # large enough for searches to end at different optima
    resampled = Dag.from_arcs(table.names, [("v0", "v1"), ("v1", "v2"), ("v0", "v5")])
    starts = starting_networks(table, 8, 1, resampled=(resampled,))
    scores = [float(table.scores[table.node_offsets[:-1] + rows].sum()) for rows in starts.astype(np.int64)]
    assert scores[0] == max(scores)
    assert math.isclose(scores[0], find_optimal(table).score, rel_tol=1e-9)
    for empty in (3, 7):
        assert network(table, starts[empty]) == [()] * 12
    for v, (parents, allowed) in enumerate(zip(network(table, starts[2]), resampled.parent_masks, strict=True)):
        within = [row for row in table.rows_of(v) if all(allowed >> p & 1 for p in table.parents_of(row))]
        assert parents == table.parents_of(max(within, key=lambda row: table.scores[row]))
    assert any(network(table, starts[2]))
    # All four kinds are different networks, and so are the ends of two searches.
    assert len({tuple(starts[chain]) for chain in (0, 5, 2, 3)}) == 4
    assert scores[5] < scores[1]
    assert np.array_equal(starts, starting_networks(table, 8, 1, resampled=(resampled,)))


def test_searches_of_a_large_table_look_at_its_best_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(6, 3, scale=5.0)
    monkeypatch.setattr("arcwise.posterior.walk.MOST_SEARCHED", 8)
    starts = starting_networks(table, 2, 1)
    for rows in starts:
        parents = network(table, rows)
        assert all(row < 8 or len(own) <= 1 for row, own in zip(rows, parents, strict=True))
        Dag.from_arcs(table.names, [(f"v{p}", f"v{v}") for v, own in enumerate(parents) for p in own])  # acyclic
    assert network(table, starting_networks(table, 4, 1)[3]) == [()] * 6


def test_chains_that_must_have_arcs_begin_with_them() -> None:
    data = datasets.load("balance-scale")
    rules = Constraints(data.names, required=[("class", "left-weight")])
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, constraints=rules).filter(rules)
    for rows in starting_networks(table, 4, 1, resampled=(Dag.from_arcs(data.names, []),)):
        assert data.names.index("class") in network(table, rows)[data.names.index("left-weight")]


class MissingSearch:
    """A search over orders that ends where a variable has no parent set left, and notes how long it was to take."""

    def __init__(self) -> None:
        self.iterations: list[int] = []

    def iterate(self, order: Any, most: int, patience: int, *_: Any) -> Any:
        self.iterations.append(most)
        assert patience > most  # nothing but the number of iterations ends it
        return (0.0, np.zeros(len(order), dtype=np.int64), 0, 1), 0


def test_a_search_that_ends_at_no_network_is_no_start() -> None:
    search = MissingSearch()
    for variables in (5, 40, 80, 2000):
        assert _local_optima(search, variables, 1, 1, Run()) == [None]
    assert search.iterations == [300, 300, 75, 1]


def test_required_parents_are_found_however_low_their_rows_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two parents are required whose set alone is the worst of all that hold them, and all others close a cycle."""
    monkeypatch.setattr("arcwise.posterior.walk.MOST_SEARCHED", 1)
    names = ["v0", "v1", "v2", "v3", "v4"]
    entries = [
        [(0.0, (3, 4)), (-1.0, (3,)), (-9.0, ())],
        [(0.0, ())],
        [(0.0, (0, 1, 3, 4)), (-1.0, (0, 1, 3)), (-2.0, (0, 1, 4)), (-9.0, (0, 1))],
        [(0.0, (2,))],
        [(0.0, (2,))],
    ]
    starts = starting_networks(ParentSetTable.from_lists(names, entries, slack=math.inf), 2, 1)
    assert network(ParentSetTable.from_lists(names, entries, slack=math.inf), starts[0])[2] == (0, 1)


def test_a_posterior_of_data_begins_one_chain_at_a_network_of_resampled_data(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    known = starting_networks

    def noted(table, chains, seed, run, resampled):  # type: ignore[no-untyped-def]
        seen.append(len(resampled))
        return known(table, chains, seed, run, resampled)

    monkeypatch.setattr("arcwise.posterior.walk.starting_networks", noted)
    find_posterior(datasets.load("balance-scale"), "bdeu:ess=1", way="chains", seed=1, most_draws=200)
    assert seen == [1]


def test_more_parent_sets_than_the_largest_number_are_bounded_all_the_same() -> None:
    assert slack_for(1100, None) == pytest.approx(math.log(1100) + 1099 * math.log(2) + math.log(1000))
    names = tuple(f"v{v}" for v in range(1100))
    sets = np.zeros(1101, dtype=np.int64)
    empty = ParentSetTable(names, np.arange(1101), np.zeros(1100), sets, np.empty(0, np.int32))
    for slack, share in ((slack_for(1100, None), 1e-3), (10.0, 1.0)):
        assert left_out(replace(empty, slack=slack), 1100) == pytest.approx(share)
