"""The credible set as a source: every network that the data cannot rule out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, ClassVar

from arcwise.base.errors import GuaranteeError
from arcwise.base.options import BAYES_FACTOR, CheckedOptions, option
from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import counted, plural
from arcwise.credible.bayes_factors import factor_of, settings_within
from arcwise.credible.credible_set import CredibleSet
from arcwise.credible.find import list_ancestral
from arcwise.data.dataset import Dataset
from arcwise.exact.proof import Optimum
from arcwise.networks.network_list import NetworkSummary
from arcwise.networks.recipe import Ensemble, KnownFacts, MadeNetworks, Recipe, make_facts
from arcwise.parent_sets.build import check_reachable, wider_slack
from arcwise.parent_sets.table import ParentSetTable
from arcwise.recipes.optimum import best_network, better_of, beyond_table
from arcwise.recipes.source import Source, tables_of

# Tables of several scores from one pass over the data.
#
# Counting is most of the work of a table with a limit of parents, and does not depend on the score. So who will need
# tables of the same data with several scores says so beforehand, and the first that asks has all of them built.


# What is the same in recipes that need tables of the same families.
ALIKE = attrgetter("source", "max_parents", "settings", "constraints")


class SharedTables:
    """The tables that some recipes will ask for, built together where they differ in their score alone.

    Each is handed out once and then let go. If memory is too short for all, each is built for itself.
    """

    def __init__(self) -> None:
        self._waiting: list[Recipe] = []
        self._data: Dataset | None = None
        self._built: list[tuple[Recipe, ParentSetTable]] = []

    def reserve(self, recipes: Iterable[Recipe]) -> None:
        """Note that these recipes will be carried out."""
        self._waiting = list(recipes)

    def take(self, recipe: Recipe, data: Dataset, run: Run, slack: float) -> ParentSetTable:
        """Return the table of a recipe: the parent sets that a network within the slack can have."""
        together = [] if self._built else [one for one in self._waiting if ALIKE(one) == ALIKE(recipe)]
        if recipe in together:
            self._waiting = [one for one in self._waiting if one not in together]
            tables = tables_of(together, data, run, slack) if len(together) > 1 else []
            if not any(table.status is Status.MEMORY_LIMIT for table in tables):
                made = list(zip(together, tables, strict=False))
                # What the time or Ctrl-C cut short is for the one that asked; the others may have time of their own.
                is_whole = all(table.status is Status.COMPLETE for table in tables)
                self._data, self._built = data, made if is_whole else [one for one in made if one[0] == recipe]
        for place, (of, table) in enumerate(self._built):
            if of == recipe and data is self._data and table.slack >= slack:
                del self._built[place]
                return table
        return tables_of([recipe], data, run, slack)[0]


TABLE = "table"  # where an unfinished set stopped: its parent sets could not all be scored


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
        facts: KnownFacts | None = None,
    ) -> PartialResult:
        """Return what is left, with the limit that stopped it; by default the one that stopped the table."""
        if whole is not None:
            found = better_of(found, whole.bracketed)
        if table.status is not Status.COMPLETE:
            facts = make_facts(stopped_at=TABLE)
        return cls.unfinished(
            table.names,
            status or table.status,
            max_parents=table.max_parents,
            score=dict(table.score),
            data_digest=data.digest,
            facts=facts or KnownFacts(),
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


FIRST_REACH = 2.0  # what constraints on ancestors are first thought to cost


@dataclass(frozen=True)
class CredibleOptions(CheckedOptions):
    """How far from the best network the set reaches.

    Beyond a Bayes factor of 20 the evidence against a network is called strong (Kass and Raftery 1995).
    """

    bayes_factor: float = option(
        BAYES_FACTOR,
        "the set holds every network within this factor of the best",
        flags=("--bayes-factor", "-b"),
        reader=factor_of,
    )
    most_networks: int | None = option(None, "how many networks to average at most, the best ones", low=1, usual="all")


class CredibleSource(Source):
    """Find every network within a Bayes factor of the best (Liao 2022, chapter 3)."""

    name = "credible"
    title = "credible set"
    networks = "networks that the data cannot rule out"
    meaning = "all networks near the best score"
    heading = "The networks that the data cannot rule out"
    Settings: ClassVar[type[Any]] = CredibleOptions
    default_score = "qnml"
    why_score = "Liao (2022, section 4.7) found that qNML averages best over a credible set"
    citation = "liao-2022"
    is_sample = False
    auto_rank = 2
    fallback = "optimum"
    obeys_ancestors = True
    quick_permutations = 14

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Score, prune and find the set, and count it; what is known is left if a limit stops any of it."""
        slack = math.log(recipe.settings["bayes_factor"])
        constraints = recipe.constraints_on(data.names)
        if constraints is not None and constraints.is_ancestral:
            return _under_ancestors(recipe, data, run)
        table = (run.tables or SharedTables()).take(recipe, data, run, slack)
        if table.status is not Status.COMPLETE:
            return PartialResult.of(recipe, data, table)
        found = CredibleSet.within(table, slack, constraints, run)
        counted = found.summary(limits=run.uncounted)
        if not counted.complete:
            return PartialResult.of(recipe, data, table, counted.status, whole=found, facts=counted.facts)
        most = recipe.settings["most_networks"]
        if most is not None and found.count > most:
            return found.networks(limits=replace(run.limits, count=most)).made_by(recipe)
        return found.made_by(recipe)

    def methods(self, made: MadeNetworks) -> str:
        """Tell of the whole set; of its best part, or the sets of several completions, as of any networks."""
        if made.whole is None:
            return super().methods(made)
        count, classes = made.whole
        grouped = (
            "" if classes is None else f", in {classes:,} Markov equivalence {plural(classes, 'class', 'classes')}"
        )

        return (
            f"All {made.recipe.restriction('networks') or 'networks'} within a Bayes factor of "
            f"{made.recipe.settings['bayes_factor']:g} (Kass & Raftery, 1995) of the best one under "
            f"{made.recipe.score_words} were enumerated exactly, which gave a credible set of "
            f"{counted(count, 'network')}{grouped} (Liao, 2022). The confidence in an edge is the share of the "
            "networks that have it, weighted by their scores"
        )

    def inferred_settings(self, slack: float | None, count: int, facts: KnownFacts) -> dict[str, Any] | None:
        """Return the Bayes factor."""
        return None if slack is None else settings_within(slack)


def _under_ancestors(recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
    """Find the set under constraints on ancestors: the slack of the table grows until it reaches what they cost."""
    constraints = recipe.constraints_on(data.names)
    assert constraints is not None
    own = math.log(recipe.settings["bayes_factor"])
    slack = FIRST_REACH + own
    check_reachable(data, constraints, recipe.max_parents)
    while True:
        table = (run.tables or SharedTables()).take(recipe, data, run, slack)
        if table.status is not Status.COMPLETE:
            return PartialResult.of(recipe, data, table)
        best: list[Optimum] = []
        try:
            found = list_ancestral(table, own, constraints, run, on_best=best.append)
        except GuaranteeError:
            slack = wider_slack(table, slack, data, constraints, recipe.max_parents)
            continue
        most = recipe.settings["most_networks"]
        if not found.complete:
            return PartialResult.of(recipe, data, table, found.status, found=best[0] if best else None)
        if most is not None and found.count > most:
            found = replace(found[:most], status=Status.COUNT_LIMIT)
        return found.made_by(recipe)
