"""Rare settings of a function: a frozen dataclass, which callers may also give one by one as keywords.

    class ClimbKeywords(TypedDict, total=False):
        settings: ClimbSettings
        restarts: int

    def hill_climb(data: Dataset, **keywords: Unpack[ClimbKeywords]) -> ...:
        settings = gather(ClimbSettings, hill_climb, keywords)

`hill_climb(data, restarts=10)` and `hill_climb(data, settings=ClimbSettings(restarts=10))` are the same. The signature
shows what most calls need; type checkers and editors know the keywords from the TypedDict.
"""

from __future__ import annotations

import dataclasses
import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from arcwise.errors import OptionError
from arcwise.mentions import Argument

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["gather"]

Settings = TypeVar("Settings", bound="DataclassInstance")


def gather(kind: type[Settings], function: Callable[..., Any], keywords: Mapping[str, Any]) -> Settings:
    """Return the settings that keywords ask for: a whole object as `settings`, single ones by name, or both.

    Parameters
    ----------
    kind
        The dataclass of the settings.
    function
        The function that takes them, for messages.
    keywords
        What the caller gave.
    """
    given = dict(keywords)
    base = given.pop("settings", None)
    known = [field.name for field in dataclasses.fields(kind)]
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, [*known, *inspect.signature(function).parameters], n=1)
            guess = f"; did you mean '{near[0]}'?" if near else "."
            raise OptionError(
                f"{function.__name__} takes no argument '{name}'{guess} Its settings are {', '.join(known)}."
            )
    if base is None:
        return kind(**given)
    if not isinstance(base, kind):
        raise OptionError(
            Argument("settings", shown=f"{type(base).__name__}(...)"),
            f"must be a {kind.__name__} for {function.__name__}.",
        )
    return dataclasses.replace(base, **given)
