"""Data sets that can be generated, or that come with a dependency: `available()` names them, `load(name)` makes one."""

from arcwise.datasets.catalogue import available, load

__all__ = ["available", "load"]
