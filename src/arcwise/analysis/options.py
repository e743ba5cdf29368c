"""The options of `learn`, one list: Python, the command line, the record of a run and the documentation take it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from arcwise.defaults import BAYES_FACTOR, BINS, COMPLETIONS, LEARN_SECONDS, MOST_THREADS, REPLICATES
from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy
from arcwise.option import Option, check_options, command_words, option
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.data.large import Grouping
    from arcwise.graph import Beliefs, Constraints
    from arcwise.scores import Score
else:  # the command line reads this list at every start, and needs no array for it
    Beliefs = Constraints = Score = Any

__all__ = ["AUTO", "RULES", "LearnOptions", "score_text"]

AUTO = "auto"
RULES = ("calibrated", "learned", "cost")


def _methods() -> tuple[str, ...]:
    from arcwise.ensemble.sources import SOURCES

    return (AUTO, *SOURCES)


def _fills() -> tuple[str, ...]:
    from arcwise.data.impute import METHODS

    return ("completions", *METHODS)


def _calibrations() -> tuple[str, ...]:
    from arcwise.confidence.calibration.calibration import KINDS

    return KINDS


def _cuts() -> tuple[str, ...]:
    from arcwise.data.discretize import METHODS

    return (*METHODS, "joint")


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
        "how networks are found: credible, bootstrap, posterior, search or optimum (one network, to be looked at "
        "only), or auto, the bootstrap (a credible set where constraints on ancestors ask for it)",
        choices=_methods,
        section="networks",
    )
    score: str | Score | None = option(
        None,
        "a score, e.g. bic or bdeu:ess=10",
        values="a score",
        usual="qnml; bic for a search",
        flags=("--score", "-s"),
        section="networks",
    )
    bayes_factor: float | str = option(
        BAYES_FACTOR,
        "the credible set holds every network within this factor of the best: a number >= 1, or anecdotal (3), "
        "positive (20), strong (150)",
        values="a number >= 1, or a name",
        flags=("--bayes-factor", "-b"),
        section="networks",
    )
    replicates: int = option(REPLICATES, "how many networks a bootstrap learns", low=1, high=10**8, section="networks")
    settings: tuple[str, ...] = option(
        (),
        "a setting of the method that has no option of its own, NAME=VALUE; may be repeated",
        flags=("--setting",),
        section="networks",
    )
    recut: bool = option(
        False,
        "cut columns of numbers anew in each replicate of a bootstrap, so that cut points are part of the uncertainty",
        section="networks",
    )
    max_parents: int | None = option(
        None,
        "the largest number of parents of any variable",
        low=0,
        usual="2 to 6 by the number of cases for qnml and qbdj, which find edges in any data without a limit; none for "
        "other scores",
        section="networks",
    )
    constraints: Constraints | None = option(
        None,
        "what every network must satisfy: required and forbidden arcs, tiers, roots, leaves, groups, parent limits",
        values="`Constraints`; a file or JSON",
        section="networks",
    )
    beliefs: Beliefs | None = option(
        None,
        "what you believe before the data, and the data may overrule: prior odds of arcs and edges, or how many edges "
        "to expect",
        values="`Beliefs`, or a table from, to, odds; a file or JSON",
        section="networks",
    )
    # From confidences to a network
    missed_edge_cost: float = option(
        1.0,
        "how many extra edges a missed edge costs you",
        values="a number above 0",
        low=0,
        flags=("--missed-edge-cost", "--alpha"),
        section="cut-off",
    )
    rule: str = option(
        "calibrated",
        "from the cost to a cut-off: calibrated (best on average by the probabilities of the edges), learned (best on "
        "data sets whose network is known), or cost, 1 / (1 + cost) of the confidences as they are",
        choices=RULES,
        section="cut-off",
    )
    calibration: str = option(
        "table",
        "how confidences become probabilities: table (by studies of known networks), self (by data sets that are "
        "simulated from the networks found, 20 times the work), or none",
        choices=_calibrations,
        section="cut-off",
    )
    false_rate: float | None = option(
        None,
        "keep as many edges as go with at most this share of false ones, on average",
        low=0,
        high=1,
        usual="what the rule says",
        section="cut-off",
    )
    threshold: float | None = option(
        None, "a cut-off to use instead", low=0, high=1, usual="what the rule says", section="cut-off"
    )
    permutations: int | None = option(
        None,
        "data sets with shuffled columns, which show what arises by chance (Broom's rule); 0 for none",
        low=0,
        high=100_000,
        usual="20 where that is quick",
        values="0, or an integer from 2 to 100,000",
        section="cut-off",
    )
    compare: bool = option(
        True,
        "compute the confidences by other methods and scores too",
        flags=("--compare", "--no-compare"),
        section="cut-off",
    )
    # The data
    impute: str | None = option(
        None,
        "missing values: completions (average over many), or fill them once: knn, mode, a state of their own, or drop "
        "the rows that have any",
        choices=_fills,
        usual="a proposal, completions",
        section="data",
    )
    completions: int = option(
        COMPLETIONS,
        "over how many completions of data with gaps to average; up to three times as many while confidences move",
        low=2,
        high=10_000,
        section="data",
    )
    discretize: str | None = option(
        None,
        "cut columns of numbers: quantile, width, kmeans, mean; mdl, which needs a target; or joint, together with the "
        "structure",
        choices=_cuts,
        usual="a proposal",
        section="data",
    )
    bins: int = option(BINS, "intervals to cut numbers into", low=2, high=10_000, section="data")
    target: str | None = option(
        None,
        "the variable of interest: the report says what it depends on and how well it is predicted; mdl cuts numbers "
        "where it changes",
        usual="none",
        section="data",
    )
    drop: tuple[str, ...] = option((), "leave this column out; may be repeated", section="data")
    keep: tuple[str, ...] = option(
        (), "a column that is a variable although it looks like an identifier; may be repeated", section="data"
    )
    categorical: bool = option(
        False, "treat columns of numbers as categories, however many values they have", section="data"
    )
    categories: tuple[str, ...] = option(
        (),
        "a column of numbers that are categories, however many values it has; may be repeated",
        flags=("--category",),
        section="data",
    )
    interventions: str | None = option(
        None,
        "a column that names the variables which an experiment set in each row, several with ; between them; empty "
        "where none was",
        usual="the data are observations",
        section="data",
    )
    conditions: tuple[str, ...] = option(
        (),
        "what a label of the column of interventions sets, LABEL=VARIABLE;VARIABLE, or LABEL= for nothing; may be "
        "repeated",
        flags=("--condition",),
        section="data",
    )
    missing: tuple[str, ...] = option(
        (), "a value that stands for a missing one, beside '', NA, ? and the like; may be repeated", section="data"
    )
    decimal: str | None = option(
        None,
        "the sign before decimals in numbers that are written as text",
        choices=(".", ","),
        usual="what fits all values",
        section="data",
    )
    thousands: str | None = option(
        None,
        "the sign between thousands in numbers that are written as text",
        choices=(",", ".", "'", " "),
        usual="what fits all values",
        section="data",
    )
    dates: str | None = option(
        None,
        "what becomes of dates: left out, the year, the month",
        choices=("drop", "year", "month"),
        usual="a proposal",
        section="data",
    )
    merge_rare: int | None = option(
        None,
        "join the states of a column that have fewer rows than this",
        low=2,
        high=10**9,
        usual="none are joined",
        section="data",
    )
    header: str | None = option(
        None,
        "where the names of the columns are: in the first line, or none",
        choices=("first", "none"),
        usual="in the first line that is no title, unless that looks like a row",
        section="data",
    )
    agree: bool = option(False, "agree to the proposed preparation of the data", flags=("--yes", "-y"), section="data")
    separator: str | None = option(
        None,
        "field separator of a text file",
        usual="what the first lines show: a comma, a semicolon, a tab or a bar",
        section="data",
    )
    format: str | None = option(
        None,
        "the format: csv, tsv, parquet, arff, lau, xlsx, jsonl, sqlite or duckdb",
        usual="what the suffix says",
        section="data",
    )
    table: str | None = option(
        None, "the table of a data base or the sheet of a workbook", usual="the only one", section="data"
    )
    sample: int | None = option(
        None,
        "read about this many rows of a Parquet or DuckDB file, drawn at random; the same ones every time",
        low=1,
        usual="all",
        section="data",
    )
    whole: bool = option(
        False,
        "read a Parquet or DuckDB file of more than 10^8 cells whole, not as its distinct rows",
        section="data",
    )
    memory: float | None = option(
        None,
        "gigabytes for reading a Parquet or DuckDB file of more than 10^8 cells, which is read as its distinct rows",
        low=0,
        usual="4, or what is free",
        section="data",
        recorded=False,
    )
    temporary: str | None = option(
        None,
        "a folder for what does not fit into that memory",
        usual="the system's",
        section="data",
        recorded=False,
    )
    name: str | None = option(None, "what to call the data in the report", usual="the name of the file", section="data")
    # The run
    seed: int = option(0, "seed of the random numbers; same seed, same result", low=0, high=2**63 - 1, section="run")
    threads: int | None = option(
        None,
        "threads to use; results do not depend on them",
        usual="one per core",
        low=1,
        high=MOST_THREADS,
        section="run",
        recorded=False,
    )
    cluster: str | None = option(
        None,
        "the address of a Dask scheduler to run on",
        usual="this machine",
        section="run",
        recorded=False,
    )
    limit_seconds: float | None = option(
        LEARN_SECONDS,
        "the seconds allowed for the whole analysis; none for no limit",
        values="a number above 0, or none",
        section="run",
    )

    def __post_init__(self) -> None:
        from arcwise.data.targets import SEPARATOR, checked_conditions
        from arcwise.ensemble.bayes_factors import factor_of
        from arcwise.graph import Constraints, make_beliefs
        from arcwise.scores import BelievedScore, make_score

        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", tuple(f"{name}={value}" for name, value in self.settings.items()))
        if isinstance(self.conditions, Mapping):
            listed = checked_conditions(self.conditions).items()
            object.__setattr__(self, "conditions", tuple(f"{label}={SEPARATOR.join(names)}" for label, names in listed))
        for item in fields(self):
            if isinstance(item.default, tuple):
                object.__setattr__(self, item.name, _names(getattr(self, item.name)))
        object.__setattr__(self, "bayes_factor", factor_of(self.bayes_factor))
        if self.score is not None:
            score = make_score(self.score, beliefs=self.beliefs)
            object.__setattr__(self, "score", score.data_score)
            object.__setattr__(self, "beliefs", score.beliefs if isinstance(score, BelievedScore) else None)
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
        if not self.missed_edge_cost > 0:
            raise OptionError(
                Argument("missed_edge_cost", self.missed_edge_cost), "must be positive: 1 weighs both mistakes alike."
            )
        if self.false_rate is not None and self.threshold is not None:
            raise OptionError(
                Argument("false_rate", self.false_rate),
                "finds a cut-off, and one is given.",
                remedies=Remedy("leave out", Argument("threshold")),
            )
        if self.permutations == 1:
            raise OptionError(Argument("permutations", 1), "must be at least 2 (20 is usual here), or 0 for none.")
        if self.constraints is not None and not isinstance(self.constraints, Constraints):
            raise OptionError(
                Argument("constraints", self.constraints), "must be Constraints(names, required=..., ...)."
            )
        if self.limit_seconds is not None and not self.limit_seconds > 0:
            raise OptionError(Argument("limit_seconds", self.limit_seconds), "must be a number above 0, or None.")

    @property
    def chosen_score(self) -> Score | None:
        """The score, or None for the one that is usual for the method."""
        from arcwise.scores import make_score

        return None if self.score is None else make_score(self.score)

    @property
    def own_settings(self) -> dict[str, str]:
        """The settings of a source that were given as NAME=VALUE."""
        parts = [text.partition("=") for text in self.settings]
        if wrong := [name for name, sign, _ in parts if not (sign and name)]:
            raise OptionError(Argument("settings", wrong[0]), "must be of the form NAME=VALUE.")
        return {name.strip().replace("-", "_"): value.strip() for name, _, value in parts}

    @property
    def reading(self) -> dict[str, Any]:
        """How a file is to be read, where that was said."""
        given = {"separator": self.separator, "format": self.format, "table": self.table}
        headless = {} if self.header is None else {"header": self.header == "first"}
        found = {name: value for name, value in given.items() if value is not None} | headless | self.experiments
        return {**found, "grouping": self.grouping}

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: what is agreed to for other files is for it, too."""
        from arcwise.data.large import Grouping

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
            categories=self.categorical or self.categories,
            missing=self.missing,
        )

    @property
    def experiments(self) -> dict[str, Any]:
        """Where the data say what was set, if they do."""
        from arcwise.data.targets import checked_conditions

        if self.interventions is None:
            return {}
        return {"interventions": self.interventions, "conditions": checked_conditions(self.conditions)}

    def command_words(self) -> list[str]:
        """Return the words of the command line that ask for the same."""
        return command_words(self, _spell)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return column names as a tuple; one name is a string, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def _spell(item: Option, value: Any) -> list[str] | None:
    """Spell what is neither a number nor a text: scores with their parameters, constraints and beliefs as JSON."""
    if item.name == "score":
        return [item.flag, score_text(value.describe())]
    if item.name in ("constraints", "beliefs"):
        return [item.flag, json.dumps(value.describe(), ensure_ascii=False)]
    return None


def score_text(facts: Mapping[str, Any]) -> str:
    """Return a score as the command line takes it: ``bdeu:ess=1``."""
    options = {key: value for key, value in facts.items() if key != "name"}
    listed = ",".join(f"{key}={_value_text(value)}" for key, value in options.items())
    return f"{facts['name']}:{listed}" if listed else str(facts["name"])


def _value_text(value: object) -> str:
    return (
        "+".join(map(_value_text, value)) if isinstance(value, Sequence) and not isinstance(value, str) else str(value)
    )
