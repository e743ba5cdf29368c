"""Confidences of permuted data: what edges look like where there is nothing to find (for Broom's rule)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.recipe_confidence import carry_out
from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.ensemble.recipe import Recipe, Run
from arcwise.ensemble.uncut import Uncut
from arcwise.errors import OptionError
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.seeds import Seed, resolve_seed
from arcwise.showing import one_screen
from arcwise.thread_count import thread_count

__all__ = ["PermutedConfidences", "permuted_confidences"]


@one_screen
@dataclass(frozen=True, eq=False)
class PermutedConfidences:
    """The confidence vectors of permuted data, one row per permutation, for `broom_threshold`."""

    vectors: NDArray[np.float64]
    names: tuple[str, ...]
    recipe: Recipe
    status: Status

    @property
    def complete(self) -> bool:
        """True if no permutation is missing."""
        return self.status is Status.COMPLETE


def permuted_confidences(
    data: Dataset | Incomplete | Uncut,
    recipe: Recipe,
    *,
    permutations: int = 60,
    seed: Seed = None,
    threads: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> PermutedConfidences:
    """Shuffle every column of the data on its own, learn as from the data, and average; again and again.

    Parameters
    ----------
    data
        The data that the confidences come from; of data with gaps, the gaps are shuffled with the values, of
        uncut data the numbers, which are then cut as those of the data were.
    recipe
        How they were found; `EdgeConfidence.recipe` has it.
    permutations
        How many permuted data sets; 60 as in the thesis (p. 69).
    seed
        Fixes the random numbers; permutation k depends on the seed and on k alone.
    threads
        How many to use; None for all cores. Results do not depend on them.
    limits
        `seconds` for all permutations. At the limit, or on Ctrl-C, the result has those that are finished.
    progress
        See `arcwise.progress.show_progress`.
    """
    if permutations < 2:
        raise OptionError(Argument("permutations", permutations), "must be at least 2; 60 is usual.")
    root = resolve_seed(seed)
    deadline = Deadline.of(limits)
    status = Status.COMPLETE
    vectors: list[NDArray[np.float64]] = []
    with show_progress(progress) as callback:
        try:
            for index in range(permutations):
                if deadline.is_over:
                    status = Status.TIME_LIMIT
                    break
                draws = np.random.default_rng([root, index])
                shuffled = data.permute_columns(seed=draws)
                run = Run(int(draws.integers(2**32)), thread_count(threads), deadline.limits, progress=False)
                made = carry_out(recipe, shuffled, run)
                if made.confidence is None or made.status is not Status.COMPLETE:
                    status = made.status  # this permutation was not treated as the data were
                    break
                vectors.append(made.confidence.vector)
                ahead = deadline.seconds / len(vectors) * (permutations - len(vectors))
                callback(ProgressEvent("permutations", len(vectors), permutations, {"seconds left": ahead}))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    pairs = data.n_variables * (data.n_variables - 1) // 2
    table = np.array(vectors) if vectors else np.empty((0, pairs))
    return PermutedConfidences(table, data.names, recipe, status)
