"""The options of `learn`, one list: Python, the command line, the record of a run and the documentation take it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import chain
from typing import Any

from arcwise.audit.audit import AuditSettings
from arcwise.base.errors import Argument, OptionError, Remedy, check_argument
from arcwise.base.options import (
    BINS,
    COMPLETIONS,
    LEARN_SECONDS,
    Common,
    Group,
    check_options,
    command_words,
    option,
    row,
)
from arcwise.base.showing import one_screen
from arcwise.confidence.calibration import KINDS
from arcwise.credible.bayes_factors import SPELLED
from arcwise.data.checks import SEPARATOR, checked_conditions
from arcwise.data.column import VariableKind, checked_kind
from arcwise.data.discretize import METHODS as CUTS
from arcwise.data.impute import METHODS as FILLS
from arcwise.data.large import Grouping
from arcwise.data.read import ReadingSettings
from arcwise.graph.beliefs import Beliefs, make_beliefs
from arcwise.graph.constraints import Constraints
from arcwise.recipes.bootstrap import BootstrapOptions
from arcwise.recipes.credible import CredibleOptions
from arcwise.recipes.registry import SOURCES
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score

AUTO = "auto"
CUT, AS_THEY_ARE = "cut", "as-they-are"
USUAL_OF_NUMBERS = "bic-dg"  # the score of numbers as they are
RULES = ("calibrated", "learned", "cost")


@one_screen
@dataclass(frozen=True, kw_only=True)
class LearnOptions:
    """Everything that `learn` can be told, each with its default and its range.

    >>> LearnOptions(score="bic", max_parents=2).command_words()
    ['--score', 'bic', '--max-parents', '2']
    """

    # How networks are made
    method: str = option(
        AUTO,
        "how networks are found: credible, bootstrap, posterior, search or optimum (one network, only to look at). "
        "Auto is the bootstrap, or a credible set where constraints on ancestors ask for it",
        choices=partial(chain, (AUTO,), SOURCES),
        group=Group.METHOD,
    )
    score: str | Score | None = option(
        None,
        "a score, e.g. bic or bdeu:ess=10",
        values="a score",
        usual="qnml, with numbers bic-dg; bic for a search",
        flags=("--score", "-s"),
        group=Group.METHOD,
    )
    bayes_factor: float | str = row(
        CredibleOptions,
        "bayes_factor",
        help=f"the credible set holds every network within this factor of the best: {SPELLED}",
        kind=str,
        values="a number >= 1, or a name",
        group=Group.METHOD,
        rare=True,
        metavar="FACTOR",
    )
    replicates: int = row(
        BootstrapOptions, "replicates", help="how many networks a bootstrap learns", high=10**8, group=Group.METHOD
    )
    settings: tuple[str, ...] = option(
        (),
        "a setting of the method that has no option of its own, NAME=VALUE; may be repeated",
        flags=("--setting",),
        group=Group.METHOD,
        rare=True,
        metavar="NAME=VALUE",
    )
    recut: bool = row(
        BootstrapOptions,
        "recut",
        help="re-discretize numeric columns in each bootstrap replicate, so that cut points are part of the "
        "uncertainty",
        group=Group.METHOD,
        rare=True,
    )
    max_parents: int | None = option(
        None,
        "the largest number of parents of any variable",
        low=0,
        usual="2 to 6 by the number of rows for qnml and qbdj, which find edges in any data without a limit; none for "
        "other scores",
        group=Group.METHOD,
    )
    constraints: Constraints | None = option(
        None,
        "what every network must satisfy: required and forbidden arcs, tiers, roots, leaves, groups, parent limits",
        values="`Constraints`; a file or JSON",
        group=Group.QUESTION,
    )
    beliefs: Beliefs | None = option(
        None,
        "what you believe before the data, and the data may overrule: prior odds of arcs and edges, or how many edges "
        "to expect",
        values="`Beliefs`, or a table from, to, odds; a file or JSON",
        group=Group.QUESTION,
    )
    # From confidences to a network
    missed_edge_cost: float = option(
        1.0,
        "how many extra edges a missed edge costs you",
        values="a number above 0",
        low=0,
        flags=("--missed-edge-cost", "--alpha"),
        group=Group.DECISION,
        metavar="EDGES",
    )
    rule: str = option(
        "calibrated",
        "from the cost to a cut-off. Calibrated is best on average by the probabilities of the edges. Learned is best "
        "on data sets whose network is known. Cost is 1 / (1 + cost) of the confidences",
        choices=RULES,
        group=Group.DECISION,
        rare=True,
    )
    calibration: str = option(
        "table",
        "how confidences become probabilities: table (by studies of known networks), or none",
        choices=KINDS,
        group=Group.DECISION,
        rare=True,
    )
    false_rate: float | None = option(
        None,
        "keep as many edges as go with at most this share of false ones, on average",
        low=0,
        high=1,
        usual="what the rule says",
        group=Group.DECISION,
        metavar="SHARE",
    )
    threshold: float | None = option(
        None,
        "a cut-off to use instead",
        low=0,
        high=1,
        usual="what the rule says",
        group=Group.DECISION,
        metavar="CUT-OFF",
    )
    permutations: int | None = option(
        None,
        "data sets with shuffled columns, which show what arises by chance (Broom's rule); 0 for none",
        low=0,
        high=100_000,
        usual="20 where that is quick",
        values="0, or an integer from 2 to 100,000",
        group=Group.METHOD,
        rare=True,
    )
    compare: bool = option(
        True,
        "compute the confidences by other methods and scores too",
        flags=("--compare", "--no-compare"),
        group=Group.METHOD,
    )
    # The data
    impute: str | None = option(
        None,
        "missing values: completions (average over many), or fill them once: knn, mode, a state of their own, or drop "
        "the rows that have any",
        choices=("completions", *FILLS),
        usual="a proposal, completions",
        group=Group.DATA,
        metavar="HOW",
    )
    completions: int = option(
        COMPLETIONS,
        "over how many completions of data with gaps to average; up to three times as many while confidences move",
        low=2,
        high=10_000,
        group=Group.DATA,
        rare=True,
    )
    numbers: str = option(
        AUTO,
        "as-they-are, or cut into bins; auto cuts only for an option that needs states, such as discretize, bins, "
        "recut or a score that counts",
        choices=(AUTO, CUT, AS_THEY_ARE),
        group=Group.DATA,
        metavar="auto|cut|as-they-are",
    )
    discretize: str | None = option(
        None,
        "cut columns of numbers: quantile, width, kmeans, mean; mdl, which needs a target; or joint, together with the "
        "structure",
        choices=(*CUTS, "joint"),
        usual="not cut, or a proposal where they have to be",
        group=Group.DATA,
        metavar="HOW",
    )
    bins: int = row(Common, "bins", help="bins to cut numbers into")
    target: str | None = option(
        None,
        "the variable of interest: the report says what it is linked with and how well it is predicted; mdl cuts "
        "numbers where it changes",
        usual="none",
        group=Group.QUESTION,
        metavar="COLUMN",
    )
    drop: tuple[str, ...] = row(Common, "drop")
    keep: tuple[str, ...] = row(AuditSettings, "keep")
    categorical: bool = row(Common, "categorical")
    categories: tuple[str, ...] = row(AuditSettings, "categories")
    kinds: tuple[str, ...] = option(
        (),
        "what a column is, NAME=KIND: number, ordinal (a scale) or nominal (categories), where it is not what it looks "
        "like. Scales and categories are never cut; may be repeated",
        flags=("--kind",),
        group=Group.DATA,
        metavar="NAME=KIND",
    )
    interventions: str | None = row(ReadingSettings, "interventions")
    conditions: tuple[str, ...] = row(ReadingSettings, "conditions", default=())
    groups: str | None = row(Common, "groups")
    weights: str | None = row(Common, "weights")
    replicate_weights: tuple[str, ...] = row(Common, "replicate_weights")
    site: str | None = option(
        None,
        "a column that says which site a row is from, such as a hospital. All share one structure, and their "
        "tables are alike and not the same (score bhd). The report says in how many sites an edge holds",
        usual="none",
        metavar="COLUMN",
        group=Group.DATA,
    )
    missing: tuple[str, ...] = row(AuditSettings, "missing")
    decimal: str | None = row(AuditSettings, "decimal")
    thousands: str | None = row(AuditSettings, "thousands")
    dates: str | None = row(AuditSettings, "dates")
    merge_rare: int | None = row(AuditSettings, "merge_rare")
    header: str | None = row(AuditSettings, "header")
    agree: bool = option(
        False, "agree to the proposed preparation of the data", flags=("--yes", "-y"), group=Group.DATA
    )
    separator: str | None = row(ReadingSettings, "separator")
    format: str | None = row(ReadingSettings, "format")
    table: str | None = row(ReadingSettings, "table")
    sample: int | None = row(Grouping, "sample", low=1)
    whole: bool = row(Grouping, "always", default=False, kind=bool, switch=None)
    memory: float | None = row(Grouping, "memory", low=0)
    temporary: str | None = row(Grouping, "temporary", kind=str)
    name: str | None = option(
        None, "what to call the data in the report", usual="the name of the file", group=Group.OUTPUT
    )
    # The run
    seed: int = row(Common, "seed")
    threads: int | None = row(Common, "threads")
    cluster: str | None = row(Common, "cluster")
    limit_seconds: float | None = option(
        LEARN_SECONDS,
        "the time limit of the whole analysis in seconds, or none",
        values="a number above 0, or none",
        group=Group.METHOD,
        metavar="SECONDS",
    )

    def __post_init__(self) -> None:
        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", tuple(f"{name}={value}" for name, value in self.settings.items()))
        if isinstance(self.kinds, Mapping):
            object.__setattr__(self, "kinds", tuple(f"{name}={kind}" for name, kind in self.kinds.items()))
        if isinstance(self.conditions, Mapping):
            listed = checked_conditions(self.conditions).items()
            object.__setattr__(self, "conditions", tuple(f"{label}={SEPARATOR.join(names)}" for label, names in listed))
        for item in fields(self):
            if isinstance(item.default, tuple):
                object.__setattr__(self, item.name, _names(getattr(self, item.name)))
        if self.score is not None:
            score = make_score(self.score, beliefs=self.beliefs)
            object.__setattr__(self, "score", score.data_score)
            object.__setattr__(self, "beliefs", score.prior_odds)
        object.__setattr__(self, "beliefs", make_beliefs(self.beliefs))
        if not isinstance(self.categorical, bool):
            raise OptionError(
                Argument("categorical", self.categorical),
                "must be True or False.",
                remedies=Remedy("name single columns with", Argument("categories")),
            )
        check_options(self)
        if self.conditions and self.interventions is None:
            raise OptionError(
                Argument("conditions", self.conditions[0]),
                "says what a label of the column of interventions sets, and no such column was named.",
                remedies=Remedy("name it with", Argument("interventions")),
            )
        _ = self.kind_of
        self._check_numbers()
        cost, known, seconds = self.missed_edge_cost, self.constraints, self.limit_seconds
        check_argument(cost > 0, "missed_edge_cost", cost, "must be positive: 1 weighs both mistakes alike.")
        if self.false_rate is not None and self.threshold is not None:
            raise OptionError(
                Argument("false_rate", self.false_rate),
                "finds a cut-off, and one is given.",
                remedies=Remedy("leave out", Argument("threshold")),
            )
        check_argument(
            self.permutations != 1, "permutations", 1, "must be at least 2 (20 is usual here), or 0 for none."
        )
        is_known = known is None or isinstance(known, Constraints)
        check_argument(is_known, "constraints", known, "must be Constraints(names, required=..., ...).")
        in_time = seconds is None or seconds > 0
        check_argument(in_time, "limit_seconds", seconds, "must be a number above 0, or None.")

    def _check_numbers(self) -> None:
        """Refuse a score, or what is about intervals, that does not go with how numbers are taken."""
        scored = self.score is not None and make_score(self.score).holds_data
        argument = Argument("numbers", AS_THEY_ARE)
        if self.site is not None and (self.only_as_they_are or getattr(self.chosen_score, "site", None) != self.site):
            remedy = (
                argument if self.score is None else Argument("score", score_text(make_score(self.score).describe()))
            )
            if self.only_as_they_are or self.score is not None:
                raise OptionError(
                    Argument("site", self.site),
                    "has a score of its own, bhd, of columns with states.",
                    remedies=Remedy("leave out", remedy),
                )
        if scored and self.numbers == CUT:
            raise OptionError(
                Argument("score", score_text(make_score(self.score).describe())),  # type: ignore[arg-type]
                "scores numbers as they are, and columns of numbers would be cut.",
                remedies=Remedy("take them as they are:", argument),
            )
        if not self.only_as_they_are:
            return
        if self.score is not None and not scored:
            raise OptionError(
                argument,
                "needs a score of numbers.",
                remedies=Remedy("leave out", Argument("score"), f"(it is {USUAL_OF_NUMBERS}), or give bge, or bic-cg"),
            )
        if self.recut:
            raise OptionError(argument, "leaves numbers whole, and", Argument("recut"), "cuts numbers. Leave one out.")
        if self.impute == "state":
            raise OptionError(
                argument,
                "takes numbers, and with",
                Argument("impute", self.impute),
                "a gap would be a state.",
                remedies=(
                    Remedy("average over completions:", Argument("impute", "completions")),
                    Remedy("leave rows with gaps out:", Argument("impute", "drop")),
                ),
            )

    @property
    def chosen_score(self) -> Score | None:
        """The score, or None for the one that is usual for the method."""
        return None if self.score is None else make_score(self.score)

    @property
    def only_as_they_are(self) -> bool:
        """Whether numbers stay as they are in any table: that was asked for, or a score of numbers."""
        return self.numbers == AS_THEY_ARE or (self.score is not None and make_score(self.score).holds_data)

    @property
    def only_states(self) -> bool:
        """Whether numbers are cut in any table: that was asked for, or something that needs states."""
        given = (self.numbers == CUT, self.bins != BINS, self.impute == "state")
        return not self.only_as_they_are and any(
            (*given, self.discretize, self.score, self.recut, self.categorical, self.site)
        )

    @property
    def own_settings(self) -> dict[str, str]:
        """The settings of a source that were given as NAME=VALUE."""
        parts = [text.partition("=") for text in self.settings]
        if wrong := [name for name, sign, _ in parts if not (sign and name)]:
            raise OptionError(Argument("settings", wrong[0]), "must be of the form NAME=VALUE.")
        return {name.strip().replace("-", "_"): value.strip() for name, _, value in parts}

    @property
    def kind_of(self) -> dict[str, VariableKind]:
        """What columns are, by name, where that was said."""
        parts = [text.rpartition("=") for text in self.kinds]
        if wrong := [text for text, (name, _, _) in zip(self.kinds, parts, strict=True) if not name.strip()]:
            raise OptionError(Argument("kinds", wrong[0]), "must be of the form NAME=KIND, such as age=number.")
        return {name.strip(): checked_kind(name.strip(), kind.strip()) for name, _, kind in parts}

    @property
    def states_kept(self) -> tuple[str, ...]:
        """The columns of numbers whose values are states, however many they are."""
        return (*self.categories, *(name for name, kind in self.kind_of.items() if kind is not VariableKind.NUMBER))

    @property
    def reading(self) -> dict[str, Any]:
        """How a file is to be read, where that was said."""
        given = {name: getattr(self, name) for name in ("separator", "format", "table")}
        headless = {} if self.header is None else {"header": self.header == "first"}
        found = {name: value for name, value in given.items() if value is not None} | headless | self.rows
        return {**found, "grouping": self.grouping}

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: what is agreed to for other files is for it, too."""

        return Grouping(
            always=False if self.whole else None,
            memory=self.memory,
            temporary=self.temporary,
            sample=self.sample,
            discretize=self.discretize or ("quantile" if self.agree else None),
            bins=self.bins,
            leave_out=self.agree,
            dates=None if self.dates == "drop" else self.dates,
            drop=self.drop,
            keep=self.keep,
            categories=self.categorical or self.states_kept,
            missing=self.missing,
        )

    @property
    def rows(self) -> dict[str, Any]:
        """Where the data say what was set, and how the rows were drawn, if they do."""
        given = {name: getattr(self, name) for name in ("groups", "weights", "replicate_weights")}
        drawn = {name: value for name, value in given.items() if value}
        if self.interventions is None:
            return drawn
        return drawn | {"interventions": self.interventions, "conditions": checked_conditions(self.conditions)}

    def command_words(self) -> list[str]:
        """Return the words of the command line that ask for the same."""
        given = {"constraints": self.constraints, "beliefs": self.beliefs}
        texts = {name: json.dumps(own.describe(), ensure_ascii=False) for name, own in given.items() if own is not None}
        if (score := self.chosen_score) is not None and self.site is None:
            texts["score"] = score_text(score.describe())
        return command_words(self if self.site is None else replace(self, score=None), texts)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return column names as a tuple; one name is a string, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def score_text(facts: Mapping[str, Any]) -> str:
    """Return a score as the command line takes it: ``bdeu:ess=1``."""
    options = {key: value for key, value in facts.items() if key != "name"}
    listed = ",".join(f"{key}={_value_text(value)}" for key, value in options.items())
    return f"{facts['name']}:{listed}" if listed else str(facts["name"])


def _value_text(value: object) -> str:
    return (
        "+".join(map(_value_text, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
    )
