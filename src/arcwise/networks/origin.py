"""What every ensemble says about how it was found, whether its networks are listed or only summed up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import finite_or_none
from arcwise.base.errors import ArcwiseError, FormatError, OptionError, Remedy
from arcwise.base.run import Limits, Seed, Status
from arcwise.base.showing import one_screen
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.constraints import Constraints
from arcwise.graph.fixed_pairs import FixedPairs
from arcwise.networks.families import ArcShares, Families
from arcwise.networks.recipe import SOURCES, Origin, Recipe

if TYPE_CHECKING:
    from arcwise.networks.network_list import NetworkSet, Weighting


class Facts(TypedDict, total=False):
    """What is known of networks, by the names that files have."""

    # How they were made, and from how many cases.
    by: str | None  # "mec": there is one network of each equivalence class
    n_cases: int | None
    replicates: int | None
    learner: str | None
    options: Mapping[str, Any] | None
    seed: int | None
    indices: list[int] | None  # of the replicates
    replicate_scores: list[float] | None  # on the replicates' own data
    cut: Mapping[str, Any] | None  # how numbers were cut anew
    drawn_by: str | None
    proposals: int | None
    sizes: list[str] | None  # of the classes; they may exceed 64 bits
    recipe: Mapping[str, Any] | None
    # What holds of all of them.
    constraints: Mapping[str, Any] | None
    copies: Mapping[str, str] | None  # copied columns, with the first of each
    targets: list[list[str]] | None  # what experiments set
    # How far the work came, and what it took.
    seconds: float | None
    states: int | None  # of the diagram
    explored: int | None
    total: str | None  # how many networks there are, of which the best are listed
    reached_slack: float | None
    reached_count: str | None  # of the networks within that slack
    stopped_at: str | None
    expected_seconds: float | None  # about what all networks of a sample would take that the time cut short
    # What chains did, and whether they agree.
    steps: int
    draws_made: int
    slack: float | None
    jumps: bool
    chains: int | None
    chain_draws: int | None
    verdict: Mapping[str, Any] | None
    left_out: float | None
    # What is proved of a best network.
    gap: float | None
    upper_bound: float | None
    most_parents: int | None
    # The completions of data with gaps that they come from.
    completions: int | None
    steady: bool | None
    by_completion: list[int] | None  # how many networks each has, where they stand in this order
    completed_under: list[list[int]] | None  # per completion, tail and head of every arc of its network in turns


def make_facts(**facts: Unpack[Facts]) -> Facts:
    """Return those of some facts that are known: not None."""
    return cast(Facts, {name: fact for name, fact in facts.items() if fact is not None})


def facts_without(facts: Facts, *names: str) -> Facts:
    """Return facts without some of them."""
    return cast(Facts, {name: fact for name, fact in facts.items() if name not in names})


def known_facts(obeyed: Constraints | None, targets: Iterable[Iterable[str]] | None = None) -> Facts:
    """Return what constraints and experiments say."""
    experiments = [list(target) for target in targets or ()]
    return make_facts(constraints=None if obeyed is None else obeyed.describe(), targets=experiments or None)


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


class Ensemble(ArcShares):
    """What an edge confidence needs to know about many networks, whether they are listed or only summed up."""

    if TYPE_CHECKING:  # what each kind has in its own way

        @property
        def names(self) -> tuple[str, ...]:
            """The variables."""

        @property
        def families(self) -> Families:
            """The distinct parent sets that occur."""

        @property
        def origin(self) -> Origin:
            """How the networks were found."""

        @property
        def count(self) -> int:
            """The exact number of networks."""

        @property
        def status(self) -> Status:
            """COMPLETE, or the limit that was reached."""

        @property
        def facts(self) -> Facts:
            """How the networks were made, what they satisfy, how far the work came."""

        @property
        def score(self) -> Mapping[str, Any]:
            """The score's name and parameters, where known."""

        @property
        def max_parents(self) -> int | None:
            """The parent limit that the networks keep to; None for any number."""

        @property
        def recipe(self) -> Recipe | None:
            """How the networks were made; None if that is not known."""

        @property
        def data_digest(self) -> str | None:
            """The digest of the data, None if not known."""

        def summed(self, limits: Limits | None = None) -> Ensemble:
            """Return what has the shares of the families."""

        def family_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
            """Return, for every row of `families`, the weight of the networks that have this family."""

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def obeyed(self) -> Constraints | None:
        """What every network satisfies; None if nothing is constrained, or if that is not known."""
        known = self.facts.get("constraints")
        if known is None:
            recipe = self.recipe
            known = {} if recipe is None else recipe.constraints
        return Constraints.from_description(self.names, known) if known else None

    @cached_property
    def fixed(self) -> FixedPairs | None:
        """The pairs whose edges have their directions from constraints or experiments; None if there are none.

        The class of a network is its Markov equivalence class cut down to the members that agree with it on these.
        """
        return fixed_pairs(self.names, self.obeyed, self.targets, self.score.get("beliefs"))

    @property
    def targets(self) -> tuple[tuple[str, ...], ...]:
        """The variables that were set in the data, experiment by experiment."""
        return tuple(tuple(target) for target in self.facts.get("targets") or ())

    @property
    def copies(self) -> dict[str, str]:
        """The columns that were learned as one with an earlier one, by name."""
        found, names = self.facts.get("copies"), self.names
        if not isinstance(found, dict):
            return {}
        return {copy: first for copy, first in found.items() if copy in names and first in names and copy != first}

    @property
    def listed(self) -> NetworkSet | None:
        """The networks themselves; None if they are only summed up."""
        return None

    @property
    def weighting(self) -> str:
        """By what the networks are weighted, unless it is said."""
        return "own"

    def drawn(self, count: int, *, seed: Seed = 0, limits: Limits | None = None) -> NetworkSet:
        """Return the networks, or that many draws if there are more; an error if neither is there."""
        raise OptionError(
            f"{self!r} has the shares of families and no networks: what a variable reaches is not known.",
            remedies=Remedy("give the set of networks itself, a CredibleSet or a NetworkSet"),
        )

    def arc_probabilities(self, weights: Weighting | None = None) -> NDArray[np.float64]:
        """Return the matrix of the weights of the networks with the arc p -> c, at [p, c]."""
        return self.families.arc_shares(self.family_probabilities(weights))

    @property
    def complete(self) -> bool:
        """True if no network that was asked for is missing, among those that `max_parents` allows."""
        return self.status is Status.COMPLETE


