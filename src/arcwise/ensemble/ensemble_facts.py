"""What every ensemble says about how it was found, whether its networks are listed or only summed up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from arcwise.ensemble.recipe import Recipe
from arcwise.errors import ArcwiseError, FormatError
from arcwise.graph import Beliefs, Constraints, FixedPairs
from arcwise.limits import Status
from arcwise.showing import one_screen

__all__ = [
    "CONSTRAINTS",
    "COPIES",
    "EXPECTED_SECONDS",
    "TARGETS",
    "EnsembleFacts",
    "describe_completeness",
    "fixed_pairs",
    "known_facts",
    "shared_constraints",
]

# Facts about the networks: what all of them satisfy, as `Constraints.describe` says it; and the experiments, each as
# the names of the variables that were set; and the columns that were learned as one with an earlier one of the same
# content, with its name.
CONSTRAINTS, TARGETS, COPIES = "constraints", "targets", "copies"
# About how many seconds all networks of a sample would have taken that the limit of time cut short.
EXPECTED_SECONDS = "expected_seconds"


def fixed_pairs(
    names: Sequence[str],
    constraints: Constraints | None,
    targets: Iterable[Iterable[str]] = (),
    beliefs: Mapping[str, Any] | None = None,
) -> FixedPairs | None:
    """Return the pairs that constraints, experiments and prior odds fix, or None if there is no such pair.

    `beliefs` are described as `Beliefs.describe` does: a pair whose two directions have different odds does not turn
    without a change of the score.
    """
    pairs = FixedPairs.by_targets(names, targets)
    if constraints is not None:
        pairs = pairs | FixedPairs.by_constraints(constraints)
    if beliefs:
        pairs = pairs | Beliefs.from_description(beliefs).fixed_on(names)
    return None if pairs.is_empty else pairs


def known_facts(obeyed: Constraints | None, targets: Iterable[Iterable[str]] | None = None) -> dict[str, Any]:
    """Return what constraints and experiments say, as facts of the networks."""
    known: dict[str, Any] = {} if obeyed is None else {CONSTRAINTS: obeyed.describe()}
    set_variables = [list(target) for target in targets or ()]
    return known | ({TARGETS: set_variables} if set_variables else {})


def shared_constraints(parts: Sequence[Constraints | None]) -> Constraints | None:
    """Return the constraints that networks of several origins satisfy: the statements that all of them share."""
    given = [part for part in parts if part is not None]
    if not given or len(given) < len(parts):
        return None
    found = given[0]
    for said in found.statements:
        if any(said not in other.statements for other in given[1:]):
            found = found.without(said)
    return found if found.statements else None


@one_screen
@dataclass(frozen=True, eq=False, kw_only=True)
class EnsembleFacts:
    """The optimum, the slack, the status and where the networks come from.

    Parameters
    ----------
    opt
        The score of the optimal network, NaN if not known.
    slack
        For a credible set: every network with score >= opt - slack is meant; NaN otherwise.
    status
        COMPLETE if nothing is missing from what was asked for, else the limit that was reached.
    max_parents
        The parent limit of the table that the networks come from; complete then means complete for that limit.
    tolerance
        How far below the limit a network may lie and still count, for ties in floating-point numbers.
    score
        The score's name and parameters, as in `ParentSetTable.score`.
    data_digest
        The digest of the data, None if not known.
    facts
        Further facts that JSON can hold (seed, replicates, seconds, ...); they are saved with the set. "constraints"
        and "targets" say what every network satisfies, and which variables experiments set.
    carried_out
        The recipe that the networks were made by; `recipe` also finds it in a set that was read from a file.
    """

    opt: float = float("nan")
    slack: float = float("nan")
    status: Status = Status.COMPLETE
    max_parents: int | None = None
    tolerance: float = 0.0
    score: Mapping[str, Any] = field(default_factory=dict)
    data_digest: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    carried_out: Recipe | None = field(default=None, repr=False)

    @property
    def recipe(self) -> Recipe | None:
        """How the networks were made; None if that is not known, or if they are a part of what it makes.

        Sets of an earlier version, and parts of a stream, do not record it, but what it follows from.
        """
        if self.carried_out is not None:
            return self.carried_out
        if (facts := self.facts.get("recipe")) is not None:
            return Recipe.from_description(facts)
        settings = self._settings()
        if settings is None or not self.score:
            return None
        return Recipe(self._source, self.score, settings, self.max_parents)

    @property
    def obeyed(self) -> Constraints | None:
        """What every network satisfies; None if nothing is constrained, or if that is not known."""
        known = self.facts.get(CONSTRAINTS)
        if known is None:
            recipe = self.recipe
            known = {} if recipe is None else recipe.constraints
        return Constraints.from_description(self._names, known) if known else None

    @cached_property
    def fixed(self) -> FixedPairs | None:
        """The pairs whose edges have their directions from constraints or experiments; None if there are none.

        The class of a network is its Markov equivalence class cut down to the members that agree with it on these.
        """
        return fixed_pairs(self._names, self.obeyed, self.targets, self.score.get("beliefs"))

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The variables that were set in the data, experiment by experiment."""
        return tuple(tuple(target) for target in self.facts.get(TARGETS) or ())

    @property
    def copies(self) -> dict[str, str]:
        """The columns that were learned as one with an earlier one, by name."""
        found, names = self.facts.get(COPIES), tuple(self._names)
        if not isinstance(found, dict):
            return {}
        return {copy: first for copy, first in found.items() if copy in names and first in names and copy != first}

    def check_known(self, source: str) -> Self:
        """Return the networks as they are, or raise a `FormatError` if what a file says of them makes no sense."""
        try:
            _ = self.fixed
        except (ArcwiseError, TypeError, ValueError, AttributeError, KeyError) as error:
            raise FormatError(f"{source}: the constraints or experiments cannot be read ({error}).") from error
        return self

    @property
    def _names(self) -> tuple[str, ...]:
        return getattr(self, "names", ())

    @property
    def _source(self) -> str:
        return str(getattr(self, "origin", ""))

    def _settings(self) -> dict[str, Any] | None:
        """Return the settings of the source that follow from the other facts."""
        if self._source == "credible" and self.complete and math.isfinite(self.slack):
            return {"bayes_factor": float(f"{math.exp(min(self.slack, 700.0)):.12g}"), "most_networks": None}
        if self._source == "bootstrap":
            replicates = int(self.facts.get("replicates", getattr(self, "count", 0)))
            return {"replicates": replicates, "learner": str(self.facts.get("learner", "tabu"))}
        return None

    def made_by(self, recipe: Recipe) -> Self:
        """Return the same networks with the recipe that they were made by."""
        return replace(self, carried_out=recipe, facts={**self.facts, "recipe": recipe.describe()})

    @property
    def complete(self) -> bool:
        """True if no network that was asked for is missing, among those that `max_parents` allows."""
        return self.status is Status.COMPLETE


def describe_completeness(status: Status, max_parents: int | None, n_variables: int) -> str:
    """Say whether a set is complete, and among which networks.

    >>> describe_completeness(Status.COMPLETE, 3, 10)
    'complete among networks with at most 3 parents'
    >>> describe_completeness(Status.TIME_LIMIT, None, 10)
    'not complete: time limit'
    """
    if status is not Status.COMPLETE:
        return f"not complete: {status}"
    if max_parents is None or max_parents >= n_variables - 1:
        return "complete"
    return f"complete among networks with at most {max_parents} parent{'' if max_parents == 1 else 's'}"
