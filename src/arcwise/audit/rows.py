"""What the rows give away: repeated ones, an order or a split that a column leaks, a first line that is a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, note, rows_words, verb
from arcwise.audit.relations import LEAST_ROWS, correlation, ranks
from arcwise.base.errors import Argument
from arcwise.data.column import MAX_LEVELS, Column, date_example, most_states, numbers_of, quoted, sorted_labels
from arcwise.data.dataset import Dataset
from arcwise.data.design import Design, intraclass
from arcwise.data.table import Table

LAST_ROWS = 3  # that are looked at for totals
TOTALS = frozenset(("total", "totals", "grand total", "sum", "summe", "gesamt", "average", "mean"))
LEAST_UNITS = 2  # columns whose first cell is a word above numbers
CLEAN_SHARE = 0.9  # a tenth of the rows may be typing errors
ORDERED = 0.9995  # the rank correlation of numbers in order with the order of the rows
PARTS = frozenset(("train", "training", "test", "testing", "valid", "validation", "val", "dev", "holdout", "hold-out"))
ALIKE = 0.5  # the rank correlation of a column with itself in the row before, in series
CHANCE = 0.1  # pairs of equal rows that may be expected by chance
MOST_GROUPED = 50_000  # rows that are looked at for groups
FEWEST_VALUES = 6  # of a column of groups
LEAST_EFFECT = 1.2  # the design effect of groups that matter
# Numbers of groups are names; of what differs between them a line over the numbers has 1 / (groups - 1). Where it has
# more than this, the numbers measure something (steps of a scale, years of school), and it is a variable.
MEASURES = 0.5
SHUFFLES = 39  # times that the values of such a column are dealt out anew
_GROUP = re.compile(
    r"(?:^|[^a-z])(?:id|patient|subject|person|participant|respondent|family|household|animal|mouse|donor|cluster|pupil"
    r"|student|school|customer|client)s?(?:$|[^a-z])"
    r"|_id$|^(?:p|s|u|subj|sub|pat|pers|stud|fam|hh|sch|cust|case|site)id$"  # not paid, lipid, thyroid
)
_CAMEL = re.compile(r"[a-z]I[dD]$")
_SPLIT = re.compile(r"(?:^|[^a-z])(train|test|split|fold|partition|validation|holdout|is_train|set)(?:$|[^a-z])")


def find_header(table: Table, *, sure: bool = False) -> Iterable[Finding]:
    """Yield names that the reader had to make, and a header that is itself a row of data, unless that is `sure`."""
    if table.above:
        yield Finding(
            Kind.HEADER,
            Severity.NOTE,
            (),
            f"the lines above the header were skipped: {quoted(table.above, 4)}",
            remedy=Argument("header", "first"),
        )
    for name, reason in table.renamed.items():
        yield note(Kind.HEADER, (name,), f"column '{name}' was named here: {reason}")
    # Numbers with decimals above other numbers; whole ones may be years.
    decimal = {c.name for c in table.columns if c.numbers is not None and "." in c.name}
    inside = tuple(
        c.name for c in table.columns if c.name in c.labels or (c.name in decimal and numbers_of([c.name]) is not None)
    )
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


def find_units(table: Table) -> Iterable[Finding]:
    """Yield the first row if it holds the units of the columns: words above numbers, and no number in it."""
    if table.n_rows < 2 or table.is_grouped:  # distinct rows have no first one
        return
    cells = list(zip(table.columns, _labels(table, 0), strict=True))
    units = [label for column, label in cells if label is not None and _is_unit(column, label)]
    if len(units) < LEAST_UNITS or any(label is not None and numbers_of([label]) is not None for _, label in cells):
        return
    shown = quoted(units, 4)
    what = f"the first row holds the units of the columns, not values: {shown}"
    yield _leave_rows_out(table, Kind.UNITS, [0], what, f"the first row, which holds units: {shown}")


def _labels(table: Table, row: int) -> list[str | None]:
    """Return the labels of a row, None where one is missing."""
    return [None if c.codes[row] == len(c.labels) else c.labels[c.codes[row]] for c in table.columns]


def _leave_rows_out(table: Table, kind: Kind, rows: list[int], what: str, gone: str) -> Finding:
    """Return a finding about rows that are no cases; `gone` ends the sentence "Left out ..."."""
    repair = Repair(lambda table: table.take(~np.isin(np.arange(table.n_rows), rows)), f"Left out {gone}.")
    where, proposal = ", ".join(map(table.where, rows)), f"leave {it(rows)} out"
    return Finding(kind, Severity.MISLEADS, (), what, where, proposal, Argument("agree", True), repair)


def _is_unit(column: Column, label: str) -> bool:
    """Return whether a label that is no number occurs once, in a column in which nearly all other rows are numbers."""
    counts = column.counts()
    if counts[column.labels.index(label)] != 1 or any(sign.isdigit() for sign in label):
        return False
    rows = int(counts.sum()) - 1
    numbers = sum(
        int(count) for other, count in zip(column.labels, counts, strict=True) if any(sign.isdigit() for sign in other)
    )
    return rows > 0 and numbers >= CLEAN_SHARE * rows


def find_totals(table: Table) -> Iterable[Finding]:
    """Yield the last rows if they sum up the others: "Total" in one cell, and most others empty."""
    rows = 0 if table.is_grouped else table.n_rows
    last = []
    for row in range(max(0, rows - LAST_ROWS), rows):
        labels = _labels(table, row)
        filled = [label for label in labels if label is not None]
        if 2 * len(filled) <= len(labels) and any(label.lower().rstrip(":") in TOTALS for label in filled):
            last.append(row)
    if last:
        count, sums = f"{rows_words(len(last))} at the end", f"{verb(last, 'sums', 'sum')} up the others"
        yield _leave_rows_out(table, Kind.TOTALS, last, f"{count} {sums}", f"{count}, which {sums}")


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
    if again and expected <= CHANCE:
        yield note(
            Kind.REPEATED_ROWS,
            (),
            f"{rows_words(again)} of {rows:,} {verb(range(again), 'repeats', 'repeat')} an earlier one in all columns",
            "each counts as an independent row",
        )


def find_series(table: Table) -> Iterable[Finding]:
    """Yield that rows follow each other in time: by their dates, or since neighbours are alike in most columns."""
    rows = table.n_rows
    if rows < LEAST_ROWS or table.is_grouped:
        return
    for column in table.columns:
        if len(column.labels) > CLEAN_SHARE * rows and date_example(column) is not None and not column.n_missing:
            place = np.argsort(sorted_labels(column.labels))[column.codes]
            if float(np.mean(np.diff(place) > 0)) > CLEAN_SHARE or float(np.mean(np.diff(place) < 0)) > CLEAN_SHARE:
                yield _series((column.name,), f"the rows are in the order of the dates of column '{column.name}'")
                return
    numbers = [c for c in table.columns if c.is_continuous() and not c.n_missing and not is_in_order(c)]
    ranked = {c.name: ranks(c.values()) for c in numbers}
    alike = {name: correlation(own[1:], own[:-1]) for name, own in ranked.items()}
    close = [name for name, value in alike.items() if value > ALIKE]
    if len(close) >= max(2, len(numbers) / 2):
        least = min(alike[name] for name in close)
        what = f"rows that follow each other are alike in {len(close)} of {len(numbers)} columns of numbers"
        yield _series((), f"{what}: a time series, or rows in groups", f"the correlation is {least:.2f} or more")


def _series(names: tuple[str, ...], what: str, evidence: str = "") -> Finding:
    consequence = "each counts as an independent row, and edges look surer than they are"
    return note(Kind.ROW_ORDER, names, what, f"{evidence}; {consequence}" if evidence else consequence)


def find_groups(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield the column that says which rows belong together, such as those of a patient, if its rows are alike.

    Such a column is named so, or has more values than a variable could have, each several times; and rows of one value
    agree in the other columns more than they would if its values were dealt out anew.
    """
    count = table.n_rows
    if count < LEAST_ROWS or count > MOST_GROUPED or table.design is not None or table.weights is not None:
        return
    likely = [c for c in table.columns if c.name not in keep and _may_group(c) and not _measures(c, table)]
    if not likely:
        return
    others = [own for c in table.columns if c not in likely and len(np.unique(own := _coarse(c))) > 1]
    if len(others) < 2:
        return
    data = Dataset.from_codes(np.array(others).T)
    rng, found = np.random.default_rng(count), []
    for column in likely:
        labels = column.codes.astype(np.int64)
        alike = float(np.mean(intraclass(data, Design(labels))))
        worth = data.with_groups(Design(labels, alike=alike)).n_effective
        by_chance = (float(np.mean(intraclass(data, Design(rng.permutation(labels))))) for _ in range(SHUFFLES))
        if count >= LEAST_EFFECT * worth and all(alike > other for other in by_chance):
            found.append((worth, column.name, len(np.unique(labels))))
    if found:
        worth, name, values = min(found)
        yield Finding(
            Kind.GROUPS,
            Severity.MISLEADS,
            (name,),
            f"column '{name}' says which rows belong together: rows of one value are alike",
            f"{values:,} values; {count:,} rows tell as much as {worth:,} independent ones",
            "resample its groups as wholes, and count what their rows are worth",
            Argument("groups", name),
            Repair(
                lambda table: table.with_groups(name), f"Took the rows of each value of column '{name}' for a group."
            ),
            keepable=True,
        )


