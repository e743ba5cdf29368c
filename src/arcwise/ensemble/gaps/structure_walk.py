"""A random walk over networks whose stationary distribution is their posterior: Metropolis' rule, arc by arc.

Madigan and York (International Statistical Review 63, 1995, section 4.2) add and delete arcs; reversals are added here,
as Giudici and Castelo (Machine Learning 50, 2003) do. An ordered pair of variables is chosen, and with probability one
half its arc is added or deleted, else reversed; so every move is proposed as often as its opposite, and accepted with
the ratio of the scores. One step of a chain of completions needs no independent draw, only a move that leaves the
posterior given the completion as it is: then the whole chain leaves the posterior given the observed cells as it is.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcwise.data import Dataset
from arcwise.graph import Constraints
from arcwise.graph.bitset import bits
from arcwise.scores import Score

__all__ = ["Gain", "StructureWalk"]

# What an arc adds to the score of its head: gain(head, the head's other parents, tail).
Gain = Callable[[int, int, int], float]


class StructureWalk:
    """Walks over the networks that constraints allow; a network is one mask of parents per variable."""

    def __init__(self, constraints: Constraints) -> None:
        self._required = constraints.required_masks
        self._forbidden = constraints.forbidden_masks
        self._limits = constraints.limits

    @property
    def start(self) -> list[int]:
        """The required arcs alone."""
        return list(self._required)

    def gains(self, data: Dataset, score: Score) -> Gain:
        """Return what arcs add to the score on complete data; of a variable's family, all changes are scored at once."""
        known: list[dict[int, float]] = [{} for _ in data.names]

        def score_around(v: int, parents: int, also: int) -> None:
            """Score the same parents with one more or one less: what is asked for next."""
            size = parents.bit_count()
            others = (u for u in range(len(known)) if u != v and not self._forbidden[v] >> u & 1)
            near = (parents ^ 1 << u for u in others if parents >> u & 1 or size < self._limits[v])
            wanted = [mask for mask in dict.fromkeys((parents, also, *near)) if mask not in known[v]]
            values = score.score_families(data, [(v, bits(mask)) for mask in wanted])
            known[v].update(zip(wanted, values.tolist(), strict=True))

        def gain(head: int, parents: int, tail: int) -> float:
            own, both = known[head], parents | 1 << tail
            if parents not in own or both not in own:
                score_around(head, *((both, parents) if both in own else (parents, both)))
            return own[both] - own[parents]

        return gain

    def walk(self, parents: list[int], gain: Gain, moves: int, rng: np.random.Generator) -> list[int]:
        """Return the network after so many proposed moves."""
        now, n = list(parents), len(parents)
        if n < 2:
            return now
        tails = rng.integers(0, n, size=moves).tolist()
        shifts = rng.integers(1, n, size=moves).tolist()
        turns = (rng.random(moves) < 0.5).tolist()
        chances = np.log(rng.random(moves)).tolist()
        for tail, shift, turn, chance in zip(tails, shifts, turns, chances, strict=True):
            head = (tail + shift) % n
            if turn:
                self._reverse(now, tail, head, gain, chance)
            else:
                self._toggle(now, tail, head, gain, chance)
        return now

    def _toggle(self, now: list[int], tail: int, head: int, gain: Gain, chance: float) -> None:
        bit = 1 << tail
        others = now[head] & ~bit
        if now[head] & bit:
            if not self._required[head] & bit and chance < -gain(head, others, tail):
                now[head] = others
        elif self._may_add(others, tail, head) and chance < gain(head, others, tail) and not reaches(now, head, tail):
            now[head] |= bit

    def _reverse(self, now: list[int], tail: int, head: int, gain: Gain, chance: float) -> None:
        bit = 1 << tail
        if not now[head] & bit or self._required[head] & bit or not self._may_add(now[tail], head, tail):
            return
        others = now[head] & ~bit
        if chance >= gain(tail, now[tail], head) - gain(head, others, tail):
            return
        now[head] = others
        if reaches(now, tail, head):
            now[head] |= bit
        else:
            now[tail] |= 1 << head

    def _may_add(self, others: int, tail: int, head: int) -> bool:
        return not self._forbidden[head] >> tail & 1 and others.bit_count() < self._limits[head]


def reaches(parents: list[int], source: int, target: int) -> bool:
    """Say whether a directed path leads from source to target."""
    seen = ahead = parents[target]
    while ahead:
        if ahead >> source & 1:
            return True
        low = ahead & -ahead
        fresh = parents[low.bit_length() - 1] & ~seen
        seen |= fresh
        ahead = (ahead ^ low) | fresh
    return False
