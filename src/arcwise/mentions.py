"""Arguments and calls that a message speaks of, which Python and the command line spell each in its own way.

A message is a sequence of parts, words and mentions. `str()` of a mention is Python's spelling, ``trust_table=True`` or
``impute(..., method='knn')``; the command line writes ``--trust-table`` and ``arcwise impute --method knn``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

__all__ = ["UNSAID", "Argument", "Call", "Either", "Mention", "Remedy", "Speller", "spell_parts"]


class _Unsaid:
    """What stands for a value that the message does not name."""

    def __repr__(self) -> str:
        return "UNSAID"

    def __reduce__(self) -> str:
        return "UNSAID"  # one object, also after pickling


UNSAID: Final = _Unsaid()


@dataclass(frozen=True)
class Argument:
    """An argument, with or without a value: ``Argument("trust_table", True)``, ``Argument("target")``.

    Parameters
    ----------
    shown
        How the value is written if not as `repr` has it, such as ``"math.inf"`` or ``"..."``.
    """

    name: str
    value: Any = UNSAID
    shown: str | None = None

    def __str__(self) -> str:
        if self.shown is not None:
            return f"{self.name}={self.shown}"
        return f"{self.name}=" if self.value is UNSAID else f"{self.name}={self.value!r}"


@dataclass(frozen=True)
class Call:
    """A function with the arguments that matter: ``Call("impute", Argument("method", "knn"))``."""

    function: str
    arguments: tuple[Argument, ...]

    def __init__(self, function: str, *arguments: Argument) -> None:
        object.__setattr__(self, "function", function)
        object.__setattr__(self, "arguments", arguments)

    def __str__(self) -> str:
        return f"{self.function}({', '.join(['...', *map(str, self.arguments)])})"


@dataclass(frozen=True)
class Either:
    """What Python does in words of its own and the command line by an option.

    ``Either("table.vouched()", Argument("trust_table", True))`` is ``--trust-table`` on the command line.
    """

    python: str
    option: Argument

    def __str__(self) -> str:
        return self.python


Mention = Argument | Call | Either
Speller = Callable[[Mention], str]


@dataclass(frozen=True)
class Remedy:
    """One thing to do about an error, in the imperative, without a capital and a full stop.

    Parameters
    ----------
    only_if
        The condition under which it is one, a clause: "the first line holds data".

    >>> str(Remedy("vouch for it with", Argument("trust_table", True)))
    'vouch for it with trust_table=True'
    >>> str(Remedy("give", Argument("header", False), only_if="the first line holds data"))
    'if the first line holds data, give header=False'
    """

    parts: tuple[str | Mention, ...]
    only_if: str = ""

    def __init__(self, *parts: str | Mention, only_if: str = "") -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "only_if", only_if)

    def spelled(self, spell: Speller = str) -> str:
        """Return it with every mention spelled as `spell` does."""
        condition = f"if {self.only_if}, " if self.only_if else ""
        return f"{condition}{spell_parts(self.parts, spell)}"

    def __str__(self) -> str:
        return self.spelled()


def spell_parts(parts: Iterable[str | Mention], spell: Speller = str) -> str:
    """Return words and mentions as one text, with a space between parts unless punctuation or a line's end forbids."""
    text = ""
    for part in parts:
        own = part if isinstance(part, str) else spell(part)
        joined = not text or text.endswith(("(", "\n")) or own.startswith((",", ".", ";", ":", ")", "\n"))
        text += own if joined else f" {own}"
    return text
