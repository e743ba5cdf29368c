"""What this process may use of the machine: cores, memory, and room for threads."""

from __future__ import annotations

import math
import os
from pathlib import Path


def available_cores() -> int:
    """Return how many cores this process may use: those that it is bound to, and at most what its container has.

    A container may be given the time of two cores on a machine of 64, by a quota of its control group: 64 threads would
    then be stopped together, most of the time.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, math.ceil(min(cores, _quota())))


def _quota(root: Path = Path("/sys/fs/cgroup")) -> float:
    """Return the cores that the control group of this process may use (version 2 or 1); without a limit, no bound."""
    try:
        if (root / "cpu.max").exists():
            quota, period = (root / "cpu.max").read_text().split()
        else:
            quota, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        cores = float(quota) / float(period)
    except (OSError, ValueError):  # no control groups, or "max"
        return math.inf
    return cores if cores > 0 else math.inf  # -1: no limit


# How much memory there is.


# A stack, and what a thread needs to say that memory is short.
THREAD_BYTES = 16 << 20


def available_memory() -> int | None:
    """Return three quarters of the memory that is available, in bytes, or None where the system does not say.

    A limit on the address space of the process (``ulimit -v``) counts as well: beyond it no allocation succeeds,
    however much memory is free, and a thread that finds none for its own state ends the process.
    """
    known = [bytes_ for bytes_ in (_free_memory(), address_space_left()) if bytes_ is not None]
    return min(known) * 3 // 4 if known else None


def _free_memory() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return kilobytes[0] * 1024 if kilobytes else None


def address_space_left() -> int | None:
    """Return how much this process may still ask for under its limit of address space; None without one."""
    limit, used = _address_space()
    return None if limit is None else max(1, limit - used)


def room_for_threads(count: int) -> bool:
    """Return whether the address space of the process has room for this many more threads."""
    left = address_space_left()
    return left is None or left >= count * THREAD_BYTES


def describe_memory() -> str:
    """Return what the process holds, and of how much: for a message that memory is short."""
    limit, used = _address_space()
    free = _free_memory()
    of = "" if limit is None else f" of at most {limit / 1e6:,.0f} MB (`ulimit -v`)"
    rest = "" if free is None or limit is not None else f"; {free / 1e6:,.0f} MB are free on this machine"
    return f"this process has {used / 1e6:,.0f} MB of address space{of}{rest}"


def _address_space() -> tuple[int | None, int]:
    try:
        import resource
    except ImportError:  # no such limits on Windows
        return None, 0
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    try:
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError, IndexError):
        used = 0
    return (None if limit == resource.RLIM_INFINITY else limit), used
