"""`LargeSource`: a table on the disk that is asked by SQL, within a limit of memory, and that can be interrupted."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from arcwise.data.database import chosen_table
from arcwise.errors import DataError, FormatError
from arcwise.mentions import Argument, Remedy
from arcwise.parquet import CLOSED, KEY, first_line, identifier, quoted
from arcwise.progress import ProgressCallback, ProgressEvent

if TYPE_CHECKING:
    import duckdb

__all__ = ["LargeSource", "open_large"]

POLL_SECONDS = 0.1
NAMES = {"parquet": "Parquet file or folder", "duckdb": "DuckDB file"}


class LargeSource:
    """The rows of a Parquet file, of a folder of them, or of a table of a DuckDB file. See `open_large`.

    Parameters
    ----------
    connection
        DuckDB, with its limits set.
    rows
        What stands after FROM.
    numbered
        The same with what tells rows apart, and the expression for that, equal whenever the file is read; for samples.
    name
        The file's name for messages.
    plain
        Its path as DuckDB knows it.
    """

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, rows: str, numbered: tuple[str, str], *, name: str, plain: Path
    ) -> None:
        self._connection, self.rows, self._numbered = connection, rows, numbered
        self.name, self._plain = name, plain
        self._marks = ("rowid",) if not rows.startswith("read_parquet") else ("file_row_number", "filename")
        self.types: dict[str, str] = {
            row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
        }
        self.n_rows = int(connection.execute(f"SELECT count(*) FROM {rows}").fetchall()[0][0])

    def facts(self) -> list[bytes]:
        """Return what the metadata of the file, or of each file of a folder, say; () for a data base."""
        if not self.rows.startswith("read_parquet"):
            return []
        pattern = f"{self._plain}/**/*.parquet" if self._plain.is_dir() else str(self._plain)
        found = self._connection.execute(f"SELECT value FROM parquet_kv_metadata(?) WHERE key = '{KEY}'", [pattern])
        return [bytes(value) for (value,) in found.fetchall()]

    def time_zone(self) -> str:
        """Return the time zone in which DuckDB writes times."""
        return str(self._connection.execute("SELECT current_setting('TimeZone')").fetchall()[0][0])

    def enumerations(self) -> dict[str, list[str]]:
        """Return the states of the columns whose type declares them."""
        declared = {name: type_ for name, type_ in self.types.items() if type_.startswith("ENUM(")}
        return {
            name: list(self._connection.execute(f"SELECT enum_range(CAST(NULL AS {type_}))").fetchall()[0][0])
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
        rows, number = self._numbered
        self.rows = f"(SELECT {columns} FROM {rows} WHERE hash({number}) < {bound}::UBIGINT)"
        self.n_rows = int(self._connection.execute(f"SELECT count(*) FROM {self.rows}").fetchall()[0][0])

    def ask(
        self, query: str, values: Sequence[Any] = (), *, stage: str, progress: ProgressCallback
    ) -> dict[str, NDArray[Any]]:
        """Return the columns of an answer, which has to fit into memory.

        The query runs in a thread of its own, so that this one can tell how far it is, and hears of Ctrl-C.
        """
        with ThreadPoolExecutor(1, "arcwise-duckdb") as pool:
            answer = pool.submit(lambda: self._connection.execute(query, list(values)).fetchnumpy())
            try:
                while True:
                    try:
                        found: dict[str, Any] = answer.result(timeout=POLL_SECONDS)
                        return found
                    except NotYet:
                        progress(ProgressEvent(stage, max(0, int(self._connection.query_progress())), 100))
            except BaseException:
                self._connection.interrupt()
                raise

    def carry_out(self, statement: str, *, stage: str, progress: ProgressCallback) -> None:
        """Carry out a statement without an answer."""
        self.ask(statement, stage=stage, progress=progress)


@contextlib.contextmanager
def open_large(
    path: Path, kind: str, *, table: str | None, memory: int, temporary: str | os.PathLike[str] | None
) -> Iterator[LargeSource]:
    """Open a file ("parquet" or "duckdb") or a folder of Parquet files, in place, for questions by SQL.

    DuckDB takes * ? [ ] in a path for a pattern, and a journal beside a data base for part of it: a link has a plain
    name and nothing beside it. Once the file is open, nothing else can be: no other file, no extension.
    """
    import duckdb

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
                    found = connection.execute("SELECT table_name FROM duckdb_tables() WHERE NOT internal").fetchall()
                    rows = identifier(chosen_table(str(path), [str(row[0]) for row in found], table))
                    numbered = rows, "rowid"
                    connection.execute("SET enable_external_access = false")
                else:
                    rows, numbered = _parquet_rows(plain)
                    # DuckDB asks where a link leads.
                    folders = [place, spilled, *([path.resolve()] if path.is_dir() else [])]
                    allowed = ", ".join(quoted(f"{one}/") for one in folders)
                    files = ", ".join(quoted(str(one.resolve())) for one in (path, *_links(path)))
                    with contextlib.suppress(duckdb.CatalogException):  # DuckDB before 1.2 cannot name what is allowed
                        connection.execute(f"SET allowed_directories = [{allowed}]")
                        connection.execute(f"SET allowed_paths = [{files}]")
                        connection.execute("SET enable_external_access = false")
                connection.execute("SET enable_progress_bar = true")  # counted, and not printed
                connection.execute("SET enable_progress_bar_print = false")
                connection.execute("SET lock_configuration = true")
                yield LargeSource(connection, rows, numbered, name=str(path), plain=plain)
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


def _links(path: Path) -> list[Path]:
    """Return the files of a folder that are links, which may lead out of it."""
    return [one for one in path.glob("**/*.parquet") if one.is_symlink()] if path.is_dir() else []


def _parquet_rows(plain: Path) -> tuple[str, tuple[str, str]]:
    """Return what stands after FROM, and that with what tells rows apart: the places of the file and of the row."""
    place = "file_row_number = true"
    if not plain.is_dir():
        return f"read_parquet({quoted(str(plain))})", (
            f"read_parquet({quoted(str(plain))}, {place})",
            "file_row_number",
        )
    files = f"{quoted(f'{plain}/**/*.parquet')}, union_by_name = true, hive_partitioning = true"
    number = f"substr(filename, {len(str(plain)) + 1}), file_row_number"
    return f"read_parquet({files})", (f"read_parquet({files}, filename = true, {place})", number)
