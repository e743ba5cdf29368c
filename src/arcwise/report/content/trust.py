"""`Trust`: what all methods together say about an edge, which decides how it is drawn."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from arcwise.report.content.numbers import show_confidence, show_range

__all__ = ["HALF", "TOO_FEW", "Trust", "dashes_of", "edge_label", "thickness", "trust_of"]

# Cut-offs differ between methods; one half, more likely than not, means the same for all.
HALF = 0.5
# An edge that all methods support is not labelled from this probability on: it would say the same on every line.
PLAIN = 0.9


class Trust(enum.StrEnum):
    """How far an edge can be trusted.

    Of edges that all methods support nearly all were real in samples from known networks (hepar2 77 of 77, insurance 27
    of 27, andes 260 of 278), of those they dispute a half to four fifths (9 of 18, 9 of 11, 12 of 15): the verdict
    tells more than the confidence, which is near 1 for most edges that are drawn.
    """

    AGREED = "agreed"  # every method finds it likely, and all about as likely
    VARIED = "varied"  # every method finds it likely, but not all as clearly
    DISPUTED = "disputed"  # some methods find it likely, others do not
    WEAK = "weak"  # no method finds it likely; it is there because the cut-off is low
    ALONE = "alone"  # no other method was asked
    GUESS = "guess"  # there are too few networks for a share of them to mean anything

    @property
    def is_supported(self) -> bool:
        """Whether every method that was asked finds the edge likely."""
        return self in (Trust.AGREED, Trust.VARIED)


# Lines differ by more than colour.
DASHES = {Trust.AGREED: "", Trust.VARIED: "16 4", Trust.DISPUTED: "7 5", Trust.WEAK: "2 5", Trust.GUESS: "5 4"}
# What stands in the place of a verdict where there are too few networks.
TOO_FEW = "too few networks"


def trust_of(present: float, agreement: str, by_method: Sequence[float | None]) -> Trust:
    """Return what the methods together say about an edge with this confidence and agreement."""
    if agreement == TOO_FEW:
        return Trust.GUESS
    if agreement == "disagree":
        return Trust.DISPUTED
    if agreement == "not compared" or sum(value is not None for value in by_method) < 2:
        return Trust.ALONE
    if present <= HALF:
        return Trust.WEAK
    return Trust.AGREED if agreement == "agree" else Trust.VARIED


def dashes_of(trust: Trust, present: float) -> str:
    """Return how the line of an edge is broken; where no other method was asked, the confidence decides."""
    if trust is not Trust.ALONE:
        return DASHES[trust]
    return "" if present >= 0.75 else "9 5" if present >= HALF else "2 5"


def thickness(probability: float) -> float:
    """Return the width of the line of an edge that is real with this probability.

    >>> thickness(0.0), thickness(1.0)
    (0.8, 4.4)
    """
    return round(0.8 + 3.6 * probability, 2)


def edge_label(trust: Trust, probability: float, by_method: Sequence[float | None]) -> str:
    """Return the number on an edge, "" where it would tell nothing: the range of what the methods dispute.

    >>> edge_label(Trust.AGREED, 0.96, (1.0, 1.0)), edge_label(Trust.DISPUTED, 0.96, (1.0, 0.2)), edge_label(
    ...     Trust.VARIED, 0.71, (0.9, 0.6)
    ... )
    ('', '0.20 to 1.00', '0.71')
    """
    known = [value for value in by_method if value is not None]
    if trust is Trust.GUESS:
        return ""
    if trust is Trust.DISPUTED:
        return show_range(min(known), max(known))
    return "" if probability >= PLAIN and trust is not Trust.WEAK else show_confidence(probability, 2)
