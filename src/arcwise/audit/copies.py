"""Columns that say the same: copies, near copies, and columns that another one determines.

A copy takes half of the confidence of its twin's edges, silently: networks with either as the parent fit alike. Two
columns are copies if their values map one to one; numbers, whose values may be in other units or rounded, if their
ranks agree. Near copies do so but for a few rows.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.finding import Finding, Kind, Repair, Severity
from arcwise.data import Column, Table
from arcwise.mentions import Argument

__all__ = ["find_copies", "find_determined"]

LEAST_ROWS = 20  # below this, columns of few states are equal by chance
NEAR = 0.99  # the share of rows in which the values of near copies correspond
RANKS = 0.9995  # the rank correlation of copied numbers
SAMPLE = 5_000  # rows that are looked at for near copies
MOST_PAIRS = 20_000  # pairs of columns that are looked at for near copies


def find_copies(table: Table, *, keep: Collection[str] = ()) -> Iterable[Finding]:
    """Yield, for every column that repeats an earlier one, which that is; the first is kept.

    Exact copies cost one pass over the data; near ones a cross table of `SAMPLE` rows per pair of columns with similar
    distributions, of which at most `MOST_PAIRS` are looked at.
    """
    columns = [column for column in table.columns if int((column.counts() > 0).sum()) > 1]
    kept: list[Column] = []
    looks = _Looks(table.n_rows)
    known: dict[bytes, str] = {}
    for column in columns:
        if table.n_rows < LEAST_ROWS or not _varies(column):
            continue
        # Columns that are different in every row all correspond one to one.
        repeats = 2 * len(column.labels) <= table.n_rows and not column.is_continuous()
        key = _first_seen(column.codes).tobytes() if repeats else column.name.encode()
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


def find_determined(table: Table) -> Iterable[Finding]:
    """Yield the columns that are a function of another one with more values: a postcode and its town."""
    rows = table.n_rows
    small = [c for c in table.columns if 2 <= int((c.counts() > 0).sum()) <= rows // 10 and not c.is_continuous()]
    if rows < LEAST_ROWS or len(small) ** 2 > MOST_PAIRS:
        return
    for column in small:
        for other in small:
            finer = len(other.labels) > len(column.labels) >= 2
            if finer and _varies(column) and _determines(other.codes, column.codes):
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


def _varies(column: Column) -> bool:
    """Say whether at least two values have rows enough not to be equal to others by chance."""
    counts = np.sort(column.counts())
    return len(counts) > 1 and (counts[-2] >= 5 or len(counts) > 20)


def _first_seen(codes: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Number the values in the order in which they are first seen: equal for columns that correspond one to one."""
    first = np.full(int(codes.max()) + 1, len(codes), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # the last one written, the first row, stays
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return np.asarray(rank[codes])


def _determines(finer: NDArray[np.unsignedinteger], coarser: NDArray[np.unsignedinteger]) -> bool:
    pairs = np.unique(finer.astype(np.int64) * (int(coarser.max()) + 1) + coarser)
    return len(pairs) == len(np.unique(finer))


class _Looks:
    """Compares pairs of columns on a sample of the rows, as long as there are not too many pairs."""

    def __init__(self, rows: int) -> None:
        step = max(1, rows // SAMPLE)
        self._rows = np.arange(0, rows, step)
        self._left = MOST_PAIRS
        self._ranks: dict[str, NDArray[np.float64]] = {}
        self.evidence = ""

    def are_near(self, one: Column, other: Column) -> bool:
        if self._left == 0:
            return False
        self._left -= 1
        if one.is_continuous() and other.is_continuous():
            return self._same_ranks(one, other)
        if one.is_continuous() or other.is_continuous() or len(one.codes) < 10 * LEAST_ROWS:
            return False
        return self._correspond(one, other)

    def _same_ranks(self, one: Column, other: Column) -> bool:
        fewer, more = sorted((len(one.labels), len(other.labels)))
        if 2 * fewer < more:  # a rounded copy has fewer values, but two columns of sorted rows need not be copies
            return False
        both = np.corrcoef(self._rank(one), self._rank(other))[0, 1]
        if abs(both) < RANKS or bool((one.is_missing != other.is_missing).mean() > 1 - NEAR):
            return False
        self.evidence = f"their ranks correlate by {both:.4f}"
        return True

    def _rank(self, column: Column) -> NDArray[np.float64]:
        if column.name not in self._ranks:
            values = column.values()[self._rows]
            values = np.where(np.isnan(values), np.nanmean(values), values)
            _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
            ends = np.cumsum(counts)
            self._ranks[column.name] = (ends - (counts - 1) / 2)[inverse.ravel()]
        return self._ranks[column.name]

    def _correspond(self, one: Column, other: Column) -> bool:
        a, b = one.codes[self._rows].astype(np.int64), other.codes[self._rows].astype(np.int64)
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
        share = matched / len(self._rows)
        # Two columns that hardly vary agree in most rows as well: what counts is where they leave the most frequent.
        top = counts.max() / len(self._rows)
        if share < NEAR or (share - top) < NEAR * (1 - top):
            return False
        self.evidence = f"the values correspond in {share:.1%} of the rows"
        return True
