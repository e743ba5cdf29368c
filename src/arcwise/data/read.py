"""`read_table` and `read_data`: data files of every format, by one function each."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from arcwise.base.errors import Argument, DataWarning, FormatError, OptionError, Remedy, check_known
from arcwise.base.files import format_of
from arcwise.base.options import Group, gather, option
from arcwise.base.progress import ProgressCallback, show_progress
from arcwise.base.showing import one_screen
from arcwise.data import formats, large
from arcwise.data.checks import Conditions
from arcwise.data.column import MISSING, quoted
from arcwise.data.columns import listed_names
from arcwise.data.dataset import Dataset
from arcwise.data.large import Grouping
from arcwise.data.source import STDIN, InputFile, TextOptions, open_source
from arcwise.data.table import Table

if TYPE_CHECKING:
    from arcwise.keywords import ReadingKeywords

# Formats, and the suffixes that stand for them.
FORMATS: dict[str, tuple[str, ...]] = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "arff": (".arff",),
    "lau": (".lau",),
    "xlsx": (".xlsx",),
    "jsonl": (".jsonl", ".ndjson"),
    "sqlite": (".sqlite", ".sqlite3", ".db"),
    "duckdb": (".duckdb", ".ddb"),
}
USUAL_GROUPING = Grouping()


@one_screen
@dataclass(frozen=True, slots=True)
class ReadingSettings:
    """How `read_data` and `read_table` take a file apart.

    Parameters
    ----------
    format
        "csv", "tsv", "parquet", "arff", "lau", "xlsx", "jsonl", "sqlite" or "duckdb"; by default what the suffix says
        (before ".gz"), and for standard input what the content looks like. A folder holds Parquet files. See
        `arcwise.data.formats` for the definition of Lau's format.
    separator
        The character between the fields of a CSV or TSV file; by default what the
        first lines show: a comma, a semicolon, a tab or a bar.
    header
        Whether the first line of a CSV or TSV file, or row of a sheet, names the columns; if not, they are X0, X1, ...
        By default the first line does, unless it is a title above a header: see `arcwise.data.source`.
    missing
        What counts as a missing value, after stripping spaces; () if nothing does.
    merge
        Take labels of one column that differ only by spaces around them, or only in how they write the same number
        ("1" and "1.0"), for one; otherwise they are an error.
    counts
        A column that says how often each row occurs.
    table
        The table of a data base, or the sheet of a workbook; by default the only one.
    interventions, conditions
        A column that names the variables which an experiment set in each row, and what its labels stand for where they
        are not variables; see `Table.with_interventions`.
    groups
        A column that says which rows belong together; see `Table.with_groups`.
    weights, replicate_weights
        A column of survey weights, and columns of replicate weights, by name or pattern; see `Table.with_survey`.
    grouping
        How a Parquet file, a folder of them or a DuckDB table of more rows than memory is read: as its distinct rows.
        That is so from 10^8 cells on.
    """

    format: str | None = option(
        None,
        "the format: csv, tsv, parquet, arff, lau, xlsx, jsonl, sqlite or duckdb",
        usual="what the suffix says",
        group=Group.DATA,
        rare=True,
    )
    separator: str | None = option(
        None,
        "field separator of a text file",
        usual="what the first lines show: a comma, a semicolon, a tab or a bar",
        group=Group.DATA,
        rare=True,
        metavar="SIGN",
    )
    header: bool | None = option(
        None,
        "whether the first line is a header",
        usual="in the first line that is no title",
        names={"first": True, "none": False},
        group=Group.DATA,
        rare=True,
        metavar="first|none",
    )
    missing: Collection[str] = MISSING
    merge: bool = False
    counts: str | None = None
    table: str | None = option(
        None, "the table of a data base or the sheet of a workbook", usual="the only one", group=Group.DATA, rare=True
    )
    interventions: str | None = option(
        None,
        "a column with the variables that an experiment set in each row, separated by semicolons; empty for none",
        usual="the data are observations",
        metavar="COLUMN",
        group=Group.DATA,
        rare=True,
    )
    conditions: Conditions | None = option(
        None,
        "what a label of the column of interventions sets, LABEL=VARIABLE;VARIABLE, or LABEL= for nothing; may be "
        "repeated",
        kind=tuple,
        flags=("--condition",),
        metavar="LABEL=NAME",
        group=Group.DATA,
        rare=True,
    )
    groups: str | None = None
    weights: str | None = None
    replicate_weights: tuple[str, ...] = ()
    grouping: Grouping = USUAL_GROUPING


def read_data(
    path: str | os.PathLike[str],
    *,
    states: Mapping[str, Iterable[object]] | None = None,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    categorical: Iterable[str] | bool = False,
    max_levels: int | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ReadingKeywords],
) -> Dataset:
    """Read discrete, complete data from a file. See `read_table` for data that need imputation or discretisation.

    Parameters
    ----------
    path, columns, drop, progress
        As in `read_table`.
    states, categorical, max_levels
        As in `Dataset.from_dataframe`. States that no row shows count. The states of other columns are the ones
        declared in the file (ARFF, Parquet enumerations), else the sorted observed ones, numbers in numerical order.
    settings
        The fields of `ReadingSettings` by keyword, such as ``separator=";"`` or ``counts="count"``, or a whole one as
        ``settings=``.

    Raises
    ------
    FormatError
        If the file is not what it should be; the message names file, line and column.
    DataError
        If the data are not discrete and complete, or not a data set: see `Dataset.from_dataframe`.
    """
    chosen = gather(ReadingSettings, read_data, settings)
    if not isinstance(categorical, bool):
        categorical = listed_names(categorical)
    grouping = replace(
        chosen.grouping,
        categories=categorical or chosen.grouping.categories,
        max_levels=chosen.grouping.max_levels if max_levels is None else max_levels,
    )
    table = read_table(path, columns=columns, drop=drop, progress=progress, settings=replace(chosen, grouping=grouping))
    warn_of_titles(table)
    return table.to_dataset(states=states, categorical=categorical, max_levels=max_levels)


def read_table(
    path: str | os.PathLike[str],
    *,
    columns: Iterable[str] | None = None,
    drop: Iterable[str] = (),
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ReadingKeywords],
) -> Table:
    """Read a data file as it is, with missing values and numbers, for `impute` and `discretize`.

    Parameters
    ----------
    path
        The file, plain or gzip; a folder of Parquet files; "-" is standard input.
    columns, drop
        Read only these columns; leave these out.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `ReadingSettings` by keyword, such as ``separator=";"`` or ``missing=["?"]``, or a whole one as
        ``settings=``.

    Notes
    -----
    CSV is read as RFC 4180 has it: UTF-8, with or without a byte-order mark; lines end in LF, CRLF or CR; a field in
    double quotes may contain separators, line ends and doubled quotes. Spaces around a field do not count, and lines
    of nothing but spaces are skipped, and so are titles above the header, which `Table.above` then has. Every line must
    have as many fields as the header.
    """
    chosen = gather(ReadingSettings, read_table, settings)
    if isinstance(chosen.missing, str):
        raise OptionError(Argument("missing"), f"takes a list of markers, not one string: ['{chosen.missing}'].")
    markers = frozenset(str(marker).strip() for marker in chosen.missing)
    chosen = replace(chosen, missing=markers)
    listed = None if columns is None else listed_names(columns), listed_names(drop)
    source, kind, is_grouped = None, "parquet", True
    if not (Path(path).is_dir() and any(Path(path).glob("**/*.parquet"))):
        source = open_source(path)
        kind = _format_of(path, source, chosen.format)
        if source.content.size == 0:
            raise FormatError(f"{source.name}: the file is empty.")
        _check_content(source, kind, chosen.format is not None)
        is_grouped = source.in_place
    is_grouped = is_grouped and large.is_grouped(Path(path), kind, chosen)
    if not is_grouped and source is not None and chosen.grouping.sample is not None:
        raise OptionError(
            Argument("sample", chosen.grouping.sample),
            f"needs Parquet files, folders of them or DuckDB files; {source.name} is read whole.",
            remedies=(Remedy("leave it out"), Remedy("write the data as Parquet first")),
        )
    given = [(name, value) for name in ("groups", "weights") if (value := getattr(chosen, name)) is not None]
    if is_grouped and given:
        raise OptionError(
            Argument(*given[0]),
            f"says how each row was drawn, and {path} is read as its distinct rows.",
            remedies=Remedy("read it whole, if memory holds it, with", Argument("whole", True)),
        )
    with show_progress(progress) as callback:
        if is_grouped:
            table = large.read_grouped(Path(path), kind, chosen, listed, callback)
        elif source is None:
            table = formats.read_parquet_folder(Path(path))
        else:
            options = TextOptions(chosen.separator, chosen.header, markers, chosen.merge, chosen.table, callback)
            table = _READERS[kind](source, options)
    if chosen.interventions is not None:  # first: the column is not among those to select
        table = table.with_interventions(chosen.interventions, chosen.conditions)
    table = table.with_design(chosen.groups, chosen.weights, chosen.replicate_weights)
    if is_grouped:  # as the columns that were chosen, with their weights
        return table
    if columns is not None:
        table = table.select(table.checked_names(listed[0] or (), Argument("columns")))
    table = table.drop(table.checked_names(listed[1], Argument("drop")))
    return table if chosen.counts is None else table.with_counts(chosen.counts)


def warn_of_titles(table: Table) -> None:
    """Warn that titles above the header were skipped, where no audit says it."""
    if table.above:
        warnings.warn(
            f"{table.prefix}the lines above the header were skipped: {quoted(table.above, 4)}.",
            DataWarning,
            stacklevel=3,
        )


def _format_of(path: str | os.PathLike[str], source: InputFile, given: str | None) -> str:
    if given is not None:
        check_known("format", given, FORMATS)
        return given
    if str(path) == STDIN:
        if source.is_parquet():
            return "parquet"
        if source.is_arff():
            return "arff"
        if source.head(16).lstrip().startswith(b"{"):
            return "jsonl"
        first = source.head().splitlines()[:1]
        return "tsv" if first and b"\t" in first[0] and b"," not in first[0] else "csv"
    remedy = Remedy("give", Argument("format", "csv"), f"or another of {', '.join(FORMATS)}")
    return format_of(path, FORMATS, "which format it is", remedy)


def _check_content(source: InputFile, kind: str, was_given: bool) -> None:
    """Refuse a file that is clearly something other than its format says."""
    found = "parquet" if source.is_parquet() else "arff" if source.is_arff() else None
    looks = {"parquet": "a Parquet file", "arff": "an ARFF file", None: source.binary_kind()}[found]
    if kind == found or (kind not in FOREIGN_KINDS and looks == KINDS.get(kind)):
        return
    remedies = [Remedy("convert it"), Remedy("correct the name")]
    if found is not None and kind != "parquet":
        remedies = [Remedy("give", Argument("format", found))]
    elif looks is None and kind != "parquet":
        remedies = [Remedy("give its real", Argument("format"))]
    looks = looks or FOREIGN_KINDS.get(kind, "something else")
    says = Argument("format", kind) if was_given else "its suffix"
    raise FormatError(f"{source.name}: this is {looks}, not {kind.upper()} as", says, "says.", remedies=remedies)


# What others are called that are not of these formats.
FOREIGN_KINDS = {
    "parquet": "text or something else",
    "arff": "something else: its first line does not start with @relation",
}
# What files of these formats begin with, as `InputFile.binary_kind` calls it.
KINDS = {
    "xlsx": "a zip archive or Excel workbook",
    "sqlite": "an SQLite data base",
    "duckdb": "a DuckDB data base",
}
_READERS: dict[str, Callable[[InputFile, TextOptions], Table]] = {
    "csv": formats.read_delimited,
    "tsv": lambda source, options: formats.read_delimited(
        source, replace(options, separator=options.separator or "\t")
    ),
    "parquet": formats.read_parquet,
    "arff": formats.read_arff,
    "lau": formats.read_lau,
    "xlsx": formats.read_workbook,
    "jsonl": formats.read_json_lines,
    "sqlite": formats.read_sqlite,
    "duckdb": formats.read_duckdb,
}
