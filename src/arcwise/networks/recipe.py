"""`Recipe`: how networks are made. Two confidences mean the same only if their recipes are the same."""

from __future__ import annotations

import json
import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self, TypedDict, Unpack, cast

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import finite_or_none
from arcwise.base.cluster import Cluster
from arcwise.base.errors import ArcwiseError, Argument, FormatError, OptionError, Remedy, check_known, reading
from arcwise.base.options import COMPLETIONS, from_keywords, record_of
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, thread_count
from arcwise.base.showing import counted, one_screen
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.classes import FixedPairs
from arcwise.graph.constraints import Constraints
from arcwise.networks.families import ArcShares, Families
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset
    from arcwise.networks.network_list import NetworkSet, Weighting
    from arcwise.sampled.completions import Completions
    from arcwise.sampled.numeric_data import NumericData, Sampled


# The sources of networks by name, and what everyone may ask of one.
#
# The registry is below the sources, so that a `Recipe` can find its own. `arcwise.recipes.registry` fills it.


Visit = Callable[["Ensemble", "Dataset"], None]  # is given the networks of a completion, and the completion
JOINED = " + "


@dataclass(frozen=True)
class MadeNetworks:
    """What the words of a report rest on where they tell how networks were made."""

    recipe: Recipe
    count: int
    n_cases: int
    verdict: Mapping[str, Any]  # what is known of the chains that drew them; empty if none did
    whole: tuple[int, int | None] | None = None  # of all networks near the best: how many, in how many classes
    proved: str = ""  # what is proved of the best network's score, in words

    @property
    def were(self) -> str:
        """The beginning of a sentence: "One network was", or "12 networks were"."""
        return "One network was" if self.count == 1 else f"{self.count:,} networks were"


