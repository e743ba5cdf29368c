"""Columns of dates and times: as they are written, every day would be a state of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.data import Column, Table
from arcwise.data.date_labels import MONTHS, date_example, date_parts, is_stamp, is_time, stamp_parts
from arcwise.data.labels import quoted
from arcwise.errors import OptionError, suggestion
from arcwise.mentions import Argument

__all__ = ["DatePart", "find_dates"]

DatePart = Literal["drop", "year", "month"]


def find_dates(table: Table, *, dates: str | None = None) -> Iterable[Finding]:
    """Yield the columns of dates; `dates` says what becomes of them: left out (the proposal), the year, the month."""
    if dates is not None and dates not in get_args(DatePart):
        raise OptionError(suggestion("way to treat dates", dates, get_args(DatePart)))
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
            None if unclear else _repair(column, what, parts),
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


def _repair(column: Column, what: str, labels: dict[str, str | None] | None) -> Repair:
    name = column.name
    if labels is None:
        return Repair(lambda table: table.drop([name]), f"Left out column '{name}', which holds dates or times.")
    lost = [label for label, part in labels.items() if part is None]
    note = f"; {quoted(lost)} became missing" if lost else ""
    return Repair(
        lambda table: table.with_columns([table.column(name).relabel(labels)]),
        f"Kept the {what} of column '{name}', which holds dates{note}.",
    )
