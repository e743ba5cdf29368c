"""Meek's rules: the arcs that follow from others when no cycle and no new v-structure may arise."""

from __future__ import annotations

from collections.abc import Sequence

from arcwise.errors import GraphError
from arcwise.graph.bitset import bits

__all__ = ["close_under_meek_rules"]


def close_under_meek_rules(
    names: Sequence[str], parent_masks: Sequence[int], neighbour_masks: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Orient every edge that rules 1 to 4 orient; return parents and neighbours.

    Meek, "Causal inference and causal explanation with background knowledge" (UAI 1995): rules 1 to 3 complete the
    pattern of a DAG, and rule 4 is needed when further arcs are known. An edge that two rules orient in opposite
    directions shows that no DAG extends the graph: it is refused.
    """
    parents, neighbours = list(parent_masks), list(neighbour_masks)
    children = [0] * len(parents)
    for child, mask in enumerate(parents):
        for p in bits(mask):
            children[p] |= 1 << child
    adjacent = [parents[v] | children[v] | neighbours[v] for v in range(len(parents))]

    def implied(a: int, b: int) -> bool:
        """Say whether the edge a - b must be a -> b."""
        if parents[a] & ~adjacent[b]:  # rule 1: p -> a - b, else a new v-structure at a
            return True
        if children[a] & parents[b]:  # rule 2: a -> c -> b, else a cycle
            return True
        shared = neighbours[a] & parents[b]  # rule 3: a - c -> b, a - d -> b, c and d apart
        if any(shared & ~adjacent[c] & ~(1 << c) for c in bits(shared)):
            return True
        far = neighbours[a] & ~adjacent[b] & ~(1 << b)  # rule 4: a - d -> c -> b, a and c adjacent, d and b apart
        return any(parents[c] & far for c in bits(parents[b] & adjacent[a]))

    dirty = {(v, u) for v, mask in enumerate(neighbours) for u in bits(mask)}
    while dirty:
        a, b = dirty.pop()
        if not neighbours[a] >> b & 1 or not implied(a, b):
            continue
        if implied(b, a):
            raise GraphError(
                f"no DAG extends the graph: '{names[a]}' - '{names[b]}' is forced in both directions by Meek's rules."
            )
        neighbours[a] &= ~(1 << b)
        neighbours[b] &= ~(1 << a)
        parents[b] |= 1 << a
        children[a] |= 1 << b
        for v in (a, b, *bits(neighbours[a] & adjacent[b])):
            for u in bits(neighbours[v]):
                dirty.update(((v, u), (u, v)))
    return parents, neighbours
