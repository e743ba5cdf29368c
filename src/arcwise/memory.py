"""How much memory a computation may take if nobody says."""

from __future__ import annotations

from pathlib import Path

__all__ = ["available_memory"]


def available_memory() -> int | None:
    """Return three quarters of the memory that is available, in bytes, or None where the system does not say."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kilobytes = [int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]
    return kilobytes[0] * 1024 * 3 // 4 if kilobytes else None
