"""Confidences of permuted data: what edges look like where there is nothing to find, and Broom's rule by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.cluster import Cluster
from arcwise.base.errors import OptionError, check_argument
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, resolve_seed, thread_count
from arcwise.base.showing import one_screen
from arcwise.confidence.by_recipe import carry_out, recipe_of
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.threshold import Threshold
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.networks.recipe import Recipe
from arcwise.sampled.numeric_data import NumericData

# Broom, Do and Subramanian (2012): the cut-off that leaves most edges above what permuted data show by chance.
#
# Permuting every column on its own destroys all dependence, so that each edge found there is false. With E_b(c) the
# number of edges above c in the data and E_p(c) their mean number over the permutations, E_b(c) - E_p(c) estimates the
# number of true edges above c, and the rule takes the c that maximises it (Liao 2022, section 5.4, p. 65). Of equally
# good cut-offs we take the highest: it believes fewest edges.
#
# On data without any dependence the published rule still takes the largest chance excess, however small. We therefore
# first ask whether the data show more than chance: about how many edges are nearly certain, the sum of high powers of
# the confidences, is ranked among those of the permutations. Without dependence the data are one more permutation, so
# every rank is equally likely: if it is not among the largest `significance` share, no edge is significant. Any
# statistic makes a valid test; this one has power where others have none. The plain sum of the confidences counts what
# a bootstrap of few cases finds here and there, of which permuted data have more: of 25 networks of 5 to 14 variables
# from the literature it found dependence in 7 with 100 cases and in 11 with 300, eighth powers in 24 and in all (20
# permutations). The largest excess itself is weak, too: near c = 0 the number of edges of permuted data varies by
# several, which hides the few certain edges of a small network.


# By this power confidences count as nearly certain edges: 0.95 for two thirds, 0.8 for a sixth.
CERTAINTY = 8


def broom_threshold(
    confidences: NDArray[np.float64], permuted: NDArray[np.float64], *, significance: float | None = 0.05
) -> Threshold:
    """Return the cut-off with the largest excess of edges over permuted data.

    Parameters
    ----------
    confidences
        The confidence of every pair of variables.
    permuted
        The same for each permutation of the data, one row each; the thesis uses 60.
    significance
        The chance of finding any edge in data without dependence; None for the rule as published.
    """
    observed = np.asarray(confidences, dtype=np.float64)
    null = np.asarray(permuted, dtype=np.float64)
    if null.ndim != 2 or len(null) < 2 or null.shape[1] != len(observed):
        raise OptionError(
            f"Broom's rule needs at least 2 permutations (60 is usual) over the same {len(observed)} pairs; got an "
            f"array of shape {null.shape}."
        )
    fits = significance is None or 0 < significance < 1
    check_argument(fits, "significance", significance, "must be between 0 and 1, or None for the published rule.")
    cutoffs = np.unique(np.concatenate(([0.0], observed, null.ravel())))
    mine = _edges_above(observed, cutoffs)
    mean = np.mean([_edges_above(row, cutoffs) for row in null], axis=0)
    excess = mine - mean
    best = int(np.flatnonzero(excess >= excess.max() - 1e-9)[-1])
    details = {"permutations": float(len(null)), "excess": float(excess[best]), "false_edges": float(mean[best])}
    value = float(cutoffs[best])
    # Ties count against the data; sums of the same numbers in another order may differ in the last bits.
    certain, by_chance = float((observed**CERTAINTY).sum()), (null**CERTAINTY).sum(axis=1)
    details["p_value"] = float((1 + (by_chance >= certain - 1e-9).sum()) / (1 + len(null)))
    details["certain_edges"], details["certain_by_chance"] = certain, float(by_chance.mean())
    if excess[best] <= 0 or (significance is not None and details["p_value"] > significance):
        value = 1.0
    return Threshold(value, "broom", "permuted columns show how many edges chance alone gives", details)


def _edges_above(values: NDArray[np.float64], cutoffs: NDArray[np.float64]) -> NDArray[np.float64]:
    return (len(values) - np.searchsorted(np.sort(values), cutoffs, side="right")).astype(np.float64)


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
    data: Dataset | Incomplete | NumericData,
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
    seed, threads, progress
        See `Run`. Permutation k depends on the seed and on k alone.
    limits
        `seconds` for all permutations. At the limit, or on Ctrl-C, the result has those that are finished.
    cluster
        Workers of a Dask cluster that learn from one permutation each; the same results. Data with gaps, and numbers
        that are cut anew, are permuted here, and the replicates learned there.
    """
    check_argument(permutations >= 2, "permutations", permutations, "must be at least 2; 60 is usual.")
    root = resolve_seed(seed)
    status = Status.COMPLETE
    vectors: list[NDArray[np.float64]] = []
    used = thread_count(threads) if cluster is None else 1  # a worker has one core
    with Run.begin(limits, progress, used, cluster) as run:
        try:
            for vector, ended in _Shuffles(data, recipe, root).learned(permutations, run):
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

    data: Dataset | Incomplete | NumericData
    recipe: Recipe
    root: int

    def learned(self, count: int, run: Run) -> Iterator[Learned]:
        """Yield what was learned from each permutation, in order, here or on a cluster, until the time is over."""

        def note(done: int) -> None:
            run.report("permutations", done, count, **{"seconds left": run.seconds / done * (count - done)})

        if run.cluster is None or not isinstance(self.data, Dataset):
            for index in range(count):
                if run.is_over:
                    yield None, Status.TIME_LIMIT
                    return
                made = self.learn(index, run)
                yield made  # what is finished is kept, if Ctrl-C comes while it is told
                note(index + 1)
            return
        asked = [(index, run.limits) for index in range(count)]
        digest = f"{self.data.digest} {json.dumps(self.recipe.describe(), sort_keys=True, default=str)} {self.root}"
        kept: dict[int, Learned] = {}
        ended = Status.TIME_LIMIT
        try:
            run.cluster.run_all(_learn_shuffled, self, digest, asked, run=run, note=note, kept=kept)
        except KeyboardInterrupt:
            ended = Status.INTERRUPTED
        whole = [kept[index] for index in sorted(kept) if kept[index][0] is not None]
        yield from whole
        if len(whole) < count:
            yield None, ended

    def learn(self, index: int, run: Run) -> Learned:
        """Shuffle, learn and average."""
        draws = np.random.default_rng([self.root, index])
        shuffled = self.data.permute_columns(seed=draws)
        own = run.but(seed=int(draws.integers(2**32)), limits=run.limits, progress=False)
        made = carry_out(self.recipe, shuffled, own)
        return made.vector, made.status


