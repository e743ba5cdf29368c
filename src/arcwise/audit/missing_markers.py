"""Checks of values that stand for a missing one and are not written as such: "-", "unknown", 999 out of range."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, rows_words, verb
from arcwise.audit.written_numbers import WRITTEN
from arcwise.base.errors import Argument
from arcwise.data.column import (
    CODES,
    LEAST_VALUES,
    MAX_LEVELS,
    Column,
    numbers_of,
    quoted,
    stands_for_missing,
)
from arcwise.data.table import Table

# Signs that no variable has as a state, whatever the others are; "-" has another meaning beside "+".
SIGNS = frozenset(
    ("-", "--", "---", ".", "..", "n/a", "n.a.", "#n/a", "k.a.", "nan", "null", "(null)", "<na>", "nil", "na")
)
# Words that may be a state of their own; among numbers they are none.
WORDS = frozenset(
    (
        *("unknown", "missing", "not known", "not available", "not applicable", "not stated", "refused", "no answer"),
        *("don't know", "dont know", "do not know", "prefer not to say", "prefer not to answer", "not specified"),
    )
)
# Among numbers, these are none either.
NO_NUMBERS = WORDS | frozenset(
    ("none", "nd", "n/d", "n.d.", "not done", "not measured", "tbd", "x", "*", "error", "no data", "inf", "-inf")
)
# A column is one of numbers with a few words in it from this share of rows on, and up to so many words.
NUMBERS_SHARE, MOST_WORDS = 0.8, 10
# Below this probability it is no chance that all rows with a code have the same state of another column.
CHANCE = 1e-6


def find_missing_markers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield one finding per set of markers: certain ones, which become missing values, and words that may be states.

    A sign in most rows of a column may well mean "none", and remains a question.
    """
    certain: dict[tuple[str, ...], list[Column]] = {}
    doubtful: dict[tuple[str, ...], list[Column]] = {}
    for column in table.columns:
        if column.declared or column.name in keep:
            continue
        sure, unsure = _markers(column)
        if sure and 2 * _rows_with(column, sure) > column.n_cases:
            what = f"column '{column.name}' has {quoted(sure)} in most rows: missing values, or a state such as 'none'"
            rows = f"in {rows_words(_rows_with(column, sure))} of {column.n_cases:,}"
            yield replace(_as_missing((column.name,), sure, what, rows), safe=False, keepable=True)
        elif sure and (shared := _shared_state(table, column, sure)):
            what = f"column '{column.name}': {quoted(sure)} may be the highest code, or stand for missing values"
            yield Finding(Kind.MISSING_MARKER, Severity.NOTE, (column.name,), what, shared, remedy=_missing(sure))
        elif sure:
            certain.setdefault(sure, []).append(column)
        if unsure:
            doubtful.setdefault(unsure, []).append(column)
    for markers, columns in certain.items():
        names = tuple(column.name for column in columns)
        count = sum(_rows_with(column, markers) for column in columns)
        what = f"{columns_words(names)}: {quoted(markers)} {verb(markers, 'stands', 'stand')} for missing values"
        yield _as_missing(names, markers, what, f"in {rows_words(count)}")
    for markers, columns in doubtful.items():
        names = tuple(column.name for column in columns)
        yield Finding(
            Kind.MISSING_MARKER,
            Severity.NOTE,
            names,
            f"{columns_words(names)}: {quoted(markers)} {verb(markers, 'is a value', 'are values')}, and may stand for "
            "missing ones",
            remedy=_missing(markers),
        )


def _shared_state(table: Table, column: Column, markers: tuple[str, ...]) -> str:
    """Return the state of another column that all rows with a marker have, if chance would hardly do that; else "".

    A highest code (99999 for all larger gains) goes with the rest of the row, and what is missing seldom does so.
    """
    numbers = numbers_of(list(markers))
    if numbers is None or column.numbers is None or numbers.min() < np.setdiff1d(column.numbers, numbers).max():
        return ""
    rows = np.isin(column.codes, [column.labels.index(marker) for marker in markers])
    for other in table.columns:
        first = int(other.codes[rows][0])
        if other is column or first >= len(other.labels) or not 2 <= len(other.labels) <= MAX_LEVELS:
            continue
        alike = other.codes == first
        if alike[rows].all() and float(alike.mean()) ** int(rows.sum()) < CHANCE:
            return f"all {rows_words(int(rows.sum()))} with it have {other.name} = {other.labels[first]}"
    return ""


