"""A checksummed file of facts and arrays: the compact format of parent-set tables, checkpoints and ensembles.

All numbers are little-endian: a first line that names the kind of file, such as ``arcwise-networks 1``; the length of
the header as 8 bytes; the header, JSON with the facts and with name, type and shape of every array; the arrays in that
order; the SHA-256 of all before it. Nothing in a file is executed.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import mmap
import os
import struct
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, reading, unreadable
from arcwise.base.files import atomic_path, atomic_write, parse_json, read_bytes, write_bytes

if TYPE_CHECKING:
    import duckdb
    import pandas as pd


# Every kind begins so.
PREFIX = b"arcwise-"
DIGEST = 32
MOST_DIMENSIONS = 2
# An array without entries still has a shape, whose other sizes multiplied must be what numpy can count in bytes.
LARGEST = 2**56
KINDS = {"<u1", "<u2", "<u4", "<i4", "<i8", "<f8"}


def write_array_file(
    path: str | os.PathLike[str], kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write facts (what JSON can hold) and arrays atomically; a name that ends in .gz is compressed."""
    parts = _parts(kind, facts, arrays)
    if str(path).endswith(".gz"):
        write_bytes(path, b"".join(parts))
        return
    with atomic_write(path) as file:
        file.writelines(parts)


def format_array_file(kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of a file of facts and arrays."""
    return b"".join(_parts(kind, facts, arrays))


def read_array_file(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the facts and arrays of a file of the given kind; a damaged or foreign file is a FormatError."""
    return parse_array_file(read_bytes(path), kind, source=str(path))


def is_array_file(content: bytes) -> bool:
    """Return whether a file begins as one of any kind does."""
    return content.startswith(PREFIX)


def parse_array_file(content: bytes, kind: str, *, source: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the facts and arrays in the content of a file; `source` is its name in messages."""
    magic = f"{kind}\n".encode()
    if not content.startswith(magic):
        first = content[:64].partition(b"\n")[0].decode("ascii", "replace")
        other = f"; it is of the kind '{first}'" if is_array_file(content) else ""
        raise FormatError(f"{source}: not a file of the kind '{kind}', with which it should begin{other}.")
    body = memoryview(content)[:-DIGEST]
    if len(body) < len(magic) + 8 or hashlib.sha256(body).digest() != content[-DIGEST:]:
        raise FormatError(f"{source}: the checksum does not match; the file is truncated or damaged. Write it again.")
    (length,) = struct.unpack_from("<Q", body, len(magic))
    at = len(magic) + 8
    header = parse_json(bytes(body[at : at + length]), source=f"{source}: the header")
    with reading(f"{source}: the header", "Write the file again."):
        json.dumps(header, allow_nan=False)  # what is not finite is written as null
        listed = [(str(name), str(code), [int(k) for k in shape]) for name, code, shape in header["arrays"]]
        facts = dict(header["facts"])
    at += length
    arrays: dict[str, NDArray[Any]] = {}
    for name, code, shape in listed:
        allowed = code in KINDS and len(shape) <= MOST_DIMENSIONS and all(k >= 0 for k in shape)
        if not allowed or name in arrays or math.prod(max(1, k) for k in shape) > LARGEST:
            raise FormatError(
                f"{source}: array '{name}' has the type '{code}' and shape {shape[:9]}, which is not allowed, or is "
                "there twice."
            )
        size = math.prod(shape) * np.dtype(code).itemsize
        if at + size > len(body):
            raise FormatError(f"{source}: array '{name}' reaches beyond the end of the file.")
        native = np.dtype(code).newbyteorder("=")
        arrays[name] = np.frombuffer(body[at : at + size], code).astype(native).reshape(shape)
        at += size
    if at != len(body):
        raise FormatError(f"{source}: {len(body) - at} bytes follow the last array. Write the file again.")
    return facts, arrays


def _parts(kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> list[bytes]:
    assert kind.encode().startswith(PREFIX)
    little = {name: np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("<")) for name, a in arrays.items()}
    listed = [[name, np.dtype(a.dtype).str.replace("|", "<"), list(a.shape)] for name, a in little.items()]
    header = {"facts": facts, "arrays": listed}
    # Text that is not valid Unicode is escaped, so it is kept.
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()
    parts = [f"{kind}\n".encode(), struct.pack("<Q", len(text)), text, *(a.tobytes() for a in little.values())]
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(part)
    return [*parts, hasher.digest()]


def finite_or_none(value: float) -> float | None:
    """Return the number, or None (null in JSON) for NaN and infinities."""
    return value if math.isfinite(value) else None


# Parquet files through DuckDB: written whole or not at all, with facts (JSON) in the file's own metadata.


KEY = "arcwise"
# No extension may be loaded or fetched for a file that is not ours.
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def load_duckdb() -> ModuleType:
    """Return DuckDB, once pandas, which it asks for, is loaded.

    It takes a Ctrl-C in the middle of that import for a package that is not installed, and a file for broken.
    """
    import duckdb
    import pandas  # noqa: F401

    return duckdb


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
        chosen = {name: identifier(name) for name in (self.types() if states else ())}
        for name, own in (states or {}).items():
            chosen[name] = f"TRY_CAST({chosen[name]} AS ENUM ({', '.join(map(quoted, own))})) AS {chosen[name]}"
        # Every column by its name: DuckDB takes time quadratic in what replaces columns of a star.
        return self._execute(f"SELECT {', '.join(chosen.values()) or '*'} FROM read_parquet(?)").df()

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


LARGE_BYTES = 2**24  # of a matrix: from here on numpy and the system hand out memory in pages of two megabytes


def few_zeros(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return zeros of which few will be written: what nobody writes takes neither memory nor time.

    For thousands of variables a matrix of all pairs has hundreds of megabytes, and nearly all pairs are in no network.
    In large pages a number here and there would have all of them written.
    """
    size = 8 * math.prod(shape)
    if size < LARGE_BYTES or not hasattr(mmap, "MADV_NOHUGEPAGE"):  # Linux has both
        return np.zeros(shape)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # shared memory is written by reading it
    with suppress(OSError):  # a system without large pages
        memory.madvise(mmap.MADV_NOHUGEPAGE)
    return np.frombuffer(memory, dtype=np.float64).reshape(shape)


def places_of(i: NDArray[np.int64], j: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return where the pairs i < j are among all pairs of n, by i and then by j.

    >>> places_of(np.array([0, 0, 1]), np.array([1, 3, 2]), 4).tolist()
    [0, 2, 3]
    """
    return i * n - i * (i + 1) // 2 + j - i - 1


def write_parquet(frame: pd.DataFrame, path: str | os.PathLike[str], *, facts: Mapping[str, Any] | None = None) -> None:
    """Write a table atomically; `facts` (what JSON can hold) go into the file's key-value metadata."""
    duckdb = load_duckdb()
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
    duckdb = load_duckdb()
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
        except (duckdb.Error, UnicodeDecodeError, RuntimeError) as error:  # of C++, or it quotes bytes that are no text
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
