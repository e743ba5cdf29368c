"""A cut-off that the analyst chooses; 0.5 is what most software uses."""

from __future__ import annotations

from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError

__all__ = ["fixed_threshold"]


def fixed_threshold(value: float = 0.5) -> Threshold:
    """Return the given cut-off, which must be in [0, 1]."""
    if not 0 <= value <= 1:
        raise OptionError(f"threshold {value!r} must be between 0 and 1.")
    return Threshold(value=float(value), rule="fixed", assumes="the analyst has a reason for this value")
