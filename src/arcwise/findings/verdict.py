"""`Verdict` and `Direction`: the one answer about an edge and its direction."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from arcwise.base.showing import one_screen, show_confidence, show_range

# Cut-offs differ between methods; one half, more likely than not, means the same for all.
HALF = 0.5


class Verdict(enum.StrEnum):
    """What to do with an edge: the one answer that all checks together give.

    `EdgeRecord.verdict` decides it, and whoever draws, lists, counts or explains an edge asks there.
    """

    RELY = "rely on"  # probable, every method agrees, and neither prior, bins nor gaps decide
    PROBABLY = "probably"  # less probable, methods disagree, or something that was chosen matters
    OPEN = "open"  # not established: hardly likelier than not, or methods disagree on what is not very probable
    YOURS = "your assumption"  # there, or missing, because the analyst said so
    UNLIKELY = "unlikely"  # no method finds it likely

    @property
    def key(self) -> str:
        """What the page's style and script call it."""
        return self.name.lower()

    @property
    def words(self) -> str:
        """What its line means, for a legend."""
        return {
            Verdict.RELY: "rely on it",
            Verdict.PROBABLY: "probably: report what it depends on",
            Verdict.OPEN: "open: not established",
            Verdict.YOURS: "your assumption",
            Verdict.UNLIKELY: "unlikely",
        }[self]

    @property
    def dashes(self) -> str:
        """How its line is broken: lines differ by more than colour."""
        return {Verdict.PROBABLY: "16 4", Verdict.OPEN: "7 5", Verdict.YOURS: "12 3 2 3", Verdict.UNLIKELY: "2 5"}.get(
            self, ""
        )


# How many edges of each verdict were real, of how many, in data sets from networks whose truth is known: see
# docs/read-your-report.md, by kinds of worlds (python -m benchmarks.verdicts).
RIGHT = {Verdict.RELY: (2300, 2323), Verdict.PROBABLY: (306, 328), Verdict.OPEN: (84, 135)}
# The same of edges on which methods disagree, and which are probable all the same.
RIGHT_THOUGH_DISPUTED = (183, 195)

# The same where the probabilities themselves were not studied: in how many tables, and of the edges to rely on there.
TESTED = {"true tiers": (36, 411, 412), "a tenth of the values missing": (14, 126, 126)}


def record_with(*, tiers: bool, gaps: bool) -> str:
    """Return how often edges to rely on were right with tiers, and with gaps; "" without either.

    >>> record_with(tiers=True, gaps=False)
    'But in 36 tables with true tiers, 411 of 412 edges to rely on were real.'
    """
    asked = [record for record, wanted in zip(TESTED.items(), (tiers, gaps), strict=True) if wanted]
    records = [f"in {tables} tables with {what}, {right:,} of {total:,}" for what, (tables, right, total) in asked]
    return f"But {', and '.join(records)} edges to rely on were real." if records else ""


def track_record() -> str:
    """Return how often the verdicts were right.

    >>> track_record()
    'Where the truth was known, 99% of the edges to rely on were real, 93% of the probable and 62% of the open ones.'
    """
    rely, probably, opened = (f"{right / total:.0%}" for right, total in RIGHT.values())
    return (
        f"Where the truth was known, {rely} of the edges to rely on were real, {probably} of the probable and {opened} "
        "of the open ones."
    )


class Direction(enum.StrEnum):
    """How far the direction of an edge is known."""

    SETTLED = "settled"  # the data settle it
    LIKELY = "likely"  # most networks point it this way, which is right less often
    UNKNOWN = "unknown"
    YOURS = "yours"  # it is what the analyst said, believed, or made follow


def thickness(probability: float) -> float:
    """Return the width of the line of an edge that is real with this probability.

    >>> thickness(0.0), thickness(1.0)
    (0.8, 4.4)
    """
    return round(0.8 + 3.6 * probability, 2)


# `Forest`: for each of several things one line from the least to the largest of its values, as in a forest plot.


@one_screen
@dataclass(frozen=True, slots=True)
class ForestRow:
    """One edge: its confidence by the main method, and those by all methods, from 0 to 1."""

    label: str
    value: float
    others: tuple[float, ...]
    verdict: Verdict

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest of all values."""
        return min(self.value, *self.others), max(self.value, *self.others)

    @property
    def words(self) -> str:
        """Return the values."""
        return f"{self.label}: {show_confidence(self.value, 2)}, by all methods {show_range(*self.spread)}"


@one_screen
@dataclass(frozen=True, slots=True)
class Forest:
    """Ranges on a common scale from 0 to 1; `summary` says in words what they show. Dashed lines mark the cut-offs."""

    caption: str
    summary: str
    rows: tuple[ForestRow, ...]
    cutoffs: tuple[tuple[float, str], ...] = ()
