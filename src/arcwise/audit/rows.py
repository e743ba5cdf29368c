"""What the rows give away: repeated ones, an order or a split that a column leaks, a first line that is a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.finding import Finding, Kind, Repair, Severity, columns_words, it, leave_out, note, rows_words, verb
from arcwise.base.errors import Argument
from arcwise.data.column import Column, can_tell_copies, first_seen, numbers_of, quoted
from arcwise.data.table import Table

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
        yield note(Kind.HEADER, (name,), f"column '{name}' was named here: {reason}")
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
    """Return whether a name is a number with decimals, above other numbers; whole ones may be years."""
    return column.numbers is not None and "." in column.name and numbers_of([column.name]) is not None


def find_units(table: Table) -> Iterable[Finding]:
    """Yield the first row if it holds the units of the columns: words above numbers, and no number in it."""
    if table.n_rows < 2 or table.is_grouped:  # distinct rows have no first one
        return
    cells = list(zip(table.columns, _labels(table, 0), strict=True))
    units = [label for column, label in cells if label is not None and _is_unit(column, label)]
    if len(units) < LEAST_UNITS or any(label is not None and numbers_of([label]) is not None for _, label in cells):
        return
    shown = quoted(units, 4)
    what = f"the first row holds no case, but the units of the columns: {shown}"
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
    return rows > 0 and numbers >= MOSTLY * rows


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
            "each counts as a case of its own",
        )


def find_row_order(table: Table) -> Iterable[Finding]:
    """Yield the columns that follow the order of the rows, or that say in which part of the data a row is."""
    rows = table.n_rows
    if rows < LEAST_ROWS:
        return
    runs = () if table.is_grouped else tuple(c.name for c in table.columns if _in_runs(c) or _in_order(c))
    if runs:
        what = f"the rows are sorted by {columns_words(runs)}, which {verb(runs, 'leaks', 'leak')} their order"
        yield note(Kind.ROW_ORDER, runs, what)
    named = tuple(c.name for c in table.columns if 2 <= len(c.labels) <= 20 and _is_split(c))
    if named:
        what = f"{columns_words(named)} {verb(named, 'seems', 'seem')} to say how the data were split"
        yield note(Kind.ROW_ORDER, named, what)


def _in_runs(column: Column) -> bool:
    """Return whether all rows of every value are together, and values have rows enough for that to be no chance."""
    if not 2 <= len(column.labels) <= len(column.codes) // 10:
        return False
    return int((column.codes[1:] != column.codes[:-1]).sum()) + 1 == len(np.unique(column.codes))


def _in_order(column: Column) -> bool:
    """Return whether numbers rise, or fall, from the first row to the last but for a few."""
    if not column.is_continuous():
        return False
    values = column.values()
    values = values[~np.isnan(values)]
    if len(values) < LEAST_ROWS:
        return False
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    return bool(abs(np.corrcoef(ranks, np.arange(len(ranks)))[0, 1]) > ORDERED)


def _is_split(column: Column) -> bool:
    """Return whether a column says by its name, or by its labels, to which part of the data a row belongs."""
    return bool(_SPLIT.search(column.name.lower())) or {label.lower() for label in column.labels} <= PARTS


# Columns that say the same: copies, near copies, and columns that another one determines.
#
# A copy takes half of the confidence of its twin's edges, silently: networks with either as the parent fit alike. Two
# columns are copies if their values map one to one; numbers, whose values may be in other units or rounded, if their
# ranks agree. Near copies do so but for a few rows. Where one of the two is missing, nothing is compared; of two
# copies the one with fewer gaps is kept, else the first.


LEAST_ROWS_OF_COPIES = 20  # below this, columns of few states are equal by chance
NEAR = 0.99  # the share of rows in which the values of near copies correspond
NEAR_ROWS = 200  # with fewer rows, all have to
EXACT_ROWS = 50  # the fewest rows in which columns with different gaps are compared
COMMON = 0.5  # the share of the rows with either value that have both, at least
FEW, SIMILAR = 100, 0.98  # rows whose ranks are looked at first, and their correlation in copies
RANKS = 0.9995  # the rank correlation of copied numbers
SAMPLE = 5_000  # rows that are looked at for near copies
MOST_PAIRS = 20_000  # pairs of columns that are looked at for near copies
MOST_COUNTED = 1_000_000  # pairs of which the counts of values are compared before that, some seconds


def find_copies(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield, for every column that repeats another one, which that is; the one with fewer gaps is kept, or the first.

    Exact copies cost one pass over the data; near ones a cross table of `SAMPLE` rows per pair of columns whose values
    occur about equally often, of which at most `MOST_PAIRS` are looked at, after counts of at most `MOST_COUNTED` were
    compared. If there are more, a note says so.
    """
    columns = [column for column in table.columns if int((column.counts() > 0).sum()) > 1]
    columns.sort(key=lambda column: column.n_missing)
    kept: list[Column] = []
    looks = _Looks(table.sampled_rows(SAMPLE))
    known: dict[bytes, str] = {}
    for column in columns:
        if table.n_cases < LEAST_ROWS_OF_COPIES or not can_tell_copies(column.counts()):
            continue
        # Columns that are different in every row all correspond one to one.
        repeats = 2 * len(column.labels) <= table.n_cases and not column.is_continuous()
        key = first_seen(column.codes).tobytes() if repeats else column.name.encode()
        if column.name in keep:
            kept.append(column)
            known.setdefault(key, column.name)
            continue
        if key in known:
            yield _copy(column.name, known[key], "the values correspond one to one in every row")
            continue
        twin = next((other for other in kept if looks.are_near(column, other)), None)
        if twin is not None:
            yield _copy(column.name, twin.name, looks.evidence)
            continue
        known[key] = column.name
        kept.append(column)
    if looks.left_out:
        yield note(
            Kind.COPY,
            (),
            f"not all pairs of columns were compared for near copies: {looks.left_out:,} were left out",
            "there are too many columns; exact copies are found all the same",
        )


