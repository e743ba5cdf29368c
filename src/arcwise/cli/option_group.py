"""Options that belong together, declared once as a dataclass and taken by a verb as one argument.

    @dataclass(frozen=True)
    class ScoreOptions(OptionGroup):
        score: ScoreOption = None
        ess: EssOption = None

    def search(data: DataArgument, scored: ScoreOptions) -> None: ...

    app.command("search")(expanded(search))

The command line sees --score and --ess where the group stands; the verb gets a `ScoreOptions`.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

__all__ = ["OptionGroup", "expanded", "gathered"]


class OptionGroup:
    """The base of dataclasses whose fields are options."""


def expanded(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes the options of the groups in `function`'s signature one by one."""
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)

    def command(**values: Any) -> None:
        function(**gathered(values, {name: hints[name] for name in signature.parameters}))

    parameters = [
        own
        for name, parameter in signature.parameters.items()
        for own in _parameters(name, hints[name], parameter.default)
    ]
    # The mark keeps an example on one line, to be copied.
    command.__doc__ = (function.__doc__ or "").replace("\n    Example: ", "\n    \b\n    Example: ")
    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def gathered(values: dict[str, Any], hints: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function whose parameters have the given types, from the values of all options."""
    return {
        name: hint(**{field.name: values[field.name] for field in dataclasses.fields(hint)})
        if _is_group(hint)
        else values[name]
        for name, hint in hints.items()
    }


def _parameters(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    if not _is_group(hint):
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        return
    hints = get_type_hints(hint, include_extras=True)
    for field in dataclasses.fields(hint):
        own = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
        yield inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=own, annotation=hints[field.name])


def _is_group(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, OptionGroup)
