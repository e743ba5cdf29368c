"""Columns that never, or hardly ever, vary."""

from __future__ import annotations

from collections.abc import Iterable

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.words import columns_words, it, verb
from arcwise.data import Column, Table
from arcwise.data.labels import quoted
from arcwise.mentions import Argument

__all__ = ["find_constants", "find_nearly_constant"]

# A column is nearly constant if fewer rows than this, or than this share, have another value than the most frequent.
FEW_ROWS, FEW_SHARE = 5, 0.005
# A column of ticks has at least so many rows with the tick, and without.
TICKED = 5


def find_constants(table: Table) -> Iterable[Finding]:
    """Yield the columns with one value or none; declared states are left to the analyst."""
    names = tuple(c.name for c in table.columns if int((c.counts() > 0).sum()) < 2 and not c.declared)
    if names:
        yield Finding(
            Kind.CONSTANT,
            Severity.BLOCKS,
            names,
            f"{columns_words(names)} {verb(names, 'has', 'have')} fewer than two distinct values",
            _ticks([table.column(name) for name in names]),
            f"leave {it(names)} out",
            Argument("drop", [*names]),
            Repair(lambda table: table.drop(names), f"Left out {columns_words(names)}, with fewer than two values."),
        )


def _ticks(columns: list[Column]) -> str:
    """Tell of columns that have one value or none: a tick, whose absence may mean no."""
    ticked = [column for column in columns if column.labels and TICKED <= column.n_missing <= column.n_cases - TICKED]
    if not ticked:
        return ""
    label, rows = quoted(ticked[0].labels, 1), f"{ticked[0].n_cases - ticked[0].n_missing:,}"
    shown = f"'{ticked[0].name}' has {label} in {rows} rows and nothing in the others"
    return f"{shown}: if nothing means no, write that into {it(ticked)}"


def find_nearly_constant(table: Table) -> Iterable[Finding]:
    """Yield the columns of which nearly all rows have one value."""
    for column in table.columns:
        counts = column.counts()
        rows, seen = int(counts.sum()), int((counts > 0).sum())
        others = rows - int(counts.max(initial=0))
        if seen < 2 or column.is_continuous() or others >= max(FEW_ROWS, FEW_SHARE * rows) or rows < 10 * FEW_ROWS:
            continue
        top = column.labels[int(counts.argmax())]
        yield Finding(
            Kind.NEARLY_CONSTANT,
            Severity.NOTE,
            (column.name,),
            f"column '{column.name}' is nearly constant: '{top}' in all but {others:,} of {rows:,} rows",
            remedy=Argument("drop", [column.name]),
        )
