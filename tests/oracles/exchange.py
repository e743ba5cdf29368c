"""Which parent sets of two nodes exclude each other, written out with whole numbers (cpp/core/exact/exchange.hpp)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

Parents = frozenset[int]
GRAIN_BITS = 36


@dataclass(frozen=True)
class Worths:
    """Of each node its sets with their worth: the score in grains, less a number for each parent later in the order."""

    of_node: list[dict[Parents, int]]

    @classmethod
    def of(cls, scores: list[dict[Parents, float]], order: list[int], against: int) -> Worths:
        place = {v: i for i, v in enumerate(order)}
        nodes = []
        for v, sets in enumerate(scores):
            top = max(sets.values())
            nodes.append(
                {
                    parents: _rounded(math.ldexp(score - top, GRAIN_BITS))
                    - against * sum(place[u] > place[v] for u in parents)
                    for parents, score in sets.items()
                }
            )
        return cls(nodes)

    def best(self, node: int, within: Iterable[int]) -> float:
        """Return the best worth of a node with parents in a set; minus infinity if there is none."""
        inside = frozenset(within)
        return max((worth for parents, worth in self.of_node[node].items() if parents <= inside), default=-math.inf)

    def excludes(self, child: int, parents: Parents, parent: int, grandparents: Parents) -> bool:
        """Return whether no best network has both sets; the parent is one of the child's."""
        if child in grandparents:
            return True
        mine, other = self.of_node[child][parents], self.of_node[parent][grandparents]
        turned = self.best(child, grandparents) + self.best(parent, grandparents | {child})
        return turned > mine + other or self.best(child, parents | grandparents) > mine


def _rounded(value: float) -> int:
    """Return the nearest whole number, halves away from 0 as C++ has them."""
    return int(math.copysign(math.floor(abs(value) + 0.5), value))
