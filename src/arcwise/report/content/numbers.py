"""Numbers as people read them: one that is only rounded to all or nothing is not shown as all or nothing."""

from __future__ import annotations

__all__ = ["percent", "round_inside", "show_confidence", "show_range"]

EQUAL = 1e-9  # a sum of weights that differs from 1 by less is 1


def show_confidence(value: float, digits: int = 3) -> str:
    """Return a confidence with this many digits; 1 is shown only for every network, 0 only for none.

    >>> show_confidence(1.0), show_confidence(0.99996), show_confidence(0.8191), show_confidence(0.0001)
    ('1.000', '>0.999', '0.819', '<0.001')
    >>> show_confidence(0.996, 2), show_confidence(0.0, 2)
    ('>0.99', '0.00')
    """
    text = f"{round(value, 9):.{digits}f}"  # sums of weights that differ by rounding alone look the same
    step = 10.0**-digits
    if value < 1 - EQUAL and float(text) >= 1:
        return f">{1 - step:.{digits}f}"
    if value > EQUAL and float(text) <= 0:
        return f"<{step:.{digits}f}"
    return text


def show_range(low: float, high: float, digits: int = 2) -> str:
    """Return two confidences as a range, or as one number if they look the same.

    >>> show_range(0.71, 0.944), show_range(0.951, 0.949), show_range(0.5, 1.0)
    ('0.71 to 0.94', '0.95', '0.50 to 1.00')
    """
    first, last = show_confidence(low, digits), show_confidence(high, digits)
    return first if first == last else f"{first} to {last}"


def round_inside(value: float, digits: int) -> float:
    """Round a share for a file, but not to 0 or 1 if it is neither.

    >>> round_inside(0.9999999, 4), round_inside(1.0, 4), round_inside(0.00001, 4), round_inside(0.25, 4)
    (0.9999, 1.0, 0.0001, 0.25)
    """
    rounded, step = round(value, digits), 10.0**-digits
    if rounded >= 1 and value < 1 - EQUAL:
        return round(1 - step, digits)
    return step if rounded <= 0 and value > EQUAL else rounded


def percent(share: float) -> str:
    """Return a share as a percentage that never rounds to none or all.

    >>> percent(0.5), percent(0.9999), percent(0.0004), percent(1.0)
    ('50%', 'over 99%', 'under 1%', '100%')
    """
    if EQUAL < share < 0.005:
        return "under 1%"
    if 0.995 <= share < 1 - EQUAL:
        return "over 99%"
    return f"{share:.0%}"
