"""Every DAG over up to five nodes, one by one, and what a posterior over them says of each feature."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from arcwise.parent_sets import ParentSetTable


@cache
def parent_masks(n: int) -> NDArray[np.int64]:
    """The parent masks of all DAGs with n nodes, one row per DAG."""
    found: set[tuple[int, ...]] = set()
    for order in itertools.permutations(range(n)):
        before = [sum(1 << u for u in order[: order.index(v)]) for v in range(n)]
        found.update(itertools.product(*[[m for m in range(1 << n) if m & ~before[v] == 0] for v in range(n)]))
    return np.array(sorted(found))


def members(mask: int) -> tuple[int, ...]:
    return tuple(i for i in range(mask.bit_length()) if mask >> i & 1)


@cache
def adjacency(n: int) -> NDArray[np.bool_]:
    """At [d, p, c]: DAG d has the arc p -> c."""
    masks = parent_masks(n)
    return (masks[:, None, :] >> np.arange(n)[None, :, None] & 1).astype(bool)


@cache
def reachability(n: int) -> NDArray[np.bool_]:
    """At [d, p, c]: DAG d has a directed path from p to c."""
    reach = adjacency(n)
    for _ in range(n):
        reach = reach | (reach.astype(int) @ adjacency(n).astype(int) > 0)
    return reach


@cache
def blankets(n: int) -> NDArray[np.bool_]:
    """At [d, a, b]: a parent, a child, or another parent of a child."""
    arcs = adjacency(n).astype(int)
    spouses = arcs @ arcs.transpose(0, 2, 1) > 0
    spouses[:, range(n), range(n)] = False
    return adjacency(n) | adjacency(n).transpose(0, 2, 1) | spouses


@dataclass(frozen=True)
class BrutePosterior:
    """The log of the sum over all DAGs, and the probability of each row, arc, path and pair in a blanket."""

    scores: NDArray[np.float64]
    log_total: float
    shares: NDArray[np.float64]
    arcs: NDArray[np.float64]
    ancestors: NDArray[np.float64]
    blankets: NDArray[np.float64]

    def mass_within(self, slack: float) -> float:
        kept = self.scores[self.scores >= self.scores.max() - slack - 1e-9]
        return float(np.exp(kept - self.log_total).sum())


def posterior(table: ParentSetTable) -> BrutePosterior:
    """Weigh every DAG whose families are all in the table."""
    n = table.n_variables
    masks = parent_masks(n)
    rows = np.full((n, 1 << n), -1)
    for v in range(n):
        for row in table.rows_of(v):
            rows[v, sum(1 << p for p in table.parents_of(row))] = row
    chosen = np.stack([rows[v][masks[:, v]] for v in range(n)], axis=1)
    scores = np.where((chosen >= 0).all(axis=1), table.scores[chosen].sum(axis=1), -math.inf)
    weights = np.exp(scores - scores.max())
    log_total = float(scores.max() + math.log(weights.sum()))
    weights = weights / weights.sum()
    shares = np.zeros(table.n_rows)
    for v in range(n):
        np.add.at(shares, chosen[:, v], weights)
    mean = lambda features: np.tensordot(weights, features, axes=1)  # noqa: E731
    return BrutePosterior(scores, log_total, shares, mean(adjacency(n)), mean(reachability(n)), mean(blankets(n)))
