"""Data in: `Dataset` and everything that makes one."""

from arcwise.data.dataset import Dataset

__all__ = ["Dataset"]
