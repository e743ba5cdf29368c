"""`Deadline`: what is left of limits once the work has begun, for a verb of many steps."""

from __future__ import annotations

import math
import time
from dataclasses import replace

from arcwise.limits import Limits, Status

__all__ = ["NO_TIME", "Deadline"]

# Limits are positive, so "no time is left" is written as the least time that a clock can tell from none: whatever
# starts with it finds its deadline over at the first look.
NO_TIME = 1e-9


class Deadline:
    """A clock that was started on limits: how much time is left, and limits for the next step.

    A verb makes one deadline of its limits when it begins, gives each step `limits` (or a `share` of the time), and
    asks `is_over` before it begins another one. There is no floor: a step that is begun after the end is given no time
    and answers with a status at once, so a verb of many steps overruns only until the next look at the clock.
    Or-tools' ``TimeLimit`` has the same role.

    Memory is not used up by time: steps that keep what they built say so (`holding`).

    >>> deadline = Deadline.of(Limits(seconds=60, count=100))
    >>> deadline.is_over, deadline.limits.count
    (False, 100)
    >>> 29 < deadline.share(0.5).seconds_left <= 30
    True
    """

    __slots__ = ("_begin", "_given")

    def __init__(self, limits: Limits | None = None) -> None:
        self._given = limits or Limits()
        self._begin = time.monotonic()

    @classmethod
    def of(cls, limits: Limits | Deadline | None) -> Deadline:
        """Start the clock on limits; a deadline that runs already is returned as it is."""
        return limits if isinstance(limits, Deadline) else cls(limits)

    @property
    def given(self) -> Limits:
        """The limits that the clock was started on."""
        return self._given

    @property
    def seconds(self) -> float:
        """The time since the clock was started."""
        return time.monotonic() - self._begin

    @property
    def seconds_left(self) -> float:
        """The time that is left, at least 0; infinity without a limit. What native code takes."""
        return math.inf if self._given.seconds is None else max(0.0, self._given.seconds - self.seconds)

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return self.seconds_left <= 0

    @property
    def status(self) -> Status:
        """TIME_LIMIT if no time is left, else COMPLETE."""
        return Status.TIME_LIMIT if self.is_over else Status.COMPLETE

    @property
    def limits(self) -> Limits:
        """What is left, as limits for the next step; the limits of memory and of count are as they were."""
        if self._given.seconds is None:
            return self._given
        return replace(self._given, seconds=max(NO_TIME, self.seconds_left))

    @property
    def uncounted(self) -> Limits:
        """What is left, for a step that counts something other than what the count limit is about."""
        return replace(self.limits, count=None)

    def share(self, part: float) -> Deadline:
        """Return a deadline after a part of the time that is left; 0.5 for half of it."""
        left = self.limits
        return Deadline(left if left.seconds is None else replace(left, seconds=max(NO_TIME, part * left.seconds)))

    def part(self, steps: int) -> Deadline:
        """Return a deadline for the next of this many remaining steps, each with the same time."""
        return self.share(1 / max(1, steps))

    def holding(self, memory_bytes: int) -> Deadline:
        """Return the deadline of a step during which this much memory stays in use."""
        limits = self._given
        if limits.memory_bytes is not None:
            limits = replace(limits, memory_bytes=max(1, limits.memory_bytes - memory_bytes))
        other = Deadline(limits)
        other._begin = self._begin
        return other

    def __repr__(self) -> str:
        left = "no time limit" if self._given.seconds is None else f"{self.seconds_left:.3g} s left"
        return f"Deadline({left}, of {self._given})"
