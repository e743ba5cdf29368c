"""Confidences by recipe: the networks are made as it says, and averaged."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, OptionError, Remedy, UnfinishedError, check_known
from arcwise.base.run import Limits, ProgressCallback, Run, Seed, Status, resolve_seed
from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.edge_confidence import EdgeConfidence, rounded
from arcwise.confidence.learned_table import learned_table
from arcwise.confidence.reach import DRAWS
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset
from arcwise.networks.completions import with_completions
from arcwise.networks.network_list import NetworkSet, concatenate
from arcwise.networks.origin import Ensemble
from arcwise.networks.recipe import Recipe
from arcwise.posterior.chain_posterior import joined_chains
from arcwise.recipes.source import completions_for
from arcwise.sampled.numeric_data import NumericData, Sampled, as_recut


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
class Outcome:
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


def carry_out(recipe: Recipe, data: Sampled, run: Run | None = None) -> Outcome:
    """Make the networks of a recipe and average them; from data with gaps, over completions.

    A part of a sample is a smaller sample; a part of a credible set says nothing about the whole, unless it is the best
    networks that the recipe asks for. A set that could be counted but not listed in the time is averaged from its
    counts, which leaves out what equivalence classes say about directions.
    """
    run = run or Run()
    data = as_recut(recipe, data)
    if data.gapless is None:
        return _carry_out_completed(recipe, data, run)
    return averaged_over(recipe, recipe.carry_out(data, run), data.gapless.n_cases, run)


def averaged_over(recipe: Recipe, networks: Ensemble, n_cases: int, run: Run) -> Outcome:
    """Average the networks of complete data."""
    is_sample = recipe.source_facts.is_sample
    capped = networks.status is Status.COUNT_LIMIT and networks.count == recipe.settings.get("most_networks")
    if not networks.count or not (networks.complete or capped or is_sample):
        return Outcome(networks, None, networks.status)
    if isinstance(networks, CredibleSet):
        try:
            found = edge_confidence(networks, n_cases=n_cases, limits=run.uncounted)
        except OptionError:  # the time ended before the first was listed
            found = None
        if found is None or not found.complete:
            found = edge_confidence(networks.summary(), orient="dag", n_cases=n_cases)
        return Outcome(networks, replace(found, recipe=recipe), networks.status, by_time=run.is_over)
    found = edge_confidence(networks, n_cases=n_cases)
    return Outcome(networks, replace(found, recipe=recipe), Status.COMPLETE if capped else networks.status)


def _carry_out_completed(recipe: Recipe, data: Sampled, run: Run) -> Outcome:
    """Make the networks of every completion, and average the confidences of all; a bootstrap has them mixed already."""
    gaps = data.gaps
    assert gaps is not None
    n_cases = gaps.n_cases
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
        return Outcome(networks, confidence, networks.status, _joined(drawn, len(found)), by_time)
    outcome = averaged_over(recipe, networks, n_cases, run)
    if outcome.confidence is None or found:
        return Outcome(networks, None, networks.status)
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


def confidence_by_recipe(recipe: Recipe, data: Sampled, run: Run | None = None) -> EdgeConfidence | None:
    """Make the networks of a recipe and average them; None if a limit left nothing that can be averaged."""
    return carry_out(recipe, data, run).confidence


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
    data: Dataset,
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
    labels = [label_of(recipe) for recipe in recipes]
    if len(set(labels)) < len(labels) or not labels:
        raise OptionError("an ensemble needs at least one recipe, and each source with each score once.")
    root = resolve_seed(seed)
    found: dict[str, EdgeConfidence] = {}
    with Run.begin(limits, progress) as run:
        for index, (label, recipe) in enumerate(zip(labels, recipes, strict=True)):
            run.report(f"ensemble: {label}", index, len(labels))
            own = int(np.random.SeedSequence([root, index]).generate_state(1)[0])
            share = run.part(len(labels) - index).but(seed=own, progress=False)
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
