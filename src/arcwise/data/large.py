"""`Grouping`: how a file of more rows than memory is read, as its distinct rows with their counts."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import identifier
from arcwise.base.errors import Argument, DataError, FormatError, OptionError, Remedy, check_argument
from arcwise.base.files import parse_json
from arcwise.base.machine import available_memory
from arcwise.base.options import BINS, Group, option
from arcwise.base.progress import ProgressCallback
from arcwise.base.showing import one_screen
from arcwise.data import large_columns
from arcwise.data.checks import completed_header
from arcwise.data.column import MAX_LEVELS, Column, numbers_of, quoted, spell
from arcwise.data.columns import AS_ASKED
from arcwise.data.formats import Declared, check_joinable, marked_missing
from arcwise.data.large_columns import MOST_LABELS, CodedColumn, ColumnProfile, LargeSource, is_number, open_large
from arcwise.data.table import Table

if TYPE_CHECKING:
    from arcwise.data.read import ReadingSettings

# The distinct rows of a large source, and how often each occurs.
#
# The codes of a row are packed into as few whole numbers as hold them (mixed radix), rows are grouped by these, and
# the distinct ones are unpacked. They come in the order of their codes, whatever the threads and the memory were.


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
    source: LargeSource, columns: Sequence[CodedColumn], memory: int
) -> tuple[tuple[Column, ...], NDArray[np.int64]]:
    """Return the columns of the distinct rows, and how many rows (or how much weight) each stands for."""
    keys = packed([len(column.lookup) for column in columns])
    most = most_rows(memory, len(columns), len(keys))
    free = "key"
    while any(name.lower().startswith(free) for name in source.types):  # no column is to be taken for one of ours
        free += "_"
    names = [f"{free}_{k}" for k in range(len(keys))]
    coded = ", ".join(f"{_pack([columns[v] for v in own])} AS {name}" for own, name in zip(keys, names, strict=True))
    counted = "count(*)" if source.weight is None else f"CAST(sum({free}_weight) AS BIGINT)"
    weight = "" if source.weight is None else f", {source.weight} AS {free}_weight"
    rows = f"(SELECT {coded}{weight} FROM {source.rows})"
    key = names[0] if len(names) == 1 else f"hash({', '.join(names)})"
    about = source.ask(f"SELECT approx_count_distinct({key}) AS n FROM {rows}", stage="estimate of distinct rows")
    if int(about["n"][0]) > ESTIMATE * most:
        raise _too_many(source, columns, f"about {int(about['n'][0]):,}", most, memory)
    listed = ", ".join(names)
    source.ask(
        f"CREATE OR REPLACE TEMP TABLE row_groups AS SELECT {listed}, {counted} AS n FROM {rows} GROUP BY {listed}",
        stage="distinct rows",
    )
    count = source.ask("SELECT count(*) AS n FROM row_groups", stage="distinct rows")
    if int(count["n"][0]) > most:
        raise _too_many(source, columns, f"{int(count['n'][0]):,}", most, memory)
    found = source.ask("SELECT * FROM row_groups", stage="distinct rows")
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
    widest_words = ", ".join(f"'{column.name}' ({len(column.labels):,})" for column in widest)
    return DataError(
        f"{source.name}: {source.n_rows:,} rows have {count} distinct ones, and {most:,} fit into {memory / 1e9:.3g} "
        f"GB of memory. The columns with the most labels are {widest_words}.",
        remedies=(
            Remedy("leave out columns with", Argument("drop")),
            Remedy("cut numbers into fewer bins with", Argument("bins", 2)),
            Remedy("take a sample of the rows with", Argument("sample", most)),
            Remedy("allow more", Argument("memory")),
        ),
    )


# Files with more cells are read as their distinct rows. A fixed number, not one of this machine: the order of the rows,
# and with it what a seed draws, follows from it.
GROUPED_CELLS = 10**8
# What reading may take unless it is said: DuckDB has one half, and the distinct rows the other.
MEMORY = 4.0
LEAST_MEMORY = 0.2
TOO_MANY = f"has more than {MOST_LABELS:,} distinct values, more than rows can be grouped by"
GIGABYTE = 10**9
# What DuckDB can group on the disk.
KINDS = ("parquet", "duckdb")


@one_screen
@dataclass(frozen=True, slots=True)
class Grouping:
    """How a Parquet file, a folder of them or a DuckDB table is read as distinct rows with weights.

    Parameters
    ----------
    always
        Whether to group the rows: by default those of a file with more than 10^8 cells. False reads every file whole.
    memory
        Gigabytes that reading may take, about: DuckDB gets half of them, and writes what is more to the disk; the
        distinct rows have to fit into the other half. Default: 4, or what is free.
    temporary
        A folder for what does not fit into memory; by default that of the system.
    sample
        Read about this many rows, drawn at random; the same ones every time.
    discretize, bins
        How to cut columns of numbers with more than 20 distinct values: "quantile" or "width"; None refuses them.
    leave_out
        Whether to leave out columns that tell nearly every row apart: identifiers, dates, texts. Otherwise they are
        refused.
    dates
        Group by dates, because a part of them will be taken: "year" or "month". Where there are more than a thousand,
        the days are left out before rows are counted.
    columns, drop
        Columns to read, None for all, and columns to leave out, in addition to those of the reader.
    keep, categories
        Columns that are variables, and numbers that are categories, whatever they look like.
    max_levels
        Up to so many distinct numbers are categories.
    missing
        What counts as a missing value in columns of numbers that are cut.
    """

    always: bool | None = option(
        None,
        "read a Parquet or DuckDB file of more than 10^8 cells whole, not as its distinct rows",
        flags=("--whole",),
        switch=False,
        group=Group.DATA,
        rare=True,
    )
    memory: float | None = option(
        None,
        "gigabytes for reading a Parquet or DuckDB file of more than 10^8 cells, which is read as its distinct rows",
        usual=f"{MEMORY:g}, or what is free",
        recorded=False,
        group=Group.DATA,
        rare=True,
        metavar="GIGABYTES",
    )
    temporary: str | os.PathLike[str] | None = option(
        None,
        "a folder for what does not fit into that memory",
        usual="the system's",
        recorded=False,
        group=Group.DATA,
        rare=True,
        metavar="FOLDER",
    )
    sample: int | None = option(
        None,
        "read about this many rows of a Parquet or DuckDB file, drawn at random; the same ones every time",
        usual="all",
        group=Group.DATA,
        rare=True,
        metavar="ROWS",
    )
    discretize: str | None = None
    bins: int = BINS
    leave_out: bool = False
    dates: str | None = None
    columns: Collection[str] | None = None
    drop: Collection[str] = ()
    keep: Collection[str] = ()
    categories: Collection[str] | bool = ()
    max_levels: int = MAX_LEVELS
    missing: Collection[str] = ()

    def __post_init__(self) -> None:
        enough = self.memory is None or (_is_number(self.memory) and LEAST_MEMORY <= self.memory < math.inf)
        check_argument(enough, "memory", self.memory, f"must be at least {LEAST_MEMORY} gigabytes.")
        check_argument(_is_whole(self.bins, 2), "bins", self.bins, "must be an integer of at least 2.")
        if self.sample is not None:
            check_argument(_is_whole(self.sample, 1), "sample", self.sample, "must be a whole number, at least 1.")
            if self.always is False:
                raise OptionError(
                    Argument("sample", self.sample),
                    "is drawn while rows are grouped, and the file is to be read whole.",
                    remedies=(Remedy("leave it out"), Remedy("do not ask for", Argument("whole", True))),
                )

    @property
    def half(self) -> int:
        """Half of the limit of memory, in bytes."""
        free = available_memory()
        usual = MEMORY if free is None else max(LEAST_MEMORY, min(MEMORY, free / GIGABYTE))
        return int((self.memory or usual) * GIGABYTE / 2)

    def is_category(self, name: str) -> bool:
        """Return whether a column of numbers is one of categories."""
        return self.categories if isinstance(self.categories, bool) else name in self.categories

    @property
    def missing_numbers(self) -> frozenset[float]:
        """The numbers among what counts as a missing value."""
        found = (numbers_of([str(marker)]) for marker in self.missing)
        return frozenset(float(number[0]) for number in found if number is not None)


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_whole(value: Any, least: int) -> bool:
    return _is_number(value) and value >= least and value % 1 == 0


def is_grouped(path: Path, kind: str, settings: ReadingSettings) -> bool:
    """Return whether a file is to be read as its distinct rows: by what was said, else by its size."""
    grouping = settings.grouping
    if kind not in KINDS or grouping.always is not None or grouping.sample is not None:
        return kind in KINDS and grouping.always is not False
    try:
        with open_large(path, kind, table=settings.table, memory=grouping.half) as source:
            return source.n_rows * len(source.types) > GROUPED_CELLS
    except FormatError:  # whoever reads it whole says what is wrong
        return False


def read_grouped(
    path: Path,
    kind: str,
    settings: ReadingSettings,
    wanted: tuple[Collection[str] | None, Collection[str]],
    progress: ProgressCallback,
) -> Table:
    """Return the distinct rows of a file or folder, weighted by how often they occur.

    `wanted` are the columns to read, None for all, and those to leave out.
    """
    grouping, markers = settings.grouping, frozenset(settings.missing)
    if kind == "duckdb":
        grouping = replace(grouping, missing=(*grouping.missing, *markers))
    memory = grouping.half
    with open_large(
        path, kind, table=settings.table, memory=memory, temporary=grouping.temporary, progress=progress
    ) as source:
        states, renamed, weighed, _ = _facts(source, path.is_dir())
        names, named = completed_header([renamed.get(name, name) for name in source.types])
        shown = dict(zip(names, source.types, strict=True))
        of_file = source.n_rows
        if grouping.sample is not None:
            source.limit_to_sample(grouping.sample)
        if source.n_rows == 0:
            raise DataError(f"{source.name}: there are no rows; a data set needs at least one row.")
        weights = settings.counts or weighed
        special = [name for name in (weights, settings.interventions) if name is not None]
        chosen = _chosen(source, shown, (grouping.columns, grouping.drop), special)
        left = {name: AS_ASKED for name in shown if name not in chosen}
        chosen = [name for name in _chosen(source, shown, wanted, special) if name in chosen]
        source.weight = None if weights is None else _weight(source, shown[weights])
        variables = {name: shown[name] for name in chosen if name != weights}
        columns, notes, unfit = _coded(source, variables, states, grouping)
        found, counts = group_rows(source, columns, memory)
    sample = "" if of_file == source.n_rows else f", a sample of about {grouping.sample:,} of {of_file:,},"
    read = f"Read {source.n_rows:,} rows{sample} as {len(counts):,} distinct ones, which count as often as they occur."
    table = Table(
        found,
        source.name,
        counts,
        notes=(read, *notes),
        renamed={name: reason for name, reason in named.items() if name in variables},
        left_out=left | unfit,
        is_grouped=True,
        reader_cuts={column.name: column.cuts for column in columns if column.cuts is not None},
        file_names=tuple(shown),
    )
    # Text of a data base is read as that of other files is, and Parquet has NULL.
    return marked_missing(table, markers) if kind == "duckdb" else table


def _facts(source: LargeSource, is_folder: bool) -> Declared:
    """Return what a file of ours declares, as `read_parquet` does, and what types of columns do."""
    found = Declared({}, {}, None)
    if is_folder:
        check_joinable(source.facts(), source.name)
    else:
        for value in source.facts():
            facts = parse_json(value, source=f"{source.name}: the facts in the file's metadata")
            found = Declared.of(facts, source.types, source.name) if isinstance(facts, dict) else found
    return found._replace(states=found.states | source.enumerations())


def _chosen(
    source: LargeSource,
    shown: Mapping[str, str],
    wanted: tuple[Collection[str] | None, Collection[str]],
    special: list[str],
) -> list[str]:
    """Return the columns to read, by the names that the user knows."""
    none = np.zeros(0, dtype=np.uint8)
    all_names = Table(tuple(Column(name, none, ()) for name in shown), source.name)
    columns, drop = wanted
    for name in special:
        all_names.column(name)
    kept = list(shown) if columns is None else [*all_names.checked_names(columns, Argument("columns")), *special]
    gone = set(all_names.checked_names(drop, Argument("drop")))
    return [name for name in dict.fromkeys(kept) if name not in gone]


def _weight(source: LargeSource, name: str) -> str:
    """Return the SQL of a row's weight, or say why a column cannot weigh rows."""
    column = identifier(name)
    whole = f"coalesce({column} >= 0 AND {column} = floor({column}) AND isfinite(CAST({column} AS DOUBLE)), false)"
    counts = f"count(*) FILTER (NOT {whole}) AS bad, count(*) FILTER ({column} > 0) AS some"
    numeric = is_number(source.types[name])
    found = source.ask(f"SELECT {counts} FROM {source.rows}", stage="weights") if numeric else {"bad": [True]}
    if found["bad"][0]:
        raise DataError(
            f"{source.name}: column '{name}' cannot weigh rows: it must hold whole numbers from 0 on, and no gaps."
        )
    if not found["some"][0]:
        raise DataError(f"{source.name}: all weights, in column '{name}', are 0: there are no rows.")
    return column


