"""A checksummed file of facts and arrays: the compact format of parent-set tables, checkpoints and ensembles.

All numbers are little-endian: a first line that names the kind of file, such as ``arcwise-networks 1``; the length of
the header as 8 bytes; the header, JSON with the facts and with name, type and shape of every array; the arrays in that
order; the SHA-256 of all before it. Nothing in a file is executed.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError
from arcwise.files import atomic_write, parse_json, read_bytes, write_bytes

__all__ = [
    "finite_or_none",
    "format_array_file",
    "is_array_file",
    "parse_array_file",
    "read_array_file",
    "write_array_file",
]

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
        for part in parts:
            file.write(part)


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
    try:
        listed = [(str(name), str(code), [int(k) for k in shape]) for name, code, shape in header["arrays"]]
        facts = dict(header["facts"])
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        raise FormatError(f"{source}: the header cannot be read ({error!r}). Write the file again.") from error
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
    # Text that is no valid Unicode is escaped, and so kept.
    text = json.dumps(header, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode()
    parts = [f"{kind}\n".encode(), struct.pack("<Q", len(text)), text, *(a.tobytes() for a in little.values())]
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(part)
    return [*parts, hasher.digest()]


def finite_or_none(value: float) -> float | None:
    """Return the number, or None (null in JSON) for NaN and infinities."""
    return value if math.isfinite(value) else None
