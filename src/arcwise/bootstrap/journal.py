"""`Replicate`, and `ReplicateJournal`: the file of finished replicates, which an interrupted run resumes from."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import FormatError, GraphError
from arcwise.base.files import parse_json, refuse_other_run, sync_folder
from arcwise.graph.dag import Dag
from arcwise.local.problem import unpack_parents

# A first line names the kind of file, a second holds the identity of the run as JSON. Then one record per replicate:
# the length of its content (4 bytes, little-endian), its CRC-32 (4 bytes), the content: index (8), score (8), the
# number of parents of every node (2 each) and the parents (4 each). A record is appended in one write, so that a
# process that is killed leaves whole records and at most one torn record at the end, which is cut off when the run is
# resumed. The parent process alone writes; a lock keeps a second run off the file.
MAGIC = b"arcwise-replicates 1\n"
HEAD = struct.Struct("<II")
BODY = struct.Struct("<Qd")
LARGEST = 2**30


@dataclass(frozen=True, slots=True, eq=False)
class Replicate:
    """One learned network: node v has the parents ``members[offsets[v]:offsets[v + 1]]``."""

    index: int
    score: float  # on the replicate's own data
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    def parents(self) -> list[list[int]]:
        """Return the parents of every node."""
        return unpack_parents(self.offsets, self.members)


class ReplicateJournal:
    """An open journal of networks with this many nodes; `finished` holds its replicates by index.

    The file is created if it does not exist; one with another `identity`, what the run depends on, is refused.
    """

    def __init__(self, path: str | os.PathLike[str], identity: dict[str, Any], nodes: int) -> None:
        self.path = Path(path)
        self.finished: dict[int, Replicate] = {}
        try:
            self._file: BinaryIO = self.path.open("a+b")
        except OSError as error:
            raise FormatError(f"cannot write {path}: {error.strerror}.") from error
        try:
            _lock(self._file, self.path)
            self._load(identity, nodes)
        except BaseException:
            self._file.close()
            raise

    def _load(self, identity: dict[str, Any], nodes: int) -> None:
        self._file.seek(0)
        content = self._file.read()
        header = MAGIC + json.dumps(identity, sort_keys=True, ensure_ascii=True).encode() + b"\n"
        if len(content) < len(header) and header.startswith(content):  # new, or killed while the header was written
            self._file.truncate(0)
            self._append(header)
            return
        known, at = _read_header(self.path, content)
        refuse_other_run(self.path, "replicates", known, json.loads(header[len(MAGIC) :]))
        try:
            replicates, end = unpack_replicates(content, nodes, at)
        except FormatError as error:
            raise FormatError(f"{self.path}: {error}") from None
        self.finished.update((replicate.index, replicate) for replicate in replicates)
        if end < len(content):
            self._file.truncate(end)

    def add(self, replicates: Iterable[Replicate]) -> None:
        """Append finished replicates to the file."""
        found = list(replicates)
        self.finished.update((replicate.index, replicate) for replicate in found)
        self._append(pack_replicates(found))

    def _append(self, content: bytes) -> None:
        try:
            self._file.write(content)
            self._file.flush()
        except OSError as error:
            raise FormatError(f"cannot write {self.path}: {error.strerror}.") from error

    def close(self) -> None:
        """Write everything to disk, let go of the lock and close the file."""
        if not self._file.closed:
            os.fsync(self._file.fileno())
            self._file.close()
            sync_folder(self.path.parent)

    def __enter__(self) -> ReplicateJournal:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def pack_replicates(replicates: Iterable[Replicate]) -> bytes:
    """Return records of the replicates."""
    parts: list[bytes] = []
    for replicate in replicates:
        body = b"".join(
            (
                BODY.pack(replicate.index, replicate.score),
                np.diff(replicate.offsets).astype("<u2").tobytes(),
                replicate.members.astype("<i4").tobytes(),
            )
        )
        parts += [HEAD.pack(len(body), zlib.crc32(body)), body]
    return b"".join(parts)


def unpack_replicates(content: bytes, nodes: int, at: int = 0) -> tuple[list[Replicate], int]:
    """Return the replicates in the records from `at` on, and where the last whole record ends."""
    found: list[Replicate] = []
    while (record := _read_record(content, at, nodes)) is not None:
        replicate, at = record
        found.append(replicate)
    return found, at


def journal_seed(path: str | os.PathLike[str]) -> int | None:
    """Return the seed of the run that a journal belongs to; None if there is no journal yet."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise FormatError(f"cannot read {path}: {error.strerror}.") from error
    if MAGIC.startswith(content) or b"\n" not in content[len(MAGIC) :]:
        return None
    return int(_read_header(Path(path), content)[0]["seed"])


def _read_header(path: Path, content: bytes) -> tuple[dict[str, Any], int]:
    end = content.find(b"\n", len(MAGIC))
    try:
        if not content.startswith(MAGIC) or end < 0:
            raise ValueError("the first line is not that of a file of replicates")
        header = parse_json(content[len(MAGIC) : end], source="the second line")
        if not isinstance(header, dict) or not isinstance(header.get("seed"), int):
            raise ValueError("the second line is not the description of a run")
    except ValueError as error:
        raise FormatError(f"{path}: not a file of replicates ({error}). Give another file to resume from.") from error
    return header, end + 1


def _read_record(content: bytes, at: int, nodes: int) -> tuple[Replicate, int] | None:
    """Return the record at `at` and where the next begins; None at the end, or where a record is torn."""
    if at + HEAD.size > len(content):
        return None
    size, checksum = HEAD.unpack_from(content, at)
    body = content[at + HEAD.size : at + HEAD.size + size]
    least = BODY.size + 2 * nodes
    if len(body) < size or size < least or size > LARGEST or zlib.crc32(body) != checksum:
        return None
    index, score = BODY.unpack_from(body)
    counts = np.frombuffer(body, "<u2", nodes, BODY.size)
    members = np.frombuffer(body, "<i4", (size - least) // 4, least).astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(counts, dtype=np.int64)))
    found = Replicate(index, score, offsets, members)
    try:
        if (size - least) % 4 or int(offsets[-1]) != len(members):
            raise GraphError("parents are missing")
        Dag([str(v) for v in range(nodes)], found.parents())  # a checksum can be recomputed
    except GraphError:
        raise FormatError(
            f"replicate {index} is no network of {nodes} variables; the file was edited. Give another."
        ) from None
    return found, at + HEAD.size + size


def _lock(file: BinaryIO, path: Path) -> None:
    try:
        import fcntl
    except ImportError:  # not on this system: the user must take care
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise FormatError(f"{path} is in use by another run; wait for it or give another file.") from error
