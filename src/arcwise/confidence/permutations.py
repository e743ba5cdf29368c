"""Confidences of permuted data: what edges look like where there is nothing to find (for Broom's rule)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.cluster import Cluster
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
    cluster: Cluster | None = None,
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
    cluster
        Workers of a Dask cluster that learn from one permutation each; the same results. Data with gaps, and numbers
        that are cut anew, are permuted here, and the replicates learned there.
    """
    if permutations < 2:
        raise OptionError(Argument("permutations", permutations), "must be at least 2; 60 is usual.")
    root = resolve_seed(seed)
    deadline = Deadline.of(limits)
    status = Status.COMPLETE
    vectors: list[NDArray[np.float64]] = []
    asked = thread_count(threads)
    shuffles = _Shuffles(data, recipe, root, asked if cluster is None else 1)  # a worker has one core
    with show_progress(progress) as callback:

        def note(done: int) -> None:
            ahead = deadline.seconds / done * (permutations - done)
            callback(ProgressEvent("permutations", done, permutations, {"seconds left": ahead}))

        try:
            for vector, ended in shuffles.learned(permutations, deadline, cluster, note):
                status = ended
                if vector is None:  # this permutation was not treated as the data were
                    break
                vectors.append(vector)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    pairs = data.n_variables * (data.n_variables - 1) // 2
    table = np.array(vectors) if vectors else np.empty((0, pairs))
    return PermutedConfidences(table, data.names, recipe, status)


Learned = tuple[NDArray[np.float64] | None, Status]


@dataclass(frozen=True, eq=False)
class _Shuffles:
    """Data to shuffle and learn from, again and again; what comes of it depends on the index alone."""

    data: Dataset | Incomplete | Uncut
    recipe: Recipe
    root: int
    threads: int

    def learned(
        self, count: int, deadline: Deadline, cluster: Cluster | None, note: Callable[[int], None]
    ) -> Iterator[Learned]:
        """Yield what was learned from each permutation, in order, here or on a cluster, until the time is over."""
        if cluster is None or not isinstance(self.data, Dataset):
            for index in range(count):
                if deadline.is_over:
                    yield None, Status.TIME_LIMIT
                    return
                made = self.learn(index, deadline.limits, cluster)
                yield made  # what is finished is kept, if Ctrl-C comes while it is told
                note(index + 1)
            return
        asked = [(index, deadline.limits) for index in range(count)]
        digest = f"{self.data.digest} {json.dumps(self.recipe.describe(), sort_keys=True, default=str)} {self.root}"
        kept: dict[int, Learned] = {}
        ended = Status.TIME_LIMIT
        try:
            cluster.run_all(_learn_shuffled, self, digest, asked, deadline=deadline, note=note, kept=kept)
        except KeyboardInterrupt:
            ended = Status.INTERRUPTED
        whole = [kept[index] for index in sorted(kept) if kept[index][0] is not None]
        yield from whole
        if len(whole) < count:
            yield None, ended

    def learn(self, index: int, limits: Limits, cluster: Cluster | None = None) -> Learned:
        """Shuffle, learn and average."""
        draws = np.random.default_rng([self.root, index])
        shuffled = self.data.permute_columns(seed=draws)
        run = Run(int(draws.integers(2**32)), self.threads, limits, progress=False, cluster=cluster)
        made = carry_out(self.recipe, shuffled, run)
        whole = made.confidence is not None and made.status is Status.COMPLETE
        return made.confidence.vector if whole and made.confidence is not None else None, made.status


def _learn_shuffled(shuffles: _Shuffles, asked: tuple[int, Limits]) -> Learned:
    return shuffles.learn(*asked)
