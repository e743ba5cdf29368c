"""The bootstrap as a source: one network from each of many resampled data sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.data import Dataset
from arcwise.defaults import REFINE, REPLICATES
from arcwise.ensemble.replicates.bootstrap import bootstrap_networks
from arcwise.ensemble.replicates.task import LEARNERS, OPTIONS
from arcwise.ensemble.sources.source import Source
from arcwise.limits import Limits
from arcwise.option import check_options, option
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from arcwise.ensemble.gaps.completions import Completions
    from arcwise.ensemble.network_set import NetworkSet
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run
    from arcwise.ensemble.uncut import Uncut

__all__ = ["Bootstrap", "BootstrapOptions"]


@dataclass(frozen=True)
class BootstrapOptions:
    """How many networks, and how each is learned."""

    replicates: int = option(REPLICATES, "how many networks are learned", low=1)
    learner: str = option("tabu", "how each is learned", choices=tuple(LEARNERS))
    recut: bool = option(False, "whether the numbers of each sample are cut anew")
    refine: int = option(
        REFINE, "rounds of refinement of each network that tabu search or hill climbing learns; 0 as in bnlearn", low=0
    )

    def __post_init__(self) -> None:
        check_options(self)


class Bootstrap(Source):
    """Learn a network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

    name = "bootstrap"
    title = "bootstrap"
    networks = "networks learned from resampled data"
    meaning = "one network per resampled data set"
    Settings: ClassVar[type[Any]] = BootstrapOptions
    default_score = "qnml"
    why_score = "in studies of known networks its probabilities have the least log loss, from 100 to 5,000 cases"
    citation = "friedman-1999"
    counted_by = "replicates"
    is_sample = True
    quick_permutations = 40

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> NetworkSet:
        """Learn the networks; where a limit stops it, those that are finished are a smaller sample."""
        return self._learn(recipe, data, run)

    def run_incomplete(
        self, recipe: Recipe, data: Completions, run: Run, visit: Callable[[Ensemble, Dataset], None] | None = None
    ) -> NetworkSet:
        """Learn each network from a sample of the cases with their gaps, which is completed anew."""
        return self._learn(recipe, data, run)

    def run_uncut(self, recipe: Recipe, data: Uncut, run: Run) -> NetworkSet:
        """Learn each network from a sample whose numbers are cut anew."""
        return self._learn(recipe, data, run)

    def _learn(self, recipe: Recipe, data: Dataset | Completions | Uncut, run: Run) -> NetworkSet:
        limits = run.limits or Limits()
        return bootstrap_networks(
            data,
            replicates=recipe.settings["replicates"],
            learner=recipe.settings["learner"],
            score=recipe.scorer,
            constraints=recipe.constraints_on(data.names),
            max_parents=recipe.max_parents,
            seed=run.seed,
            options=_learner_options(recipe),
            workers=thread_count(run.threads),
            backend="threads" if run.cluster is None else "dask",
            cluster=run.cluster,
            path=run.journal,
            batches=run.batches,
            limits=Limits(seconds=limits.seconds),
            progress=run.progress,
        ).made_by(recipe)


def _learner_options(recipe: Recipe) -> dict[str, Any]:
    """Return the options of the learner; only climbs are refined."""
    given = dict(recipe.settings.get("options", {}))
    if "refine" in OPTIONS[recipe.settings["learner"]]:
        given.setdefault("refine", recipe.settings.get("refine", 0))  # recipes of 0.1 have none
    return given
