"""Columns that say the same: copies, near copies, and columns that another one determines.

A copy takes half of the confidence of its twin's edges, silently: networks with either as the parent fit alike. Two
columns are copies if their values map one to one; numbers, whose values may be in other units or rounded, if their
ranks agree. Near copies do so but for a few rows. Where one of the two is missing, nothing is compared; of two copies
the one with fewer gaps is kept, else the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.data import Column, Table
from arcwise.data.correspondence import can_tell_copies, first_seen
from arcwise.mentions import Argument

__all__ = ["find_copies", "find_determined"]

LEAST_ROWS = 20  # below this, columns of few states are equal by chance
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
        if table.n_cases < LEAST_ROWS or not can_tell_copies(column.counts()):
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
        yield Finding(
            Kind.COPY,
            Severity.NOTE,
            (),
            f"not all pairs of columns were compared for near copies: {looks.left_out:,} were left out",
            "there are too many columns; exact copies are found all the same",
        )


def find_determined(table: Table) -> Iterable[Finding]:
    """Yield the columns that are a function of another one with more values: a postcode and its town."""
    rows = table.n_cases
    small = [c for c in table.columns if 2 <= int((c.counts() > 0).sum()) <= rows // 10 and not c.is_continuous()]
    if rows < LEAST_ROWS or len(small) ** 2 > MOST_PAIRS:
        return
    for column in small:
        for other in small:
            finer = len(other.labels) > len(column.labels) >= 2
            if finer and can_tell_copies(column.counts()) and _determines(other, column):
                yield Finding(
                    Kind.DETERMINED,
                    Severity.NOTE,
                    (column.name,),
                    f"column '{column.name}' follows from column '{other.name}': each value of that has one of this",
                    f"{len(other.labels):,} and {len(column.labels):,} values",
                    remedy=Argument("drop", [column.name]),
                )
                break


def _copy(name: str, twin: str, evidence: str) -> Finding:
    return Finding(
        Kind.COPY,
        Severity.MISLEADS,
        (name,),
        f"column '{name}' is a copy of column '{twin}'",
        evidence,
        "leave it out",
        Argument("drop", [name]),
        Repair(lambda table: table.drop([name]), f"Left out column '{name}', a copy of '{twin}' ({evidence})."),
        keepable=True,
    )


def _determines(finer: Column, coarser: Column) -> bool:
    """Say whether one column is a function of another in the rows that have both, which are most.

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
    """Say whether no code goes with two values; missing ones aside."""
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
        """Say whether the counts of two columns without gaps show that their values do not correspond.

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
        if 2 * fewer < more or len(common) < LEAST_ROWS:
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
