"""`Option`: one option with its name, type, default, range and help, from which everything else about it follows.

A dataclass whose fields are made by `option` is a table of options (HiGHS keeps its own in such a table). The keywords
of the Python function, the flags of the command line, the record of a run, the command that repeats it and the table in
the documentation are all made from that table, so they cannot differ from each other. A table that has a row of another
one refers to it by `row`.
"""

from __future__ import annotations

import builtins
import collections
import dataclasses
import difflib
import enum
import importlib
import inspect
import math
import os
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, Union, get_args, get_origin

from arcwise.base.errors import Argument, OptionError, Remedy, check_argument, check_known, hint

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from matplotlib.figure import Figure

_KEY, _TABLE = "option", "table"
REQUIRED = dataclasses.MISSING  # the default of an option that has to be given
T = TypeVar("T")
SHORT = 24  # letters: choices up to this are spelled out where a value stands


class Group(enum.StrEnum):
    """What an option is about: the headings of --help, in their order."""

    OTHER = "Options"  # what only this verb has
    DATA = "Data"
    QUESTION = "Question"
    DECISION = "Decision"
    METHOD = "Method"
    OUTPUT = "Output"


@dataclass(frozen=True)
class Option:
    """One option. Tuples and mappings are options that may be repeated, for mappings NAME=VALUE."""

    name: str  # in Python
    kind: type  # of its values, without None and the ways to abbreviate
    default: Any  # `REQUIRED` if it has to be given
    help: str  # what it is, in a phrase that stands in --help and in the table of options
    low: float | None = None
    high: float | None = None
    most: int | None = None  # of an integer: a bound so large that only its error message names it
    choices: tuple[str, ...] | Callable[[], Iterable[str]] = ()  # the values that are allowed
    flags: tuple[str, ...] = ()  # by default --name; a second flag of a bool turns it off: --no-name
    usual: str = ""  # what a default of None stands for: "20 where that is quick"
    recorded: bool = True  # whether it can change a result, and so belongs to the record of a run
    optional: bool = False  # whether None is a value; the command line spells it "none"
    values: str = ""  # the values that are allowed, where type and range do not say it
    metavar: str | None = None  # stands for a value in --help; by default the flag's last word, or N for a number
    group: Group = Group.OTHER
    rare: bool = False  # few need it: --help leaves it to --help-all
    of: str = ""  # what it is an option of, the method "genetic", say; stands before its help
    switch: Any = None  # the value that the bare flag sets, for a flag that takes no value and is not a bool
    names: Mapping[str, Any] | None = None  # the values by their names on the command line: first for True, say
    reader: Callable[[Any], Any] | None = None  # turns what users may write into a value: "strong" into 150

    @property
    def flag(self) -> str:
        """The first flag, ``--bayes-factor``."""
        return self.flags[0] if self.flags else f"--{self.name.replace('_', '-')}"

    @property
    def key(self) -> str:
        """The flag as a name, which no other option of a verb has; "from" is a word of Python's."""
        name = self.flag.strip("-").replace("-", "_")
        return f"{name}_" if iskeyword(name) else name

    @property
    def stands_for(self) -> str:
        """What stands for a value in --help."""
        if self.metavar is not None:
            return self.metavar
        if not callable(self.choices) and 0 < len("|".join(self.choices)) <= SHORT:
            return "|".join(self.choices)
        plain = {tuple: "NAME", Mapping: "NAME=VALUE", int: "N", float: "X", Path: "FILE"}
        return plain.get(self.kind) or self.flag.rpartition("-")[2].upper()

    @property
    def known(self) -> tuple[str, ...]:
        """The values that are allowed; empty if any is."""
        return tuple(self.choices() if callable(self.choices) else self.choices)

    @property
    def sentence(self) -> str:
        """The help as --help has it, with what a default of None stands for; names of values keep their case."""
        names = self.choices if isinstance(self.choices, tuple) else ()
        text = self.help or f"{', '.join(names[:-1])} or {names[-1]}"
        if self.of:
            text = f"{self.of}: {text}"
        elif not text.startswith(names or "--"):
            text = f"{text[0].upper()}{text[1:]}"
        return f"{text}{f' (default: {self.usual})' if self.usual else ''}."

    def checked(self, value: Any) -> Any:
        """Return a value as the option holds it, an int for numpy's; or raise an error if it is outside the range."""
        if value is None and self.optional:
            return None
        if self.reader is not None:
            return self.reader(value)
        rule = f"must be {self.allowed}."
        if self.kind is bool:
            check_argument(type(value).__name__ in ("bool", "bool_"), self.name, value, rule)
        if self.kind in (int, float):
            self._check_number(value, rule)
        if self.known:
            check_known(self.name, value, self.known)
        return self.kind(value) if self.kind in (bool, int, float) else value

    def _check_number(self, value: Any, rule: str) -> None:
        whole = self.kind is int
        try:
            number = float(value)
            fits = not isinstance(value, bool | str) and (not whole or number == int(number))
        except (TypeError, ValueError, OverflowError):
            number, fits = math.nan, False
        low, high = self.low if self.low is not None else -math.inf, self.high if self.high is not None else math.inf
        check_argument(fits and low <= number <= high, self.name, value, rule)
        if self.most is not None:
            check_argument(number <= self.most, self.name, value, f"must be an integer <= {self.most:,}.")

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


