"""ARFF, the attribute-relation file format of Weka: declared attributes, then rows (dense or sparse)."""

from __future__ import annotations

import datetime
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import DataError, FormatError, OptionError, Remedy
from arcwise.data.column import Column, code_type, coded, numbers_of, quoted, spell
from arcwise.data.database import chosen_table
from arcwise.data.delimited import Dialect, columns_from, merged_labels, parse
from arcwise.data.source import Source, TextOptions, checked_header, completed_header, header_row
from arcwise.data.table import Table

# A malformed line of megabytes must not be tried in a million ways: in each pattern at most one choice is open at a
# time. (Possessive quantifiers would say so, but Python's are wrong around choices until 3.11.4, gh-106052.)
_SINGLE = r"'([^'\\]*(?:\\.[^'\\]*)*)'"
_DOUBLE = r'"([^"\\]*(?:\\.[^"\\]*)*)"'
_ITEM = re.compile(rf"""(?:\s*{_SINGLE}\s*|\s*{_DOUBLE}\s*|([^,'"]*))(,|$)""", re.DOTALL)
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n|$)")
_NAME = re.compile(rf"""(?:{_SINGLE}|{_DOUBLE}|(\S+))\s+(.*)""", re.DOTALL)
# One entry of a sparse row with what ends it; and nothing but blanks.
_ENTRY = re.compile(rf"""\s*(\d{{1,9}})\s+(?:{_SINGLE}|{_DOUBLE}|([^\s,'"][^\s,]*))\s*(?:,|$)""", re.DOTALL)
_BLANK = re.compile(r"\s*(?:,|$)")
# Cells that a sparse file may stand for: a few bytes per row and per column can ask for any number.
MOST_CELLS = 2**31
NUMERIC = ("numeric", "real", "integer")


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute's name and its declared states; None for numbers and for free text."""

    name: str
    states: tuple[str, ...] | None
    is_numeric: bool


def read_arff(source: Source, options: TextOptions) -> Table:
    """Read an ARFF file: nominal attributes have their declared states, in order; "?" is a missing value."""
    content = source.content.tobytes().removeprefix(b"\xef\xbb\xbf")
    start, line, attributes = _head(source, content)
    names = checked_header([attribute.name for attribute in attributes], source.name, ",")
    body = content[start:]
    if body.lstrip().startswith(b"{"):
        return _sparse(source, body.decode("utf-8", errors="replace"), line, attributes)
    separator = _separator(body)
    dialect = Dialect(separator=separator, quotes="'\"", doubled=False, backslash=True, comment="%")
    text = np.frombuffer(body, dtype=np.uint8)
    parsed = parse(text, source.name, dialect, header=False, line=line, progress=options.progress)
    if parsed.rows and parsed.n_columns != len(attributes):
        raise FormatError(
            f"{source.name}: line {parsed.first_line:,} has {parsed.n_columns:,} values, but {len(attributes):,} "
            "attributes are declared."
        )
    raw = columns_from(parsed, names, source.name, missing=(), merge=options.merge)
    lines = parsed.lines()
    table = Table(raw, source.name, lines=lines if len(lines) else parsed.first_line)
    return _typed(table, attributes, options.missing)


def _separator(body: bytes) -> str:
    for match in _LINE.finditer(body):
        line = match.group().strip()
        if line and not line.startswith(b"%"):
            return "\t" if b"\t" in line and b"," not in line else ","
    return ","


def _head(source: Source, content: bytes) -> tuple[int, int, list[Attribute]]:
    """Return where the data start, on which line, and the attributes."""
    attributes: list[Attribute] = []
    start = 0
    for number, match in enumerate(_LINE.finditer(content), start=1):
        raw, start = match.group(), match.end()
        where = f"{source.name}: line {number:,}"
        if len(raw) > 2**24:
            raise FormatError(f"{where} is longer than 16 MiB: this is not a declaration of an attribute.")
        try:
            text = raw.decode("utf-8").strip()
        except UnicodeDecodeError as error:
            raise FormatError(
                f"{where}, column {error.start + 1:,}: byte 0x{raw[error.start]:02x} is not UTF-8 text. Convert it."
            ) from None
        word = text.split(maxsplit=1)[0].lower() if text else ""
        if not text or text.startswith("%") or word == "@relation":
            continue
        if word == "@data":
            if not attributes:
                raise FormatError(f"{where}: @data comes before any @attribute.")
            return start, number + 1, attributes
        if word != "@attribute":
            raise FormatError(f"{where}: expected @attribute or @data, found {quoted([text])}.")
        attributes.append(_attribute(text[len(word) :].strip(), where))
    raise FormatError(f"{source.name}: there is no @data line; the file is truncated.")