def _coded(
    source: LargeSource, columns: Mapping[str, str], states: Mapping[str, list[str]], grouping: Grouping
) -> tuple[list[CodedColumn], list[str], dict[str, str]]:
    """Return the columns by which rows are grouped, what was done about the others, and why some are left out."""
    missing = grouping.missing_numbers
    profiles = large_columns.profile_columns(source, list(columns.values()), missing=missing)
    coded: list[CodedColumn] = []
    notes: list[str] = []
    left: dict[str, str] = {}
    refused: list[tuple[str, str, bool]] = []
    for (name, stored), profile in zip(columns.items(), profiles, strict=True):
        own: CodedColumn | None = None
        if stored in states:
            own = large_columns.declared_column(source, stored, states[stored])
        else:
            values = large_columns.distinct_values(source, stored) if profile.distinct <= 2 * MOST_LABELS else None
            if values is not None:
                gaps = np.isin(values["number"], list(missing)).sum() if profile.is_number else 0
                profile = replace(profile, distinct=len(values["text"]) - int(gaps))  # noqa: PLW2901
            is_kept = values is not None and _is_kept(name, profile, grouping)
            why = None if is_kept else profile.why_not_grouped(grouping.max_levels)
            why = why or (TOO_MANY if values is None else None)
            short = None if why is None else _without_days(source, name, stored, grouping)
            is_quantity = profile.is_number and (profile.identifier_reason() is None or name in grouping.keep)
            if short is not None:
                own = short
                notes.append(f"Left out the days of column '{name}', which holds dates, before rows were counted.")
            elif why is None and values is not None:
                own = large_columns.labelled_column(source, stored, values)
            elif is_quantity and grouping.discretize is not None and not grouping.is_category(name):
                own, sentences = _cut(source, name, profile, grouping)
                notes += sentences
            elif grouping.leave_out and not is_quantity:
                notes.append(f"Left out column '{name}', which {why}.")
                left[name] = f"since it {why}"
            else:
                refused.append((name, str(why), is_quantity))
        if own is not None:
            coded.append(replace(own, name=name))
    if refused:
        raise _refusal(source, refused)
    if not coded:
        raise DataError(f"{source.name}: no column is left; at least two variables are needed.")
    return coded, notes, left


