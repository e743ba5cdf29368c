"""How many acyclic moral orientations of a chordal graph have certain arcs: members of a class with fixed pairs.

Without known arcs the number takes polynomial time (`OrientationCounter`); with them it is #P-hard (Wienöbst, Bannach
and Liskiewicz, "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs with applications", JMLR
2023, section 6). An orientation of a connected graph has one source, and what stays undirected once the source is
chosen is again a set of connected chordal graphs (He, Jia and Yu 2015): the sum over the sources that the known arcs
allow, with the numbers of subgraphs kept, and the polynomial count for every subgraph without a known arc. A clique of
k nodes takes up to 2^k subgraphs, so that there is a limit, which is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from arcwise.errors import UnfinishedError
from arcwise.graph.bitset import bits, components
from arcwise.graph.orientations import OrientationCounter, blocks_after

__all__ = ["KnownOrientationCounter"]

MOST_SUBGRAPHS = 100_000


class KnownOrientationCounter:
    """Counts the acyclic moral orientations of chordal graphs that have certain arcs.

    Parameters
    ----------
    neighbours
        For each node, the nodes that it is joined to, as a bit set; all components must be chordal.
    known
        For each node, those of its neighbours from which a known arc leads to it.
    """

    def __init__(self, neighbours: Sequence[int], known: Sequence[int]) -> None:
        self._neighbours = neighbours
        self._known_arcs = known
        self._free = OrientationCounter(neighbours)
        self._counts: dict[int, int] = {}
        self._looked_at = 0

    def count(self, component: int) -> int:
        """Return the number of orientations of a connected graph, given as a bit set of its nodes.

        Raises
        ------
        UnfinishedError
            If more than `MOST_SUBGRAPHS` subgraphs would have to be looked at.
        """
        if not any(self._known_arcs[v] & component for v in bits(component)):
            return self._free.count(component)
        if component not in self._counts:
            if self._looked_at >= MOST_SUBGRAPHS:
                raise UnfinishedError(
                    f"the members of a class with {component.bit_count()} variables that are joined by open edges were "
                    f"not counted: more than {MOST_SUBGRAPHS:,} subgraphs would have to be looked at."
                )
            self._looked_at += 1
            self._counts[component] = sum(self._with_source(component, v) for v in bits(component))
        return self._counts[component]

    def product(self, graphs: Iterable[int]) -> int:
        """Return the number of joint orientations of several components."""
        return math.prod(self.count(graph) for graph in graphs)

    def _with_source(self, component: int, source: int) -> int:
        blocks = blocks_after(self._neighbours, component, 1 << source)
        later = component
        for block in (1 << source, *blocks):
            later &= ~block
            if any(self._known_arcs[v] & later for v in bits(block)):  # it would point against the order
                return 0
        parts = [part for block in blocks for part in components(self._neighbours, block)]
        return self.product(part for part in parts if part & (part - 1))  # a single node has one