def _attribute(text: str, where: str) -> Attribute:
    match = _NAME.fullmatch(text)
    if match is None:
        raise FormatError(f"{where}: expected '@attribute NAME TYPE', found {quoted([text])}.")
    name, kind = _plain(match.group(1), match.group(2), match.group(3)), match.group(4).strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise FormatError(f"{where}: the list of states of '{name}' is not closed by a brace.")
        return Attribute(name, _states(kind[1:-1], name, where), False)
    word = kind.split(maxsplit=1)[0].lower()
    if word in (*NUMERIC, "string"):
        return Attribute(name, None, word in NUMERIC)
    if word == "date":
        raise DataError(f"{where}: attribute '{name}' holds dates; derive a discrete attribute, e.g. the month.")
    raise FormatError(
        f"{where}: attribute '{name}' has the unknown type {quoted([kind])}; known are {{...}}, numeric, string."
    )


def _plain(single: str | None, double: str | None, bare: str | None) -> str:
    for text in (single, double):
        if text is not None:
            return re.sub(r"\\(.)", r"\1", text).strip()
    return (bare or "").strip()


def _states(text: str, name: str, where: str) -> tuple[str, ...]:
    states: list[str] = []
    position = 0
    while position < len(text):
        match = _ITEM.match(text, position)
        if match is None:
            raise FormatError(
                f"{where}: the states of '{name}' are malformed near {quoted([text[position : position + 20]])}."
            )
        states.append(_plain(match.group(1), match.group(2), match.group(3)))
        position = match.end()
    for state, count in Counter(states).items():
        if count > 1:
            raise FormatError(f"{where}: '{name}' declares the state '{state}' twice (after stripping spaces).")
    if "" in states:
        raise FormatError(f"{where}: '{name}' declares an empty state.")
    return tuple(states)


def _typed(table: Table, attributes: list[Attribute], missing: frozenset[str]) -> Table:
    """Return columns of labels as their declarations have them."""
    pairs = zip(table.columns, attributes, strict=True)
    return table.with_columns(_typed_column(table, column, own, missing) for column, own in pairs)


def _typed_column(table: Table, column: Column, attribute: Attribute, missing: frozenset[str]) -> Column:
    declared = attribute.states
    gaps = (missing | {"?"}) - frozenset(declared or ())
    own = declared if declared is not None else tuple(label for label in column.labels if label not in gaps)
    position = {label: k for k, label in enumerate(own)}
    lookup = np.full(len(column.labels) + 1, len(own), dtype=np.int64)
    for code, label in enumerate(column.labels):
        if label in position:
            lookup[code] = position[label]
        elif label not in gaps:
            line = table.where(int(np.argmax(column.codes == code)))
            raise DataError(
                f"{table.source}: {line}: attribute '{column.name}' has the value {quoted([label])}, not one of its "
                f"declared states {quoted(own)}."
            )
    if attribute.is_numeric and own and numbers_of(own) is None:
        bad = next(label for label in own if numbers_of([label]) is None)
        line = table.where(int(np.argmax(column.codes == column.labels.index(bad))))
        raise DataError(f"{table.source}: {line}: attribute '{column.name}' is numeric, not {quoted([bad])}.")
    return Column.looked_up(column.name, lookup, column.codes, own, declared is not None)


def _sparse(source: Source, text: str, line: int, attributes: list[Attribute]) -> Table:
    """Read rows of the form ``{1 X, 3 Y}``: what is not listed is 0, or the first state of a nominal attribute."""
    default = ["0" if a.states is None else a.states[0] for a in attributes]
    known: list[dict[str, int]] = [{label: 0} for label in default]
    entries: list[list[tuple[int, int]]] = [[] for _ in attributes]  # for each attribute: row, code
    lines: list[int] = []
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), start=line):
        row = raw.strip()
        where = f"{source.name}: line {number:,}"
        if not row or row.startswith("%"):
            continue
        if not (row.startswith("{") and row.endswith("}")):
            raise FormatError(f"{where}: a sparse row must be in braces, like the rows before.")
        if "\ufffd" in row or "\0" in row:
            raise FormatError(f"{where}: not UTF-8 text, or a NUL byte. Convert the file.")
        for v, label in _entries(row[1:-1], len(attributes), where):
            entries[v].append((len(lines), known[v].setdefault(label, len(known[v]))))
        lines.append(number)
    if len(lines) * len(attributes) > MOST_CELLS:
        raise FormatError(
            f"{source.name}: {len(lines):,} rows of {len(attributes):,} attributes are too many values; at most "
            f"{MOST_CELLS:,} are read from a sparse file. Leave out attributes."
        )
    raw_columns = tuple(
        _seen(Column(a.name, _filled(own, len(lines), len(k)), tuple(k)))
        for a, own, k in zip(attributes, entries, known, strict=True)
    )
    return _typed(Table(raw_columns, source.name, lines=np.array(lines, dtype=np.int64)), attributes, frozenset())


