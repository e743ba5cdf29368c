"""Parquet files through DuckDB: written whole or not at all, with facts (JSON) in the file's own metadata."""

from __future__ import annotations

import errno
import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.errors import FormatError, unreadable
from arcwise.files import atomic_path, parse_json

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

__all__ = [
    "CLOSED",
    "KEY",
    "ParquetFile",
    "first_line",
    "identifier",
    "open_parquet",
    "quoted",
    "read_parquet",
    "write_parquet",
]

KEY = "arcwise"
# No extension may be loaded or fetched for a file that is not ours.
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


class ParquetFile:
    """An open Parquet file: its facts, and its columns all at once or one by one. See `open_parquet`."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, plain: Path, name: str) -> None:
        self._connection, self._plain, self._name = connection, plain, name

    def facts(self) -> dict[str, Any] | None:
        """Return the facts in the file's metadata, or None if it has none."""
        rows = self._execute(f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{KEY}'").fetchall()
        if not rows:
            return None
        facts = parse_json(bytes(rows[0][0]), source=f"{self._name}: the facts in the file's metadata")
        if not isinstance(facts, dict):
            raise FormatError(f"{self._name}: the facts in the file's metadata are no table. Write the file again.")
        return facts

    def types(self) -> dict[str, str]:
        """Return the type of every column, as DuckDB calls it."""
        return {row[0]: row[1] for row in self._execute("DESCRIBE SELECT * FROM read_parquet(?)").fetchall()}

    def frame(self, states: Mapping[str, Sequence[str]] | None = None) -> pd.DataFrame:
        """Return the whole table; columns of text with `states` are categorical, and what is no state is missing."""
        cast = ", ".join(
            f"TRY_CAST({identifier(name)} AS ENUM ({', '.join(map(quoted, own))})) AS {identifier(name)}"
            for name, own in (states or {}).items()
        )
        return self._execute(f"SELECT * {f'REPLACE ({cast})' if cast else ''} FROM read_parquet(?)").df()

    def counts(self, names: Sequence[str]) -> list[int]:
        """Return how many rows of each column have a value."""
        if not names:
            return []
        counted = ", ".join(f"count({identifier(name)})" for name in names)
        return list(self._execute(f"SELECT {counted} FROM read_parquet(?)").fetchall()[0])

    def column(self, name: str) -> Any:
        """Return one column as a (masked) numpy array."""
        return self._execute(f'SELECT {identifier(name)} AS "column" FROM read_parquet(?)').fetchnumpy()["column"]

    def _execute(self, query: str) -> duckdb.DuckDBPyConnection:
        return self._connection.execute(query, [str(self._plain)])


def write_parquet(frame: pd.DataFrame, path: str | os.PathLike[str], *, facts: Mapping[str, Any] | None = None) -> None:
    """Write a table atomically; `facts` (what JSON can hold) go into the file's key-value metadata."""
    import duckdb

    metadata = ""
    if facts is not None:
        metadata = f", KV_METADATA {{{KEY}: {quoted(json.dumps(facts, allow_nan=False))}}}"
    with atomic_path(path) as part:
        try:
            with duckdb.connect() as connection:
                connection.register("frame", frame)
                connection.execute(
                    f"COPY frame TO {quoted(str(part))} "
                    f"(FORMAT PARQUET, COMPRESSION ZSTD, USE_TMP_FILE false{metadata})"
                )
        except (duckdb.Error, UnicodeError) as error:
            reason = first_line(error).replace(str(part), str(path))
            raise FormatError(f"cannot write {path}: {reason}") from error


@contextmanager
def open_parquet(path: str | os.PathLike[str], *, content: memoryview | bytes | None = None) -> Iterator[ParquetFile]:
    """Open a Parquet file; anything wrong with it, then or while it is read, is a FormatError that names it.

    `content` is what the file holds if it is not there as a file (standard input, or unpacked); `path` then only names
    it in messages.
    """
    import duckdb

    if content is None and not Path(path).is_file():
        why = errno.EISDIR if Path(path).is_dir() else errno.ENOENT
        raise FormatError(unreadable(path, OSError(why, os.strerror(why))))
    # duckdb takes * ? [ ] in a file name for a pattern, and needs a file: a link or a copy has a plain name.
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "data.parquet")
        if content is None:
            plain.symlink_to(Path(path).resolve())
        else:
            plain.write_bytes(content)
        try:
            with duckdb.connect(config=CLOSED) as connection:
                yield ParquetFile(connection, plain, str(path))
        except (duckdb.Error, UnicodeDecodeError) as error:  # duckdb quotes bytes of a broken file that are no text
            reason = first_line(error).replace(str(plain), str(path))
            raise FormatError(f"{path}: not a readable Parquet file: {reason}") from error


def read_parquet(path: str | os.PathLike[str]) -> tuple[pd.DataFrame, dict[str, Any] | None]:
    """Read a table and its facts (None if the file has none); what is not Parquet is a FormatError."""
    with open_parquet(path) as file:
        return file.frame(), file.facts()


def quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def identifier(name: str) -> str:
    """Return a name of a column or table as SQL writes it."""
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def first_line(error: Exception) -> str:
    """Return the first line of a message; a damaged file can leave it empty."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
