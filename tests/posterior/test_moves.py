"""The moves of chains: native against twin, and each against all DAGs one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2
from tests.oracles import all_dags
from tests.posterior.chain_tables import random_table
from tests.twins.chain import TwinChain

from arcwise import _core
from arcwise.parent_sets import ParentSetTable
from arcwise.posterior.settings import MIXTURE, MOVES
from arcwise.posterior.walk import block_weights

NOWHERE = np.empty(0, dtype=np.uint32)


def mixture_of(move: str) -> tuple[float, ...]:
    """Four fifths of one move, and the toggles that alone reach everything."""
    return tuple(0.2 * (name == "toggle") + 0.8 * (name == move) for name in MOVES)


def make_run(
    table: ParentSetTable,
    mixture: tuple[float, ...] = MIXTURE,
    *,
    window: float = 10.0,
    steps: int = 5,
    heats: tuple[float, ...] = (1.0,),
    seeds: tuple[int, ...] = (1, 2),
) -> _core.posterior.ChainRun:
    empty = [[table.parents_of(row) for row in table.rows_of(v)].index(()) for v in range(table.n_variables)]
    return _core.posterior.ChainRun(
        table.native,
        _core.posterior.ChainOptions(
            **block_weights(table),
            mixture=np.array(mixture, dtype=float),
            window=window,
            thin=steps,
            heats=np.array(heats),
        ),
        np.array(seeds, dtype=np.uint64),
        np.array(empty * len(seeds), dtype=np.uint32),
    )


def draw(run: _core.posterior.ChainRun, count: int, n: int, chains: int = 2, threads: int = 1) -> np.ndarray:
    status, done, rows, _ = run.advance(count, NOWHERE, 0.0, threads, math.inf, None)
    assert status == 0
    assert (done == count).all()
    return rows.reshape(chains, count, n)


@settings(max_examples=60)
@given(
    n=st.integers(1, 6),
    seed=st.integers(0, 2**32 - 1),
    scale=st.sampled_from([0.0, 1.0, 8.0, 700.0]),
    gaps=st.sampled_from([0.0, 0.5]),
    mixture=st.sampled_from([MIXTURE, *(mixture_of(move) for move in MOVES[2:])]),
    window=st.sampled_from([0.5, 10.0]),
    heats=st.sampled_from([(1.0,), (1.0, 0.6, 0.2)]),
)
def test_native_chain_draws_what_its_twin_draws(
    n: int,
    seed: int,
    scale: float,
    gaps: float,
    mixture: tuple[float, ...],
    window: float,
    heats: tuple[float, ...],
) -> None:
    table = random_table(n, seed, scale, gaps)
    run = make_run(table, mixture, window=window, heats=heats, seeds=(seed,))
    start = run.positions()[:n].tolist()
    twin = TwinChain(table, mixture=mixture, window=window, steps=5, heats=heats, seed=seed, start=start)
    targets = np.array([start] * 12, dtype=np.uint32)
    least = float(np.median([table.scores[table.rows_of(v).start] for v in range(n)])) * n - 2 * scale
    _, _, rows, scores = run.advance(12, targets.reshape(-1), least, 1, math.inf, None)
    for native, score in zip(rows.reshape(12, n).tolist(), scores.tolist(), strict=True):
        assert twin.advance(start, least) == (native, score)


# With each move the toggles that alone reach everything; on their own they are the first.
@pytest.mark.parametrize(
    "mixture",
    [*map(mixture_of, MOVES), MIXTURE],
    ids=(*MOVES, "all"),
)
def test_each_move_leaves_the_posterior_as_it_is(mixture: tuple[float, ...]) -> None:
    table = random_table(4, 5)
    draws = draw(make_run(table, mixture, window=1.0, steps=25), 20_000, 4)  # many rows are beyond the window
    counts: dict[tuple[int, ...], int] = {}
    for row in draws.reshape(-1, 4)[::4].tolist():  # every fourth: next to independent
        counts[tuple(row)] = counts.get(tuple(row), 0) + 1
    known = [{table.parents_of(row): i for i, row in enumerate(table.rows_of(v))} for v in range(4)]
    networks = [
        [known[v][all_dags.members(mask)] for v, mask in enumerate(own)] for own in all_dags.parent_masks(4).tolist()
    ]
    truth = all_dags.posterior(table)
    expected = {tuple(own): float(w) for own, w in zip(networks, np.exp(truth.scores - truth.log_total), strict=True)}
    total, statistic, cells, rest = sum(counts.values()), 0.0, 0, [0.0, 0.0]
    for rows, weight in expected.items():
        if weight * total >= 10:
            statistic += (counts.get(rows, 0) - weight * total) ** 2 / (weight * total)
            cells += 1
        else:
            rest = [rest[0] + counts.get(rows, 0), rest[1] + weight * total]
    statistic += (rest[0] - rest[1]) ** 2 / max(rest[1], 1.0)
    assert set(counts) <= set(expected)
    assert statistic < chi2.ppf(1 - 1e-4, cells)


def test_replicas_at_other_heats_leave_the_posterior_as_it_is() -> None:
    table = random_table(4, 9)
    arcs = all_dags.posterior(table).arcs
    draws = draw(make_run(table, steps=10, heats=(1.0, 0.5, 0.2)), 20_000, 4).reshape(-1, 4)
    found = np.zeros((4, 4))
    for v in range(4):
        for local, count in enumerate(np.bincount(draws[:, v])):
            for parent in table.parents_of(int(table.node_offsets[v]) + local):
                found[parent, v] += count / len(draws)
    assert np.abs(found - arcs).max() < 0.02


def test_draws_depend_neither_on_threads_nor_on_how_they_are_divided() -> None:
    table = random_table(6, 1)
    whole = draw(make_run(table, seeds=(1, 2, 3)), 60, 6, chains=3)
    other = make_run(table, seeds=(1, 2, 3))
    parts = [draw(other, count, 6, chains=3, threads=3) for count in (7, 53)]
    assert np.array_equal(whole, np.concatenate(parts, axis=1))


def test_a_chain_goes_on_from_its_position_and_random_numbers() -> None:
    table = random_table(6, 1)
    run = make_run(table, heats=(1.0, 0.5))
    draw(run, 10, 6)
    positions, states = run.positions(), run.random_states()
    ahead = draw(run, 20, 6)
    fresh = make_run(table, heats=(1.0, 0.5), seeds=(8, 9))
    fresh.restore(positions, states)
    assert np.array_equal(draw(fresh, 20, 6), ahead)
