"""Labels with an order that the alphabet does not know: low, medium, high; 18-25, 26-35, over 65."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.spellings import folded
from arcwise.data import Column, Table
from arcwise.mentions import Argument

__all__ = ["find_scales"]

SCALES: tuple[tuple[str, ...], ...] = (
    ("very low", "low", "medium", "moderate", "average", "normal", "high", "very high"),
    ("none", "very mild", "mild", "moderate", "severe", "very severe"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("xs", "s", "m", "l", "xl", "xxl"),
    ("tiny", "small", "medium", "large", "huge"),
    ("very poor", "poor", "fair", "average", "good", "very good", "excellent"),
    ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    ("young", "adult", "old"),
    ("short", "medium", "long"),
    ("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
    ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"),
)
_RANGE = re.compile(
    r"(?P<below><=?|under |below |up to )?\s*(?P<low>\d+(?:\.\d+)?)\s*"
    r"(?:(?:-|–|to)\s*(?P<high>\d+(?:\.\d+)?)|(?P<above>\+| and over| and more| or more))?",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?:>=?|over |above |more than )\s*(\d+(?:\.\d+)?)", re.IGNORECASE)


def find_scales(table: Table) -> Iterable[Finding]:
    """Yield the columns whose labels have an order; no score uses it, but tables and bars are read by it."""
    for column in table.columns:
        order = _order(column)
        if order is None or order == sorted(column.labels):
            continue
        shown = " < ".join(order[:6]) + (" < ..." if len(order) > 6 else "")
        yield Finding(
            Kind.ORDINAL,
            Severity.NOTE,
            (column.name,),
            f"the labels of column '{column.name}' have an order: {shown}",
            "no score uses it; tables and charts show it",
            "keep them in this order",
            Argument("agree", True),
            Repair(
                lambda table, name=column.name, order=order: table.with_columns(  # type: ignore[misc]
                    [_ordered(table.column(name), order)]
                ),
                f"Put the states of column '{column.name}' in order: {shown}.",
            ),
        )


def _order(column: Column) -> list[str] | None:
    labels = column.labels
    if column.declared or column.numbers is not None or not 3 <= len(labels) <= 20:
        return None
    plain = {folded(label): label for label in labels}
    for scale in SCALES:
        if len(plain) == len(labels) and all(word in scale for word in plain):
            return [plain[word] for word in scale if word in plain]
    starts = {label: _start(label) for label in labels}
    if any(start is None for start in starts.values()) or len(set(starts.values())) < len(labels):
        return None
    return sorted(labels, key=lambda label: starts[label] or (0.0, 0))


def _start(label: str) -> tuple[float, int] | None:
    """Return where a range begins, e.g. (18, 0) for "18-25", (18, -1) for "under 18", (65, 1) for "over 65"."""
    match = _RANGE.fullmatch(label)
    if match is not None and (match["below"] or match["high"] or match["above"]):
        return float(match["low"]), -1 if match["below"] else 0
    over = _OVER.fullmatch(label)
    return None if over is None else (float(over[1]), 1)


def _ordered(column: Column, order: list[str]) -> Column:
    lookup = [order.index(label) for label in column.labels]
    codes = np.array([*lookup, len(order)], dtype=column.codes.dtype)[column.codes]
    return Column(column.name, codes, tuple(order), declared=True)
