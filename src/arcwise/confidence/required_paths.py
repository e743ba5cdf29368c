"""The arcs by which a network leads where it must: the most credible paths.

A consensus has the edges above a cut-off, and nothing in that makes x lead to y. What was said is obeyed all the same:
for each pair that needs one, the path whose arcs have the largest product of confidences is taken first, as required
arcs are. Paths that are each the best may exclude each other, by a cycle, a limit on parents, or a pair that must not
be led to; then any set of arcs that satisfies everything is taken, and there is one, or the constraints would have been
refused.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.errors import GraphError, UnfinishedError
from arcwise.graph import Constraints, Dag
from arcwise.graph.bitset import bits
from arcwise.graph.conflicts import satisfying_arcs

__all__ = ["reaches", "required_paths"]

# What an arc that no network has counts as: any other is better.
LEAST = 1e-12


def required_paths(confidence: EdgeConfidence, constraints: Constraints | None) -> tuple[tuple[int, int], ...]:
    """Return arcs, besides the required ones, by which everybody leads where constraints on ancestors say."""
    if constraints is None or not constraints.ancestors:
        return ()
    names = confidence.names
    required = Dag.from_arcs(names, constraints.required)
    parents = [set(bits(mask)) for mask in required.parent_masks]
    share = np.maximum(confidence.directed + confidence.undirected / 2, LEAST)
    for x, y in constraints.ancestors:
        _add_path(parents, -np.log(share), constraints, names.index(x), names.index(y))
    if not _satisfies(names, parents, constraints):
        found = satisfying_arcs(names, constraints.statements)
        if found is None:
            raise UnfinishedError("no network that satisfies the constraints on ancestors was found; relax them.")
        parents = [set(bits(mask)) for mask in Dag.from_arcs(names, found).parent_masks]
    return tuple((tail, head) for head, own in enumerate(parents) for tail in sorted(own - set(required.parents[head])))


def _add_path(
    parents: list[set[int]], cost: NDArray[np.float64], constraints: Constraints, source: int, target: int
) -> None:
    """Add the arcs of the cheapest path, those that are there already for nothing; none if there is no path."""
    best, came = {source: 0.0}, {source: source}
    heap = [(0.0, source)]
    while heap:
        far, tail = heapq.heappop(heap)
        if tail == target:
            break
        if far > best[tail]:
            continue
        for head in range(len(parents)):
            there = tail in parents[head]
            if not there and (
                constraints.forbidden_masks[head] >> tail & 1 or reaches(parents, source=head, target=tail)
            ):
                continue
            way = far + (0.0 if there else float(cost[tail, head]))
            if way < best.get(head, math.inf):
                best[head], came[head] = way, tail
                heapq.heappush(heap, (way, head))
    while target in came and target != source:
        parents[target].add(came[target])
        target = came[target]


def _satisfies(names: tuple[str, ...], parents: Sequence[set[int]], constraints: Constraints) -> bool:
    try:
        return constraints.allows_dag(Dag(names, [sorted(own) for own in parents]))
    except GraphError:
        return False


def reaches(parents: Sequence[set[int]], *, source: int, target: int) -> bool:
    """Say whether a directed path leads from source to target."""
    stack, seen = [target], {target}
    while stack:
        v = stack.pop()
        if v == source:
            return True
        fresh = parents[v] - seen
        seen |= fresh
        stack.extend(fresh)
    return False
