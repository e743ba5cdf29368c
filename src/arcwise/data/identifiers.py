"""Columns that number or name the rows rather than describe them, and the reason why they are taken for that."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from arcwise.data.table import Column

__all__ = ["IDENTIFIER_LEVELS", "identifier_reason", "says_identifier", "says_numbering"]

# Nothing with fewer distinct values is taken for an identifier: that many are categories.
IDENTIFIER_LEVELS = 20
# Whole numbers without a repeat are taken for handed-out numbers if measurements would do that less often than this.
CHANCE = 0.001
# Names that say it, alone or as the last word: "Customer No", "patient_id", "orderNumber".
NUMBERING_WORDS = frozenset(
    ("id", "ids", "identifier", "uid", "uuid", "guid", "key", "no", "nr", "number", "rowid", "rownum", "serial")
)
# Of these, those that say it also of numbers that repeat: a customer has many orders.
IDENTIFYING_WORDS = frozenset(("id", "ids", "identifier", "uid", "uuid", "guid"))
NUMBERING_NAMES = frozenset(("index", "row", "case", "record", "customer", "patient", "person", "subject"))
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def identifier_reason(column: Column) -> str | None:
    """Return why a column is taken for an identifier, or None if it may be a variable.

    Text is an identifier if more than half of the rows have a label of their own. Numbers are harder: measurements with
    many digits differ in every row, too. They must be whole, with a name that ends in "id"; or whole and all different,
    and in addition

    - the name says that they number the cases; or
    - they lie too close together to differ by chance. Of n independent draws from R whole numbers, no two are equal
      with a probability of at most prod (1 - i/R) <= exp(-n (n - 1) / 2R), the birthday problem: the uniform
      distribution, for which this is exact, repeats itself least. Measurements that dense would repeat; only numbers
      that are handed out, each once, do not. Whether they have gaps (1, 2, 5, 9, ...) does not matter. A regular step
      (0, 5, 10, ...) is how doses and times are laid out, so that alone is no identifier.

    >>> import numpy as np
    >>> numbers = Column("customer", np.arange(40), tuple(str(k + k // 3) for k in range(40)))
    >>> identifier_reason(numbers)
    '40 whole numbers from 0 to 52, none of them twice'
    """
    if column.declared:
        return None
    seen = column.counts() > 0
    distinct, rows = int(seen.sum()), column.n_cases - column.n_missing
    if distinct <= IDENTIFIER_LEVELS:
        return None
    numbers = column.numbers
    if numbers is None:
        return f"{distinct:,} distinct values in {rows:,} rows" if distinct > rows // 2 else None
    return _numbers_reason(column.name, np.unique(numbers[seen]), rows)


def _numbers_reason(name: str, values: NDArray[np.float64], rows: int) -> str | None:
    """Return why distinct numbers of so many rows are taken for an identifier."""
    if bool((values % 1 != 0).any()):
        return None
    if len(values) < rows:
        named = says_identifier(name)
        return f"{len(values):,} different whole numbers, and a name that says so" if named else None
    if not says_numbering(name) and not _are_too_dense(values):
        return None
    return f"{rows:,} whole numbers from {values[0]:,.0f} to {values[-1]:,.0f}, none of them twice"


def _are_too_dense(values: NDArray[np.float64]) -> bool:
    """Return whether measurements would repeat in a range this narrow; sorted whole numbers, all different."""
    steps = np.unique(np.diff(values))
    if len(steps) == 1 and steps[0] > 1:
        return False
    count = len(values)
    return bool(-count * (count - 1) / (2 * (values[-1] - values[0] + 1)) < math.log(CHANCE))


def says_identifier(name: str) -> bool:
    """Say whether a name is that of an identifier, even of one that repeats."""
    return _last_word(name) in IDENTIFYING_WORDS


def says_numbering(name: str) -> bool:
    """Say whether a name is that of numbers that are handed out, each once."""
    return name.strip().lower() in NUMBERING_NAMES or _last_word(name) in NUMBERING_WORDS


def _last_word(name: str) -> str:
    words = _WORDS.findall(name)
    return words[-1].lower() if words else ""
