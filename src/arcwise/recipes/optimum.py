"""The best network as a source: one network, with what is proved of its score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from arcwise.base.errors import GuaranteeError
from arcwise.base.options import check_options, row
from arcwise.base.run import Limits, Run, Status
from arcwise.credible.unfinished import best_network, beyond_table, what_ended
from arcwise.data.dataset import Dataset
from arcwise.exact.optimum import Optimum
from arcwise.local.climbing import ClimbSettings, hill_climb
from arcwise.local.problem import LocalSearchResult
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.origin import Ensemble, Facts, known_facts
from arcwise.networks.recipe import MadeNetworks, Recipe
from arcwise.networks.summary import NetworkSummary
from arcwise.parent_sets.candidate_sets import check_reachable, wider_slack
from arcwise.recipes.source import Source, tables_of
from arcwise.scores.believed import log_prior_of

# For constraints on ancestors the table first holds what is within this of the optimum: e^10 is what such constraints
# cost at most where the data nearly say the same. It grows until it reaches what they do cost.
ANCESTRAL_SLACK = 10.0


@dataclass(frozen=True)
class OptimumOptions:
    """There is nothing to choose."""


class OptimumSource(Source):
    """Find the network with the best score, and prove it, or say how much better another could be."""

    name = "optimum"
    title = "best network"
    networks = "networks with the best score"
    meaning = "the network with the best score, which says nothing about how far to trust an edge"
    heading = "The network"
    Settings: ClassVar[type[Any]] = OptimumOptions
    default_score = "bic"
    is_sample = True
    is_usual = False
    has_shares = False
    obeys_ancestors = True

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Search; at a limit, the best network so far with its bound."""
        found, status = find_best(recipe, data, run)
        if found is None:
            return NetworkSummary.unfinished(data.names, status)
        return single_network(recipe, data, found, status)

    def account(self, made: MadeNetworks) -> str:
        """Tell of the search."""
        return f"{made.were} found by search for the best score."

    def methods(self, made: MadeNetworks) -> str:
        """Tell of the search, of what is proved, and that no confidence follows."""
        return (
            f"We looked for the network with the best {made.recipe.score_words[4:]}{made.recipe.limit_words}"
            f"{made.proved and ': '}{made.proved}; no confidence was computed"
        )


def find_best(recipe: Recipe, data: Dataset, run: Run, *, climb: Limits | None = None) -> tuple[Optimum | None, Status]:
    """Return the best network that is found, None if none is that satisfies the constraints, and why it ended.

    If not all parent sets were scored, a climb knows of the others (by default in the time that is left), and the bound
    is that of the network's `most_parents`.
    """
    known = recipe.constraints_on(data.names)
    slack = 0.0
    if known is not None and known.is_ancestral:
        slack = ANCESTRAL_SLACK
        check_reachable(data, known, recipe.max_parents)
    while True:
        (table,) = tables_of([recipe], data, run, slack)
        try:
            found = best_network(recipe, data, table, run, strict=True)
            break
        except GuaranteeError:  # the constraints cost more
            slack = wider_slack(table, slack, data, known, recipe.max_parents)
    if found is None:
        return None, what_ended(table, run)
    if table.status is not Status.COMPLETE:
        found = beyond_table(recipe, data, found, table.status, climb or run.uncounted)
    return found, found.status


def single_network(recipe: Recipe, data: Dataset, found: Optimum, status: Status) -> NetworkSet:
    """Return a best network as an ensemble of one, which says what is proved of it."""
    proved = Facts(
        gap=found.gap if math.isfinite(found.gap) and found.most_parents is None else None,
        upper_bound=found.upper_bound if math.isfinite(found.upper_bound) else None,
        most_parents=found.most_parents,
    )
    return _ensemble_of_one(OptimumSource.name, recipe, data, found, status, proved).made_by(recipe)


def _ensemble_of_one(
    origin: str, recipe: Recipe, data: Dataset, found: Optimum | LocalSearchResult, status: Status, proved: Facts
) -> NetworkSet:
    targets = None if data.targets is None else data.targets.sets
    return NetworkSet.from_dags(
        [found.dag],
        origin=origin,
        scores=[found.score],
        status=status,
        max_parents=recipe.max_parents,
        score=dict(recipe.score),
        data_digest=data.digest,
        facts=Facts(n_cases=data.n_cases) | proved | known_facts(recipe.constraints_on(data.names), targets),
    )


def optimum_of(recipe: Recipe, networks: Ensemble) -> Optimum | None:
    """Return the network of `single_network` with what is proved of it; None for any other ensemble."""
    facts, listed = networks.facts, networks.listed
    if listed is None or listed.count != 1 or "upper_bound" not in facts:  # nothing was proved
        return None
    dag, score = listed[0], float(listed.scores[0])
    upper = math.inf if facts["upper_bound"] is None else float(facts["upper_bound"])
    return Optimum(
        dag=dag,
        score=score,
        upper_bound=upper,
        status=networks.status,
        method=OptimumSource.name,
        reason="asked for",
        log_prior=log_prior_of(recipe.scorer.describe(), dag),
        most_parents=facts.get("most_parents"),
    )


@dataclass(frozen=True)
class SearchOptions:
    """How long the climb goes on."""

    refine: int = row(ClimbSettings, "refine", help="rounds of refinement after the climb; 0 for a plain one")

    def __post_init__(self) -> None:
        check_options(self)


class SearchSource(Source):
    """Find one network by hill climbing on the data: quick, and for looking only, since a share of one is no share."""

    name = "search"
    title = "single search"
    networks = "networks found by hill climbing"
    meaning = "one network by hill climbing on the data, which says nothing about how far to trust an edge"
    heading = "The network"
    Settings: ClassVar[type[Any]] = SearchOptions
    default_score = "bic"
    is_sample = True
    is_searched = True
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
        made = _ensemble_of_one(self.name, recipe, data, found, found.status, Facts())
        return (made if found.status is Status.COMPLETE else made[:0]).made_by(recipe)

    def account(self, made: MadeNetworks) -> str:
        """Tell of the climb."""
        return f"{made.were} found by hill climbing on the data."

    def methods(self, made: MadeNetworks) -> str:
        """Tell of the climb, and that no confidence follows."""
        each = "" if made.count == 1 else " in each of the completions of the data"
        return (
            f"We looked for a network by hill climbing under {made.recipe.score_words}{made.recipe.limit_words}{each}; "
            "no confidence was computed"
        )
