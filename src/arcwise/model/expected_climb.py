"""Hill climbing by the scores of expected counts, which are not whole numbers: the structural step of EM."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from arcwise.graph import Constraints
from arcwise.graph.bitset import bits
from arcwise.model.expected_counts import ExpectedCounts, Family

__all__ = ["ExpectedScores", "climb_expected"]

# Changes that gain less are ties: sums of logarithms are not exact.
TIE = 1e-8
# Larger tables are not counted: their penalty is beyond any likelihood, unless there are that many cases.
MOST_CELLS = 2**22
# The kinds of changes, in the order in which they are preferred.
ADDITION, REMOVAL, REVERSAL = 0, 1, 2


class ExpectedScores:
    """LL - w q (r - 1) of families, from expected counts, each family once; `weights` has w for each child."""

    def __init__(self, expected: ExpectedCounts, arities: NDArray[np.int32], weights: NDArray[np.float64]) -> None:
        self._expected, self._weights = expected, weights
        self._arities: list[int] = arities.tolist()
        self._known: dict[Family, float] = {}

    def penalty(self, child: int, parents: tuple[int, ...]) -> float:
        """Return w q (r - 1)."""
        cells = float(self._arities[child] - 1)
        for p in parents:
            cells *= self._arities[p]
        return float(self._weights[child]) * cells

    def learn(self, families: Iterable[Family], floors: Mapping[int, float] | None = None) -> None:
        """Compute the scores of families that are not known yet, all from one pass over the rows.

        No likelihood exceeds one: a family whose penalty alone is worse than the floor of its variable, a score that it
        has already, is not counted, and cannot be chosen. Without floors all are counted.
        """
        fresh = []
        for child, parents in dict.fromkeys(families):
            if (child, parents) in self._known:
                continue
            cells = self._arities[child] * np.prod([float(self._arities[p]) for p in parents])
            if floors is None or (-self.penalty(child, parents) > floors[child] and cells <= MOST_CELLS):
                fresh.append((child, parents))
        for family, counts in zip(fresh, self._expected.tables(fresh) if fresh else (), strict=True):
            self._known[family] = _log_likelihood(counts) - self.penalty(*family)

    def __getitem__(self, family: Family) -> float:
        return self._known.get(family, -np.inf)  # what was not counted


def _log_likelihood(counts: NDArray[np.float64]) -> float:
    """Return the sum of n log(n / total). The logarithms are taken apart: of 1e-320 expected cases among 2,000, the
    share is 0 in floating point, and its logarithm no number.
    """
    totals = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * (np.log(counts) - np.log(totals)), 0.0)
    return float(terms.sum())


def climb_expected(scores: ExpectedScores, start: list[int], constraints: Constraints) -> list[int]:
    """Add, remove or reverse the arc that improves the score most, until none does; masks of parents in and out.

    Of equal gains additions come before removals before reversals, then the smaller arc, as in `hill_climb`.
    """
    climb = _Climb(scores, list(start), constraints)
    while climb.step():
        pass
    return climb.parents


class _Climb:
    def __init__(self, scores: ExpectedScores, parents: list[int], constraints: Constraints) -> None:
        self.parents = parents
        self._scores = scores
        self._required, self._forbidden = constraints.required_masks, constraints.forbidden_masks
        self._limits = constraints.limits
        scores.learn((v, ()) for v in range(len(parents)))
        self._look(range(len(parents)))

    def _look(self, children: Iterable[int]) -> None:
        """Score what the changes of an arc into these children need."""
        held = {child: (child, tuple(bits(self.parents[child]))) for child in children}
        self._scores.learn(held.values())
        wanted: list[Family] = []
        for child in held:
            own = self.parents[child]
            wanted += [(child, tuple(bits(own ^ 1 << x))) for x in range(len(self.parents)) if self._may(x, child)]
        # A start may cost more than no parents at all: then what is a way out of it counts.
        floors = {child: min(self._scores[child, ()], self._scores[family]) for child, family in held.items()}
        self._scores.learn(wanted, floors)

    def _may(self, tail: int, head: int) -> bool:
        """Whether the arc may be toggled."""
        bit = 1 << tail
        if tail == head or self._required[head] & bit:
            return False
        if self.parents[head] & bit:
            return True
        return not self._forbidden[head] & bit and self.parents[head].bit_count() < self._limits[head]

    def _gain(self, tail: int, head: int) -> float:
        own = self.parents[head]
        return self._scores[head, tuple(bits(own ^ 1 << tail))] - self._scores[head, tuple(bits(own))]

    def step(self) -> bool:
        """Make the best change; False if none improves the score."""
        n = len(self.parents)
        ranked: list[tuple[float, int, int, int]] = []
        for tail in range(n):
            for head in range(n):
                if not self._may(tail, head):
                    continue
                gain, is_there = self._gain(tail, head), bool(self.parents[head] >> tail & 1)
                ranked.append((gain, REMOVAL if is_there else ADDITION, tail, head))
                if is_there and self._may(head, tail):
                    ranked.append((gain + self._gain(head, tail), REVERSAL, tail, head))
        gaining = [move for move in ranked if move[0] > TIE]
        for _, kind, tail, head in sorted(gaining, key=lambda move: (-round(move[0] / TIE), move[1:])):
            if self._closes_a_cycle(kind, tail, head):
                continue
            self.parents[head] ^= 1 << tail
            if kind == REVERSAL:
                self.parents[tail] |= 1 << head
            self._look((head, tail) if kind == REVERSAL else (head,))
            return True
        return False

    def _closes_a_cycle(self, kind: int, tail: int, head: int) -> bool:
        """Say whether the end of the arc that comes leads to its start."""
        if kind == REMOVAL:
            return False
        ahead, goal = (self.parents[tail], head) if kind == ADDITION else (self.parents[head] & ~(1 << tail), tail)
        seen = ahead
        while ahead:
            low = ahead & -ahead
            if low == 1 << goal:
                return True
            fresh = self.parents[low.bit_length() - 1] & ~seen
            seen |= fresh
            ahead = (ahead ^ low) | fresh
        return False