def find_determined(table: Table) -> Iterable[Finding]:
    """Yield the columns that are a function of another one with more values: a postcode and its town."""
    rows = table.n_cases
    small = [c for c in table.columns if 2 <= int((c.counts() > 0).sum()) <= rows // 10 and not c.is_continuous()]
    if rows < LEAST_ROWS_OF_COPIES or len(small) ** 2 > MOST_PAIRS:
        return
    for column in small:
        for other in small:
            finer = len(other.labels) > len(column.labels) >= 2
            if finer and can_tell_copies(column.counts()) and _determines(other, column):
                what = f"column '{column.name}' follows from column '{other.name}': each value of that has one of this"
                values = f"{len(other.labels):,} and {len(column.labels):,} values"
                yield note(Kind.DETERMINED, (column.name,), what, values)
                break


def _copy(name: str, twin: str, evidence: str) -> Finding:
    what, why = f"column '{name}' is a copy of column '{twin}'", f", a copy of '{twin}' ({evidence})"
    return leave_out(Kind.COPY, Severity.MISLEADS, (name,), what, evidence, why, keepable=True)


def _determines(finer: Column, coarser: Column) -> bool:
    """Return whether one column is a function of another in the rows that have both, which are most.

    What is not one in some of the rows is none: few pairs of columns are looked at beyond these.
    """
    some = slice(None, None, max(1, len(finer.codes) // SAMPLE))
    if not _is_function(finer.codes[some], coarser.codes[some], finer, coarser):
        return False
    common = ~(finer.is_missing | coarser.is_missing)
    cases = int(common.sum() if finer.weights is None else finer.weights[common].sum())
    return cases >= COMMON * finer.n_cases and _is_function(finer.codes, coarser.codes, finer, coarser)


def _is_function(
    codes: NDArray[np.unsignedinteger], values: NDArray[np.unsignedinteger], finer: Column, coarser: Column
) -> bool:
    """Return whether no code goes with two values; missing ones aside."""
    common = (codes != len(finer.labels)) & (values != len(coarser.labels))
    own = codes[common].astype(np.int64)
    pairs = np.unique(own * (len(coarser.labels) + 1) + values[common])
    return len(pairs) == len(np.unique(own))


class _Looks:
    """Compares pairs of columns on a sample of the rows, as long as there are not too many pairs."""

    def __init__(self, rows: NDArray[np.int64]) -> None:
        self._rows = rows
        self._left, self._counted = MOST_PAIRS, MOST_COUNTED
        self._ranks: dict[str, NDArray[np.float64]] = {}
        self._known: dict[str, tuple[bool, NDArray[np.int64] | None]] = {}
        self.evidence = ""
        self.left_out = 0  # pairs that were not looked at

    def are_near(self, one: Column, other: Column) -> bool:
        self._counted -= 1
        if self._left == 0 or self._counted < 0:
            self.left_out += 1
            return False
        if self._cannot_correspond(one, other):
            return False
        self._left -= 1
        if one.is_continuous() != other.is_continuous():
            return False
        gaps = [column.is_missing[self._rows] for column in (one, other)]
        common = self._rows[~(gaps[0] | gaps[1])]
        if len(common) < COMMON * (~(gaps[0] & gaps[1])).sum():
            return False
        return self._same_ranks(one, other, common) if one.is_continuous() else self._correspond(one, other, common)

    def _cannot_correspond(self, one: Column, other: Column) -> bool:
        """Return whether the counts of two columns without gaps show that their values do not correspond.

        Matched values occur together at most as often as the rarer of the two. Of all ways to match, that by rank gives
        the largest sum, which bounds the share of rows that can correspond.
        """
        (numbers, counts), (other_numbers, other_counts) = self._seen(one), self._seen(other)
        if counts is None or other_counts is None or numbers or other_numbers:
            return False
        both = min(len(counts), len(other_counts))
        return int(np.minimum(counts[:both], other_counts[:both]).sum()) < NEAR * len(self._rows)

    def _seen(self, column: Column) -> tuple[bool, NDArray[np.int64] | None]:
        """Return whether a column holds numbers, and how often its values occur, falling; None if there are gaps."""
        if column.name not in self._known:
            codes = column.codes[self._rows]
            counts = np.sort(np.bincount(codes, minlength=len(column.labels)))[::-1]
            has_gaps = bool((codes == len(column.labels)).any())
            self._known[column.name] = column.is_continuous(), None if has_gaps else counts
        return self._known[column.name]

    def _same_ranks(self, one: Column, other: Column, common: NDArray[np.int64]) -> bool:
        fewer, more = sorted((len(one.labels), len(other.labels)))
        # A rounded copy has fewer values, but two columns of sorted rows need not be copies.
        if 2 * fewer < more or len(common) < LEAST_ROWS_OF_COPIES:
            return False
        if len(common) == len(self._rows):
            both = _correlation(self._rank(one), self._rank(other))
        else:
            values = [column.values()[common] for column in (one, other)]
            both = _correlation(*(_ranks(own[:FEW]) for own in values))
            if abs(both) > SIMILAR:
                both = _correlation(*map(_ranks, values))
        if abs(both) < RANKS:
            return False
        self.evidence = f"their ranks correlate by {both:.4f}"
        return True

    def _rank(self, column: Column) -> NDArray[np.float64]:
        if column.name not in self._ranks:
            self._ranks[column.name] = _ranks(column.values()[self._rows])
        return self._ranks[column.name]

    def _correspond(self, one: Column, other: Column, common: NDArray[np.int64]) -> bool:
        rows = len(common)
        if rows < EXACT_ROWS:
            return False
        a, b = one.codes[common].astype(np.int64), other.codes[common].astype(np.int64)
        wide = len(other.labels) + 1
        pairs, counts = np.unique(a * wide + b, return_counts=True)
        matched, used = 0, set[int]()
        seen: set[int] = set()
        for pair, count in sorted(zip(pairs.tolist(), counts.tolist(), strict=True), key=lambda item: -item[1]):
            left, right = divmod(pair, wide)
            if left not in seen and right not in used:
                matched += count
                seen.add(left)
                used.add(right)
        share = matched / rows
        # Two columns that hardly vary agree in most rows as well: what counts is where they leave the most frequent.
        top = counts.max() / rows
        if share < (NEAR if rows >= NEAR_ROWS else 1.0) or (share - top) < NEAR * (1 - top) or top == 1.0:
            return False
        where = "the rows" if rows == len(self._rows) else "the rows that have both"
        self.evidence = f"the values correspond in {share:.1%} of {where}"
        return True


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[inverse.ravel()])


def _correlation(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the correlation; 0 if one of the two does not vary."""
    if one.min() == one.max() or other.min() == other.max():
        return 0.0
    return float(np.corrcoef(one, other)[0, 1])
