"""The time that an analysis may take, shared by its steps."""

from __future__ import annotations

import time

from arcwise.limits import Limits

__all__ = ["MEMORY", "TimeBudget"]

# What a table of parent sets, or the diagram of a credible set, may take.
MEMORY = 2**30


class TimeBudget:
    """How much of the allowed time is left; without a limit there is always more."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def is_spent(self) -> bool:
        """Whether no time is left."""
        return self._end is not None and time.monotonic() >= self._end

    def share(self, part: float = 1.0, *, memory: int | None = None) -> Limits:
        """Return limits with a part of the time that is left, and of memory."""
        memory = MEMORY if memory is None else memory
        if self._end is None:
            return Limits(memory_bytes=memory)
        return Limits(seconds=max(0.01, part * (self._end - time.monotonic())), memory_bytes=memory)
