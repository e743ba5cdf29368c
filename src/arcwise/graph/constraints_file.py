"""Files of constraints: JSON or TOML, or a CSV file with the columns from, to and kind; by suffix.

required = [["smoke", "cancer"]]         # or: whitelist
forbidden = [["cancer", "lab_*"]]        # or: blacklist; names may be patterns
tiers = [["age", "sex"], ["smoke"]]
roots = ["age"]                          # no parents
leaves = ["death"]                       # no children
separate = [["lab_a", "lab_b"]]          # no arc between the two
groups = [["lab_*"]]                     # no arc between any two
allowed = [["smoke", "cancer"]]          # no other arc
ancestors = [["smoke", "death"]]         # smoke leads to death, by whichever path
non_ancestors = [["sex", "smoke"]]       # sex does not lead to smoke
max_parents = 4
max_parents_of = { cancer = 2 }
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from arcwise.errors import ConstraintError, FormatError, suggestion
from arcwise.files import parse_json, parse_toml, read_bytes, write_text
from arcwise.graph.constraints import Constraints
from arcwise.graph.constraints_table import constraints_from_rows, rows_of_csv
from arcwise.graph.statements import Kind

__all__ = ["parse_constraints", "read_constraints", "write_constraints"]

KEYS = tuple(kind.value for kind in Kind)
PAIRS = ("required", "forbidden", "allowed", "separate", "ancestors", "non_ancestors")
SYNONYMS = {"whitelist": "required", "blacklist": "forbidden"}


def read_constraints(path: str | os.PathLike[str], names: Sequence[str]) -> Constraints:
    """Read constraints on the variables `names` from a .json, .toml or .csv file."""
    text = _decode(path)
    if str(path).removesuffix(".gz").endswith(".csv"):
        try:
            return constraints_from_rows(names, rows_of_csv(text, source=str(path)))
        except ConstraintError as error:
            raise error.within(f"{path}:") from None
    is_toml = str(path).removesuffix(".gz").endswith(".toml")
    content = parse_toml(text, source=str(path)) if is_toml else parse_json(text, source=str(path))
    return _from_content(content, names, path)


def parse_constraints(text: str, names: Sequence[str]) -> Constraints:
    """Read constraints on the variables `names` from JSON text, as the record of a run has them."""
    return _from_content(parse_json(text, source="the constraints"), names, "the constraints")


def _from_content(content: object, names: Sequence[str], path: str | os.PathLike[str]) -> Constraints:
    if not isinstance(content, dict):
        raise FormatError(f"{path}: a table with the keys {', '.join(KEYS)} is needed.")
    options: dict[str, Any] = {}
    for key, value in content.items():
        name = SYNONYMS.get(key, key)
        if name not in KEYS:
            raise FormatError(f"{path}: {suggestion('key', key, (*KEYS, *SYNONYMS))}")
        if name in options:
            raise FormatError(f"{path}: '{key}' says the same as another key; keep one of the two.")
        options[name] = value
    for key in (*PAIRS, "tiers", "groups"):
        _check_pairs(path, key, options.get(key, []), width=2 if key in PAIRS else None)
    for key in ("roots", "leaves"):
        if not isinstance(options.get(key, []), list):
            raise FormatError(f"{path}: {key} must be a list of names.")
    if not isinstance(options.get("max_parents_of", {}), dict):
        raise FormatError(f"{path}: max_parents_of must be a table of names and limits.")
    try:
        return Constraints(names, **options)
    except ConstraintError as error:
        raise error.within(f"{path}:") from None


def write_constraints(path: str | os.PathLike[str], constraints: Constraints) -> None:
    """Write constraints to a .json file."""
    if not str(path).removesuffix(".gz").endswith(".json"):
        raise FormatError(f"{path}: constraints are written as JSON; end the name in .json.")
    write_text(path, json.dumps(constraints.describe(), indent=2, ensure_ascii=False) + "\n")


def _decode(path: str | os.PathLike[str]) -> str:
    stem = str(path).removesuffix(".gz")
    if not stem.endswith((".json", ".toml", ".csv")):
        raise FormatError(f"{path}: constraints are read from a .json, .toml or .csv file.")
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 at byte {error.start}.") from None


def _check_pairs(path: str | os.PathLike[str], key: str, value: object, width: int | None) -> None:
    what = "lists of names" if width is None else "pairs [parent, child] of names"
    rows = value if isinstance(value, list) else [None]
    for row in rows:
        if not isinstance(row, list) or not all(isinstance(name, str) for name in row) or width not in (None, len(row)):
            raise FormatError(f"{path}: {key} must be a list of {what}.")
