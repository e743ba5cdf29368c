"""`parse_settings`: a table of a TOML file becomes a frozen dataclass, or an error that names the key."""

from __future__ import annotations

import dataclasses
import sys
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from arcwise.base.errors import suggestion
from arcwise.errors import ArcwiseError, ConfigError

__all__ = ["LATER", "parse_settings", "plain_settings"]

LATER = "added later"

T = TypeVar("T")


def parse_settings(kind: type[T], table: object, where: str) -> T:
    """Return a dataclass made from a table.

    Parameters
    ----------
    kind
        The dataclass; its fields are bool, int, float, str, ``Literal``, ``tuple[X, ...]`` of these, or any with None.
    table
        What the file has; it must be a table.
    where
        What to call the table in messages, e.g. "liao.toml: [experiments.discovery]".
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table, not {table!r}.")
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in fields:
            raise ConfigError(f"{where}: {suggestion('key', str(key), fields)}")
        values[key] = _checked(hints[key], value, f"{where}: {key}")
    for name, field in fields.items():
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        if required and name not in values:
            raise ConfigError(f"{where}: the key '{name}' is missing; it must be {_describe(hints[name])}.")
    try:
        return kind(**values)
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from None
    except ArcwiseError as error:
        raise type(error)(f"{where}: {error}") from None


def plain_settings(settings: Any) -> dict[str, Any]:
    """Return the settings as what JSON and TOML can hold.

    A setting that was added `LATER` is left out at its default, with which a cell does what it did before: the ids of
    cells, stores and frozen summaries stay valid.
    """
    return {
        field.name: _plain(getattr(settings, field.name))
        for field in dataclasses.fields(settings)
        if not (field.metadata.get(LATER) and getattr(settings, field.name) == field.default)
    }


def _plain(value: Any) -> Any:
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _checked(kind: Any, value: Any, where: str) -> Any:
    found, result = _convert(kind, value)
    if not found:
        raise ConfigError(f"{where} = {value!r} must be {_describe(kind)}.")
    return result


def _convert(kind: Any, value: Any) -> tuple[bool, Any]:
    """Return whether the value is of the kind, and the value as the kind has it (a list as a tuple, 1 as 1.0)."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        options = (_convert(option, value) for option in arguments)
        return next((option for option in options if option[0]), (False, None))
    if origin is Literal:
        return any(value == option and type(value) is type(option) for option in arguments), value
    if origin is tuple:
        items = [_convert(arguments[0], item) for item in value] if isinstance(value, list | tuple) else [(False, None)]
        return all(found for found, _ in items), tuple(item for _, item in items)
    if kind is float:
        # A whole number of TOML has any number of digits: it is compared, for float() cannot take it.
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
        return is_number, float(value) if is_number else None
    return type(value) is kind, value


def _describe(kind: Any) -> str:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_describe(option) for option in arguments if option is not types.NoneType)
    if origin is Literal:
        return "one of " + ", ".join(map(repr, arguments))
    if origin is tuple:
        return f"a list, each item {_describe(arguments[0])}"
    return {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}.get(kind, str(kind))
