"""`CodedColumn`: a column as small whole numbers in SQL, and the label that each of them stands for.

Grouping by a few machine words is several times quicker than by thirty columns of text, and takes less memory.
The labels are made of the distinct values by the same code that reads small files, so that they are the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.large.column_profile import MOST_LABELS, WHOLE, ColumnProfile, sql_number
from arcwise.data.large.large_source import LargeSource
from arcwise.data.table import Column, ReaderCuts, Table
from arcwise.errors import FormatError
from arcwise.parquet import identifier, quoted
from arcwise.progress import ProgressCallback

__all__ = ["CodedColumn", "declared_column", "distinct_values", "labelled_column", "shortened_dates"]

# Whole numbers are coded by their distance from the least where that is less than this, and looked up otherwise.
CLOSE = 2**12
FAR = 2**62  # beyond, a BIGINT need not hold them


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """How a column is coded.

    Parameters
    ----------
    name, labels, declared
        As in `Column`.
    expression
        SQL that gives a whole number from 0 to ``len(lookup) - 1`` for every row.
    lookup
        The code of the label for each of these numbers; ``len(labels)`` for a missing value.
    cuts
        Where a column of numbers was cut.
    """

    name: str
    labels: tuple[str, ...]
    declared: bool
    expression: str
    lookup: NDArray[np.int64]
    cuts: ReaderCuts | None = None

    def column(self, numbers: NDArray[np.int64]) -> Column:
        """Return the column of the rows with these numbers."""
        from arcwise.data.dataset import Dataset

        kind = Dataset.code_type(len(self.labels) + 1)
        return Column(self.name, self.lookup.astype(kind)[numbers], self.labels, self.declared)


def distinct_values(source: LargeSource, name: str, *, progress: ProgressCallback) -> dict[str, NDArray[Any]] | None:
    """Return the distinct values of a column, as text and as numbers, too, in order; None if there are too many."""
    column, type_ = identifier(name), source.types[name]
    number = "CAST(value AS DOUBLE)" if ColumnProfile(name, type_, 0, 0).is_number else "NULL"
    if type_ in ("FLOAT", "DOUBLE"):
        column = f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END"
    found = source.ask(
        f"SELECT value, CAST(value AS VARCHAR) AS text, {number} AS number "
        # By position: a column of the file may be called "value", too.
        f"FROM (SELECT {column} AS value FROM {source.rows} GROUP BY 1 LIMIT {MOST_LABELS + 2}) "
        "ORDER BY value NULLS LAST",
        stage="values of columns",
        progress=progress,
    )
    return None if int(_known(found["text"]).sum()) > MOST_LABELS else found


def _known(values: NDArray[Any]) -> NDArray[np.bool_]:
    if isinstance(values, np.ma.MaskedArray):
        return ~np.ma.getmaskarray(values)
    return np.array([value is not None for value in values.tolist()], dtype=bool)


def labelled_column(source: LargeSource, name: str, values: dict[str, NDArray[Any]]) -> CodedColumn:
    """Return a column that rows are grouped by as it is; `values` are its `distinct_values`."""
    import pandas as pd

    known, type_ = _known(values["text"]), source.types[name]
    # DuckDB hands out the widest whole numbers, and pandas those with gaps, as floats, which beyond 2^53 are others.
    whole = [int(text) for text in values["text"][known]] if type_ in WHOLE else []
    given = values["value"]
    if type_ in WHOLE:
        given = np.array([*whole, *[None] * int((~known).sum())], dtype=object)  # gaps come last
    elif given.dtype.kind == "M":
        given = np.where(known, np.ma.getdata(given), np.datetime64("NaT"))
    elif isinstance(given, np.ma.MaskedArray):  # as in a frame
        plain = given.data.astype(np.float64 if given.dtype.kind in "iuf" else object)
        plain[~known] = np.nan if given.dtype.kind in "iuf" else None
        given = plain
    series = pd.Series(given)
    if type_ == "TIMESTAMP WITH TIME ZONE":  # of which numpy has the time at Greenwich
        series = series.dt.tz_localize("UTC").dt.tz_convert(source.time_zone())
    read = Table.from_dataframe(pd.DataFrame({name: series}), source=source.name).columns[0]
    codes = read.codes.astype(np.int64)
    column, missing = identifier(name), len(read.labels)
    if whole and whole[-1] - whole[0] < CLOSE and max(map(abs, (whole[0], whole[-1]))) < FAR:
        lookup = np.full(whole[-1] - whole[0] + 2, missing)
        lookup[np.array(whole) - whole[0]] = codes[known]
        distance = f"CAST({column} AS BIGINT) - ({whole[0]})"
        return CodedColumn(name, read.labels, read.declared, f"coalesce({distance}, {len(lookup) - 1})", lookup)
    lookup = np.append(codes[known], missing)
    if ColumnProfile(name, type_, 0, 0).is_number and type_ not in WHOLE:
        numbers = np.asarray(values["number"])[known].tolist()
        position = _by_number(f"CAST({column} AS DOUBLE)", numbers)
    else:
        position = _by_text(f"CAST({column} AS VARCHAR)", values["text"][known].tolist())
    return CodedColumn(name, read.labels, read.declared, position, lookup)


def declared_column(
    source: LargeSource, name: str, states: Sequence[str], *, progress: ProgressCallback
) -> CodedColumn:
    """Return a column of text whose states the file declares; another value is an error, as in a small file."""
    position = _by_text(f"CAST({identifier(name)} AS VARCHAR)", list(states))
    others = source.ask(
        f"SELECT count(*) AS n FROM {source.rows} WHERE {identifier(name)} IS NOT NULL AND {position} = {len(states)}",
        stage="values of columns",
        progress=progress,
    )
    if int(others["n"][0]):
        raise FormatError(f"{source.name}: column '{name}' has other states than the metadata. Write the file again.")
    return CodedColumn(name, tuple(states), True, position, np.arange(len(states) + 1))


def shortened_dates(source: LargeSource, name: str, part: str, *, progress: ProgressCallback) -> CodedColumn | None:
    """Return a column of dates without their days, for whoever will take a part of them; None if they are no dates.

    Where years and months are too many together, what is not asked for is the same everywhere. The labels are dates
    still, so that the part is taken, and told of, as in a small file.
    """
    text = f"CAST({identifier(name)} AS VARCHAR)"
    if not _is_dated(source, name, text, progress):
        return None
    other = f"substring({text}, 1, 4) || '-01'" if part == "year" else f"'2000-' || substring({text}, 6, 2)"
    for short in (f"substring({text}, 1, 7)", other):
        found = source.ask(
            f"SELECT value FROM (SELECT {short} AS value FROM {source.rows} GROUP BY 1 LIMIT {MOST_LABELS + 2}) "
            "WHERE value IS NOT NULL ORDER BY value",
            stage="values of columns",
            progress=progress,
        )
        labels = tuple(map(str, found["value"].tolist()))
        if len(labels) <= MOST_LABELS:
            return CodedColumn(name, labels, False, _by_text(short, list(labels)), np.arange(len(labels) + 1))
    return None


def _is_dated(source: LargeSource, name: str, text: str, progress: ProgressCallback) -> bool:
    """Say whether all values begin with a year, a month and a day, as dates by type and many texts do."""
    type_ = source.types[name]
    if not (type_ == "VARCHAR" or type_.startswith(("DATE", "TIMESTAMP"))):
        return False
    begins = f"regexp_matches({text}, '^[12][0-9]{{3}}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T].*)?$')"
    found = source.ask(
        f"SELECT coalesce(bool_and({begins}), false) AS dated FROM {source.rows} WHERE {identifier(name)} IS NOT NULL",
        stage="values of columns",
        progress=progress,
    )
    return bool(found["dated"][0])


def _by_text(text: str, known: list[str]) -> str:
    """Return SQL for the position of a text among others, their number for anything else: an enumeration's code."""
    if not known:
        return "0"
    return f"coalesce(enum_code(TRY_CAST({text} AS ENUM ({', '.join(map(quoted, known))}))), {len(known)})"


def _by_number(number: str, known: list[float]) -> str:
    """Return the same for numbers: 0.0 and -0.0 are equal, and differ as texts."""
    if not known:
        return "0"
    cases = " ".join(f"WHEN {sql_number(value)} THEN {k}" for k, value in enumerate(known))
    return f"CASE {number} {cases} ELSE {len(known)} END"