def _entries(text: str, n_attributes: int, where: str) -> Iterator[tuple[int, str]]:
    """Yield the attribute and the label of each entry between the braces, in one pass over the text."""
    position = 0
    while position < len(text):
        match = _ENTRY.match(text, position)
        if match is not None and int(match.group(1)) < n_attributes:
            yield int(match.group(1)), _plain(match.group(2), match.group(3), match.group(4))
        elif (match := _BLANK.match(text, position)) is None:
            part = text[position : position + 60].partition(",")[0]
            raise FormatError(
                f"{where}: expected 'INDEX VALUE' with an index below {n_attributes:,}: {quoted([part])}."
            )
        position = match.end()


def _filled(entries: list[tuple[int, int]], n_rows: int, n_labels: int) -> NDArray[Any]:
    """Return the codes of a column: those listed, else 0; of two for one row the last."""
    codes = np.zeros(n_rows, dtype=code_type(n_labels + 1))
    for row, code in entries:
        codes[row] = code
    return codes


def _seen(column: Column) -> Column:
    """Leave out the default label if no row shows it."""
    if len(column.codes) and not (column.codes == 0).any():
        return Column(column.name, column.codes - column.codes.dtype.type(1), column.labels[1:])
    return column


# JSON lines: one object per line, its keys the columns; null and absent keys are missing values.
#
# An object within an object gives columns of its own, "order.id"; a list of values is one label, "a, b".


DEEPEST = 20


def read_json_lines(source: Source, options: TextOptions) -> Table:
    """Read a file of JSON objects, one per line; blank lines do not count."""
    columns: dict[str, list[str | None]] = {}
    lines: list[int] = []
    for number, text in enumerate(source.text().split("\n"), start=1):
        if not text.strip():
            continue
        where = f"{source.name}: line {number:,}"
        for name, value in _flat(_row(text, where), where):
            own = columns.setdefault(name, [])
            if len(own) > len(lines):
                raise FormatError(f"{where} has '{name}' twice: as a key, and as a key of an object in it.")
            own.extend([None] * (len(lines) - len(own)))
            label = _label(value, f"{where}, '{name}'")
            own.append(None if label is None or label in options.missing else label)
        lines.append(number)
    if not columns:
        raise FormatError(f"{source.name}: no line holds an object with at least one key.")
    names, renamed = completed_header([name.strip() for name in columns])
    return Table(
        tuple(
            Column.of(name, [*values, *[None] * (len(lines) - len(values))])
            for name, values in zip(names, columns.values(), strict=True)
        ),
        source.name,
        lines=np.array(lines, dtype=np.int64),
        renamed=renamed,
    )


def _row(text: str, where: str) -> dict[str, Any]:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{where}: not JSON ({error}); every line holds one object.") from None
    if not isinstance(row, dict):
        raise FormatError(f"{where}: a line holds one object, {{...}}, not {type(row).__name__}.")
    return row


