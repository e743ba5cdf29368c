"""Doors: modules that only offer names of others to users, `from arcwise.graph.dag import Dag as Dag`.

Type checkers take a name that is imported as itself for one that is offered; `export` says the same at run time, so
that each name is written once.
"""

from __future__ import annotations

import sys
from types import ModuleType


def export(door: str) -> None:
    """Make what a module has imported its `__all__`; the modules among it are where the names come from."""
    names = vars(sys.modules[door])
    names["__all__"] = sorted(
        name for name, thing in names.items() if not name.startswith("_") and not isinstance(thing, ModuleType)
    )
