"""`SourceText`: how a text such as ``random:nodes=20,seed=1`` names something, with options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arcwise.base.errors import suggestion
from arcwise.errors import ConfigError

__all__ = ["SourceText"]


@dataclass(frozen=True, slots=True)
class SourceText:
    """A kind or name, and options as texts."""

    text: str
    kind: str
    options: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> SourceText:
        """Split ``kind:key=value,key=value``; only the first colon counts, and of each part only the first "="."""
        kind, _, rest = text.partition(":")
        options: dict[str, str] = {}
        for part in rest.split(",") if rest else ():
            key, separator, value = (piece.strip() for piece in part.partition("="))
            if not (key and separator and value):
                raise ConfigError(f"'{text}': '{part}' is not of the form option=value.")
            if key in options:
                raise ConfigError(f"'{text}': {key} is given twice.")
            options[key] = value
        if not kind.strip():
            raise ConfigError(f"'{text}' names nothing; give a name, as in 'alarm' or 'random:nodes=20'.")
        return cls(text, kind.strip(), options)

    def values(self, kinds: Mapping[str, Callable[[str], Any]]) -> dict[str, Any]:
        """Return the options converted; an unknown one, or one that cannot be converted, is an error."""
        found: dict[str, Any] = {}
        for key, value in self.options.items():
            if key not in kinds:
                raise ConfigError(f"'{self.text}': {suggestion('option', key, kinds)}")
            try:
                found[key] = kinds[key](value)
            except ValueError:
                what = {int: "a whole number", float: "a number"}.get(kinds[key], "possible here")  # type: ignore[call-overload]
                raise ConfigError(f"'{self.text}': {key}={value} is not {what}.") from None
        return found

    def without(self, *keys: str) -> dict[str, str]:
        """Return the options other than these."""
        return {key: value for key, value in self.options.items() if key not in keys}
