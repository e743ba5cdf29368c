"""The readers of all formats but that of large files: CSV, ARFF, JSON lines, Lau's, Excel, data bases, Parquet."""

from __future__ import annotations

import datetime
import io
import json
import re
import secrets
import sqlite3
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.arrays import CLOSED, KEY, first_line, identifier, load_duckdb, open_parquet
from arcwise.base.errors import Argument, DataError, FormatError, Remedy, check_argument, suggestion
from arcwise.base.files import not_utf8, parse_json
from arcwise.base.options import load_package
from arcwise.base.progress import ProgressCallback, native_callback
from arcwise.base.showing import counted
from arcwise.data.checks import checked_header, checked_weights, completed_header, named_separator
from arcwise.data.column import Column, VariableKind, code_type, coded, numbers_of, quoted, spell
from arcwise.data.source import InputFile, TextOptions, find_titles, header_row
from arcwise.data.table import Table

if TYPE_CHECKING:
    from arcwise._core.data import DelimitedTable

# CSV and TSV: text with a separator, read natively into dictionary-encoded columns.


# The numbers of `arcwise::DelimitedProblem`.
RAGGED, UNCLOSED_QUOTE, TEXT_AFTER_QUOTE, NUL_BYTE, FIELD_TOO_LONG, INTERRUPTED = range(1, 7)
IN_FIELD = {
    UNCLOSED_QUOTE: ": the quote that opens this field is never closed.",
    TEXT_AFTER_QUOTE: ": text follows the closing quote. A quote inside a quoted field must be doubled.",
    NUL_BYTE: ": a NUL byte. This is not a text file, or it is damaged.",
    FIELD_TOO_LONG: " is longer than 1 MiB. Is a quote not closed, or is this not a table?",
}

