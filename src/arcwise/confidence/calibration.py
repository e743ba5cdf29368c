"""`Calibration`: how the confidences of one data set become probabilities, and what that rests on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, cast, get_args

from arcwise.base.errors import UNREADABLE, FormatError, check_known, reading
from arcwise.base.showing import one_screen
from arcwise.confidence.chance import BY_CHANCE
from arcwise.confidence.curves import (
    CASES,
    VARIABLES,
    CalibrationCurve,
    CalibrationModel,
    DirectionMap,
    SetFacts,
    cases_level,
)
from arcwise.networks.recipe import Recipe
from arcwise.scores.registry import MIXED_SCORES

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

Kind = Literal["none", "table"]
KINDS: tuple[Kind, ...] = get_args(Kind)


# `StudiedTable`: what was learned from a study, in one file with how it was learned.
#
# A table says something about confidences that were made by a recipe: the thresholds that were best for it, or how
# often its confidences are right. Whether that holds for the confidences at hand depends on whether they were made
# alike.


# How many networks are drawn decides how exact a confidence is, not what it means.
EFFORT = ("replicates", "most_draws", "chains", "way")
# What is known of recipes with scores that no study has, where the probabilities of another score were checked.
CHECKED = {
    ("bootstrap", "bic-jcg"): " But they were right within 0.02 on average in 111 tables whose lines differ between "
    "categories."
}
BY_CASES = "by cases"  # said of a study whose limits on parents are those of `Facts.most_parents`


def takes_numbers(recipe: Recipe | None) -> bool:
    """Return whether networks were learned from numbers as they are: other data, so that other studies tell of them."""
    # By name: a score whose prior is an object, not a name, cannot be made again.
    return recipe is not None and recipe.score.get("name") in MIXED_SCORES


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
        'They come from networks that were made differently (the score: bic, not aic): no study shows that they are ...'
        """
        if not differences:
            return ""
        return (
            f"{what} come from networks that were made differently ({'; '.join(differences)}): no study shows that "
            f"they are {claim} here."
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
        with reading("the calibration"):
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
    # Of how many samples whose learner was told something true, tiers or arcs, the probabilities were found right.
    constrained: int = 0

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
        facts = SetFacts.of(confidence.vector, confidence.n_cases or UNKNOWN_CASES, len(confidence.names))
        exact = confidence.orient == "cpdag"
        curve = entry.model.curve(facts)
        is_chance = chance is not None and not chance.is_exceeded
        level = cases_level(facts.n_cases)
        if is_chance:
            curve = curve.scaled(BY_CHANCE)
        return Calibration(
            kind="table",
            curve=curve,
            directions=entry.directions if exact else None,
            basis=f"come from {entry.data_sets} data sets sampled from {entry.networks} networks whose structure is "
            "known, by the number of rows and variables",
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
            return f"The number of rows is not known; the probabilities are for {UNKNOWN_CASES:,}."
        studied = self.studied_like(recipe, confidence.n_cases)
        if studied is None:
            known = CHECKED.get((confidence.origin, str(recipe.score.get("name"))), "")
            return (
                f"The score {recipe.score_title} was not studied; the probabilities are those of other scores.{known}"
            )
        if confidence.filled is not None and confidence.filled.max(initial=0.0) <= FEW_FILLED:
            studied = replace(studied, gaps=recipe.gaps)  # so few values decide no edge
        if recipe.constraints and entry.constrained:
            studied = replace(studied, constraints=recipe.constraints)
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
            **({"told": entry.constrained} if entry.constrained else {}),
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
        made = str(row["source"]), str(row["score"]), model, directions, *counts, (found, missed)
        return CalibrationEntry(*made, int(row.get("told", 0)))


def _beyond(n_cases: int, n_variables: int, model: CalibrationModel) -> str:
    """Return the message that there are other numbers of cases or variables than in the study; "" if not."""
    low, high = (int(float(f"{1000 * 10 ** bounds[CASES]:.3g}")) for bounds in (model.lowest, model.highest))
    most = round(20 * math.exp(model.highest[VARIABLES]))
    if not low <= n_cases <= high:
        return (
            f"The probabilities come from data sets of {low:,} to {high:,} rows, and there are {n_cases:,} here. Those "
            "of the nearest size are used, but no study shows that they are right here."
        )
    if n_variables > most:
        return (
            f"The probabilities come from networks of up to {most} variables, and there are {n_variables:,} here: no "
            "study shows that they are right here."
        )
    return ""


def calibration_table(recipe: Recipe | None = None) -> CalibrationTable:
    """Return the table that comes with the package; scores of numbers as they are have one of their own."""
    return _shipped("calibration-numbers.json" if takes_numbers(recipe) else "calibration.json")


@cache
def _shipped(name: str) -> CalibrationTable:
    return CalibrationTable.shipped(name)


# When a direction is settled: one rule for all that say so.
#
# Nine tenths of the networks may agree on a direction that is wrong: with few cases they agree on what the sample
# happens to show, and many such directions are of no edge at all. So a direction counts by the probability that there
# is the edge and points this way, where a study tells it, and is no surer than what compels it (`reason_of`);
# docs/benchmarks/calibration.md has how often that is right, by kinds of worlds that the study had not seen. Where no
# study tells it, because confidences are taken for
# probabilities or because what was said, believed or set has a part in the direction, it counts by the share of the
# networks.


# Bars were compared on worlds of 24 kinds, and one was checked on fresh ones: docs/benchmarks/calibration.md.
SETTLED_PROBABILITY = 0.7
# Under constraints, which have a part in what compels, and of other sources, whose shares are near 0 and 1 where they
# are wrong, too: the lower bar was checked for a bootstrap alone.
SETTLED_STRICTLY = 0.85
SETTLED_SHARE = 0.9  # where nothing is calibrated: of the networks with the edge


def is_settled(share: float, probability: float | None, *, strictly: bool = False) -> bool:
    """Return whether a direction is settled.

    Parameters
    ----------
    share
        The share of the networks with the edge that point it this way.
    probability
        How probably there is the edge and points this way (`PairProbability.arrow`); None if no study tells.
    strictly
        Whether the higher bar holds: under constraints, and of networks that no bootstrap has drawn.

    >>> is_settled(0.92, None), is_settled(0.92, 0.69), is_settled(0.88, 0.71)
    (True, False, True)
    """
    if probability is None:
        return share >= SETTLED_SHARE
    return probability >= (SETTLED_STRICTLY if strictly else SETTLED_PROBABILITY)
