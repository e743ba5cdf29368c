"""`Remark`: something that the reader of an analysis has to know, and whether the clock decided it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence or two, and whether another machine, or a longer limit, might not have needed it."""

    text: str
    by_time: bool = False

    def __str__(self) -> str:
        return self.text
