"""How many threads a native call may use."""

from __future__ import annotations

import os

from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["thread_count"]


def thread_count(threads: int | None) -> int:
    """Return the number of threads: what was asked for, or by default the cores that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if threads < 1:
        raise OptionError(Argument("threads", threads), "must be at least 1, or None for all cores.")
    return threads
