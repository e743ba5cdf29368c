"""Messages of the library speak of Python's arguments; on the command line the same things are options."""

from __future__ import annotations

import re

__all__ = ["as_options"]

_NAME = r"'((?:[^'\\]|\\.)*)'"
# From how the library says it to how the command line does; the longer, more special ones come first.
SPELLINGS: tuple[tuple[str, str], ...] = (
    (
        r"Fill them with impute\(\.\.\., method='knn'\) or 'mode', drop the rows with method='drop', or, if a gap is a "
        r"state of its own, say what is missing with missing=\(\)\.",
        "Fill them with `arcwise impute` (--method knn or mode), or leave such rows out with its --method drop.",
    ),
    (
        r"with discretize\(\.\.\., method='mdl', target=\.\.\.\), 'width', 'quantile' or 'kmeans'",
        "with `arcwise discretize` (--method mdl --target CLASS, width, quantile or kmeans)",
    ),
    (r"with discretize\(\.\.\.\)", "with `arcwise discretize`"),
    (rf"Drop the column or declare its states: states=\{{{_NAME}: \[[^\]]*\]\}}", r"Leave the column out: --drop '\1'"),
    (r"fill them with impute first", "fill them with `arcwise impute` first"),
    (rf"categorical=\[{_NAME}\]", "--categorical"),
    (rf"\bseparator={_NAME}", r"--separator '\1'"),
    (rf"\bformat={_NAME}", r"--format \1"),
    (r"\bcolumns= names", "--column names"),
    (r"\b(drop|keep|target)= names", r"--\1 names"),
    (r"\bas target=", "with --target"),
    (r"Rebuild it with build_parent_sets\(\.\.\., slack=([-+.\de]+)\)", r"Rebuild it with `arcwise scores --slack \1`"),
    (r", read the file with merge=True, or declare the states to keep them apart", ""),
    (r"\btrust_table=True", "--trust-table"),
    (r"\bby='dag'", "--by dag"),
    (r"\braise max_cells\b", "raise --max-cells"),
    (r"\bimpossible='missing'", "--impossible missing"),
)
_PATTERNS = tuple((re.compile(pattern), replacement) for pattern, replacement in SPELLINGS)


def as_options(message: str) -> str:
    """Return a message with Python's arguments spelled as options.

    >>> as_options("The line contains a semicolon: give separator=';'.")
    "The line contains a semicolon: give --separator ';'."
    """
    for pattern, replacement in _PATTERNS:
        message = pattern.sub(replacement, message)
    return message