def _flat(row: dict[str, Any], where: str, above: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield the values of a row, with those of objects in it under both names."""
    if depth == DEEPEST:
        raise FormatError(
            f"{where}, '{above[:60]}': objects within objects, more than {DEEPEST} deep; labels are needed."
        )
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, where, f"{above}{name}.", depth + 1)
        else:
            yield f"{above}{name}", value


def _label(value: object, where: str) -> str | None:
    if value is None or value == []:
        return None
    if isinstance(value, list):
        if any(isinstance(part, dict | list) for part in value):
            raise FormatError(f"{where} holds a list of objects or lists; labels are needed.")
        return ", ".join(_label(part, where) or "null" for part in value)
    if isinstance(value, int) and abs(value) >= 10**300:
        raise FormatError(f"{where}: a number of {value.bit_length():,} bits is no label.")
    return spell(value)


# Lau's data-file format (Lau 2004, section 1.1): a list of nodes, then a list of samples.
#
# The paper describes the format in one sentence and its example is lost, so this is the definition:
#
# - The first line that is not blank lists the nodes; every other line that is not blank is one sample, the values of
#   those nodes in the same order.
# - Items are separated by commas, with any spaces around them; if the first line has no comma, by spaces and tabs.
# - A line may stand in square brackets, as the list of parents does in the structure-file format (``M [B, L]``).
# - Text is UTF-8; there are no quotes, escapes or comments, so no name and no value contains the separator.
#
# So these are the same two samples::
#
#     G, B, M, L          [G, B, M, L]        G B M L
#     0, 1, 1, 0          [0, 1, 1, 0]        0 1 1 0
#     1, 1, 0, 0          [1, 1, 0, 0]        1 1 0 0


def read_lau(source: Source, options: TextOptions) -> Table:
    """Read a file in Lau's data-file format."""
    names: list[str] | None = None
    separator: str | None = None
    lines: list[int] = []
    rows: list[list[str]] = []
    for number, line in enumerate(re.split(r"\r\n|\r|\n", source.text()), start=1):
        text = line.strip()
        if not text:
            continue
        if "\0" in text:
            raise FormatError(f"{source.name}: line {number:,}: a NUL byte. This is not a text file, or it is damaged.")
        if text.startswith("[") != text.endswith("]"):
            raise FormatError(f"{source.name}: line {number:,}: one square bracket has no partner.")
        items = _items(text.removeprefix("[").removesuffix("]"), separator if names else None)
        if names is None:
            separator = "," if "," in text else None
            names = checked_header(items, source.name, separator or " ")
            continue
        if len(items) != len(names):
            raise FormatError(
                f"{source.name}: line {number:,} has {len(items):,} values, but the first line lists {len(names):,} "
                "nodes."
            )
        lines.append(number)
        rows.append(items)
    if names is None:
        raise FormatError(f"{source.name}: the file is empty; a list of nodes and at least one sample are needed.")
    columns = []
    for v, name in enumerate(names):
        codes, labels = coded(row[v] for row in rows)
        lookup, kept = merged_labels(list(labels), options.missing, options.merge)
        columns.append(Column.looked_up(name, lookup, np.array(codes, dtype=np.int64), kept))
    return Table(tuple(columns), source.name, lines=np.array(lines, dtype=np.int64))


def _items(text: str, separator: str | None) -> list[str]:
    if separator is None and "," not in text:
        return text.split()
    return [item.strip() for item in text.split(separator or ",")]


# What a workbook may hold when it is unpacked: a small file can be made to unpack to any size.
MOST_BYTES = 2**31


def read_workbook(source: Source, options: TextOptions) -> Table:
    """Read the sheet that `table` names, or the only one; values as they were last computed, no formula runs."""
    try:
        import openpyxl
    except ImportError:
        raise OptionError(
            f"{source.name}: openpyxl, which reads Excel workbooks, is not installed.",
            remedies=(Remedy("install arcwise[excel]"), Remedy("save the sheet as CSV")),
        ) from None
    content = source.content.tobytes()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(item.file_size for item in archive.infolist())
        if unpacked > MOST_BYTES:
            raise FormatError(f"{source.name}: the workbook unpacks to {unpacked:,} bytes; at most {MOST_BYTES:,}.")
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        try:
            name = chosen_table(source.name, book.sheetnames, options.table, what="sheet", of="workbook")
            rows = [list(row) for row in book[name].iter_rows(values_only=True)]
        finally:
            book.close()
    except FormatError:
        raise
    except Exception as error:  # openpyxl raises whatever its parsers do
        raise FormatError(f"{source.name}: not a readable Excel workbook: {type(error).__name__}: {error}.") from error
    rows = [row for row in rows if any(cell is not None for cell in row)]
    if not rows:
        raise FormatError(f"{source.name}: the sheet '{name}' is empty.")
    rows = _without_empty_columns(rows)
    above: list[str] = []
    names, renamed = [f"X{v}" for v in range(len(rows[0]))], dict[str, str]()
    if options.header is not False:
        first = 0 if options.header else header_row(rows, len(rows[0]))
        above = [spell(cell) for row in rows[:first] for cell in row if cell is not None]
        rows = rows[first:]
        names, renamed = completed_header(["" if cell is None else spell(cell) for cell in rows.pop(0)])
        checked_header(names, source.name, ",")
    columns = tuple(Column.of(own, [_cell(row, v, options) for row in rows]) for v, own in enumerate(names))
    return Table(columns, source.name, renamed=renamed, above=tuple(above))


def _without_empty_columns(rows: list[list[Any]]) -> list[list[Any]]:
    """Leave out columns in which no cell is filled: sheets are formatted far beyond their data."""
    wide = max(map(len, rows))
    used = [v for v in range(wide) if any(v < len(row) and row[v] is not None for row in rows)]
    return [[row[v] if v < len(row) else None for v in used] for row in rows]


def _cell(row: list[Any], position: int, options: TextOptions) -> str | None:
    value = row[position] if position < len(row) else None
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        value = value.date() if value.time() == datetime.time() else value
    label = spell(value)
    return None if label in options.missing else label
