"""The optimum over one component by dynamic programming over subsets (cpp/core/exact/subset_dp.hpp)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.exact.budget import Budget
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["dp_fits", "dp_twin", "solve_by_dp"]


def dp_fits(variables: int, budget: Budget) -> bool:
    """Say whether two layers of subsets fit in the memory limit (and the variables in 32)."""
    from arcwise import _core

    dp = _core.exact.SubsetDp
    return variables <= dp.largest and dp.memory_for(variables, layered=True) <= budget.limits.native_memory


def solve_by_dp(sets: CandidateSets, budget: Budget, threads: int) -> tuple[float, NDArray[np.int64]] | None:
    """Return the optimum and its rows; None if the budget was not enough (its status says which limit).

    An acyclic choice must exist, which `feasible_order` finds out in less time.
    """
    from arcwise import _core

    if not dp_fits(sets.variables, budget):
        budget.stop(Status.MEMORY_LIMIT)
        return None
    dp = _core.exact.SubsetDp(sets, layered=True)
    reason = dp.run(threads, budget.seconds_left, budget.native_report("subset DP"))
    if reason:
        budget.stop(Status.from_native(reason))
        return None
    return dp.optimum, dp.rows()


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
