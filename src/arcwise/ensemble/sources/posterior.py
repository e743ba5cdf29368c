"""The posterior as a source: networks drawn from all DAGs in proportion to their posterior probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.deadline import Deadline
from arcwise.ensemble.chains.settings import MOST_CHAINS
from arcwise.ensemble.sources.source import Source
from arcwise.option import check_options, option

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run

__all__ = ["PosteriorOptions", "PosteriorSource"]


@dataclass(frozen=True)
class PosteriorOptions:
    """How many chains draw, and how long at most."""

    chains: int = option(4, "how many chains", low=2, high=MOST_CHAINS)
    most_draws: int = option(200_000, "how many draws of each chain at most", low=8)

    def __post_init__(self) -> None:
        check_options(self)


class PosteriorSource(Source):
    """Draw networks by Markov chains over DAGs, until the chains agree.

    Directions of equivalence classes are features of whole networks, which sums over all DAGs do not give: therefore
    draws, also where the sums could be found. `arcwise.ensemble.find_posterior` gives the sums.
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
        """Draw until the chains agree; where a limit stops them, the status and the verdict say so."""
        from arcwise.ensemble.posterior import PosteriorSettings, Problem, draw_posterior

        problem = Problem(
            data, recipe.scorer, recipe.max_parents, recipe.constraints_on(data.names), run.threads, run.progress
        )
        found = draw_posterior(
            problem, Deadline.of(run.limits), seed=run.seed, settings=PosteriorSettings(**recipe.settings)
        )
        return found.networks().made_by(recipe)
