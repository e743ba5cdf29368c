"""`CompletionWeights`: of data with gaps, which completion's networks have a family, and what its child then reaches.

The networks of a completion are those that fit this completion. A family that only some completions support counts with
these: an estimate from another completion would mix networks and data that do not belong together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.gaps.completions import CHAINS
from arcwise.ensemble.network_set import BY_COMPLETION, NetworkSet
from arcwise.showing import one_screen

__all__ = ["CompletionWeights", "completion_of_networks", "with_completions"]


def with_completions(networks: NetworkSet, counts: Sequence[int]) -> NetworkSet:
    """Return a set whose networks are those of one completion after the other, so many of each, and which says so."""
    assert sum(counts) == networks.count
    return replace(networks, facts={**networks.facts, BY_COMPLETION: [int(count) for count in counts]})


def completion_of_networks(networks: NetworkSet) -> NDArray[np.int64] | None:
    """Return the number of the completion that each network was learned from; None if the set does not know."""
    counts = networks.facts.get(BY_COMPLETION)
    if not isinstance(counts, list) or not all(type(count) is int and count >= 0 for count in counts):
        return None
    if sum(counts) != networks.count:
        return None
    return np.repeat(np.arange(len(counts)), counts)


@one_screen
@dataclass(frozen=True, eq=False)
class CompletionWeights:
    """The weight of every family in every completion, by what its child reaches.

    Parameters
    ----------
    families
        By row of a dictionary of families: the completions whose networks have it, and the weight of those in which
        its child reaches w, at [completion, w].
    ancestors
        The probability of a directed path from v to w among the networks of each completion, at [completion, v, w].
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
