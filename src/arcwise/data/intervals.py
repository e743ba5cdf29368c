"""`Interval`: the numbers that a state such as ``(2.45,4.75]`` stands for, read from its label."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from arcwise.data.labels import numbers_of, quoted
from arcwise.errors import UnknownNameError, suggestion

__all__ = ["Interval", "state_holding"]

_LABEL = re.compile(r"\s*([\[(])\s*([^\s,]+)\s*,\s*([^\s,]+)\s*([\])])\s*")
# Labels have at least so many digits of a cut point, and a cut may differ from them by what comes after.
DIGITS = 6


@dataclass(frozen=True)
class Interval:
    """The numbers from one end to another, each with or without the end itself.

    >>> Interval.parse("(2.45,4.75]"), Interval.parse("high")
    (Interval(low=2.45, high=4.75, with_low=False, with_high=True), None)
    """

    low: float
    high: float
    with_low: bool
    with_high: bool

    @classmethod
    def parse(cls, label: str) -> Interval | None:
        """Read a label, None if it is no interval."""
        found = _LABEL.fullmatch(label)
        if found is None:
            return None
        opening, low, high, closing = found.groups()
        first, last = _end(low), _end(high)
        if first is None or last is None or not first < last:
            return None
        return cls(first, last, opening == "[", closing == "]")

    def holds(self, number: float) -> bool:
        """Say whether a number is in it."""
        above = number > self.low or (self.with_low and number == self.low)
        return above and (number < self.high or (self.with_high and number == self.high))

    def is_near_an_end(self, number: float) -> bool:
        """Say whether the label has too few digits to tell on which side of an end a number is."""
        return number not in (self.low, self.high) and float(f"{number:.{DIGITS}g}") in (self.low, self.high)


def _end(text: str) -> float | None:
    """Return an end as a number, which may be infinite."""
    if text.lower().lstrip("+-") in ("inf", "infinity"):
        return -math.inf if text.startswith("-") else math.inf
    number = numbers_of([text])
    return None if number is None else float(number[0])


def state_holding(name: str, text: str, states: Sequence[str]) -> str:
    """Return the state of a variable that is the interval of a number; whatever else is no state is refused.

    >>> state_holding("age", "50", ["(-inf,37]", "(37,61]", "(61,inf)"])
    '(37,61]'
    """
    parsed = {state: Interval.parse(state) for state in states}  # a gap may be a state beside intervals
    intervals = {state: interval for state, interval in parsed.items() if interval is not None}
    number = numbers_of([text])
    if number is None or not intervals:
        hint = " A number stands for the interval that holds it." if intervals else ""
        raise UnknownNameError(suggestion(f"state of '{name}'", text, states) + hint)
    value = float(number[0])
    near = [state for state, interval in intervals.items() if interval.is_near_an_end(value)]
    found = near or [state for state, interval in intervals.items() if interval.holds(value)]
    if len(found) == 1 and not near:
        return found[0]
    listed = quoted(found or list(intervals), 12)
    if not found:
        raise UnknownNameError(f"no interval of '{name}' holds {text}: they are {listed}.")
    raise UnknownNameError(
        f"{text} may be in any of these intervals of '{name}': {listed}. Name the one that you mean."
    )
