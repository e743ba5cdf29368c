"""A binary file of named arrays and facts that is read back whole or refused.

Layout: the magic bytes, the length of the header (8 bytes, little-endian), the header (JSON: kind, facts, and each
array's name, type and length), the arrays, and the SHA-256 of all that. Nothing in it is ever executed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import FormatError

__all__ = ["pack_arrays", "unpack_arrays"]

MAGIC = b"ARCWISE\x01"
_TYPES = ("<u1", "<u2", "<u4", "<i4", "<i8", "<f8")
_CHECKSUM = 32


def pack_arrays(kind: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return the content of a file of the given kind."""
    described = [{"name": name, "type": array.dtype.str, "length": len(array)} for name, array in arrays.items()]
    for entry in described:
        entry["type"] = str(entry["type"]).replace("|", "<")
    header = json.dumps({"kind": kind, "facts": dict(facts), "arrays": described}).encode()
    body = b"".join(
        [
            MAGIC,
            len(header).to_bytes(8, "little"),
            header,
            *(np.ascontiguousarray(a).tobytes() for a in arrays.values()),
        ]
    )
    return body + hashlib.sha256(body).digest()


def unpack_arrays(kind: str, content: bytes, source: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return facts and arrays; anything else than a whole, unchanged file of this kind is a FormatError."""
    if not content.startswith(MAGIC):
        raise FormatError(f"{source}: not a file that arcwise wrote in its binary format.")
    if (
        len(content) < len(MAGIC) + 8 + _CHECKSUM
        or hashlib.sha256(content[:-_CHECKSUM]).digest() != content[-_CHECKSUM:]
    ):
        raise FormatError(f"{source}: truncated or edited (the checksum does not fit). Write it again.")
    start = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : start], "little")
    try:
        header = json.loads(content[start : start + length])
        found, facts, described = header["kind"], header["facts"], header["arrays"]
        arrays = {}
        at = start + length
        for entry in described:
            if entry["type"] not in _TYPES:
                raise ValueError(entry["type"])
            data = np.dtype(entry["type"])
            arrays[str(entry["name"])] = np.frombuffer(content, data, count=int(entry["length"]), offset=at)
            at += data.itemsize * int(entry["length"])
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{source}: malformed header ({error}).") from None
    if at != len(content) - _CHECKSUM or not isinstance(facts, dict):
        raise FormatError(f"{source}: malformed: the arrays do not fill the file.")
    if found != kind:
        raise FormatError(f"{source}: holds a {found}, not a {kind}.")
    return facts, arrays
