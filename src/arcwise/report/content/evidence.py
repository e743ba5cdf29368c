"""`EvidencePlan`: how the page finds out what evidence does to all other variables."""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.showing import one_screen

__all__ = ["EvidencePlan"]


@one_screen
@dataclass(frozen=True, slots=True)
class EvidencePlan:
    """An order in which the page eliminates variables, or what was computed for it, or why neither.

    Parameters
    ----------
    order
        All variables; empty if the page cannot compute.
    refusal
        What the page cannot do, and why; "" if it can.
    given
        The probability of every state of all variables (columns) given each of them (rows); empty if not computed.
    """

    order: tuple[int, ...] = ()
    refusal: str = ""
    given: tuple[tuple[float, ...], ...] = ()
