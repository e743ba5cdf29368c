"""Profiles of rows: expectation maximization against its formulas written out, and what rows were drawn from."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.graph import Dag
from arcwise.model import ESTIMATORS, fit_parameters
from arcwise.model.fitting import FamilyCounts, backoff_prior
from arcwise.model.profiles import KINDS, SPREAD, STEPS, find_profiles

PARENTS = ((), (0,), (0, 1))
SIZES = (2, 3, 2)


def rows_of(seed: int, rows: int) -> NDArray[np.int64]:
    rng = np.random.default_rng(seed)
    kind = rng.random(rows) < 0.4
    a = rng.random(rows) < np.where(kind, 0.9, 0.2)
    b = np.where(kind, rng.integers(0, 3, rows), np.where(rng.random(rows) < 0.8, 0, 2))
    c = rng.random(rows) < np.where(kind, 0.1, 0.2 + 0.6 * a)
    return np.stack([a, b, c], axis=1).astype(np.int64)


def twin(
    data: Dataset, tables: list[NDArray[np.float64]], count: int, strength: float, seed: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Expectation maximization row by row, over all cells."""
    data = data.collapse()
    members = np.random.default_rng(seed).dirichlet(np.full(count, SPREAD), size=data.n_rows)
    weights = data.times
    for step in range(STEPS):
        counts = [np.repeat(strength * table[None], count, axis=0) for table in tables]
        for i, row in enumerate(data.codes.T):
            for v, place in places_of(data, i):
                counts[v][:, place, row[v]] += weights[i] * members[i]
        rows = weights @ members
        shares = (rows + KINDS) / (rows.sum() + KINDS * count)
        if step + 1 == STEPS:
            break
        for i, row in enumerate(data.codes.T):
            chances = shares.copy()
            for v, place in places_of(data, i):
                chances *= counts[v][:, place, row[v]] / counts[v][:, place].sum(axis=1)
            members[i] = chances / chances.sum()
    return shares, counts


def places_of(data: Dataset, i: int) -> list[tuple[int, int]]:
    """Return the parent configuration of each variable that was not set in the row."""
    targets = data.targets
    isset = () if targets is None else targets.sets[targets.of_row[i]]
    found = []
    for v, own in enumerate(PARENTS):
        place = 0
        for u in own:
            place = place * SIZES[u] + int(data.codes[u, i])
        if data.names[v] not in isset:
            found.append((v, place))
    return found


def tables_of(data: Dataset) -> list[NDArray[np.float64]]:
    dag = Dag.from_arcs(
        list(data.names), [(data.names[u], data.names[v]) for v, own in enumerate(PARENTS) for u in own]
    )
    return [np.asarray(t) for t in fit_parameters(dag, data, estimator="laplace", progress=False).tables]


@pytest.mark.parametrize("experiment", [False, True])
def test_expectation_maximization_is_that_of_its_formulas(experiment: bool) -> None:
    data = Dataset.from_codes(rows_of(1, 150), names=["a", "b", "c"], states=[["0", "1"], ["0", "1", "2"], ["0", "1"]])
    if experiment:
        data = data.with_targets([["c"] if row % 3 == 0 else ["a"] if row % 7 == 0 else None for row in range(150)])
    tables = tables_of(data)
    found = find_profiles(PARENTS, data, tables, 3, 5.0, rng=np.random.default_rng(1))
    shares, counts = twin(data, tables, 3, 5.0, 1)
    assert found.shares == pytest.approx(shares, abs=1e-3)
    for own, expected in zip(found.counts, counts, strict=True):
        assert own == pytest.approx(expected, abs=0.05)


def test_rows_of_two_kinds_are_described_by_two_profiles() -> None:
    rng = np.random.default_rng(5)
    kinds = np.array([0.9] * 4 + [0.1] * 4), np.array([0.1] * 4 + [0.9] * 4)

    def draw(rows: int) -> NDArray[np.int64]:
        return (rng.random((rows, 8)) < np.array(kinds)[rng.integers(0, 2, rows)]).astype(np.int64)

    learned, fresh = draw(1000), draw(1000)
    data = Dataset.from_codes(learned, states=[["0", "1"]] * 8)
    tables = [np.array([[1 - p, p]]) for p in learned.mean(axis=0)]
    found = find_profiles([()] * 8, data, tables, 2, 5.0, rng=np.random.default_rng(1))
    assert sorted(found.shares) == pytest.approx([0.5, 0.5], abs=0.06)
    ones = np.array([own[:, 0, 1] / own[:, 0].sum(axis=1) for own in found.counts]).T
    order = np.argsort(-ones[:, 0])
    assert ones[order] == pytest.approx(np.array(kinds), abs=0.06)
    chances = [math.log(0.5) + np.log(np.where(fresh == 1, p, 1 - p)).sum(axis=1) for p in (*kinds, *ones[order])]
    truth, ours = np.logaddexp(*chances[:2]).mean(), np.logaddexp(*chances[2:]).mean()
    one = np.log(np.where(fresh == 1, learned.mean(axis=0), 1 - learned.mean(axis=0))).sum(axis=1).mean()
    assert truth - ours < 0.02 < 1 < ours - one


@pytest.mark.parametrize("sizes", [(), (2,), (3, 2), (2, 3, 2)])
def test_backoff_draws_each_row_towards_that_of_one_parent_fewer(sizes: tuple[int, ...]) -> None:
    rng = np.random.default_rng(len(sizes))
    table = rng.integers(0, 9, (*sizes, 3)).astype(np.float64)
    ess = 4.0

    def entropy(kept: tuple[int, ...]) -> float:
        total = 0.0
        for place in itertools.product(*(range(sizes[p]) for p in kept)):
            row = rows_at(kept, place)
            total -= sum(n * math.log(n / row.sum()) for n in row if n)
        return total

    def rows_at(kept: tuple[int, ...], place: tuple[int, ...]) -> NDArray[np.float64]:
        return np.sum(
            [
                table[cell]
                for cell in itertools.product(*map(range, sizes))
                if all(cell[p] == s for p, s in zip(kept, place, strict=True))
            ],
            axis=0,
        )

    order = sorted(range(len(sizes)), key=lambda p: entropy((p,)))

    def chance(place: tuple[int, ...], level: int) -> NDArray[np.float64]:
        kept = tuple(order[:level])
        seen = rows_at(kept, tuple(place[p] for p in kept))
        drawn = ess * chance(place, level - 1) if level else np.full(3, 0.5)
        return np.asarray((seen + drawn) / (seen.sum() + drawn.sum()))

    places = list(itertools.product(*map(range, sizes)))
    expected = np.array([chance(place, len(sizes)) for place in places])
    family = FamilyCounts("x", tuple("abc"[: len(sizes)]), table.reshape(-1, 3), sizes)
    assert ESTIMATORS["backoff"].table(family, ess=ess) == pytest.approx(expected)
    if sizes:
        prior = backoff_prior(table.reshape(-1, 3), sizes, ess)
        assert prior == pytest.approx(ess * np.array([chance(place, len(sizes) - 1) for place in places]))
