"""`ColumnProfile`: what one pass of aggregates tells of a column, and whether rows can be grouped by it.

A column that tells nearly every row apart (a number handed out, a time, a measurement) makes every row distinct, and
counting distinct rows then saves nothing and takes all memory. It has to be recognised before, from its type, its name,
its range and the number of its distinct values, which DuckDB estimates within a few per cent in one pass (HyperLogLog;
Flajolet et al. 2007). What is then done about it is what is done about the same column of a small file.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass

from arcwise.data.carrying import MAX_LEVELS
from arcwise.data.identifiers import says_identifier, says_numbering
from arcwise.data.large.large_source import LargeSource
from arcwise.parquet import identifier, quoted
from arcwise.progress import ProgressCallback

__all__ = ["MOST_LABELS", "WHOLE", "ColumnProfile", "number_sql", "profile_columns", "sql_number"]

# Labels by which rows are grouped as they are. A column with more is no variable of a network.
MOST_LABELS = 1000
# How far the estimate may be off; DuckDB's own is within 2 % to 5 %.
ERROR = 0.1
WHOLE = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
)


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """A column as aggregates show it.

    Parameters
    ----------
    name, type
        The column, and its type as DuckDB calls it.
    values
        How many rows have a value.
    distinct
        How many different ones: about, where these are many.
    low, high
        The least and the largest number; 0 for what holds none.
    is_whole
        Whether all numbers are whole.
    """

    name: str
    type: str
    values: int
    distinct: int
    low: float = 0.0
    high: float = 0.0
    is_whole: bool = False

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers by its type."""
        return self.type in WHOLE or self.type in ("FLOAT", "DOUBLE") or self.type.startswith("DECIMAL")

    @property
    def is_date(self) -> bool:
        """Whether the column holds dates or times by its type."""
        return self.type.startswith(("DATE", "TIME", "INTERVAL"))

    def identifier_reason(self) -> str | None:
        """Return why the column is taken for an identifier; see `arcwise.data.identifiers` for the reasons."""
        if self.distinct <= MAX_LEVELS:
            return None
        if not self.is_number:
            return f"about {self.distinct:,} distinct values in {self.values:,} rows" if self._is_mostly_own else None
        if not self.is_whole:
            return None
        if says_identifier(self.name):
            return f"about {self.distinct:,} different whole numbers, and a name that says so"
        if self.distinct >= (1 - ERROR) * self.values and (says_numbering(self.name) or self._is_too_dense):
            return f"about {self.distinct:,} whole numbers from {self.low:,.0f} to {self.high:,.0f} in as many rows"
        return None

    @property
    def _is_mostly_own(self) -> bool:
        return self.distinct > self.values // 2

    @property
    def _is_too_dense(self) -> bool:
        """Whether as many independent draws from the range would show clearly fewer different numbers.

        Of n draws from R whole numbers R (1 - exp(-n / R)) are different, at most: the uniform distribution repeats
        itself least.
        """
        width = self.high - self.low + 1
        return width > 1 and -width * math.expm1(-self.values / width) < (1 - 2 * ERROR) * self.distinct

    def why_not_grouped(self, max_levels: int = MAX_LEVELS) -> str | None:
        """Return why rows cannot be grouped by the column as it is, a clause; None if they can.

        Numbers are categories up to so many distinct ones.
        """
        if self.is_date and self.distinct > MAX_LEVELS:
            return f"holds dates or times, about {self.distinct:,} different ones"
        reason = self.identifier_reason()
        if reason is not None:
            return f"has {reason}: that is an identifier, not a variable"
        if self.is_number and self.distinct > max_levels:
            return f"holds numbers with about {self.distinct:,} distinct values, not categories"
        if self.distinct > MOST_LABELS:
            return f"has about {self.distinct:,} distinct values, more than rows can be grouped by ({MOST_LABELS:,})"
        return None


def sql_number(value: float) -> str:
    """Return a number as SQL has it, exactly."""
    return f"CAST({quoted(repr(float(value)))} AS DOUBLE)"


def number_sql(name: str, type_: str, missing: Collection[float] = ()) -> str:
    """Return SQL for the numbers of a column; NaN and the numbers that stand for missing values are NULL."""
    plain = f"CAST({identifier(name)} AS DOUBLE)"
    gaps = [f"isnan({plain})"] if type_ in ("FLOAT", "DOUBLE") else []
    if missing:
        gaps.append(f"{plain} IN ({', '.join(map(sql_number, sorted(missing)))})")
    return f"CASE WHEN {' OR '.join(gaps)} THEN NULL ELSE {plain} END" if gaps else plain


def profile_columns(
    source: LargeSource, names: list[str], *, missing: Collection[float] = (), progress: ProgressCallback
) -> list[ColumnProfile]:
    """Ask for the aggregates of columns, in one pass over the rows; `missing` are numbers that stand for gaps."""
    asked: list[str] = []
    for k, name in enumerate(names):
        column, plain = identifier(name), ColumnProfile(name, source.types[name], 0, 0)
        number = number_sql(name, plain.type, missing)
        has_gaps = plain.is_number and number.startswith("CASE")  # beside NULL
        known = f"CASE WHEN {number} IS NULL THEN NULL ELSE {column} END" if has_gaps else column
        asked += [f"count({known}) AS values_{k}", f"approx_count_distinct({known}) AS distinct_{k}"]
        if plain.is_number:
            asked += [f"min({number}) AS low_{k}", f"max({number}) AS high_{k}"]
            asked.append(f"coalesce(bool_and({number} = floor({number})), false) AS whole_{k}")
    found = source.ask(f"SELECT {', '.join(asked)} FROM {source.rows}", stage="profile of columns", progress=progress)
    return [
        ColumnProfile(
            name,
            source.types[name],
            int(found[f"values_{k}"][0]),
            int(found[f"distinct_{k}"][0]),
            float(found[f"low_{k}"][0]) if f"low_{k}" in found and found[f"values_{k}"][0] else 0.0,
            float(found[f"high_{k}"][0]) if f"high_{k}" in found and found[f"values_{k}"][0] else 0.0,
            bool(found[f"whole_{k}"][0]) if f"whole_{k}" in found else False,
        )
        for k, name in enumerate(names)
    ]
