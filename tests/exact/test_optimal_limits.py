"""What ends an exact search early, what it refuses, and what it tells meanwhile."""

from __future__ import annotations

import itertools
import os
import signal
import threading

import numpy as np
import pytest
from tests.exact.tables import HARD_OPTIMUM, hard_table, random_table

from arcwise.data import Dataset
from arcwise.errors import DataError
from arcwise.exact import find_optimal
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable, build_parent_sets
from arcwise.progress import ProgressEvent


def some_data(seed: int = 0) -> Dataset:
    codes = np.random.default_rng(seed).integers(0, 2, size=(60, 4))
    return Dataset.from_codes(codes, states=[["no", "yes"]] * 4)


def test_the_data_of_the_table_confirm_its_score() -> None:
    data = some_data()
    table = build_parent_sets(data, "bic", progress=False)
    assert find_optimal(table, data=data).is_proved


def test_other_data_than_those_of_the_table_are_refused() -> None:
    table = build_parent_sets(some_data(), "bic", progress=False)
    with pytest.raises(DataError, match="not those the table was built from"):
        find_optimal(table, data=some_data(1))


def test_a_table_that_does_not_know_its_data_is_checked_by_its_score() -> None:
    table = build_parent_sets(some_data(), "bic", progress=False)
    anonymous = ParentSetTable(
        table.names, table.node_offsets, table.scores, table.set_offsets, table.members, score={"name": "bic"}
    )
    assert find_optimal(anonymous, data=some_data()).is_proved
    with pytest.raises(DataError, match="by the table but"):
        find_optimal(anonymous, data=some_data(1))


def test_a_table_without_a_score_cannot_be_checked() -> None:
    with pytest.raises(DataError, match="leave out data="):
        find_optimal(random_table(4, sets=3, seed=0), data=some_data())


@pytest.mark.parametrize("method", ["branch-and-bound", "ilp"])
def test_the_time_limit_holds_inside_the_solver(method: str) -> None:
    result = find_optimal(hard_table(), method=method, limits=Limits(seconds=1.5))
    assert result.status is Status.TIME_LIMIT
    assert result.score <= HARD_OPTIMUM <= result.upper_bound


def test_the_memory_limit_holds_for_open_nodes() -> None:
    result = find_optimal(hard_table(), method="branch-and-bound", limits=Limits(memory_bytes=1500))
    assert result.status is Status.MEMORY_LIMIT
    assert 0 < result.nodes < 50
    assert result.score <= HARD_OPTIMUM <= result.upper_bound


@pytest.mark.parametrize(("method", "stage"), [("branch-and-bound", "exact search"), ("ilp", "integer program")])
def test_a_signal_inside_the_solver_returns_the_incumbent(method: str, stage: str) -> None:
    timers: list[threading.Timer] = []

    def shoot_soon(event: ProgressEvent) -> None:
        if event.stage == stage and not timers:
            timers.append(threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)))
            timers[0].start()

    result = find_optimal(hard_table(), method=method, progress=shoot_soon)
    timers[0].join()
    assert result.status is Status.INTERRUPTED
    assert result.score <= HARD_OPTIMUM <= result.upper_bound
    assert result.gap > 0


def test_an_interruption_keeps_the_bound_of_the_root() -> None:
    """What the linear programs have proved until then is not thrown away."""
    bounds: list[float] = []

    def interrupt_later(event: ProgressEvent) -> None:
        if event.stage == "exact search":
            bounds.append(event.details["bound"])
            if len(bounds) == 5:
                raise KeyboardInterrupt

    result = find_optimal(hard_table(), progress=interrupt_later, method="branch-and-bound")
    assert result.status is Status.INTERRUPTED
    assert result.upper_bound == pytest.approx(bounds[-1], abs=1e-6)


def test_an_interruption_before_the_search_gives_a_network_and_a_bound() -> None:
    def interrupt(event: ProgressEvent) -> None:
        raise KeyboardInterrupt

    table = random_table(30, sets=10, seed=4)
    result = find_optimal(table, progress=interrupt)
    best = find_optimal(table)
    assert result.status is Status.INTERRUPTED
    assert result.score <= best.score + 1e-9 <= result.upper_bound + 2e-9