@one_screen
@dataclass(frozen=True, eq=False, kw_only=True)
class EnsembleFacts(Ensemble):
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
        How the networks were made, what they satisfy, how far the work came; they are saved with the set.
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
    facts: Facts = field(default_factory=Facts)
    carried_out: Recipe | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", dict(self.facts))
        object.__setattr__(self, "origin", Origin(self.origin))

    @property
    def recipe(self) -> Recipe | None:
        """How the networks were made; None if that is not known, or if they are a part of what it makes.

        Sets of an earlier version, and parts of a stream, do not record it, but what it follows from.
        """
        if self.carried_out is not None:
            return self.carried_out
        if (made := self.facts.get("recipe")) is not None:
            return Recipe.from_description(made)
        source = SOURCES.get(self.origin)
        if source is None or not self.score:
            return None
        slack = self.slack if self.complete and math.isfinite(self.slack) else None
        settings = source.inferred_settings(slack, self.count, self.facts)
        return None if settings is None else Recipe(source.name, self.score, settings, self.max_parents)

    def summed(self, limits: Limits | None = None) -> Self:
        """Return what has the shares of the families: the networks as they are."""
        return self

    def describe(self) -> dict[str, Any]:
        """Return the fields as JSON can hold them (NaN is null)."""
        return {
            "opt": finite_or_none(self.opt),
            "slack": finite_or_none(self.slack),
            "status": str(self.status),
            "max_parents": self.max_parents,
            "tolerance": self.tolerance,
            "score": dict(self.score),
            "data_digest": self.data_digest,
            "facts": dict(self.facts),
        }

    def check_known(self, source: str) -> Self:
        """Return the networks as they are, or raise a `FormatError` if what a file says of them makes no sense."""
        try:
            _ = self.fixed
        except (ArcwiseError, TypeError, ValueError, AttributeError, KeyError) as error:
            raise FormatError(f"{source}: the constraints or experiments cannot be read ({error}).") from error
        return self

    def made_by(self, recipe: Recipe) -> Self:
        """Return the same networks with the recipe that they were made by."""
        return replace(self, carried_out=recipe, facts=self.facts | make_facts(recipe=recipe.describe()))


def fields_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that `EnsembleFacts.describe` wrote; what is no such thing is a KeyError, TypeError, ..."""
    nan, most, digest = float("nan"), described["max_parents"], described["data_digest"]
    return {
        "origin": Origin(described["origin"]),
        "opt": nan if described["opt"] is None else float(described["opt"]),
        "slack": nan if described["slack"] is None else float(described["slack"]),
        "status": Status(described["status"]),
        "max_parents": None if most is None else int(most),
        "tolerance": float(described["tolerance"]),
        "score": _table(described["score"]),
        "data_digest": None if digest is None else str(digest),
        "facts": _table(described["facts"]),
    }


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no table")
    return value


def describe_completeness(status: Status, max_parents: int | None, n_variables: int) -> str:
    """Return whether a set is complete, and among which networks.

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
