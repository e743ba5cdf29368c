"""`CompletionNetworks`: the network under which each completion of data with gaps was drawn.

A completion and the network of its chain are one draw from their joint posterior given what was observed. So, if x
leads to y, the gaps are filled as in the completions whose networks say so. In the others the filled values know
nothing of this dependence, and an effect that is averaged over all alike comes out too small: with 40 % of y missing,
and an edge as likely as not, by about a fifth. A bootstrap, whose replicates have fillings of their own samples, is
told in this way which completions of the data to look at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.network_set import NetworkSet
from arcwise.graph.bitset import bits
from arcwise.showing import one_screen

__all__ = ["CompletionNetworks", "completed_under", "with_completion_networks"]

# The fact of a set of networks: per completion, tail and head of every arc in turns.
FACT = "completed_under"
# Of fewer completions nothing is known about how far they differ.
FEWEST = 2


@one_screen
@dataclass(frozen=True, eq=False)
class CompletionNetworks:
    """Per completion, the children of every variable in the network under which it was drawn."""

    children: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def count(self) -> int:
        """How many completions there are."""
        return len(self.children)

    def weights_of(self, cause: int) -> NDArray[np.float64]:
        """Return which completions to look at if the cause reaches w, at [completion, w]: 1 or 0.

        Those whose networks have a directed path; all of them where fewer than two have one.
        """
        found = np.zeros((self.count, len(self.children[0]) if self.children else 0))
        for own, reached in zip(self.children, found, strict=True):
            waiting = list(own[cause])
            while waiting:
                v = waiting.pop()
                if not reached[v]:
                    reached[v] = 1.0
                    waiting.extend(own[v])
        found[:, found.sum(axis=0) < FEWEST] = 1.0
        return found


def with_completion_networks(networks: NetworkSet, parents: Sequence[Sequence[int]]) -> NetworkSet:
    """Return a set that knows the networks of the completions: per completion and variable, the mask of its parents."""
    arcs = [
        [end for head, mask in enumerate(own) for tail in bits(int(mask)) for end in (tail, head)] for own in parents
    ]
    return replace(networks, facts={**networks.facts, FACT: arcs})


def completed_under(networks: NetworkSet) -> CompletionNetworks | None:
    """Return the networks of the completions; None if the set does not know them."""
    given: Any = networks.facts.get(FACT)
    n = len(networks.names)
    if not isinstance(given, list) or not given:
        return None
    found = []
    for arcs in given:
        ends = arcs if isinstance(arcs, list) and len(arcs) % 2 == 0 else [None]
        if not all(type(end) is int and 0 <= end < n for end in ends):
            return None
        children: list[list[int]] = [[] for _ in range(n)]
        for tail, head in zip(ends[::2], ends[1::2], strict=True):
            children[tail].append(head)
        found.append(tuple(map(tuple, children)))
    return CompletionNetworks(tuple(found))
