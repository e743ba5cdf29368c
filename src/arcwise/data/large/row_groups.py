"""The distinct rows of a large source, and how often each occurs.

The codes of a row are packed into as few whole numbers as hold them (mixed radix), rows are grouped by these, and the
distinct ones are unpacked. They come in the order of their codes, whatever the threads and the memory were.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data.large.coded_column import CodedColumn
from arcwise.data.large.large_source import LargeSource
from arcwise.data.table import Column
from arcwise.errors import DataError
from arcwise.mentions import Argument, Remedy
from arcwise.progress import ProgressCallback

__all__ = ["group_rows", "most_rows", "packed"]

LARGEST = 2**62  # of a packed number: what a BIGINT holds, with room for a mistake of ours to show
ESTIMATE = 1.2  # by how much the estimate of distinct rows may be off before grouping is refused for it
BYTES_A_CODE = 2  # the codes of the table, and those of the data set that is made of it


def packed(sizes: Sequence[int]) -> list[list[int]]:
    """Return which columns share a whole number, in order: as many as fit.

    >>> packed([4, 2**40, 2**40, 3])
    [[0, 1], [2, 3]]
    """
    keys: list[list[int]] = []
    product = LARGEST
    for k, size in enumerate(sizes):
        product *= size
        if product > LARGEST or not keys:
            keys.append([])
            product = size
        keys[-1].append(k)
    return keys


def most_rows(memory: int, n_columns: int, n_keys: int) -> int:
    """Return how many distinct rows fit into so many bytes: keys and counts while they are sorted, then codes."""
    return memory // (3 * 8 * (n_keys + 1) + BYTES_A_CODE * n_columns)


def group_rows(
    source: LargeSource,
    columns: Sequence[CodedColumn],
    weight: str | None,
    *,
    memory: int,
    progress: ProgressCallback,
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Return the columns of the distinct rows, and how many rows (or how much `weight`) each stands for."""
    keys = packed([len(column.lookup) for column in columns])
    most = most_rows(memory, len(columns), len(keys))
    free = "key"
    while any(name.lower().startswith(free) for name in source.types):  # no column is to be taken for one of ours
        free += "_"
    names = [f"{free}_{k}" for k in range(len(keys))]
    coded = ", ".join(f"{_pack([columns[v] for v in own])} AS {name}" for own, name in zip(keys, names, strict=True))
    counted = "count(*)" if weight is None else f"CAST(sum({free}_weight) AS BIGINT)"
    rows = f"(SELECT {coded}{'' if weight is None else f', {weight} AS {free}_weight'} FROM {source.rows})"
    key = names[0] if len(names) == 1 else f"hash({', '.join(names)})"
    about = source.ask(
        f"SELECT approx_count_distinct({key}) AS n FROM {rows}", stage="estimate of distinct rows", progress=progress
    )
    if int(about["n"][0]) > ESTIMATE * most:
        raise _too_many(source, columns, f"about {int(about['n'][0]):,}", most, memory)
    listed = ", ".join(names)
    source.carry_out(
        f"CREATE OR REPLACE TEMP TABLE row_groups AS SELECT {listed}, {counted} AS n FROM {rows} GROUP BY {listed}",
        stage="distinct rows",
        progress=progress,
    )
    count = source.ask("SELECT count(*) AS n FROM row_groups", stage="distinct rows", progress=progress)
    if int(count["n"][0]) > most:
        raise _too_many(source, columns, f"{int(count['n'][0]):,}", most, memory)
    found = source.ask("SELECT * FROM row_groups", stage="distinct rows", progress=progress)
    numbers = [np.asarray(found[name], dtype=np.int64) for name in names]
    order = np.lexsort(numbers[::-1])
    made: dict[int, Column] = {}
    for own, packed_numbers in zip(keys, numbers, strict=True):
        rest = packed_numbers[order]
        for v in reversed(own):
            rest, number = np.divmod(rest, len(columns[v].lookup))
            made[v] = columns[v].column(number)
    return tuple(made[v] for v in range(len(columns))), np.asarray(found["n"], dtype=np.int64)[order]


def _pack(columns: Sequence[CodedColumn]) -> str:
    """Return SQL for the packed number of columns: by halves, since DuckDB limits how deep an expression may be."""
    if len(columns) == 1:
        return f"CAST({columns[0].expression} AS BIGINT)"
    middle = len(columns) // 2
    below = math.prod(len(column.lookup) for column in columns[middle:])
    return f"({_pack(columns[:middle])} * {below} + {_pack(columns[middle:])})"


def _too_many(source: LargeSource, columns: Sequence[CodedColumn], count: str, most: int, memory: int) -> DataError:
    widest = sorted(columns, key=lambda column: -len(column.labels))[:3]
    told = ", ".join(f"'{column.name}' ({len(column.labels):,})" for column in widest)
    return DataError(
        f"{source.name}: {source.n_rows:,} rows have {count} distinct ones, and {most:,} fit into {memory / 1e9:.3g} "
        f"GB of memory. The columns with the most labels are {told}.",
        remedies=(
            Remedy("leave out columns with", Argument("drop")),
            Remedy("cut numbers into fewer intervals with", Argument("bins", 2)),
            Remedy("take a sample of the rows with", Argument("sample", most)),
            Remedy("allow more", Argument("memory")),
        ),
    )
