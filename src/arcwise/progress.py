"""Progress of long work: what a `progress` callback receives."""

from arcwise.base.progress import ProgressCallback, ProgressEvent, show_progress

__all__ = ["ProgressCallback", "ProgressEvent", "show_progress"]
