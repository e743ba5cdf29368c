"""`CalibrationTable`: the calibrations that come with the package, learned from the study `calibration`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, ClassVar

from arcwise.confidence.calibration.calibration import Calibration
from arcwise.confidence.calibration.directions import DirectionMap
from arcwise.confidence.calibration.model import CASES, VARIABLES, CalibrationModel, SetFacts
from arcwise.confidence.studied_table import StudiedTable
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence

__all__ = ["ANY", "CalibrationEntry", "CalibrationTable", "calibration_table"]

ANY = "any"
UNKNOWN_CASES = 1000  # where nobody says how many cases there were


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


@one_screen
@dataclass(frozen=True, eq=False)
class CalibrationTable(StudiedTable):
    """Calibration models by source and score, with how they were made."""

    kind: ClassVar[str] = "arcwise calibrations 1"
    title: ClassVar[str] = "calibrations"

    entries: Mapping[tuple[str, str], CalibrationEntry]
    provenance: Mapping[str, Any]

    def find(self, source: str, score: str | None) -> CalibrationEntry | None:
        """Return the entry of a recipe; a score that was not studied has that of all scores together."""
        return self.entries.get((source, score or ANY)) or self.entries.get((source, ANY))

    def calibration(self, confidence: EdgeConfidence) -> Calibration:
        """Return how confidences become probabilities; those of a kind that was not studied stay as they are."""
        recipe = confidence.recipe
        score = None if recipe is None else str(recipe.score.get("name"))
        entry = self.find(confidence.origin, score)
        if confidence.feature != "edge" or entry is None:
            return replace(Calibration.identity(), doubt=_not_studied(confidence))
        facts = SetFacts.of(confidence.vector, confidence.n_cases or UNKNOWN_CASES, len(confidence.names))
        exact = confidence.orient == "cpdag"
        return Calibration(
            kind="table",
            curve=entry.model.curve(facts),
            directions=entry.directions if exact else None,
            basis=f"come from {entry.data_sets} data sets sampled from {entry.networks} networks whose structure is "
            "known, by the number of cases and variables",
            doubt=self._doubt(confidence, entry),
        )

    def _doubt(self, confidence: EdgeConfidence, entry: CalibrationEntry) -> str:
        """Say why the study may not fit: another recipe, or no number of cases."""
        recipe = confidence.recipe
        if recipe is None:
            return "How the networks were made is not known, so no study shows that the probabilities are right here."
        if confidence.n_cases is None:
            return f"The number of cases is not known; the probabilities are for {UNKNOWN_CASES:,}."
        studied = self.studied_like(recipe, confidence.n_cases)
        if studied is None:
            return f"The score {recipe.score_title} was not studied; the probabilities are those of other scores."
        differences = recipe.differences(studied)
        if confidence.targets:
            differences = (*differences, "experiments: some here, none there")
        if not differences:
            return _beyond(confidence.n_cases, len(confidence.names), entry.model)
        return self.made_differently("The probabilities", differences, "right")

    def to_json(self) -> str:
        """Return the table as the text of a file."""
        return self._text(
            {
                "source": e.source,
                "score": e.score,
                "data_sets": e.data_sets,
                "networks": e.networks,
                "directions": [list(e.directions.at_thousand), list(e.directions.per_decade)],
                "lowest": list(e.model.lowest),
                "highest": list(e.model.highest),
                "coefficients": [list(row) for row in e.model.coefficients],
            }
            for _, e in sorted(self.entries.items())
        )

    @classmethod
    def from_json(cls, text: str, *, where: str = "calibrations") -> CalibrationTable:
        """Read the text of a file that `to_json` made, and check it."""
        try:
            rows, provenance = cls._content(text)
            entries = [_entry(row) for row in rows]
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise cls._refused(where, error) from error
        return cls({(entry.source, entry.score): entry for entry in entries}, provenance)


def _entry(row: Mapping[str, Any]) -> CalibrationEntry:
    model = CalibrationModel(
        tuple(tuple(map(float, own)) for own in row["coefficients"]),
        tuple(map(float, row["lowest"])),
        tuple(map(float, row["highest"])),
    )
    directions = DirectionMap(*(tuple(map(float, own)) for own in row["directions"]))
    return CalibrationEntry(
        str(row["source"]), str(row["score"]), model, directions, int(row["data_sets"]), int(row["networks"])
    )


def _beyond(n_cases: int, n_variables: int, model: CalibrationModel) -> str:
    """Say that there are fewer or more cases, or more variables, than in the study; "" if there are not."""
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


def _not_studied(confidence: EdgeConfidence) -> str:
    if confidence.feature != "edge":
        return f"Only edges were studied, not the feature '{confidence.feature}'."
    return f"No study shows how often confidences of the kind '{confidence.origin}' are right."


@cache
def calibration_table() -> CalibrationTable:
    """Return the table that comes with the package."""
    file = resources.files("arcwise.confidence").joinpath("data", "calibration.json")
    return CalibrationTable.from_json(file.read_text(encoding="utf-8"), where="calibration.json")
