"""Parquet files through DuckDB: written whole or not at all, with facts (JSON) in the file's own metadata."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcwise.errors import FormatError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_parquet", "write_parquet"]

KEY = "arcwise"


def write_parquet(frame: pd.DataFrame, path: str | os.PathLike[str], *, facts: Mapping[str, Any] | None = None) -> None:
    """Write a table atomically; `facts` (what JSON can hold) go into the file's key-value metadata."""
    import duckdb

    target = Path(path)
    metadata = ""
    if facts is not None:
        metadata = f", KV_METADATA {{{KEY}: {_quoted(json.dumps(facts, allow_nan=False))}}}"
    try:
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as folder:
            part = Path(folder) / "part.parquet"
            with duckdb.connect() as connection:
                connection.register("frame", frame)
                connection.execute(f"COPY frame TO {_quoted(str(part))} (FORMAT PARQUET, COMPRESSION ZSTD{metadata})")
            part.replace(target)
    except (OSError, duckdb.Error) as error:
        raise FormatError(f"cannot write {target}: {error}.") from error


def read_parquet(path: str | os.PathLike[str]) -> tuple[pd.DataFrame, dict[str, Any] | None]:
    """Read a table and its facts (None if the file has none); what is not Parquet is a FormatError."""
    import duckdb

    source = Path(path)
    if not source.is_file():
        raise FormatError(f"cannot read {path}: no such file.")
    try:
        # No extension may be loaded or fetched for a file that is not ours.
        settings: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
        }
        with duckdb.connect(config=settings) as connection:
            frame = connection.execute(f"SELECT * FROM read_parquet({_quoted(str(source))})").df()
            rows = connection.execute(
                f"SELECT value FROM parquet_kv_metadata({_quoted(str(source))}) WHERE key = '{KEY}'"
            ).fetchall()
    except duckdb.Error as error:
        raise FormatError(f"{path}: not a readable Parquet file ({_first_line(error)}).") from error
    if not rows:
        return frame, None
    try:
        facts = dict(json.loads(bytes(rows[0][0])))
    except (TypeError, ValueError) as error:
        raise FormatError(f"{path}: the facts in the file's metadata cannot be read ({error!r}).") from error
    return frame, facts


def _quoted(text: str) -> str:
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0]