def option(default: Any, help: str = "", **facts: Any) -> Any:  # noqa: A002
    """Return the field of a dataclass that is an option; `facts` are those of `Option`."""
    metadata = {_KEY: {"help": help, **facts}}
    if isinstance(default, dict):
        return dataclasses.field(default_factory=lambda: dict(default), metadata=metadata)
    return dataclasses.field(default=default, metadata=metadata)


def row(table: type, name: str, **changes: Any) -> Any:
    """Return the row of another table as a field of this one; `changes` are facts that differ, or the default."""
    field = next(field for field in dataclasses.fields(table) if field.name == name)
    hint = hint_of(table, field)
    facts = {"default": _default(field), "kind": _plain(hint), "choices": _choices(hint)}
    return option(**facts | field.metadata[_KEY] | changes)


def is_row(thing: object) -> bool:
    """Whether a field of a dataclass, or the default of a parameter, is an option."""
    return isinstance(thing, dataclasses.Field) and _KEY in thing.metadata


def rows(table: type) -> Any:
    """Return the field of a dataclass that holds a table; the command line has its options, too."""
    return dataclasses.field(default_factory=table, metadata={_TABLE: table})


def table_in(field: dataclasses.Field[Any]) -> type | None:
    """Return the table that a field holds, None for an option or anything else."""
    return field.metadata.get(_TABLE)


def options_of(table: type | object) -> tuple[Option, ...]:
    """Return the options of a dataclass, in the order of its fields."""
    return _options_of(table if isinstance(table, type) else type(table))


@cache
def _options_of(table: type) -> tuple[Option, ...]:
    fields = dataclasses.fields(table)
    return tuple(option_of(field, field.name, hint_of(table, field)) for field in fields if is_row(field))


def option_of(field: Any, name: str, hint: Any) -> Option:
    """Return the option that a field, or the default of a parameter with such a hint, declares."""
    facts = {"kind": _plain(hint), "choices": _choices(hint), "optional": type(None) in get_args(hint)}
    return Option(name, default=_default(field), **facts | field.metadata[_KEY])


def _default(field: Any) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default


class _Names(dict[str, Any]):
    """The names of modules, for hints; what only type checkers import is Any."""

    def __missing__(self, name: str) -> Any:
        return getattr(builtins, name, Any)


def hint_of(table: type, field: dataclasses.Field[Any]) -> Any:
    """Return the type of a field of a dataclass."""
    if not isinstance(field.type, str):
        return field.type
    names = _Names()
    for base in reversed(table.__mro__):
        names |= vars(sys.modules[base.__module__])
    return eval(field.type, {}, names)


def _parts(hint: Any) -> list[Any]:
    return list(get_args(hint)) if get_origin(hint) in (Union, types.UnionType) else [hint]


def _choices(hint: Any) -> tuple[str, ...]:
    return next((get_args(part) for part in _parts(hint) if get_origin(part) is Literal), ())


