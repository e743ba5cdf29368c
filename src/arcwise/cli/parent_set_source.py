"""Tables of parent sets as verbs get them: from a file, or built from data on the way."""

from __future__ import annotations

import io
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.options import constraints_from, refuse_with_table, score_from
from arcwise.files import GZIP_MAGIC, unpack_gzip

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.limits import Limits
    from arcwise.parent_sets import ParentSetTable

__all__ = ["ParentSetSource", "SourceArgument", "load_parent_sets"]

TABLE_SUFFIXES = (".jkl", ".arct")
HEAD = 4096  # bytes of stdin that tell what it is
JKL_MARK = b"# arcwise parent sets:"

SourceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA|TABLE",
        help="Data (.csv, .arff, .parquet and others), or a table of parent sets (.jkl, .arct); also with .gz; "
        "- for either from stdin.",
    ),
]


@dataclass(frozen=True, eq=False)
class ParentSetSource:
    """A table, the data that it was built from (None if it was read), and the constraints of the options."""

    table: ParentSetTable
    data: Dataset | None
    constraints: Constraints | None


def load_parent_sets(
    source: Path,
    *,
    score: str,
    ess: float | None,
    slack: float = 0.0,
    max_parents: int | None,
    constraints: tuple[Path | None, Path | None, Path | None],
    categorical: bool,
    threads: int,
    limits: Limits,
    progress: bool | None,
) -> ParentSetSource:
    """Read the table if `source` is one, else read the data and build it.

    `constraints` are the files of the options --constraints, --whitelist and --blacklist. Options that say how a table
    is built are refused where the table is given.
    """
    from arcwise.parent_sets import build_parent_sets, parse_parent_sets, read_parent_sets

    content = _table_on_stdin() if str(source) == "-" else None
    if content is not None or source.name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
        refuse_with_table(ess=ess, max_parents=max_parents)
        table = read_parent_sets(source) if content is None else parse_parent_sets(content, source="<stdin>")
        return ParentSetSource(table, None, constraints_from(table.names, *constraints))
    from arcwise.data import read_data

    scored = score_from(score, ess)
    data = read_data(source, categorical=categorical, progress=progress)
    known = constraints_from(data.names, *constraints)
    table = build_parent_sets(
        data,
        scored,
        slack=slack,
        max_parents=max_parents,
        constraints=known,
        threads=threads,
        limits=limits,
        progress=progress,
    )
    return ParentSetSource(table, data, known)


def _table_on_stdin() -> bytes | None:
    """Return the content of stdin if it is a table of parent sets; if not, leave it to be read as data.

    A table in jkl format begins with comments (#) and a line with nothing but the number of variables; no data set
    with more than one column does.
    """
    stream = sys.stdin.buffer
    head = stream.peek(HEAD) if isinstance(stream, io.BufferedReader) else b""
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        except zlib.error:
            return None
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if not head.startswith((b"arcwise-", JKL_MARK)) and not first.strip().isdigit():
        return None
    content = stream.read()
    return unpack_gzip(content, source="<stdin>") if content.startswith(GZIP_MAGIC) else content
