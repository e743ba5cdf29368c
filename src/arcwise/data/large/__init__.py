"""Files of more rows than memory: their distinct rows and how often each occurs, counted by DuckDB on the disk."""

from arcwise.data.large.grouping import Grouping

__all__ = ["Grouping"]
