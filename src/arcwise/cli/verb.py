"""`Verb`: a verb of the command line is a table of options (`arcwise.base.options`) with a method `_run`.

    class ConsensusVerb(ConstraintOptions, ResultVerb):
        confidence: Annotated[Path, typer.Argument(help="Confidences from `arcwise confidence -o`.")]
        threshold: float = option(REQUIRED, "edges strictly above it are significant")

        def _run(self) -> Result: ...

    add_verb(app, "consensus", ConsensusVerb)

The command line has the argument, --threshold and the options that are inherited, in this order; the docstring is the
help. A table may as well be one of the library, `settings: BootstrapSettings = rows(BootstrapSettings)`: what is added
to it is an option of the verb. What `_run` returns is printed here, as text or as JSON.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, ClassVar, dataclass_transform

import typer
from typer.core import TyperCommand, TyperGroup

from arcwise.base.errors import OptionError, suggestion
from arcwise.base.options import REQUIRED, Group, Option, hint_of, is_row, option, option_of, options_of, table_in
from arcwise.base.run import Run, Status

# Verbs and what they give back


@dataclass(frozen=True, eq=False)
class Result:
    """What a verb found.

    Parameters
    ----------
    payload
        The object that --json prints.
    text
        What is printed otherwise: a text, lines, or a function that prints.
    remark, told
        What is said on stderr: in any case, and unless --json prints the same.
    status
        How the work ended; the exit code is 3 if that was at a limit.
    """

    payload: Mapping[str, Any]
    text: Iterable[str] | Callable[[], None] = ()
    remark: str = ""
    message: str = ""
    status: Status = Status.COMPLETE


@dataclass_transform(kw_only_default=True, frozen_default=True)
@dataclass(frozen=True, kw_only=True)
class Verb:
    """A verb: its options are its fields, and those of the tables that it inherits."""

    as_json: bool = option(
        False, "print the result on stdout as one JSON object", flags=("--json",), group=Group.OUTPUT
    )
    quiet: bool = option(False, "no progress and no remarks on stderr", flags=("--quiet", "-q"), group=Group.OUTPUT)

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, kw_only=True)(cls)

    @cached_property
    def clock(self) -> Run:
        """What times the whole verb, from before its data are read."""
        return Run.of(getattr(self, "limits", None))

    @cached_property
    def hurried(self) -> list[str]:
        """What the time did not suffice for before the work itself began, one sentence each."""
        return []

    @property
    def progress(self) -> bool | None:
        """The `progress` argument: nothing if quiet, else a bar where stderr is a terminal."""
        return False if self.quiet else None

    def remark(self, text: str) -> None:
        """Print something on stderr, unless quiet."""
        if text and not self.quiet:
            typer.echo(text, err=True)

    def stdout_is_taken(self, output: Path | None, *, otherwise: bool = False) -> bool:
        """Return whether the result itself goes to stdout: by `-o -`, or without -o if `otherwise`; --json cannot."""
        taken = otherwise if output is None else str(output) == "-"
        if taken and self.as_json:
            raise typer.BadParameter("--json prints a summary on stdout, so the result needs a file: -o FILE.")
        return taken

    def _check(self) -> None:
        """Refuse what cannot be written, before any work is lost to it."""

    def _run(self) -> Result:
        """Do the work."""
        raise NotImplementedError


def print_json(payload: Mapping[str, Any]) -> None:
    """Print one JSON object on stdout; infinities and NaN, which JSON does not know, become null."""
    json.dump(_plain(payload), sys.stdout, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | Iterator):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):  # numpy scalars and arrays
        return _plain(value.tolist())
    if hasattr(value, "to_dict"):  # a table
        return _plain(value.to_dict(orient="records"))
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def facts(thing: object, *names: str) -> dict[str, Any]:
    """Return what an object says under some names, for JSON."""
    return {name: getattr(thing, name) for name in names}


# From tables to flags


@dataclass(frozen=True)
class Rows:
    """Options of some tables that a verb takes as keywords, ``Annotated[dict[str, Any], Rows(...)]``.

    `only` are the names of the options if these are not all, `leave_out` those that are not taken. If only what was
    `given` is wanted, the defaults stand in the help only.
    """

    tables: tuple[type, ...]
    only: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    given: bool = False

    @property
    def items(self) -> tuple[Option, ...]:
        """The options, each name once."""
        every = {item.name: item for table in self.tables for item in options_of(table)}
        chosen = [item for name, item in every.items() if name not in self.leave_out and name in (self.only or every)]
        return tuple(map(_unset, chosen) if self.given else chosen)

    def read(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the keywords that the values of all options ask for."""
        return {item.name: _read(item, values) for item in self.items if values[item.key] is not None}


def _unset(item: Option) -> Option:
    has_none = item.default is None or item.default is False
    usual = item.usual or ("" if has_none else str(item.default))
    return dataclasses.replace(item, default=None, optional=True, usual=usual)


EVERY = "arcwise.cli.every"  # where a context keeps that all options are asked for


