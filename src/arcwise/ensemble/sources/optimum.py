"""The best network as a source: one network, with what is proved of its score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.deadline import Deadline
from arcwise.ensemble.best_network import best_network, beyond_table, what_ended
from arcwise.ensemble.ensemble_facts import known_facts
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.ensemble.sources.source import Source
from arcwise.errors import GuaranteeError
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_sets
from arcwise.parent_sets.ancestral_reach import check_reachable, wider_slack
from arcwise.scores.believed import log_prior_of

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run
    from arcwise.exact import Optimum

__all__ = ["OptimumOptions", "OptimumSource", "find_best", "optimum_of", "single_network"]

# For constraints on ancestors the table first holds what is within this of the optimum: e^10 is what such constraints
# cost at most where the data nearly say the same. It grows until it reaches what they do cost.
ANCESTRAL_SLACK = 10.0
BOUND = "upper_bound"  # among the facts of the ensemble


@dataclass(frozen=True)
class OptimumOptions:
    """There is nothing to choose."""


class OptimumSource(Source):
    """Find the network with the best score, and prove it, or say how much better another could be."""

    name = "optimum"
    title = "best network"
    networks = "networks with the best score"
    meaning = "the network with the best score, which says nothing about how far to trust an edge"
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


def find_best(recipe: Recipe, data: Dataset, run: Run, *, climb: Limits | None = None) -> tuple[Optimum | None, Status]:
    """Return the best network that is found, None if none is that satisfies the constraints, and why it ended.

    If not all parent sets were scored, a climb knows of the others (by default in the time that is left), and the bound
    is that of the network's `most_parents`.
    """
    deadline = Deadline.of(run.limits)
    known = recipe.constraints_on(data.names)
    slack = 0.0
    if known is not None and known.is_ancestral:
        slack = ANCESTRAL_SLACK
        check_reachable(data, known, recipe.max_parents)
    while True:
        table = build_parent_sets(
            data,
            recipe.scorer,
            slack=slack,
            max_parents=recipe.max_parents,
            constraints=known,
            threads=run.threads,
            cluster=run.cluster,
            limits=deadline.uncounted,
            progress=run.progress,
        )
        try:
            found = best_network(recipe, data, table, deadline, run.threads, strict=True)
            break
        except GuaranteeError:  # the constraints cost more
            slack = wider_slack(table, slack, data, known, recipe.max_parents)
    if found is None:
        return None, what_ended(table, deadline)
    if table.status is not Status.COMPLETE:
        found = beyond_table(recipe, data, found, table.status, climb or deadline.uncounted)
    return found, found.status


def single_network(recipe: Recipe, data: Dataset, found: Optimum, status: Status) -> NetworkSet:
    """Return a best network as an ensemble of one, which says what is proved of it."""
    known = recipe.constraints_on(data.names)
    return NetworkSet.from_dags(
        [found.dag],
        origin=OptimumSource.name,
        scores=[found.score],
        status=status,
        max_parents=recipe.max_parents,
        score=dict(recipe.score),
        data_digest=data.digest,
        facts={
            "n_cases": data.n_cases,
            "gap": found.gap if math.isfinite(found.gap) and found.most_parents is None else None,
            BOUND: found.upper_bound if math.isfinite(found.upper_bound) else None,
            "most_parents": found.most_parents,
            **known_facts(known, None if data.targets is None else data.targets.sets),
        },
    ).made_by(recipe)


def optimum_of(recipe: Recipe, networks: Ensemble) -> Optimum | None:
    """Return the network of `single_network` with what is proved of it; None for any other ensemble."""
    from arcwise.exact import Optimum

    if not isinstance(networks, NetworkSet) or networks.count != 1 or BOUND not in networks.facts:
        return None
    dag, score, bound = networks[0], float(networks.scores[0]), networks.facts[BOUND]
    upper = math.inf if bound is None else float(bound)
    return Optimum(
        dag=dag,
        score=score,
        upper_bound=upper,
        gap=upper - score,
        status=networks.status,
        method=OptimumSource.name,
        reason="asked for",
        seconds=0.0,
        nodes=0,
        ties_possible=True,
        log_prior=log_prior_of(recipe.scorer.describe(), dag),
        most_parents=networks.facts["most_parents"],
    )
