"""Columns of numbers that are cut into intervals on the disk, and numbers among them that stand for missing values.

The audit sees intervals only. What it would have found among the numbers has to be found here: -99 in a column of ages
would otherwise be the lowest interval's, without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from arcwise.data import cuts as cutting
from arcwise.data.labels import spell
from arcwise.data.large.coded_column import CodedColumn
from arcwise.data.large.column_profile import ColumnProfile, number_sql, sql_number
from arcwise.data.large.large_source import LargeSource
from arcwise.data.large.selection import source_cuts
from arcwise.data.missing_codes import CODES, stands_for_missing
from arcwise.data.table import ReaderCuts
from arcwise.errors import FormatError
from arcwise.parquet import identifier
from arcwise.progress import ProgressCallback

__all__ = ["cut_column", "missing_codes", "values_among"]


def cut_column(
    source: LargeSource,
    profile: ColumnProfile,
    method: str,
    bins: int,
    *,
    missing: Collection[float],
    weight: str | None = None,
    progress: ProgressCallback,
) -> CodedColumn:
    """Return a column of numbers that is cut into intervals before rows are grouped; `missing` stand for gaps.

    `weight` is SQL for how many cases a row stands for, if not one.
    """
    if not (np.isfinite(profile.low) and np.isfinite(profile.high)) or not profile.values:
        raise FormatError(
            f"{source.name}: column '{profile.name}' holds infinite values or none at all; replace them, or leave the "
            "column out."
        )
    number = number_sql(profile.name, profile.type, missing)
    cuts = source_cuts(source, number, method, bins, weight=weight, progress=progress)
    labels = cutting.interval_labels(cuts)
    plain = f"CAST({identifier(profile.name)} AS DOUBLE)"
    expression = f"CASE WHEN ({number}) IS NULL THEN {len(labels)} ELSE {_interval(plain, cuts.tolist())} END"
    kept = ReaderCuts(tuple(cuts.tolist()), tuple(spell(float(value)) for value in sorted(missing)))
    return CodedColumn(profile.name, labels, True, expression, np.arange(len(labels) + 1), kept)


def _interval(number: str, cuts: Sequence[float], first: int = 0) -> str:
    """Return SQL for the interval of a number, from `first` on: by halves, as `intervals_of` searches.

    DuckDB limits how deep an expression may be, and a row is compared with a few cuts in place of all.
    """
    if not len(cuts):
        return str(first)
    middle = len(cuts) // 2
    below, above = _interval(number, cuts[:middle], first), _interval(number, cuts[middle + 1 :], first + middle + 1)
    return f"CASE WHEN {number} > {sql_number(cuts[middle])} THEN {above} ELSE {below} END"


def values_among(
    source: LargeSource, profile: ColumnProfile, values: Collection[float], *, progress: ProgressCallback
) -> dict[float, int]:
    """Return which of some numbers a column has, and in how many rows."""
    if not values:
        return {}
    number = number_sql(profile.name, profile.type)
    found = source.ask(
        f"SELECT x, count(*) AS n FROM (SELECT {number} AS x FROM {source.rows}) "
        f"WHERE x IN ({', '.join(map(sql_number, values))}) GROUP BY x ORDER BY x",
        stage="values of columns",
        progress=progress,
    )
    return dict(zip(map(float, found["x"]), map(int, found["n"]), strict=True))


def missing_codes(
    source: LargeSource, profile: ColumnProfile, missing: Collection[float], *, progress: ProgressCallback
) -> tuple[dict[float, int], dict[float, int]]:
    """Return the numbers that certainly, and those that possibly, stand for a missing value, and their rows.

    `missing` are known to do so. The rest is as in the audit of small files.
    """
    present = values_among(source, profile, [code for code in CODES if code not in missing], progress=progress)
    found: tuple[dict[float, int], dict[float, int]] = {}, {}
    if not present:
        return found
    number = number_sql(profile.name, profile.type, {*CODES, *missing})
    others = source.ask(
        f"SELECT min(x) AS low, max(x) AS high, count(x) AS n FROM (SELECT {number} AS x FROM {source.rows})",
        stage="values of columns",
        progress=progress,
    )
    if not int(others["n"][0]):
        return found
    low, high, different = float(others["low"][0]), float(others["high"][0]), profile.distinct - len(present)
    for code, rows in present.items():
        stands = stands_for_missing(code, low, high, different) if rows > 1 else None
        if stands is not None:
            found[0 if stands else 1][code] = rows
    return found
