"""Where chains begin: at four kinds of places."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.ensemble.chains.chain_tables import random_table

from arcwise import datasets
from arcwise.ensemble import find_posterior
from arcwise.ensemble.chains.starts import starting_networks
from arcwise.exact import find_optimal
from arcwise.graph import Constraints, Dag
from arcwise.parent_sets import ParentSetTable, build_parent_sets


def network(table: ParentSetTable, rows: np.ndarray) -> list[tuple[int, ...]]:
    return [table.parents_of(int(row)) for row in table.node_offsets[:-1] + rows]


def test_chains_begin_at_the_best_a_local_a_resampled_and_the_empty_network() -> None:
    table = random_table(6, 3, scale=5.0)
    resampled = Dag.from_arcs(table.names, [("v0", "v1"), ("v1", "v2"), ("v0", "v5")])
    starts = starting_networks(table, 8, 1, resampled=(resampled,))
    scores = [float(table.scores[table.node_offsets[:-1] + rows].sum()) for rows in starts.astype(np.int64)]
    assert scores[0] == max(scores)
    assert math.isclose(scores[0], find_optimal(table).score, rel_tol=1e-9)
    for empty in (3, 7):
        assert network(table, starts[empty]) == [()] * 6
    for parents, allowed in zip(network(table, starts[2]), resampled.parent_masks, strict=True):
        assert all(allowed >> parent & 1 for parent in parents)
    assert len({tuple(rows) for rows in starts.tolist()}) >= 2
    assert np.array_equal(starts, starting_networks(table, 8, 1, resampled=(resampled,)))


def test_searches_of_a_large_table_look_at_its_best_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = random_table(6, 3, scale=5.0)
    monkeypatch.setattr("arcwise.ensemble.chains.starts.MOST_SEARCHED", 8)
    starts = starting_networks(table, 2, 1)
    for rows in starts:
        parents = network(table, rows)
        assert max(rows) < 8 or any(len(own) <= 1 for own in parents)
        Dag.from_arcs(table.names, [(f"v{p}", f"v{v}") for v, own in enumerate(parents) for p in own])  # acyclic
    assert network(table, starting_networks(table, 4, 1)[3]) == [()] * 6


def test_chains_that_must_have_arcs_begin_with_them() -> None:
    data = datasets.load("balance-scale")
    rules = Constraints(data.names, required=[("class", "left-weight")])
    table = build_parent_sets(data, "bdeu:ess=1", slack=math.inf, constraints=rules).filter(rules)
    for rows in starting_networks(table, 4, 1, resampled=(Dag.from_arcs(data.names, []),)):
        assert data.names.index("class") in network(table, rows)[data.names.index("left-weight")]


def test_a_posterior_of_data_begins_one_chain_at_a_network_of_resampled_data(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    known = starting_networks

    def noted(table, chains, seed, deadline, resampled):  # type: ignore[no-untyped-def]
        seen.append(len(resampled))
        return known(table, chains, seed, deadline, resampled)

    monkeypatch.setattr("arcwise.ensemble.chains.sampling.starting_networks", noted)
    find_posterior(datasets.load("balance-scale"), "bdeu:ess=1", way="chains", seed=1, most_draws=200)
    assert seen == [1]
