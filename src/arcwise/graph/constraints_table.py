"""Constraints as a table with the columns from, to and kind: a DataFrame, or a CSV file.

| kind | from | to |
|---|---|---|
| required, forbidden, allowed, ancestor, non_ancestor | the parent, or x | the child, or y |
| separate | one variable | the other |
| root, leaf | the variable | empty |
| tier | the variable | the number of its tier, earliest first |
| group | the variable | the name of the group |
| max_parents | the variable, or empty for all | the most parents |
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arcwise.errors import ConstraintError, FormatError, suggestion
from arcwise.graph.constraints import Constraints

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["constraints_from_frame", "constraints_from_rows", "rows_of_csv"]

COLUMNS = ("from", "to", "kind")
# The words of the column kind, and the option that each is for.
PAIRS = {
    "required": "required",
    "forbidden": "forbidden",
    "whitelist": "required",
    "blacklist": "forbidden",
    "allowed": "allowed",
    "separate": "separate",
    "ancestor": "ancestors",
    "non_ancestor": "non_ancestors",
}
SINGLES = {"root": "roots", "leaf": "leaves"}
KINDS = (*PAIRS, *SINGLES, "tier", "group", "max_parents")
PLURALS = {f"{kind}s": kind for kind in ("ancestor", "non_ancestor", "root", "tier", "group")} | {"leaves": "leaf"}

Row = Mapping[str, object]


def constraints_from_frame(names: Sequence[str], frame: pd.DataFrame) -> Constraints:
    """Make constraints on the variables `names` of a DataFrame with the columns from, to and kind.

    Kinds are required, forbidden, allowed, separate, ancestor, non_ancestor (from and to are variables), root and leaf
    (from is the variable), tier and group (to is the number of the tier or the name of the group), and max_parents
    (to is the limit; from is empty for all variables).

    >>> import pandas as pd
    >>> rows = pd.DataFrame({"from": ["age", "smoke"], "to": [None, "lung"], "kind": ["root", "required"]})
    >>> constraints_from_frame(["age", "smoke", "lung"], rows)
    Constraints(3 nodes: 1 required, 0 forbidden, 0 tiers, 1 roots)
    """
    missing = [column for column in COLUMNS if column not in frame.columns]
    if missing:
        raise ConstraintError(f"constraints need the columns from, to and kind; '{missing[0]}' is not there.")
    rows = [dict(zip(COLUMNS, cells, strict=True)) for cells in zip(*(frame[c].tolist() for c in COLUMNS), strict=True)]
    return constraints_from_rows(names, rows)


def rows_of_csv(text: str, *, source: str) -> list[Row]:
    """Return the rows of a CSV file with the columns from, to and kind."""
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        rows = list(reader)
    except csv.Error as error:
        raise FormatError(f"{source}: damaged: {error}.") from None
    missing = [column for column in COLUMNS if column not in (reader.fieldnames or ())]
    if missing:
        raise FormatError(f"{source}: the columns from, to and kind are needed; '{missing[0]}' is not there.")
    if any(None in row or None in row.values() for row in rows):
        raise FormatError(f"{source}: damaged: a line has more or fewer fields than the header.")
    return [{column: row[column] for column in COLUMNS} for row in rows]


def constraints_from_rows(names: Sequence[str], rows: Iterable[Row]) -> Constraints:
    """Make constraints of rows with from, to and kind."""
    options: dict[str, Any] = {}
    tiers: dict[int, list[str]] = {}
    groups: dict[str, list[str]] = {}
    for number, row in enumerate(rows, start=1):
        first, second, kind = (_text(row[column]) for column in COLUMNS)
        where = f"row {number}"
        kind = PLURALS.get(kind, kind)
        if kind not in KINDS:
            raise ConstraintError(f"{where}: {suggestion('kind', kind, KINDS)}")
        _check_ends(where, kind, first, second)
        if kind in PAIRS:
            options.setdefault(PAIRS[kind], []).append((first, second))
        elif kind in SINGLES:
            options.setdefault(SINGLES[kind], []).append(first)
        elif kind == "tier":
            tiers.setdefault(_integer(where, kind, second), []).append(first)
        elif kind == "group":
            groups.setdefault(second, []).append(first)
        elif first:
            options.setdefault("max_parents_of", {})[first] = _integer(where, kind, second)
        else:
            options["max_parents"] = _integer(where, kind, second)
    if tiers:
        options["tiers"] = [tiers[place] for place in sorted(tiers)]
    if groups:
        options["groups"] = list(groups.values())
    return Constraints(names, **options)


def _check_ends(where: str, kind: str, first: str, second: str) -> None:
    """Refuse a row that has too little or too much for its kind."""
    if kind != "max_parents" and not first:
        raise ConstraintError(f"{where}: '{kind}' needs a variable in the column from.")
    if kind in SINGLES and second:
        raise ConstraintError(f"{where}: '{kind}' is about one variable; leave the column to empty.")
    if kind not in SINGLES and not second:
        raise ConstraintError(f"{where}: '{kind}' needs something in the column to.")


def _text(cell: object) -> str:
    """Return a cell as text; what is missing is empty."""
    if cell is None or cell != cell or (isinstance(cell, float) and math.isnan(cell)):  # noqa: PLR0124
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _integer(where: str, kind: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConstraintError(f"{where}: '{kind}' needs an integer in the column to, not '{text}'.") from None