class NetworkSource(Protocol):
    """A way to make networks, with what one needs to know about it; `arcwise.recipes.source.Source` is its base."""

    name: ClassVar[str]
    # In texts: its title; what its networks are called in a sentence ("networks learned from resampled data"); what it
    # is, in a phrase for people who do not know it; the heading of the report's section about its networks, "" for what
    # they are called.
    title: ClassVar[str]
    networks: ClassVar[str]
    meaning: ClassVar[str]
    heading: ClassVar[str] = ""
    # A dataclass of its own options, made with `arcwise.base.options.option`.
    Settings: ClassVar[type[Any]]
    # The score that is usual with it, and the reason, a sentence without a full stop; "" if there is none to give.
    default_score: ClassVar[str]
    why_score: ClassVar[str] = ""
    # The key of the work to cite, in `arcwise.base.bibliography`; "" for none.
    citation: ClassVar[str] = ""
    # The settings that recipes of earlier versions do not have, as they were then.
    earlier: ClassVar[Mapping[str, Any]] = {}
    # The setting that says how many networks are made; "" if the data decide that.
    counted_by: ClassVar[str] = ""
    # Whether the networks are a random sample, so that a confidence has a Monte Carlo error and a part of them is a
    # smaller sample; if not, they are all there are, and a part of them says nothing.
    is_sample: ClassVar[bool]
    # Whether each network was found by a search, which comes upon any member of its class: its arcs tell nothing about
    # directions.
    is_searched: ClassVar[bool] = False
    # Whether chains may have drawn the networks, which then depend on each other.
    is_chained: ClassVar[bool] = False
    # Whether each network is learned from a sample of the cases of its own, `replicates` in all: numbers can be cut
    # anew in each (`run_uncut`), and a run's journal keeps those that are finished, its batches what was counted.
    resamples: ClassVar[bool] = False
    # Whether `learn` compares its networks with others by itself; if not, only where it is asked for.
    is_usual: ClassVar[bool] = True
    # Its turn among the sources that `learn` takes by itself, the first that can obey the constraints; 0 for none.
    auto_rank: ClassVar[int] = 0
    # The source of one network, for when a limit ends this one before it has an answer; "" for none.
    fallback: ClassVar[str] = ""
    # Whether the share of networks with an edge says how far to trust it; not that of single searches, however many
    # completions of the data there are.
    has_shares: ClassVar[bool] = True
    # Up to how many variables shuffled columns are learned from without being asked for: that is twenty times the work,
    # and without dependence nothing can be pruned by what explains the data well.
    quick_permutations: ClassVar[int] = 0
    # Whether it can obey that a variable leads to another, or does not.
    obeys_ancestors: ClassVar[bool] = False

    @abstractmethod
    def carry_out(self, recipe: Recipe, data: Sampled, run: Run) -> Ensemble:
        """Make the networks of any data that a recipe takes."""

    @abstractmethod
    def counted(self, data: Any) -> Any:
        """Return data of which each row can be counted as a case, where this source needs such."""

    @abstractmethod
    def run(self, recipe: Recipe, data: Any, run: Run) -> Ensemble:
        """Make the networks; a limit shows in the status of what is returned, which may be empty then."""

    @abstractmethod
    def run_incomplete(self, recipe: Recipe, data: Completions, run: Run, visit: Visit | None = None) -> Ensemble:
        """Make networks from data with gaps; `visit` is called with those of each completion, if there are such."""

    def run_uncut(self, recipe: Recipe, data: NumericData, run: Run) -> Ensemble:
        """Make networks from data whose numbers are cut anew whenever they are sampled; a source must know how."""
        raise OptionError(
            Argument("recut", True),
            f"cuts every sample of the data anew, and the {self.title} takes none.",
            remedies=Remedy("take samples:", Argument("method", "bootstrap")),
        )

    def summary(self, made: MadeNetworks) -> str:
        """Return how the networks came about, in a sentence of the report."""
        return f"There are {made.count:,} {self.networks} ({self.title}: {self.meaning})."

    def methods(self, made: MadeNetworks) -> str:
        """Return how the networks were found and averaged, as a methods section does, without the last full stop."""
        return (
            f"We made {made.count:,} networks under {made.recipe.score_words} ({self.title}: {self.meaning}). The "
            "confidence in an edge is the share of the networks that have it"
        )

    def cited_for(self, verdict: Mapping[str, Any]) -> str:
        """Return the key of the work to cite, given what is known of the chains that drew the networks."""
        return self.citation

    def inferred_settings(self, slack: float | None, count: int, facts: KnownFacts) -> dict[str, Any] | None:
        """Return the settings that follow from other facts of networks whose recipe was not recorded; None if none do.

        `slack` is None where it does not say which networks are meant.
        """
        return None


# In the order in which `learn` compares the usual ones.
SOURCES: dict[str, NetworkSource] = {}


class NetworkKind(NamedTuple):
    """What networks are that come from one place; the words are those of `NetworkSource`."""

    is_sample: bool = False
    is_searched: bool = False
    is_chained: bool = False
    is_resampled: bool = False
    is_whole: bool = False


# What our own sources make, whether or not they are registered, and what no source makes: permuted data are learned
# from once each, and draws are those from a credible set or an exact posterior.
KINDS = {
    "bootstrap": NetworkKind(is_sample=True, is_searched=True, is_resampled=True),
    "credible": NetworkKind(is_whole=True),
    "posterior": NetworkKind(is_sample=True, is_chained=True),
    "optimum": NetworkKind(is_sample=True),
    "search": NetworkKind(is_sample=True, is_searched=True),
    "permutation": NetworkKind(is_sample=True, is_searched=True),
    "draws": NetworkKind(is_sample=True),
}


