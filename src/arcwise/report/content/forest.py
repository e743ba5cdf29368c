"""`Forest`: for each of several things one line from the least to the largest of its values, as in a forest plot."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.report.content.numbers import show_confidence, show_range
from arcwise.report.content.trust import Trust
from arcwise.showing import one_screen

__all__ = ["Forest", "ForestRow"]


@one_screen
@dataclass(frozen=True, slots=True)
class ForestRow:
    """One edge: its confidence by the main method, and those by all methods, from 0 to 1."""

    label: str
    value: float
    others: tuple[float, ...]
    trust: Trust

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the largest of all values."""
        return min(self.value, *self.others), max(self.value, *self.others)

    @property
    def words(self) -> str:
        """Say the values."""
        return f"{self.label}: {show_confidence(self.value, 2)}, by all methods {show_range(*self.spread)}"


@one_screen
@dataclass(frozen=True, slots=True)
class Forest:
    """Ranges on a common scale from 0 to 1; `summary` says in words what they show. Dashed lines mark the cut-offs."""

    caption: str
    summary: str
    rows: tuple[ForestRow, ...]
    cutoffs: tuple[tuple[float, str], ...] = ()
