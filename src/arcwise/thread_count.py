"""How many threads a native call may use."""

from __future__ import annotations

import os

from arcwise.defaults import MOST_THREADS
from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["check_threads", "thread_count"]


def check_threads(threads: int) -> int:
    """Return a number of threads, or say which numbers there are.

    The bound is far above any machine: each thread asks for state and a stack of its own, so a number out of a typing
    mistake would take all memory before anything is computed.
    """
    if isinstance(threads, bool) or threads != int(threads) or not 1 <= threads <= MOST_THREADS:
        raise OptionError(Argument("threads", threads), f"must be an integer from 1 to {MOST_THREADS:,}.")
    return int(threads)


def thread_count(threads: int | None) -> int:
    """Return the number of threads: what was asked for, or by default the cores that this process may use."""
    if threads is not None:
        return check_threads(threads)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MOST_THREADS)
