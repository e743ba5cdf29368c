"""Tables of parent sets as verbs get them: from a file, or built from data on the way."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arcwise.cli.options import constraints_from, refuse_with_table, score_from

if TYPE_CHECKING:
    from arcwise.data import Dataset
    from arcwise.graph import Constraints
    from arcwise.limits import Limits
    from arcwise.parent_sets import ParentSetTable

__all__ = ["ParentSetSource", "SourceArgument", "load_parent_sets"]

TABLE_SUFFIXES = (".jkl", ".arct")

SourceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA|TABLE",
        help="Data (.csv, .arff, .parquet and others; - for stdin), or a table of parent sets (.jkl, .arct); "
        "also with .gz.",
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
    from arcwise.parent_sets import build_parent_sets, read_parent_sets

    if source.name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
        refuse_with_table(ess=ess, max_parents=max_parents)
        table = read_parent_sets(source)
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
