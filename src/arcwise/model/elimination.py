"""Elimination orders: in which order to sum variables out of a product of tables, and what that costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

__all__ = ["EliminationOrder", "find_elimination_order"]

Graph = dict[int, set[int]]


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
    9.4.3.2): all three are tried, and the one whose largest table is smallest is taken.
    """
    graph: Graph = {}
    for scope in scopes:
        members = set(scope)
        for v in members:
            graph.setdefault(v, set()).update(members - {v})
    kept = set(keep)
    orders = [_greedy_order(graph, kept, arities, rule) for rule in (_fill, _weight, _weighted_fill)]
    return min(orders, key=lambda order: (order.largest, order.total))


def _greedy_order(
    graph: Graph, kept: set[int], arities: Mapping[int, int], rule: Callable[[Graph, int, Mapping[int, int]], float]
) -> EliminationOrder:
    """Eliminate, again and again, the variable that is cheapest by `rule`; ties by number."""
    graph = {v: set(neighbours) for v, neighbours in graph.items()}
    cost = {v: rule(graph, v, arities) for v in graph if v not in kept}
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
        for u in changed:
            if u in cost:
                cost[u] = rule(graph, u, arities)
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
