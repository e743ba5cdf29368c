"""Every acyclic choice of table rows, one by one: what no clever search can get wrong. For up to five or six nodes."""

from __future__ import annotations

import itertools
import math

from arcwise.graph import Constraints
from arcwise.parent_sets import ParentSetTable


def is_acyclic(parents: list[tuple[int, ...]]) -> bool:
    left = set(range(len(parents)))
    while left:
        free = {v for v in left if not left.intersection(parents[v])}
        if not free:
            return False
        left -= free
    return True


def best_score(table: ParentSetTable, constraints: Constraints | None = None) -> float:
    """The highest score of an acyclic choice that satisfies the constraints; minus infinity if there is none."""
    best = -math.inf
    families = []
    for v in range(table.n_variables):
        rows = [(table.scores[r], table.parents_of(r)) for r in table.rows_of(v)]
        families.append([row for row in rows if constraints is None or constraints.allows(v, row[1])])
    for choice in itertools.product(*families):
        if is_acyclic([parents for _, parents in choice]):
            best = max(best, math.fsum(score for score, _ in choice))
    return best


def networks_within(table: ParentSetTable, distance: float) -> int:
    """How many acyclic choices score within `distance` of the best."""
    families = [[(table.scores[r], table.parents_of(r)) for r in table.rows_of(v)] for v in range(table.n_variables)]
    scores = [
        math.fsum(score for score, _ in choice)
        for choice in itertools.product(*families)
        if is_acyclic([parents for _, parents in choice])
    ]
    return sum(score >= max(scores) - distance for score in scores)
