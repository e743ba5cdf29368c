"""`Recipe`: how networks are made. Two confidences mean the same only if their recipes are the same."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from arcwise.cluster import Cluster
from arcwise.data import Dataset, Incomplete
from arcwise.defaults import COMPLETIONS
from arcwise.errors import ArcwiseError, FormatError
from arcwise.graph import Beliefs, Constraints
from arcwise.limits import Limits
from arcwise.option import from_keywords, record_of
from arcwise.progress import ProgressCallback
from arcwise.scores import Score, make_score
from arcwise.showing import one_screen
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from arcwise.ensemble.gaps.completions import Completions
    from arcwise.ensemble.network_summary import Ensemble
    from arcwise.ensemble.replicates.batches import KeptBatches
    from arcwise.ensemble.sources import Source
    from arcwise.ensemble.sources.shared_tables import SharedTables
    from arcwise.ensemble.uncut import Uncut

__all__ = ["COMPLETED", "NO_GAPS", "Recipe", "Run"]

NO_GAPS = "none"
COMPLETED = "completions"  # with their number: "completions:20"
# How differences are told.
WORDS = {
    "recut": "whether numbers are cut anew in each replicate",
    "bayes_factor": "the Bayes factor",
    "most_networks": "the most networks that are averaged",
    "refine": "the rounds of refinement",
}


class _Frozen(dict[str, Any]):
    """A mapping that nobody changes: part of a frozen value."""

    def _refuse(self, *arguments: Any, **options: Any) -> Any:
        raise TypeError("a recipe does not change; make another one with dataclasses.replace.")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return (_Frozen, (dict(self),))


@one_screen
@dataclass(frozen=True, slots=True)
class Run:
    """The circumstances of making networks. Except for the seed, none of them is part of how they are made."""

    seed: int = 0
    threads: int | None = None  # None: all cores
    limits: Limits | None = None
    progress: bool | ProgressCallback | None = None
    cluster: Cluster | None = None  # who does it, instead of threads
    journal: str | None = None  # a file of what a sample has finished: one of more networks goes on from there
    tables: SharedTables | None = None  # what is counted for several recipes at once
    batches: KeptBatches | None = None  # what is drawn and counted for bootstraps by several scores

    @property
    def here(self) -> Run:
        """The same on this machine."""
        return replace(self, cluster=None)


@one_screen
@dataclass(frozen=True)
class Recipe:
    """How networks are made: from which source, by which score, how many, under which restrictions.

    Parameters
    ----------
    source
        A name in `arcwise.ensemble.sources.SOURCES`: "credible", "bootstrap".
    score
        The score's name and parameters, as `Score.describe` returns them.
    settings
        The source's own settings by name: a credible set's `bayes_factor`, a bootstrap's `replicates`.
    max_parents
        The largest number of parents of any variable; None for any number.
    own_limit
        Whether that is the score's own limit for data like these (`Facts.most_parents`), and not one that was given.
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
        from arcwise.ensemble.sources import find_source

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
        usual = made.scored_by.facts.most_parents(n_cases, arities)
        known: Constraints | None = options.get("constraints")
        if usual is not None and known is not None:
            usual = max(usual, known.most_required)
        return replace(made, max_parents=usual, own_limit=usual is not None)

    @property
    def source_facts(self) -> Source:
        """The source itself."""
        from arcwise.ensemble.sources import find_source

        return find_source(self.source)

    @property
    def scorer(self) -> Score:
        """The score with the prior odds, made again from its description if need be."""
        if self.scored_by is not None:
            return make_score(self.scored_by.data_score, beliefs=self.beliefs)
        options = dict(self.score)
        try:
            return make_score(str(options.pop("name")), beliefs=self.beliefs, **options)
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
        from arcwise.ensemble.sources import SOURCES

        known = SOURCES.get(self.source)
        return f"{self.source if known is None else known.title}, {self.score_title}"

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
        data: Dataset | Incomplete | Completions | Uncut,
        *,
        seed: int = 0,
        threads: int | None = None,
        limits: Limits | None = None,
        progress: bool | ProgressCallback | None = None,
        cluster: Cluster | None = None,
    ) -> Ensemble:
        """Make the networks: an ensemble that knows its recipe, with a status where a limit cut it short.

        Data with gaps are completed as often as `gaps` says, and the networks of all completions make one ensemble,
        unless the source takes data with gaps as they are, as the bootstrap does. The numbers of `Uncut` data are cut
        anew in every sample if the setting `recut` says so, which needs such data; else once.
        """
        return self.carry_out(data, Run(seed, thread_count(threads), limits, progress, cluster))

    def carry_out(self, data: Dataset | Incomplete | Completions | Uncut, run: Run) -> Ensemble:
        """Make the networks as `run` does, under circumstances that are given as one."""
        source = self.source_facts
        from arcwise.ensemble.gaps.averaging import completions_for
        from arcwise.ensemble.uncut import Uncut, as_recut

        data = as_recut(self, data)
        if isinstance(data, Dataset):
            return source.run(self, data, run)
        if isinstance(data, Uncut):
            return source.run_uncut(self, data, run)
        completions = completions_for(self, data, run.seed)
        return source.run_incomplete(self, completions, run)

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
        try:
            most, settings = facts["max_parents"], dict(facts["settings"])
            if facts["source"] == "bootstrap":
                settings.setdefault("refine", 0)  # replicates were not refined before there was a choice
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
        except (KeyError, OverflowError, TypeError, ValueError) as error:
            raise FormatError(f"the recipe cannot be read ({error!r}).") from error

    def differences(self, other: Recipe) -> tuple[str, ...]:
        """Say in words what is different in another recipe, "here ..., there ..."; empty if nothing is."""
        found = []
        for name, here, there in (
            ("the source of networks", self.source, other.source),
            ("the score", self.score, other.score),
            *(
                (_setting_words(name), *_switches(self.settings.get(name), other.settings.get(name)))
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


def _score_words(score: Mapping[str, Any]) -> str:
    options = ", ".join(f"{key} {value}" for key, value in score.items() if key != "name")
    return f"{score.get('name', 'not known')}{f' ({options})' if options else ''}"


def _switches(*values: object) -> tuple[object, ...]:
    """Return the two values of a switch as words: what is off is not among the settings."""
    if not any(isinstance(value, bool) for value in values):
        return values
    return tuple("yes" if value else "no" for value in values)


def _setting_words(name: str) -> str:
    return WORDS.get(name, f"the {name.replace('_', ' ')}")


def _value_words(value: object) -> str:
    if isinstance(value, Mapping):
        return _score_words(value)
    if isinstance(value, bool):
        return "some" if value else "none"
    if value is None:
        return "any number"
    return f"{value:,}" if isinstance(value, int) else f"{value:g}" if isinstance(value, float) else str(value)
