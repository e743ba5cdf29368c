"""The best network as a source: one network, with what is proved of its score."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from arcwise.base.errors import ConstraintError, GuaranteeError, OptionError, UnfinishedError
from arcwise.base.options import CheckedOptions, row
from arcwise.base.run import Limits, Run, Status
from arcwise.data.dataset import Dataset
from arcwise.exact.optimal import find_optimal
from arcwise.exact.proof import PROOF_TOLERANCE, Optimum
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.problem import LocalSearchResult
from arcwise.local.searches import ClimbSettings, hill_climb
from arcwise.networks.network_list import NetworkSet, NetworkSummary
from arcwise.networks.recipe import Ensemble, KnownFacts, MadeNetworks, Recipe, known_facts
from arcwise.parent_sets.build import check_reachable, wider_slack
from arcwise.parent_sets.table import ParentSetTable
from arcwise.recipes.source import Source, tables_of
from arcwise.scores.registry import log_prior_of

# For constraints on ancestors the table first holds what is within this of the optimum: e^10 is what such constraints
# cost at most where the data nearly say the same. It grows until it reaches what they do cost.
ANCESTRAL_SLACK = 10.0


def best_network(
    recipe: Recipe,
    data: Dataset,
    table: ParentSetTable,
    run: Run,
    *,
    strict: bool = False,
) -> Optimum | None:
    """Return the best network of a table that satisfies the recipe's constraints, found in the time, with its bound.

    Without constraints on ancestors there always is one, if the time is over too: the bound is then that of each
    variable's best parents by themselves. With them None says that no network is known that satisfies them. Of a table
    that was stopped nothing is proved but for its own networks: the status is then the table's.

    Raises
    ------
    GuaranteeError
        If `strict`, and a table that is complete does not reach as far as the constraints on ancestors cost.
    """
    strict = strict and table.status is Status.COMPLETE
    found = _best_of_table(recipe, data, table, run, strict=strict)
    if found is None or table.status is Status.COMPLETE:
        return found
    status = found.status if found.status is Status.INTERRUPTED else table.status
    return replace(found, status=status, most_parents=table.max_parents)


def _best_of_table(recipe: Recipe, data: Dataset, table: ParentSetTable, run: Run, *, strict: bool) -> Optimum | None:
    known = recipe.constraints_on(data.names)

    def solve(constraints: Constraints | None) -> Optimum:
        return find_optimal(table, constraints=constraints, limits=run.uncounted, threads=run.threads, progress=False)

    if known is None or not known.is_ancestral:
        return solve(known)
    try:
        return solve(known)
    except UnfinishedError:
        pass
    except GuaranteeError:
        if strict:
            raise
    except ConstraintError:
        if table.status is Status.COMPLETE:
            raise  # otherwise one of the parent sets that are missing may do
    simple = _simple_network(recipe, data, known, run)
    if simple is None:
        return None
    # No network with these ancestors is better than the best of all that the arcs allow.
    above = solve(known.arc_part)
    above.status.unless_interrupted()
    score = recipe.scorer.score_network(data, simple)
    upper = max(score, above.upper_bound)
    proved = upper - score <= PROOF_TOLERANCE
    upper = score if proved else upper
    return replace(
        above,
        dag=simple,
        score=score,
        upper_bound=upper,
        status=Status.COMPLETE if proved else what_ended(table, run),
        method="hill climbing",
        reason="the search under constraints on ancestors was not finished",
        ties_possible=True,
        log_prior=log_prior_of(recipe.scorer.describe(), simple),
    )


def what_ended(table: ParentSetTable, run: Run) -> Status:
    """Return the limit that ended a search which does not say so itself."""
    if table.status is not Status.COMPLETE:
        return table.status
    by_memory = not run.is_over and run.given.memory_bytes is not None
    return Status.MEMORY_LIMIT if by_memory else Status.TIME_LIMIT


def better_of(one: Optimum | None, other: Optimum | None) -> Optimum | None:
    """Return the better of two networks of the same problem, with the lower of the two bounds."""
    if one is None or other is None:
        return one or other
    best = one if one.score >= other.score else other
    upper = max(best.score, min(one.upper_bound, other.upper_bound))
    proved = upper - best.score <= PROOF_TOLERANCE
    upper = best.score if proved else upper
    limited = [found.status for found in (best, one, other) if found.status is not Status.COMPLETE]
    most = next((found.most_parents for found in (best, one, other) if found.most_parents is not None), None)
    if Status.INTERRUPTED in limited:
        limited = [Status.INTERRUPTED]
    status = limited[0] if limited and (most is not None or not proved) else Status.COMPLETE
    return replace(best, upper_bound=upper, status=status, most_parents=most)


def beyond_table(recipe: Recipe, data: Dataset, found: Optimum, ended: Status, limits: Limits) -> Optimum:
    """Return what a plain climb finds if that is better than the best network of a table with parent sets missing.

    The bound stays that of the table's networks, and nothing is proved of others: the status is the limit that `ended`
    the table, or INTERRUPTED.
    """
    known = recipe.constraints_on(data.names)
    if found.status is Status.INTERRUPTED:
        return found
    found = replace(found, status=ended)
    if known is not None and known.is_ancestral:
        return found
    climbed = _plain_climb(recipe, data, known, limits)
    if climbed.status is Status.INTERRUPTED:
        found = replace(found, status=Status.INTERRUPTED)
    if climbed.score <= found.score:
        return found
    upper = max(climbed.score, found.upper_bound)
    prior = log_prior_of(recipe.scorer.describe(), climbed.dag)
    return replace(found, dag=climbed.dag, score=climbed.score, upper_bound=upper, log_prior=prior)


def _plain_climb(recipe: Recipe, data: Dataset, constraints: Constraints | None, limits: Limits) -> LocalSearchResult:
    most, score = recipe.max_parents, recipe.scorer
    return hill_climb(
        data,
        score,
        constraints=constraints,
        max_parents=most,
        seed=0,
        limits=limits,
        progress=False,
        refine=0,
        by_position=True,
    )


def _simple_network(recipe: Recipe, data: Dataset, known: Constraints, run: Run) -> Dag | None:
    """Return a network that satisfies constraints on ancestors, by arcs from each to whom it must lead to.

    A climb from there on is taken if it keeps what must not lead to each other apart.
    """
    try:
        arcs = known.arc_part.changed(required=tuple(sorted({*known.arc_part.required, *known.ancestors})))
        plain = Dag.from_arcs(data.names, arcs.required)
        found = _plain_climb(recipe, data, arcs, Limits(seconds=run.limits.seconds))
    except (ConstraintError, OptionError):
        return None
    found.status.unless_interrupted()
    return next((dag for dag in (found.dag, plain) if not known.violations(dag)), None)


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
    fallback = "search"
    has_shares = False
    obeys_ancestors = True

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Search; at a limit, the best network so far with its bound."""
        found, status = find_best(recipe, data, run)
        if found is None:
            return NetworkSummary.unfinished(data.names, status)
        return single_network(recipe, data, found, status)

    def summary(self, made: MadeNetworks) -> str:
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
    proved = KnownFacts(
        gap=found.gap if math.isfinite(found.gap) and found.most_parents is None else None,
        upper_bound=found.upper_bound if math.isfinite(found.upper_bound) else None,
        most_parents=found.most_parents,
    )
    return _ensemble_of_one(OptimumSource.name, recipe, data, found, status, proved).made_by(recipe)


