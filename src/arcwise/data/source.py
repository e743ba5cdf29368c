"""The bytes of a data file or of standard input, unpacked, and what kind of file they look like."""

from __future__ import annotations

import io
import os
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.files import GZIP_MAGIC, decode_text, read_descriptor, readable, unpack_gzip
from arcwise.data.column import numbers_of

if TYPE_CHECKING:
    from arcwise.base.progress import ProgressCallback

STDIN = "-"
PARQUET_MAGIC = b"PAR1"
DUCKDB_MAGIC = b"DUCK"  # from the ninth byte on

# Files that are no text, by their first bytes.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip archive or Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"SQLite format 3", "an SQLite data base"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG picture"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\x93NUMPY", "a numpy array"),
    (b"ARROW1", "an Arrow file"),
    (b"RDX", "an R data file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML file"),
    (b"network ", "a BIF network"),
)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What the caller says about a file, and is told about reading it: see `read_table`."""

    separator: str | None
    header: bool | None
    missing: frozenset[str]
    merge: bool
    table: str | None = None
    progress: ProgressCallback = lambda event: None


@dataclass(frozen=True, eq=False)
class InputFile:
    """A file's name for messages, its bytes after unpacking, and the path if the file can be read as it stands."""

    name: str
    content: NDArray[np.uint8]
    path: Path | None
    in_place: bool = False  # DuckDB reads the file itself, and the content is its first bytes only

    def head(self, size: int = 4096) -> bytes:
        """Return the first bytes, without a UTF-8 byte-order mark."""
        return self.content[:size].tobytes().removeprefix(b"\xef\xbb\xbf")

    def is_parquet(self) -> bool:
        """Return whether the file starts as a Parquet file does."""
        return self.head(4) == PARQUET_MAGIC

    def is_arff(self) -> bool:
        """Return whether the first line that is neither blank nor a comment starts with @relation."""
        for line in self.head(2**16).lstrip().splitlines():
            text = line.strip().lower()
            if text and not text.startswith(b"%"):
                return text.startswith(b"@relation")
        return False

    def binary_kind(self) -> str | None:
        """Return what a file that is not a plain table seems to be, or None."""
        head = self.head(64)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "UTF-16 text"
        if head[8:12] == DUCKDB_MAGIC:
            return "a DuckDB data base"
        return next((kind for magic, kind in _MAGIC if head.lstrip().startswith(magic) or head.startswith(magic)), None)

    def text(self) -> str:
        """Return the whole content as text; a byte that is not UTF-8 is an error that names its line and column."""
        return decode_text(self.content.tobytes(), source=self.name)


def open_source(path: str | os.PathLike[str]) -> InputFile:
    """Read a file, plain or gzip by its content, or standard input if `path` is "-"."""
    if str(path) == STDIN:
        stream = sys.stdin.buffer if hasattr(sys.stdin, "buffer") else io.BytesIO(sys.stdin.read().encode())
        return _unpacked("<stdin>", np.frombuffer(stream.read(), dtype=np.uint8), None)
    file = Path(path)
    # Without a buffer, which would copy the whole content once more: a quarter of the time of a large file.
    with readable(path), file.open("rb", buffering=0) as opened:
        # DuckDB reads its own files, and Parquet; of others the content is needed, by descriptor and not mapped.
        if file.is_file():
            first = opened.read(64)
            opened.seek(0)
            if first[:4] == PARQUET_MAGIC or first[8:12] == DUCKDB_MAGIC:
                return InputFile(str(path), np.frombuffer(first, dtype=np.uint8), file, in_place=True)
        content = np.frombuffer(read_descriptor(opened, str(path)), dtype=np.uint8)
    return _unpacked(str(path), content, file)


def _unpacked(name: str, content: NDArray[np.uint8], path: Path | None) -> InputFile:
    if content[:2].tobytes() != GZIP_MAGIC:
        return InputFile(name, content, path)
    return InputFile(name, np.frombuffer(unpack_gzip(content.data, source=name), dtype=np.uint8), None)


# Titles above the header of a text file: what reports and spreadsheets write before their tables.


FILLED = 0.7  # the share of a header's cells that are filled, at least
MOST_ABOVE = 30  # rows that are looked at for a header
BODY = 20  # rows below it that must have its width
# Quoted fields may contain line ends; a quote counts only at the start of a field, after any of the separators.
_LINE = re.compile(r'(?:[^"\n\r]|(?:(?<=[,;\t|\n\r])|\A)"(?:[^"]|"")*"|")*(?:\r\n|\n|\r|\Z)')


@dataclass(frozen=True, slots=True)
class Titles:
    """What stands above a header."""

    separator: str  # what separates the fields of the table below
    size: int  # the length of what is above the header, in bytes and in lines
    lines: int
    texts: tuple[str, ...]  # what is written there


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

    `head` is the beginning of the file, or the `whole`: otherwise, the last line is cut off. `separators` are what may
    separate fields, the likeliest first.

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
    """Return whether all lines are of one width, and more than half of the first is filled: a header and rows."""
    written = [record for record in records if any(record)]
    if not written or len({len(record) for record in written}) != 1:
        return False
    return len(written[0]) > 1 and 2 * sum(map(bool, written[0])) > len(written[0])


def _names(record: list[str], wide: int) -> bool:
    """Return whether a record may be a header: wide enough, most fields filled, all different, and none a number."""
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
