"""`Verdict` and `Way`: the one answer about an edge and its direction; and numbers and lists as people read them."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from arcwise.base.showing import one_screen

# Numbers and lists as people read them: what is only rounded to all or nothing is not shown as all or nothing.


EQUAL = 1e-9  # a sum of weights that differs from 1 by less is 1


def show_confidence(value: float, digits: int = 3) -> str:
    """Return a confidence with this many digits; 1 is shown only for every network, 0 only for none.

    >>> show_confidence(1.0), show_confidence(0.99996), show_confidence(0.8191), show_confidence(0.0001)
    ('1.000', '>0.999', '0.819', '<0.001')
    >>> show_confidence(0.996, 2), show_confidence(0.0, 2)
    ('>0.99', '0.00')
    """
    text = f"{round(value, 9):.{digits}f}"  # sums of weights that differ by rounding alone look the same
    step = 10.0**-digits
    if value < 1 - EQUAL and float(text) >= 1:
        return f">{1 - step:.{digits}f}"
    if value > EQUAL and float(text) <= 0:
        return f"<{step:.{digits}f}"
    return text


def show_range(low: float, high: float, digits: int = 2) -> str:
    """Return two confidences as a range, or as one number if they look the same.

    >>> show_range(0.71, 0.944), show_range(0.951, 0.949), show_range(0.5, 1.0)
    ('0.71 to 0.94', '0.95', '0.50 to 1.00')
    """
    first, last = show_confidence(low, digits), show_confidence(high, digits)
    return first if first == last else f"{first} to {last}"


def round_inside(value: float, digits: int) -> float:
    """Round a share for a file, but not to 0 or 1 if it is neither.

    >>> round_inside(0.9999999, 4), round_inside(1.0, 4), round_inside(0.00001, 4), round_inside(0.25, 4)
    (0.9999, 1.0, 0.0001, 0.25)
    """
    rounded, step = round(value, digits), 10.0**-digits
    if rounded >= 1 and value < 1 - EQUAL:
        return round(1 - step, digits)
    return step if rounded <= 0 and value > EQUAL else rounded


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to none or all.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(1.0)
    ('50%', 'over 99%', 'under 1%', '100%')
    """
    if EQUAL < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1 - EQUAL:
        return "over 99%"
    return f"{share:.0%}"


def plural(count: float, noun: str, nouns: str = "") -> str:
    """Return the form of a word that fits a number: "edge" or "edges", "is" or "are".

    >>> plural(1, "edge"), plural(2, "edge"), plural(0, "class", "classes"), plural(3, "is", "are")
    ('edge', 'edges', 'classes', 'are')
    """
    return noun if count == 1 else nouns or f"{noun}s"


def counted(count: int, noun: str, nouns: str = "") -> str:
    """Return a number of things.

    >>> counted(1, "edge"), counted(2000, "edge"), counted(1, "edge is", "edges are")
    ('1 edge', '2,000 edges', '1 edge is')
    """
    return f"{count:,} {plural(count, noun, nouns)}"


def first_few(items: Sequence[str], most: int, separator: str = ", ") -> str:
    """Return the first of several things, and how many more there are.

    >>> first_few(["a", "b", "c", "d"], 2), first_few(["a", "b"], 2)
    ('a, b and 2 more', 'a, b')
    """
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return separator.join(items[:most]) + more


def listed(names: Sequence[str], joint: str = "and", most: int | None = None) -> str:
    """Return names as in a sentence; of many the first, and how many more: never one more, which could be named.

    >>> listed(["a", "b", "c"]), listed(["a", "b"], "or"), listed(["a", "b", "c", "d"], most=2), listed([])
    ('a, b and c', 'a or b', 'a, b and 2 more', 'nothing')
    """
    if most is not None and len(names) > most + 1:
        return f"{', '.join(names[:most])} {joint} {len(names) - most:,} more"
    if len(names) < 2:
        return names[0] if names else "nothing"
    return f"{', '.join(names[:-1])} {joint} {names[-1]}"


# Cut-offs differ between methods; one half, more likely than not, means the same for all.
HALF = 0.5


class Verdict(enum.StrEnum):
    """What to do with an edge: the one answer that all checks together give.

    `EdgeRecord.verdict` decides it, and whoever draws, lists, counts or explains an edge asks there.
    """

    RELY = "rely on"  # probable, every method agrees, and neither prior, bins nor gaps decide
    PROBABLY = "probably"  # every method supports it, but something that was chosen matters
    OPEN = "open"  # not established: methods disagree, or it is hardly likelier than not
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


class Way(enum.StrEnum):
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
