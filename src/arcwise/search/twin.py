"""The readable Python twins of the native local searches: what the native code is compared with in tests."""

from __future__ import annotations

import itertools
import math

from arcwise.data import Dataset
from arcwise.graph import Constraints, Dag
from arcwise.scores import Score

__all__ = ["climb_twin", "neighbours_twin", "score_tolerance"]

Parents = tuple[frozenset[int], ...]
Move = tuple[int, int, int]  # kind (0 add, 1 remove, 2 reverse), from, to


def score_tolerance(score: float) -> float:
    """Return the difference below which two scores count as equal."""
    return max(1e-8, 1e-11 * abs(score))


def neighbours_twin(data: Dataset, score: Score, child: int, parents: frozenset[int]) -> list[float]:
    """Return the score of `child` with each variable added to its parents or taken from them; NaN at the child."""
    return [
        math.nan if x == child else score.score_family_twin(data, child, parents ^ {x}) for x in range(data.n_variables)
    ]


def climb_twin(
    data: Dataset, score: Score, *, constraints: Constraints | None = None, tabu: int = 0
) -> tuple[Parents, float, list[float]]:
    """Hill-climb from the required arcs, or search with a tabu list; return parents, score and history.

    Nothing is kept from one iteration to the next: every change is made, checked and scored afresh.
    """
    rules = constraints or Constraints(data.names)
    n = data.n_variables
    local: dict[tuple[int, frozenset[int]], float] = {}

    def total(network: Parents) -> float:
        for v, ps in enumerate(network):
            if (v, ps) not in local:
                local[v, ps] = score.score_family_twin(data, v, ps)
        return sum(local[v, ps] for v, ps in enumerate(network))

    def after(network: Parents, move: Move) -> Parents | None:
        kind, a, b = move
        if (a in network[b]) == (kind == 0):
            return None
        changed = list(network)
        changed[b] = network[b] ^ {a}
        if kind == 2:
            changed[a] = network[a] | {b}
        legal = all(rules.allows(v, sorted(changed[v])) for v in (a, b)) and is_acyclic(changed)
        return tuple(changed) if legal else None

    current: Parents = tuple(frozenset(rules.index(p) for p in rules.required_parents(v)) for v in range(n))
    value = total(current)
    best, best_value = current, value
    history = [value]
    tolerance = score_tolerance(value)
    moves = [(kind, a, b) for kind in range(3) for a, b in itertools.permutations(range(n), 2)]
    recent: list[Parents] = []
    losses = 0
    while True:
        if tabu:
            recent = [*recent, current][-tabu:]
        reachable = [(m, s) for m in moves if (s := after(current, m)) is not None and s not in recent]
        chosen, gain = None, -math.inf
        for _, network in reachable:
            change = total(network) - value
            if change > gain + tolerance:
                chosen, gain = network, change
        if chosen is None:
            break
        if gain < tolerance:
            if losses >= tabu:
                break
            losses += 1
        current, value = chosen, total(chosen)
        history.append(value)
        if value > best_value + tolerance:
            best, best_value, losses = current, value, 0
    return best, best_value, history


def is_acyclic(parents: list[frozenset[int]]) -> bool:
    """Say whether parent sets make a DAG."""
    try:
        Dag([f"X{v}" for v in range(len(parents))], parents)
    except ValueError:
        return False
    return True
