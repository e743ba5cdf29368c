"""Doors: modules that only offer names of others to users, each imported on first use.

Type checkers and editors know the names from stubs beside the doors, which docs/update.py writes.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping

OFFERED: dict[str, dict[str, str]] = {}  # by door: where each name of a table is defined


def offer(door: str, table: Mapping[str, str | tuple[str, ...]]) -> None:
    """Make the names of a table, each below the module of arcwise that defines it, those of a module.

    They are a tuple, or one text with blanks between them.
    """
    listed = {module: names.split() if isinstance(names, str) else names for module, names in table.items()}
    offered = {name: f"arcwise.{module}" for module, names in listed.items() for name in names}
    own = vars(sys.modules[door])

    def find(name: str) -> object:
        if name not in offered:
            raise AttributeError(f"module '{door}' has no attribute '{name}'")
        own[name] = getattr(importlib.import_module(offered[name]), name)
        return own[name]

    OFFERED[door] = offered
    own.update(__all__=sorted(offered), __getattr__=find, __dir__=lambda: sorted({*own, *offered}))
    for name in offered:
        if f"{door}.{name}" in offered.values():  # where a module has the same name, the first import of it sets it
            find(name)