def _may_group(column: Column) -> bool:
    rows, values = len(column.codes), int(np.count_nonzero(column.counts()))
    if column.n_missing or not FEWEST_VALUES <= values <= rows // 2:
        return False
    named = bool(_GROUP.search(column.name.lower()) or _CAMEL.search(column.name))
    return named or (
        column.numbers is None and (values > most_states(rows) or (values > MAX_LEVELS and _in_runs(column)))
    )


def _measures(column: Column, table: Table) -> bool:
    """Return whether other columns of numbers differ between the values of a column mostly along a line over them."""
    if column.numbers is None:
        return False
    place, along, between = ranks(column.values()), 0.0, 0.0
    counts = column.counts()
    groups = int(np.count_nonzero(counts))
    for other in table.columns:
        if other is column or other.numbers is None or other.n_missing:
            continue
        own = ranks(other.values())
        own = own - own.mean()
        means = np.bincount(column.codes, own, minlength=len(counts)) / np.maximum(counts, 1)
        share = float(counts @ means**2) / max(float(own @ own), 1e-300)
        between += max(0.0, share - (groups - 1) / len(own))  # less what chance gives
        along += correlation(place, own) ** 2
    return along > MEASURES * between > 0


def _coarse(column: Column) -> NDArray[np.int64]:
    """Return a column as a few classes: its labels, a missing value among them, or quarters of its numbers."""
    if column.is_continuous():
        values = column.values()
        cuts = np.nanquantile(values, [0.25, 0.5, 0.75])
        return np.where(np.isnan(values), 4, np.searchsorted(cuts, values)).astype(np.int64)
    return column.codes.astype(np.int64) if len(column.labels) <= MAX_LEVELS else np.zeros(len(column.codes), np.int64)


