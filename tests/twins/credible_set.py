"""The credible set in plain Python, straight from its definition: what the native program is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from arcwise.graph import Dag
from arcwise.parent_sets import ParentSetTable

__all__ = ["credible_twin", "is_least_member"]


def credible_twin(table: ParentSetTable, slack: float, tolerance: float = 1e-9) -> Iterator[tuple[float, list[int]]]:
    """Yield (score, row of each node) for every network within `slack` of the optimum, each exactly once.

    best(U) is the optimum over the nodes U. A network is taken apart by always removing its smallest sink v; the
    smaller nodes must then not be sinks: they stay in B until a child of theirs is removed.
    """
    rows = [[(table.scores[r], r, frozenset(table.parents_of(r))) for r in table.rows_of(v)] for v in _nodes(table)]

    @cache
    def best(left: frozenset[int]) -> float:
        options = [s + best(left - {v}) for v in left for s, _, parents in rows[v] if parents <= left - {v}]
        return max(options, default=float("-inf")) if left else 0.0

    limit = best(frozenset(_nodes(table))) - slack - tolerance
    chosen = [0] * table.n_variables

    def remove(left: frozenset[int], blocked: frozenset[int], score: float) -> Iterator[tuple[float, list[int]]]:
        if not left:
            yield score, list(chosen)
        for v in sorted(left - blocked):
            rest = left - {v}
            for value, row, parents in rows[v]:
                if parents <= rest and score + value + best(rest) >= limit:
                    chosen[v] = row
                    still = (blocked | {u for u in rest if u < v}) - parents
                    yield from remove(rest, still, score + value)

    yield from remove(frozenset(_nodes(table)), frozenset(), 0.0)


def _nodes(table: ParentSetTable) -> range:
    return range(table.n_variables)


def is_least_member(dag: Dag, rank: Sequence[int]) -> bool:
    """Return whether, of all members of its class, this DAG has the order that is smallest word for word."""

    def smallest_order(member: Dag) -> list[int]:
        order: list[int] = []
        placed: set[int] = set()
        while len(order) < len(rank):
            ready = [v for v in range(len(rank)) if v not in placed and placed.issuperset(member.parents[v])]
            order.append(min(ready, key=lambda v: rank[v]))
            placed.add(order[-1])
        return [rank[v] for v in order]

    return smallest_order(dag) == min(smallest_order(member) for member in dag.cpdag.members())
