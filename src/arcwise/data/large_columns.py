"""`LargeSource`: a table on the disk that is asked by SQL, within a limit of memory, and that can be interrupted."""

from __future__ import annotations

import contextlib
import math
import os
import tempfile
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import CLOSED, KEY, first_line, identifier, load_duckdb, quoted
from arcwise.base.errors import Argument, DataError, FormatError, OptionError, Remedy
from arcwise.base.progress import ProgressCallback, ProgressEvent
from arcwise.data.column import (
    CODES,
    MAX_LEVELS,
    Column,
    ReaderCuts,
    names_identifier,
    names_numbering,
    spell,
    stands_for_missing,
)
from arcwise.data.discretize import equal_width, interval_labels
from arcwise.data.formats import duckdb_table
from arcwise.data.table import Table

if TYPE_CHECKING:
    import duckdb


POLL_SECONDS = 0.1  # how soon Ctrl-C is noticed
NAMES = {"parquet": "Parquet file or folder", "duckdb": "DuckDB file"}


@dataclass(eq=False)
class LargeSource:
    """The rows of a Parquet file, of a folder of them, or of a table of a DuckDB file. See `open_large`."""

    connection: duckdb.DuckDBPyConnection  # with its limits set
    rows: str  # what stands after FROM
    # The same with what tells rows apart, and the expression for that, equal whenever the file is read; for samples.
    numbered: tuple[str, str]
    name: str  # of the file, for messages
    plain: Path  # the file as DuckDB knows it
    progress: ProgressCallback  # is told how far each question is
    weight: str | None = None  # SQL for how many cases a row stands for, if not for one

    def __post_init__(self) -> None:
        self._marks = ("rowid",) if not self.rows.startswith("read_parquet") else ("file_row_number", "filename")
        described = self.connection.execute(f"DESCRIBE SELECT * FROM {self.rows}").fetchall()
        self.types: dict[str, str] = {row[0]: row[1] for row in described}
        self.n_rows = self._count()

    def _count(self) -> int:
        return int(self.connection.execute(f"SELECT count(*) FROM {self.rows}").fetchall()[0][0])

    def facts(self) -> list[bytes]:
        """Return what the metadata of the file, or of each file of a folder, say; () for a data base."""
        if not self.rows.startswith("read_parquet"):
            return []
        pattern = f"{self.plain}/**/*.parquet" if self.plain.is_dir() else str(self.plain)
        found = self.connection.execute(f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{KEY}'", [pattern])
        return [bytes(value) for (value,) in found.fetchall()]

    def enumerations(self) -> dict[str, list[str]]:
        """Return the states of the columns whose type declares them."""
        declared = {name: type_ for name, type_ in self.types.items() if type_.startswith("ENUM(")}
        return {
            name: list(self.connection.execute(f"SELECT enum_range(CAST(NULL AS {type_}))").fetchall()[0][0])
            for name, type_ in declared.items()
        }

    def limit_to_sample(self, size: int) -> None:
        """Keep about so many rows, drawn at random by the hash of their place: the same whenever it is asked."""
        if size >= self.n_rows:
            return
        taken = [name for name in self.types if name.lower() in self._marks]
        if taken:
            raise DataError(
                f"{self.name}: no sample can be drawn: the column '{taken[0]}' has the name by which DuckDB tells rows "
                "apart.",
                remedies=Remedy("rename the column"),
            )
        bound = int(2**64 * (size / self.n_rows))
        columns = ", ".join(map(identifier, self.types))
        rows, number = self.numbered
        self.rows = f"(SELECT {columns} FROM {rows} WHERE hash({number}) < {bound}::UBIGINT)"
        self.n_rows = self._count()

    def ask(
        self, query: str, values: Sequence[Any] = (), *, stage: str = "values of columns"
    ) -> dict[str, NDArray[Any]]:
        """Return the columns of an answer, which has to fit into memory.

        The query runs in a thread of its own, so that this one can tell how far it is, and hears of Ctrl-C.
        """
        with ThreadPoolExecutor(1, "arcwise-duckdb") as pool:
            answer = pool.submit(lambda: self.connection.execute(query, list(values)).fetchnumpy())
            try:
                while True:
                    try:
                        found: dict[str, Any] = answer.result(timeout=POLL_SECONDS)
                        return found
                    except NotYet:
                        self.progress(ProgressEvent(stage, max(0, int(self.connection.query_progress())), 100))
            except BaseException:
                self.connection.interrupt()
                raise


@contextlib.contextmanager
def open_large(
    path: Path,
    kind: str,
    *,
    table: str | None = None,
    memory: int,
    temporary: str | os.PathLike[str] | None = None,
    progress: ProgressCallback = lambda event: None,
) -> Iterator[LargeSource]:
    """Open a file ("parquet" or "duckdb") or a folder of Parquet files, in place, for questions by SQL.

    DuckDB takes * ? [ ] in a path for a pattern, and a journal beside a data base for part of it: a link has a plain
    name and nothing beside it. Once the file is open, nothing else can be: no other file, no extension.
    """
    duckdb = load_duckdb()
    kept = None if temporary is None else str(temporary)
    if kept is not None and not Path(kept).is_dir():
        raise DataError(Argument("temporary", kept), "is no folder.", remedies=Remedy("make it first"))
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryDirectory(dir=kept) as spilled:
        plain = Path(place, "data" if path.is_dir() else f"data.{kind}")
        plain.symlink_to(path.resolve(), target_is_directory=path.is_dir())
        config = {
            **CLOSED,
            "memory_limit": f"{max(64, memory // 2**20)}MiB",
            "temp_directory": spilled,
            "preserve_insertion_order": "false",
        }
        target = str(plain) if kind == "duckdb" else ":memory:"
        try:
            with duckdb.connect(target, read_only=kind == "duckdb", config=config) as connection:
                if kind == "duckdb":
                    rows = identifier(duckdb_table(connection, str(path), table))
                    numbered = rows, "rowid"
                    connection.execute("SET enable_external_access = false")
                else:
                    rows, numbered = _parquet_rows(plain)
                    # DuckDB asks where a link leads.
                    folders = [place, spilled, *([path.resolve()] if path.is_dir() else [])]
                    allowed = ", ".join(quoted(f"{one}/") for one in folders)
                    links = (one for one in path.glob("**/*.parquet") if one.is_symlink())  # they may lead out of it
                    files = ", ".join(quoted(str(one.resolve())) for one in (path, *links))
                    with contextlib.suppress(duckdb.CatalogException):  # DuckDB before 1.2 cannot name what is allowed
                        connection.execute(f"SET allowed_directories = [{allowed}]")
                        connection.execute(f"SET allowed_paths = [{files}]")
                        connection.execute("SET enable_external_access = false")
                connection.execute("SET enable_progress_bar = true")  # counted, and not printed
                connection.execute("SET enable_progress_bar_print = false")
                connection.execute("SET lock_configuration = true")
                yield LargeSource(connection, rows, numbered, str(path), plain, progress)
        except duckdb.OutOfMemoryException as error:
            raise DataError(
                f"{path}: the distinct rows could not be counted within {memory / 1e9:.3g} GB of memory and the room "
                f"for temporary files: {first_line(error)}",
                remedies=(
                    Remedy("give more", Argument("memory")),
                    Remedy("name a folder with more room:", Argument("temporary")),
                    Remedy("leave out columns with", Argument("drop")),
                ),
            ) from error
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except (duckdb.Error, UnicodeDecodeError) as error:
            reason = first_line(error).replace(str(plain), str(path))
            raise FormatError(f"{path}: not a readable {NAMES[kind]}: {reason}") from error


def _parquet_rows(plain: Path) -> tuple[str, tuple[str, str]]:
    """Return what stands after FROM, and that with what tells rows apart: the places of the file and of the row."""
    place = "file_row_number = true"
    if not plain.is_dir():
        one = quoted(str(plain))
        return f"read_parquet({one})", (f"read_parquet({one}, {place})", "file_row_number")
    files = f"{quoted(f'{plain}/**/*.parquet')}, union_by_name = true, hive_partitioning = true"
    number = f"substr(filename, {len(str(plain)) + 1}), file_row_number"
    return f"read_parquet({files})", (f"read_parquet({files}, filename = true, {place})", number)


# Labels by which rows are grouped as they are. A column with more is no variable of a network.
MOST_LABELS = 1000
# How far the estimate may be off; DuckDB's own is within 2 % to 5 %.
ERROR = 0.1
WHOLE = frozenset(
    ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT")
)


def is_number(type_: str) -> bool:
    """Return whether a type of DuckDB is one of numbers."""
    return type_ in WHOLE or type_ in ("FLOAT", "DOUBLE") or type_.startswith("DECIMAL")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """A column as one pass of aggregates shows it, from which follows whether rows can be grouped by it.

    A column that tells nearly every row apart (a number handed out, a time, a measurement) makes every row distinct,
    and counting distinct rows then saves nothing and takes all memory. It has to be recognised before, from its type,
    its name, its range and the number of its distinct values, which DuckDB estimates within a few per cent in one pass
    (HyperLogLog; Flajolet et al. 2007). What is then done about it is what is done about the same column of a small
    file.
    """

    name: str
    type: str  # as DuckDB calls it
    values: int  # how many rows have a value
    distinct: int  # how many different ones: about, where these are many
    low: float = 0.0  # the least and the largest number; 0 for what holds none
    high: float = 0.0
    is_whole: bool = False  # whether all numbers are whole

    @property
    def is_number(self) -> bool:
        """Whether the column holds numbers by its type."""
        return is_number(self.type)

    @property
    def is_date(self) -> bool:
        """Whether the column holds dates or times by its type."""
        return self.type.startswith(("DATE", "TIME", "INTERVAL"))

    def identifier_reason(self) -> str | None:
        """Return why the column is taken for an identifier; see `arcwise.data.column` for the reasons."""
        if self.distinct <= MAX_LEVELS:
            return None
        if not self.is_number:
            is_mostly_own = self.distinct > self.values // 2
            return f"about {self.distinct:,} distinct values in {self.values:,} rows" if is_mostly_own else None
        if not self.is_whole:
            return None
        if names_identifier(self.name):
            return f"about {self.distinct:,} different whole numbers, and a name that says so"
        if self.distinct >= (1 - ERROR) * self.values and (names_numbering(self.name) or self._is_too_dense):
            return f"about {self.distinct:,} whole numbers from {self.low:,.0f} to {self.high:,.0f} in as many rows"
        return None

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


def profile_columns(source: LargeSource, names: list[str], *, missing: Collection[float] = ()) -> list[ColumnProfile]:
    """Ask for the aggregates of columns, in one pass over the rows; `missing` are numbers that stand for gaps."""
    asked: list[str] = []
    for k, name in enumerate(names):
        column, number = identifier(name), number_sql(name, source.types[name], missing)
        numeric = is_number(source.types[name])
        has_gaps = numeric and number.startswith("CASE")  # beside NULL
        known = f"CASE WHEN {number} IS NULL THEN NULL ELSE {column} END" if has_gaps else column
        asked += [f"count({known}) AS values_{k}", f"approx_count_distinct({known}) AS distinct_{k}"]
        if numeric:
            asked += [f"coalesce(min({number}), 0) AS low_{k}", f"coalesce(max({number}), 0) AS high_{k}"]
            asked.append(f"coalesce(bool_and({number} = floor({number})), false) AS whole_{k}")
    found = source.ask(f"SELECT {', '.join(asked)} FROM {source.rows}", stage="profile of columns")
    row = {key: values[0] for key, values in found.items()}
    return [
        ColumnProfile(
            name,
            source.types[name],
            int(row[f"values_{k}"]),
            int(row[f"distinct_{k}"]),
            float(row.get(f"low_{k}", 0.0)),
            float(row.get(f"high_{k}", 0.0)),
            bool(row.get(f"whole_{k}", False)),
        )
        for k, name in enumerate(names)
    ]


# Whole numbers are coded by their distance from the least where that is less than this, and looked up otherwise.
CLOSE = 2**12
FAR = 2**62  # beyond, a BIGINT need not hold them


@dataclass(frozen=True, eq=False)
class CodedColumn:
    """A column as small whole numbers in SQL, and the label that each of them stands for.

    Grouping by a few machine words is several times quicker than by thirty columns of text, and takes less memory.
    The labels are made of the distinct values by the same code that reads small files, so that they are the same.
    """

    name: str  # this and the next two as in `Column`
    labels: tuple[str, ...]
    declared: bool
    expression: str  # SQL that gives a whole number from 0 to len(lookup) - 1 for every row
    lookup: NDArray[np.int64]  # the code of the label for each of these numbers; len(labels) for a missing value
    cuts: ReaderCuts | None = None  # where a column of numbers was cut

    def column(self, numbers: NDArray[np.int64]) -> Column:
        """Return the column of the rows with these numbers."""
        return Column.looked_up(self.name, self.lookup, numbers, self.labels, self.declared)


def distinct_values(source: LargeSource, name: str) -> dict[str, NDArray[Any]] | None:
    """Return the distinct values of a column, as text and as numbers, too, in order; None if there are too many."""
    column, type_ = identifier(name), source.types[name]
    number = "CAST(value AS DOUBLE)" if is_number(type_) else "NULL"
    if type_ in ("FLOAT", "DOUBLE"):
        column = f"CASE WHEN isnan({column}) THEN NULL ELSE {column} END"
    found = source.ask(
        f"SELECT value, CAST(value AS VARCHAR) AS text, {number} AS number "
        # By position: a column of the file may be called "value", too.
        f"FROM (SELECT {column} AS value FROM {source.rows} GROUP BY 1 LIMIT {MOST_LABELS + 2}) "
        "WHERE value IS NOT NULL ORDER BY value"
    )
    return None if len(found["text"]) > MOST_LABELS else found


def labelled_column(source: LargeSource, name: str, values: dict[str, NDArray[Any]]) -> CodedColumn:
    """Return a column that rows are grouped by as it is; `values` are its `distinct_values`."""
    import pandas as pd

    type_, texts = source.types[name], values["text"].tolist()
    # DuckDB hands out the widest whole numbers as floats, which beyond 2^53 are others.
    whole = [int(text) for text in texts] if type_ in WHOLE else []
    given = np.array(whole, dtype=object) if type_ in WHOLE else values["value"]
    series = pd.Series(given)
    if type_ == "TIMESTAMP WITH TIME ZONE":  # of which numpy has the time at Greenwich
        zone = str(source.ask("SELECT current_setting('TimeZone') AS zone")["zone"][0])
        series = series.dt.tz_localize("UTC").dt.tz_convert(zone)
    read = Table.from_dataframe(pd.DataFrame({name: series}), source=source.name).columns[0]
    codes = read.codes.astype(np.int64)
    column, missing = identifier(name), len(read.labels)
    if whole and whole[-1] - whole[0] < CLOSE and max(map(abs, (whole[0], whole[-1]))) < FAR:
        lookup = np.full(whole[-1] - whole[0] + 2, missing)
        lookup[np.array(whole) - whole[0]] = codes
        distance = f"CAST({column} AS BIGINT) - ({whole[0]})"
        return CodedColumn(name, read.labels, read.declared, f"coalesce({distance}, {len(lookup) - 1})", lookup)
    if is_number(type_) and type_ not in WHOLE:
        position = _by_number(f"CAST({column} AS DOUBLE)", values["number"].tolist())
    else:
        position = _by_text(f"CAST({column} AS VARCHAR)", texts)
    return CodedColumn(name, read.labels, read.declared, position, np.append(codes, missing))


def declared_column(source: LargeSource, name: str, states: Sequence[str]) -> CodedColumn:
    """Return a column of text whose states the file declares; another value is an error, as in a small file."""
    position = _by_text(f"CAST({identifier(name)} AS VARCHAR)", list(states))
    others = source.ask(
        f"SELECT count(*) AS n FROM {source.rows} WHERE {identifier(name)} IS NOT NULL AND {position} = {len(states)}"
    )
    if int(others["n"][0]):
        raise FormatError(f"{source.name}: column '{name}' has other states than the metadata. Write the file again.")
    return CodedColumn(name, tuple(states), True, position, np.arange(len(states) + 1))


def shortened_dates(source: LargeSource, name: str, part: str) -> CodedColumn | None:
    """Return a column of dates without their days, for whoever will take a part of them; None if they are no dates.

    Where years and months are too many together, what is not asked for is the same everywhere. The labels are dates
    still, so that the part is taken, and told of, as in a small file.
    """
    text = f"CAST({identifier(name)} AS VARCHAR)"
    if not _is_dated(source, name, text):
        return None
    other = f"substring({text}, 1, 4) || '-01'" if part == "year" else f"'2000-' || substring({text}, 6, 2)"
    for short in (f"substring({text}, 1, 7)", other):
        found = source.ask(
            f"SELECT value FROM (SELECT {short} AS value FROM {source.rows} GROUP BY 1 LIMIT {MOST_LABELS + 2}) "
            "WHERE value IS NOT NULL ORDER BY value"
        )
        labels = tuple(map(str, found["value"].tolist()))
        if len(labels) <= MOST_LABELS:
            return CodedColumn(name, labels, False, _by_text(short, list(labels)), np.arange(len(labels) + 1))
    return None


def _is_dated(source: LargeSource, name: str, text: str) -> bool:
    """Return whether all values begin with a year, a month and a day, as dates by type and many texts do."""
    type_ = source.types[name]
    if not (type_ == "VARCHAR" or type_.startswith(("DATE", "TIMESTAMP"))):
        return False
    begins = f"regexp_matches({text}, '^[12][0-9]{{3}}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([ T].*)?$')"
    found = source.ask(
        f"SELECT coalesce(bool_and({begins}), false) AS dated FROM {source.rows} WHERE {identifier(name)} IS NOT NULL"
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


METHODS = ("quantile", "width")
BUCKETS = 2**14  # each pass narrows the bounds by this factor
AT_ONCE = 10**6  # 8 MB of values
STAGE = "cut points"


def source_cuts(source: LargeSource, number: str, method: str, bins: int) -> NDArray[np.float64]:
    """Return the cut points of the numbers that an SQL expression gives; NULL are left out.

    They are those of `arcwise.data.discretize` for the same numbers in memory. DuckDB's exact quantile holds the whole
    column; its approximate one depends on the threads. Here a few passes over the column find the number at a rank:
    each counts the values between two bounds in `BUCKETS` buckets of equal width, with the least and the largest value
    of each, and goes on in the bucket that has the rank. That leaves the range of the values that are there, so ties
    and outliers cost a pass and not the answer (bucket sort's way to select; Knuth, The Art of Computer Programming 3,
    5.3.3, has selection by counting). With at most `AT_ONCE` values left, these are fetched.
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
    values = _values(source, number)
    low, high, count = _range(source, values)
    if not count:  # rows with a number all have the weight 0
        return np.zeros(0)
    if method == "width":
        return equal_width(np.array([low, high]), bins)
    # numpy's "inverted_cdf": the least number that at least the share k / bins of all do not exceed.
    ranks = [max(0, math.ceil(count * (k / bins) - 1)) for k in range(1, bins)]
    found = np.unique([_at_rank(source, values, rank, (low, high)) for rank in ranks])
    if found[0] < high:
        return np.asarray(found[found < high])
    below = source.ask(f"SELECT max(x) AS x FROM {values} WHERE x < ?", [high], stage=STAGE)
    return np.asarray(below["x"], dtype=np.float64)


def _values(source: LargeSource, number: str) -> str:
    """Return SQL for the numbers that there are, x, and in how many cases each row's is, w."""
    every = f"(SELECT {number} AS x, {source.weight or '1'} AS w FROM {source.rows})"
    return f"(SELECT x, w FROM {every} WHERE x IS NOT NULL AND w > 0)"


def _range(source: LargeSource, values: str) -> tuple[float, float, int]:
    ends = "coalesce(min(x), 0) AS low, coalesce(max(x), 0) AS high, CAST(coalesce(sum(w), 0) AS BIGINT) AS n"
    found = source.ask(f"SELECT {ends} FROM {values}", stage=STAGE)
    return float(found["low"][0]), float(found["high"][0]), int(found["n"][0])


def _at_rank(source: LargeSource, values: str, rank: int, between: tuple[float, float]) -> float:
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
        )
        ends = np.cumsum(np.asarray(counted["cases"], dtype=np.int64))
        here = int(np.searchsorted(ends, rank, side="right"))
        rank -= 0 if here == 0 else int(ends[here - 1])
        low, high = float(counted["low"][here]), float(counted["high"][here])
        if low < high and int(counted["n"][here]) <= AT_ONCE:
            few = source.ask(f"SELECT x, CAST(w AS BIGINT) AS w FROM {left}", [low, high], stage=STAGE)
            order = np.argsort(few["x"])
            ends = np.cumsum(np.asarray(few["w"], dtype=np.int64)[order])
            return float(few["x"][order][np.searchsorted(ends, rank, side="right")])
    return low


def cut_column(
    source: LargeSource,
    profile: ColumnProfile,
    method: str,
    bins: int,
    *,
    missing: Collection[float],
) -> CodedColumn:
    """Return a column of numbers that is cut into intervals before rows are grouped; `missing` stand for gaps."""
    if not (np.isfinite(profile.low) and np.isfinite(profile.high)) or not profile.values:
        raise FormatError(
            f"{source.name}: column '{profile.name}' holds infinite values or none at all; replace them, or leave the "
            "column out."
        )
    number = number_sql(profile.name, profile.type, missing)
    cuts = source_cuts(source, number, method, bins)
    labels = interval_labels(cuts)
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


def values_among(source: LargeSource, profile: ColumnProfile, values: Collection[float]) -> dict[float, int]:
    """Return which of some numbers a column has, and in how many rows."""
    if not values:
        return {}
    number = number_sql(profile.name, profile.type)
    found = source.ask(
        f"SELECT x, count(*) AS n FROM (SELECT {number} AS x FROM {source.rows}) "
        f"WHERE x IN ({', '.join(map(sql_number, values))}) GROUP BY x ORDER BY x"
    )
    return dict(zip(map(float, found["x"]), map(int, found["n"]), strict=True))


def missing_codes(
    source: LargeSource, profile: ColumnProfile, missing: Collection[float]
) -> tuple[dict[float, int], dict[float, int]]:
    """Return the numbers that certainly, and those that possibly, stand for a missing value, and their rows.

    `missing` are known to do so. The rest is as in the audit, which will see intervals only: -99 in a column of ages
    would otherwise be the lowest interval's, without a word.
    """
    present = values_among(source, profile, [code for code in CODES if code not in missing])
    found: tuple[dict[float, int], dict[float, int]] = {}, {}
    if not present:
        return found
    number = number_sql(profile.name, profile.type, {*CODES, *missing})
    others = source.ask(
        f"SELECT min(x) AS low, max(x) AS high, count(x) AS n FROM (SELECT {number} AS x FROM {source.rows})"
    )
    if not int(others["n"][0]):
        return found
    low, high, different = float(others["low"][0]), float(others["high"][0]), profile.distinct - len(present)
    for code, rows in present.items():
        stands = stands_for_missing(code, low, high, different) if rows > 1 else None
        if stands is not None:
            found[0 if stands else 1][code] = rows
    return found