def _print_all(ctx: typer.Context, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        ctx.meta[EVERY] = True
        typer.echo(ctx.get_help())
        raise typer.Exit


ALL = Annotated[
    bool, typer.Option("--help-all", is_eager=True, callback=_print_all, help="Show the rare options, too, and exit.")
]


def add_verb(app: typer.Typer, name: str, verb: type[Verb]) -> None:
    """Add a verb to a program or a group of verbs."""
    app.command(name, cls=VerbCommand)(command_of(verb))


def command_of(verb: type[Verb]) -> Callable[..., None]:
    """Return a function that takes the arguments and options of a verb one by one, runs it and prints the result."""

    def command(help_all: bool = False, **values: Any) -> None:
        made: Verb = _made(verb, values)
        made._check()
        made.clock  # noqa: B018 - it starts
        found = made._run()
        if made.as_json:
            print_json(found.payload)
        elif callable(found.text):
            found.text()
        else:
            for line in [found.text] if isinstance(found.text, str) else found.text:
                typer.echo(line)
        if not made.as_json:
            made.remark(found.message)
        made.remark(found.remark)
        if found.status is not Status.COMPLETE or made.hurried:
            raise typer.Exit(3)

    parts = [part for _, parts, _ in _slots(verb) for part in parts]
    parameters = [_parameter(part) if isinstance(part, Option) else part for part in parts]
    if any(item.rare for item in parts if isinstance(item, Option)):
        parameters.append(inspect.Parameter("help_all", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=ALL))
    # The mark keeps an example on one line, to be copied.
    command.__doc__ = (verb.__doc__ or "").replace("\n    Example: ", "\n    \b\n    Example: ")
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.options = {item.key: item for item in parts if isinstance(item, Option)}  # type: ignore[attr-defined]
    return command


def _fields(table: type) -> list[dataclasses.Field[Any]]:
    """Return the fields of a table; of a verb, its own first, then those of its bases from left to right."""
    known = {field.name: field for field in dataclasses.fields(table)}
    if table is Verb or not issubclass(table, Verb):
        return list(known.values())
    own = [name for name in inspect.get_annotations(table) if name in known]
    inherited = [field.name for base in table.__bases__ for field in _fields(base) if field.name not in own]
    # What several bases have, --json and --quiet, comes where the last of them puts it.
    names = [*own, *(name for k, name in enumerate(inherited) if name not in inherited[k + 1 :])]
    return [known[name] for name in names]


def _slots(table: Any) -> Iterator[tuple[str, list[Option | inspect.Parameter], Callable[[Mapping[str, Any]], Any]]]:
    """Yield the fields of a table that the command line fills: name, options or argument, and what reads the value."""
    for field in _fields(table):
        hint = hint_of(table, field)
        marks = getattr(hint, "__metadata__", ())
        chosen = next((mark for mark in marks if isinstance(mark, Rows)), None)
        if (inner := table_in(field)) is not None:
            yield field.name, [part for _, parts, _ in _slots(inner) for part in parts], partial(_made, inner)
        elif is_row(field):
            item = option_of(field, field.name, hint)
            yield field.name, [item], partial(_read, item)
        elif chosen is not None:
            yield field.name, list(chosen.items), chosen.read
        elif marks or hint is typer.Context:
            default = inspect.Parameter.empty if field.default is dataclasses.MISSING else field.default
            argument = inspect.Parameter(field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
            yield field.name, [argument], itemgetter(field.name)


def _made(table: Any, values: Mapping[str, Any]) -> Any:
    """Return a table, or a verb, from the values of all options."""
    return table(**{name: read(values) for name, _, read in _slots(table)})


def given_options(values: object, *tables: type) -> Iterator[Option]:
    """Yield the options of tables, and of the tables in them, that are not at their defaults."""
    for table in tables:
        yield from (item for item in options_of(table) if getattr(values, item.name) != item.default)
        for field in dataclasses.fields(table):
            if (inner := table_in(field)) is not None:
                yield from given_options(getattr(values, field.name), inner)


def _read(item: Option, values: Mapping[str, Any]) -> Any:
    """Return the value of an option from what the command line has for it."""
    value = values[item.key]
    if item.switch is not None:
        return item.switch if value else item.default
    if value is None or (item.kind in (tuple, Mapping) and not value):
        return item.default
    if item.names:
        if value not in item.names:
            raise OptionError(suggestion(item.name, value, tuple(item.names)))
        return item.names[value]
    if item.kind is Mapping:
        return dict(_named(item, text) for text in value)
    if _is_spelled(item) and not isinstance(value, float):
        return _number(item, value)
    return tuple(value) if item.kind is tuple else value


def _named(item: Option, text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign:
        raise OptionError(f"{item.flag} {text}: give it as name=value, e.g. refine=2.")
    try:
        return name.strip(), json.loads(value)
    except (ValueError, RecursionError):
        return name.strip(), value


def _is_spelled(item: Option) -> bool:
    """Whether a number can also be "none", so that the command line has to read it as text."""
    return item.optional and item.default is not None and item.kind in (int, float)


def _number(item: Option, text: str) -> float | None:
    if text.lower() == "none":
        return None
    try:
        return float(item.kind(text))
    except ValueError:
        raise OptionError(f"{item.flag} {text}: must be {item.allowed.replace('None', 'none')}.") from None


def _default(item: Option) -> Any:
    if item.default is REQUIRED:
        return inspect.Parameter.empty
    if item.switch is not None:
        return False
    if item.kind in (tuple, Mapping):
        return None
    return (
        f"{item.default:g}"
        if (isinstance(item.default, float) and item.kind is str) or _is_spelled(item)
        else item.default
    )


def _parameter(item: Option) -> inspect.Parameter:
    ends: dict[str, Any] = {}
    if item.kind in (int, float) and not _is_spelled(item):
        ends = {"min": item.low, "max": item.high}
    if item.kind is int:
        ends = {name: None if end is None else int(end) for name, end in ends.items()}
    default = _default(item)
    declared = typer.Option(
        *_flags(item),
        help=item.sentence,
        autocompletion=_completer(item),
        show_default=not item.usual and default not in (None, inspect.Parameter.empty),
        metavar=None if item.kind is bool or item.switch is not None else item.stands_for,
        **ends,
    )
    kind: Any = list[str] if item.kind in (tuple, Mapping) else bool if item.switch is not None else item.kind
    kind = str if item.names or _is_spelled(item) else kind
    hint: Any = Annotated[kind | None if default is None else kind, declared]
    return inspect.Parameter(item.key, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)


def _completer(item: Option) -> Callable[[str], list[str]] | None:
    """Complete the values that are allowed, which are asked for only when a shell wants them."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in item.known if name.startswith(incomplete)]

    return complete if item.choices else None


def _flags(item: Option) -> tuple[str, ...]:
    if item.kind is bool and len(item.flags) == 2 and item.flags[1].startswith("--no-"):
        return ("/".join(item.flags),)
    return item.flags or (item.flag,)


FEW = 12  # options that are read without headings
OPEN_RANGE = re.compile(r"(\d+)<=x<=\d{7,}")  # an end that nobody reaches


class VerbCommand(TyperCommand):
    """The command of a verb. Where options are many, --help tells them in groups, and only --help-all the rare ones."""

    @property
    def _items(self) -> Mapping[str, Option]:
        return getattr(self.callback, "options", {})

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, and the options under the headings of their groups."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], **{group: [] for group in Group}, "Help": []}
        many, left = len(self._items) > FEW, 0
        for parameter in self.get_params(ctx):
            record, item = parameter.get_help_record(ctx), self._items.get(parameter.name)
            if record is None:
                continue
            if item is not None and item.rare and not ctx.meta.get(EVERY):
                left += 1
                continue
            usual = "Help" if many else Group.OTHER
            title = "Arguments" if parameter.param_type_name == "argument" else item.group if many and item else usual
            sections[title].append((record[0], OPEN_RANGE.sub(r"x>=\1", record[1])))
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
        if left:
            formatter.write_paragraph()
            formatter.write_text(f"{left} rare options are left out: --help-all shows them.")


# Groups of verbs

OF_STUDIES = ("study", "prior compare")  # what the package arcwise-studies adds, where it is installed
WHOLE = 10_000  # characters: no first sentence is longer
RUNNING = "arcwise.cli.running"  # where a context keeps the verb that runs
TYPED = "arcwise.cli.typed"  # and the words of the command line that asked for it


class VerbGroup(TyperGroup):
    """A group of verbs whose help shows the first sentence of each verb whole, wrapped rather than cut.

    `stages` are the headings and the verbs below each; verbs that none of them names follow under "Commands".
    """

    stages: ClassVar[Mapping[str, Sequence[str]]] = {}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the verb that was asked for, and remember it: mistakes are told in its options and what was typed."""
        if self.get_command(ctx, args[0]) is None:
            verb = " ".join((*ctx.command_path.split()[1:], args[0]))
            if verb in OF_STUDIES:
                raise OptionError(
                    f"`arcwise {verb}` is in a package of its own: pip install arcwise-studies, or ./studies in a "
                    "clone."
                )
            self.all_commands()  # what is nearest is looked for among all
        name, command, rest = super().resolve_command(ctx, args)
        ctx.meta[RUNNING] = command
        ctx.meta[TYPED] = (*ctx.command_path.split(), *args)
        return name, command, rest

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the verbs, one definition list for each stage, all with the same indent."""
        commands = self.all_commands()
        known = [name for name in self.list_commands(ctx) if not commands[name].hidden]
        named = {name for verbs in self.stages.values() for name in verbs}
        sections = {**self.stages, "Commands": [name for name in known if name not in named]}
        width = max(map(len, known), default=0)
        for title, verbs in sections.items():
            listed = [(name.ljust(width), commands[name].get_short_help_str(WHOLE)) for name in verbs if name in known]
            if listed:
                with formatter.section(title):
                    formatter.write_dl(listed)

    def all_commands(self) -> Mapping[str, Any]:
        """Return the verbs by name; a group that imports them only when they are asked for imports them all."""
        return self.commands
