"""The posterior as a source: networks drawn from all DAGs in proportion to their posterior probability."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.deadline import Deadline
from arcwise.ensemble.chains.settings import MOST_CHAINS
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.ensemble.sources.source import Source
from arcwise.ensemble.ways import WAYS
from arcwise.option import check_options, option

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run

__all__ = ["PosteriorOptions", "PosteriorSource"]


@dataclass(frozen=True)
class PosteriorOptions:
    """Which way networks are drawn; if by chains, by how many, and how long at most."""

    way: str = option(
        "auto", "auto: independent draws where all networks can be summed over, else chains", choices=WAYS
    )
    chains: int = option(4, "how many chains", low=2, high=MOST_CHAINS)
    most_draws: int = option(200_000, "how many draws of each chain at most", low=8)

    def __post_init__(self) -> None:
        check_options(self)


class PosteriorSource(Source):
    """Draw networks from the posterior: independently where it can be summed over all DAGs, and else by Markov chains.

    Directions of equivalence classes are features of whole networks, which sums over all DAGs do not give: therefore
    draws, also where the sums are found. `arcwise.ensemble.find_posterior` gives the sums.
    """

    name = "posterior"
    title = "posterior"
    networks = "networks drawn from the posterior"
    meaning = "random networks, each in proportion to its posterior probability"
    Settings: ClassVar[type[Any]] = PosteriorOptions
    default_score = "qnml"
    citation = "su-2016"
    is_sample = True
    is_usual = False

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Draw; where a limit stops chains before they agree, the status and the verdict say so."""
        from arcwise.ensemble.posterior import PosteriorSettings, Problem, posterior_of

        problem = Problem(
            data, recipe.scorer, recipe.max_parents, recipe.constraints_on(data.names), run.threads, run.progress
        )
        deadline = Deadline.of(run.limits)
        settings = PosteriorSettings(**recipe.settings, drawing=True, cluster=run.cluster)
        found = posterior_of(problem, deadline, seed=run.seed, settings=settings)
        if found.exact is not None and not found.complete:  # what was asked for, and no chains instead
            return replace(NetworkSummary.unfinished(data.names, found.status), origin=self.name)
        return found.networks(seed=run.seed, threads=run.threads, limits=deadline.uncounted).made_by(recipe)
