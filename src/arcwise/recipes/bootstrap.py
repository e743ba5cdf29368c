"""The bootstrap as a source: one network from each of many resampled data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from arcwise.base.options import REPLICATES, CheckedOptions, option, row
from arcwise.base.run import Limits, Run
from arcwise.bootstrap.bootstrap import BootstrapSettings, bootstrap_networks
from arcwise.bootstrap.task import OPTIONS, PART
from arcwise.local.searches import ClimbSettings
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import KnownFacts, MadeNetworks, Recipe, Visit
from arcwise.recipes.source import Source
from arcwise.sampled.completions import Completions
from arcwise.sampled.numeric_data import NumericData, Sampled


@dataclass(frozen=True)
class BootstrapOptions(CheckedOptions):
    """How many networks, and how each is learned."""

    replicates: int = option(REPLICATES, "how many networks are learned", low=1)
    learner: str = row(BootstrapSettings, "learner", help="how each is learned")
    draws: str = row(BootstrapSettings, "draws")
    recut: bool = option(False, "whether the numbers of each sample are cut anew")
    refine: int = row(
        ClimbSettings,
        "refine",
        help="rounds of refinement of each network that tabu search or hill climbing learns; 0 as in bnlearn",
    )


class BootstrapSource(Source):
    """Learn a network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

    name = "bootstrap"
    title = "bootstrap"
    networks = "networks learned from resampled data"
    meaning = "one network per resampled data set"
    heading = "The resampled networks"
    Settings: ClassVar[type[Any]] = BootstrapOptions
    default_score = "qnml"
    why_score = "in studies of known networks its probabilities have the least log loss, from 100 to 5,000 rows"
    citation = "friedman-1999"
    earlier: ClassVar[Mapping[str, Any]] = {"refine": 0, "draws": "replacement"}  # as it was before there was a choice
    counted_by = "replicates"
    is_sample = True
    is_searched = True
    resamples = True
    auto_rank = 1
    fallback = "search"
    quick_permutations = 40

    def run(self, recipe: Recipe, data: Sampled, run: Run) -> NetworkSet:
        """Learn the networks; where a limit stops it, those that are finished are a smaller sample.

        Each from a sample of the cases; their gaps are completed anew, and numbers that are not cut are cut anew.
        """
        return bootstrap_networks(
            data,
            replicates=recipe.settings["replicates"],
            learner=recipe.settings["learner"],
            draws=recipe.settings["draws"],
            score=recipe.scorer,
            constraints=recipe.constraints_on(data.names),
            max_parents=recipe.max_parents,
            share_below=_share_below(recipe, data),
            seed=run.seed,
            options=_learner_options(recipe),
            workers=run.thread_count,
            backend="threads" if run.cluster is None else "dask",
            cluster=run.cluster,
            path=run.journal,
            batches=run.batches,
            limits=Limits(seconds=run.limits.seconds),
            progress=run.progress,
        ).made_by(recipe)

    def run_incomplete(self, recipe: Recipe, data: Completions, run: Run, visit: Visit | None = None) -> NetworkSet:
        """Learn as from any data."""
        return self.run(recipe, data, run)

    def run_uncut(self, recipe: Recipe, data: NumericData, run: Run) -> NetworkSet:
        """Learn as from any data."""
        return self.run(recipe, data, run)

    def summary(self, made: MadeNetworks) -> str:
        """Tell of the samples."""
        return f"{made.were} learned, each from {_cases_words(made.recipe, f'{made.n_cases:,}')} (the bootstrap)."

    def methods(self, made: MadeNetworks) -> str:
        """Tell of the search, and of the samples."""
        recipe = made.recipe
        return (
            f"We learned {made.count:,} networks by {recipe.settings['learner']} search under {recipe.score_words}"
            f"{recipe.limit_words}, each from {_cases_words(recipe, 'all')} (Friedman et al., 1999)"
            f"{', whose numbers were cut anew' if recipe.recuts else ''}. The confidence in an edge is the share of "
            "the networks that have it"
        )

    def inferred_settings(self, slack: float | None, count: int, facts: KnownFacts) -> dict[str, Any] | None:
        """Return how many there are, and how they were learned."""
        known = {"replicates": int(facts.get("replicates") or count), "learner": str(facts.get("learner") or "tabu")}
        return {**known, "draws": "replacement"}


def _share_below(recipe: Recipe, data: Sampled) -> float:
    """Return the share of the networks with a parent less at most, where the limit is the score's own."""
    known = recipe.constraints_on(data.names)
    if recipe.max_parents is None or not recipe.own_limit or (known and known.most_required >= recipe.max_parents):
        return 0.0
    rows = data.gaps if data.gapless is None else data.gapless
    assert rows is not None
    return recipe.scorer.facts.share_below(recipe.max_parents, rows.n_effective)


def _cases_words(recipe: Recipe, count: str) -> str:
    """Return which cases each network is learned from."""
    whole, part = f"{count} rows drawn with replacement", f"{PART:.0%} of the rows drawn without"
    return {"replacement": whole, "parts": f"{part} replacement"}.get(
        recipe.settings["draws"], f"{whole}, or, every second one, from {part}"
    )


def _learner_options(recipe: Recipe) -> dict[str, Any]:
    """Return the options of the learner; only climbs are refined."""
    given = dict(recipe.settings.get("options", {}))
    if "refine" in OPTIONS[recipe.settings["learner"]]:
        given.setdefault("refine", recipe.settings.get("refine", 0))  # recipes of 0.1 have none
    return given