class NetworkOrigin(str):
    """Where networks come from: the name of a source, or how else they were found; several, if they were joined."""

    __slots__ = ()

    @classmethod
    def joined(cls, origins: Iterable[str]) -> NetworkOrigin:
        """Return the origin of networks that were joined."""
        return cls(JOINED.join(dict.fromkeys(origins)))

    @property
    def kinds(self) -> list[NetworkKind]:
        """What the networks are that were joined; nothing is known of other names."""
        return [KINDS.get(part, NetworkKind()) for part in self.split(JOINED)]

    @property
    def is_sample(self) -> bool:
        """Whether the networks are a random sample, or were joined with one.

        The confidences of a sample have a Monte Carlo error.
        """
        return any(kind.is_sample for kind in self.kinds)

    @property
    def is_searched(self) -> bool:
        """Whether searches found some of the networks; see `NetworkSource.is_searched`."""
        return any(kind.is_searched for kind in self.kinds)

    @property
    def is_chained(self) -> bool:
        """Whether chains may have drawn the networks, which then depend on each other."""
        return KINDS.get(self, NetworkKind()).is_chained

    @property
    def is_resampled(self) -> bool:
        """Whether each network was learned from a sample of the cases of its own."""
        return KINDS.get(self, NetworkKind()).is_resampled

    @property
    def is_whole(self) -> bool:
        """Whether the networks are all that a source means, and no sample of them."""
        return KINDS.get(self, NetworkKind()).is_whole


def register(source: NetworkSource) -> None:
    """Add a source, or put it in the place of the one that has its name."""
    SOURCES[source.name] = source
    KINDS[source.name] = NetworkKind(
        source.is_sample, source.is_searched, source.is_chained, source.resamples, not source.is_sample
    )


def find_source(name: str) -> NetworkSource:
    """Return the source of the given name."""
    check_known("method", name, SOURCES)
    return SOURCES[name]


NO_GAPS = "none"
COMPLETED = "completions"  # with their number: "completions:20"
# How differences are told.
WORDS = {
    "recut": "whether numbers are cut anew in each replicate",
    "bayes_factor": "the Bayes factor",
    "most_networks": "the most networks that are averaged",
    "refine": "the rounds of refinement",
    "draws": "how replicates draw their rows",
}


class _Frozen(dict[str, Any]):
    """A mapping that nobody changes: part of a frozen value."""

    def _refuse(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError("a recipe does not change; make another one with dataclasses.replace.")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Frozen, (dict(self),))


