"""Tables as text: the "jkl" format of GOBNILP, CPBayes and ELSA, read and written natively.

The file has the number of variables, then for each variable a line ``name number-of-parent-sets`` and one line
``score number-of-parents parent ...`` per set. Lines that start with ``#`` are comments; arcwise writes the table's
guarantee into them and reads it back, other programs ignore it.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.arrays import format_array_file, is_array_file, parse_array_file
from arcwise.base.errors import FormatError
from arcwise.base.files import parse_json, read_bytes, write_bytes
from arcwise.parent_sets.table import ParentSetTable, facts_of, offsets_of, read_constraints_of, read_facts

_MARK = "arcwise parent sets: "


def read_jkl(path: str | os.PathLike[str]) -> ParentSetTable:
    """Read a table in jkl format, plain or gzip.

    Names are any words; where they are the numbers 0 .. n-1, a variable's index is its number, otherwise the position
    of its block. A file that arcwise wrote has its guarantee, score and data digest in comments; for any other file
    they are unknown (`slack` is NaN).

    Raises
    ------
    FormatError
        If the file is malformed; the message names the line.
    """
    return parse_jkl(read_bytes(path), source=str(path))


def write_jkl(path: str | os.PathLike[str], table: ParentSetTable) -> None:
    """Write a table in jkl format, atomically; a name that ends in .gz is compressed."""
    write_bytes(path, format_jkl(table))


def parse_jkl(content: bytes, *, source: str = "jkl text") -> ParentSetTable:
    """Return the table in `content`; `source` names it in error messages."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{source}, line {line}: not UTF-8 text, so not a jkl file.") from None
    names, arrays, comments, line, mistake = _core.parent_sets.parse_jkl(content)
    if mistake:
        raise FormatError(f"{source}, line {line}: {mistake}.")
    facts = _facts(comments, source)
    written_names = facts.pop("names", None)
    if written_names is not None and len(written_names) == len(names):
        names = written_names
        if len(set(names)) < len(names):
            raise FormatError(f"{source}: a name occurs twice in the comment '# {_MARK}...'. Write the file again.")
    complaint = f"{source}: the constraints in the comment '# {_MARK}...' were edited. Write the file again."
    facts["constraints"] = read_constraints_of(facts, names, complaint)
    return _validated(ParentSetTable(tuple(names), *arrays, **facts), source)


def format_jkl(table: ParentSetTable) -> bytes:
    """Return the table as jkl text; scores have the fewest digits that read back as the same number.

    A name that is not one word (it has a blank, is empty or starts with ``#``) cannot be written in this format: such a
    table is written with the numbers of its variables, and the names go into a comment.
    """
    facts = facts_of(table)
    names = list(table.names)
    # Names that are the numbers 0 .. n-1 in another order would be taken for positions.
    numbers = [str(v) for v in range(len(names))]
    shuffled = names != numbers and sorted(names) == sorted(numbers)
    if shuffled or not all(_is_word(name) for name in names):
        facts["names"] = names
        names = numbers
    comments = [_MARK + json.dumps(facts), *_explanation(table)]
    return _core.parent_sets.format_jkl(table.native, names, comments)


def _is_word(name: str) -> bool:
    """Return whether a name can stand in the file as it is: one word, no comment, valid Unicode."""
    return name.split() == [name] and not name.startswith("#") and not re.search("[\\0\ud800-\udfff]", name)


def _explanation(table: ParentSetTable) -> list[str]:
    if math.isnan(table.slack):
        return []
    size = "any number of" if table.max_parents is None else f"at most {table.max_parents}"
    return [f"every set of {size} parents that is in a network within {table.slack:.6g} of the optimum (natural log)"]


def _facts(comments: list[str], source: str) -> dict[str, Any]:
    """Return what arcwise wrote about the table, checked, or nothing if it did not write the file."""
    for comment in comments:
        if not comment.startswith(_MARK):
            continue
        complaint = f"{source}: the comment '# {_MARK}...' was edited. Remove it, or write the file again."
        try:
            facts = parse_json(comment.removeprefix(_MARK), source=source)
        except FormatError:
            raise FormatError(complaint) from None
        return read_facts(facts, complaint)
    return {}


# Tables as compact binary files (.arct): scores in full precision, members in the fewest bytes, and a checksum.


KIND = "arcwise-parent-sets 1"


def format_binary(table: ParentSetTable) -> bytes:
    """Return the table as the content of an .arct file."""
    return format_array_file(
        KIND,
        {**facts_of(table), "names": list(table.names)},
        {
            "rows": _narrow(np.diff(table.node_offsets)),
            "sizes": _narrow(np.diff(table.set_offsets)),
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
    arrays_of = offsets_of(rows), scores, offsets_of(sizes), members.astype(np.int32)
    return _validated(ParentSetTable(tuple(names), *arrays_of, **checked), source)


def _validated(table: ParentSetTable, source: str) -> ParentSetTable:
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


FORMATS = {".arct": format_binary, ".jkl": format_jkl}


def write_parent_sets(path: str | os.PathLike[str], table: ParentSetTable) -> None:
    """Write a table, atomically, in the format of the name: .arct or .jkl, either with .gz."""
    suffixes = [suffix for suffix in Path(path).suffixes if suffix != ".gz"]
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in FORMATS:
        raise FormatError(f"cannot write {path}: a table's name ends in .arct, .jkl, .arct.gz or .jkl.gz.")
    write_bytes(path, FORMATS[suffix](table))


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    largest = int(values.max()) if len(values) else 0
    return values.astype(next((kind for kind in ("<u1", "<u2", "<u4") if largest <= np.iinfo(kind).max), "<i8"))


def _are_numbers(values: NDArray[Any], *, most: int) -> bool:
    """Return whether an array is a list of integers from 0 to `most`; checked before they are added up or narrowed."""
    return (
        values.ndim == 1
        and values.dtype.kind in "ui"
        and (len(values) == 0 or (int(values.min()) >= 0 and int(values.max()) <= most))
    )
