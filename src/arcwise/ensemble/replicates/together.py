"""Replicates that are counted together.

With many rows, nearly all of a replicate's time is counting, and replicates of many cases ask for much the same
families. So a batch of them is searched one after the other over counts that are made for all of them at once. Each
gets the network and the score that it would get alone, to the last bit; which ones are together does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.defaults import MANY_VARIABLES
from arcwise.ensemble.replicates.batches import CountedBatch
from arcwise.limits import Limits, Status
from arcwise.local.problem import LocalProblem

if TYPE_CHECKING:
    from arcwise._core.local import ClimbOptions, LocalLearner, Outcome

__all__ = ["Interrupted", "climb_together", "counted_together", "lay_out_together"]

# With fewer distinct rows a replicate is counted in less time than it takes to score what others ask for: child with
# 20,000 cases takes as long either way, alarm with 50,000 (23,000 distinct rows) twice as long together, child with
# 2,000,000 (606,000) a sixth.
FEWEST_ROWS = 2**16
# A weight beyond a byte takes extra work: on average they are to be far below.
MOST_WEIGHT = 16
# What the weights of a batch may take, at BYTES a row and replicate; fewer replicates than FEWEST are as quick alone.
BATCH_BYTES = 2**29
BYTES = 12
FEWEST = 8


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in the middle of a batch, with what was finished before."""

    def __init__(self, found: list[Any]) -> None:
        super().__init__()
        self.found = found


def counted_together(problem: LocalProblem) -> int:
    """Return how many replicates of the data are best counted together; 1: each alone."""
    from arcwise import _core

    data = problem.data
    if data.n_rows < FEWEST_ROWS or data.n_variables > MANY_VARIABLES:
        return 1
    if data.n_cases >= 2**32 or data.n_cases > MOST_WEIGHT * data.n_rows:
        return 1
    if data.targets is not None or not _core.local.RareColumns.fits(data.arities, data.n_rows):
        return 1
    most = min(_core.local.REPLICATES_TOGETHER, BATCH_BYTES // (BYTES * data.n_rows))
    return most if most >= FEWEST else 1


def lay_out_together(
    problem: LocalProblem, seed: int, indices: Sequence[int], drawn: Sequence[tuple[NDArray[np.int64], int]]
) -> CountedBatch:
    """Lay out replicates, of each of which the weights of rows and the seed of its search were drawn."""
    from arcwise import _core

    weights, seeds = zip(*drawn, strict=True)
    counts = _core.local.ReplicateCounts(problem.blocks, problem.rare, list(weights))
    return CountedBatch(problem.layout, seed, tuple(indices), np.array(seeds, dtype=np.uint64), counts)


def climb_together(
    learner: LocalLearner,
    batch: CountedBatch,
    options: ClimbOptions,
    *,
    limits: Limits,
    progress: Callable[..., None],
) -> list[Outcome]:
    """Climb in each replicate with its seed; where the time ends or Ctrl-C comes, in the first of them."""
    found = learner.climb_together(batch.counts, batch.search_seeds, options, limits.native_seconds, progress)
    complete = [outcome for outcome in found if Status.from_native(outcome[-1]) is Status.COMPLETE]
    if found and Status.from_native(found[-1][-1]) is Status.INTERRUPTED:
        raise Interrupted(complete)
    return complete
