"""`CompletionNetworks`: the network under which each completion of data with gaps was drawn.

A completion and the network of its chain are one draw from their joint posterior given what was observed. So, if x
leads to y, the gaps are filled as in the completions whose networks say so. In the others the filled values know
nothing of this dependence, and an effect that is averaged over all alike comes out too small: with 40 % of y missing,
and an edge as likely as not, by about a fifth. A bootstrap, whose replicates have fillings of their own samples, is
told in this way which completions of the data to look at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.showing import one_screen
from arcwise.graph.nodes import bits
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import make_facts
from arcwise.sampled.completions import CHAINS

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
    return replace(networks, facts=networks.facts | make_facts(completed_under=arcs))


def completed_under(networks: NetworkSet) -> CompletionNetworks | None:
    """Return the networks of the completions; None if the set does not know them."""
    given: Any = networks.facts.get("completed_under")
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


# `CompletionWeights`: of data with gaps, which completion's networks have a family, and what its child then reaches.
#
# The networks of a completion are those that fit this completion. A family that only some completions support counts
# with these: an estimate from another completion would mix networks and data that do not belong together.


def with_completions(networks: NetworkSet, counts: Sequence[int]) -> NetworkSet:
    """Return a set whose networks are those of one completion after the other, so many of each, and which says so."""
    assert sum(counts) == networks.count
    return replace(networks, facts=networks.facts | make_facts(by_completion=[int(count) for count in counts]))


def completion_of_networks(networks: NetworkSet) -> NDArray[np.int64] | None:
    """Return the number of the completion that each network was learned from; None if the set does not know."""
    counts = networks.facts.get("by_completion")
    if not isinstance(counts, list) or not all(type(count) is int and count >= 0 for count in counts):
        return None
    if sum(counts) != networks.count:
        return None
    return np.repeat(np.arange(len(counts)), counts)


@one_screen
@dataclass(frozen=True, eq=False)
class CompletionWeights:
    """The weight of every family in every completion, by what its child reaches.

    `families` has, by row of a dictionary of families, the completions whose networks have it, and the weight of those
    in which its child reaches w, at [completion, w]; `ancestors` the probability of a directed path from v to w among
    the networks of each completion, at [completion, v, w].
    """

    families: Mapping[int, tuple[NDArray[np.int64], NDArray[np.float64]]]
    ancestors: NDArray[np.float64]

    @property
    def count(self) -> int:
        """How many completions there are."""
        return len(self.ancestors)

    def of_family(self, row: int) -> tuple[NDArray[np.int64] | None, NDArray[np.float64] | None]:
        """Return the completions of a family and their weights; None if it is not known, and all count alike."""
        return self.families.get(row, (None, None))

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo errors of the ancestors' probabilities that are due to so few completions.

        Those of one chain follow from each other: where the chains' means differ by more than single completions make
        one expect, that counts.
        """
        count = self.count
        if count < 2:
            return np.zeros(self.ancestors.shape[1:])
        chains = min(CHAINS, count)
        means = np.array([self.ancestors[chain::CHAINS].mean(axis=0) for chain in range(chains)])
        single = self.ancestors.std(axis=0, ddof=1) / np.sqrt(count)
        return np.asarray(np.maximum(single, means.std(axis=0, ddof=1) / np.sqrt(chains)))