def full_table(n: int, largest: int) -> ParentSetTable:
    """All sets of up to `largest` parents with random scores, best of all the node after: the optimum is a chain."""
    rng = np.random.default_rng(0)
    sizes = np.concatenate([np.full(len(list(itertools.combinations(range(n - 1), k))), k) for k in range(largest + 1)])
    others = [np.array(list(itertools.combinations(range(n - 1), k)), dtype=np.int32) for k in range(1, largest + 1)]
    flat = np.concatenate([part.ravel() for part in others])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    scores, lengths, members = [], [], []
    for v in range(n):
        values = -1.0 - rng.random(sizes.size)
        values[0 if v == n - 1 else v + 1] = 0.0  # the empty set, or {v + 1}: the v-th of the single ones
        order = np.argsort(-values, kind="stable")
        long = sizes[order]
        ends = np.cumsum(long)
        index = np.arange(ends[-1]) - np.repeat(ends - long, long) + np.repeat(starts[order], long)
        scores.append(values[order])
        lengths.append(long)
        members.append(flat[index] + (flat[index] >= v))
    set_offsets = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int64)
    return ParentSetTable(
        tuple(f"X{v}" for v in range(n)),
        np.arange(n + 1, dtype=np.int64) * sizes.size,
        np.concatenate(scores),
        set_offsets,
        np.concatenate(members).astype(np.int32),
    )


@pytest.fixture(scope="module")
def large() -> ParentSetTable:
    return full_table(60, 3)


def test_two_million_sets(large: ParentSetTable) -> None:
    table = large
    assert table.n_rows > 2_000_000
    events: list[ProgressEvent] = []
    result = find_optimal(table, progress=events.append)
    assert result.is_proved
    assert result.score == 0.0
    assert len(result.dag.arcs) == 59
    assert [event.done for event in events if event.stage == "preparing"][:4] == [0, 1, 2, 3]


def test_two_million_sets_and_no_time(large: ParentSetTable) -> None:
    result = find_optimal(large, limits=Limits(seconds=0.001))
    assert result.status is Status.TIME_LIMIT
    assert result.score <= 0.0 <= result.upper_bound


def test_auto_takes_dp_for_dense_components() -> None:
    names = [f"X{v}" for v in range(19)]
    rng = np.random.default_rng(1)
    entries = []
    for v in range(19):
        pairs = itertools.combinations([u for u in range(19) if u != v], 2)
        entries.append([(-2.0, ()), *((-float(rng.random()), pair) for pair in pairs)])
    assert find_optimal(ParentSetTable.from_lists(names, entries)).method == "dp"
    assert find_optimal(random_table(19, sets=20, seed=1)).method == "branch-and-bound"


def test_many_sets_of_many_parents() -> None:
    """One variable has them all; whoever is not among its parents gains 1 by taking it as a parent."""
    n, rng = 30, np.random.default_rng(5)
    sets = np.unique(rng.random((40_000, n - 1)).argsort(axis=1) < rng.integers(8, 15, size=(40_000, 1)), axis=0)
    scores = -10 * rng.random(len(sets))
    order = np.argsort(-scores, kind="stable")
    sets, scores = sets[order], scores[order]
    members = np.nonzero(sets)[1] + 1
    others = np.tile([1.0, 0.0], n - 1)
    table = ParentSetTable(
        tuple(f"X{v}" for v in range(n)),
        np.concatenate([[0], len(sets) + 2 * np.arange(n)]).astype(np.int64),
        np.concatenate([scores, others]),
        np.concatenate([[0], np.cumsum(np.concatenate([sets.sum(axis=1), others]))]).astype(np.int64),
        np.concatenate([members, np.zeros(n - 1)]).astype(np.int32),
    )
    result = find_optimal(table, progress=False)
    assert result.is_proved
    assert result.score == pytest.approx((scores + n - 1 - sets.sum(axis=1)).max(), abs=1e-6)
