"""Tables of parent sets as verbs get them: from a file, or built from data on the way."""

from __future__ import annotations

import io
import math
import sys
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.data_options import DataOptions
from arcwise.cli.rule_options import RuleOptions
from arcwise.cli.score_options import ScoreOptions, tell_idle
from arcwise.errors import OptionError
from arcwise.files import GZIP_MAGIC, unpack_gzip

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.limits import Limits
    from arcwise.parent_sets import BuildSettings, ParentSetTable

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

# Constraints on ancestors may cost much, and the table must reach that: all sets where these are few, else this slack.
SMALL = 12
ANCESTRAL_SLACK = 20.0


@dataclass(frozen=True, eq=False)
class ParentSetSource:
    """A table, the data that it was built from (None if it was read), and the constraints of the options."""

    table: ParentSetTable
    data: Dataset | None
    constraints: Constraints | None


def load_parent_sets(
    source: Path,
    *,
    scored: ScoreOptions,
    rules: RuleOptions,
    reading: DataOptions,
    slack: float = 0.0,
    building: BuildSettings,
    limits: Limits,
    progress: bool | None,
) -> ParentSetSource:
    """Read the table if `source` is one, else read the data and build it.

    Options that say how data are read or how a table is built are refused where the table is given, not ignored.
    """
    from arcwise.parent_sets import build_parent_sets, parse_parent_sets, read_parent_sets

    content = _table_on_stdin() if str(source) == "-" else None
    if content is not None or source.name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
        _refuse_with_table(scored, rules, reading)
        table = read_parent_sets(source) if content is None else parse_parent_sets(content, source="<stdin>")
        return ParentSetSource(table, None, rules.read(table.names))
    score = scored.make()
    data, known = reading.read_known(source, progress, rules, score)
    if known is not None and known.is_ancestral:
        slack = max(slack, math.inf if data.n_variables <= SMALL else ANCESTRAL_SLACK)
    tell_idle(score, known, quiet=progress is False)
    table = build_parent_sets(
        data,
        score,
        slack=slack,
        max_parents=rules.max_parents,
        constraints=known,
        settings=building,
        limits=limits,
        progress=progress,
    )
    return ParentSetSource(table, data, known)


def _refuse_with_table(scored: ScoreOptions, rules: RuleOptions, reading: DataOptions) -> None:
    given = {**asdict(scored), "max_parents": rules.max_parents, **asdict(reading)}
    for name, value in given.items():
        if value is not None and value is not False:
            option = name.replace("_", "-")
            raise OptionError(f"--{option} applies when a table is built; this one is already built. Leave it out.")


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
