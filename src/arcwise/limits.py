"""Limits of time, memory and count, and the status that a result carries."""

from arcwise.base.run import Limits, Status

__all__ = ["Limits", "Status"]
