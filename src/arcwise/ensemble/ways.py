"""The ways to the posterior over all DAGs."""

from __future__ import annotations

from typing import Literal

from arcwise.errors import UnknownNameError, suggestion

__all__ = ["WAYS", "Way", "checked_way"]

Way = Literal["auto", "exact", "chains"]
WAYS: tuple[Way, ...] = ("auto", "exact", "chains")


def checked_way(name: str) -> Way:
    """Return the way of this name; an error says which there are."""
    for way in WAYS:
        if way == name:
            return way
    raise UnknownNameError(suggestion("way", str(name), WAYS))
