"""One network by hill climbing, as a source: a look at the data, from which nothing follows about trust."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.defaults import REFINE
from arcwise.ensemble.ensemble_facts import known_facts
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.sources.source import Source
from arcwise.limits import Status
from arcwise.local import hill_climb
from arcwise.option import check_options, option

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run

__all__ = ["SearchOptions", "SearchSource"]


@dataclass(frozen=True)
class SearchOptions:
    """How long the climb goes on."""

    refine: int = option(REFINE, "rounds of refinement after the climb; 0 for a plain one", low=0)

    def __post_init__(self) -> None:
        check_options(self)


class SearchSource(Source):
    """Find one network by hill climbing on the data: quick, and for looking only, since a share of one is no share."""

    name = "search"
    title = "single search"
    networks = "networks found by hill climbing"
    meaning = "one network by hill climbing on the data, which says nothing about how far to trust an edge"
    Settings: ClassVar[type[Any]] = SearchOptions
    default_score = "bic"
    is_sample = True
    is_usual = False
    has_shares = False

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Climb; what a limit stops before its end is no network that the search stands for, and left out."""
        found = hill_climb(
            data,
            score=recipe.scorer,
            constraints=recipe.constraints_on(data.names),
            max_parents=recipe.max_parents,
            refine=recipe.settings["refine"],
            seed=run.seed,
            limits=run.limits,
            progress=run.progress,
        )
        made = NetworkSet.from_dags(
            [found.dag],
            origin=self.name,
            scores=[found.score],
            status=found.status,
            max_parents=recipe.max_parents,
            score=dict(recipe.score),
            data_digest=data.digest,
            facts={
                "n_cases": data.n_cases,
                **known_facts(recipe.constraints_on(data.names), None if data.targets is None else data.targets.sets),
            },
        )
        return (made if found.status is Status.COMPLETE else made[:0]).made_by(recipe)