def _plain(hint: Any) -> Any:
    """Return the type of the values behind a hint such as ``int | None``: text where that will do, else the first."""
    kinds = [get_origin(part) or part for part in _parts(hint) if part is not type(None)]
    if any(kind in (Path, os.PathLike) for kind in kinds):
        return Path
    if any(kind in (str, Literal) for kind in kinds):
        return str
    if any(kind in (tuple, list, collections.abc.Collection, collections.abc.Sequence) for kind in kinds):
        return tuple
    return kinds[0]


def check_options(table: object) -> None:
    """Bring the values of a frozen table into the form that its options hold, or raise an error."""
    for item in options_of(table):
        object.__setattr__(table, item.name, item.checked(getattr(table, item.name)))


class CheckedOptions:
    """What a frozen table of options inherits that has nothing else to check when it is made."""

    def __post_init__(self) -> None:
        check_options(self)


def from_keywords(kind: type[T], keywords: Mapping[str, Any], base: T | None = None) -> T:
    """Return the options that keywords ask for; those of `base` hold where a keyword says nothing."""
    known = [item.name for item in options_of(kind)]
    for name in keywords:
        if name not in known and (advice := hint("learn", name)):
            raise OptionError(f"there is no option '{name}'{advice}.")
        check_known("option", name, known)
    return kind(**keywords) if base is None else dataclasses.replace(base, **keywords)  # type: ignore[type-var]


def record_of(table: object) -> dict[str, Any]:
    """Return the options that can change a result, as JSON can hold them."""
    return {item.name: _json(getattr(table, item.name)) for item in options_of(table) if item.recorded}


def _json(value: Any) -> Any:
    describe = getattr(value, "describe", None)
    if describe is not None:
        return describe()
    return list(value) if isinstance(value, tuple) else value


def command_words(table: object, texts: Mapping[str, str]) -> list[str]:
    """Return the words of the command line that ask for these options, without those that are at their defaults.

    `texts` has those of options whose values are not numbers, texts or names.
    """
    words: list[str] = []
    for item in options_of(table):
        value = getattr(table, item.name)
        if not item.recorded or value == item.default:
            continue
        if item.name in texts:
            words += [item.flag, texts[item.name]]
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
    added = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=hint_of(table, field)
        )
        for field in dataclasses.fields(table)
        if is_row(field)
    ]
    return plain.replace(parameters=[*own, *added])


def option_lines(table: type, *, indent: str = "    ") -> str:
    """Return the options as the Parameters section of a docstring has them."""
    lines = []
    for item in options_of(table):
        text = f"{item.help[0].upper()}{item.help[1:]}."
        lines.append(f"{indent}{item.name}\n{indent}    {text}")
    return "\n".join(lines)


# Rare settings of a function: a frozen dataclass, which callers may also give one by one as keywords.
#
#     if TYPE_CHECKING:
#         from arcwise.keywords import ClimbKeywords
#
#     def hill_climb(data: Dataset, **keywords: Unpack[ClimbKeywords]) -> ...:
#         settings = gather(ClimbSettings, hill_climb, keywords)
#
# `hill_climb(data, restarts=10)` and `hill_climb(data, settings=ClimbSettings(restarts=10))` are the same. The
# signature shows what most calls need; type checkers and editors know the keywords from a stub,
# src/arcwise/keywords.pyi, which docs/update.py makes of the dataclasses.


Settings = TypeVar("Settings", bound="DataclassInstance")


def gather(kind: type[Settings], function: Callable[..., Any], keywords: Mapping[str, Any]) -> Settings:
    """Return the settings that keywords ask for: a whole object as `settings`, single ones by name, or both.

    The function that takes them is named in messages.
    """
    given = dict(keywords)
    base = given.pop("settings", None)
    known = [field.name for field in dataclasses.fields(kind)]
    for name in given:
        if name not in known:
            taken = list(dict.fromkeys([*inspect.signature(function).parameters, *known]))
            advice, near = hint("search", name), difflib.get_close_matches(name, taken, n=1)
            if advice.removeprefix("; use ").split("=")[0] in taken:
                guess = f"{advice}."
            else:
                guess = f"; did you mean '{near[0]}'?" if near else "."
            raise OptionError(f"{function.__name__} takes no argument '{name}'{guess} It takes {', '.join(taken)}.")
    if base is not None and not isinstance(base, kind):
        raise OptionError(
            Argument("settings", shown=f"{type(base).__name__}(...)"),
            f"must be a {kind.__name__} for {function.__name__}.",
        )
    found = kind(**given) if base is None else dataclasses.replace(base, **given)
    check_options(found)
    return found


