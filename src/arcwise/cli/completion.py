"""What the shell completes: the names that an option takes, asked for only when a shell wants them."""

from __future__ import annotations

import importlib
from collections.abc import Callable

__all__ = ["names_of", "one_of"]


def one_of(*names: str) -> Callable[[str], list[str]]:
    """Return a completer of the given names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


def names_of(module: str, attribute: str) -> Callable[[str], list[str]]:
    """Return a completer of the names in a list or dict of the library, such as arcwise.scores.SCORES."""

    def complete(incomplete: str) -> list[str]:
        return one_of(*getattr(importlib.import_module(module), attribute))(incomplete)

    return complete
