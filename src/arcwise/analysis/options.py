"""The options of `learn`, one list: Python, the command line, the record of a run and the documentation take it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from arcwise.defaults import BAYES_FACTOR, BINS, LEARN_SECONDS, MOST_THREADS, REPLICATES
from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy
from arcwise.option import Option, check_options, command_words, option
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.graph import Constraints
    from arcwise.scores import Score
else:  # the command line reads this list at every start, and needs no array for it
    Constraints = Score = Any

__all__ = ["AUTO", "RULES", "LearnOptions", "score_text"]

AUTO = "auto"
RULES = ("learned", "cost")


def _methods() -> tuple[str, ...]:
    from arcwise.ensemble.sources import SOURCES

    return (AUTO, *SOURCES)


def _fills() -> tuple[str, ...]:
    from arcwise.data.impute import METHODS

    return METHODS


def _cuts() -> tuple[str, ...]:
    from arcwise.data.discretize import METHODS

    return METHODS


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
        "how networks are found: credible, bootstrap, posterior, or auto, the credible set if it can be completed and "
        "else the bootstrap",
        choices=_methods,
        section="networks",
    )
    score: str | Score | None = option(
        None,
        "a score, e.g. bic or bdeu:ess=10",
        values="a score",
        usual="qnml for the credible set and the posterior, bdeu:ess=1 for the bootstrap",
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
    max_parents: int | None = option(
        None,
        "the largest number of parents of any variable",
        low=0,
        usual="3 for qnml and qbdj, which find edges in any data without a limit; none for other scores",
        section="networks",
    )
    constraints: Constraints | None = option(
        None,
        "what every network must satisfy: required and forbidden arcs, tiers, parent limits",
        values="`Constraints`; a file or JSON",
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
        "learned",
        "from the cost to a cut-off: learned (from data sets whose network is known), or cost, 1 / (1 + cost), which "
        "is right if the confidences are calibrated probabilities",
        choices=RULES,
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
        "fill missing values: knn, mode, or drop the rows that have any",
        choices=_fills,
        usual="a proposal",
        section="data",
    )
    discretize: str | None = option(
        None,
        "cut columns of numbers: quantile, width, kmeans, mean, or mdl, which needs a target",
        choices=_cuts,
        usual="a proposal",
        section="data",
    )
    bins: int = option(BINS, "intervals to cut numbers into", low=2, high=10_000, section="data")
    target: str | None = option(None, "the class column for --discretize mdl", usual="none", section="data")
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
    agree: bool = option(False, "agree to the proposed preparation of the data", flags=("--yes", "-y"), section="data")
    separator: str | None = option(None, "field separator of a text file", usual="a comma or a tab", section="data")
    format: str | None = option(
        None, "the format: csv, tsv, parquet, arff or lau", usual="what the suffix says", section="data"
    )
    name: str | None = option(None, "what to call the data in the report", usual="the name of the file", section="data")
    # The run
    seed: int = option(0, "seed of the random numbers; same seed, same result", low=0, high=2**63 - 1, section="run")
    threads: int = option(
        1, "threads to use; results do not depend on them", low=1, high=MOST_THREADS, section="run", recorded=False
    )
    limit_seconds: float | None = option(
        LEARN_SECONDS,
        "the seconds allowed for the whole analysis; none for no limit",
        values="a number above 0, or none",
        section="run",
    )

    def __post_init__(self) -> None:
        from arcwise.ensemble.bayes_factors import factor_of
        from arcwise.graph import Constraints
        from arcwise.scores import make_score

        if isinstance(self.settings, Mapping):
            object.__setattr__(self, "settings", tuple(f"{name}={value}" for name, value in self.settings.items()))
        for item in fields(self):
            if isinstance(item.default, tuple):
                object.__setattr__(self, item.name, _names(getattr(self, item.name)))
        object.__setattr__(self, "bayes_factor", factor_of(self.bayes_factor))
        if self.score is not None:
            object.__setattr__(self, "score", make_score(self.score))
        if not isinstance(self.categorical, bool):
            raise OptionError(
                Argument("categorical", self.categorical),
                "must be True or False.",
                remedies=Remedy("name single columns with", Argument("categories")),
            )
        check_options(self)
        if not self.missed_edge_cost > 0:
            raise OptionError(
                Argument("missed_edge_cost", self.missed_edge_cost), "must be positive: 1 weighs both mistakes alike."
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
    def reading(self) -> dict[str, str]:
        """How a file is to be read, where that was said."""
        given = {"separator": self.separator, "format": self.format}
        return {name: value for name, value in given.items() if value is not None}

    def command_words(self) -> list[str]:
        """Return the words of the command line that ask for the same."""
        return command_words(self, _spell)


def _names(names: Iterable[str]) -> tuple[str, ...]:
    """Return column names as a tuple; one name is a string, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)


def _spell(item: Option, value: Any) -> list[str] | None:
    """Spell what is neither a number nor a text: scores with their parameters, constraints as JSON."""
    if item.name == "score":
        return [item.flag, score_text(value.describe())]
    if item.name == "constraints":
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
