"""Numbers at given ranks of a column that does not fit into memory, exactly, and the cuts that follow from them.

DuckDB's exact quantile holds the whole column; its approximate one depends on the threads. Here a few passes over the
column find the number: each counts the values between two bounds in `BUCKETS` buckets of equal width, with the least
and the largest value of each, and goes on in the bucket that has the rank. That leaves the range of the values that are
there, so ties and outliers cost a pass and not the answer (bucket sort's way to select; Knuth, The Art of Computer
Programming 3, 5.3.3, has selection by counting). With at most `AT_ONCE` values left, these are fetched. Rows may have
weights: a row then stands for so many values.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arcwise.data import cuts as cutting
from arcwise.data.large.large_source import LargeSource
from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy
from arcwise.progress import ProgressCallback

__all__ = ["METHODS", "numbers_at_ranks", "source_cuts"]

METHODS = ("quantile", "width")
BUCKETS = 2**14
AT_ONCE = 10**6
STAGE = "cut points"


def source_cuts(
    source: LargeSource, number: str, method: str, bins: int, *, weight: str | None = None, progress: ProgressCallback
) -> NDArray[np.float64]:
    """Return the cut points of the numbers that an SQL expression gives; NULL are left out.

    They are those of `arcwise.data.cuts` for the same numbers in memory. `weight` is SQL for how many cases a row
    stands for.
    """
    if method not in METHODS:
        raise OptionError(
            Argument("discretize", method),
            f"needs all numbers in memory; those of {source.name} are cut on the disk.",
            remedies=(
                Remedy("take", Argument("discretize", "quantile")),
                Remedy("read the file whole, if memory holds it, with", Argument("whole", True)),
            ),
        )
    values = _values(source, number, weight)
    low, high, count = _range(source, values, progress)
    if not count:  # rows with a number all have the weight 0
        return np.zeros(0)
    if method == "width":
        return cutting.equal_width(np.array([low, high]), bins)
    # numpy's "inverted_cdf": the least number that at least the share k / bins of all do not exceed.
    ranks = [max(0, math.ceil(count * (k / bins) - 1)) for k in range(1, bins)]
    found = np.unique([_at_rank(source, values, rank, (low, high), progress) for rank in ranks])
    if found[0] < high:
        return np.asarray(found[found < high])
    below = source.ask(f"SELECT max(x) AS x FROM {values} WHERE x < ?", [high], stage=STAGE, progress=progress)
    return np.asarray(below["x"], dtype=np.float64)


def numbers_at_ranks(
    source: LargeSource, number: str, ranks: list[int], *, weight: str | None = None, progress: ProgressCallback
) -> NDArray[np.float64]:
    """Return the numbers that would stand at these positions, from 0 on, if those of all cases were sorted."""
    values = _values(source, number, weight)
    low, high, _ = _range(source, values, progress)
    return np.array([_at_rank(source, values, rank, (low, high), progress) for rank in ranks])


def _values(source: LargeSource, number: str, weight: str | None) -> str:
    """Return SQL for the numbers that there are, x, and in how many cases each row's is, w."""
    every = f"(SELECT {number} AS x, {'1' if weight is None else weight} AS w FROM {source.rows})"
    return f"(SELECT x, w FROM {every} WHERE x IS NOT NULL AND w > 0)"


def _range(source: LargeSource, values: str, progress: ProgressCallback) -> tuple[float, float, int]:
    query = (
        "SELECT coalesce(min(x), 0) AS low, coalesce(max(x), 0) AS high, CAST(coalesce(sum(w), 0) AS BIGINT) AS n "
        f"FROM {values}"
    )
    found = source.ask(query, stage=STAGE, progress=progress)
    return float(found["low"][0]), float(found["high"][0]), int(found["n"][0])


def _at_rank(
    source: LargeSource, values: str, rank: int, between: tuple[float, float], progress: ProgressCallback
) -> float:
    low, high = between
    left = f"{values} WHERE x BETWEEN ? AND ?"
    while low < high:
        # Halves, because the difference of two large numbers need not be one.
        width = (high / 2 - low / 2) / BUCKETS
        bucket = f"least({BUCKETS - 1}, floor((x / 2 - ? / 2) / ?))" if width > 0 else "x = ?::DOUBLE AND ? IS NOT NULL"
        counted = source.ask(
            f"SELECT {bucket} AS bucket, count(*) AS n, CAST(sum(w) AS BIGINT) AS cases, min(x) AS low, max(x) AS high "
            f"FROM {left} GROUP BY bucket ORDER BY bucket, low",
            [low, width, low, high] if width > 0 else [high, width, low, high],
            stage=STAGE,
            progress=progress,
        )
        ends = np.cumsum(np.asarray(counted["cases"], dtype=np.int64))
        here = int(np.searchsorted(ends, rank, side="right"))
        rank -= 0 if here == 0 else int(ends[here - 1])
        low, high = float(counted["low"][here]), float(counted["high"][here])
        if low < high and int(counted["n"][here]) <= AT_ONCE:
            few = source.ask(
                f"SELECT x, CAST(w AS BIGINT) AS w FROM {left}", [low, high], stage=STAGE, progress=progress
            )
            order = np.argsort(few["x"])
            ends = np.cumsum(np.asarray(few["w"], dtype=np.int64)[order])
            return float(few["x"][order][np.searchsorted(ends, rank, side="right")])
    return low
