"""Numbers that stand for a missing value in questionnaires and old files, where they are out of range of the rest."""

from __future__ import annotations

__all__ = ["CODES", "LEAST_VALUES", "stands_for_missing"]

CODES = (-9999.0, -999.0, -99.0, -9.0, -8.0, -7.0, -1.0, 9.0, 88.0, 98.0, 99.0, 888.0, 998.0, 999.0, 9999.0, 99999.0)
LEAST_VALUES = 4  # a range is known from this many other values on


def stands_for_missing(code: float, low: float, high: float, n_others: int) -> bool | None:
    """Say whether one of the codes stands for a missing value: True certainly, False possibly, None not.

    Certain are those that are further from all others than these are from each other; possible, those that are apart
    from the others, as 9 is from 1 to 5, or negative where no other is. `low` and `high` are the least and the largest
    of the `n_others` different values that are no codes.
    """
    if n_others < 2 or low <= code <= high:
        return None
    if n_others >= LEAST_VALUES and (code > high + (high - low) or code < low - (high - low)):
        return True
    return False if code >= high + 2 or code <= low - 2 or code < 0 <= low else None