def _learn_shuffled(shuffles: _Shuffles, asked: tuple[int, Limits]) -> Learned:
    return shuffles.learn(asked[0], Run(threads=1, limits=asked[1]))


def broom_from_confidence(
    confidence: EdgeConfidence,
    *,
    data: Dataset | None = None,
    permuted: NDArray[np.float64] | None = None,
    significance: float | None = 0.05,
    **options: Any,
) -> Threshold:
    """Apply the rule to confidences: with the data, permuting them here, or with vectors of permuted data.

    Permuted data are treated as the data were: the same score, method and settings. `options` are those of
    `permuted_confidences`: permutations (60), seed, limits, progress.
    """
    if (data is None) == (permuted is None):
        raise OptionError(
            "Broom's rule needs either data=, the data that the confidences come from, or permuted=, confidence "
            "vectors of permuted data; give one."
        )
    if permuted is not None:
        if options:
            raise OptionError(f"{', '.join(options)}: these options are for data=; permuted= is used as it is.")
        return broom_threshold(confidence.vector, permuted, significance=significance)
    assert data is not None
    if data.names != confidence.names:
        raise OptionError("the data have different variables from the confidences, or in another order.")
    found = permuted_confidences(data, recipe_of(confidence), **options)
    if len(found.vectors) < 2:
        raise OptionError(f"fewer than 2 permutations were finished ({found.status}); allow more time.")
    return broom_threshold(confidence.vector, found.vectors, significance=significance)
