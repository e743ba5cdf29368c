"""The options of verbs, made from tables of options (`arcwise.base.options`), and the tables that many verbs share.

    @dataclass(frozen=True)
    class Averaging:
        orient: Orientation = option("cpdag", "cpdag, dag or skeleton")

    def confidence(networks: Path, averaging: Averaging, above: float = option(0.0, "print only pairs above this")): ...

    app.command("confidence")(expanded(confidence))

The command line has --orient and --above; the verb gets an `Averaging` and a number. A table may as well be one of the
library, such as `BootstrapSettings`: what is added to it is an option of the verb.
"""

from __future__ import annotations

import dataclasses
import inspect
import io
import json
import math
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_type_hints

import typer
from typer.core import TyperGroup

from arcwise.base.errors import Argument, ConstraintError, DataError, OptionError, Remedy, suggestion
from arcwise.base.files import GZIP_MAGIC, unpack_gzip
from arcwise.base.options import REQUIRED, Common, Option, is_row, option, option_of, options_of, row, rows, table_in
from arcwise.base.run import Limits
from arcwise.data.impute import METHODS
from arcwise.data.large import Grouping
from arcwise.data.read import ReadingSettings
from arcwise.scores.registry import SCORES

if TYPE_CHECKING:
    from arcwise.cli.output import GraphFile
    from arcwise.data.dataset import Dataset, Incomplete
    from arcwise.data.table import Table
    from arcwise.findings.preparation import LeftOut
    from arcwise.graph.constraints import Constraints
    from arcwise.parent_sets.build import BuildSettings
    from arcwise.parent_sets.table import ParentSetTable
    from arcwise.sampled.numeric_data import Cutting, NumericData
    from arcwise.scores.score import Score


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
        return {item.name: _read(item, values[item.key]) for item in self.items if values[item.key] is not None}


def _unset(item: Option) -> Option:
    has_none = item.default is None or item.default is False
    usual = item.usual or ("" if has_none else str(item.default))
    return dataclasses.replace(item, default=None, optional=True, usual=usual)


def expanded(function: Callable[..., None]) -> Callable[..., None]:
    """Return a function that takes the options in `function`'s signature, and in the tables there, one by one."""
    signature = inspect.signature(function)
    hints = get_type_hints(function, include_extras=True)
    taken = {name: (hints[name], parameter.default) for name, parameter in signature.parameters.items()}

    def command(**values: Any) -> None:
        function(**{name: _value(name, *given, values) for name, given in taken.items()})

    parameters = [own for name, given in taken.items() for own in _parameters(name, *given)]
    # The mark keeps an example on one line, to be copied.
    command.__doc__ = (function.__doc__ or "").replace("\n    Example: ", "\n    \b\n    Example: ")
    command.__name__ = function.__name__
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    items = (item for name, given in taken.items() for item in _items(name, *given) or ())
    command.flags = {item.name: item.flag for item in items}  # type: ignore[attr-defined]
    return command


def _parameters(name: str, hint: Any, default: Any) -> Iterator[inspect.Parameter]:
    items = _items(name, hint, default)
    if items is None:
        yield inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint)
        return
    for item in items:
        yield inspect.Parameter(
            item.key, inspect.Parameter.KEYWORD_ONLY, default=_default(item), annotation=_annotation(item)
        )


def _items(name: str, hint: Any, default: Any) -> Sequence[Option] | None:
    """Return the options that a parameter stands for; None if it is no option, but an argument."""
    if is_row(default):
        return [option_of(default, name, hint)]
    if (chosen := _chosen(hint)) is not None:
        return chosen.items
    return list(_flat(hint)) if isinstance(hint, type) and dataclasses.is_dataclass(hint) else None


def _chosen(hint: Any) -> Rows | None:
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Rows)), None)


def _flat(table: type) -> Iterator[Option]:
    """Yield the options of a table and of the tables in it."""
    own = {item.name: item for item in options_of(table)}
    for field in dataclasses.fields(table):
        inner = table_in(field)
        if inner is not None:
            yield from _flat(inner)
        elif field.name in own:
            yield own[field.name]


def _value(name: str, hint: Any, default: Any, values: Mapping[str, Any]) -> Any:
    """Return the argument of a verb from the values of all options."""
    if is_row(default):
        item = option_of(default, name, hint)
        return _read(item, values[item.key])
    if (chosen := _chosen(hint)) is not None:
        return chosen.read(values)
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return _filled(hint, values)
    return values[name]


