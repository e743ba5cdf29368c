"""Communities: groups of nodes that are joined more closely to each other than to the rest of a network."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["communities"]

# A gain in modularity that is only rounding.
LEAST_GAIN = 1e-12


def communities(n_nodes: int, edges: Sequence[tuple[int, int, float]]) -> list[list[int]]:
    """Return the nodes in groups, the largest first; `edges` are (node, node, weight).

    Groups that are joined are merged, each time the two that raise modularity most: the share of the weight inside
    groups beyond what chance would put there (Clauset, Newman and Moore 2004). It stops when no merger raises it.
    Isolated nodes are groups by themselves. Deterministic: of equal gains the first pair is taken.

    >>> communities(6, [(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1), (2, 3, 1)])
    [[0, 1, 2], [3, 4, 5]]
    """
    total = sum(weight for *_, weight in edges)
    groups = {v: [v] for v in range(n_nodes)}
    if total <= 0:
        return [[v] for v in range(n_nodes)]
    between: dict[int, dict[int, float]] = {v: {} for v in range(n_nodes)}
    ends = dict.fromkeys(range(n_nodes), 0.0)  # the share of all ends of edges
    for a, b, weight in edges:
        share = weight / total
        between[a][b] = between[a].get(b, 0.0) + share
        between[b][a] = between[b].get(a, 0.0) + share
        ends[a] += share / 2
        ends[b] += share / 2
    while True:
        gain, a, b = max(
            ((share - 2 * ends[u] * ends[v], -u, -v) for u, near in between.items() for v, share in near.items()),
            default=(0.0, 0, 0),
        )
        if gain <= LEAST_GAIN:
            break
        kept, gone = sorted((-a, -b))
        groups[kept] += groups.pop(gone)
        ends[kept] += ends.pop(gone)
        for other, share in between.pop(gone).items():
            del between[other][gone]
            if other != kept:
                between[kept][other] = between[kept].get(other, 0.0) + share
                between[other][kept] = between[kept][other]
    return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))
