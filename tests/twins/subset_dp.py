"""The best score of every subset of variables, by dynamic programming."""

from __future__ import annotations

import math

from arcwise._core.parent_sets import CandidateSets


def dp_twin(sets: CandidateSets) -> list[float]:
    """Return best[U] for every subset U, in plain Python: what the native program is compared with."""
    n, offsets, scores = sets.variables, sets.offsets.tolist(), sets.scores.tolist()
    masks = [int(row[0]) for row in sets.sets]
    best = [0.0] + [-math.inf] * (2**n - 1)
    for subset in range(1, 2**n):
        for v in range(n):
            if not subset >> v & 1:
                continue
            before = subset ^ (1 << v)
            local = next((scores[r] for r in range(offsets[v], offsets[v + 1]) if masks[r] & ~before == 0), -math.inf)
            best[subset] = max(best[subset], best[before] + local)
    return best
