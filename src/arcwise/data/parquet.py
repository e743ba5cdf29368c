"""Parquet, read by duckdb."""

from __future__ import annotations

import tempfile
from pathlib import Path

from arcwise.data.source import Source, TextOptions
from arcwise.data.table import Table
from arcwise.errors import FormatError
from arcwise.progress import ProgressCallback

__all__ = ["read_parquet"]


def read_parquet(source: Source, options: TextOptions, progress: ProgressCallback) -> Table:
    """Read a Parquet file: enumerations are declared states, NULL is missing, other types as in a DataFrame."""
    del options, progress  # they are about text
    # duckdb takes * ? [ ] in a file name for a pattern, and needs a file: a link or a copy has a plain name.
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder, "data.parquet")
        if source.path is None:
            plain.write_bytes(source.content.data)
        else:
            plain.symlink_to(source.path.resolve())
        return _read(plain, source.name)


def _read(path: Path, name: str) -> Table:
    import duckdb

    with duckdb.connect(":memory:") as connection:
        for setting in ("autoinstall_known_extensions = false", "autoload_known_extensions = false", "threads = 1"):
            connection.execute(f"SET {setting}")
        try:
            frame = connection.execute("SELECT * FROM read_parquet(?)", [str(path)]).df()
        except duckdb.Error as error:
            reason = str(error).splitlines()[0].replace(str(path), name)
            raise FormatError(f"{name}: not a readable Parquet file: {reason}") from None
    return Table.from_dataframe(frame, source=name)
