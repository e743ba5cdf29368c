"""Options of the command line that are made from a table of options (`arcwise.option`), as one group."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer

from arcwise.cli.completion import one_of
from arcwise.cli.option_group import OptionGroup
from arcwise.errors import OptionError
from arcwise.option import Option, options_of

__all__ = ["group_of", "keywords_of"]

MOST = 2**63 - 1


def group_of(table: type, *, leave_out: Iterable[str] = ()) -> type[OptionGroup]:
    """Return the options of a table as a group that a verb can take."""
    left_out = set(leave_out)
    fields: list[Any] = [
        (item.name, _annotation(item), dataclasses.field(default=_default(item)))
        for item in options_of(table)
        if item.name not in left_out
    ]
    return dataclasses.make_dataclass(f"{table.__name__}Group", fields, bases=(OptionGroup,), frozen=True)


def keywords_of(group: OptionGroup, table: type) -> dict[str, Any]:
    """Return the values of a group as keywords of the table that it was made from."""
    spelled = {item.name: item for item in options_of(table) if _is_spelled(item)}
    values = {field.name: getattr(group, field.name) for field in dataclasses.fields(group)}  # type: ignore[arg-type]
    given = {name: value for name, value in values.items() if value is not None}
    for name, item in spelled.items():
        if name in given:
            given[name] = _read(item, given[name])
    return {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}


def _is_spelled(item: Option) -> bool:
    """Say whether a number can also be "none", so that the command line has to read it as text."""
    return item.optional and item.default is not None and item.kind in (int, float)


def _read(item: Option, text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(item.kind(text))
    except ValueError:
        raise OptionError(f"{item.flag} {text}: must be {item.allowed.replace('None', 'none')}.") from None


def _default(item: Option) -> Any:
    if item.kind is tuple:
        return None
    return f"{item.default:g}" if _is_spelled(item) else item.default


def _annotation(item: Option) -> Any:
    ends: dict[str, Any] = (
        {} if item.kind not in (int, float) or _is_spelled(item) else {"min": item.low, "max": item.high}
    )
    if item.kind is int and ends:
        ends = {name: None if end is None else int(end) for name, end in ends.items()}
    declared = typer.Option(
        *_flags(item),
        help=f"{item.help[0].upper()}{item.help[1:]}{f' (default: {item.usual})' if item.usual else ''}.",
        autocompletion=_completer(item),
        show_default=not item.usual and item.default not in (None, ()),
        metavar="NAME" if item.kind is tuple else None,
        **ends,
    )
    kind: Any = list[str] if item.kind is tuple else str if _is_spelled(item) else item.kind
    return Annotated[kind | None if item.default is None or item.kind is tuple else kind, declared]


def _completer(item: Option) -> Callable[[str], list[str]] | None:
    """Complete the values that are allowed, which are asked for only when a shell wants them."""

    def complete(incomplete: str) -> list[str]:
        return one_of(*item.known)(incomplete)

    return complete if item.choices else None


def _flags(item: Option) -> tuple[str, ...]:
    if item.kind is bool and len(item.flags) == 2 and item.flags[1].startswith("--no-"):
        return ("/".join(item.flags),)
    return item.flags or (item.flag,)