def _filled(table: Any, values: Mapping[str, Any]) -> Any:
    own = {item.name: _read(item, values[item.key]) for item in options_of(table)}
    inner = {field.name: found for field in dataclasses.fields(table) if (found := table_in(field)) is not None}
    return table(**own, **{name: _filled(found, values) for name, found in inner.items()})


def _read(item: Option, value: Any) -> Any:
    """Return the value of an option from what the command line has for it."""
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


def _annotation(item: Option) -> Any:
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
        metavar=("NAME" if item.kind is tuple else None) if item.metavar is None else item.metavar or None,
        **ends,
    )
    kind: Any = list[str] if item.kind in (tuple, Mapping) else bool if item.switch is not None else item.kind
    kind = str if item.names or _is_spelled(item) else kind
    return Annotated[kind | None if default is None else kind, declared]


def _completer(item: Option) -> Callable[[str], list[str]] | None:
    """Complete the values that are allowed, which are asked for only when a shell wants them."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in item.known if name.startswith(incomplete)]

    return complete if item.choices else None


def _flags(item: Option) -> tuple[str, ...]:
    if item.kind is bool and len(item.flags) == 2 and item.flags[1].startswith("--no-"):
        return ("/".join(item.flags),)
    return item.flags or (item.flag,)


# Verbs

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
            told = [(name.ljust(width), commands[name].get_short_help_str(WHOLE)) for name in verbs if name in known]
            if told:
                with formatter.section(title):
                    formatter.write_dl(told)

    def all_commands(self) -> Mapping[str, Any]:
        """Return the verbs by name; a group that imports them only when they are asked for imports them all."""
        return self.commands


# Data

DataArgument = Annotated[
    Path, typer.Argument(help="The data: .csv, .tsv, .arff, .parquet, .xlsx and others, also with .gz; - for stdin.")
]


@dataclass(frozen=True)
class TableOptions:
    """How a file of raw data is read."""

    columns: tuple[str, ...] | None = row(Common, "columns")
    drop: tuple[str, ...] = row(Common, "drop")
    settings: ReadingSettings = rows(ReadingSettings)

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: whole, since rows are handed back one by one."""
        return Grouping(always=False)

    def read_table(self, data: Path, progress: bool | None, grouping: Grouping | None = None) -> Table:
        """Read a data file as it is, with its gaps and numbers; a large one in another way, if that is given."""
        from arcwise.data.read import read_table, warn_of_titles

        settings = replace(self.settings, grouping=grouping or self.grouping)
        table = read_table(data, columns=self.columns, drop=self.drop, progress=progress, settings=settings)
        warn_of_titles(table)
        return table


