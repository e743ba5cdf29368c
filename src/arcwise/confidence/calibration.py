"""`Calibration`: how the confidences of one data set become probabilities, and what that rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import FormatError, check_known
from arcwise.base.showing import one_screen
from arcwise.confidence.chance import BY_CHANCE, UNREADABLE
from arcwise.networks.recipe import Recipe

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence


# `CalibrationCurve`: how often an edge of confidence c is there, as a curve that never falls.


# Where a curve is known; between these it is straight. Dense at the ends, where confidences are.
KNOTS: NDArray[np.float64] = np.array(
    [0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.07]
    + [k / 20 for k in range(2, 19)]
    + [0.93, 0.96, 0.98, 0.99, 0.995, 0.9975, 0.999, 1]
)


@one_screen
@dataclass(frozen=True)
class CalibrationCurve:
    """The probability of an edge at each confidence of `KNOTS`; between them it is interpolated.

    It never falls: what is more credible is at least as probable, so that the edges above a probability are those above
    a confidence.

    >>> curve = CalibrationCurve.of(0.2 + 0.7 * KNOTS)
    >>> float(curve(0.5)), curve.cut_off(0.55)
    (0.55, 0.5)
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        fits = values.shape == KNOTS.shape and bool(np.isfinite(values).all())
        if not fits or values.min() < 0 or values.max() > 1 or (np.diff(values) < 0).any():
            raise FormatError(f"a calibration curve has {len(KNOTS)} probabilities, none below the one before it.")

    @classmethod
    def of(cls, values: ArrayLike) -> CalibrationCurve:
        """Make a curve of probabilities at the knots; where they fall, the largest so far is kept."""
        return cls(tuple(np.maximum.accumulate(np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)).tolist()))

    @classmethod
    def identity(cls) -> CalibrationCurve:
        """Return the curve that takes confidences for probabilities."""
        return cls(tuple(KNOTS.tolist()))

    def __call__(self, confidence: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of edges of these confidences."""
        return np.asarray(np.interp(np.asarray(confidence, dtype=np.float64), KNOTS, self.values))

    def cut_off(self, probability: float) -> float:
        """Return the confidence above which the probability is above the given one; 1 if it is nowhere.

        Where even a confidence of 0 has more, it is 0: an edge that no network has is never chosen.
        """
        values = np.asarray(self.values)
        above = int(np.searchsorted(values, probability, side="right"))  # the first knot with more
        if above == 0:
            return 0.0
        if above == len(values):
            return 1.0
        low, high = values[above - 1], values[above]
        share = (probability - low) / (high - low)
        return round(float(KNOTS[above - 1] + share * (KNOTS[above] - KNOTS[above - 1])), 12)


# `DirectionMap`: from the shares of the directions among the networks to the probabilities of the directions.
#
# Given that there is an edge, the true equivalence class has it one way, the other way, or without a direction. The
# odds of either way against none follow from the shares f, b and u of the networks that have the edge:
#
#     log odds of forward against none = a + s log((f + e) / (u + e)) + t log((b + e) / (u + e)),
#
# with a, s and t that depend on the number of cases; backward is the same with f and b exchanged.


SMALLEST = 0.01  # the share that an unseen direction is given: e
TERMS = 3  # a, s and t, each with a slope in log10 N
# Numbers of cases beyond count as these, here and where maps are fitted: samples of 50,000 cases are in the study, and
# are right as often by the map for 20,000 (97 to 100 % of the directions that are settled, family by family).
FEWEST_CASES, MOST_CASES = 50, 20_000


@one_screen
@dataclass(frozen=True)
class DirectionMap:
    """The coefficients a, s, t at 1,000 cases, and what a tenfold number of cases adds to each."""

    at_thousand: tuple[float, ...]
    per_decade: tuple[float, ...]

    def __post_init__(self) -> None:
        if not all(len(own) == TERMS and np.isfinite(own).all() for own in (self.at_thousand, self.per_decade)):
            raise FormatError(f"a map of directions has {TERMS} numbers at 1,000 cases, and {TERMS} per decade.")

    def __call__(
        self, forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64], n_cases: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return the probabilities given an edge, of shares that sum to 1 (or to 0, where there is nothing to say)."""
        level = cases_level(n_cases)
        terms = np.array(self.at_thousand) + level * np.array(self.per_decade)
        return softmax(*direction_odds(terms, share_ratios(forward, backward, free)))


def cases_level(n_cases: float) -> float:
    """Return log10 of the number of cases over 1,000, within what was studied."""
    return math.log10(min(max(n_cases, FEWEST_CASES), MOST_CASES) / 1000)


def share_ratios(
    forward: NDArray[np.float64], backward: NDArray[np.float64], free: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log ratios of the shares of both ways to that of neither."""
    low = np.log(free + SMALLEST)
    return np.log(forward + SMALLEST) - low, np.log(backward + SMALLEST) - low


def direction_odds(
    terms: NDArray[np.float64], ratios: tuple[NDArray[np.float64], NDArray[np.float64]]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the log odds of both ways against neither, by the terms a, s and t."""
    ahead, back = ratios
    return terms[0] + terms[1] * ahead + terms[2] * back, terms[0] + terms[1] * back + terms[2] * ahead


def softmax(
    ahead: NDArray[np.float64], back: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities of both ways and of neither, from log odds against neither."""
    top = np.maximum(np.maximum(ahead, back), 0.0)
    parts = np.exp(ahead - top), np.exp(back - top), np.exp(-top)
    total = parts[0] + parts[1] + parts[2]
    return parts[0] / total, parts[1] / total, parts[2] / total


Kind = Literal["none", "table"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def check_kind(kind: str) -> Kind:
    """Refuse what is no way to calibrate."""
    check_known("calibration", kind, KINDS)
    return cast("Kind", kind)


def calibrated_by(kind: str) -> Calibration | None:
    """Return the calibration of a kind that needs no data: that of the package is None, as in `EdgeConfidence`."""
    check_kind(kind)
    return Calibration.identity() if kind == "none" else None


def _spreads(given: Sequence[Any]) -> tuple[float, float]:
    found, missed = map(float, given)
    if not (0 <= found < math.inf and 0 <= missed < math.inf):
        raise FormatError("the spreads of a calibration are two numbers of at least 0.")
    return found, missed


@one_screen
@dataclass(frozen=True)
class Calibration:
    """A curve from confidence to probability, a map of directions, and what they rest on.

    Parameters
    ----------
    kind
        "table": learned from studies of known networks; "none": confidences are taken for probabilities.
    curve
        The probability of an edge of each confidence.
    directions
        From shares of directions to probabilities; None if shares are taken for probabilities.
    basis
        What it rests on: a phrase that follows "The probabilities ...".
    doubt
        Why the basis may not fit here, a sentence; "" if nothing speaks against it.
    spreads
        How far the log odds of a whole data set are off, as a standard deviation: of pairs above a cut-off, and below.
    is_chance
        Whether the data show no more than shuffled columns do (see `Chance`).
    """

    kind: Kind
    curve: CalibrationCurve
    directions: DirectionMap | None
    basis: str
    doubt: str = ""
    spreads: tuple[float, float] = (0.0, 0.0)
    is_chance: bool = False

    @classmethod
    def identity(cls) -> Calibration:
        """Take confidences for probabilities."""
        return cls("none", CalibrationCurve.identity(), None, "are the confidences themselves")

    def describe(self) -> dict[str, Any]:
        """Return it as JSON can hold it."""
        known = self.directions
        return {
            "kind": self.kind,
            "curve": list(self.curve.values),
            "directions": None if known is None else [list(known.at_thousand), list(known.per_decade)],
            "basis": self.basis,
            "doubt": self.doubt,
            "spreads": list(self.spreads),
            "is_chance": self.is_chance,
        }

    @classmethod
    def from_description(cls, facts: Mapping[str, Any]) -> Calibration:
        """Read what `describe` returned, and check it."""
        try:
            known = facts["directions"]
            return cls(
                kind="table" if facts["kind"] == "self" else check_kind(facts["kind"]),  # files of 0.2 have "self"
                curve=CalibrationCurve(tuple(map(float, facts["curve"]))),
                directions=None if known is None else DirectionMap(*(tuple(map(float, own)) for own in known)),
                basis=str(facts["basis"]),
                doubt=str(facts["doubt"]),
                spreads=_spreads(facts.get("spreads", (0.0, 0.0))),  # files of 0.2 have none
                is_chance=bool(facts.get("is_chance", False)),
            )
        except UNREADABLE as error:
            raise FormatError(f"the calibration cannot be read ({error!r}).") from error


# `CalibrationModel`: the curve of a recipe, by the numbers of cases and variables and by how confidences look.
#
# Within one data set the probability depends on the confidence alone, and never falls. Between data sets the curve
# moves with what is known of them without a truth: the number of cases N and of variables n, the expected number of
# edges per variable (the sum of the confidences over n), how undecided the confidences are (the sum of c (1 - c)
# over that of c), and how many edges chance gives beside those of the data. The log odds of an edge are piecewise
# linear in log odds of the confidence: one slope below one half and one above as in beta calibration (Kull, Silva Filho
# & Flach 2017), which may change once more at 0.1 and at 0.9, and steps for what no network has and what all have. Each
# of these seven coefficients is linear in the facts of the data set.


EDGE = 0.002  # confidences nearer to 0 or 1 are taken for this near; steps take care of the very ends
END = 0.0005
BENDS = (0.1, 0.9)  # where the slopes may change, besides one half
SPREAD = math.log((1 - EDGE) / EDGE)
CASES, VARIABLES = 1, 3  # where these stand among the facts of a data set


@one_screen
@dataclass(frozen=True, slots=True)
class SetFacts:
    """What is known of a data set, and of the confidences learned from it, without a truth."""

    n_cases: int
    n_variables: int
    edges_per_variable: float
    indecision: float
    by_chance: float = 0.0  # the log ratio of the edges that chance gives to those of the data

    @classmethod
    def of(
        cls, vector: NDArray[np.float64], n_cases: int, n_variables: int, chance_edges: float | None = None
    ) -> SetFacts:
        """Take the confidences of all pairs, and how many edges shuffled columns have: None counts as many as here."""
        total = float(vector.sum())
        found = total if chance_edges is None else chance_edges
        return cls(
            n_cases,
            n_variables,
            total / max(n_variables, 1),
            float((vector * (1 - vector)).sum()) / (total + 0.5),
            math.log((found + 0.5) / (total + 0.5)),
        )

    def row(self) -> NDArray[np.float64]:
        """Return the facts as the coefficients' regressors, the first of which is 1."""
        cases = math.log10(self.n_cases / 1000)
        return np.array(
            [
                1.0,
                cases,
                cases * cases,
                math.log(max(self.n_variables, 1) / 20),
                math.log(self.edges_per_variable + 0.1),
                self.indecision,
                self.by_chance,
            ]
        )


@one_screen
@dataclass(frozen=True)
class CalibrationModel:
    """The coefficients (one row per term, one column per fact), and the range of the facts that were studied."""

    coefficients: tuple[tuple[float, ...], ...]
    lowest: tuple[float, ...]
    highest: tuple[float, ...]

    def __post_init__(self) -> None:
        width = len(SetFacts(1000, 20, 1.0, 0.0).row())
        table = np.asarray(self.coefficients, dtype=np.float64)
        height = len(curve_terms(KNOTS[:1]))
        if table.shape != (height, width) or not np.isfinite(table).all():
            raise FormatError(f"a calibration model has {height} rows of {width} coefficients.")
        if not len(self.lowest) == len(self.highest) == width:
            raise FormatError(f"a calibration model knows the ranges of {width} facts.")

    def curve(self, facts: SetFacts) -> CalibrationCurve:
        """Return the curve for a data set; facts beyond what was studied count as the nearest that was."""
        inside = np.clip(facts.row(), self.lowest, self.highest)
        return CalibrationCurve.of(logistic(curve_terms(KNOTS).T @ _rising(np.asarray(self.coefficients) @ inside)))


def curve_terms(confidence: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 7 x pairs: constant, both sides of the log odds, the ends' steps, and the log odds beyond the bends."""
    near = np.clip(confidence, EDGE, 1 - EDGE)
    odds = np.log(near / (1 - near)) / SPREAD
    ends = confidence < END, confidence > 1 - END
    low, high = (math.log(bend / (1 - bend)) / SPREAD for bend in BENDS)
    return np.stack(
        [
            np.ones_like(odds),
            np.minimum(odds, 0),
            np.maximum(odds, 0),
            *(end.astype(float) for end in ends),
            np.minimum(odds - low, 0),
            np.maximum(odds - high, 0),
        ]
    )


def _rising(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the coefficients with slopes and steps that never fall.

    Where the facts of a data set would turn a slope round, the curve is level there: a running maximum would lift all
    that comes after to the height of a bump among confidences that hardly occur.
    """
    level, low, high, none, every, low_bend, high_bend = terms.tolist()
    low, high = max(low, 0.0), max(high, 0.0)
    bends = max(low_bend, -low), max(high_bend, -high)
    return np.array([level, low, high, min(none, 0.0), max(every, 0.0), *bends])


def logistic(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probabilities of log odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))


# `StudiedTable`: what was learned from a study, in one file with how it was learned.
#
# A table says something about confidences that were made by a recipe: the thresholds that were best for it, or how
# often its confidences are right. Whether that holds for the confidences at hand depends on whether they were made
# alike.


# How many networks are drawn decides how exact a confidence is, not what it means.
EFFORT = ("replicates", "most_draws", "chains", "way")
BY_CASES = "by cases"  # said of a study whose limits on parents are those of `Facts.most_parents`


@dataclass(frozen=True, eq=False)
class StudiedTable:
    """A table of entries by recipe, made by a study that its provenance names."""

    kind: ClassVar[str]  # the first line of its files
    title: ClassVar[str]  # what it is, in messages
    entries: Mapping[Any, Any]  # by the `key` of each
    provenance: Mapping[str, Any]

    def recipe(self, source: str, score: str | None) -> Recipe | None:
        """Return how the networks of the study were made, with this source and score; None if it is not recorded."""
        found = self.provenance.get("recipes", {}).get(f"{source}:{score}")
        return None if found is None else Recipe.from_description(found)

    def studied_like(self, recipe: Recipe, n_cases: int | None) -> Recipe | None:
        """Return the study's own recipe for so many cases, with the settings at hand that only say how long to draw.

        None if the study has no such source and score. Where its limits on parents were the score's own for each data
        set, a recipe with its score's own limit has the study's; another is compared with that for so many cases.
        """
        studied = self.recipe(recipe.source, str(recipe.score.get("name")))
        if studied is None:
            return None
        settings = {**studied.settings, **{k: v for k, v in recipe.settings.items() if k in EFFORT}}
        studied = replace(studied, settings=settings)
        if self.provenance.get("parents") != BY_CASES:
            return studied
        own = recipe.max_parents if recipe.own_limit else studied.scorer.facts.most_parents(n_cases)
        return replace(studied, max_parents=own)

    @staticmethod
    def made_differently(what: str, differences: Sequence[str], claim: str) -> str:
        """Return that what was learned comes from other networks, and what no study shows then; "" if they are alike.

        >>> StudiedTable.made_differently("They", ["the score: bic, not aic"], "best")  # doctest: +ELLIPSIS
        'They come from networks that were made differently from these (the score: bic, not aic), so no study shows ...'
        """
        if not differences:
            return ""
        return (
            f"{what} come from networks that were made differently from these ({'; '.join(differences)}), so no study "
            f"shows that they are {claim} here."
        )

    def to_json(self) -> str:
        """Return the text of the table's file: one line per entry."""
        rows = (self._row(entry) for _, entry in sorted(self.entries.items()))
        lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        facts = json.dumps(dict(self.provenance), sort_keys=True)
        return f'{{"kind": "{self.kind}",\n"provenance": {facts},\n"entries": [\n{lines}\n]}}\n'

    @classmethod
    def from_json(cls, text: str, *, where: str = "") -> Self:
        """Read the text of a file that `to_json` made, and check it; messages say `where` it is from."""
        try:
            content = json.loads(text)
            if content["kind"] != cls.kind:
                raise ValueError(f"the kind is {content['kind']!r}")
            entries = [cls._entry(row) for row in content["entries"]]
            return cls({entry.key: entry for entry in entries}, dict(content["provenance"]))
        except UNREADABLE as error:
            what = f"{where or cls.title}: not a table of {cls.title}"
            raise FormatError(f"{what} ({error}). Make it with arcwise study export.") from error

    @classmethod
    def shipped(cls, name: str) -> Self:
        """Return a table that comes with the package."""
        file = resources.files("arcwise.confidence").joinpath("data", name)
        return cls.from_json(file.read_text(encoding="utf-8"), where=name)

    @classmethod
    def _row(cls, entry: Any) -> dict[str, Any]:
        """Return an entry as its line holds it."""
        return asdict(entry)

    @classmethod
    def _entry(cls, row: Mapping[str, Any]) -> Any:
        """Return the entry of a line, checked."""
        raise NotImplementedError


# `CalibrationTable`: the calibrations that come with the package, learned from the study `calibration`.


ANY = "any"
UNKNOWN_CASES = 1000  # where nobody says how many cases there were
# Where no pair has more of its cases filled in, gaps are no reason to doubt the probabilities.
FEW_FILLED = 0.05


@one_screen
@dataclass(frozen=True)
class CalibrationEntry:
    """The model of one recipe: a source with a score, or with any of the scores that were studied."""

    source: str
    score: str  # a score's name, or ANY
    model: CalibrationModel
    directions: DirectionMap
    data_sets: int
    networks: int
    # The spreads of `Calibration` at 1,000 cases and what a tenfold number adds: above a cut-off, and below.
    spreads: tuple[tuple[float, float], tuple[float, float]] = ((0.0, 0.0), (0.0, 0.0))

    @property
    def key(self) -> tuple[str, str]:
        """What the entry is looked up by."""
        return self.source, self.score


@one_screen
@dataclass(frozen=True, eq=False)
class CalibrationTable(StudiedTable):
    """Calibration models by source and score, with how they were made."""

    kind: ClassVar[str] = "arcwise calibrations 1"
    title: ClassVar[str] = "calibrations"

    entries: Mapping[tuple[str, str], CalibrationEntry]

    def find(self, source: str, score: str | None) -> CalibrationEntry | None:
        """Return the entry of a recipe; a score that was not studied has that of all scores together."""
        return self.entries.get((source, score or ANY)) or self.entries.get((source, ANY))

    def calibration(self, confidence: EdgeConfidence) -> Calibration:
        """Return how confidences become probabilities; those of a kind that was not studied stay as they are."""
        recipe = confidence.recipe
        score = None if recipe is None else str(recipe.score.get("name"))
        entry = self.find(confidence.origin, score)
        if confidence.feature != "edge":
            doubt = f"Only edges were studied, not the feature '{confidence.feature}'."
            return replace(Calibration.identity(), doubt=doubt)
        if entry is None:
            doubt = f"No study shows how often confidences of the kind '{confidence.origin}' are right."
            return replace(Calibration.identity(), doubt=doubt)
        chance = confidence.chance
        facts = SetFacts.of(
            confidence.vector,
            confidence.n_cases or UNKNOWN_CASES,
            len(confidence.names),
            None if chance is None else chance.mean_edges,
        )
        exact = confidence.orient == "cpdag"
        curve = entry.model.curve(facts)
        is_chance = chance is not None and not chance.is_exceeded
        level = cases_level(facts.n_cases)
        if is_chance:
            curve = CalibrationCurve.of(BY_CHANCE * np.asarray(curve.values))
        return Calibration(
            kind="table",
            curve=curve,
            directions=entry.directions if exact else None,
            basis=f"come from {entry.data_sets} data sets sampled from {entry.networks} networks whose structure is "
            "known, by the number of cases and variables",
            doubt=self._doubt(confidence, entry),
            spreads=_spreads([max(0.0, at + level * slope) for at, slope in entry.spreads]),
            is_chance=is_chance,
        )

    def _doubt(self, confidence: EdgeConfidence, entry: CalibrationEntry) -> str:
        """Return why the study may not fit: another recipe, or no number of cases."""
        recipe = confidence.recipe
        if recipe is None:
            return "How the networks were made is not known, so no study shows that the probabilities are right here."
        if confidence.n_cases is None:
            return f"The number of cases is not known; the probabilities are for {UNKNOWN_CASES:,}."
        studied = self.studied_like(recipe, confidence.n_cases)
        if studied is None:
            return f"The score {recipe.score_title} was not studied; the probabilities are those of other scores."
        if confidence.filled is not None and confidence.filled.max(initial=0.0) <= FEW_FILLED:
            studied = replace(studied, gaps=recipe.gaps)  # so few values decide no edge
        differences = recipe.differences(studied)
        if confidence.targets:
            differences = (*differences, "experiments: some here, none there")
        if not differences:
            return _beyond(confidence.n_cases, len(confidence.names), entry.model)
        return self.made_differently("The probabilities", differences, "right")

    @classmethod
    def _row(cls, entry: CalibrationEntry) -> dict[str, Any]:
        return {
            **{name: getattr(entry, name) for name in ("source", "score", "data_sets", "networks", "spreads")},
            "directions": [entry.directions.at_thousand, entry.directions.per_decade],
            **{name: getattr(entry.model, name) for name in ("lowest", "highest", "coefficients")},
        }

    @classmethod
    def _entry(cls, row: Mapping[str, Any]) -> CalibrationEntry:
        numbers = {name: tuple(map(float, row[name])) for name in ("lowest", "highest")}
        model = CalibrationModel(tuple(tuple(map(float, own)) for own in row["coefficients"]), **numbers)
        directions = DirectionMap(*(tuple(map(float, own)) for own in row["directions"]))
        counts = int(row["data_sets"]), int(row["networks"])
        found, missed = ((float(at), float(slope)) for at, slope in row["spreads"])
        return CalibrationEntry(str(row["source"]), str(row["score"]), model, directions, *counts, (found, missed))


def _beyond(n_cases: int, n_variables: int, model: CalibrationModel) -> str:
    """Return the message that there are other numbers of cases or variables than in the study; "" if not."""
    low, high = (int(float(f"{1000 * 10 ** bounds[CASES]:.3g}")) for bounds in (model.lowest, model.highest))
    most = round(20 * math.exp(model.highest[VARIABLES]))
    if not low <= n_cases <= high:
        return (
            f"The probabilities come from data sets of {low:,} to {high:,} cases, and there are {n_cases:,} here: "
            "those of the nearest size are used, but no study shows that they are right here."
        )
    if n_variables > most:
        return (
            f"The probabilities come from networks of up to {most} variables, and there are {n_variables:,} here: no "
            "study shows that they are right here."
        )
    return ""


@cache
def calibration_table() -> CalibrationTable:
    """Return the table that comes with the package."""
    return CalibrationTable.shipped("calibration.json")


# When a direction is settled: one rule for all that say so.
#
# Nine tenths of the networks may agree on a direction that is wrong: with few cases they agree on what the sample
# happens to show. So a direction counts by its probability where a study tells it, and 95 in 100 such directions are
# right, in each family of worlds that the study had not seen (docs/benchmarks/calibration.md). Where no study tells
# it, because confidences are taken for probabilities or because what was said, believed or set has a part in the
# direction, it counts by the share of the networks.


SETTLED_PROBABILITY = 0.95
SETTLED_SHARE = 0.9


def is_settled(share: float, probability: float | None) -> bool:
    """Return whether a direction is settled.

    Parameters
    ----------
    share
        The share of the networks with the edge that point it this way.
    probability
        How often it points this way, if there is an edge; None if no study tells.

    >>> is_settled(0.92, None), is_settled(0.92, 0.9), is_settled(0.99, 0.96)
    (True, False, True)
    """
    return share >= SETTLED_SHARE if probability is None else probability >= SETTLED_PROBABILITY
