"""A DAG of a partially directed graph in which no variable has more parents than constraints allow.

Without limits a graph without an induced contradiction is directed from its sinks, in one pass (Dor and Tarsi 1992).
A limit of one variable's own breaks that: which member of a class has few enough parents everywhere is a question of
search. The edge with the fewest ways left is directed first, so that most steps only follow from those before.
"""

from __future__ import annotations

from collections.abc import Sequence

from arcwise.confidence.arc_rules import ArcRules
from arcwise.confidence.required_paths import reaches
from arcwise.graph import Dag

__all__ = ["extended_within"]

MOST_STEPS = 2_000  # then there may be such a DAG, but it is not looked for any longer

Way = tuple[int, int]  # tail and head


def extended_within(
    names: tuple[str, ...], parents: Sequence[set[int]], open_edges: Sequence[Way], rules: ArcRules
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
    search = _Search([set(own) for own in parents], joined, rules)
    return Dag(names, search.parents) if search.direct(list(open_edges)) else None


class _Search:
    """Depth first, with the directions so far."""

    def __init__(self, parents: list[set[int]], joined: list[set[int]], rules: ArcRules) -> None:
        self.parents = parents
        self._joined = joined
        self._rules = rules
        self._steps = 0

    def direct(self, left: list[Way]) -> bool:
        """Direct all that is left; False if there is no way or too many were tried. There may be thousands of edges."""
        opened: list[tuple[list[Way], list[Way]]] = []  # per edge so far: the ways to try, and the edges after it
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

    def _ways(self, edge: Way) -> list[Way]:
        return [
            (tail, head)
            for tail, head in (edge, edge[::-1])
            if self._rules.has_room(self.parents, head)
            and self.parents[head] <= self._joined[tail]
            and not reaches(self.parents, source=head, target=tail)
        ]