@dataclass(frozen=True)
class DataOptions(TableOptions):
    """How a file of discrete data is read, and what is done about gaps."""

    large: Grouping = rows(Grouping)
    categorical: bool = row(Common, "categorical")
    impute: str | None = option(
        None,
        "what to do about missing values: knn, mode, state or drop, as `arcwise impute` does; bootstrap also takes "
        "completions",
        usual="refuse them, unless the score takes them, as pnal does",
        choices=METHODS,
    )

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: as its distinct rows."""
        return replace(self.large, categories=self.categorical)

    def read_rows(self, data: Path, progress: bool | None) -> Table:
        """Read a data file whose rows are asked about one by one."""
        if self.large.sample is not None:
            raise OptionError(Argument("sample", self.large.sample), "is not for rows that are compared one by one.")
        return self.read_table(data, progress, replace(self.grouping, always=False))

    def read(self, data: Path, progress: bool | None, score: Score | None = None) -> Dataset:
        """Read a data file that is discrete; a column with one value only is left out, as `learn` does.

        Gaps are filled as asked for. If the score takes them, they are marked for it.
        """
        return self._whole(self._varying(data, progress)[0], progress, score)

    def read_known(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Dataset, Constraints | None]:
        """Read a data file, and what is known about its variables."""
        table, gone = self._varying(data, progress)
        return self._whole(table, progress, score), rules.read_with(table.names, gone, score)

    def read_incomplete(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Incomplete, Constraints | None]:
        """Read a data file that is discrete, with its gaps, and what is known about its variables."""
        table, gone = self._varying(data, progress)
        return table.to_incomplete(categorical=self.categorical), rules.read_with(table.names, gone, score)

    def read_uncut(
        self, data: Path, progress: bool | None, rules: ConstraintOptions, score: Score | None, cutting: Cutting
    ) -> tuple[NumericData, Constraints | None]:
        """Read a data file whose numbers are cut later, and what is known about its variables."""
        from arcwise.sampled.numeric_data import NumericData

        table, gone = self._varying(data, progress)
        if self.impute != "completions":  # which are made anew in every replicate
            table = self._filled(table, progress)
            if table.n_missing:
                table.to_dataset()  # says what to do about gaps
        columns = [] if self.categorical else [name for name in table.continuous() if name != cutting.target]
        if not columns:
            raise OptionError(
                Argument("recut", cutting.method),
                "cuts columns of numbers with more than 20 distinct values, and there are none.",
                remedies=Remedy("leave it out"),
            )
        known = rules.read_with(table.names, gone, score)
        arcs = None if known is None else known.arc_part
        return NumericData(table, tuple(columns), replace(cutting, constraints=arcs)), known

    def _filled(self, table: Table, progress: bool | None) -> Table:
        """Return a table with its gaps filled as asked for."""
        from arcwise.data.impute import impute

        if self.impute is not None and self.impute not in METHODS:
            raise OptionError(
                Argument("impute", self.impute),
                f"is none of {', '.join(METHODS)}; completions are made by `arcwise learn` and `arcwise bootstrap`.",
            )
        if not table.n_missing or self.impute is None:
            return table
        return impute(table, method=self.impute, progress=progress)

    def _whole(self, table: Table, progress: bool | None, score: Score | None) -> Dataset:
        """Return a table's data without gaps, or with gaps marked for a score that takes them."""
        table = self._filled(table, progress)
        if table.n_missing and score is not None and score.data_score.takes_gaps:
            return table.to_incomplete(categorical=self.categorical).with_gap_states()
        return table.to_dataset(categorical=self.categorical)

    def _varying(self, data: Path, progress: bool | None) -> tuple[Table, dict[str, LeftOut]]:
        """Read a data file without the columns that have one value only, and return why these were left out."""
        from arcwise.audit.columns import find_constants
        from arcwise.findings.preparation import LeftOut

        table = self.read_table(data, progress)
        gone = dict.fromkeys(self.drop, LeftOut("as asked for", Remedy("do not drop it")))
        for finding in find_constants(table):
            assert finding.repair is not None
            table = finding.repair.change(table)
            gone |= {name: LeftOut.by(name, finding) for name in finding.columns}
            if progress is not False:
                typer.echo(finding.repair.done, err=True)
        return table, gone


def read_data_for(
    given: GraphFile, data: Path, reading: DataOptions, progress: bool | None, *, with_states: bool = True
) -> Dataset:
    """Read the columns of a graph's nodes: what else the file holds need not be discrete or complete.

    A list of arcs does not name all nodes, so that all columns are read. The states are those that a network declares,
    if it has any and `with_states` is True.
    """
    from arcwise.data.column import quoted

    declared = None
    if given.network is not None and with_states:
        declared = dict(zip(given.network.names, given.network.states, strict=True))
    # Rows are grouped by what is needed, and by the states that a network declares.
    grouping = reading.grouping
    if given.names is not None:
        grouping = replace(grouping, columns=given.names, categories=declared or grouping.categories)
    table = reading.read_table(data, progress, grouping)
    if given.names is not None:
        missing = [name for name in given.names if name not in table.names]
        if missing:
            raise DataError(
                f"{table.prefix}there is no column {quoted(missing)} of the structure's nodes; the columns are "
                f"{quoted(table.names, 20)}."
            )
        table = table.select(given.names)
    return table.to_dataset(states=declared, categorical=reading.categorical)


# Limits: at one of them a verb stops, keeps what is finished, and exits with code 3

MOST_GIGABYTES = 1e9  # in bytes still a number of 64 bits
MOST = 2**62


@dataclass(frozen=True)
class TimeLimit:
    """A limit of time."""

    limit_seconds: float | None = option(None, "stop after this time and keep what is finished (exit code 3)")

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        if self.limit_seconds is not None and not self.limit_seconds > 0:
            raise OptionError(f"--limit-seconds {self.limit_seconds:g}: must be positive.")
        return Limits(seconds=self.limit_seconds)


@dataclass(frozen=True)
class MemoryLimit(TimeLimit):
    """Limits of time and memory."""

    limit_memory: float | None = option(
        None, "gigabytes for tables", usual="3/4 of the free memory for tables of parent sets"
    )
    limit_count: int | None = None  # of what, the verb says

    @property
    def limits(self) -> Limits:
        """The limits that the options ask for."""
        given = self.limit_memory
        if given is not None and not 0 < given <= MOST_GIGABYTES:
            raise OptionError(f"--limit-memory {given:g}: must be a positive number of gigabytes.")
        memory = None if given is None else max(1, int(given * 1e9))
        return Limits(super().limits.seconds, memory, self.limit_count)