@one_screen
@dataclass(frozen=True)
class Recipe:
    """How networks are made: from which source, by which score, how many, under which restrictions.

    Parameters
    ----------
    source
        A name in `arcwise.networks.recipe.SOURCES`: "credible", "bootstrap".
    score
        The score's name and parameters, as `Score.describe` returns them.
    settings
        The source's own settings by name: a credible set's `bayes_factor`, a bootstrap's `replicates`.
    max_parents
        The largest number of parents of any variable; None for any number.
    own_limit
        Whether it is the score's own limit for such data (`KnownFacts.most_parents`), and not one that was given.
    constraints
        What every network must satisfy, as `Constraints.describe` returns it; empty for nothing.
    gaps
        What is done about missing values: "none" if there are none, "completions:20" for averages over 20
        completions, else the way they were filled before.
    beliefs
        The prior odds of networks, as `Beliefs.describe` returns them; empty for the uniform prior. They are taken out
        of the description of a score that has some.

    Examples
    --------
    >>> recipe = Recipe.of("credible", "bdeu:ess=1", bayes_factor=150)
    >>> recipe.title, recipe.settings["bayes_factor"]
    ('credible set, BDeu (ess 1)', 150.0)
    """

    source: str
    score: Mapping[str, Any]
    settings: Mapping[str, Any]
    max_parents: int | None = None
    constraints: Mapping[str, Any] = field(default_factory=dict)
    gaps: str = NO_GAPS
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    # What cannot be made again from its description (a score with a prior network) is kept next to it.
    scored_by: Score | None = field(default=None, repr=False, compare=False)
    own_limit: bool = field(default=False, repr=False, compare=False)  # where a number comes from does not change it

    def __post_init__(self) -> None:
        if "beliefs" in self.score:
            object.__setattr__(self, "beliefs", self.score["beliefs"])
            object.__setattr__(self, "score", {key: own for key, own in self.score.items() if key != "beliefs"})
        for name in ("score", "settings", "constraints", "beliefs"):
            object.__setattr__(self, name, _Frozen(getattr(self, name)))

    def __hash__(self) -> int:
        return hash(json.dumps(replace(self, own_limit=False).describe(), sort_keys=True, default=str))

    @classmethod
    def of(
        cls,
        source: str,
        score: str | Score | None = None,
        *,
        max_parents: int | None = None,
        constraints: Constraints | None = None,
        gaps: str = NO_GAPS,
        beliefs: Beliefs | None = None,
        **settings: Any,
    ) -> Recipe:
        """Make a recipe; a score or setting that is not given is the source's own.

        The limit of parents is the lower one of `max_parents` and the largest that the constraints leave any variable.
        `beliefs` are added to the score.
        """
        found = find_source(source)
        scorer = make_score(found.default_score if score is None else score, beliefs=beliefs)
        kept = {} if constraints is None else constraints.describe()
        record = record_of(from_keywords(found.Settings, settings))
        own = {name: value for name, value in record.items() if value is not False}  # what is off is not told
        known = None if constraints is None else constraints.largest_limit
        limits = [most for most in (max_parents, known) if most is not None]
        return cls(source, scorer.describe(), own, min(limits, default=None), kept, gaps, scored_by=scorer)

    @classmethod
    def usual(
        cls,
        source: str,
        score: str | Score | None = None,
        *,
        n_cases: int | None = None,
        arities: Sequence[int] = (),
        **options: Any,
    ) -> Recipe:
        """Make a recipe with the limit on parents that the score needs, unless another is given.

        The limit is for so many cases, and variables with so many states. It never forbids what constraints require.
        """
        made = cls.of(source, score, **options)
        if made.max_parents is not None or made.scored_by is None:
            return made
        usual = made.scored_by.facts.most_parents(n_cases, arities, growing=made.source_facts.resamples)
        known: Constraints | None = options.get("constraints")
        if usual is not None and known is not None:
            usual = max(usual, known.most_required)
        return replace(made, max_parents=usual, own_limit=usual is not None)

    @property
    def source_facts(self) -> NetworkSource:
        """The source itself."""
        return find_source(self.source)

    @property
    def scorer(self) -> Score:
        """The score with the prior odds, made again from its description if need be."""
        if self.scored_by is not None:
            return make_score(self.scored_by.data_score, beliefs=self.beliefs or None)
        options = dict(self.score)
        try:
            return make_score(str(options.pop("name")), beliefs=self.beliefs or None, **options)
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise ArcwiseError(f"the score {dict(self.score)} cannot be made from its description: {error}") from error

    @property
    def score_title(self) -> str:
        """The score as papers write it: "BDeu (ess 1)"."""
        try:
            return self.scorer.data_score.title
        except ArcwiseError:
            return str(self.score.get("name", "another score"))

    @property
    def title(self) -> str:
        """The source and the score: "credible set, qNML"."""
        known = SOURCES.get(self.source)
        return f"{self.source if known is None else known.title}, {self.score_title}"

    @property
    def score_words(self) -> str:
        """The score in a sentence: "the BIC score", or "the BIC score and the prior odds"."""
        return f"the {self.score_title} score{' and the prior odds' if self.beliefs else ''}"

    def restriction(self, networks: str) -> str:
        """Return what it is restricted to: "networks with at most 1 parent that satisfy the constraints"."""
        most = self.max_parents
        limit = "" if most is None else f" with at most {counted(most, 'parent')} per variable"
        known = " that satisfy the constraints" if _known(self) else ""
        return f"{networks}{limit}{known}" if limit or known else ""

    @property
    def limit_words(self) -> str:
        """The restriction behind a comma: ", with at most 3 parents per variable"."""
        return self.restriction("").replace(" with", ", with", 1)

    @property
    def without_beliefs(self) -> Recipe:
        """The same with the uniform prior."""
        return replace(self, beliefs={})

    @property
    def recuts(self) -> bool:
        """Whether numbers are cut anew in every sample."""
        return bool(self.settings.get("recut", False))

    @property
    def without_recuts(self) -> Recipe:
        """The same for data that are cut."""
        kept = {name: value for name, value in self.settings.items() if name != "recut"}
        return replace(self, settings=kept, scored_by=self.scored_by) if self.recuts else self

    @property
    def completions(self) -> int:
        """Over how many completions of data with gaps it averages."""
        kind, _, count = self.gaps.partition(":")
        return int(count) if kind == COMPLETED and count else COMPLETIONS

    def constraints_on(self, names: tuple[str, ...]) -> Constraints | None:
        """Return the constraints over variables, or None if there are none."""
        return Constraints.from_description(names, self.constraints) if self.constraints else None

    def run(
        self,
        data: Sampled,
        *,
        seed: int = 0,
        threads: int | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
        cluster: Cluster | None = None,
    ) -> Ensemble:
        """Make the networks: an ensemble that knows its recipe, with a status where a limit cut it short.

        Data with gaps are completed as often as `gaps` says, and the networks of all completions make one ensemble,
        unless the source takes data with gaps as they are, as the bootstrap does. The numbers of `NumericData` are cut
        anew in every sample if the setting `recut` says so, which needs such data; else once.
        """
        run = Run(seed, thread_count(threads), limits, progress, cluster)
        return self.source_facts.carry_out(self, data, run)

    def describe(self) -> dict[str, Any]:
        """Return the recipe as JSON can hold it."""
        return {
            "source": self.source,
            "score": dict(self.score),
            "settings": dict(self.settings),
            "max_parents": self.max_parents,
            **({"own_limit": True} if self.own_limit else {}),
            "constraints": dict(self.constraints),
            "gaps": self.gaps,
            **({"beliefs": dict(self.beliefs)} if self.beliefs else {}),
        }

    @classmethod
    def from_description(cls, facts: Mapping[str, Any]) -> Recipe:
        """Read what `describe` returned; a source that is not known here is kept, but cannot be run."""
        with reading("the recipe"):
            most, settings = facts["max_parents"], dict(facts["settings"])
            known = SOURCES.get(str(facts["source"]))
            for name, value in {} if known is None else known.earlier.items():
                settings.setdefault(name, value)
            return cls(
                source=str(facts["source"]),
                score=dict(facts["score"]),
                settings=settings,
                max_parents=None if most is None else int(most),
                constraints=dict(facts["constraints"]),
                gaps=str(facts["gaps"]),
                beliefs=dict(facts.get("beliefs", {})),
                own_limit=bool(facts.get("own_limit", False)),
            )

    def differences(self, other: Recipe) -> tuple[str, ...]:
        """Return in words what is different in another recipe, "here ..., there ..."; empty if nothing is."""
        found = []
        for name, here, there in (
            ("the source of networks", self.source, other.source),
            ("the score", self.score, other.score),
            *(
                (
                    WORDS.get(name, f"the {name.replace('_', ' ')}"),
                    *_switches(self.settings.get(name), other.settings.get(name)),
                )
                for name in sorted({*self.settings, *other.settings} if self.source == other.source else ())
            ),
            ("the largest number of parents", self.max_parents, other.max_parents),
            ("constraints", bool(_known(self)), bool(_known(other))),
            ("prior odds", bool(self.beliefs), bool(other.beliefs)),
            ("missing values", _gap_words(self), _gap_words(other)),
        ):
            if here != there:
                found.append(f"{name}: {_value_words(here)} here, {_value_words(there)} there")
        if _known(self) != _known(other) and bool(_known(self)) == bool(_known(other)):
            found.append("the constraints are different")
        if self.beliefs and other.beliefs and self.beliefs != other.beliefs:
            found.append("the prior odds are different")
        return tuple(found)


