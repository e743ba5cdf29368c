"""`Option`: one option with its name, type, default, range and help, from which everything else about it follows.

A dataclass whose fields are made by `option` is a list of options (HiGHS keeps its own in such a table). The signature
and docstring of the Python function, the flags of the command line, the record of a run, the command that repeats it
and the table in the documentation are all made from that list, so they cannot differ from each other.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.mentions import Argument

__all__ = [
    "Option",
    "check_options",
    "command_words",
    "from_keywords",
    "option",
    "option_lines",
    "options_of",
    "record_of",
    "signature_with",
]

_KEY = "option"
T = TypeVar("T")


@dataclass(frozen=True)
class Option:
    """One option.

    Parameters
    ----------
    name, kind, default
        Its name in Python, the type of its values (without None and the ways to abbreviate), and its default.
    help
        What it is, in a phrase that stands in --help and in the table of options.
    low, high
        The least and the largest value.
    choices
        The values that are allowed, or a function that returns them.
    flags
        How the command line spells it; by default ``--name``. A second flag of a bool turns it off: "--no-name".
    usual
        What the default stands for if it is None: "20 where that is quick".
    section
        The heading that it stands under.
    recorded
        Whether it can change a result: only those that can belong to the record of a run.
    optional
        Whether None is a value; the command line spells it "none".
    values
        The values that are allowed, where type and range do not say it.
    """

    name: str
    kind: type
    default: Any
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] | Callable[[], Iterable[str]] = ()
    flags: tuple[str, ...] = ()
    usual: str = ""
    section: str = ""
    recorded: bool = True
    optional: bool = False
    values: str = ""

    @property
    def flag(self) -> str:
        """The first flag, ``--bayes-factor``."""
        return self.flags[0] if self.flags else f"--{self.name.replace('_', '-')}"

    @property
    def known(self) -> tuple[str, ...]:
        """The values that are allowed; empty if any is."""
        return tuple(self.choices() if callable(self.choices) else self.choices)

    def checked(self, value: Any) -> Any:
        """Return a value as the option holds it, an int for numpy's; or raise an error if it is outside the range."""
        if value is None and self.optional:
            return None
        if self.kind is bool and not (isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")):
            raise OptionError(Argument(self.name, value), f"must be {self.allowed}.")
        if self.kind in (int, float):
            self._check_number(value)
        known = self.known
        if known and value not in known:
            raise UnknownNameError(suggestion(self.name, str(value), known))
        return self.kind(value) if self.kind in (bool, int, float) else value

    def _check_number(self, value: Any) -> None:
        whole = self.kind is int
        try:
            number = float(value)
            fits = not isinstance(value, bool | str) and (not whole or number == int(number))
        except (TypeError, ValueError, OverflowError):
            number, fits = math.nan, False
        low, high = self.low if self.low is not None else -math.inf, self.high if self.high is not None else math.inf
        if not fits or not low <= number <= high:
            raise OptionError(Argument(self.name, value), f"must be {self.allowed}.")

    @property
    def allowed(self) -> str:
        """The range in words: "an integer >= 1"."""
        if self.values:
            return self.values
        if self.known:
            return " or ".join(self.known)
        if self.kind is bool:
            return "True or False"
        if self.kind not in (int, float):
            return "text" if self.kind is str else "names" if self.kind is tuple else getattr(self.kind, "__name__", "")
        noun = "an integer" if self.kind is int else "a number"
        ending = ", or None" if self.optional and self.default is not None else ""
        if self.low is not None and self.high is not None and self.high < 2**62:
            return f"{noun} from {self.low:,g} to {self.high:,}{ending}"
        return noun + (f" >= {self.low:g}" if self.low is not None else "") + ending


def option(default: Any, help: str, **facts: Any) -> Any:  # noqa: A002
    """Return the field of a dataclass that is an option; `facts` are those of `Option`."""
    return dataclasses.field(default=default, metadata={_KEY: {"help": help, **facts}})


def options_of(table: type | object) -> tuple[Option, ...]:
    """Return the options of a dataclass, in the order of its fields."""
    kind = table if isinstance(table, type) else type(table)
    hints = get_type_hints(kind)
    return tuple(
        Option(
            field.name,
            _plain(hints[field.name]),
            field.default,
            optional=type(None) in get_args(hints[field.name]),
            **field.metadata[_KEY],
        )
        for field in dataclasses.fields(kind)
        if _KEY in field.metadata
    )


def _plain(hint: Any) -> type:
    """Return the type of the values behind a hint such as ``int | None``: text where that will do, else the first."""
    if get_origin(hint) in (Union, types.UnionType):
        parts = [part for part in get_args(hint) if part is not type(None)]
        hint = str if str in parts else parts[0]
    plain: type = get_origin(hint) or hint
    return plain


def check_options(table: object) -> None:
    """Bring the values of a frozen table into the form that its options hold, or raise an error."""
    for item in options_of(table):
        object.__setattr__(table, item.name, item.checked(getattr(table, item.name)))


def from_keywords(kind: type[T], keywords: Mapping[str, Any], base: T | None = None) -> T:
    """Return the options that keywords ask for; those of `base` hold where a keyword says nothing."""
    known = [item.name for item in options_of(kind)]
    for name in keywords:
        if name not in known:
            raise UnknownNameError(suggestion("option", name, known))
    return kind(**keywords) if base is None else dataclasses.replace(base, **keywords)  # type: ignore[type-var]


def record_of(table: object) -> dict[str, Any]:
    """Return the options that can change a result, as JSON can hold them."""
    return {item.name: _json(getattr(table, item.name)) for item in options_of(table) if item.recorded}


def _json(value: Any) -> Any:
    describe = getattr(value, "describe", None)
    if describe is not None:
        return describe()
    return list(value) if isinstance(value, tuple) else value


def command_words(
    table: object, spell: Callable[[Option, Any], list[str] | None] = lambda item, value: None
) -> list[str]:
    """Return the words of the command line that ask for these options, without those that are at their defaults.

    `spell` may return the words of an option whose values are not numbers, texts or names.
    """
    words: list[str] = []
    for item in options_of(table):
        value = getattr(table, item.name)
        if not item.recorded or value == item.default:
            continue
        own = spell(item, value)
        if own is not None:
            words += own
        elif value is None:
            words += [item.flag, "none"]
        elif isinstance(value, bool):
            words.append(item.flag if value else item.flags[1])
        elif isinstance(value, tuple):
            for part in value:
                words += [item.flag, str(part)]
        else:
            words += [item.flag, repr(value) if isinstance(value, float) else str(value)]
    return words


def signature_with(function: Callable[..., Any], table: type) -> inspect.Signature:
    """Return the signature of a function whose ``**keywords`` are the options of a table, with these written out."""
    plain = inspect.signature(function)
    own = [p for p in plain.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    hints = get_type_hints(table)
    added = [
        inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=hints[item.name])
        for item in options_of(table)
    ]
    return plain.replace(parameters=[*own, *added])


def option_lines(table: type, *, indent: str = "    ") -> str:
    """Return the options as the Parameters section of a docstring has them."""
    lines = []
    for item in options_of(table):
        text = f"{item.help[0].upper()}{item.help[1:]}."
        lines.append(f"{indent}{item.name}\n{indent}    {text}")
    return "\n".join(lines)