GUESSED_LINES = 20  # enough to tell a separator from text
HEAD = 2**16  # bytes that are looked at
SEPARATORS = (",", ";", "\t", "|")
_QUOTED = re.compile(rb'"(?:[^"]|"")*"')
_OTHER_BLANKS = re.compile(rb"[\x0b\x0c\x1c-\x1f\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How fields are separated and quoted: see `cpp/core/data/delimited.hpp`."""

    separator: str = ","
    quotes: str = '"'
    doubled: bool = True
    backslash: bool = False
    comment: str = "\0"


def read_delimited(source: InputFile, options: TextOptions) -> Table:
    """Read a CSV or TSV file; see `read_table` for what is accepted."""
    head = source.head(HEAD)
    separator = guessed_separator(head) if options.separator is None else options.separator
    fits = len(separator) == 1 and separator.isascii() and separator not in '"\n\r\0'
    check_argument(fits, "separator", separator, "must be one ASCII character, such as ',' ';' or a tab.")
    name, text = source.name, source.content
    if text[:3].tobytes() == b"\xef\xbb\xbf":
        text = text[3:]
    titles = None
    if options.header is None:
        likely = dict.fromkeys((separator, *SEPARATORS)) if options.separator is None else (separator,)
        titles = find_titles(head, [*likely], whole=source.content.size <= HEAD)
    line, above = 1, tuple[str, ...]()
    if titles is not None:
        separator, line, above, text = titles.separator, 1 + titles.lines, titles.texts, text[titles.size :]
    has_header = options.header is not False
    parsed = parse(text, name, Dialect(separator=separator), header=has_header, line=line, progress=options.progress)
    if parsed.expected == 0:
        raise FormatError(f"{name}: the file is empty; a header line and at least one row are needed.")
    if has_header:
        fields = _decoded(*parsed.header(), lambda k: f"the header, field {k + 1:,}", name)
        # A header of numbers is left as it is: it may be a row.
        names, renamed = completed_header(fields) if numbers_of(fields) is None else (fields, {})
        checked_header(names, name, separator)
    else:
        names, renamed = [f"X{v}" for v in range(parsed.n_columns)], {}
    columns = columns_from(parsed, names, name, missing=options.missing, merge=options.merge)
    lines = parsed.lines()
    return Table(columns, name, lines=lines if len(lines) else parsed.first_line, renamed=renamed, above=above)


def guessed_separator(head: bytes) -> str:
    """Return what separates fields: what the first lines all have in the same number; a comma if in doubt.

    Spreadsheets write semicolons where commas stand before decimals.

    >>> guessed_separator(b"name;height\\nAnn;1,71\\n"), guessed_separator(b"a,b\\n1;2,3\\n")
    (';', ',')
    """
    lines = [line for line in _QUOTED.sub(b"", head).splitlines()[:GUESSED_LINES] if line.strip()]
    if len(head) == HEAD:
        lines = lines[:-1]  # it may be cut off
    for separator in SEPARATORS:
        counts = {line.count(separator.encode()) for line in lines}
        if len(counts) == 1 and counts != {0}:
            return separator
    return ","


def parse(
    text: NDArray[np.uint8], name: str, dialect: Dialect, *, header: bool, line: int, progress: ProgressCallback
) -> DelimitedTable:
    """Run the native reader and turn what stopped it into an error."""
    parsed = _core.data.read_delimited(
        text,
        **asdict(dialect),
        header=header,
        line=line,
        seed=secrets.randbits(64),
        progress=native_callback(progress, f"reading {name}"),
    )
    if parsed.problem:
        _refuse(parsed, name, dialect.separator)
    return parsed


def _refuse(parsed: DelimitedTable, name: str, separator: str) -> NoReturn:
    where = f"{name}: line {parsed.line:,}"
    if parsed.problem == INTERRUPTED:
        raise KeyboardInterrupt
    if parsed.problem != RAGGED:
        raise FormatError(f"{where}, field {parsed.field:,}{IN_FIELD[parsed.problem]}")
    first = "the header" if parsed.header()[1].size > 1 else "the first row"
    raise FormatError(
        f"{where} has {counted(parsed.found, 'field')}, but {first} has {parsed.expected:,}. "
        f"Every line needs the same number; a value that contains {named_separator(separator)} must be in double quotes"
        f"{', and a title above the header must go' if parsed.expected == 1 else ''}."
    )


def _decoded(blob: bytes, offsets: NDArray[np.int64], where: Callable[[int], str], name: str) -> list[str]:
    """Return the labels as text."""
    ends = offsets.tolist()
    if blob.isascii():
        text = blob.decode("ascii")
        return [text[start:end] for start, end in pairwise(ends)]
    labels = []
    for k, (start, end) in enumerate(pairwise(ends)):
        try:
            labels.append(blob[start:end].decode("utf-8"))
        except UnicodeDecodeError as error:
            raise not_utf8(f"{name}: {where(k)}", blob[start + error.start]) from None
    return labels


def columns_from(
    parsed: DelimitedTable, names: Sequence[str], name: str, *, missing: Collection[str], merge: bool
) -> tuple[Column, ...]:
    """Return what the native reader found as columns, with missing values marked and spellings checked."""
    if parsed.n_columns == 0:
        return tuple(Column(own, np.empty(0, dtype=np.uint8), ()) for own in names)
    gaps = frozenset(missing)
    columns = []
    for v, own in enumerate(names):
        labels = _labels(parsed, v, f"column '{own}'", name)
        if not merge:
            _check_spaces(parsed, v, labels, gaps, f"column '{own}'", name=name)
        lookup, kept = merged_labels(labels, gaps, merge)
        codes = parsed.take_codes(v)
        if codes.dtype == code_type(len(kept) + 1) and np.array_equal(lookup, np.arange(len(labels))):
            columns.append(Column(own, codes, tuple(kept)))
        else:
            columns.append(Column.looked_up(own, lookup, codes, kept))
    return tuple(columns)


def _labels(parsed: DelimitedTable, v: int, own: str, name: str) -> list[str]:
    lines = parsed.first_lines(v)
    blob, offsets = parsed.labels(v)
    labels = _decoded(blob, offsets, lambda k: f"line {int(lines[k]):,}, {own}", name)
    # Spaces and tabs are stripped natively; there are other blanks, such as the no-break space.
    return [label.strip() for label in labels] if _OTHER_BLANKS.search(blob) else labels


def _check_spaces(
    parsed: DelimitedTable, v: int, labels: list[str], gaps: frozenset[str], own: str, *, name: str
) -> None:
    codes, lines = parsed.respaced(v)
    clashes = [(labels[int(k)], int(line)) for k, line in zip(codes, lines, strict=True)]
    if len(set(labels)) < len(labels):
        firsts = parsed.first_lines(v)
        seen: set[str] = set()
        for k, label in enumerate(labels):
            if label in seen:
                clashes.append((label, int(firsts[k])))
            seen.add(label)
    for label, line in clashes:
        if label not in gaps:
            raise DataError(
                f"{name}: line {line:,}: {own} has the state {quoted([label])} with different spaces around it than "
                "before; both are the same after stripping.",
                remedies=(
                    Remedy("correct the file"),
                    Remedy("treat them as one state with", Argument("merge", True)),
                ),
            )


def merged_labels(labels: list[str], gaps: frozenset[str], merge: bool) -> tuple[NDArray[np.int64], list[str]]:
    """Return for each label its new code, and the labels kept. Missing values get the code after the last one."""
    known = set(labels)
    own = [label for label in labels if label not in gaps] if known & gaps else labels
    values = numbers_of(own) if merge else None
    if len(known) == len(labels) and (values is None or len(np.unique(values)) == len(values)):
        # Nothing to merge: the usual case, in which no label of a long column is looked at one by one.
        missing = [labels.index(gap) for gap in gaps & known]
        is_kept = np.ones(len(labels), dtype=np.int64)
        is_kept[missing] = 0
        lookup = np.cumsum(is_kept) - 1
        lookup[missing] = len(own)
        return lookup, own
    keys: Sequence[Any] = own if values is None else values.tolist()
    canonical: dict[Any, str] = {}
    for key, label in zip(keys, own, strict=True):
        canonical[key] = min(canonical.get(key, label), label, key=lambda text: (len(text), text))
    position = {key: k for k, key in enumerate(canonical)}
    code = {label: position[key] for key, label in zip(keys, own, strict=True)}
    lookup = np.array([code.get(label, len(position)) for label in labels], dtype=np.int64)
    return lookup, list(canonical.values())


# ARFF, the attribute-relation file format of Weka: declared attributes, then rows (dense or sparse).


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


def read_arff(source: InputFile, options: TextOptions) -> Table:
    """Read an ARFF file: nominal attributes have their declared states, in order; "?" is a missing value."""
    content = source.content.tobytes().removeprefix(b"\xef\xbb\xbf")
    start, line, attributes = _head(source, content)
    names = checked_header([attribute.name.strip() for attribute in attributes], source.name, ",")
    body = content[start:]
    if body.lstrip().startswith(b"{"):
        return _sparse(source, body.decode("utf-8", errors="replace"), line, attributes)
    lines_of_data = (match.group().strip() for match in _LINE.finditer(body))
    first = next((line for line in lines_of_data if line and not line.startswith(b"%")), b"")
    separator = "\t" if b"\t" in first and b"," not in first else ","
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


def _head(source: InputFile, content: bytes) -> tuple[int, int, list[Attribute]]:
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
            raise not_utf8(f"{where}, column {error.start + 1:,}", raw[error.start]) from None
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
    name, kind = _plain(*match.groups()[:3]), match[4].strip()
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
    quoted_text = double if single is None else single
    return (bare or "").strip() if quoted_text is None else re.sub(r"\\(.)", r"\1", quoted_text).strip()


def _states(text: str, name: str, where: str) -> tuple[str, ...]:
    states: list[str] = []
    position = 0
    while position < len(text):
        match = _ITEM.match(text, position)
        if match is None:
            raise FormatError(
                f"{where}: the states of '{name}' are malformed near {quoted([text[position : position + 20]])}."
            )
        states.append(_plain(*match.groups()[:3]))
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


def _sparse(source: InputFile, text: str, line: int, attributes: list[Attribute]) -> Table:
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
    columns = []
    for attribute, own, labels in zip(attributes, entries, known, strict=True):
        codes = np.zeros(len(lines), dtype=code_type(len(labels) + 1))
        for row_number, code in own:  # of two for one row the last counts
            codes[row_number] = code
        # Without the default label if no row shows it.
        columns.append(Column(attribute.name, codes, tuple(labels)).take(np.arange(len(lines))))
    return _typed(Table(tuple(columns), source.name, lines=np.array(lines, dtype=np.int64)), attributes, frozenset())


def _entries(text: str, n_attributes: int, where: str) -> Iterator[tuple[int, str]]:
    """Yield the attribute and the label of each entry between the braces, in one pass over the text."""
    position = 0
    while position < len(text):
        match = _ENTRY.match(text, position)
        if match is not None and int(match.group(1)) < n_attributes:
            yield int(match.group(1)), _plain(*match.groups()[1:])
        elif (match := _BLANK.match(text, position)) is None:
            part = text[position : position + 60].partition(",")[0]
            raise FormatError(
                f"{where}: expected 'INDEX VALUE' with an index below {n_attributes:,}: {quoted([part])}."
            )
        position = match.end()


# JSON lines: one object per line, its keys the columns; null and absent keys are missing values.
#
# An object within an object gives columns of its own, "order.id"; a list of values is one label, "a, b".


DEEPEST = 20  # deeper JSON is no table


def read_json_lines(source: InputFile, options: TextOptions) -> Table:
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
    names, renamed = completed_header([*columns])
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


def read_lau(source: InputFile, options: TextOptions) -> Table:
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


def read_workbook(source: InputFile, options: TextOptions) -> Table:
    """Read the sheet that `table` names, or the only one; values as they were last computed, no formula runs."""
    what = f"{source.name}: Excel workbooks are read by openpyxl"
    openpyxl = load_package("openpyxl", what, Remedy("install arcwise[excel]"), Remedy("save the sheet as CSV"))
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
    columns = tuple(Column.of(own, [_cell(row[v], options) for row in rows]) for v, own in enumerate(names))
    return Table(columns, source.name, renamed=renamed, above=tuple(above))


def _without_empty_columns(rows: list[list[Any]]) -> list[list[Any]]:
    """Leave out columns in which no cell is filled: sheets are formatted far beyond their data."""
    wide = max(map(len, rows))
    used = [v for v in range(wide) if any(v < len(row) and row[v] is not None for row in rows)]
    return [[row[v] if v < len(row) else None for v in used] for row in rows]


def _cell(value: Any, options: TextOptions) -> str | None:
    if value is None:
        return None
    if isinstance(value, datetime.datetime):
        value = value.date() if value.time() == datetime.time() else value
    label = spell(value)
    return None if label in options.missing else label


# Tables of SQLite and DuckDB files, opened to be read only; views are not read, so that no query of theirs runs.


def read_sqlite(source: InputFile, options: TextOptions) -> Table:
    """Read a table of an SQLite file; views are not read."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        plain = _plainly_named(source, Path(folder, "data.sqlite"))
        connection = sqlite3.connect(f"file:{plain}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            known = sorted(str(row[0]) for row in rows if not str(row[0]).startswith("sqlite_"))
            name = chosen_table(source.name, known, options.table)
            cursor = connection.execute(f"SELECT * FROM {identifier(name)}")
            names = [item[0] for item in cursor.description]
            values = cursor.fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise FormatError(f"{source.name}: not a readable SQLite file: {error}.") from error
        finally:
            connection.close()
    rows = [[value.hex() if isinstance(value, bytes) else value for value in row] for row in values]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    frame = pd.DataFrame(columns, columns=pd.Index(names))
    return marked_missing(Table.from_dataframe(frame, source=source.name), options.missing)


def read_duckdb(source: InputFile, options: TextOptions) -> Table:
    """Read a table of a DuckDB file; views, which may read other files, are not."""
    duckdb = load_duckdb()
    with tempfile.TemporaryDirectory() as folder:
        plain = _plainly_named(source, Path(folder, "data.duckdb"))
        try:
            with duckdb.connect(
                str(plain), read_only=True, config={**CLOSED, "enable_external_access": "false"}
            ) as connection:
                name = duckdb_table(connection, source.name, options.table)
                frame = connection.execute(f"SELECT * FROM {identifier(name)}").df()
        except duckdb.Error as error:
            reason = first_line(error).replace(str(plain), source.name)
            raise FormatError(f"{source.name}: not a readable DuckDB file: {reason}") from error
    return marked_missing(Table.from_dataframe(frame, source=source.name), options.missing)


def duckdb_table(connection: Any, source: str, given: str | None) -> str:
    """Return the table of an open DuckDB file to read; see `chosen_table`."""
    rows = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
    return chosen_table(source, sorted(str(row[0]) for row in rows), given)


def _plainly_named(source: InputFile, plain: Path) -> Path:
    """Return the content under a plain name, by itself: no journal beside it is read. A DuckDB file is only linked."""
    if source.in_place and source.path is not None:
        plain.symlink_to(source.path.resolve())
    else:
        plain.write_bytes(source.content.data)
    return plain


def chosen_table(source: str, names: list[str], given: str | None, *, what: str = "table", of: str = "file") -> str:
    """Return the table of a data base to read, or the sheet of a workbook: the one that is named, else the only one."""
    if given is not None:
        if given not in names:
            raise FormatError(f"{source}: {suggestion(what, given, names)}")
        return given
    if len(names) == 1:
        return names[0]
    if not names:
        raise FormatError(f"{source}: the {of} has no {what}.")
    raise FormatError(
        f"{source}: the {of} has {len(names)} {what}s: {', '.join(names[:20])}.",
        remedies=Remedy("say which one with", Argument("table", names[0])),
    )


def marked_missing(table: Table, markers: frozenset[str]) -> Table:
    """Take text that stands for a missing value as such, as in other files."""
    return table.with_columns(
        column.relabel(dict.fromkeys(markers & set(column.labels)))
        for column in table.columns
        if not column.declared and markers & set(column.labels)
    )


# Parquet, as a table of labels. The states of a data set, which Parquet cannot declare, are facts in the metadata.


def read_parquet(source: InputFile, options: TextOptions) -> Table:
    """Read a Parquet file: enumerations are declared states, NULL is missing, other types as in a DataFrame."""
    import pandas as pd

    del options  # they are about text
    with open_parquet(source.name, content=source.content.data if source.path is None else None) as file:
        declared = Declared.of(file.facts() or {}, file.types(), source.name)
        frame = file.frame({column: own for column, own in declared.states.items() if own})
        counts = file.counts(list(declared.states))
    for (column, own), count in zip(declared.states.items(), counts, strict=True):
        if (int(frame[column].notna().sum()) if own else 0) != count:
            raise FormatError(
                f"{source.name}: column '{column}' has other states than the metadata. Write the file again."
            )
        frame[column] = frame[column].astype(pd.CategoricalDtype(pd.Index(own, dtype=object)))
    table = Table.from_dataframe(frame.rename(columns=declared.names), source=source.name)
    table = table.with_columns([replace(table.column(name), kind=kind) for name, kind in declared.kinds.items()])
    if declared.weights is None:
        return table
    weighed = table.with_counts(declared.weights)
    # Distinct rows, as those of a large file are read: the audit counts cases.
    return replace(weighed, weights=checked_weights(weighed.weights, weighed.n_rows), is_grouped=True)


def read_parquet_folder(folder: Path) -> Table:
    """Read all Parquet files below a folder as one table; names of sub-folders such as year=2024 are columns."""
    duckdb = load_duckdb()
    # duckdb takes * ? [ ] in a path for a pattern: a link has a plain name.
    with tempfile.TemporaryDirectory() as place:
        plain = Path(place, "data")
        plain.symlink_to(folder.resolve(), target_is_directory=True)
        try:
            with duckdb.connect(config=CLOSED) as connection:
                frame = connection.execute(
                    "SELECT * FROM read_parquet(?, union_by_name = true, hive_partitioning = true)",
                    [f"{plain}/**/*.parquet"],
                ).df()
                kept = connection.execute(
                    f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{KEY}'", [f"{plain}/**/*.parquet"]
                ).fetchall()
        except (duckdb.Error, UnicodeDecodeError) as error:
            reason = first_line(error).replace(str(plain), str(folder))
            raise FormatError(f"{folder}: not a readable folder of Parquet files: {reason}") from error
    check_joinable((bytes(value) for (value,) in kept), str(folder))
    return Table.from_dataframe(frame, source=str(folder))


def check_joinable(kept: Iterable[bytes], folder: str) -> None:
    """Refuse files of ours that are more than their columns, by their metadata: joined, they would be read wrongly."""
    for value in kept:
        facts = parse_json(value, source=f"{folder}: the facts in a file's metadata")
        if not isinstance(facts, dict):
            continue
        if "names" in facts:
            raise FormatError(f"{folder}: names of columns differ in case only in a file: read its files one by one.")
        if "weights" in facts:
            raise FormatError(f"{folder}: the rows of a file count many times each: read its files one by one.")


class Declared(NamedTuple):
    """What the metadata of a file of ours declare: states, kinds, names that the columns could not have, where
    weights are.
    """

    states: dict[str, list[str]]
    names: dict[str, str]
    weights: str | None
    kinds: Mapping[str, VariableKind] = MappingProxyType({})

    @classmethod
    def of(cls, facts: Mapping[str, Any], types: Mapping[str, str], source: str) -> Declared:
        """Read the facts about columns of these types; a file of which they are not true was edited."""
        states, names, weights = facts.get("states", {}), facts.get("names", {}), facts.get("weights")
        again = "Write the file again."
        if not isinstance(states, dict):
            raise FormatError(f"{source}: the states in the file's metadata are not a table of names. {again}")
        for column, own in states.items():
            if column not in types or not isinstance(own, list) or not all(isinstance(state, str) for state in own):
                raise FormatError(f"{source}: the states of '{column}' in the metadata fit no column. {again}")
            if types[column] != "VARCHAR" or len(set(own)) < len(own):
                raise FormatError(f"{source}: column '{column}' has other states than the metadata. {again}")
        if (
            not isinstance(names, dict)
            or not all(isinstance(name, str) and name for name in names.values())
            or not set(names) <= set(types)
            or len({names.get(column, column) for column in types}) < len(types)
        ):
            raise FormatError(f"{source}: the names in the file's metadata are no names. {again}")
        if weights is not None and weights not in {names.get(column, column) for column in types}:
            raise FormatError(f"{source}: the weights in the file's metadata are no column. {again}")
        kinds, known = facts.get("kinds", {}), [str(kind) for kind in VariableKind]
        if (
            not isinstance(kinds, dict)
            or not set(kinds) <= {names.get(column, column) for column in types}
            or not all(kind in known for kind in kinds.values())
        ):
            raise FormatError(f"{source}: the kinds in the file's metadata fit no column. {again}")
        return cls(states, names, weights, {name: VariableKind(kind) for name, kind in kinds.items()})
