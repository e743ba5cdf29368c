"""The sums over all DAGs in plain Python: what the native program is compared with. For up to six variables or so."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.parent_sets import ParentSetTable

__all__ = ["DagTables", "TwinSums", "dag_sums_twin"]

# Losses are compared in units of 2^-16 bits, rounded down, as in the native program.
UNITS = math.log2(math.e) * 2**16


@dataclass(frozen=True)
class TwinSums:
    """The log of the sum, the share of every row, the matrix of ancestors, and the number of terms."""

    log_total: float
    shares: NDArray[np.float64]
    ancestors: NDArray[np.float64]
    terms: int


class DagTables:
    """alpha_v(X), and the best DAG over and the best completion of every set X of nodes; sets are bit masks."""

    def __init__(self, table: ParentSetTable) -> None:
        self.n = table.n_variables
        self.all = (1 << self.n) - 1
        self.shift = [float(table.scores[table.rows_of(v)].max()) for v in range(self.n)]
        self.rows = [
            [(sum(1 << p for p in table.parents_of(r)), float(table.scores[r]) - top, r) for r in table.rows_of(v)]
            for v, top in enumerate(self.shift)
        ]
        self.best = {0: 0}
        for x in range(1, self.all + 1):
            self.best[x] = max((self.best[x ^ 1 << v] + self.level(v, x ^ 1 << v) for v in self.nodes(x)), default=0)
        self.completion = {self.all: 0}
        for x in range(self.all - 1, -1, -1):
            outside = self.nodes(self.all ^ x)
            self.completion[x] = max(self.level(v, x) + self.completion[x | 1 << v] for v in outside)

    def nodes(self, x: int) -> list[int]:
        """Return the nodes of a set."""
        return [v for v in range(self.n) if x >> v & 1]

    def within(self, v: int, x: int) -> list[float]:
        """Return the scores of v's rows within X, relative to the best of all."""
        return [score for mask, score, _ in self.rows[v] if mask & ~x == 0]

    def level(self, v: int, x: int) -> int:
        """Return v's best parent set within X, in units."""
        return math.floor(max(self.within(v, x), default=-1e6) * UNITS)

    def alpha(self, v: int, x: int) -> float:
        """Return the weight of v's parent sets within X."""
        return math.fsum(math.exp(score) for score in self.within(v, x))

    def floor(self, cut: float) -> int:
        """Return the level that lies so many nats below the best DAG."""
        return self.completion[0] - math.ceil(cut * UNITS)

    def completions(self, cut: float) -> dict[int, float]:
        """Return, for every set, the weight of all ways to give the other nodes parents."""
        g = {self.all: 1.0}
        for x in range(self.all - 1, -1, -1):
            g[x] = math.fsum(product * g[x | sum(1 << v for v in nodes)] for nodes, product in self.sinks(x, cut))
        return g

    def sinks(self, x: int, cut: float) -> Iterator[tuple[list[int], float]]:
        """Yield every set S of sinks above X whose loss is within the cut, with its signed product of alphas."""
        floor = self.floor(cut)
        outside = self.all ^ x
        s = outside
        while s:
            nodes = self.nodes(s)
            if self.best[x] + sum(self.level(v, x) for v in nodes) + self.completion[x | s] >= floor:
                yield nodes, -math.prod(-self.alpha(v, x) for v in nodes)
            s = (s - 1) & outside


def dag_sums_twin(table: ParentSetTable, cut: float) -> TwinSums:
    """Sum over all DAGs by Tian and He's recursion, there and back; see cpp/core/posterior/all_dags/dag_sums.hpp.

    R(X) is the weight of all DAGs over X; G(X), divided by the whole, that of all ways to give the other nodes parents.
    The terms with v among the sinks above X are the DAGs in which X is what v does not reach.
    """
    tables = DagTables(table)
    n, everything = tables.n, tables.all
    terms = {x: list(tables.sinks(x, cut)) for x in range(everything)}
    r = dict.fromkeys(range(everything + 1), 0.0) | {0: 1.0}
    for x in range(everything):
        for nodes, product in terms[x]:
            r[x | sum(1 << v for v in nodes)] += r[x] * product
    g = {everything: 1 / r[everything]}
    shares = np.zeros(table.n_rows)
    ancestors = np.zeros((n, n))
    for x in range(everything - 1, -1, -1):
        parts = [(nodes, product * g[x | sum(1 << v for v in nodes)]) for nodes, product in terms[x]]
        g[x] = math.fsum(part for _, part in parts)
        for v in tables.nodes(everything ^ x):
            unreached = r[x] * math.fsum(part for nodes, part in parts if v in nodes)
            ancestors[v, [w for w in tables.nodes(everything ^ x) if w != v]] += unreached
            for mask, score, row in tables.rows[v]:
                if mask & ~x == 0:
                    shares[row] += unreached * math.exp(score) / tables.alpha(v, x)
    return TwinSums(
        log_total=math.log(r[everything]) + math.fsum(tables.shift),
        shares=shares,
        ancestors=ancestors,
        terms=sum(len(found) for x, found in terms.items() if r[x] != 0),
    )