def _rows_with(column: Column, labels: tuple[str, ...]) -> int:
    return int(column.counts()[[column.labels.index(label) for label in labels]].sum())


def _as_missing(names: tuple[str, ...], markers: Sequence[str], what: str, evidence: str) -> Finding:
    """Return a finding about values that should count as missing."""

    def change(table: Table) -> Table:
        return table.with_columns(table.column(name).relabel(dict.fromkeys(markers)) for name in names)

    repair = Repair(change, f"Took {quoted(markers)} as missing in {columns_words(names)}.")
    remedy = _missing(markers)
    return Finding(Kind.MISSING_MARKER, Severity.MISLEADS, names, what, evidence, "take as missing", remedy, repair)


def _missing(markers: Sequence[str]) -> Argument:
    return Argument("missing", [*markers])


def find_words_among_numbers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns of numbers that have a few words in them: "hemolyzed", "see note".

    As they are they would be text, different in almost every row, and be left out. What the words stand for nobody but
    the analyst knows.
    """
    for column in table.columns:
        plain = column.declared or column.numbers is not None or len(column.labels) <= MAX_LEVELS
        if plain or column.name in keep:
            continue
        words = [label for label in column.labels if WRITTEN.fullmatch(label) is None]
        counts = dict(zip(column.labels, column.counts().tolist(), strict=True))
        rows, lost = sum(counts.values()), sum(counts[word] for word in words)
        if not 0 < len(words) <= MOST_WORDS or lost > (1 - NUMBERS_SHARE) * rows:
            continue
        if len(column.labels) - len(words) <= MAX_LEVELS:
            continue
        what = f"column '{column.name}' holds numbers but for {quoted(words)}"
        found = _as_missing((column.name,), words, what, f"in {rows_words(lost)} of {rows:,}")
        yield replace(found, proposal=f"take {it(words)} as missing", safe=False)


def _markers(column: Column) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels that certainly, and those that possibly, stand for a missing value."""
    labels = column.labels
    if column.numbers is not None:  # then none of them is a sign or a word
        sure, unsure = _codes_out_of_range(column, [])
        return tuple(sorted(sure)), tuple(unsure)
    signs = [label for label in labels if label.lower() in SIGNS and not (label == "-" and "+" in labels)]
    plain = [label for label in labels if label.lower() not in NO_NUMBERS and label not in signs]
    are_numbers = len(plain) >= LEAST_VALUES and numbers_of(plain) is not None
    words = [label for label in labels if label.lower() in (NO_NUMBERS if are_numbers else WORDS)]
    others = [label for label in labels if label not in signs and label not in words]
    if len(others) + len(words) < 2:
        return (), ()
    if are_numbers:
        signs, words = [*signs, *words], []
    if not words:
        sure, unsure = _codes_out_of_range(column, signs)
        return tuple(sorted({*signs, *sure})), tuple(unsure)
    return tuple(sorted(signs)), tuple(sorted(words))


def _codes_out_of_range(column: Column, signs: list[str]) -> tuple[list[str], list[str]]:
    """Return the labels that are numbers which stand for missing values, out of range: certainly, and possibly."""
    rest = [label for label in column.labels if label not in signs]
    numbers = numbers_of(rest) if signs else column.numbers
    if numbers is None:
        return [], []
    others = numbers[~np.isin(numbers, CODES)]
    if len(others) < 2:
        return [], []
    low, high = float(others.min()), float(others.max())
    counts = column.counts()
    sure: list[str] = []
    unsure: list[str] = []
    for label, number in zip(rest, numbers.tolist(), strict=True):
        if number not in CODES or counts[column.labels.index(label)] < 2:
            continue
        stands = stands_for_missing(number, low, high, len(others))
        if stands is not None:
            (sure if stands else unsure).append(label)
    return sure, unsure
