"""Confidences by recipe: the networks are made as it says, from the data or from permutations of them, and averaged."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.cluster import Cluster
from arcwise.base.errors import Argument, OptionError, Remedy, UnfinishedError, check_argument, check_known
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import HasStatus, Limits, Run, Seed, Status, resolve_seed, thread_count
from arcwise.base.showing import one_screen
from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.chance import find_chance
from arcwise.confidence.edge_confidence import EdgeConfidence, Threshold, rounded
from arcwise.confidence.learned_table import learned_table
from arcwise.confidence.reach import DRAWS
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset, Frame, Incomplete, dataset_of
from arcwise.networks.completions import with_completions
from arcwise.networks.network_list import NetworkSet, concatenate
from arcwise.networks.recipe import Ensemble, Recipe
from arcwise.posterior.chain_posterior import joined_chains
from arcwise.recipes.source import as_recut, completions_for
from arcwise.sampled.numeric_data import NumericData, Sampled
from arcwise.scores.score import scored_of

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData
    from arcwise.scores.score import Whole


def label_of(recipe: Recipe) -> str:
    """Return the name of a member of an ensemble: source and score, "bootstrap:bic"."""
    return f"{recipe.source}:{recipe.score['name']}"


def recipe_of(confidence: EdgeConfidence, *, most: int | None = None) -> Recipe:
    """Return how a confidence was found, so that other data can be treated the same way.

    With at most so many networks, where the source makes as many as it is told: shares of fewer are coarser, and mean
    the same.
    """
    if confidence.recipe is None:
        raise OptionError(
            f"permuted data must be treated as the data were, but these confidences (origin '{confidence.origin}') do "
            "not say how they were found.",
            remedies=Remedy("learn from the permuted data yourself and give", Argument("permuted")),
        )
    recipe, counted_by = confidence.recipe, confidence.recipe.source_facts.counted_by
    if not counted_by:
        return recipe
    count = confidence.n_networks if most is None else min(most, confidence.n_networks)
    return replace(recipe, settings={**recipe.settings, counted_by: count})


@dataclass(frozen=True, eq=False)
class RecipeOutcome:
    """What carrying out a recipe gave: networks, and their confidences unless a limit left nothing to average.

    `drawn` are networks of all completions, where the ensemble of data with gaps has none itself. `by_time`: a set that
    could not be listed in the time was averaged from its counts.
    """

    networks: Ensemble
    confidence: EdgeConfidence | None
    status: Status
    drawn: NetworkSet | None = None
    by_time: bool = False

    @property
    def vector(self) -> NDArray[np.float64] | None:
        """The confidences of all pairs, where the recipe was carried out to its end."""
        return None if self.confidence is None or self.status is not Status.COMPLETE else self.confidence.vector


def carry_out(recipe: Recipe, data: Sampled, run: Run | None = None) -> RecipeOutcome:
    """Make the networks of a recipe and average them; from data with gaps, over completions.

    A part of a sample is a smaller sample; a part of a credible set says nothing about the whole, unless it is the best
    networks that the recipe asks for. A set that could be counted but not listed in the time is averaged from its
    counts, which leaves out what equivalence classes say about directions.
    """
    run = run or Run()
    data = as_recut(recipe, data)
    if data.gapless is None:
        return _carry_out_completed(recipe, data, run)
    source = recipe.source_facts
    if isinstance(data, NumericData):
        networks = source.run_uncut(recipe, data, run)
    else:
        networks = source.run(recipe, source.counted(data.gapless), run)
    return averaged_over(recipe, networks, data.gapless.n_effective, run)


def averaged_over(recipe: Recipe, networks: Ensemble, n_cases: int, run: Run) -> RecipeOutcome:
    """Average the networks of complete data."""
    is_sample = recipe.source_facts.is_sample
    capped = networks.status is Status.COUNT_LIMIT and networks.count == recipe.settings.get("most_networks")
    if not networks.count or not (networks.complete or capped or is_sample):
        return RecipeOutcome(networks, None, networks.status)
    if isinstance(networks, CredibleSet):
        try:
            found = edge_confidence(networks, n_cases=n_cases, limits=run.uncounted)
        except OptionError:  # the time ended before the first was listed
            found = None
        if found is None or not found.complete:
            found = edge_confidence(networks.summary(), orient="dag", n_cases=n_cases)
        return RecipeOutcome(networks, replace(found, recipe=recipe), networks.status, by_time=run.is_over)
    found = edge_confidence(networks, n_cases=n_cases)
    return RecipeOutcome(networks, replace(found, recipe=recipe), Status.COMPLETE if capped else networks.status)


def _carry_out_completed(recipe: Recipe, data: Sampled, run: Run) -> RecipeOutcome:
    """Make the networks of every completion, and average the confidences of all; a bootstrap has them mixed already."""
    gaps = data.gaps
    assert gaps is not None
    n_cases = gaps.n_effective
    found: list[EdgeConfidence] = []
    arcs: list[NDArray[np.float64]] = []
    drawn: list[NetworkSet] = []
    by_time = False

    def visit(networks: Ensemble, completion: Dataset) -> None:
        nonlocal by_time
        outcome = averaged_over(recipe, networks, n_cases, run)
        made, by_time = outcome.confidence, by_time or outcome.by_time
        if made is not None:
            found.append(made)
            arcs.append(networks.arc_probabilities())
            each = max(1, DRAWS // completions.count)
            with contextlib.suppress(OptionError, UnfinishedError):  # the time may be over
                drawn.append(networks.drawn(each, seed=run.seed, limits=run.uncounted))

    if isinstance(data, NumericData):
        completions = data.completions or completions_for(recipe, data, run.seed)
        networks = recipe.source_facts.run_uncut(recipe, replace(data, completions=completions), run)
    else:
        completions = completions_for(recipe, data, run.seed)
        networks = recipe.source_facts.run_incomplete(recipe, completions, run, visit)
    filled, digest = gaps.pair_shares_missing, gaps.digest
    if found and networks.count:
        confidence = _mean(recipe, networks, found, arcs)
        confidence = replace(confidence, filled=filled, data_digest=digest)
        return RecipeOutcome(networks, confidence, networks.status, _joined(drawn, len(found)), by_time)
    outcome = averaged_over(recipe, networks, n_cases, run)
    if outcome.confidence is None or found:
        return RecipeOutcome(networks, None, networks.status)
    # Every network has its own completion.
    own = replace(outcome.confidence, filled=filled, data_digest=digest, completions=networks.count)
    return replace(outcome, confidence=own)


def _joined(drawn: list[NetworkSet], completions: int) -> NetworkSet | None:
    """Return the networks of all completions as one set, every completion with the same weight."""
    if len(drawn) < completions or any(part.count == 0 for part in drawn):
        return None
    weights = np.concatenate([part.weights / completions for part in drawn])
    joined = with_completions(concatenate(drawn).with_weights(weights), [part.count for part in drawn])
    return replace(joined, facts=joined.facts | joined_chains([part.facts for part in drawn]))


def _mean(
    recipe: Recipe, networks: Ensemble, found: list[EdgeConfidence], arcs: list[NDArray[np.float64]]
) -> EdgeConfidence:
    """Average confidences over completions; as DAGs, if some could not be read as classes."""
    first, count = found[0], len(found)
    as_classes = all(one.orient == first.orient for one in found)
    directed = np.sum([one.directed for one in found] if as_classes else arcs, axis=0) / count
    undirected = np.sum([one.undirected for one in found], axis=0) / count if as_classes else np.zeros_like(directed)
    present = np.array([one.present for one in found])
    return replace(
        first,
        directed=rounded(directed),
        undirected=rounded(undirected),
        orient=first.orient if as_classes else "dag",
        n_networks=networks.count,
        exact=False,
        complete=networks.complete,
        recipe=recipe,
        completions=count,
        spread=present.std(axis=0, ddof=1),
    )


def confidence_by_recipe(recipe: Recipe, data: Sampled | Frame, run: Run | None = None) -> EdgeConfidence | None:
    """Make the networks of a recipe and average them; None if a limit left nothing that can be averaged.

    Of complete data that fit in memory, shuffled columns are learned from, too: `EdgeConfidence.chance`.
    """
    given: Sampled = scored_of(data, recipe.scorer)
    run = run or Run()
    found = carry_out(recipe, given, run).confidence
    return found if found is None or given.gapless is None else with_chance(found, recipe, given.gapless, run)


def with_chance(found: EdgeConfidence, recipe: Recipe, data: Whole, run: Run) -> EdgeConfidence:
    """Return confidences with what shuffled columns show beside them, if the time suffices."""
    return replace(found, chance=find_chance(data, recipe.scorer, run))


def studied_recipes(*scores: str) -> tuple[Recipe, ...]:
    """Return the recipes that the package's thresholds and combinations were learned with, for these scores or all.

    >>> [label_of(recipe) for recipe in studied_recipes("bic")]
    ['bootstrap:bic', 'credible:bic']
    """
    known = [Recipe.from_description(facts) for facts in learned_table().provenance["recipes"].values()]
    names = [str(recipe.score["name"]) for recipe in known]
    for score in scores:
        check_known("studied score", score, set(names))
    return tuple(recipe for recipe, name in zip(known, names, strict=True) if not scores or name in scores)


def team_confidences(
    data: Dataset | Frame,
    recipes: Sequence[Recipe],
    *,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Mapping[str, EdgeConfidence]:
    """Carry out several recipes on the same data: what `combine_confidences` takes.

    Parameters
    ----------
    data
        The data.
    recipes
        The members of the ensemble, each score and source once; `studied_recipes` are those that a combination was
        trained with.
    seed, limits, progress
        See `Run`. Each member has its own random numbers and `memory_bytes`; the time is shared equally among those
        still to come.

    Returns
    -------
    Mapping
        By label, such as "bootstrap:bic"; a member that found no network within its limits is missing.
    """
    data = dataset_of(data)
    labels = [label_of(recipe) for recipe in recipes]
    if len(set(labels)) < len(labels) or not labels:
        raise OptionError("an ensemble needs at least one recipe, and each source with each score once.")
    root = resolve_seed(seed)
    found: dict[str, EdgeConfidence] = {}
    with Run.begin(limits, progress) as run:
        for index, (label, recipe) in enumerate(zip(labels, recipes, strict=True)):
            run.report(f"ensemble: {label}", index, len(labels))
            own = int(np.random.SeedSequence([root, index]).generate_state(1)[0])
            share = run.part(len(labels) - index).replace(seed=own, progress=False)
            confidence = confidence_by_recipe(recipe, data, share)
            if confidence is not None:
                found[label] = confidence
        run.report("ensemble", len(labels), len(labels))
    if not found:
        raise OptionError(
            "no member found a network within the limits.",
            remedies=(Remedy("allow more time"), Remedy("set a limit on parents:", Argument("max_parents"))),
        )
    return found


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
class PermutedConfidences(HasStatus):
    """The confidence vectors of permuted data, one row per permutation, for `broom_threshold`."""

    vectors: NDArray[np.float64]
    names: tuple[str, ...]
    recipe: Recipe
    status: Status


def permuted_confidences(
    data: Dataset | Incomplete | NumericData | MixedData | Frame,
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
    given: Dataset | Incomplete | NumericData | MixedData = scored_of(data, recipe.scorer)
    check_argument(permutations >= 2, "permutations", permutations, "must be at least 2; 60 is usual.")
    root = resolve_seed(seed)
    status = Status.COMPLETE
    vectors: list[NDArray[np.float64]] = []
    used = thread_count(threads) if cluster is None else 1  # a worker has one core
    with Run.begin(limits, progress, used, cluster) as run:
        try:
            for vector, ended in _Shuffles(given, recipe, root).learned(permutations, run):
                status = ended
                if vector is None:  # this permutation was not treated as the data were
                    break
                vectors.append(vector)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
    pairs = given.n_variables * (given.n_variables - 1) // 2
    table = np.array(vectors) if vectors else np.empty((0, pairs))
    return PermutedConfidences(table, given.names, recipe, status)


Learned = tuple[NDArray[np.float64] | None, Status]


@dataclass(frozen=True, eq=False)
class _Shuffles:
    """Data to shuffle and learn from, again and again; what comes of it depends on the index alone."""

    data: Dataset | Incomplete | NumericData | MixedData
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
        own = run.replace(seed=int(draws.integers(2**32)), limits=run.limits, progress=False)
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