@dataclass(frozen=True)
class NodeLimit(MemoryLimit):
    """Limits of time, memory, and nodes of a branch and bound."""

    limit_count: int | None = option(
        None, "the most nodes in branch and bound", low=1, high=MOST, flags=("--limit-nodes",)
    )


@dataclass(frozen=True)
class NetworkLimit(MemoryLimit):
    """Limits of time, memory, and networks that are listed."""

    limit_count: int | None = option(
        None, "the most networks to list with -o", low=1, high=MOST, flags=("--limit-networks",)
    )


@dataclass(frozen=True)
class StepLimit(MemoryLimit):
    """Limits of time, memory, and steps of a local search."""

    limit_count: int | None = option(
        None,
        "the most moves of a climb, rounds of the genetic search, or perturbations of orders",
        low=1,
        high=MOST,
        flags=("--limit-steps",),
    )


# Scores and constraints

DEFAULT_SCORE = "bic"


@dataclass(frozen=True)
class WeighingOptions:
    """What the score of networks is made of, besides its name."""

    ess: float | None = option(None, "the equivalent sample size, for scores that have one")
    beliefs: str | None = option(
        None, "prior odds: a .csv file (from,to,odds,kind), a .toml or .json file, or JSON, {...}"
    )


@dataclass(frozen=True)
class ScoreOptions:
    """The score, `--score bdeu --ess 10` is `--score bdeu:ess=10`, and the prior odds that are added to it."""

    score: str | None = option(
        None,
        "a score, e.g. aic, or with parameters, bdeu:ess=10",
        usual=DEFAULT_SCORE,
        flags=("--score", "-s"),
        choices=lambda: SCORES,
    )
    weighing: WeighingOptions = rows(WeighingOptions)

    def make(self) -> Score:
        """Return the score that the options ask for."""
        from arcwise.scores.registry import make_score

        options = {} if self.weighing.ess is None else {"ess": self.weighing.ess}
        return make_score(self.score or DEFAULT_SCORE, beliefs=self.weighing.beliefs, **options)


def tell_idle(score: Score, constraints: Constraints | None, *, quiet: bool) -> None:
    """Say on stderr which prior odds the constraints leave without effect."""
    from arcwise.scores.believed import BelievedScore

    if isinstance(score, BelievedScore) and constraints is not None and not quiet:
        for sentence in score.beliefs.idle_under(constraints):
            typer.echo(f"{sentence[0].upper()}{sentence[1:]}.", err=True)


@dataclass(frozen=True)
class ConstraintOptions:
    """What the analyst knows about the structure."""

    constraints: str | None = option(
        None,
        "a .toml, .json or .csv file of what every network must satisfy: required and forbidden arcs, tiers, roots, "
        "groups, parent limits, ...; or JSON, {...}",
    )
    whitelist: Path | None = option(None, "a CSV file from,to of required arcs", flags=("--whitelist", "--required"))
    blacklist: Path | None = option(None, "a CSV file from,to of forbidden arcs", flags=("--blacklist", "--forbidden"))

    def read_with(
        self, names: Sequence[str], gone: Mapping[str, LeftOut], score: Score | None = None
    ) -> Constraints | None:
        """Return the constraints; those, and prior odds in a score, about columns that were left out are refused."""
        from arcwise.findings.preparation import refuse_left_out
        from arcwise.scores.believed import BelievedScore

        if gone:
            beliefs = score.beliefs if isinstance(score, BelievedScore) else None
            refuse_left_out(gone, self.read((*names, *gone)), beliefs)
        return self.read(names)

    def read(self, names: Sequence[str]) -> Constraints | None:
        """Return the constraints of all the files together, or None if there are none."""
        from arcwise.graph.constraints import Constraints, parse_constraints, read_constraints
        from arcwise.graph.files import read_arc_list

        base = None
        if self.constraints is not None:
            inline = self.constraints.lstrip().startswith("{")
            base = parse_constraints(self.constraints, names) if inline else read_constraints(self.constraints, names)
        if self.whitelist is None and self.blacklist is None:
            return base
        base = base or Constraints(names)
        required, forbidden = list(base.required), list(base.forbidden)
        if self.whitelist is not None:
            listed = read_arc_list(self.whitelist)
            if listed.edges:
                a, b = listed.edges[0]
                raise ConstraintError(
                    f"{self.whitelist}: {a} and {b} are required in both directions; keep one of them."
                )
            required += listed.arcs
        if self.blacklist is not None:
            listed = read_arc_list(self.blacklist)
            forbidden += (*listed.arcs, *listed.edges, *((b, a) for a, b in listed.edges))
        given = (self.constraints, self.whitelist, self.blacklist)
        files = ", ".join(str(path) for path in given if path is not None)
        try:
            return base.changed(required=required, forbidden=forbidden)
        except ConstraintError as error:
            raise error.within(f"{files}:") from None


