"""How many threads a native call may use."""

from __future__ import annotations

import math
import os
from pathlib import Path

from arcwise.defaults import MOST_THREADS
from arcwise.errors import OptionError
from arcwise.mentions import Argument

__all__ = ["available_cores", "check_threads", "thread_count"]


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
    return available_cores() if threads is None else check_threads(threads)


def available_cores() -> int:
    """Return how many cores this process may use: those that it is bound to, and at most what its container has.

    A container may be given the time of two cores on a machine of 64, by a quota of its control group: 64 threads would
    then be stopped together, most of the time.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(cores, math.ceil(_quota()), MOST_THREADS))


def _quota(root: Path = Path("/sys/fs/cgroup")) -> float:
    """Return the cores that the control group of this process may use (version 2 or 1); without a limit, the most."""
    try:
        if (root / "cpu.max").exists():
            quota, period = (root / "cpu.max").read_text().split()
        else:
            quota, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        cores = float(quota) / float(period)
    except (OSError, ValueError):  # no control groups, or "max"
        return MOST_THREADS
    return cores if cores > 0 else MOST_THREADS  # -1: no limit
