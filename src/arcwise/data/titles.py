"""Titles above the header of a text file: what reports and spreadsheets write before their tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from arcwise.data.labels import numbers_of

__all__ = ["Titles", "find_titles", "header_row"]

FILLED = 0.7  # the share of a header's cells that are filled, at least
MOST_ABOVE = 30  # rows that are looked at for a header
BODY = 20  # rows below it that must have its width
# Quoted fields may contain line ends; a quote counts only at the start of a field, after any of the separators.
_LINE = re.compile(r'(?:[^"\n\r]|(?:(?<=[,;\t|\n\r])|\A)"(?:[^"]|"")*"|")*(?:\r\n|\n|\r|\Z)')


@dataclass(frozen=True, slots=True)
class Titles:
    """What stands above a header: how many characters and lines it takes, and its texts.

    Parameters
    ----------
    separator
        What separates the fields of the table below.
    size, lines
        The length of what is above the header, in bytes and in lines.
    texts
        What is written there.
    """

    separator: str
    size: int
    lines: int
    texts: tuple[str, ...]


def header_row(rows: Sequence[Sequence[object]], wide: int) -> int:
    """Return which row names the columns: the first in which most cells are filled; a cell that is not is None or "".

    Above it, people write titles, dates and groups of columns, whose cells are merged over several: then only the first
    of them is filled.
    """
    for position, row in enumerate(rows[:MOST_ABOVE]):
        if sum(cell is not None and cell != "" for cell in row) >= FILLED * wide:
            return position
    return 0


def find_titles(head: bytes, separators: Sequence[str], *, whole: bool) -> Titles | None:
    """Return what stands above the header of a text file, or None if it begins with its header.

    Titles are lines with fewer fields than the table has, or with at most half of them filled (spreadsheets end every
    line with separators), above a line of different names, none of them a number, and rows of the same width. That
    these are names must show: by a blank line above, or by a column of numbers below; or else the titles are short and
    have blanks. Otherwise, what seems a title may be a header that lacks a name, as R writes it.

    Parameters
    ----------
    head
        The beginning of the file.
    separators
        What may separate fields, the likeliest first.
    whole
        Whether this is the whole file; otherwise, the last line is cut off.

    Examples
    --------
    >>> find_titles(b"Sales of 2024\\n\\ntown,size\\nRome,4\\nParis,7\\n", ",", whole=True)
    Titles(separator=',', size=15, lines=2, texts=('Sales of 2024',))
    >>> find_titles(b"town,size\\nRome,4\\nParis,7\\n", ",", whole=True)
    """
    text = head.decode("utf-8", errors="surrogateescape")
    most = MOST_ABOVE + BODY
    lines = [match.group() for match in islice(_LINE.finditer(text), most + 1) if match.group()]
    lines = lines[:most] if whole or len(lines) > most else lines[:-1]
    for separator in separators:
        records = [_fields(line, separator) for line in lines]
        if separator == separators[0] and _is_whole_table(records):
            return None  # another separator within its fields would make titles of names
        position = _header_of(records)
        if position is None:
            continue
        above = lines[:position]
        texts = tuple(field for record in records[:position] for field in record if field)
        size = len("".join(above).encode("utf-8", errors="surrogateescape"))
        return Titles(separator, size, sum(len(line.splitlines()) for line in above), texts)
    return None


def _header_of(records: list[list[str]]) -> int | None:
    """Return which record is the header, if it is not the first that is not blank."""
    blank = [not any(record) for record in records]
    widths = Counter(len(record) for record, is_blank in zip(records, blank, strict=True) if not is_blank)
    wide = max(widths, key=lambda width: (widths[width], width), default=1)
    if wide < 2:
        return None
    first = blank.index(False)
    position = next((k for k, record in enumerate(records) if _names(record, wide)), None)
    if position is None or not first < position < MOST_ABOVE:
        return None
    titles = [record for record in records[:position] if any(record)]
    body = [record for record in records[position + 1 :] if any(record)]
    if not body or any(len(record) != wide for record in body):
        return None
    clear = blank[position - 1] or _has_numbers(body, wide)
    if any(2 * sum(map(bool, record)) > wide and not (clear and len(record) < wide) for record in titles):
        return None
    return position if clear or any(" " in field for record in titles for field in record) else None


def _is_whole_table(records: list[list[str]]) -> bool:
    """Say whether all that is written is of one width, more than half of the first line filled: a header and rows."""
    written = [record for record in records if any(record)]
    if not written or len({len(record) for record in written}) != 1:
        return False
    return len(written[0]) > 1 and 2 * sum(map(bool, written[0])) > len(written[0])


def _names(record: list[str], wide: int) -> bool:
    """Say whether a record may be a header: wide enough, most fields filled, all different, and none a number."""
    filled = [field for field in record if field]
    return (
        len(record) == wide
        and len(filled) >= FILLED * wide
        and len(set(filled)) == len(filled)
        and all(numbers_of([field]) is None for field in filled)
    )


def _has_numbers(body: list[list[str]], wide: int) -> bool:
    columns = ([record[v] for record in body if record[v]] for v in range(wide))
    return any(numbers_of(column) is not None for column in columns)


def _fields(line: str, separator: str) -> list[str]:
    mark = re.escape(separator)
    blanks = rf"(?:(?!{mark})\s)*"  # a tab may be the separator
    fields = re.findall(rf'(?:^|{mark})({blanks}"(?:[^"]|"")*"{blanks}|[^{mark}]*)', line)
    return [_unquoted(field.strip()) for field in fields]


def _unquoted(field: str) -> str:
    return field[1:-1].replace('""', '"').strip() if len(field) > 1 and field[0] == field[-1] == '"' else field