@dataclass(frozen=True)
class RuleOptions(ConstraintOptions):
    """The rules that networks must obey: constraints, and a limit on parents."""

    max_parents: int | None = option(None, "the most parents of any variable", low=0)


def factor_from(text: str) -> float:
    """Return the factor that a text names."""
    from arcwise.credible.bayes_factors import BAYES_FACTORS

    if text in BAYES_FACTORS:
        return BAYES_FACTORS[text]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 1 <= value < math.inf:
        raise OptionError(f"--bayes-factor {text}: give a number >= 1, or {', '.join(BAYES_FACTORS)}.")
    return value


# Tables of parent sets: from a file, or built from data on the way

TABLE_SUFFIXES = (".jkl", ".arct")
HEAD = 4096  # bytes of stdin that tell what it is
JKL_MARK = b"# arcwise parent sets:"

SourceArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA|TABLE",
        help="Data (.csv, .arff, .parquet and others), or a table of parent sets (.jkl, .arct); also with .gz; "
        "- for either from stdin.",
    ),
]

# Constraints on ancestors may cost much, and the table must reach that: all sets where these are few, else this slack.
SMALL = 12
ANCESTRAL_SLACK = 20.0


@dataclass(frozen=True, eq=False)
class ParentSetSource:
    """A table, the data that it was built from (None if it was read), and the constraints of the options."""

    table: ParentSetTable
    data: Dataset | None
    constraints: Constraints | None


def load_parent_sets(
    source: Path,
    *,
    scored: ScoreOptions,
    rules: RuleOptions,
    reading: DataOptions,
    slack: float = 0.0,
    building: BuildSettings,
    limits: Limits,
    progress: bool | None,
) -> ParentSetSource:
    """Read the table if `source` is one, else read the data and build it.

    Options that say how data are read or how a table is built are refused where the table is given, not ignored.
    """
    from arcwise.parent_sets.build import build_parent_sets
    from arcwise.parent_sets.files import parse_parent_sets, read_parent_sets

    content = _table_on_stdin() if str(source) == "-" else None
    if content is not None or source.name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
        _refuse_with_table(scored, rules, reading)
        table = read_parent_sets(source) if content is None else parse_parent_sets(content, source="<stdin>")
        return ParentSetSource(table, None, rules.read(table.names))
    score = scored.make()
    data, known = reading.read_known(source, progress, rules, score)
    if known is not None and known.is_ancestral:
        slack = max(slack, math.inf if data.n_variables <= SMALL else ANCESTRAL_SLACK)
    tell_idle(score, known, quiet=progress is False)
    table = build_parent_sets(
        data,
        score,
        slack=slack,
        max_parents=rules.max_parents,
        constraints=known,
        settings=building,
        limits=limits,
        progress=progress,
    )
    return ParentSetSource(table, data, known)


def _refuse_with_table(scored: ScoreOptions, rules: RuleOptions, reading: DataOptions) -> None:
    given = [*_given(scored), *(item for item in _given(rules) if item.name == "max_parents"), *_given(reading)]
    for item in given:
        raise OptionError(f"{item.flag} applies when a table is built; this one is already built. Leave it out.")


def _given(table: Any) -> Iterator[Option]:
    """Yield the options of a table, and of the tables in it, that are not at their defaults."""
    yield from (item for item in options_of(table) if getattr(table, item.name) != item.default)
    for field in dataclasses.fields(table):
        if table_in(field) is not None:
            yield from _given(getattr(table, field.name))


def _table_on_stdin() -> bytes | None:
    """Return the content of stdin if it is a table of parent sets; if not, leave it to be read as data.

    A table in jkl format begins with comments (#) and a line with nothing but the number of variables; no data set
    with more than one column does.
    """
    stream = sys.stdin.buffer
    head = stream.peek(HEAD) if isinstance(stream, io.BufferedReader) else b""
    if head.startswith(GZIP_MAGIC):
        try:
            head = zlib.decompressobj(wbits=31).decompress(head, HEAD)
        except zlib.error:
            return None
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if not head.startswith((b"arcwise-", JKL_MARK)) and not first.strip().isdigit():
        return None
    content = stream.read()
    return unpack_gzip(content, source="<stdin>") if content.startswith(GZIP_MAGIC) else content
