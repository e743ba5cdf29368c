"""What the rows give away: repeated ones, an order or a split that a column leaks, a first line that is a row."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.audit.words import columns_words, it, rows_words, verb
from arcwise.data import Column, Table
from arcwise.data.labels import numbers_of, quoted
from arcwise.mentions import Argument

__all__ = ["find_header", "find_repeated_rows", "find_row_order", "find_totals", "find_units"]

LEAST_ROWS = 50
LAST_ROWS = 3  # that are looked at for totals
TOTALS = frozenset(("total", "totals", "grand total", "sum", "summe", "gesamt", "average", "mean"))
LEAST_UNITS = 2  # columns whose first cell is a word above numbers
MOSTLY = 0.9
ORDERED = 0.9995  # the rank correlation of numbers in order with the order of the rows
PARTS = frozenset(("train", "training", "test", "testing", "valid", "validation", "val", "dev", "holdout", "hold-out"))
CHANCE = 0.1  # pairs of equal rows that may be expected by chance
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|split|fold|partition|validation|holdout|is_train|set)(?:$|[^a-z])")


def find_header(table: Table, *, sure: bool = False) -> Iterable[Finding]:
    """Yield names that the reader had to make, and a header that is itself a row of data, unless that is `sure`."""
    if table.above:
        yield Finding(
            Kind.HEADER,
            Severity.NOTE,
            (),
            f"what is written above the names of the columns was skipped: {quoted(table.above, 4)}",
            remedy=Argument("header", "first"),
        )
    for name, reason in table.renamed.items():
        yield Finding(
            Kind.HEADER,
            Severity.NOTE,
            (name,),
            f"column '{name}' was named here: {reason}",
            remedy=Argument("drop", [name]),
        )
    inside = tuple(c.name for c in table.columns if c.name in c.labels or _is_measure(c))
    if not sure and len(inside) >= max(2, (len(table.columns) + 1) // 2):
        yield Finding(
            Kind.HEADER,
            Severity.MISLEADS,
            inside,
            "the first line looks like a row of data, not like names",
            f"{quoted(inside, 4)} could be {verb(inside, 'a value of its column', 'values of their columns')}",
            "take the first line as data",
            Argument("header", "none"),
            safe=False,
        )


def _is_measure(column: Column) -> bool:
    """Say whether a name is a number with decimals, above other numbers; whole ones may be years."""
    return column.numbers is not None and "." in column.name and numbers_of([column.name]) is not None


def find_units(table: Table) -> Iterable[Finding]:
    """Yield the first row if it holds the units of the columns: words above numbers, and no number in it."""
    if table.n_rows < 2 or table.is_grouped:  # distinct rows have no first one
        return
    cells = [(c, None if c.codes[0] == len(c.labels) else c.labels[c.codes[0]]) for c in table.columns]
    units = [label for column, label in cells if label is not None and _is_unit(column, label)]
    if len(units) < LEAST_UNITS or any(label is not None and numbers_of([label]) is not None for _, label in cells):
        return
    yield Finding(
        Kind.UNITS,
        Severity.MISLEADS,
        (),
        f"the first row holds no case, but the units of the columns: {quoted(units, 4)}",
        table.where(0),
        "leave it out",
        Argument("agree", True),
        Repair(
            lambda table: table.take(np.arange(table.n_rows) > 0),
            f"Left out the first row, which holds units: {quoted(units, 4)}.",
        ),
    )


def _is_unit(column: Column, label: str) -> bool:
    """Say whether a label occurs once, in a column of which nearly all other rows are numbers, and is none itself."""
    counts = column.counts()
    if counts[column.labels.index(label)] != 1 or any(sign.isdigit() for sign in label):
        return False
    rows = int(counts.sum()) - 1
    numbers = sum(
        int(count) for other, count in zip(column.labels, counts, strict=True) if any(sign.isdigit() for sign in other)
    )
    return rows > 0 and numbers >= MOSTLY * rows


def find_totals(table: Table) -> Iterable[Finding]:
    """Yield the last rows if they sum up the others: "Total" in one cell, and most others empty."""
    rows = 0 if table.is_grouped else table.n_rows
    last = []
    for row in range(max(0, rows - LAST_ROWS), rows):
        labels = [None if c.codes[row] == len(c.labels) else c.labels[c.codes[row]] for c in table.columns]
        filled = [label for label in labels if label is not None]
        if 2 * len(filled) <= len(labels) and any(label.lower().rstrip(":") in TOTALS for label in filled):
            last.append(row)
    if last:
        told = f"{rows_words(len(last))} at the end {verb(last, 'sums', 'sum')} up the others"
        yield Finding(
            Kind.TOTALS,
            Severity.MISLEADS,
            (),
            told,
            ", ".join(table.where(row) for row in last),
            f"leave {it(last)} out",
            Argument("agree", True),
            Repair(
                lambda table: table.take(~np.isin(np.arange(table.n_rows), last)),
                f"Left out {rows_words(len(last))} at the end, which {verb(last, 'sums', 'sum')} up the others.",
            ),
        )


def find_repeated_rows(table: Table) -> Iterable[Finding]:
    """Yield that rows occur again where that is no chance.

    If the columns were independent, two rows would be equal with the product over columns of the chance that two rows
    share a value, which the rows that occur once tell. Where all pairs of rows together make less than `CHANCE` equal
    ones, equal rows were entered twice.
    """
    rows = table.n_rows
    if rows < LEAST_ROWS or table.weights is not None:
        return
    keys = np.zeros(rows, dtype=np.uint64)
    for column in table.columns:
        keys = keys * np.uint64(0x9E3779B97F4A7C15) + column.codes.astype(np.uint64) + np.uint64(1)
    first = np.unique(keys, return_index=True)[1]
    again = rows - len(first)
    pairs = len(first) * (len(first) - 1) / 2
    expected = pairs
    for column in table.columns if again else ():
        counts = np.bincount(column.codes[first]).astype(float)
        expected *= float((counts * (counts - 1) / 2).sum()) / max(pairs, 1.0)
    if expected > CHANCE:
        return
    if again:
        yield Finding(
            Kind.REPEATED_ROWS,
            Severity.NOTE,
            (),
            f"{rows_words(again)} of {rows:,} {verb(range(again), 'repeats', 'repeat')} an earlier one in all columns",
            "each counts as a case of its own",
        )


def find_row_order(table: Table) -> Iterable[Finding]:
    """Yield the columns that follow the order of the rows, or that say in which part of the data a row is."""
    rows = table.n_rows
    if rows < LEAST_ROWS:
        return
    runs = () if table.is_grouped else tuple(c.name for c in table.columns if _in_runs(c) or _in_order(c))
    if runs:
        yield Finding(
            Kind.ROW_ORDER,
            Severity.NOTE,
            runs,
            f"the rows are sorted by {columns_words(runs)}, which {verb(runs, 'leaks', 'leak')} their order",
            remedy=Argument("drop", [*runs]),
        )
    named = tuple(c.name for c in table.columns if 2 <= len(c.labels) <= 20 and _is_split(c))
    if named:
        yield Finding(
            Kind.ROW_ORDER,
            Severity.NOTE,
            named,
            f"{columns_words(named)} {verb(named, 'seems', 'seem')} to say how the data were split",
            remedy=Argument("drop", [*named]),
        )


def _in_runs(column: Column) -> bool:
    """Say whether all rows of every value are together, and values have rows enough for that to be no chance."""
    if not 2 <= len(column.labels) <= len(column.codes) // 10:
        return False
    return int((column.codes[1:] != column.codes[:-1]).sum()) + 1 == len(np.unique(column.codes))


def _in_order(column: Column) -> bool:
    """Say whether numbers rise, or fall, from the first row to the last but for a few."""
    if not column.is_continuous():
        return False
    values = column.values()
    values = values[~np.isnan(values)]
    if len(values) < LEAST_ROWS:
        return False
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return bool(abs(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1]) > ORDERED)


def _is_split(column: Column) -> bool:
    """Say whether a column says by its name, or by its labels, to which part of the data a row belongs."""
    return bool(_SPLIT.search(column.name.lower())) or {label.lower() for label in column.labels} <= PARTS
