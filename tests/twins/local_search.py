"""The readable Python twins of the native local searches: what the native code is compared with in tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from tests.twins.scores import score_family_twin

from arcwise.data import Dataset
from arcwise.graph import Constraints, Dag
from arcwise.scores import Score

__all__ = ["climb_twin", "neighbours_twin", "score_tolerance"]

Parents = tuple[frozenset[int], ...]
Move = tuple[int, int, int]  # kind (0 add, 1 remove, 2 reverse), from, to
WORD = 2**64 - 1


def score_tolerance(score: float) -> float:
    """Return the difference below which two scores count as equal."""
    return max(1e-8, 1e-11 * abs(score))


def neighbours_twin(data: Dataset, score: Score, child: int, parents: frozenset[int]) -> list[float]:
    """Return the score of `child` with each variable added to its parents or taken from them; NaN at the child."""
    return [
        math.nan if x == child else score_family_twin(score, data, child, parents ^ {x})
        for x in range(data.n_variables)
    ]


def climb_twin(
    data: Dataset,
    score: Score,
    *,
    constraints: Constraints | None = None,
    tabu: int = 0,
    refine: int = 0,
    narrow: bool = False,
    reach: tuple[int, int] = (512, 64),
) -> tuple[Parents, float, list[float]]:
    """Hill-climb from the required arcs, or search with a tabu list, and refine; return parents, score and history.

    Nothing is kept from one iteration to the next: every change is made, checked and scored again. The refinement has
    no limit on its effort. With `narrow` it adds only arcs between variables that have been joined, or that would have
    gained by an arc between them when the climb came through; then it climbs on among all. In a network of more arcs
    than ``reach[0]``, it turns arcs at random only among the ``reach[1]`` variables nearest to the arc at hand.
    """
    search = _Twin(data, score, constraints or Constraints(data.names), reach)
    search.climb(tabu)
    search.narrow = narrow
    search.refine(refine)
    if narrow and refine:
        search.narrow = False
        search.climb_on()
    return search.best, search.best_value, search.history


class _Twin:
    def __init__(self, data: Dataset, score: Score, rules: Constraints, reach: tuple[int, int] = (512, 64)) -> None:
        self._reach, self.narrow = reach, False
        self._gained: set[frozenset[int]] = set()
        self._data, self._score, self._rules = data, score, rules
        self._nodes = range(data.n_variables)
        self._local: dict[tuple[int, frozenset[int]], float] = {}
        self._rank = list(self._nodes)
        self._required = [frozenset(rules.index(p) for p in rules.required_parents(v)) for v in self._nodes]
        self.best: Parents = tuple(self._required)
        self.best_value = self._total(self.best)
        self.history = [self.best_value]

    def _total(self, network: Parents) -> float:
        for v, parents in enumerate(network):
            if (v, parents) not in self._local:
                self._local[v, parents] = score_family_twin(self._score, self._data, v, parents)
        return sum(self._local[v, parents] for v, parents in enumerate(network))

    def _allows(self, network: Sequence[frozenset[int]], *nodes: int) -> bool:
        return all(self._rules.allows(v, sorted(network[v])) for v in nodes)

    def _after(self, network: Parents, move: Move) -> Parents | None:
        kind, a, b = move
        if (a in network[b]) == (kind == 0):
            return None
        if self.narrow and kind == 0 and frozenset((a, b)) not in self._gained:
            return None
        changed = list(network)
        changed[b] = network[b] ^ {a}
        if kind == 2:
            changed[a] = network[a] | {b}
        return tuple(changed) if self._allows(changed, a, b) and is_acyclic(changed) else None

    def _best_change(self, network: Parents, tolerance: float, tabu: list[Parents]) -> tuple[Parents | None, float]:
        moves = [(kind, a, b) for kind in range(3) for a, b in itertools.permutations(self._nodes, 2)]
        moves.sort(key=lambda move: (move[0], self._rank[move[1]], self._rank[move[2]]))
        value = self._total(network)
        chosen, gain = None, -math.inf
        for move in moves:
            changed = self._after(network, move)
            if changed is not None and changed not in tabu:
                change = self._total(changed) - value
                if change > gain + tolerance:
                    chosen, gain = changed, change
        return chosen, gain

    def climb(self, tabu: int) -> None:
        current = self.best
        tolerance = score_tolerance(self.best_value)
        recent: list[Parents] = []
        losses = 0
        while True:
            self._note_gains(current)
            if tabu:
                recent = [*recent, current][-tabu:]
            chosen, gain = self._best_change(current, tolerance, recent)
            if chosen is None:
                return
            if gain < tolerance:
                if losses >= tabu:
                    return
                losses += 1
            current = chosen
            value = self._total(current)
            self.history.append(value)
            if value > self.best_value + tolerance:
                self.best, self.best_value, losses = current, value, 0

    def _note_gains(self, network: Parents) -> None:
        """Note which variables are joined, or would gain by an arc between them, whether it closes a cycle or not."""
        for v, parents in enumerate(network):
            self._gained |= {frozenset((v, p)) for p in parents}
            for x in set(self._nodes) - parents - {v}:
                more = list(network)
                more[v] = parents | {x}
                if self._allows(more, v) and self._total(tuple(more)) > self._total(network):
                    self._gained.add(frozenset((v, x)))

    def climb_on(self) -> None:
        """Climb from the best network, in the order of ties that refinement left."""
        tolerance = score_tolerance(self.best_value)
        while True:
            chosen, gain = self._best_change(self.best, tolerance, [])
            if chosen is None or gain < tolerance:
                return
            self.best, self.best_value = chosen, self._total(chosen)
            self.history.append(self.best_value)

    def refine(self, rounds: int) -> None:
        random = _Xoshiro(0)
        tolerance = score_tolerance(self.best_value)
        current = self.best
        idle = 0
        while idle < rounds:
            arcs = arcs_of(current)
            random.shuffle(arcs)
            for a, b in arcs:
                if a not in current[b]:
                    continue
                random.shuffle(self._rank)
                changed = self._turn_covered(current, (a, b), random)
                if idle % 2 == 1:
                    changed = [
                        self._required[v] if v == b else parents - ({b} - self._required[v])
                        for v, parents in enumerate(changed)
                    ]
                elif a in self._required[b]:
                    continue
                else:
                    changed[a], changed[b] = self._required[a] | {b}, self._required[b]
                if not self._allows(changed, a, b) or not is_acyclic(changed):
                    continue
                found = tuple(changed)
                while True:
                    better, gain = self._best_change(found, tolerance, [])
                    if better is None or gain < tolerance:
                        break
                    found = better
                value = self._total(found)
                if value >= self.best_value - tolerance:
                    current = found
                if value > self.best_value + tolerance:
                    self.best, self.best_value, idle = found, value, -1
                    self.history.append(value)
                    break
            idle += 1

    def _near(self, network: Parents, arc: tuple[int, int]) -> list[tuple[int, int]]:
        whole, most = self._reach
        arcs = arcs_of(network)
        if len(arcs) <= whole:
            return arcs
        near = list(arc)
        for v in near:
            children = [child for child in self._nodes if v in network[child]]
            for u in (*sorted(network[v]), *children):
                if u not in near and len(near) < most:
                    near.append(u)
        return [(a, b) for a, b in arcs if a in near and b in near]

    def _turn_covered(self, network: Parents, arc: tuple[int, int], random: _Xoshiro) -> list[frozenset[int]]:
        turned = list(network)
        arcs = self._near(network, arc)
        for _ in range(len(arcs) // 2):
            place = random.below(len(arcs))
            a, b = arcs[place]
            if turned[b] == turned[a] | {a} and a not in self._required[b]:
                other = [*turned]
                other[a], other[b] = turned[a] | {b}, turned[b] - {a}
                if self._allows(other, a, b):
                    turned, arcs[place] = other, (b, a)
        return turned


def arcs_of(network: Sequence[frozenset[int]]) -> list[tuple[int, int]]:
    """Return the arcs, by child and parent."""
    return [(a, b) for b, parents in enumerate(network) for a in sorted(parents)]


def is_acyclic(parents: Sequence[frozenset[int]]) -> bool:
    """Return whether parent sets make a DAG."""
    try:
        Dag([f"X{v}" for v in range(len(parents))], parents)
    except ValueError:
        return False
    return True


class _Xoshiro:
    """The random numbers of the core: xoshiro256** (Blackman and Vigna 2021), seeded by splitmix64."""

    def __init__(self, seed: int) -> None:
        self._state = [self._mix(seed + 0x9E3779B97F4A7C15 * i) for i in range(1, 5)]

    @staticmethod
    def _mix(z: int) -> int:
        z &= WORD
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & WORD
        return z ^ (z >> 31)

    def _next(self) -> int:
        def rotate(x: int, k: int) -> int:
            return (x << k | x >> (64 - k)) & WORD

        s = self._state
        result = rotate(s[1] * 5 & WORD, 7) * 9 & WORD
        t = s[1] << 17 & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        return result

    def below(self, bound: int) -> int:
        excess = 2**64 % bound
        drawn = self._next()
        while drawn < excess:
            drawn = self._next()
        return drawn % bound

    def shuffle(self, values: list[Any]) -> None:
        for i in range(len(values), 1, -1):
            j = self.below(i)
            values[i - 1], values[j] = values[j], values[i - 1]
