"""How findings name columns: "column 'a'", "3 columns: 'a', 'b', 'c'"."""

from __future__ import annotations

from collections.abc import Sequence

from arcwise.data.labels import quoted

__all__ = ["columns_words", "it", "rows_words", "verb"]


def columns_words(names: Sequence[str]) -> str:
    """Return "column 'a'" or "2 columns: 'a', 'b'"."""
    return f"{'column' if len(names) == 1 else f'{len(names)} columns:'} {quoted(names, 6)}"


def verb(names: Sequence[object], one: str, many: str) -> str:
    """Return the form that fits the number."""
    return one if len(names) == 1 else many


def it(names: Sequence[object]) -> str:
    """Return "it" or "them"."""
    return "it" if len(names) == 1 else "them"


def rows_words(count: int) -> str:
    """Return "1 row" or "20 rows"."""
    return "1 row" if count == 1 else f"{count:,} rows"
