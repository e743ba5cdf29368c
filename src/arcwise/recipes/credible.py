"""The credible set as a source: every network that the data cannot rule out."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, ClassVar

from arcwise.base.errors import GuaranteeError
from arcwise.base.options import BAYES_FACTOR, check_options, option
from arcwise.base.run import Run, Status
from arcwise.credible.bayes_factors import factor_of, settings_within
from arcwise.credible.credible_set import CredibleSet
from arcwise.credible.find import list_ancestral
from arcwise.credible.unfinished import PartialResult
from arcwise.data.dataset import Dataset
from arcwise.exact.optimum import Optimum
from arcwise.networks.origin import Ensemble, Facts
from arcwise.networks.recipe import MadeNetworks, Recipe
from arcwise.parent_sets.candidate_sets import check_reachable, wider_slack
from arcwise.parent_sets.table import ParentSetTable
from arcwise.recipes.source import Source, tables_of

# Tables of several scores from one pass over the data.
#
# Counting is most of the work of a table with a limit of parents, and does not depend on the score. So who will need
# tables of the same data with several scores says so beforehand, and the first that asks has all of them built.


class SharedTables:
    """The tables that some recipes will ask for, built together where they differ in their score alone.

    Each is handed out once and then let go. If memory is too short for all, each is built for itself.
    """

    def __init__(self) -> None:
        self._waiting: list[Recipe] = []
        self._data: Dataset | None = None
        self._built: list[tuple[Recipe, ParentSetTable]] = []

    def expect(self, recipes: Iterable[Recipe]) -> None:
        """Note that these recipes will be carried out."""
        self._waiting = list(recipes)

    def take(self, recipe: Recipe, data: Dataset, run: Run, slack: float) -> ParentSetTable | None:
        """Return the table of a recipe, built now or before; None if it is not shared with any other."""
        if not self._built and not self._build(recipe, data, run, slack):
            return None
        for place, (of, table) in enumerate(self._built):
            if of == recipe and data is self._data and table.slack >= slack:
                del self._built[place]
                return table
        return None

    def _build(self, recipe: Recipe, data: Dataset, run: Run, slack: float) -> bool:
        together = [one for one in self._waiting if _is_like(one, recipe)]
        if recipe not in together:
            return False
        self._waiting = [one for one in self._waiting if one not in together]
        if len(together) < 2:
            return False
        tables = tables_of(together, data, run, slack)
        if any(table.status is Status.MEMORY_LIMIT for table in tables):
            return False
        made = list(zip(together, tables, strict=True))
        # What the time or Ctrl-C cut short is for the one that asked; the others may have time of their own.
        is_whole = all(table.status is Status.COMPLETE for table in tables)
        self._data, self._built = data, made if is_whole else [one for one in made if one[0] == recipe]
        return True


def _is_like(one: Recipe, other: Recipe) -> bool:
    """Return whether two recipes need tables of the same families."""
    alike = attrgetter("source", "max_parents", "settings", "constraints")
    return bool(alike(one) == alike(other))


FIRST_REACH = 2.0  # what constraints on ancestors are first thought to cost


@dataclass(frozen=True)
class CredibleOptions:
    """How far from the best network the set reaches.

    Beyond a Bayes factor of 20 the evidence against a network is called strong (Kass and Raftery 1995).
    """

    bayes_factor: float = option(
        BAYES_FACTOR, "the set holds every network within this factor of the best", flags=("--bayes-factor", "-b")
    )
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
    heading = "The networks that the data cannot rule out"
    Settings: ClassVar[type[Any]] = CredibleOptions
    default_score = "qnml"
    why_score = "Liao (2022, section 4.7) found that qNML averages best over a credible set"
    citation = "liao-2022"
    is_sample = False
    turn = 2
    fallback = "optimum"
    obeys_ancestors = True
    quick_permutations = 14

    def run(self, recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
        """Score, prune and find the set, and count it; what is known is left if a limit stops any of it."""
        slack = math.log(recipe.settings["bayes_factor"])
        constraints = recipe.constraints_on(data.names)
        if constraints is not None and constraints.is_ancestral:
            return _under_ancestors(recipe, data, run)
        table = _table(recipe, data, run, slack)
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
        told = "" if classes is None else f", in {classes:,} Markov equivalence class{'' if classes == 1 else 'es'}"
        return (
            f"All {made.recipe.restriction('networks') or 'networks'} within a Bayes factor of "
            f"{made.recipe.settings['bayes_factor']:g} (Kass & Raftery, 1995) of the best one under "
            f"{made.recipe.score_words} were enumerated exactly, which gave a credible set of {count:,} "
            f"network{'' if count == 1 else 's'}{told} (Liao, 2022). The confidence in an edge is the share of the "
            "networks that have it, weighted by their scores"
        )

    def inferred_settings(self, slack: float | None, count: int, facts: Facts) -> dict[str, Any] | None:
        """Return the Bayes factor."""
        return None if slack is None else settings_within(slack)


def _table(recipe: Recipe, data: Dataset, run: Run, slack: float) -> ParentSetTable:
    """Score the parent sets that a network within the slack can have."""
    shared = None if run.tables is None else run.tables.take(recipe, data, run, slack)
    return tables_of([recipe], data, run, slack)[0] if shared is None else shared


def _under_ancestors(recipe: Recipe, data: Dataset, run: Run) -> Ensemble:
    """Find the set under constraints on ancestors: the slack of the table grows until it reaches what they cost."""
    constraints = recipe.constraints_on(data.names)
    assert constraints is not None
    own = math.log(recipe.settings["bayes_factor"])
    slack = FIRST_REACH + own
    check_reachable(data, constraints, recipe.max_parents)
    while True:
        table = _table(recipe, data, run, slack)
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
