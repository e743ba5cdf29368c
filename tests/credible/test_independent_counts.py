"""Counts that differ from Liao's printed ones, found again by a method that shares nothing with the library.

Scores come from log-gamma functions of counts made here, for every parent set without any pruning. Networks are counted
by inclusion and exclusion over sets of sinks (Robinson 1973) instead of in a canonical order: a network with sinks K is
counted for every non-empty subset S of K with the sign (-1)^(|S| + 1), once in all. Losses are carried along, and what
cannot end within the limit (by the best score of the rest) is left out, which leaves the sums as they are.
"""

from __future__ import annotations

import gzip
import math
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import gammaln

from arcwise.data import Dataset
from arcwise.datasets import load
from arcwise.ensemble import count_credible
from arcwise.parent_sets import build_parent_sets

Floats = NDArray[np.float64]


def bdeu_of_all_sets(codes: NDArray[np.int64], ess: float) -> Floats:
    """g(T) for every set T of columns: log of the marginal likelihood of the saturated model, with |T| cells."""
    rows, weights = np.unique(codes, axis=0, return_counts=True)
    arities = rows.max(axis=0) + 1
    n = codes.shape[1]
    masks = np.arange(2**n)
    bits = (masks[:, None] >> np.arange(n) & 1).astype(np.int64)
    strides = np.concatenate([[1], np.cumprod(arities)[:-1]])
    values = np.zeros(2**n)
    for chunk in np.array_split(masks, math.ceil(2**n * len(rows) / 2e6)):
        keys = bits[chunk] @ (rows * strides).T
        order = np.argsort(keys, axis=1)
        keys = np.take_along_axis(keys, order, axis=1)
        first = np.ones(keys.shape, dtype=bool)
        first[:, 1:] = keys[:, 1:] != keys[:, :-1]
        counts = np.add.reduceat(weights[order].ravel(), np.flatnonzero(first))
        alpha = np.repeat(ess / np.prod(np.where(bits[chunk] == 1, arities, 1), axis=1), first.sum(axis=1))
        ends = np.cumsum(first.sum(axis=1)) - first.sum(axis=1)
        values[chunk] = np.add.reduceat(gammaln(counts + alpha) - gammaln(alpha), ends)
    return values


def family_scores(sets: Floats, n: int) -> Floats:
    """s[v, P] of every family; -inf where v is in P."""
    masks = np.arange(2**n)
    return np.array([np.where(masks >> v & 1, -np.inf, sets[masks | 1 << v] - sets[masks]) for v in range(n)])


def count_by_inclusion_and_exclusion(scores: Floats, slack: float, tolerance: float) -> tuple[float, int]:
    n = len(scores)
    everything = 2**n - 1
    masks = np.arange(2**n)
    best_parents = scores.copy()  # of v among the nodes of a set
    for bit in range(n):
        upper = masks[masks >> bit & 1 == 1]
        best_parents[:, upper] = np.maximum(best_parents[:, upper], best_parents[:, upper ^ 1 << bit])
    best = np.full(2**n, -np.inf)
    best[0] = 0.0
    sizes = np.array([int(m).bit_count() for m in masks])
    for size in range(1, n + 1):
        layer = masks[sizes == size]
        for v in range(n):
            own = layer[layer >> v & 1 == 1]
            rest = own ^ 1 << v
            best[own] = np.maximum(best[own], best[rest] + best_parents[v, rest])
    optimum = float(best[everything])
    limit = optimum - slack - tolerance
    # By node: the parent sets in falling order of score.
    order = [np.argsort(-scores[v], kind="stable")[: 2 ** (n - 1)] for v in range(n)]
    falling = [-scores[v, order[v]] for v in range(n)]
    pending: dict[int, list[tuple[Floats, NDArray[np.int64]]]] = defaultdict(list)
    pending[everything] = [(np.zeros(1), np.ones(1, dtype=np.int64))]
    for left in sorted(range(1, everything + 1), key=lambda m: -m.bit_count()):
        if left not in pending:
            continue
        spent, ways = merge(pending.pop(left))
        nodes = [v for v in range(n) if left >> v & 1]
        stack = [(v,) for v in nodes]
        while stack:
            sinks = stack.pop()
            rest = left & ~sum(1 << v for v in sinks)
            room = spent[-1] + best[rest] - limit
            if room + sum(best_parents[v, rest] for v in sinks) < 0:
                continue  # nor does any larger set fit: its nodes could as well be removed one after the other
            stack.extend((*sinks, v) for v in nodes if v > sinks[-1])
            sums = np.zeros(1)  # of the scores of the sinks' families
            for place, v in enumerate(sinks):
                others = sum(best_parents[u, rest] for u in sinks[place + 1 :])
                ranked = order[v][: np.searchsorted(falling[v], room + sums.max() + others, side="right")]
                own = scores[v, ranked[ranked & ~rest == 0]]
                sums = (sums[:, None] + own[None, :]).ravel()
                sums = sums[room + sums + others >= 0]
            totals = (spent[:, None] + sums[None, :]).ravel()
            signed = np.repeat(ways, len(sums)) * (1 if len(sinks) % 2 else -1)
            fits = totals + best[rest] >= limit
            pending[rest].append((totals[fits], signed[fits]))
    _, ways = merge(pending[0])
    return optimum, int(ways.sum())


def merge(parts: list[tuple[Floats, NDArray[np.int64]]]) -> tuple[Floats, NDArray[np.int64]]:
    """Join entries with the same score, ascending; those whose ways cancel vanish."""
    values = np.concatenate([value for value, _ in parts])
    ways = np.concatenate([way for _, way in parts])
    order = np.argsort(values)
    values, ways = values[order], ways[order]
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf) > 1e-9)
    sums = np.add.reduceat(ways, starts)
    return (values[starts][sums != 0], sums[sums != 0]) if (sums != 0).any() else (values[:1], sums[:1])


def columns_of(path: Path) -> NDArray[np.int64]:
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, delimiter=",", skiprows=1, dtype=str)
    return np.column_stack([np.unique(column, return_inverse=True)[1] for column in table.T]).astype(np.int64)


@pytest.mark.parametrize(
    ("name", "optimum", "networks"),
    [
        ("tic-tac-toe", -9423.068333, 152),  # as printed: the method counts what the thesis counts
        ("adult", None, 51),  # printed 792
        ("zoo", -565.761505, 145_838),  # printed 29,073
    ],
)
def test_bdeu_counts_without_pruning_and_without_a_diagram(
    request: pytest.FixtureRequest, name: str, optimum: float | None, networks: int
) -> None:
    if name == "tic-tac-toe":
        codes = np.column_stack(load(name).codes)
    else:
        codes = columns_of(request.getfixturevalue("shared") / f"data/liao2019/{name}.csv.gz")
    scores = family_scores(bdeu_of_all_sets(codes, 1.0), codes.shape[1])
    found, count = count_by_inclusion_and_exclusion(scores, math.log(20), 1e-8)
    assert count == networks
    if optimum is not None:
        assert found == pytest.approx(optimum, abs=1e-6)
    states = [[str(k) for k in range(column.max() + 1)] for column in codes.T]
    data = Dataset.from_codes(codes, states=states)
    summary = count_credible(build_parent_sets(data, "bdeu:ess=1", slack=math.log(20)), bayes_factor=20)
    assert summary.count == count
    assert summary.opt == pytest.approx(found, abs=1e-6)
