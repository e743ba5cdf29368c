"""Draws from the posterior over all DAGs in plain Python: what the native program is compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from tests.twins.dag_sums import DagTables

from arcwise.parent_sets import ParentSetTable

__all__ = ["DagSamplerTwin"]

Uniform = Callable[[], float]


def subsets(nodes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Yield all subsets of a few nodes."""
    for choice in range(1 << len(nodes)):
        yield tuple(v for i, v in enumerate(nodes) if choice >> i & 1)


def union(nodes: Sequence[int]) -> int:
    """Return nodes as a bit mask."""
    return sum(1 << v for v in nodes)


class DagSamplerTwin:
    """See cpp/core/posterior/all_dags/dag_sampler.hpp for the names: U, L, S, A, B, C, T and G."""

    def __init__(self, table: ParentSetTable, cut: float) -> None:
        self.tables = DagTables(table)
        self.floor = self.tables.floor(cut)
        self.offsets = table.node_offsets
        self.g = self.tables.completions(cut)

    def draw(self, uniform: Uniform) -> list[int]:
        """Draw a DAG: the row of each node, counted within the node."""
        rows = [-1] * self.tables.n
        placed = last = 0
        while placed != self.tables.all:
            layer = self._layer(placed, last, uniform)
            for v in sorted(layer):
                rows[v] = self._row(v, placed, last, uniform)
            last = union(layer)
            placed |= last
        return rows

    def _before(self, v: int, placed: int, last: int) -> float:
        """Return the weight of v's parent sets that would have put it into an earlier layer."""
        return self.tables.alpha(v, placed & ~last) if placed else 0.0

    def _layer(self, placed: int, last: int, uniform: Uniform) -> list[int]:
        tables = self.tables
        within = {v: tables.alpha(v, placed) for v in tables.nodes(tables.all ^ placed)}
        before = {v: self._before(v, placed, last) for v in within}
        candidates = [
            v
            for v in within
            if within[v] > 0
            and tables.best[placed] + tables.level(v, placed) + tables.completion[placed | 1 << v] >= self.floor
        ]
        candidates.sort(key=lambda v: -(within[v] - before[v]) * self.g[placed | 1 << v])

        def weight(inside: list[int], outside: list[int], rest: list[int]) -> float:
            return math.prod(within[v] - before[v] for v in inside) * math.fsum(
                math.prod(-within[v] for v in no) * math.prod(-before[v] for v in early) * self.g[placed | union(all_)]
                for no in subsets(outside)
                for early in subsets(rest)
                for all_ in [(*inside, *no, *early)]
            )

        inside: list[int] = []
        outside: list[int] = []
        for k, v in enumerate(candidates):
            rest = candidates[k + 1 :]
            share = weight([*inside, v], outside, rest) / weight(inside, outside, candidates[k:])
            (inside if uniform() < share else outside).append(v)
        return inside

    def _row(self, v: int, placed: int, last: int, uniform: Uniform) -> int:
        members, within, undecided = 0, placed, self.tables.nodes(placed & ~last)
        alpha = self.tables.alpha
        if placed:
            target = uniform() * (alpha(v, placed) - alpha(v, placed & ~last))
            new = self.tables.nodes(last)
            for i, u in enumerate(new):
                share = alpha(v, within) - alpha(v, within ^ 1 << u)
                if target < share or u == new[-1]:
                    members = 1 << u
                    undecided = sorted([*undecided, *new[i + 1 :]])
                    break
                target -= share
                within ^= 1 << u

        def weight(holding: int, of: int) -> float:
            drops = subsets(self.tables.nodes(holding))
            return math.fsum((-1) ** len(drop) * alpha(v, of & ~union(drop)) for drop in drops)

        for u in undecided:
            if uniform() < weight(members, within ^ 1 << u) / weight(members, within):
                within ^= 1 << u
            else:
                members |= 1 << u
        (row,) = [row for mask, _, row in self.tables.rows[v] if mask == members]
        return row - int(self.offsets[v])
