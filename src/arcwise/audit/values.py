"""Columns of dates and times: as they are written, every day would be a state of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, rows_words, verb
from arcwise.base.errors import Argument
from arcwise.data.column import (
    CODES,
    LEAST_VALUES,
    MAX_LEVELS,
    MONTHS,
    Column,
    date_example,
    date_parts,
    is_stamp,
    is_time,
    numbers_of,
    quoted,
    stamp_parts,
    stands_for_missing,
)
from arcwise.data.table import Table


def find_dates(table: Table, *, dates: str | None = None) -> Iterable[Finding]:
    """Yield the columns of dates; `dates` says what becomes of them: left out (the proposal), the year, the month."""
    for column in table.columns:
        example = date_example(column)
        if example is None:
            continue
        what = dates or "drop"
        parts = None if what == "drop" else _labels(column, what)
        unclear = what != "drop" and parts is None
        yield Finding(
            Kind.DATE,
            Severity.BLOCKS,
            (column.name,),
            f"column '{column.name}' holds dates or times, not categories",
            f"{len(column.labels):,} distinct values such as '{example}'"
            + (f"; they have no {what}, or day and month cannot be told apart" if unclear else ""),
            "leave it out" if what == "drop" or unclear else f"keep the {what}",
            Argument("dates", "drop" if unclear else what),
            None if unclear else _date_repair(column, what, parts),
            safe=not unclear,
        )


def _labels(column: Column, what: str) -> dict[str, str | None] | None:
    """Return the year or the month of every label; None if some date does not say, or may say two."""
    read = stamp_parts if is_stamp(column) else date_parts
    parts = {label: read(label) for label in column.labels}
    numbered = [p for p in parts.values() if p is not None and "first" in p]
    day_first = any(int(p["first"]) > 12 for p in numbered)
    month_first = any(int(p["second"]) > 12 for p in numbered)
    if what == "month" and numbered and day_first == month_first:
        return None
    found: dict[str, str | None] = {}
    for label, p in parts.items():
        if p is None:
            if is_time(label):
                return None
            found[label] = None
        elif what == "year":
            year = p["year"]
            found[label] = year if len(year) == 4 else f"{'19' if int(year) > 50 else '20'}{year}"
        elif "name" in p:
            found[label] = f"{MONTHS.index(p['name'].lower()[:3]) + 1:02d}"
        else:
            found[label] = f"{int(p.get('month') or p['second' if day_first else 'first']):02d}"
    return found


def _date_repair(column: Column, what: str, labels: dict[str, str | None] | None) -> Repair:
    name = column.name
    if labels is None:
        return Repair(lambda table: table.drop([name]), f"Left out column '{name}', which holds dates or times.")
    lost = [label for label, part in labels.items() if part is None]
    more = f"; {quoted(lost)} became missing" if lost else ""
    done = f"Kept the {what} of column '{name}', which holds dates{more}."
    return Repair.of_column(name, partial(Column.relabel, labels=labels), done)


# Numbers that are written for people: 27,517.93, 3,14, $365, 12 %, 70 kg, (120), <0.5.
#
# A column is read as numbers if *all* its labels are, under one reading: a decimal point with commas, apostrophes or
# spaces between thousands, or a decimal comma with points, apostrophes or spaces. Where both readings take every label
# and differ ("1,234" may be a thousand or one and a bit), nobody but the analyst knows. So it is with "1.234" in a
# file whose other columns have decimal commas. A value below or above what can be measured, "<0.5", is read as that
# limit.


LEAST_NUMBERS = 3  # with fewer distinct values, labels such as "2 years" are categories
CURRENCY = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|CNY|SEK|NOK|DKK|kr)"
GROUPS = "'\u2019 \u00a0\u202f"  # what may stand between thousands beside the comma and the point
MINUS = frozenset("-\u2212\u2013")  # as typewriters, mathematicians and word processors write it
_SIGN = r"[+\-\u2212\u2013]"
_UNIT = r"°?[^\W\d_]{1,12}[\u00b2\u00b3]?"
_WRITTEN = re.compile(
    rf"(?P<limit>[<>\u2264\u2265~\u2248]=?\s*)?(?P<open>\()?(?P<sign>{_SIGN})?\s*{CURRENCY}?\s*(?P<inner>{_SIGN})?"
    rf"(?P<number>[0-9][0-9.,{GROUPS}]*|[.,][0-9]+)(?P<power>[eE][+-]?[0-9]{{1,3}})?"
    rf"\s*(?P<unit>{CURRENCY}|%|{_UNIT}(?:/{_UNIT})?)?\s*(?P<close>\))?"
)
# A number whose points or commas may all stand between thousands.
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:[.,][0-9]{3})+")


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """How numbers are written: the sign before decimals, and the one between thousands ("" for none)."""

    decimal: str
    thousands: str

    def read(self, text: str) -> str | None:
        """Return digits with these signs as a plain decimal number, or None if they are not one."""
        whole, sign, part = text.partition(self.decimal)
        if sign and not part.isdigit() and part:
            return None
        groups = re.split(f"[{re.escape(self.thousands + GROUPS)}]", whole)
        if len(groups) > 1 and not _are_groups([len(group) for group in groups]):
            return None
        digits = "".join(groups)
        if not (digits.isdigit() or (not digits and part)):
            return None
        return f"{digits or '0'}{f'.{part}' if part else ''}"

    def value(self, label: str) -> tuple[str, str] | None:
        """Return a written number as a plain one, and its unit ("" for none or a currency); None if it is none."""
        match = _WRITTEN.fullmatch(label)
        if match is None or bool(match["open"]) != bool(match["close"]):
            return None
        number = self.read(match["number"].strip())
        if number is None or (match["sign"] and match["inner"]):
            return None
        unit = match["unit"] or ""
        negative = {*(match["sign"] or ""), *(match["inner"] or "")} & MINUS or match["open"]
        plain = f"{'-' if negative else ''}{number}{match['power'] or ''}"
        return plain, "" if re.fullmatch(CURRENCY, unit) else unit


def _are_groups(lengths: list[int]) -> bool:
    """Return whether digits are in groups of three, or as in India, 12,34,567, of two before the last three."""
    first, *middle, last = lengths
    return last == 3 and (
        (1 <= first <= 3 and set(middle) <= {3}) or (1 <= first <= 2 and bool(middle) and set(middle) == {2})
    )


POINT, COMMA = NumberFormat(".", ","), NumberFormat(",", ".")


def format_of(values: Mapping[str, str | None]) -> NumberFormat | None:
    """Return the format in which labels are these numbers; None if there is none, or they are written plainly."""
    known = {label: number for label, number in values.items() if number is not None}
    if all(label == number for label, number in known.items()):
        return None
    for reading in (POINT, COMMA, NumberFormat(".", "'"), NumberFormat(".", " "), NumberFormat(",", "'")):
        if all((found := reading.value(label)) is not None and found[0] == n for label, n in known.items()):
            return reading
    return None


def find_written_numbers(
    table: Table, *, decimal: str | None = None, thousands: str | None = None
) -> Iterable[Finding]:
    """Yield the columns that hold written numbers; `decimal` and `thousands` say how, where that was told."""
    asked = decimal is not None or thousands is not None
    readings = _readings(decimal, thousands)
    found = {
        column.name: _read(column, readings) or (_read(column, [POINT, COMMA]) if column.numbers is None else [])
        for column in table.columns
        if not column.declared and (asked or column.numbers is None)
    }
    commas = any(own and all(reading is COMMA for reading, _ in own) for own in found.values())
    for column in table.columns:
        if commas and column.numbers is not None and any(_GROUPED.fullmatch(label) for label in column.labels):
            by_comma = _numbers(column, COMMA)
            if not column.declared and by_comma is not None and not asked:
                yield _two_ways(column, dict(zip(column.labels, column.labels, strict=True)), by_comma)
            continue
        own = found.get(column.name, [])
        if not own or all(values == {label: label for label in column.labels} for _, values in own):
            continue
        reading, values = own[0]
        if len(set(values.values())) < LEAST_NUMBERS:
            continue
        if len(own) > 1 and values != own[1][1]:
            yield _two_ways(column, values, own[1][1])
            continue
        example = next(label for label in column.labels if values[label] != label)
        yield Finding(
            Kind.WRITTEN_NUMBER,
            Severity.MISLEADS,
            (column.name,),
            f"column '{column.name}' holds numbers that are written as text",
            f"'{example}' is {values[example]}",
            "read them as numbers",
            Argument("thousands", thousands) if thousands and not decimal else Argument("decimal", reading.decimal),
            Repair.of_column(
                column.name,
                partial(Column.relabel, labels=values),
                f"Read column '{column.name}' as numbers ({quoted([example])} is {values[example]}).",
            ),
        )


def _read(column: Column, readings: list[NumberFormat]) -> list[tuple[NumberFormat, dict[str, str]]]:
    """Return the readings that take every label, each with the numbers."""
    return [(reading, values) for reading in readings if (values := _numbers(column, reading)) is not None]


def is_written_number(label: str) -> bool:
    """Return whether a label may be a number, under whichever reading."""
    return _WRITTEN.fullmatch(label) is not None


def _two_ways(column: Column, one: dict[str, str], other: dict[str, str]) -> Finding:
    example = next(label for label in column.labels if one[label] != other[label])
    return Finding(
        Kind.WRITTEN_NUMBER,
        Severity.MISLEADS,
        (column.name,),
        f"column '{column.name}' holds numbers that can be read in two ways",
        f"'{example}' is {one[example]} or {other[example]}",
        "say which sign stands before decimals",
        Argument("decimal", ","),
        safe=False,
    )


def _readings(decimal: str | None, thousands: str | None) -> list[NumberFormat]:
    if decimal is not None:
        return [NumberFormat(decimal, thousands or (COMMA if decimal == "," else POINT).thousands)]
    if thousands is not None:
        return [NumberFormat("," if thousands == "." else ".", thousands)]
    return [POINT, COMMA]


def _numbers(column: Column, reading: NumberFormat) -> dict[str, str] | None:
    """Return the number that every label is, or None if one is none or the units differ."""
    values: dict[str, str] = {}
    units: set[str] = set()
    for label in column.labels:
        found = reading.value(label)
        if found is None:
            return None
        match = _WRITTEN.fullmatch(label)
        # Ages such as "<18" are categories.
        if match is not None and match["limit"] and len(column.labels) <= MAX_LEVELS:
            return None
        values[label], unit = found
        units.add(unit)
    units.discard("")
    if len(units) > 1 or (units and len(values) < LEAST_NUMBERS):
        return None
    return values if numbers_of(list(values.values())) is not None else None


# Values that stand for a missing one and are not written as such: "-", "unknown", 999 where it is out of range.


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
            remedy=Argument("missing", [*markers]),
        )


def _rows_with(column: Column, labels: tuple[str, ...]) -> int:
    return int(column.counts()[[column.labels.index(label) for label in labels]].sum())


def _as_missing(names: tuple[str, ...], markers: Sequence[str], what: str, evidence: str) -> Finding:
    """Return a finding about values that should count as missing."""

    def change(table: Table) -> Table:
        return table.with_columns(table.column(name).relabel(dict.fromkeys(markers)) for name in names)

    repair = Repair(change, f"Took {quoted(markers)} as missing in {columns_words(names)}.")
    remedy = Argument("missing", [*markers])
    return Finding(Kind.MISSING_MARKER, Severity.MISLEADS, names, what, evidence, "take as missing", remedy, repair)


def find_words_among_numbers(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the columns of numbers that have a few words in them: "hemolyzed", "see note".

    As they are they would be text, different in almost every row, and be left out. What the words stand for nobody but
    the analyst knows.
    """
    for column in table.columns:
        plain = column.declared or column.numbers is not None or len(column.labels) <= MAX_LEVELS
        if plain or column.name in keep:
            continue
        words = [label for label in column.labels if not is_written_number(label)]
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
    numbers = numbers_of(rest)
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
