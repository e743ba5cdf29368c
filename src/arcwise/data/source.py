"""The bytes of a data file or of standard input, unpacked, and what kind of file they look like."""

from __future__ import annotations

import io
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError, unreadable
from arcwise.files import GZIP_MAGIC, read_descriptor, unpack_gzip

__all__ = ["Source", "TextOptions", "not_utf8", "open_source"]

STDIN = "-"
PARQUET_MAGIC = b"PAR1"
DUCKDB_MAGIC = b"DUCK"  # from the ninth byte on

# Files that are no text, by their first bytes.
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip archive or Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"SQLite format 3", "an SQLite data base"),
    (b"%PDF", "a PDF file"),
    (b"\x89PNG", "a PNG picture"),
    (b"BZh", "a bzip2 file"),
    (b"\xfd7zXZ", "an xz file"),
    (b"\x28\xb5\x2f\xfd", "a zstd file"),
    (b"\x93NUMPY", "a numpy array"),
    (b"ARROW1", "an Arrow file"),
    (b"RDX", "an R data file"),
    (b"\x80\x04\x95", "a Python pickle"),
    (b"<!DOCTYPE", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML file"),
    (b"network ", "a BIF network"),
)


@dataclass(frozen=True, slots=True)
class TextOptions:
    """What the caller says about a text file: see `read_table`."""

    separator: str | None
    header: bool | None
    missing: frozenset[str]
    merge: bool
    table: str | None = None


@dataclass(frozen=True, eq=False)
class Source:
    """A file's name for messages, its bytes after unpacking, and the path if the file can be read as it stands."""

    name: str
    content: NDArray[np.uint8]
    path: Path | None
    in_place: bool = False  # DuckDB reads the file itself, and the content is its first bytes only

    def head(self, size: int = 4096) -> bytes:
        """Return the first bytes, without a UTF-8 byte-order mark."""
        return self.content[:size].tobytes().removeprefix(b"\xef\xbb\xbf")

    def is_parquet(self) -> bool:
        """Return whether the file starts as a Parquet file does."""
        return self.head(4) == PARQUET_MAGIC

    def is_arff(self) -> bool:
        """Return whether the first line that is neither blank nor a comment starts with @relation."""
        for line in self.head(2**16).lstrip().splitlines():
            text = line.strip().lower()
            if text and not text.startswith(b"%"):
                return text.startswith(b"@relation")
        return False

    def binary_kind(self) -> str | None:
        """Return what a file that is not a plain table seems to be, or None."""
        head = self.head(64)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return "UTF-16 text"
        if head[8:12] == DUCKDB_MAGIC:
            return "a DuckDB data base"
        return next((kind for magic, kind in _MAGIC if head.lstrip().startswith(magic) or head.startswith(magic)), None)

    def text(self) -> str:
        """Return the whole content as text; a byte that is not UTF-8 is an error that names its line and column."""
        content = self.content.tobytes().removeprefix(b"\xef\xbb\xbf")
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            column = error.start - content.rfind(b"\n", 0, error.start)
            raise FormatError(not_utf8(self.name, f"line {line:,}, column {column:,}", content[error.start])) from None


def not_utf8(name: str, where: str, byte: int) -> str:
    """Return the message for a byte that is not UTF-8."""
    return (
        f"{name}: {where}: byte 0x{byte:02x} is not UTF-8 text. "
        "Convert the file, e.g. iconv -f latin1 -t utf-8 OLD > NEW, or save it as UTF-8."
    )


def open_source(path: str | os.PathLike[str]) -> Source:
    """Read a file, plain or gzip by its content, or standard input if `path` is "-"."""
    if str(path) == STDIN:
        stream = sys.stdin.buffer if hasattr(sys.stdin, "buffer") else io.BytesIO(sys.stdin.read().encode())
        return _unpacked("<stdin>", np.frombuffer(stream.read(), dtype=np.uint8), None)
    file = Path(path)
    try:
        # Without a buffer, which would copy the whole content once more: a quarter of the time of a large file.
        with file.open("rb", buffering=0) as opened:
            # DuckDB reads its own files, and Parquet; of others the content is needed, by descriptor and not mapped.
            if file.is_file():
                first = opened.read(64)
                opened.seek(0)
                if first[:4] == PARQUET_MAGIC or first[8:12] == DUCKDB_MAGIC:
                    return Source(str(path), np.frombuffer(first, dtype=np.uint8), file, in_place=True)
            content = np.frombuffer(read_descriptor(opened, str(path)), dtype=np.uint8)
    except OSError as error:
        raise FormatError(unreadable(path, error)) from error
    except FormatError:
        raise
    except ValueError as error:  # a name that no file can have
        raise FormatError(f"cannot read {str(path)!r}: {error}.") from None
    return _unpacked(str(path), content, file)


def _unpacked(name: str, content: NDArray[np.uint8], path: Path | None) -> Source:
    if content[:2].tobytes() != GZIP_MAGIC:
        return Source(name, content, path)
    return Source(name, np.frombuffer(unpack_gzip(content.data, source=name), dtype=np.uint8), None)
