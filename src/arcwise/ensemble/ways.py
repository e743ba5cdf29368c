"""The ways to the posterior over all DAGs."""

from __future__ import annotations

from typing import Literal

__all__ = ["WAYS", "Way"]

Way = Literal["auto", "exact", "chains"]
WAYS: tuple[Way, ...] = ("auto", "exact", "chains")
