"""A checksummed file of facts and arrays, the compact format of ensembles.

All numbers are little-endian: a first line that names the kind of file; the length of the header as 8 bytes; the
header, JSON with the facts and with name, type and shape of every array; the arrays in that order; the SHA-256 of all
before it. Nothing in a file is executed.
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
from arcwise.files import atomic_write, read_bytes, write_bytes

__all__ = ["finite_or_none", "read_array_file", "write_array_file"]

DIGEST = 32
KINDS = {"<u1", "<u2", "<u4", "<i4", "<i8", "<f8"}


def write_array_file(
    path: str | os.PathLike[str], kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> None:
    """Write facts (what JSON can hold) and arrays atomically; a name that ends in .gz is compressed."""
    little = {name: np.ascontiguousarray(a, dtype=a.dtype.newbyteorder("<")) for name, a in arrays.items()}
    listed = [[name, np.dtype(a.dtype).str.replace("|", "<"), list(a.shape)] for name, a in little.items()]
    header = {"facts": facts, "arrays": listed}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    parts = [f"{kind}\n".encode(), struct.pack("<Q", len(text)), text, *(a.tobytes() for a in little.values())]
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(part)
    parts.append(hasher.digest())
    if str(path).endswith(".gz"):
        write_bytes(path, b"".join(parts))
        return
    with atomic_write(path) as file:
        for part in parts:
            file.write(part)


def read_array_file(path: str | os.PathLike[str], kind: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Read the facts and arrays of a file of the given kind; a damaged or foreign file is a FormatError."""
    content = read_bytes(path)
    magic = f"{kind}\n".encode()
    if not content.startswith(magic):
        raise FormatError(f"{path}: not a file of the kind '{kind}', with which it should begin.")
    if len(content) < len(magic) + 8 + DIGEST or hashlib.sha256(content[:-DIGEST]).digest() != content[-DIGEST:]:
        raise FormatError(f"{path}: the checksum does not match; the file is truncated or damaged. Write it again.")
    body = memoryview(content)[:-DIGEST]
    (length,) = struct.unpack_from("<Q", body, len(magic))
    at = len(magic) + 8
    try:
        header = json.loads(bytes(body[at : at + length]))
        listed = [(str(name), str(code), [int(k) for k in shape]) for name, code, shape in header["arrays"]]
        facts = dict(header["facts"])
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: the header cannot be read ({error!r}). Write the file again.") from error
    at += length
    arrays: dict[str, NDArray[Any]] = {}
    for name, code, shape in listed:
        if code not in KINDS or any(k < 0 for k in shape):
            raise FormatError(f"{path}: array '{name}' has the type '{code}' and shape {shape}, which is not allowed.")
        size = math.prod(shape) * np.dtype(code).itemsize
        if at + size > len(body):
            raise FormatError(f"{path}: array '{name}' reaches beyond the end of the file.")
        native = np.dtype(code).newbyteorder("=")
        arrays[name] = np.frombuffer(body, code, math.prod(shape), at).astype(native).reshape(shape)
        at += size
    if at != len(body):
        raise FormatError(f"{path}: {len(body) - at} bytes follow the last array. Write the file again.")
    return facts, arrays


def finite_or_none(value: float) -> float | None:
    """Return the number, or None (null in JSON) for NaN and infinities."""
    return value if math.isfinite(value) else None