def find_row_order(table: Table) -> Iterable[Finding]:
    """Yield the columns that follow the order of the rows, or that say in which part of the data a row is."""
    rows = table.n_rows
    if rows < LEAST_ROWS:
        return
    runs = () if table.is_grouped else tuple(c.name for c in table.columns if _in_runs(c) or is_in_order(c))
    if runs:
        what = f"the rows are sorted by {columns_words(runs)}, which {verb(runs, 'leaks', 'leak')} their order"
        yield note(Kind.ROW_ORDER, runs, what)
    few = [(c.name, {label.lower() for label in c.labels}) for c in table.columns if 2 <= len(c.labels) <= 20]
    named = tuple(name for name, labels in few if _SPLIT.search(name.lower()) or labels <= PARTS)
    if named:
        what = f"{columns_words(named)} {verb(named, 'seems', 'seem')} to say how the data were split"
        yield note(Kind.ROW_ORDER, named, what)


def _in_runs(column: Column) -> bool:
    """Return whether all rows of every value are together, and values have rows enough for that to be no chance."""
    if not 2 <= len(column.labels) <= len(column.codes) // 10:
        return False
    return int((column.codes[1:] != column.codes[:-1]).sum()) + 1 == len(np.unique(column.codes))


def is_in_order(column: Column) -> bool:
    """Return whether numbers rise, or fall, from the first row to the last but for a few."""
    if not column.is_continuous():
        return False
    values = column.values()
    values = values[~np.isnan(values)]
    if len(values) < LEAST_ROWS:
        return False
    places = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return bool(abs(np.corrcoef(places, np.arange(len(places)))[0, 1]) > ORDERED)
