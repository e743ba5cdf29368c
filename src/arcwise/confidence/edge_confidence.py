"""`EdgeConfidence`: for each pair of variables, the weight of the networks in which an edge joins them, and how.

`Threshold`: a cut-off for them, with the rule that gave it and what the rule assumed.
"""

from __future__ import annotations

import enum
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import few_zeros, places_of, read_parquet, write_parquet
from arcwise.base.errors import ArcwiseError, FormatError, OptionError, suggestion
from arcwise.base.files import write_text
from arcwise.base.options import MANY_VARIABLES
from arcwise.base.showing import LINES, html_table, one_screen
from arcwise.confidence.calibration import Calibration, calibration_table
from arcwise.confidence.chance import Chance
from arcwise.confidence.probability import EdgeProbability, edge_probability
from arcwise.graph.classes import FixedPairs
from arcwise.graph.constraints import Constraints
from arcwise.graph.nodes import linked_names
from arcwise.networks.recipe import SOURCES, KnownFacts, NetworkOrigin, Recipe, fixed_pairs
from arcwise.plotting.charts import plot_forest, plot_matrix

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


Orientation = Literal["cpdag", "dag", "skeleton"]

COLUMNS = ("first", "second", "forward", "backward", "undirected")
NoneType = type(None)
KINDS: dict[str, tuple[type, ...]] = {
    "orient": (str,),
    "origin": (str,),
    "n_networks": (int,),
    "weights": (str,),
    "exact": (bool,),
    "complete": (bool,),
    "recipe": (dict, NoneType),
    "n_cases": (int, NoneType),
    "data_digest": (str, NoneType),
    "feature": (str,),
    "completions": (int,),
}
LEAST = {"n_networks": 0, "n_cases": 0, "completions": 0}
# Columns that only confidences from data with gaps have, and their fields.
GAP_COLUMNS = {"share_filled": "filled", "spread": "spread"}


