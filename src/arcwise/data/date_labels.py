"""Labels that are dates or times, in the ways in which people write them."""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arcwise.data.table import Column

__all__ = ["MONTHS", "date_example", "date_parts", "is_stamp", "is_time", "stamp_parts"]

SHARE = 0.95  # of the distinct labels
LEAST_VALUES = 2
NUMBERS = 20  # a column of numbers needs more values than this to hold dates
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = r"(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?\s*(?:Z|UTC|[+-]\d{2}:?\d{2})?)?"
_NAMES = rf"(?P<name>{'|'.join(MONTHS)})[a-z]*\.?"
_PATTERNS = tuple(
    re.compile(pattern + _CLOCK, re.IGNORECASE)
    for pattern in (
        r"(?P<year>[12]\d{3})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<year>[12]\d{3})[-/](?P<month>0[1-9]|1[0-2])",
        r"(?P<first>\d{1,2})[-/.](?P<second>\d{1,2})[-/.](?P<year>[12]\d{3}|\d{2})",
        rf"(?P<day>\d{{1,2}})[ -]{_NAMES}[ ,-]+(?P<year>[12]\d{{3}}|\d{{2}})",
        rf"{_NAMES}[ -](?P<day>\d{{1,2}}),?[ -]+(?P<year>[12]\d{{3}})",
        rf"{_NAMES}[ -](?P<year>[12]\d{{3}})",
        r"(?P<year>(?:19|20)\d{2})(?P<month>0[1-9]|1[0-2])(?P<day>0[1-9]|[12]\d|3[01])",
    )
)
# Names that say that large numbers are seconds, or thousandths, since 1970.
_STAMP = re.compile(r"(?:^|[^a-z])(time|timestamp|ts|epoch|date|datetime|created|updated|modified|at|when)(?:$|[^a-z])")
SINCE, UNTIL = 946_684_800, 2**31  # from 2000 to 2038
_TIME = re.compile(r"\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[AaPp]\.?[Mm]\.?)?")


def date_example(column: Column) -> str | None:
    """Return an example that shows that a column holds dates or times, or None if it does not."""
    if column.declared or len(column.labels) < LEAST_VALUES:
        return None
    sample = column.labels[:: max(1, len(column.labels) // 1000)]
    if column.numbers is not None:
        # 20150131 may be a quantity; that all of many numbers are dates is no chance.
        compact = len(column.labels) > NUMBERS and all(date_parts(label) is not None for label in sample)
        return sample[0] if compact or is_stamp(column) else None
    dates = [label for label in sample if date_parts(label) is not None or is_time(label)]
    return dates[0] if len(dates) >= SHARE * len(sample) else None


def date_parts(label: str) -> dict[str, str] | None:
    """Return year, month and day as far as a label says them; "first" and "second" where their order is open."""
    for pattern in _PATTERNS:
        match = pattern.fullmatch(label)
        if match is not None:
            found = {name: value for name, value in match.groupdict().items() if value is not None}
            plausible = all(int(found[name]) <= most for name, most in (("month", 12), ("day", 31)) if name in found)
            plausible &= all(1 <= int(found[name]) <= 31 for name in ("first", "second") if name in found)
            return found if plausible else None
    return None


def is_stamp(column: Column) -> bool:
    """Say whether numbers are seconds or thousandths since 1970: by their size, and by the name of the column."""
    if column.numbers is None or not _STAMP.search(re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).lower()):
        return False
    values = column.numbers
    return any(bool(((values >= SINCE * unit) & (values < UNTIL * unit)).all()) for unit in (1, 1000))


def stamp_parts(label: str) -> dict[str, str]:
    """Return year, month and day of seconds or thousandths since 1970, in UTC."""
    value = float(label)
    day = datetime.datetime.fromtimestamp(value if value < UNTIL else value / 1000, datetime.UTC)
    return {"year": f"{day.year}", "month": f"{day.month:02d}", "day": f"{day.day:02d}"}


def is_time(label: str) -> bool:
    """Say whether a label is a time of the day."""
    return _TIME.fullmatch(label) is not None
