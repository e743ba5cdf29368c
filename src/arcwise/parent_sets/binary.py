"""Tables as compact binary files (.arct): scores in full precision, members in the fewest bytes, and a checksum."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.array_file import format_array_file, is_array_file, parse_array_file
from arcwise.errors import FormatError
from arcwise.files import read_bytes, write_bytes
from arcwise.parent_sets.facts import facts_of, read_constraints_of, read_facts
from arcwise.parent_sets.jkl import format_jkl, parse_jkl
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["format_binary", "parse_binary", "parse_parent_sets", "read_parent_sets", "write_parent_sets"]

KIND = "arcwise-parent-sets 1"


def format_binary(table: ParentSetTable) -> bytes:
    """Return the table as the content of an .arct file."""
    sizes = np.diff(table.set_offsets)
    return format_array_file(
        KIND,
        {**facts_of(table), "names": list(table.names)},
        {
            "rows": _narrow(np.diff(table.node_offsets)),
            "sizes": _narrow(sizes),
            "members": _narrow(table.members),
            "scores": table.scores,
        },
    )


def parse_binary(content: bytes, *, source: str = "arct content") -> ParentSetTable:
    """Return the table in `content`; a file that is truncated, edited or of another kind is a FormatError."""
    facts, arrays = parse_array_file(content, KIND, source=source)
    checked = read_facts(facts, f"{source}: malformed facts.")
    names = checked.pop("names", None)
    if names is None or arrays.keys() != {"rows", "sizes", "members", "scores"}:
        raise FormatError(f"{source}: malformed: not the arrays of a parent-set table.")
    rows, sizes, members, scores = (arrays[name] for name in ("rows", "sizes", "members", "scores"))
    is_table = (
        scores.dtype == np.float64
        and scores.ndim == 1
        and _are_numbers(rows, most=len(scores))
        and _are_numbers(sizes, most=len(members))
        and _are_numbers(members, most=len(names))
    )
    if not is_table:
        raise FormatError(f"{source}: malformed: an array is not what a parent-set table has. Write the file again.")
    checked["constraints"] = read_constraints_of(checked, names, f"{source}: malformed constraints.")
    table = ParentSetTable(tuple(names), _offsets(rows), scores, _offsets(sizes), members.astype(np.int32), **checked)
    try:
        table.validate()
    except FormatError as error:
        raise error.within(f"{source}:") from None
    return table


def read_parent_sets(path: str | os.PathLike[str]) -> ParentSetTable:
    """Read a table in any format that arcwise knows, recognised by its content: .arct or jkl, plain or gzip."""
    return parse_parent_sets(read_bytes(path), source=str(path))


def parse_parent_sets(content: bytes, *, source: str = "content") -> ParentSetTable:
    """Return the table in `content`, in .arct or jkl format; `source` names it in error messages."""
    if is_array_file(content):
        return parse_binary(content, source=source)
    return parse_jkl(content, source=source)


def write_parent_sets(path: str | os.PathLike[str], table: ParentSetTable) -> None:
    """Write a table, atomically, in the format of the name: .arct or .jkl, either with .gz."""
    suffixes = [suffix for suffix in Path(path).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix == ".arct":
        write_bytes(path, format_binary(table))
    elif suffix == ".jkl":
        write_bytes(path, format_jkl(table))
    else:
        raise FormatError(f"cannot write {path}: a table's name ends in .arct, .jkl, .arct.gz or .jkl.gz.")


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    largest = int(values.max()) if len(values) else 0
    for kind in ("<u1", "<u2", "<u4"):
        if largest <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype("<i8")


def _are_numbers(values: NDArray[Any], *, most: int) -> bool:
    """Return whether an array is a list of integers from 0 to `most`; checked before they are added up or narrowed."""
    return (
        values.ndim == 1
        and values.dtype.kind in "ui"
        and (len(values) == 0 or (int(values.min()) >= 0 and int(values.max()) <= most))
    )


def _offsets(lengths: NDArray[Any]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