def _ensemble_of_one(
    origin: str, recipe: Recipe, data: Dataset, found: Optimum | LocalSearchResult, status: Status, proved: KnownFacts
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
        facts=KnownFacts(n_cases=data.n_cases) | proved | known_facts(recipe.constraints_on(data.names), targets),
    )


def optimum_of(recipe: Recipe, networks: Ensemble) -> Optimum | None:
    """Return the network of `single_network` with what is proved of it; None if there are several."""
    facts, listed = networks.facts, networks.listed
    if listed is None or listed.count != 1:
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
class SearchOptions(CheckedOptions):
    """How long the climb goes on."""

    refine: int = row(ClimbSettings, "refine", help="rounds of refinement after the climb; 0 for a plain one")


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
    fallback = "search"
    has_shares = False

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Climb; at a limit, as far as it came."""
        found = hill_climb(
            data,
            score=recipe.scorer,
            constraints=recipe.constraints_on(data.names),
            max_parents=recipe.max_parents,
            refine=recipe.settings["refine"],
            by_position=True,
            seed=run.seed,
            limits=run.limits,
            progress=run.progress,
        )
        return _ensemble_of_one(self.name, recipe, data, found, found.status, KnownFacts()).made_by(recipe)

    def summary(self, made: MadeNetworks) -> str:
        """Tell of the climb."""
        return f"{made.were} found by hill climbing on the data."

    def methods(self, made: MadeNetworks) -> str:
        """Tell of the climb, and that no confidence follows."""
        each = "" if made.count == 1 else " in each of the completions of the data"
        return (
            f"We looked for a network by hill climbing under {made.recipe.score_words}{made.recipe.limit_words}{each}; "
            "no confidence was computed"
        )
