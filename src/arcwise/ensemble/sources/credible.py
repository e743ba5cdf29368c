"""The credible set as a source: every network that the data cannot rule out."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.deadline import Deadline
from arcwise.defaults import BAYES_FACTOR
from arcwise.ensemble.ancestral_set import list_ancestral
from arcwise.ensemble.bayes_factors import factor_of
from arcwise.ensemble.credible_set import CredibleSet
from arcwise.ensemble.diagram.sharing import Sharing
from arcwise.ensemble.sources.shared_tables import tables_of
from arcwise.ensemble.sources.source import Source
from arcwise.ensemble.unfinished_set import UnfinishedSet
from arcwise.errors import GuaranteeError
from arcwise.limits import Status
from arcwise.option import check_options, option
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.ancestral_reach import check_reachable, wider_slack

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.recipe import Recipe, Run
    from arcwise.exact import Optimum

__all__ = ["TABLE", "Credible", "CredibleOptions"]

FIRST_REACH = 2.0  # what constraints on ancestors are first thought to cost
TABLE = "table"  # where an unfinished set stopped: its parent sets could not all be scored


@dataclass(frozen=True)
class CredibleOptions:
    """How far from the best network the set reaches.

    Beyond a Bayes factor of 20 the evidence against a network is called strong (Kass and Raftery 1995).
    """

    bayes_factor: float = option(BAYES_FACTOR, "the set holds every network within this factor of the best")
    most_networks: int | None = option(None, "how many networks to average at most, the best ones", low=1, usual="all")

    def __post_init__(self) -> None:
        object.__setattr__(self, "bayes_factor", factor_of(self.bayes_factor))
        check_options(self)


class Credible(Source):
    """Find every network within a Bayes factor of the best (Liao 2022, chapter 3)."""

    name = "credible"
    title = "credible set"
    networks = "networks that the data cannot rule out"
    meaning = "all networks near the best score"
    Settings: ClassVar[type[Any]] = CredibleOptions
    default_score = "qnml"
    why_score = "Liao (2022, section 4.7) found that qNML averages best over a credible set"
    citation = "liao-2022"
    is_sample = False
    obeys_ancestors = True
    quick_permutations = 14

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Score, prune and find the set, and count it; what is known is left if a limit stops any of it."""
        deadline = Deadline.of(run.limits)
        slack = math.log(recipe.settings["bayes_factor"])
        constraints = recipe.constraints_on(data.names)
        if constraints is not None and constraints.is_ancestral:
            return _under_ancestors(recipe, data, run, deadline)
        table = _table(recipe, data, run, slack, deadline)
        if table.status is not Status.COMPLETE:
            return UnfinishedSet.of(recipe, data, table, table.status, facts={"stopped_at": TABLE})
        found = CredibleSet.build(
            table,
            log_slack=slack,
            constraints=constraints,
            limits=deadline.uncounted,
            progress=run.progress,
            threads=run.threads,
            cluster=run.cluster,
        )
        counted = found.summary(limits=deadline.uncounted)
        if not counted.complete:
            return UnfinishedSet.of(recipe, data, table, counted.status, whole=found, facts=counted.facts)
        most = recipe.settings["most_networks"]
        if most is not None and found.count > most:
            return found.networks(limits=replace(deadline.limits, count=most)).made_by(recipe)
        return found.made_by(recipe)


def _table(recipe: Recipe, data: Dataset, run: Run, slack: float, deadline: Deadline) -> ParentSetTable:
    """Score the parent sets that a network within the slack can have."""
    shared = None if run.tables is None else run.tables.take(recipe, data, run, slack, deadline)
    return tables_of([recipe], data, run, slack, deadline)[0] if shared is None else shared


def _under_ancestors(recipe: Recipe, data: Dataset, run: Run, deadline: Deadline) -> Ensemble:
    """Find the set under constraints on ancestors: the slack of the table grows until it reaches what they cost."""
    constraints = recipe.constraints_on(data.names)
    assert constraints is not None
    own = math.log(recipe.settings["bayes_factor"])
    slack = FIRST_REACH + own
    check_reachable(data, constraints, recipe.max_parents)
    while True:
        table = _table(recipe, data, run, slack, deadline)
        if table.status is not Status.COMPLETE:
            return UnfinishedSet.of(recipe, data, table, table.status, facts={"stopped_at": TABLE})
        best: list[Optimum] = []
        sharing = Sharing(run.threads, run.cluster)
        try:
            found = list_ancestral(table, own, constraints, deadline, run.progress, sharing, on_best=best.append)
        except GuaranteeError:
            slack = wider_slack(table, slack, data, constraints, recipe.max_parents)
            continue
        most = recipe.settings["most_networks"]
        if not found.complete:
            return UnfinishedSet.of(recipe, data, table, found.status, found=best[0] if best else None)
        if most is not None and found.count > most:
            found = replace(found[:most], status=Status.COUNT_LIMIT)
        return found.made_by(recipe)
