"""Elimination orders: in which order to sum variables out of a product of tables, and what that costs."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

__all__ = ["EliminationOrder", "find_elimination_order"]

Graph = dict[int, set[int]]
Rule = Callable[[Graph, int, Mapping[int, int]], float]

# Tables up to SMALL cost nothing next to the search for a better order; beyond LARGE a better order pays for itself.
SMALL = 2**12
LARGE = 2**25
RESTARTS = 20


@dataclass(frozen=True, slots=True)
class EliminationOrder:
    """An order, the largest table it makes on the way, and the sum of all these tables; in numbers."""

    variables: tuple[int, ...]
    largest: int
    total: int


def find_elimination_order(
    scopes: Iterable[Iterable[int]], keep: Iterable[int], arities: Mapping[int, int]
) -> EliminationOrder:
    """Return a good order in which to eliminate every variable of `scopes` that is not in `keep`.

    The best order is NP-hard to find, and none of the greedy rules wins everywhere (Koller and Friedman, 2009, section
    9.4.3.2). So the effort grows with what is at stake: one rule, if its tables are small; else all three; and if even
    the best of these makes a large table, the rules again with costs blurred at random, as Fishelson and Geiger (2003)
    do for pedigrees. The seed is fixed: a query has one order.
    """
    graph: Graph = {}
    for scope in scopes:
        members = set(scope)
        for v in members:
            graph.setdefault(v, set()).update(members - {v})
    kept = set(keep)

    def rank(order: EliminationOrder) -> tuple[int, int]:
        return order.largest, order.total

    best = _greedy_order(graph, kept, arities, _weight)
    if best.largest > SMALL:
        best = min([best, *(_greedy_order(graph, kept, arities, rule) for rule in (_fill, _weighted_fill))], key=rank)
    if best.largest > LARGE:
        rng = random.Random(0)
        for _ in range(RESTARTS):
            for rule in (_weight, _weighted_fill):
                best = min(best, _greedy_order(graph, kept, arities, rule, rng), key=rank)
    return best


def _greedy_order(
    graph: Graph, kept: set[int], arities: Mapping[int, int], rule: Rule, rng: random.Random | None = None
) -> EliminationOrder:
    """Eliminate, again and again, the variable that is cheapest by `rule`, perhaps blurred; ties by number."""

    def priced(v: int) -> float:
        exact = rule(graph, v, arities)
        return exact if rng is None else exact * (1 + 0.2 * rng.random())

    graph = {v: set(neighbours) for v, neighbours in graph.items()}
    cost = {v: priced(v) for v in graph if v not in kept}
    order = []
    largest = total = 1
    while cost:
        v = min(cost, key=lambda u: (cost[u], u))
        del cost[v]
        order.append(v)
        neighbours = graph.pop(v)
        cells = arities[v] * math.prod(arities[u] for u in neighbours)
        largest, total = max(largest, cells), total + cells
        new_arcs = False
        for u in neighbours:
            graph[u].discard(v)
            new_arcs = new_arcs or not neighbours <= graph[u] | {u}
            graph[u] |= neighbours - {u}
        # A variable's cost changes only if its neighbours or the arcs among them did.
        changed = neighbours if not new_arcs else neighbours.union(*(graph[u] for u in neighbours))
        for u in sorted(changed):
            if u in cost:
                cost[u] = priced(u)
    return EliminationOrder(tuple(order), largest, total)


def _fill(graph: Graph, v: int, arities: Mapping[int, int]) -> float:
    """The number of arcs that eliminating v adds."""
    neighbours = graph[v]
    return sum(len(neighbours - graph[u]) - 1 for u in neighbours) / 2


def _weight(graph: Graph, v: int, arities: Mapping[int, int]) -> float:
    """The logarithm of the size of the table that eliminating v makes."""
    return sum(math.log(arities[u]) for u in graph[v])


def _weighted_fill(graph: Graph, v: int, arities: Mapping[int, int]) -> float:
    """The arcs that eliminating v adds, each weighted by the product of its ends' numbers of states."""
    neighbours = graph[v]
    return sum(arities[u] * arities[w] for u in neighbours for w in neighbours - graph[u] if u < w)
