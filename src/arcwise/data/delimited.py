"""CSV and TSV: text with a separator, read natively into dictionary-encoded columns."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, DataError, FormatError, Remedy, check_argument
from arcwise.base.run import ProgressCallback, native_callback
from arcwise.data.column import Column, code_type, numbers_of, quoted
from arcwise.data.source import (
    Source,
    TextOptions,
    checked_header,
    completed_header,
    find_titles,
    named_separator,
    not_utf8,
)
from arcwise.data.table import Table

if TYPE_CHECKING:
    from arcwise._core.data import DelimitedTable


# The numbers of `arcwise::DelimitedProblem`.
RAGGED, UNCLOSED_QUOTE, TEXT_AFTER_QUOTE, NUL_BYTE, FIELD_TOO_LONG, INTERRUPTED = range(1, 7)
IN_FIELD = {
    UNCLOSED_QUOTE: ": the quote that opens this field is never closed.",
    TEXT_AFTER_QUOTE: ": text follows the closing quote. A quote inside a quoted field must be doubled.",
    NUL_BYTE: ": a NUL byte. This is not a text file, or it is damaged.",
    FIELD_TOO_LONG: " is longer than 1 MiB. Is a quote not closed, or is this not a table?",
}

GUESSED_LINES = 20
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


def read_delimited(source: Source, options: TextOptions) -> Table:
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
        f"{where} has {parsed.found:,} field{'' if parsed.found == 1 else 's'}, but {first} has {parsed.expected:,}. "
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
            raise FormatError(not_utf8(name, where(k), blob[start + error.start])) from None
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
    if not merge and len(known) == len(labels):
        # Nothing to merge: the usual case, in which no label of a long column is looked at one by one.
        missing = [labels.index(gap) for gap in gaps & known]
        kept = [label for label in labels if label not in gaps] if missing else labels
        is_kept = np.ones(len(labels), dtype=np.int64)
        is_kept[missing] = 0
        lookup = np.cumsum(is_kept) - 1
        lookup[missing] = len(kept)
        return lookup, kept
    own = [label for label in labels if label not in gaps]
    values = numbers_of(own) if merge else None
    keys: Sequence[Any] = own if values is None else values.tolist()
    canonical: dict[Any, str] = {}
    for key, label in zip(keys, own, strict=True):
        canonical[key] = min(canonical.get(key, label), label, key=lambda text: (len(text), text))
    position = {key: k for k, key in enumerate(canonical)}
    code = {label: position[key] for key, label in zip(keys, own, strict=True)}
    lookup = np.array([code.get(label, len(position)) for label in labels], dtype=np.int64)
    return lookup, list(canonical.values())
