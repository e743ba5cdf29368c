"""`Threshold`: a cut-off for edge confidences, with the rule that gave it and what the rule assumed."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from arcwise.base.showing import one_screen

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
