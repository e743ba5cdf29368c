"""Tables of SQLite and DuckDB files, opened to be read only; views are not read, so that no query of theirs runs."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

from arcwise.base.arrays import CLOSED, first_line, identifier
from arcwise.base.errors import Argument, FormatError, Remedy, suggestion
from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table


def read_sqlite(source: Source, options: TextOptions) -> Table:
    """Read a table of an SQLite file; views are not read."""
    import pandas as pd

    with tempfile.TemporaryDirectory() as folder:
        plain = _plain(source, Path(folder, "data.sqlite"))
        connection = sqlite3.connect(f"file:{plain}?mode=ro&immutable=1", uri=True)
        try:
            rows = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            known = sorted(str(row[0]) for row in rows if not str(row[0]).startswith("sqlite_"))
            name = chosen_table(source.name, known, options.table)
            cursor = connection.execute(f"SELECT * FROM {identifier(name)}")
            names = [item[0] for item in cursor.description]
            values = cursor.fetchall()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise FormatError(f"{source.name}: not a readable SQLite file: {error}.") from error
        finally:
            connection.close()
    rows = [[value.hex() if isinstance(value, bytes) else value for value in row] for row in values]
    columns = dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else {}
    frame = pd.DataFrame(columns, columns=pd.Index(names))
    return marked_missing(Table.from_dataframe(frame, source=source.name), options.missing)


def read_duckdb(source: Source, options: TextOptions) -> Table:
    """Read a table of a DuckDB file; views, which may read other files, are not."""
    import duckdb

    with tempfile.TemporaryDirectory() as folder:
        plain = _plain(source, Path(folder, "data.duckdb"))
        try:
            with duckdb.connect(
                str(plain), read_only=True, config={**CLOSED, "enable_external_access": "false"}
            ) as connection:
                rows = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
                name = chosen_table(source.name, sorted(str(row[0]) for row in rows), options.table)
                frame = connection.execute(f"SELECT * FROM {identifier(name)}").df()
        except duckdb.Error as error:
            reason = first_line(error).replace(str(plain), source.name)
            raise FormatError(f"{source.name}: not a readable DuckDB file: {reason}") from error
    return marked_missing(Table.from_dataframe(frame, source=source.name), options.missing)


def _plain(source: Source, plain: Path) -> Path:
    """Return the content under a plain name, by itself: no journal beside it is read. A DuckDB file is only linked."""
    if source.in_place and source.path is not None:
        plain.symlink_to(source.path.resolve())
    else:
        plain.write_bytes(source.content.data)
    return plain


def chosen_table(source: str, names: list[str], given: str | None, *, what: str = "table", of: str = "file") -> str:
    """Return the table of a data base to read, or the sheet of a workbook: the one that is named, else the only one."""
    if given is not None:
        if given not in names:
            raise FormatError(f"{source}: {suggestion(what, given, names)}")
        return given
    if len(names) == 1:
        return names[0]
    if not names:
        raise FormatError(f"{source}: the {of} has no {what}.")
    raise FormatError(
        f"{source}: the {of} has {len(names)} {what}s: {', '.join(names[:20])}.",
        remedies=Remedy("say which one with", Argument("table", names[0])),
    )


def marked_missing(table: Table, markers: frozenset[str]) -> Table:
    """Take text that stands for a missing value as such, as in other files."""
    return table.with_columns(
        column.relabel(dict.fromkeys(markers & set(column.labels)))
        for column in table.columns
        if not column.declared and markers & set(column.labels)
    )
