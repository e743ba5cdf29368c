"""Credible sets that do not fit in memory: listed into files, chunk by chunk, and resumed after a crash.

A folder holds one file per chunk (the compact format of `NetworkSet`, or Parquet) and ``progress.json``, which names
the finished chunks and the position in the diagram after the last of them. Each file is written under a temporary name
and renamed; the position is recorded after its chunk. A process that is killed at any moment therefore loses at most
the chunk at hand, and the next call with the same table and slack continues from there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.base.errors import Argument, Call, FormatError, GuaranteeError, OptionError, Remedy
from arcwise.base.files import parse_json, read_bytes, write_text
from arcwise.base.run import Run, Status
from arcwise.base.showing import one_screen
from arcwise.credible.diagram import CredibleDiagram
from arcwise.credible.listing import LIST_DAGS, Listed, networks_of
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.origin import Facts

if TYPE_CHECKING:
    from arcwise.credible.credible_set import By, CredibleSet


MANIFEST = "progress.json"


@one_screen
@dataclass(frozen=True)
class NetworkStream:
    """A folder of networks: iterating gives a `NetworkSet` per file, in the order of the files."""

    folder: Path
    files: tuple[str, ...]
    count: int
    opt: float
    slack: float
    status: Status

    @property
    def complete(self) -> bool:
        """True if no network that was asked for is missing."""
        return self.status is Status.COMPLETE

    def __iter__(self) -> Iterator[NetworkSet]:
        return (NetworkSet.load(self.folder / name) for name in self.files)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> NetworkStream:
        """Open a folder that `stream_credible` wrote, finished or not."""
        state = _read_manifest(Path(folder))
        return cls(
            Path(folder), tuple(state["files"]), state["count"], state["opt"], state["slack"], Status(state["status"])
        )


def stream_set(
    found: CredibleSet, folder: str | os.PathLike[str], by: By, *, chunk: int, parquet: bool, run: Run
) -> NetworkStream:
    """List a set into a folder; see `CredibleSet.stream`. A folder that is complete asks for no diagram."""
    if chunk < 1:
        raise OptionError(Argument("chunk", chunk), "must be at least 1.")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    identity = _identity(found, by, chunk, parquet)
    state: dict[str, Any] = {"identity": identity, "files": [], "count": 0, "position": []}
    state |= {"status": str(Status.INTERRUPTED), "diagram": ""}
    if (target / MANIFEST).exists():
        state = _read_manifest(target)
        if state["identity"] != identity:
            raise OptionError(
                f"{target} holds networks of another table, slack, constraints or chunk size. Choose another folder or "
                "empty it."
            )
        if Status(state["status"]) is Status.COMPLETE:
            return NetworkStream.load(target)
    with found.begin(run) as shown:
        diagram = found.diagram(by, shown)
        if diagram.repeats_classes:
            raise GuaranteeError(
                "classes of more than 20 variables under constraints or experiments are told apart in memory, so that "
                "a folder of them cannot be gone on with.",
                remedies=(LIST_DAGS, Remedy("list them at once:", Call("networks", Argument("by", "mec")))),
            )
        status = diagram.status
        if status is Status.COMPLETE:
            # A position belongs to one diagram. They are made in the same way every time, except linear programs that
            # are cut into slices by the clock on a busy machine.
            fingerprint = f"{diagram.native.fingerprint:016x}"
            if state["position"] and state["diagram"] != fingerprint:
                raise FormatError(
                    f"{target / MANIFEST}: the credible set was put together in another way this time, so that the "
                    "list cannot continue where it ended. Try again, or empty the folder and start again."
                )
            state |= {"opt": diagram.opt, "slack": found.slack, "diagram": fingerprint}
            try:
                status = _write_chunks(diagram, target, state, shown, chunk=chunk, parquet=parquet, facts=found.known)
            except KeyboardInterrupt:  # what is in the manifest is there
                if (target / MANIFEST).exists():
                    state |= _read_manifest(target)
                status = Status.INTERRUPTED
    missing = {"opt": float("-inf"), "slack": found.slack}
    _write_manifest(target, state | {"status": str(status)} | {k: v for k, v in missing.items() if k not in state})
    return NetworkStream.load(target)


def _write_chunks(
    diagram: CredibleDiagram, target: Path, state: dict[str, Any], run: Run, *, chunk: int, parquet: bool, facts: Facts
) -> Status:
    lister = diagram.lister()
    if not lister.seek(np.array(state["position"], dtype=np.uint32)):
        raise FormatError(f"{target / MANIFEST}: the position is not in this credible set. Empty the folder.")
    listed = 0
    while not lister.done:
        if run.is_over:
            return Status.TIME_LIMIT
        if listed >= run.given.native_count:
            return Status.COUNT_LIMIT
        rows, losses = diagram.next_chunk(lister, chunk)
        if not len(losses):
            continue
        name = f"networks-{len(state['files']):06d}{'.parquet' if parquet else '.nets'}"
        networks_of(diagram, Listed(rows, losses, Status.COMPLETE), facts).save(target / name)
        listed += len(losses)
        state["files"].append(name)
        state["count"] += len(losses)
        state["position"] = lister.position.tolist()
        _write_manifest(target, state)
        run.report("credible set: networks", state["count"])
    return Status.COMPLETE


def _identity(found: CredibleSet, by: By, chunk: int, parquet: bool) -> str:
    """Return what must be equal for a folder to be gone on with: all of the content, nothing that only counts it."""
    rules = None if found.constraints is None or found.constraints.is_trivial else found.constraints.describe()
    facts = [found.table.digest, repr(float(found.slack)), by, chunk, parquet, rules]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def _write_manifest(target: Path, state: dict[str, Any]) -> None:
    write_text(target / MANIFEST, json.dumps(state, indent=1, allow_nan=True))


def _read_manifest(target: Path) -> dict[str, Any]:
    path = target / MANIFEST
    try:
        state = dict(parse_json(read_bytes(path), source=str(path)))
        files = [str(name) for name in state["files"]]
        checked = {
            "identity": str(state["identity"]),
            "files": files,
            "count": int(state["count"]),
            "position": [int(step) for step in state["position"]],
            "status": str(Status(state["status"])),
            "diagram": str(state["diagram"]),
            "opt": float(state.get("opt", "nan")),
            "slack": float(state.get("slack", "nan")),
        }
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"{path}: cannot be read ({error!r}). Empty the folder and start again.") from error
    here = {entry.name for entry in target.iterdir() if entry.is_file()}
    missing = [name for name in files if name not in here]
    if missing:
        raise FormatError(f"{path}: the file {missing[0][:200]} is missing. Empty the folder and start again.")
    return checked
