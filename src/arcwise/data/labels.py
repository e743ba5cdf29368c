"""Labels: how values are spelled, which of them are numbers, and the order of states."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["MISSING", "numbers_of", "quoted", "sorted_labels", "spell"]

# What counts as a missing value in a text file. "None" is not among them: it is a state of many networks.
MISSING: tuple[str, ...] = ("", "?", "NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL")

# Decimal numbers only: neither "inf" nor "1_000" nor hexadecimal, which Python's float would take. Every number matches
# in one way, and what matched is not tried again: a word after a thousand numbers would take forever.
_NUMBERS = re.compile(r"(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?\n)*+")


def numbers_of(labels: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the labels as numbers, or None unless every label is a finite decimal number."""
    lines = "\n".join(labels) + "\n"
    if not labels or lines.count("\n") != len(labels) or _NUMBERS.fullmatch(lines) is None:
        return None
    values = np.array(labels, dtype=np.float64)
    return values if bool(np.isfinite(values).all()) else None


def sorted_labels(labels: Sequence[str]) -> list[int]:
    """Return the positions of the labels in order: numerically if all are numbers, else by Unicode code points."""
    values = numbers_of(labels)
    if values is None:
        return sorted(range(len(labels)), key=labels.__getitem__)
    return sorted(range(len(labels)), key=lambda k: (values[k], labels[k]))


def spell(value: object) -> str:
    """Return a value as a label: `str` without surrounding spaces; a whole float as an integer.

    >>> spell(3.0), spell(2.5), spell(" yes "), spell(True)
    ('3', '2.5', 'yes', 'True')
    """
    if isinstance(value, float | np.floating):
        number = float(value)
        return str(int(number)) if number.is_integer() and abs(number) < 1e16 else repr(number)
    return str(value).strip()


def quoted(labels: Sequence[str], limit: int = 5) -> str:
    """Return labels in quotes for a message, the first few if there are many.

    >>> quoted(["a", "b", "c"], limit=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(f"'{_short(label)}'" for label in labels[:limit])
    return shown if len(labels) <= limit else f"{shown} and {len(labels) - limit:,} more"


def _short(label: str) -> str:
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in label[:60])
    return text if len(label) <= 60 else f"{text}..."