def rounded(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Drop what the order of summation left: a half of the weights is 0.5, which is not above a threshold of 0.5."""
    found, places = few_zeros(sums.shape), np.nonzero(sums)
    found[places] = np.clip(np.round(sums[places], 12), 0.0, 1.0)
    return found


@one_screen
@dataclass(frozen=True, slots=True)
class PairConfidence:
    """The confidence in one pair of variables; the four states sum to 1."""

    first: str
    second: str
    forward: float  # first -> second
    backward: float  # second -> first
    undirected: float
    absent: float

    @property
    def present(self) -> float:
        """The confidence that an edge of any kind joins the two."""
        return 1.0 - self.absent


@dataclass(frozen=True, eq=False)
class EdgeConfidence:
    """How far each edge can be trusted, from a set of weighted networks.

    Parameters
    ----------
    names
        The variables.
    directed
        n x n; entry [i, j] is the weight of the networks with the arc i -> j (a compelled one if `orient` is "cpdag").
    undirected
        n x n, symmetric; the weight of the networks in which i and j are joined without a direction: reversible edges
        if `orient` is "cpdag", all edges if it is "skeleton", none if it is "dag".
    orient
        How the networks were read: as equivalence classes ("cpdag"), as DAGs, or as skeletons.
    origin
        How the networks were found: "credible", "bootstrap", ...
    n_networks
        How many networks there are, M.
    weights
        "posterior", "equal", or "given".
    exact
        True if the networks are all there are (a complete credible set), False for a sample (a bootstrap), whose
        confidences have a Monte Carlo error, and for a set that a limit cut short, whose error is unknown.
    complete
        False if a limit cut the set of networks short.
    recipe
        How the networks were made, where known: source, score, settings, parent limit, constraints.
    n_cases, data_digest
        What they were learned from, where known.
    constraints
        What every network satisfies; where it is not given, what the recipe says.
    targets
        The variables that experiments set, experiment by experiment.
    beliefs
        The prior odds that the networks were weighed by, as `Beliefs.describe` says them; where they are not given,
        what the recipe says.
    feature
        What joins the two variables of a pair: "edge", or "markov-blanket" or "path".
    completions
        Over how many completions of data with gaps the confidences are averages; 0 for data without gaps.
    spread
        n x n: the standard deviation of `present` between completions; None without, or if every network has a
        completion of its own, as in a bootstrap: then `standard_error` has it in it.
    filled
        n x n: the share of the cases in which one of the two values, or both, were missing; None for data without gaps.
    effective
        n x n; how many independent networks the networks are worth for each pair, where chains drew them; None if they
        are independent.
    calibration
        How confidences become probabilities; None for the package's own way (see `calibration_table`).
    chance
        What the data show beside shuffled columns; None if that was not tried.
    """

    names: tuple[str, ...]
    directed: NDArray[np.float64]
    undirected: NDArray[np.float64]
    orient: Orientation
    origin: str
    n_networks: int
    weights: str
    exact: bool
    complete: bool = True
    recipe: Recipe | None = None
    n_cases: int | None = None
    data_digest: str | None = None
    feature: str = "edge"
    constraints: Constraints | None = None
    targets: tuple[tuple[str, ...], ...] = ()
    beliefs: Mapping[str, Any] = field(default_factory=dict)
    effective: NDArray[np.float64] | None = None
    completions: int = 0
    spread: NDArray[np.float64] | None = None
    filled: NDArray[np.float64] | None = None
    calibration: Calibration | None = None
    chance: Chance | None = None

    def __post_init__(self) -> None:
        if self.constraints is None and self.recipe is not None:
            object.__setattr__(self, "constraints", self.recipe.constraints_on(self.names))
        if not self.beliefs and self.recipe is not None:
            object.__setattr__(self, "beliefs", self.recipe.beliefs)

    @cached_property
    def fixed(self) -> FixedPairs | None:
        """The pairs whose edges have their directions from constraints, experiments or odds; None if there are none."""
        return fixed_pairs(self.names, self.constraints, self.targets, self.beliefs)

    @cached_property
    def joined(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs [i, j] that an edge joins in some network, both ways, in order: all that is computed for pairs."""
        n = len(self.names)
        (tails, heads), (some, others) = np.nonzero(self.directed), np.nonzero(self.undirected)
        places = np.unique(np.concatenate([tails * n + heads, heads * n + tails, some * n + others]))
        return places // max(n, 1), places % max(n, 1)

    @cached_property
    def present(self) -> NDArray[np.float64]:
        """n x n, symmetric: the confidence that an edge of any kind joins i and j."""
        (i, j), found = self.joined, few_zeros(self.directed.shape)
        found[i, j] = rounded(self.directed[i, j] + self.directed[j, i] + self.undirected[i, j])
        return found

    @cached_property
    def probability(self) -> EdgeProbability:
        """How probable each edge is, and its directions: of edges with 0.9, nine in ten are real in known networks.

        A confidence says in how many of the networks an edge is; how often an edge of that confidence is real is
        another question. `probability.calibration` says how it was answered.
        """
        return edge_probability(self, self.calibration or calibration_table(self.recipe).calibration(self))

    @property
    def is_studied(self) -> bool:
        """Whether a study tells of networks of this source and score."""
        recipe = self.recipe
        table = calibration_table(recipe)
        return recipe is not None and table.recipe(recipe.source, str(recipe.score.get("name"))) is not None

    @cached_property
    def standard_error(self) -> NDArray[np.float64]:
        """The Monte Carlo standard error of `present`, sqrt(p (1 - p) / M); zero where the confidences are exact.

        For chains, M is the effective number of draws. Averages over completions have that of a mean over them:
        `spread` / sqrt(completions). NaN for an ensemble, whose confidences are not averages over networks, for a
        credible set that a limit cut short, and for a part of the draws of chains.
        """
        found, (i, j) = few_zeros(self.directed.shape), self.joined
        if self.exact:
            return found
        if self.spread is not None:
            return np.asarray(self.spread / np.sqrt(max(self.completions, 1)))
        if not NetworkOrigin(self.origin).is_sample:
            return np.full_like(self.present, np.nan)
        spread = self.present[i, j] * (1.0 - self.present[i, j])
        if self.effective is None:
            found[i, j] = np.sqrt(spread / max(self.n_networks, 1))
        else:
            found[i, j] = np.where(spread > 0, np.sqrt(spread / self.effective[i, j]), 0.0)
        return found

    @cached_property
    def vector(self) -> NDArray[np.float64]:
        """The confidences of all n (n - 1) / 2 pairs, in the order of `pairs`."""
        (i, j), found = self.above(0.0), few_zeros((len(self.names) * (len(self.names) - 1) // 2,))
        found[places_of(i, j, len(self.names))] = self.present[i, j]
        return found

    def above(self, value: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the pairs with a confidence above a value, i < j, in the order of `pairs`."""
        if value < 0:
            i, j = np.triu_indices(len(self.names), 1)
            return i.astype(np.int64), j.astype(np.int64)
        i, j = self.joined
        chosen = (i < j) & (self.present[i, j] > value)
        return i[chosen], j[chosen]

    @property
    def pairs(self) -> Iterator[PairConfidence]:
        """All pairs, i < j, by i and then by j."""
        for i, j in zip(*np.triu_indices(len(self.names), 1), strict=True):
            yield self.pair(self.names[int(i)], self.names[int(j)])

    def link(self, text: str) -> tuple[str, str] | None:
        """Return the two variables that an arrow joins, "smoke->cough", the tail first; None without an arrow."""
        return linked_names(text, self.names)

    def two_names(self, first: str, second: str | None, example: str) -> tuple[str, str]:
        """Return the two variables of a question, two names or one text with an arrow; `example` is how to ask."""
        pair = self.link(first) if second is None else (first, second)
        if pair is None:
            raise OptionError(f"'{first}' is one variable, and two are asked for: {example}")
        return pair

    def pair(self, first: str, second: str | None = None) -> PairConfidence:
        """Return the confidence in one pair of variables, two names or "smoke--cough"."""
        first, second = self.two_names(first, second, "pair('x--y').")
        i, j = self._position(first), self._position(second)
        if i == j:
            raise OptionError(f"a pair needs two variables; got '{first}' twice.")
        return PairConfidence(
            first=first,
            second=second,
            forward=float(self.directed[i, j]),
            backward=float(self.directed[j, i]),
            undirected=float(self.undirected[i, j]),
            absent=float(1.0 - self.present[i, j]),
        )

    def __getitem__(self, pair: Any) -> float:
        """Return the confidence that an edge of any kind joins two variables: ``confidence["smoke", "cough"]``."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise OptionError(f"a confidence is asked for by two variables, confidence['a', 'b'], not by {pair!r}.")
        return self.pair(*pair).present

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def _position(self, name: str) -> int:
        try:
            return self._places[name]
        except (KeyError, TypeError):
            raise OptionError(suggestion("variable", str(name), self.names)) from None

    def to_frame(self, *, above: float = 0.0) -> pd.DataFrame:
        """Return one row per pair with confidence above the given value, the most certain first."""
        import pandas as pd

        i, j = self.above(above)
        names = np.array(self.names, dtype=object)
        columns: dict[str, NDArray[Any]] = {
            "first": names[i],
            "second": names[j],
            "present": self.present[i, j],
            "forward": self.directed[i, j],
            "backward": self.directed[j, i],
            "undirected": self.undirected[i, j],
            "absent": 1.0 - self.present[i, j],
            "standard_error": self.standard_error[i, j],
        }
        if self.feature == "edge":
            found = self.probability
            columns["probability"] = found.present[i, j].round(9)
            columns["probability_forward"] = found.directed[i, j].round(9)
            columns["probability_backward"] = found.directed[j, i].round(9)
            columns["probability_either"] = found.undirected[i, j].round(9)
        columns |= {name: own[i, j] for name in GAP_COLUMNS if (own := getattr(self, GAP_COLUMNS[name])) is not None}
        frame = pd.DataFrame(columns)
        # Sums of weights: what differs by rounding alone is equal, and equal pairs stay in the order of the variables.
        order = np.argsort(-frame["present"].round(9).to_numpy(), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def compare(self, other: EdgeConfidence) -> pd.DataFrame:
        """Return the confidences of both side by side, the largest difference first; the variables must be the same."""
        import pandas as pd

        if set(self.names) != set(other.names):
            odd = sorted(set(self.names) ^ set(other.names))
            raise OptionError(f"the two are over different variables: {', '.join(odd)} occur in one only.")
        order = [other.names.index(name) for name in self.names]
        theirs = other.present[np.ix_(order, order)]
        i, j = np.triu_indices(len(self.names), 1)
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame({"first": names[i], "second": names[j], "here": self.present[i, j], "there": theirs[i, j]})
        frame["difference"] = frame["here"] - frame["there"]
        by_size = frame["difference"].abs().sort_values(ascending=False, kind="stable").index
        return frame.loc[by_size].reset_index(drop=True)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write one row per pair: Parquet (``*.parquet``, with all facts) or CSV (``*.csv``, ``*.csv.gz``).

        Of more than `MANY_VARIABLES`, only pairs with a confidence above 0 have a row.
        """
        name = Path(path).name
        is_large = len(self.names) > MANY_VARIABLES and self.effective is None and self.filled is None
        frame = self.to_frame(above=0.0 if is_large else -1.0)
        if name.endswith(".parquet"):
            facts: dict[str, Any] = {"kind": "edge confidence", "names": list(self.names)}
            facts |= {fact: getattr(self, fact) for fact in KINDS}
            facts["recipe"] = None if self.recipe is None else self.recipe.describe()
            if is_large:
                facts["listed"] = len(frame)  # all other pairs have confidence 0
            if self.constraints is not None:
                facts["constraints"] = self.constraints.describe()
            if self.targets:
                facts["targets"] = [list(target) for target in self.targets]
            if self.beliefs:
                facts["beliefs"] = dict(self.beliefs)
            if self.calibration is not None:
                facts["calibration"] = self.calibration.describe()
            if self.chance is not None:
                facts["chance"] = self.chance.describe()
            write_parquet(frame, path, facts=facts)
        elif name.endswith((".csv", ".csv.gz")):
            text = io.StringIO()
            frame.to_csv(text, index=False)
            write_text(path, text.getvalue())
        else:
            raise FormatError(f"cannot write {path}: the name must end in .parquet, .csv or .csv.gz.")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> EdgeConfidence:
        """Read confidences that `save` wrote; the content is checked."""
        return cls(**read_confidence(path))

    def plot(
        self, kind: Literal["matrix", "forest"] = "matrix", *, above: float = 0.05, ax: Axes | None = None
    ) -> Axes:
        """Draw all confidences as a matrix, or those above a value one by one; return the axes.

        In a forest, lines are two standard errors long each way; a confidence without a standard error is a point.
        """
        if kind == "matrix":
            return plot_matrix(self.names, self.present, labels=("", ""), legend="confidence in an edge", ax=ax)
        if kind != "forest":
            raise OptionError(suggestion("kind of plot", str(kind), ("matrix", "forest")))
        frame = self.to_frame(above=above)
        values = frame["present"].to_numpy(dtype=float)
        error = 2 * np.nan_to_num(frame["standard_error"].to_numpy(dtype=float))
        names = [f"{first} — {second}" for first, second in zip(frame["first"], frame["second"], strict=True)]
        return plot_forest(names, values, np.clip(values - error, 0, 1), np.clip(values + error, 0, 1), ax=ax)

    def __repr__(self) -> str:
        kind = f"{self.origin}, {self.n_networks:,} networks, {self.weights} weights, {self.orient}"
        likely = int((self.vector > 0.5).sum())
        return f"EdgeConfidence({len(self.names)} variables, {likely} pairs above 0.5; {kind})"

    def _repr_html_(self) -> str:
        frame = self.to_frame()
        columns = ["first", "second", "present", "forward", "backward", "undirected"]
        rows = frame[columns].head(LINES).itertuples(index=False, name=None)
        return html_table(repr(self), columns, rows, len(frame))


# Files of edge confidences are Parquet with all facts, which are checked when they are read; CSV is for people.


def read_confidence(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the fields of the `EdgeConfidence` in a Parquet file that `EdgeConfidence.save` wrote, checked."""
    if not str(path).endswith(".parquet"):
        raise FormatError(f"{path}: confidences are read from .parquet; a CSV does not hold what thresholds need.")
    frame, facts = read_parquet(path)
    if facts is None or facts.get("kind") != "edge confidence":
        raise FormatError(f"{path}: a Parquet file, but not one of edge confidences. Make one with arcwise confidence.")
    if missing := [column for column in COLUMNS if column not in frame.columns]:
        raise FormatError(f"{path}: the column '{missing[0]}' is missing; the file was edited. Write it again.")
    names, known = _checked_facts(path, facts)
    columns = {column: _numbers(path, frame, column) for column in COLUMNS[2:]}
    gaps = {field: _numbers(path, frame, column) for column, field in GAP_COLUMNS.items() if column in frame.columns}
    about_gaps = {field: np.zeros((len(names), len(names))) for field in gaps}
    index = {name: position for position, name in enumerate(names)}
    n = len(names)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    seen = set()
    pairs = zip(frame["first"].tolist(), frame["second"].tolist(), strict=True)
    for row, (first, second) in enumerate(pairs):
        is_text = isinstance(first, str) and isinstance(second, str)
        i, j = (index.get(first, -1), index.get(second, -1)) if is_text else (-1, -1)
        values = np.array([columns[column][row] for column in COLUMNS[2:]])
        if i < 0 or j < 0 or i == j or (min(i, j), max(i, j)) in seen:
            raise FormatError(f"{path}: the pair {first}, {second} is unknown or listed twice. Write the file again.")
        if not ((values >= -1e-9).all() and values.sum() <= 1 + 1e-6):
            raise FormatError(f"{path}: the confidences of {first}, {second} are not probabilities: {values.tolist()}.")
        seen.add((min(i, j), max(i, j)))
        directed[i, j], directed[j, i] = values[0], values[1]
        undirected[i, j] = undirected[j, i] = values[2]
        for gap, numbers in gaps.items():
            if not 0 <= numbers[row] <= 1:
                raise FormatError(f"{path}: '{gap}' of {first}, {second} is not between 0 and 1: {numbers[row]}.")
            about_gaps[gap][i, j] = about_gaps[gap][j, i] = numbers[row]
    expected = facts.get("listed", n * (n - 1) // 2)
    if not isinstance(expected, int) or len(seen) != expected:
        lost = f"{expected - len(seen)}" if isinstance(expected, int) and expected > len(seen) else "some"
        raise FormatError(f"{path}: {lost} pairs are missing; the file was edited.")
    try:
        known |= _known(names, facts, known["recipe"]) | about_gaps
        fixed_pairs(names, known["constraints"], known["targets"], known["beliefs"])  # finds what experiments set
        if NetworkOrigin(known["origin"]).is_chained:
            known["effective"] = _effective(path, frame, index, rounded(directed + directed.T + undirected))
    except (ArcwiseError, TypeError, ValueError, AttributeError, KeyError) as error:
        what = "the constraints, experiments, prior odds or calibration"
        raise FormatError(f"{path}: {what} cannot be read ({error}).") from error
    return {"names": names, "directed": directed, "undirected": undirected, **known}


def _known(names: tuple[str, ...], facts: dict[str, Any], recipe: Recipe | None) -> dict[str, Any]:
    """Return what constraints, experiments, odds and a calibration say; a file has each only where there is one."""
    constraints, calibration, chance = (facts.get(name) for name in ("constraints", "calibration", "chance"))
    if constraints is None:
        found = None if recipe is None else recipe.constraints_on(names)
    else:
        found = Constraints.from_description(names, constraints)
    return {
        "constraints": found,
        "targets": tuple(tuple(target) for target in facts.get("targets", ())),
        "beliefs": dict(facts.get("beliefs", {})) or ({} if recipe is None else recipe.beliefs),
        "calibration": None if calibration is None else Calibration.from_description(calibration),
        "chance": None if chance is None else Chance.from_description(chance),
    }


def _effective(
    path: str | os.PathLike[str], frame: pd.DataFrame, index: dict[str, int], present: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the effective numbers of networks that the standard errors of chains' draws follow from."""
    found = np.full(present.shape, np.inf)
    known = "standard_error" in frame.columns
    errors = _numbers(path, frame, "standard_error") if known else np.full(len(frame), np.nan)
    i, j = ([index[name] for name in frame[column]] for column in ("first", "second"))
    variance = present[i, j] * (1 - present[i, j])
    found[i, j] = np.divide(variance, errors**2, out=np.full(len(frame), np.inf), where=errors != 0)
    return np.asarray(np.minimum(found, found.T))


def _checked_facts(path: str | os.PathLike[str], facts: dict[str, Any]) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Return the names and what else is known of the confidences, each of its type."""
    facts = {"recipe": _recipe_of_0_1(facts), "completions": 0, **facts}
    known: dict[str, Any] = {fact: facts.get(fact) for fact in KINDS}
    names: Any = facts.get("names")
    wrong = [
        fact
        for fact, value in known.items()
        if fact not in facts
        or not _fits(value, KINDS[fact])
        or (fact in LEAST and value is not None and value < LEAST[fact])
    ]
    is_list = isinstance(names, list) and all(isinstance(name, str) and name for name in names)
    if not is_list or len(set(names)) < len(names):
        wrong.insert(0, "names")
    if wrong or known["orient"] not in get_args(Orientation):
        fact = wrong[0] if wrong else "orient"
        raise FormatError(f"{path}: the fact '{fact}' of the confidences is missing or wrong. Write the file again.")
    try:
        known["recipe"] = known["recipe"] and Recipe.from_description(known["recipe"])
    except FormatError as error:
        raise error.within(f"{path}:") from None
    return tuple(names), known


def _fits(value: Any, kinds: tuple[type, ...]) -> bool:
    if isinstance(value, bool) and bool not in kinds:
        return False
    return isinstance(value, kinds) and (not isinstance(value, int | float) or abs(value) < 1e300)


def _numbers(path: str | os.PathLike[str], frame: pd.DataFrame, column: str) -> NDArray[np.float64]:
    try:
        return np.asarray(frame[column].to_numpy(dtype=np.float64, na_value=np.nan), dtype=np.float64)
    except (TypeError, ValueError):
        raise FormatError(f"{path}: the column '{column}' does not hold numbers. Write the file again.") from None


def _recipe_of_0_1(facts: dict[str, Any]) -> dict[str, Any] | None:
    """Return the recipe that follows from the facts that files of 0.1 have in its place."""
    score, origin, slack = facts.get("score"), facts.get("origin"), facts.get("log_slack")
    if not isinstance(score, dict) or not score:
        return None
    source, count, most = SOURCES.get(str(origin)), facts.get("n_networks"), facts.get("max_parents")
    within = slack if isinstance(slack, int | float) and 0 <= slack < 700 else None
    if source is None:
        return None
    settings = source.inferred_settings(within, count if isinstance(count, int) else 0, KnownFacts())
    if settings is None:
        return None
    return Recipe(source.name, score, settings, most if isinstance(most, int) else None).describe()


# The published rules, and the works that they come from, as keys of the bibliography.
CITATIONS = {"broom": "broom-2012", "gross": "gross-2019", "learned": "liao-2022", "scutari": "scutari-2013"}


class RuleName(enum.StrEnum):
    """The rules whose cut-offs are marked; the value is the label in the report."""

    CHOSEN = "chosen"
    CALIBRATED = "calibrated"
    LEARNED = "learned"
    COST = "cost"
    SCUTARI = "Scutari"
    GROSS = "Gross"
    BROOM = "Broom"


@one_screen
@dataclass(frozen=True)
class Threshold:
    """A cut-off: an edge is significant if its confidence is strictly above `value`, as in the papers.

    Parameters
    ----------
    value
        The cut-off; 1 or more means that no edge can be significant.
    rule
        The name of the rule in `RULES`.
    assumes
        What must hold for the rule to be right, in a sentence.
    details
        Figures behind the value, such as the number of permutations.
    """

    value: float
    rule: str
    assumes: str
    details: Mapping[str, float] = field(default_factory=dict)

    @property
    def citation(self) -> str | None:
        """The key in the bibliography of the work that the rule comes from; None for a cut-off of one's own."""
        return CITATIONS.get(self.rule)

    def __float__(self) -> float:
        return self.value
