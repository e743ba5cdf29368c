"""Which arcs a consensus may have under constraints: paths that must be there, and directions that obey them."""

from __future__ import annotations

import contextlib
import heapq
import math
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import GraphError, UnfinishedError
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits
from arcwise.graph.statements import satisfying_arcs

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

# The arcs by which a network leads where it must: the most credible paths.
#
# A consensus has the edges above a cut-off, and nothing in that makes x lead to y. What was said is obeyed all the
# same: for each pair that needs one, the path whose arcs have the largest product of confidences is taken first, as
# required arcs are. Paths that are each the best may exclude each other, by a cycle, a limit on parents, or a pair
# that must not be led to; then any set of arcs that satisfies everything is taken, and there is one, or the
# constraints would have been refused.


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
    fits = False
    with contextlib.suppress(GraphError):  # paths that are each the best may close a cycle
        fits = constraints.allows_dag(Dag(names, [sorted(own) for own in parents]))
    if not fits:
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


def reaches(parents: Sequence[set[int]], *, source: int, target: int) -> bool:
    """Return whether a directed path leads from source to target."""
    stack, seen = [target], {target}
    while stack:
        v = stack.pop()
        if v == source:
            return True
        fresh = parents[v] - seen
        seen |= fresh
        stack.extend(fresh)
    return False


# `ArcRules`: constraints as a network in the making asks them, arc by arc.


class ArcRules:
    """What constraints say about single arcs, by the positions of the variables; without constraints, nothing.

    Attributes
    ----------
    constraints
        The constraints over the variables in the order of the network; None if nothing is constrained.
    required
        The arcs that must be there, and those of the paths that lead where some variables must.
    pairs
        The same without direction.
    """

    def __init__(self, constraints: Constraints | None, paths: Iterable[tuple[int, int]] = ()) -> None:
        self.constraints = None if constraints is None or constraints.is_trivial else constraints
        required = () if self.constraints is None else self.constraints.required_masks
        self.required = (*((tail, head) for head, mask in enumerate(required) for tail in bits(mask)), *paths)
        self.pairs = frozenset(frozenset(arc) for arc in self.required)

    def allows(self, tail: int, head: int) -> bool:
        """Return whether an arc may be there."""
        return self.constraints is None or not self.constraints.forbidden_masks[head] >> tail & 1

    def breaks_ancestry(self, parents: Sequence[set[int]], tail: int, head: int) -> bool:
        """Return whether an arc more would lead from a variable to one that it must not lead to."""
        known = self.constraints
        return known is not None and any(
            reaches(parents, source=known.index(x), target=tail)
            and reaches(parents, source=head, target=known.index(y))
            for x, y in known.non_ancestors
        )

    def has_room(self, parents: Sequence[Collection[int]], head: int, more: int = 1) -> bool:
        """Return whether a variable may have one parent more, or as many more."""
        return self.constraints is None or len(parents[head]) + more <= self.constraints.limits[head]


# A DAG of a partially directed graph in which no variable has more parents than constraints allow.
#
# Without limits a graph without an induced contradiction is directed from its sinks, in one pass (Dor and Tarsi 1992).
# A limit of one variable's own breaks that: which member of a class has few enough parents everywhere is a question of
# search. The edge with the fewest ways left is directed first, so that most steps only follow from those before.


MOST_STEPS = 2_000  # then there may be such a DAG, but it is not looked for any longer

Ends = tuple[int, int]  # tail and head


def extended_within(
    names: tuple[str, ...], parents: Sequence[set[int]], open_edges: Sequence[Ends], rules: ArcRules
) -> Dag | None:
    """Direct edges without a cycle, a new v-structure or a parent too many; None if no way was found.

    Each is tried as it is given first, the first ones before the others.
    """
    joined = [set(own) for own in parents]
    for v, own in enumerate(parents):
        for other in own:
            joined[other].add(v)
    for tail, head in open_edges:
        joined[tail].add(head)
        joined[head].add(tail)
    search = _DirectionSearch([set(own) for own in parents], joined, rules)
    return Dag(names, search.parents) if search.direct(list(open_edges)) else None


class _DirectionSearch:
    """Depth first, with the directions so far."""

    def __init__(self, parents: list[set[int]], joined: list[set[int]], rules: ArcRules) -> None:
        self.parents = parents
        self._joined = joined
        self._rules = rules
        self._steps = 0

    def direct(self, left: list[Ends]) -> bool:
        """Direct all that is left; False if there is no way or too many were tried. There may be thousands of edges."""
        opened: list[tuple[list[Ends], list[Ends]]] = []  # per edge so far: the ways to try, and the edges after it
        while left:
            if self._steps >= MOST_STEPS:
                return False
            self._steps += 1
            ways, edge = min(((self._ways(edge), edge) for edge in left), key=lambda found: len(found[0]))
            rest = [other for other in left if other != edge]
            while not ways:
                if not opened:
                    return False
                ways, rest = opened.pop()
                tail, head = ways.pop(0)
                self.parents[head].discard(tail)
            tail, head = ways[0]
            self.parents[head].add(tail)
            opened.append((ways, rest))
            left = rest
        return True

    def _ways(self, edge: Ends) -> list[Ends]:
        return [
            (tail, head)
            for tail, head in (edge, edge[::-1])
            if self._rules.has_room(self.parents, head)
            and self.parents[head] <= self._joined[tail]
            and not reaches(self.parents, source=head, target=tail)
        ]
