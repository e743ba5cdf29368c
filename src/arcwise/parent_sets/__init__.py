"""Tables of candidate parent sets."""

from arcwise.parent_sets.table import ParentSetTable

__all__ = ["ParentSetTable"]
