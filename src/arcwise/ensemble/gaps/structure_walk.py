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

from arcwise.graph import Constraints

__all__ = ["Gain", "StructureWalk"]

# Changes that gain less are ties: sums of logarithms are not exact.
TIE = 1e-9
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

    def climb(self, parents: list[int], gain: Gain) -> list[int]:
        """Return the network after the best changes, one after the other, until none gains anything."""
        now, n = list(parents), len(parents)
        best: list[list[tuple[float, int, bool]]] = [self._changes(now, head, gain) for head in range(n)]
        # Gains over available cases belong to no one score, so that changes could go round in circles.
        for _ in range(4 * n * n):
            ranked = sorted(((*change, head) for head in range(n) for change in best[head]), reverse=True)
            for value, tail, turn, head in ranked:
                if value <= TIE:
                    return now
                before = now[head], now[tail]
                now[head] ^= 1 << tail
                if turn:
                    now[tail] |= 1 << head
                added, source, target = (turn, head, tail) if turn else (bool(now[head] >> tail & 1), tail, head)
                if added and reaches(now, target, source):
                    now[head], now[tail] = before
                    continue
                # Of tails: a reversal of an arc into the head depends on the tail's other parents.
                touched = {head, tail} if turn else {head}
                for v in range(n):
                    if v in touched or any(now[v] >> u & 1 for u in touched):
                        best[v] = self._changes(now, v, gain)
                break
            else:
                return now
        return now

    def _changes(self, now: list[int], head: int, gain: Gain) -> list[tuple[float, int, bool]]:
        """Return (gain, tail, whether it is a reversal) of every change of an arc into the head that gains."""
        found = []
        for tail in range(len(now)):
            bit = 1 << tail
            if tail == head or self._required[head] & bit:
                continue
            others = now[head] & ~bit
            if now[head] & bit:
                lost = gain(head, others, tail)
                found.append((-lost, tail, False))
                if self._may_add(now[tail], head, tail):
                    found.append((gain(tail, now[tail], head) - lost, tail, True))
            elif self._may_add(others, tail, head):
                found.append((gain(head, others, tail), tail, False))
        return [change for change in found if change[0] > TIE]

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
