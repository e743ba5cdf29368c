"""Numbers that are written for people: 27,517.93, 3,14, $365, 12 %, 70 kg, (120), <0.5.

A column is read as numbers if *all* its labels are, under one reading: a decimal point with commas, apostrophes or
spaces between thousands, or a decimal comma with points, apostrophes or spaces. Where both readings take every label
and differ ("1,234" may be a thousand or one and a bit), nobody but the analyst knows. So it is with "1.234" in a
file whose other columns have decimal commas. A value below or above what can be measured, "<0.5", is read as that
limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.base.errors import Argument
from arcwise.data.column import (
    MAX_LEVELS,
    Column,
    numbers_of,
    quoted,
)
from arcwise.data.table import Table

LEAST_NUMBERS = 3  # with fewer distinct values, labels such as "2 years" are categories
CURRENCY = r"(?:[$€£¥₹]|USD|EUR|GBP|CHF|JPY|CAD|AUD|INR|CNY|SEK|NOK|DKK|kr)"
GROUPS = "'\u2019 \u00a0\u202f"  # what may stand between thousands beside the comma and the point
MINUS = frozenset("-\u2212\u2013")  # as typewriters, mathematicians and word processors write it
_SIGN = r"[+\-\u2212\u2013]"
_UNIT = r"°?[^\W\d_]{1,12}[\u00b2\u00b3]?"
WRITTEN = re.compile(
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
        match = WRITTEN.fullmatch(label)
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
        match = WRITTEN.fullmatch(label)
        # Ages such as "<18" are categories.
        if match is not None and match["limit"] and len(column.labels) <= MAX_LEVELS:
            return None
        values[label], unit = found
        units.add(unit)
    units.discard("")
    if len(units) > 1 or (units and len(values) < LEAST_NUMBERS):
        return None
    return values if numbers_of(list(values.values())) is not None else None
