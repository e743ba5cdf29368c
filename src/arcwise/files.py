"""Files that are either whole or not there: written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from arcwise.errors import FormatError, unreadable

__all__ = [
    "GZIP_MAGIC",
    "MAX_UNPACKED",
    "atomic_write",
    "read_bytes",
    "unpack_gzip",
    "write_bytes",
    "write_text",
]

GZIP_MAGIC = b"\x1f\x8b"
# A gzip file may unpack to a thousand times its size: beyond this, unpacking is the user's decision.
MAX_UNPACKED = 8 * 2**30
# Unpacked in pieces of this size, so that a hostile file is refused before it fills the memory.
PIECE = 2**24


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file for writing; on success it takes the name `path`, on any error it is removed.

    The content is flushed to disk before the rename, so that a crash leaves the old file or the new one.
    """
    target = Path(path)
    try:
        descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise FormatError(f"cannot write {target}: {error.strerror}.") from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise FormatError(f"cannot write {target}: {error.strerror}.") from error
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write `content` to `path` atomically; a name that ends in .gz is compressed, with no time stamp inside."""
    if str(path).endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with atomic_write(path) as file:
        file.write(content)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` to `path` as UTF-8, atomically; a name that ends in .gz is compressed."""
    write_bytes(path, text.encode("utf-8"))


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Read a file, plain or gzip by its content; one that is missing, damaged or unpacks to too much is refused."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(unreadable(path, error)) from error
    return unpack_gzip(content, source=str(path)) if content.startswith(GZIP_MAGIC) else content


def unpack_gzip(packed: bytes | memoryview, *, source: str, limit: int | None = None) -> bytes:
    """Return what a gzip file unpacks to, at most `limit` bytes (default: `MAX_UNPACKED`); `source` is its name."""
    most = MAX_UNPACKED if limit is None else limit
    parts: list[bytes] = []
    total = 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as file:
            while part := file.read(PIECE):
                parts.append(part)
                total += len(part)
                if total > most:
                    raise FormatError(
                        f"{source}: the gzip file unpacks to more than {_size(most)}. "
                        "If that is right, unpack it first with gunzip."
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(f"{source}: damaged gzip file ({error}). Fetch or write it again.") from error
    return b"".join(parts)


def _size(count: int) -> str:
    return f"{count // 2**30} GiB" if count >= 2**30 else f"{count:,} bytes"
