"""Limits of time, memory and count, and the status that a result carries. A limit is never an exception."""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["Limits", "Status"]


class Status(enum.StrEnum):
    """Why a computation ended. The order is that of `arcwise::Status` in the native core."""

    COMPLETE = "complete"
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    COUNT_LIMIT = "count limit"
    INTERRUPTED = "interrupted"

    @classmethod
    def from_native(cls, code: int) -> Status:
        """Return the status with the given number in the native enumeration."""
        return tuple(cls)[code]


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a computation may use; None means unlimited.

    Parameters
    ----------
    seconds
        Wall-clock time.
    memory_bytes
        Memory for the computation's own tables.
    count
        What the computation counts: branch-and-bound nodes, networks, replicates. Its docstring says which.
    """

    seconds: float | None = None
    memory_bytes: int | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        for name, value in (("seconds", self.seconds), ("memory_bytes", self.memory_bytes), ("count", self.count)):
            if value is not None and not value > 0:
                raise OptionError("limit", Argument(name, value), "must be positive, or None for no limit.")

    @property
    def native_seconds(self) -> float:
        """The time limit as the core takes it: infinity for none."""
        return math.inf if self.seconds is None else float(self.seconds)

    @property
    def native_memory(self) -> int:
        """The memory limit as the core takes it: 2^63 - 1 for none."""
        return 2**63 - 1 if self.memory_bytes is None else int(self.memory_bytes)

    @property
    def native_count(self) -> int:
        """The count limit as the core takes it: 2^63 - 1 for none."""
        return 2**63 - 1 if self.count is None else int(self.count)
