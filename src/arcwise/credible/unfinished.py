"""`PartialResult`: what is known of a credible set that a limit stopped."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from arcwise.base.errors import ConstraintError, GuaranteeError, OptionError, UnfinishedError
from arcwise.base.run import Limits, Run, Status
from arcwise.credible.credible_set import CredibleSet
from arcwise.data.dataset import Dataset
from arcwise.exact.optimal import find_optimal
from arcwise.exact.optimum import PROOF_TOLERANCE, Optimum
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.climbing import hill_climb
from arcwise.local.problem import LocalSearchResult
from arcwise.networks.origin import Facts, make_facts
from arcwise.networks.recipe import Recipe
from arcwise.networks.summary import NetworkSummary
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.believed import log_prior_of

TABLE = "table"  # where an unfinished set stopped: its parent sets could not all be scored


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
        data, score, constraints=constraints, max_parents=most, seed=0, limits=limits, progress=False, refine=0
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


@dataclass(frozen=True, eq=False, kw_only=True)
class PartialResult(NetworkSummary):
    """What a limit left of a set: no networks that could be averaged, but a status, how far it came, and a best one.

    What it was made from is there to go on with, until it is `summed_up`. A table with another status than COMPLETE has
    the parent sets of some sizes only, and what is known is known of networks of these.
    """

    asked: Recipe
    found: Optimum | None = None  # the best network that is known already
    most_parents: int | None = None  # up to how many parents all sets were scored, if that ended before its time
    data: Dataset | None = field(default=None, repr=False)
    table: ParentSetTable | None = field(default=None, repr=False)
    whole: CredibleSet | None = None  # the set itself, if its building was begun

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        data: Dataset,
        table: ParentSetTable,
        status: Status | None = None,
        *,
        whole: CredibleSet | None = None,
        found: Optimum | None = None,
        facts: Facts | None = None,
    ) -> PartialResult:
        """Return what is left, with the limit that stopped it; by default the one that stopped the table."""
        nothing = NetworkSummary.unfinished(table.names, status or table.status)
        if whole is not None:
            found = better_of(found, whole.bracketed)
        if table.status is not Status.COMPLETE:
            facts = make_facts(stopped_at=TABLE)
        return cls(
            names=nothing.names,
            families=nothing.families,
            count=0,
            posterior=nothing.posterior,
            equal=nothing.equal,
            origin=nothing.origin,
            status=nothing.status,
            max_parents=table.max_parents,
            score=dict(table.score),
            data_digest=data.digest,
            facts=facts or Facts(),
            asked=recipe,
            data=data,
            table=table,
            whole=whole,
            found=found,
            most_parents=None if table.status is Status.COMPLETE else table.max_parents,
        )

    @property
    def summed_up(self) -> PartialResult:
        """What is known, without the data, the table and the diagram."""
        return replace(self, data=None, table=None, whole=None)

    def best(
        self,
        run: Run,
        *,
        climb: Limits = Limits(),  # noqa: B008
    ) -> Optimum | None:
        """Return the best network, looked for as far as the run goes, with the bound that holds.

        If not all parent sets were scored, a `climb` knows of the others, and the bound is that of `most_parents`.
        """
        if self.found is not None and self.found.is_proved:
            return self.found
        assert self.data is not None and self.table is not None
        found = better_of(self.found, best_network(self.asked, self.data, self.table, run))
        if found is None or self.most_parents is None:
            return found
        return beyond_table(self.asked, self.data, found, self.table.status, climb)

    def smaller(self, limits: Limits) -> CredibleSet | None:
        """Return the set of a smaller Bayes factor, which is complete, if one can be built and summed up."""
        return None if self.whole is None else self.whole.within_reach(limits)
