"""Files that are either whole or not there: written under a temporary name in the same folder, then renamed."""

from __future__ import annotations

import contextlib
import gzip
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from arcwise.errors import FormatError

__all__ = ["atomic_write", "read_bytes", "write_bytes", "write_text"]


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
    """Read a file, plain or gzip by its content; a missing or damaged file is a FormatError."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}.") from error
    if content[:2] == b"\x1f\x8b":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, ValueError) as error:
            raise FormatError(f"{path}: damaged gzip file ({error}). Fetch or write it again.") from error
        except Exception as error:  # zlib.error is not an OSError
            raise FormatError(f"{path}: damaged gzip file ({error}). Fetch or write it again.") from error
    return content
