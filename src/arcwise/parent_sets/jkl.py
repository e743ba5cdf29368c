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
from typing import Any

from arcwise.errors import FormatError
from arcwise.files import parse_json, read_bytes, write_bytes
from arcwise.parent_sets.facts import facts_of, read_constraints_of, read_facts
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["format_jkl", "parse_jkl", "read_jkl", "write_jkl"]

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
    from arcwise import _core

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
    table = ParentSetTable(tuple(names), *arrays, **facts)
    try:
        table.validate()
    except FormatError as error:
        raise FormatError(f"{source}: {error}") from None
    return table


def format_jkl(table: ParentSetTable) -> bytes:
    """Return the table as jkl text; scores have the fewest digits that read back as the same number.

    A name that is not one word (it has a blank, is empty or starts with ``#``) cannot be written in this format: such a
    table is written with the numbers of its variables, and the names go into a comment.
    """
    from arcwise import _core

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