# Packages that only some users need: what to install is said when one is missing.
#
# Drawing figures needs matplotlib and what comes with it; networkx is needed to hand graphs to it. Neither is needed
# to learn, to report or to predict.


def load_package(name: str, what: str, *remedies: Remedy) -> Any:
    """Return a module; if it is not installed, the error says `what` needs it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise OptionError(f"{what}, which is not installed.", remedies=remedies) from None


def load_figure() -> type[Figure]:
    """Return matplotlib's class of figures."""
    what, remedy = "figures are drawn by matplotlib", Remedy("install it: pip install 'arcwise[figures]'")
    found: type[Figure] = load_package("matplotlib.figure", what, remedy).Figure
    return found


def load_networkx() -> Any:
    """Return networkx."""
    return load_package("networkx", "this graph is one of networkx", Remedy("install it: pip install networkx"))


# The defaults that more than one place has to know, each with its reason.


# Beyond it the evidence against a network is called strong (Kass and Raftery 1995).
BAYES_FACTOR = 20.0
# The standard error of a bootstrap's confidence is then at most 0.035.
REPLICATES = 200
# Rounds of refinement of a climb: part of what a climb finds without is where it got stuck, not what the data say.
REFINE = 3
# Of more variables than this, no drawing of the whole can be read, and a table of all pairs is mostly zeros.
MANY_VARIABLES = 400
# With many variables, refinement retries only this many parents of each: those that gained most before. Replicates do
# so from `MANY_VARIABLES` variables on; a single search, whose score is what counts, above `REFINED_WHOLE`.
CANDIDATES = 40
REFINED_WHOLE = 2000
# Three intervals of about equal numbers of rows leave none of them empty.
BINS = 3
# Data with gaps are completed this often: with half of the cells missing, an average over 20 completions has a variance
# that is 2.5 % above that over any number (1 + 0.5 / 20; Rubin 1987, p. 114).
COMPLETIONS = 20
# What a person waits for.
LEARN_SECONDS = 120.0
MOST_THREADS = 1024


@dataclass(frozen=True)
class Common:
    """The options that many verbs have, said once."""

    seed: int = option(
        0, "seed of the random numbers; same seed, same result", low=0, high=2**63 - 1, group=Group.METHOD
    )
    threads: int | None = option(
        None,
        "threads to use; results do not depend on them",
        usual="one per core",
        low=1,
        high=MOST_THREADS,
        recorded=False,
        group=Group.METHOD,
        rare=True,
    )
    cluster: str | None = option(
        None,
        "the address of a Dask scheduler to run on",
        usual="this machine",
        recorded=False,
        flags=("--cluster", "--dask"),
        metavar="ADDRESS",
        group=Group.METHOD,
        rare=True,
    )
    columns: tuple[str, ...] | None = option(
        None, "read only this column; may be repeated", flags=("--column",), group=Group.DATA
    )
    drop: tuple[str, ...] = option((), "leave this column out; may be repeated", metavar="COLUMN", group=Group.DATA)
    groups: str | None = option(
        None,
        "a column that says which rows belong together, such as all rows of one patient. They are resampled and held "
        "out together, and count for what they are worth. The column is no variable",
        usual="rows are independent",
        metavar="COLUMN",
        group=Group.DATA,
    )
    bins: int = option(BINS, "the number of bins", low=2, high=10_000, group=Group.DATA)
    categorical: bool = option(False, "treat all columns of numbers as categories", group=Group.DATA)
    weights: str | None = option(
        None,
        "a column of survey weights: for how many people each row stands. Counts and samples are then of the "
        "population, and probabilities go by the effective number of rows. The column is no variable",
        usual="all rows count alike",
        metavar="COLUMN",
        group=Group.DATA,
    )
    replicate_weights: tuple[str, ...] = option(
        (),
        "columns of replicate weights, by name or pattern, such as 'rep_*': of a bootstrap, balanced halves or a "
        "jackknife. Each network is learned with one of them; may be repeated",
        usual="rows, or groups, are resampled",
        metavar="COLUMN",
        group=Group.DATA,
        rare=True,
    )
