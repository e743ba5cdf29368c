"""What the observed cells alone say about an arc: both families counted over the cases that have all their values.

Scores of families that were counted over different cases cannot be compared: the family with more parents has fewer
cases, hence a higher score. Compared over the *same* cases, those that have the values of the larger family, they can.
The comparisons of different arcs are then over different cases and belong to no one score of networks, which is why
this is a place to start from and not the answer.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset, Incomplete
from arcwise.ensemble.gaps.structure_walk import Gain
from arcwise.graph.bitset import bits
from arcwise.scores import Score

__all__ = ["AvailableCases", "gains_of_completion"]


class AvailableCases:
    """What each arc gains over the cases that have the values of its head's family."""

    def __init__(self, data: Incomplete, score: Score) -> None:
        self._data = data
        self._score = score
        self._marked = data.with_gap_states()
        self._known: dict[tuple[int, int, int], float] = {}

    def count(self, variables: list[int]) -> NDArray[np.int64]:
        """Count the cases that have the values of all these variables, one axis each."""
        return contingency(self._marked, variables)[tuple(slice(0, int(self._data.arities[v])) for v in variables)]

    def gain(self, head: int, parents: int, tail: int) -> float:
        """Return what the arc adds to the score of a head that has these parents (a mask) without it."""
        key = (head, parents, tail)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._gain(head, [*bits(parents)], tail)
        return found

    def _gain(self, head: int, parents: list[int], tail: int) -> float:
        # The tail is the first axis: summed over it, the counts of the other family are over the same cases.
        counts = self.count([tail, *parents, head])
        with_tail = np.moveaxis(counts, 0, sum(p < tail for p in parents))
        states = int(self._data.arities[head])
        both = sorted([*parents, tail])
        held, score = self._data.held, self._score
        more = score.local(with_tail.reshape(-1, states), score.alphas(held, head, both))
        fewer = score.local(counts.sum(axis=0).reshape(-1, states), score.alphas(held, head, parents))
        return float(more - fewer)


def gains_of_completion(data: Incomplete, completion: Dataset, score: Score) -> Gain:
    """Return what arcs gain over the cases that have the values of both ends; other parents are as completed."""
    seen = ~data.missing
    known: dict[tuple[int, int, int], float] = {}

    def gain(head: int, parents: int, tail: int) -> float:
        key = (head, parents, tail)
        found = known.get(key)
        if found is None:
            cases = seen[head] & seen[tail]
            found = -math.inf
            if cases.any():
                both = completion._unchecked(completion.codes, cases.astype(np.int64))
                fewer, more = score.score_families(both, [(head, bits(parents)), (head, bits(parents | 1 << tail))])
                found = float(more - fewer)
            known[key] = found
        return found

    return gain
