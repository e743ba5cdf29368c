r"""Read and write BIF, the Bayesian Interchange Format.

The reader is native (``cpp/core/model/bif_syntax.hpp`` gives the grammar); it takes what the format's version 0.15
allows, in any order of blocks, and what bnlearn, pgmpy and JavaBayes write. Values are kept as the file has them.

Names: a word is written bare if it consists of printable ASCII characters other than ``{ } ( ) [ ] | , ; "`` and the
backslash, and does not begin with ``//`` or ``/*``. Any other name (spaces, commas, letters beyond ASCII) is
written in double quotes, with the escapes ``\"``, ``\\``, ``\n``, ``\t``, ``\r`` and ``\xHH`` for other
control characters; the reader takes both. Files are UTF-8.

Undefined rows, for which the format has no word, are written as ``property undefined (state, ...);``, which other
programs skip.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from arcwise import _core
from arcwise.base.errors import FormatError
from arcwise.base.files import write_text
from arcwise.graph.dag import Dag
from arcwise.model.tables import ROW_TOLERANCE, Parts

if TYPE_CHECKING:
    from arcwise.model.network import BayesianNetwork


# The most numbers that the tables of one file may hold, 512 MB: a short file can ask for a table of any size.
MAX_FILE_CELLS = 2**26

_BARE = re.compile(r"(?!//|/\*)[!#-'*+\-./0-9:<-Z^-z~]+")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def bif_parts(
    text: str | bytes, source: str, tolerance: float = ROW_TOLERANCE, max_cells: int = MAX_FILE_CELLS
) -> Parts:
    """Return the parts of the network of a BIF file; see `arcwise.model.read_bif`."""
    content = _checked_text(text, source)
    names, states, parents, _, values, message, line, column = _core.model.read_bif(
        content, min(tolerance, ROW_TOLERANCE), max_cells
    )
    if line > 0:
        raise FormatError(f"{source}, line {line}, column {column}: {message}.")
    return Parts(Dag(names, parents), tuple(map(tuple, states)), values)


def write_bif(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF file; a name that ends in .gz is compressed. Every number reads back unchanged."""
    try:
        write_text(path, format_bif(network))
    except UnicodeEncodeError as error:
        raise FormatError(
            f"cannot write {path}: the name {error.object[error.start : error.end]!r} is not valid Unicode."
        ) from None


def format_bif(network: BayesianNetwork) -> str:
    """Return the text of a network's BIF file."""
    return "".join(_lines(network))


def _lines(network: BayesianNetwork) -> Iterator[str]:
    names = [_word(name) for name in network.names]
    states = [[_word(state) for state in variable] for variable in network.states]
    yield "network unknown {\n}\n"
    for name, variable in zip(names, states, strict=True):
        yield f"variable {name} {{\n  type discrete [ {len(variable)} ] {{ {', '.join(variable)} }};\n}}\n"
    for v, table in enumerate(network.tables):
        parents = network.dag.parents[v]
        given = f" | {', '.join(names[p] for p in parents)}" if parents else ""
        yield f"probability ( {names[v]}{given} ) {{\n"
        rows = table.tolist()
        for configuration, row in zip(_configurations([states[p] for p in parents]), rows, strict=True):
            if row[0] != row[0]:  # NaN
                yield f"  property undefined ({configuration});\n"
            else:
                yield f"  {f'({configuration})' if parents else 'table'} {', '.join(map(repr, row))};\n"
        yield "}\n"


def _configurations(states: list[list[str]]) -> Iterator[str]:
    """All parent configurations as text, the first parent varying slowest."""
    return map(", ".join, itertools.product(*states))


def _word(name: str) -> str:
    if _BARE.fullmatch(name):
        return name
    quoted = "".join(
        _ESCAPES.get(c, c) if c >= " " and c != "\x7f" else _ESCAPES.get(c, f"\\x{ord(c):02x}") for c in name
    )
    return f'"{quoted}"'


def _checked_text(text: str | bytes, source: str) -> bytes:
    """Return the text as UTF-8 without a byte-order mark; what cannot be text is an error with its place."""
    content = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{source}, {_place(content, error.start)}: byte 0x{content[error.start]:02x} is not UTF-8. "
            "Save the file as UTF-8."
        ) from None
    zero = content.find(b"\0")
    if zero >= 0:
        raise FormatError(f"{source}, {_place(content, zero)}: a NUL byte; this is not a text file.")
    return content


def _place(content: bytes, at: int) -> str:
    line = content.count(b"\n", 0, at) + 1
    start = content.rfind(b"\n", 0, at) + 1
    return f"line {line}, column {len(content[start:at].decode('utf-8', 'replace')) + 1}"