def _without_days(source: LargeSource, name: str, stored: str, grouping: Grouping) -> CodedColumn | None:
    """Return dates by which rows cannot be grouped without their days, if a part of them will be taken."""
    named = () if isinstance(grouping.categories, bool) else grouping.categories
    if grouping.dates is None or name in grouping.keep or name in named:
        return None
    return large_columns.shortened_dates(source, stored, grouping.dates)


def _cut(source: LargeSource, name: str, profile: ColumnProfile, grouping: Grouping) -> tuple[CodedColumn, list[str]]:
    """Return a column of numbers cut into intervals, and what there is to say about it.

    Numbers that stand for missing values are taken as such if that was agreed to, as in a small file; otherwise, or if
    most rows have them, somebody has to say so.
    """
    assert grouping.discretize is not None
    missing, notes = grouping.missing_numbers, []
    present = large_columns.values_among(source, profile, missing)
    if present:
        notes.append(f"Took {_listed(present)} as missing, as asked, in column '{name}'.")
    sure, unsure = ({}, {}) if name in grouping.keep else large_columns.missing_codes(source, profile, missing)
    if sure and (not grouping.leave_out or 2 * sum(sure.values()) > source.n_rows):
        raise DataError(
            f"{source.name}: column '{name}', which is to be cut into bins, has {_listed(sure)} in "
            f"{sum(sure.values()):,} rows, out of the range of the others: missing values, as it looks.",
            remedies=(
                Remedy("say so with", Argument("missing", [spell(code) for code in sure])),
                Remedy("say that they are numbers as others are:", Argument("keep", [name])),
            ),
        )
    if sure:
        notes.append(f"Took {_listed(sure)} as missing in column '{name}'.")
    if unsure:
        notes.append(
            f"Column '{name}' has {_listed(unsure)}, which may stand for missing values, and counts as others."
        )
    own = large_columns.cut_column(source, profile, grouping.discretize, grouping.bins, missing={*present, *sure})
    how = "with about equally many rows" if grouping.discretize == "quantile" else "of equal width"
    notes.append(f"Cut column '{name}' into {len(own.labels)} bins {how}, before rows were counted.")
    return own, notes


