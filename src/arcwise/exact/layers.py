"""The optimum over one component by search over layered orders (cpp/core/exact/layered_search.hpp), where it is quick.

It is for tables with many sets per variable, whose linear programs are dear, if the bound of its root is near the
incumbent. What it will take cannot be known beforehand, so it gives up once its own estimate is above the limit on
work, or above a limit on nodes or memory; the linear relaxation then begins as if nothing had been tried.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arcwise.exact.budget import Budget
from arcwise.exact.incumbent import Incumbent
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["LayeredOutcome", "solve_by_layers"]

# Sets per variable from which on it is tried: with fewer the linear programs take milliseconds.
DENSE = 64
# The widest gap of the root per variable. Beyond, what it takes grows too fast.
WIDE = 3.0
# Sets looked at, for each set of the table, before it gives up: 1.5 ns each. Linear programs take as long as 120,000
# (kdd_test) to 1,400,000 (soybean_BIC) of these.
WORK = 500_000
# The part of a time limit that it may use: what is left is for the linear relaxation, whose bound is better.
SHARE = 0.5


@dataclass(frozen=True)
class LayeredOutcome:
    """Whether the optimum is proved, and an upper bound. The incumbent has the best network found."""

    proved: bool
    bound: float


def solve_by_layers(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> LayeredOutcome:
    """Search until the end, until it gives up, or until the budget is exhausted; do nothing if it does not suit.

    Networks that are better than the incumbent by less than the tolerance are not looked for.
    """
    from arcwise import _core

    unknown = LayeredOutcome(False, math.inf)
    if sets.variables > _core.exact.LayeredSearch.largest or sets.rows < DENSE * sets.variables:
        return unknown
    if budget.exhausted():
        return unknown
    search = _core.exact.LayeredSearch(sets, incumbent.order, tolerance, budget.pulse)
    if not search.is_exact:
        return unknown
    bound = incumbent.score + search.gap
    if search.gap > WIDE * sets.variables or budget.exhausted():
        return LayeredOutcome(False, bound)

    def report(*_: float) -> None:
        budget.report("exact search", incumbent.score, bound)
        if budget.exhausted():
            raise KeyboardInterrupt

    # The nodes count only if they prove something: after a search that is given up, the limit is for the tree.
    allowed = (WORK * sets.rows, budget.nodes_left, budget.limits.native_memory)
    finished, reason = search.run(*allowed, SHARE * budget.seconds_left, report)
    incumbent.take(search.order)
    if finished:
        budget.nodes += search.nodes
        return LayeredOutcome(True, incumbent.score)
    if Status.from_native(reason) is Status.INTERRUPTED:
        budget.stop(Status.INTERRUPTED)
    return LayeredOutcome(False, max(bound, incumbent.score))