def _known(recipe: Recipe) -> dict[str, Any]:
    """Return the constraints but for the limit of parents, which is told on its own."""
    return {name: value for name, value in recipe.constraints.items() if name != "max_parents"}


def _gap_words(recipe: Recipe) -> str:
    kind = recipe.gaps.partition(":")[0]
    return f"averaged over {recipe.completions:,} completions" if kind == COMPLETED else recipe.gaps


def _switches(*values: object) -> tuple[object, ...]:
    """Return the two values of a switch as words: what is off is not among the settings."""
    if not any(isinstance(value, bool) for value in values):
        return values
    return tuple("yes" if value else "no" for value in values)


def _value_words(value: object) -> str:
    if isinstance(value, Mapping):  # a score
        options = ", ".join(f"{key} {option}" for key, option in value.items() if key != "name")
        return f"{value.get('name', 'not known')}{f' ({options})' if options else ''}"
    if isinstance(value, bool):
        return "some" if value else "none"
    if value is None:
        return "any number"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)


# What every ensemble says about how it was found, whether its networks are listed or only summed up.


class KnownFacts(TypedDict, total=False):
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


def make_facts(**facts: Unpack[KnownFacts]) -> KnownFacts:
    """Return those of some facts that are known: not None."""
    return cast(KnownFacts, {name: fact for name, fact in facts.items() if fact is not None})