def _listed(numbers: Mapping[float, int]) -> str:
    return quoted([spell(number) for number in numbers])


def _is_kept(name: str, profile: ColumnProfile, grouping: Grouping) -> bool:
    """Return whether a column is taken with its labels because somebody said so."""
    is_kept = name in grouping.keep or (grouping.dates is not None and profile.is_date)
    return grouping.is_category(name) or (is_kept and not profile.is_number)


def _refusal(source: LargeSource, refused: list[tuple[str, str, bool]]) -> DataError:
    shown = "; ".join(f"column '{name}' {why}" for name, why, _ in refused[:6])
    more = f"; and {len(refused) - 6} more columns" if len(refused) > 6 else ""
    numbers, others = ([name for name, _, is_quantity in refused if is_quantity is kind] for kind in (True, False))
    remedies: list[Remedy] = []
    if others:
        remedies.append(Remedy("leave out with", Argument("drop", others)))
        remedies.append(Remedy("agree to that in", Argument("agree", True)))
    if numbers:
        remedies.append(Remedy("cut numbers into bins with", Argument("discretize", "quantile")))
        remedies.append(Remedy("say that they are categories:", Argument("categories", numbers)))
    remedies.append(Remedy("read the file whole, if memory holds it, with", Argument("whole", True)))
    return DataError(
        f"{source.name}: the {source.n_rows:,} rows cannot be grouped: {shown}{more}.", remedies=tuple(remedies)
    )
