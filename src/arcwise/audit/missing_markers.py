"""Values that stand for a missing one and are not written as such: "-", "unknown", 999 where it is out of range."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.words import columns_words, rows_words, verb
from arcwise.data import Column, Table
from arcwise.data.labels import numbers_of, quoted
from arcwise.mentions import Argument

__all__ = ["find_missing_markers"]

# Signs that no variable has as a state, whatever the others are; "-" has another meaning beside "+".
SIGNS = frozenset(("-", "--", "---", ".", "..", "n/a", "n.a.", "#n/a", "nan", "null", "(null)", "<na>", "nil", "na"))
# Words that may be a state of their own; among numbers they are none.
WORDS = frozenset(("unknown", "missing", "not known", "not available", "not applicable", "not stated", "refused"))
# Among numbers, these are none either.
NO_NUMBERS = WORDS | {"none", "nd", "tbd", "x", "*", "error", "no data"}
# Numbers that stand for a missing value in questionnaires and old files, where they are out of the range of the rest.
CODES = (-9999.0, -999.0, -99.0, -9.0, -8.0, -7.0, -1.0, 9.0, 88.0, 98.0, 99.0, 888.0, 998.0, 999.0, 9999.0, 99999.0)
LEAST_VALUES = 4  # a range is known from this many other values on


def find_missing_markers(table: Table) -> Iterable[Finding]:
    """Yield one finding per set of markers: certain ones, which become missing values, and words that may be states."""
    certain: dict[tuple[str, ...], list[Column]] = {}
    doubtful: dict[tuple[str, ...], list[Column]] = {}
    for column in table.columns:
        if column.declared:
            continue
        sure, unsure = _markers(column)
        if sure:
            certain.setdefault(sure, []).append(column)
        if unsure:
            doubtful.setdefault(unsure, []).append(column)
    for markers, columns in certain.items():
        names = tuple(column.name for column in columns)
        rows = sum(int(column.counts()[[column.labels.index(m) for m in markers]].sum()) for column in columns)
        yield Finding(
            Kind.MISSING_MARKER,
            Severity.MISLEADS,
            names,
            f"{columns_words(names)}: {quoted(markers)} {verb(markers, 'stands', 'stand')} for missing values",
            f"in {rows_words(rows)}",
            "take as missing",
            Argument("missing", [*markers]),
            Repair(_marked(names, markers), f"Took {quoted(markers)} as missing in {columns_words(names)}."),
        )
    for markers, columns in doubtful.items():
        names = tuple(column.name for column in columns)
        yield Finding(
            Kind.MISSING_MARKER,
            Severity.NOTE,
            names,
            f"{columns_words(names)}: {quoted(markers)} is a state, and may stand for missing values",
            remedy=Argument("missing", [*markers]),
        )


def _markers(column: Column) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels that certainly, and those that possibly, stand for a missing value."""
    labels = column.labels
    signs = [label for label in labels if label.lower() in SIGNS and not (label == "-" and "+" in labels)]
    plain = [label for label in labels if label.lower() not in NO_NUMBERS and label not in signs]
    are_numbers = len(plain) >= LEAST_VALUES and numbers_of(plain) is not None
    words = [label for label in labels if label.lower() in (NO_NUMBERS if are_numbers else WORDS)]
    others = [label for label in labels if label not in signs and label not in words]
    if len(others) + len(words) < 2:
        return (), ()
    if are_numbers:
        signs, words = [*signs, *words], []
    if not words and (codes := _codes_out_of_range(column, signs)):
        return tuple(sorted({*signs, *codes})), ()
    return tuple(sorted(signs)), tuple(sorted(words))


def _codes_out_of_range(column: Column, signs: list[str]) -> list[str]:
    """Return the labels that are such numbers, and further from all others than these are from each other."""
    rest = [label for label in column.labels if label not in signs]
    numbers = numbers_of(rest)
    if numbers is None:
        return []
    is_code = np.isin(numbers, CODES)
    others = numbers[~is_code]
    if len(others) < LEAST_VALUES or not is_code.any():
        return []
    low, high = float(others.min()), float(others.max())
    counts = column.counts()
    found = []
    for label, number in zip(rest, numbers.tolist(), strict=True):
        outside = number > high + (high - low) or number < low - (high - low)
        if number in CODES and outside and counts[column.labels.index(label)] >= 2:
            found.append(label)
    return found


def _marked(names: tuple[str, ...], markers: tuple[str, ...]) -> Callable[[Table], Table]:
    def change(table: Table) -> Table:
        return table.with_columns(table.column(name).relabel(dict.fromkeys(markers)) for name in names)

    return change