def facts_without(facts: KnownFacts, *names: str) -> KnownFacts:
    """Return facts without some of them."""
    return cast(KnownFacts, {name: fact for name, fact in facts.items() if name not in names})


def networks_title(recipe: Recipe | None) -> str:
    """Return what the networks of a recipe are, in words: "networks that the data cannot rule out"."""
    source = None if recipe is None else SOURCES.get(recipe.source)
    return "networks" if source is None else source.networks


def known_facts(obeyed: Constraints | None, targets: Iterable[Iterable[str]] | None = None) -> KnownFacts:
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
    for statement in found.statements:
        if any(statement not in other.statements for other in given[1:]):
            found = found.without(statement)
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
        def origin(self) -> NetworkOrigin:
            """How the networks were found."""

        @property
        def count(self) -> int:
            """The exact number of networks."""

        @property
        def status(self) -> Status:
            """COMPLETE, or the limit that was reached."""

        @property
        def facts(self) -> KnownFacts:
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
    facts: KnownFacts = field(default_factory=KnownFacts)
    carried_out: Recipe | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "facts", dict(self.facts))
        object.__setattr__(self, "origin", NetworkOrigin(self.origin))

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

    def check_known(self, source: str, used: NDArray[np.bool_]) -> Self:
        """Return the networks as they are, or raise a `FormatError` if what a file says of them makes no sense.

        The families in use must satisfy the constraints.
        """
        try:
            _ = self.fixed
        except (ArcwiseError, TypeError, ValueError, AttributeError, KeyError) as error:
            raise FormatError(f"{source}: the constraints or experiments cannot be read ({error}).") from error
        try:
            self.families.assert_obey(self.obeyed, used)
        except AssertionError:
            raise FormatError(f"{source}: a network does not satisfy the constraints; the file was edited.") from None
        return self

    def made_by(self, recipe: Recipe) -> Self:
        """Return the same networks with the recipe that they were made by."""
        return replace(self, carried_out=recipe, facts=self.facts | make_facts(recipe=recipe.describe()))


def fields_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that `EnsembleFacts.describe` wrote; what is no such thing is a KeyError, TypeError, ..."""
    nan, most, digest = float("nan"), described["max_parents"], described["data_digest"]
    tolerance = float(described["tolerance"])
    if not 0 <= tolerance < math.inf:
        raise ValueError(f"the tolerance is {tolerance}")
    return {
        "origin": NetworkOrigin(described["origin"]),
        "opt": nan if described["opt"] is None else float(described["opt"]),
        "slack": nan if described["slack"] is None else float(described["slack"]),
        "status": Status(described["status"]),
        "max_parents": None if most is None else int(most),
        "tolerance": tolerance,
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
    return f"complete among networks with at most {counted(max_parents, 'parent')}"
