"""Tables of SQLite and DuckDB files, opened to be read only; views are not read, so that no query of theirs runs."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table
from arcwise.errors import FormatError, suggestion
from arcwise.mentions import Argument, Remedy
from arcwise.parquet import CLOSED
from arcwise.progress import ProgressCallback

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_duckdb", "read_sqlite"]


def read_sqlite(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a table of an SQLite file; views are not read."""
    del progress
    with tempfile.TemporaryDirectory() as folder:
        plain = _plain(source, Path(folder, "data.sqlite"))
        connection = sqlite3.connect(f"file:{plain}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            name = _chosen(source.name, [str(row[0]) for row in rows if not str(row[0]).startswith("sqlite_")], options)
            cursor = connection.execute(f"SELECT * FROM {_quoted(name)}")
            names = [item[0] for item in cursor.description]
            values = cursor.fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise FormatError(f"{source.name}: not a readable SQLite file: {error}.") from error
        finally:
            connection.close()
    return _table(source.name, names, zip(*values, strict=True) if values else ([] for _ in names), options)


def read_duckdb(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a table of a DuckDB file; views, which may read other files, are not."""
    del progress
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        plain = _plain(source, Path(folder, "data.duckdb"))
        try:
            with duckdb.connect(
                str(plain), read_only=True, config={**CLOSED, "enable_external_access": "false"}
            ) as connection:
                rows = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
                name = _chosen(source.name, [str(row[0]) for row in rows], options)
                frame = connection.execute(f"SELECT * FROM {_quoted(name)}").df()
        except duckdb.Error as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__).replace(str(plain), source.name)
            raise FormatError(f"{source.name}: not a readable DuckDB file: {reason}") from error
    return _marked(Table.from_dataframe(frame, source=source.name), options)


def _plain(source: Source, plain: Path) -> Path:
    """Return a file that holds the content under a plain name, by itself: no journal beside it is read."""
    plain.write_bytes(source.content.data)
    return plain


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _chosen(source: str, names: list[str], options: TextOptions) -> str:
    if options.table is not None:
        if options.table not in names:
            raise FormatError(f"{source}: {suggestion('table', options.table, names)}")
        return options.table
    if len(names) == 1:
        return names[0]
    if not names:
        raise FormatError(f"{source}: the file has no table.")
    raise FormatError(
        f"{source}: the file has {len(names)} tables: {', '.join(sorted(names)[:20])}.",
        remedies=Remedy("say which one with", Argument("table", sorted(names)[0])),
    )


def _table(source: str, names: list[str], columns: Iterable[Iterable[Any]], options: TextOptions) -> Table:
    import pandas as pd

    frame: pd.DataFrame = pd.DataFrame(dict(zip(names, map(_values, columns), strict=True)), columns=pd.Index(names))
    return _marked(Table.from_dataframe(frame, source=source), options)


def _values(column: Iterable[Any]) -> list[Any]:
    return [value.hex() if isinstance(value, bytes) else value for value in column]


def _marked(table: Table, options: TextOptions) -> Table:
    """Take text that stands for a missing value as such, as in other files."""
    return table.with_columns(
        column.relabel(dict.fromkeys(options.missing & set(column.labels)))
        for column in table.columns
        if not column.declared and options.missing & set(column.labels)
    )
