"""`UnfinishedSet`: what is known of a credible set that a limit stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.ensemble.best_network import best_network, better_of, beyond_table
from arcwise.ensemble.credible_set import CredibleSet
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.ensemble.recipe import Recipe
from arcwise.exact import Optimum
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable

__all__ = ["KnownOfSet", "UnfinishedSet"]


@dataclass(frozen=True, eq=False)
class KnownOfSet:
    """What is known of an unfinished set, without what it was made from."""

    found: Optimum | None
    most_parents: int | None
    facts: Mapping[str, Any]

    @property
    def summed_up(self) -> KnownOfSet:
        """Itself."""
        return self


@dataclass(frozen=True, eq=False, kw_only=True)
class UnfinishedSet(NetworkSummary):
    """A set of which not all networks were found: none that could be averaged, but a best one and a bound.

    Parameters
    ----------
    asked
        The recipe of the set.
    data, table
        What it was made from. A table with another status than COMPLETE has the parent sets of some sizes only, and
        what is known is known of networks of these.
    whole
        The set itself, if its building was begun.
    found
        The best network that is known already.
    """

    asked: Recipe
    data: Dataset = field(repr=False)
    table: ParentSetTable = field(repr=False)
    whole: CredibleSet | None = None
    found: Optimum | None = None

    @classmethod
    def of(
        cls,
        recipe: Recipe,
        data: Dataset,
        table: ParentSetTable,
        status: Status,
        *,
        whole: CredibleSet | None = None,
        found: Optimum | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> UnfinishedSet:
        """Return what is left, with the limit that stopped it."""
        nothing = NetworkSummary.unfinished(table.names, status)
        if whole is not None:
            found = better_of(found, whole.bracketed)
        return cls(
            names=nothing.names,
            families=nothing.families,
            count=0,
            posterior=nothing.posterior,
            equal=nothing.equal,
            origin=nothing.origin,
            status=status,
            max_parents=table.max_parents,
            score=dict(table.score),
            data_digest=data.digest,
            facts=dict(facts or {}),
            asked=recipe,
            data=data,
            table=table,
            whole=whole,
            found=found,
        )

    @property
    def most_parents(self) -> int | None:
        """Up to how many parents all sets were scored, if that ended before all that was asked for; else None."""
        return None if self.table.status is Status.COMPLETE else self.table.max_parents

    @property
    def summed_up(self) -> KnownOfSet:
        """What is known, without the data, the table and the diagram."""
        return KnownOfSet(self.found, self.most_parents, self.facts)

    def best(
        self,
        limits: Limits,
        threads: int | None = None,
        *,
        climb: Limits = Limits(),  # noqa: B008
    ) -> Optimum | None:
        """Return the best network, looked for as far as the limits go, with the bound that holds.

        If not all parent sets were scored, a `climb` knows of the others, and the bound is that of `most_parents`.
        """
        if self.found is not None and self.found.is_proved:
            return self.found
        found = better_of(self.found, best_network(self.asked, self.data, self.table, Deadline(limits), threads))
        if found is None or self.most_parents is None:
            return found
        return beyond_table(self.asked, self.data, found, self.table.status, climb)

    def smaller(self, limits: Limits) -> CredibleSet | None:
        """Return the set of a smaller Bayes factor, which is complete, if one can be built and summed up."""
        return None if self.whole is None else self.whole.within_reach(limits)
