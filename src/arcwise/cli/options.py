"""The options that many verbs share: how data are read, limits, scores, constraints, and tables of parent sets."""

from __future__ import annotations

import io
import math
import sys
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcwise.base.errors import Argument, ConstraintError, DataError, OptionError, Remedy, errors_within
from arcwise.base.files import GZIP_MAGIC, unpack_gzip
from arcwise.base.options import Common, Group, option, row, rows
from arcwise.base.run import Limits
from arcwise.cli.output import GraphFile, open_graph_file
from arcwise.cli.verb import Verb, given_options
from arcwise.data.column import quoted
from arcwise.data.impute import METHODS, fill_gaps
from arcwise.data.large import Grouping
from arcwise.data.read import ReadingSettings, read_table, warn_of_titles
from arcwise.graph.constraints import Constraints
from arcwise.graph.files import read_arc_list
from arcwise.parent_sets.build import BuildSettings, build_parent_sets
from arcwise.parent_sets.table import parse_parent_sets, read_parent_sets
from arcwise.sampled.numeric_data import Cutting, NumericData
from arcwise.scores.registry import KNOWN_SCORES, make_score

if TYPE_CHECKING:
    from arcwise.data.dataset import Dataset, Incomplete
    from arcwise.data.table import Table
    from arcwise.findings.preparation import LeftOut
    from arcwise.parent_sets.table import ParentSetTable
    from arcwise.scores.score import Score

# Data

DataArgument = Annotated[
    Path, typer.Argument(help="The data: .csv, .tsv, .arff, .parquet, .xlsx and others, also with .gz; - for stdin.")
]


@dataclass(frozen=True)
class TableOptions:
    """How a file of raw data is read."""

    columns: tuple[str, ...] | None = row(Common, "columns")
    drop: tuple[str, ...] = row(Common, "drop")
    reading: ReadingSettings = rows(ReadingSettings)


class TableVerb(TableOptions, Verb):
    """A verb that reads a file of raw data."""

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: whole, since rows are handed back one by one."""
        return Grouping(always=False)

    @property
    def reading_settings(self) -> ReadingSettings:
        """How the file is taken apart."""
        return self.reading

    def read_table(self, data: Path, grouping: Grouping | None = None) -> Table:
        """Read a data file as it is, with its gaps and numbers; a large one in another way, if that is given."""
        settings = replace(self.reading_settings, grouping=grouping or self.grouping)
        table = read_table(data, columns=self.columns, drop=self.drop, progress=self.progress, settings=settings)
        warn_of_titles(table)
        return table


@dataclass(frozen=True)
class DiscreteOptions:
    """How the data are taken for discrete, and what is done about gaps."""

    large: Grouping = rows(Grouping)
    categorical: bool = row(Common, "categorical")
    impute: str | None = option(
        None,
        "what to do about missing values: knn, mode, state or drop, as `arcwise impute` does; bootstrap also takes "
        "completions",
        usual="refuse them, unless the score takes them, as pnal does",
        choices=METHODS,
        group=Group.DATA,
        metavar="HOW",
    )


class DataVerb(TableVerb, DiscreteOptions, Verb):
    """A verb that reads a file of discrete data. `rules` may be the verb itself, if it has constraints."""

    @property
    def grouping(self) -> Grouping:
        """How a file of more rows than memory is read: as its distinct rows."""
        return replace(self.large, categories=self.categorical)

    def read_rows(self, data: Path) -> Table:
        """Read a data file whose rows are asked about one by one."""
        if self.large.sample is not None:
            raise OptionError(Argument("sample", self.large.sample), "is not for rows that are compared one by one.")
        return self.read_table(data, replace(self.grouping, always=False))

    def read(self, data: Path, score: Score | None = None) -> Dataset:
        """Read a data file that is discrete; a column with one value only is left out, as `learn` does.

        Gaps are filled as asked for. If the score takes them, they are marked for it.
        """
        whole: Dataset = self._whole(self._varying(data)[0], score)
        return whole

    def read_known(
        self, data: Path, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Dataset, Constraints | None]:
        """Read a data file, and what is known about its variables."""
        table, gone = self._varying(data)
        return self._whole(table, score), rules.read_constraints(table.names, gone, score)

    def read_incomplete(
        self, data: Path, rules: ConstraintOptions, score: Score | None = None
    ) -> tuple[Incomplete, Constraints | None]:
        """Read a data file that is discrete, with its gaps, and what is known about its variables."""
        table, gone = self._varying(data)
        return table.to_incomplete(categorical=self.categorical), rules.read_constraints(table.names, gone, score)

    def read_uncut(
        self, data: Path, rules: ConstraintOptions, score: Score | None, cutting: Cutting
    ) -> tuple[NumericData, Constraints | None]:
        """Read a data file whose numbers are cut later, and what is known about its variables."""
        table, gone = self._varying(data)
        if self.impute != "completions":  # which are made anew in every replicate
            table = self._filled(table)
            if table.n_missing:
                table.to_dataset()  # says what to do about gaps
        columns = [] if self.categorical else [name for name in table.continuous() if name != cutting.target]
        if not columns:
            raise OptionError(
                Argument("recut", cutting.method),
                "cuts columns of numbers with more than 20 distinct values, and there are none.",
                remedies=Remedy("leave it out"),
            )
        known = rules.read_constraints(table.names, gone, score)
        arcs = None if known is None else known.arc_part
        return NumericData(table, tuple(columns), replace(cutting, constraints=arcs)), known

    def _filled(self, table: Table) -> Table:
        """Return a table with its gaps filled as asked for."""
        if self.impute is not None and self.impute not in METHODS:
            raise OptionError(
                Argument("impute", self.impute),
                f"is none of {', '.join(METHODS)}; completions are made by `arcwise learn` and `arcwise bootstrap`.",
            )
        if not table.n_missing or self.impute is None:
            return table
        filled, remark = fill_gaps(table, self.impute, self.clock.share(0.5).replace(progress=self.progress))
        if remark:
            self.hurried.append(remark)
            self.remark(remark)
        return filled

    def _whole(self, table: Table, score: Score | None) -> Any:
        """Return a table's data without gaps, as the score takes them: with gaps marked, or numbers as they are."""
        table = self._filled(table)
        if table.n_missing and score is not None and score.data_score.takes_gaps:
            return table.to_incomplete(categorical=self.categorical).with_gap_states()
        if score is not None and score.data_score.holds_data:
            from arcwise.findings.preparation import as_mixed  # not for verbs that count states

            made, remarks = as_mixed(table)
            for text in remarks:
                self.remark(text)
            return made
        return table.to_dataset(categorical=self.categorical)

    def _varying(self, data: Path) -> tuple[Table, dict[str, LeftOut]]:
        """Read a data file without the columns that have one value only, and return why these were left out."""
        from arcwise.audit.columns import find_constants  # not for verbs that take the data as they are
        from arcwise.findings.preparation import LeftOut

        table = self.read_table(data)
        gone = dict.fromkeys(self.drop, LeftOut("as asked for", Remedy("do not drop it")))
        for finding in find_constants(table):
            assert finding.repair is not None
            table = finding.repair.change(table)
            gone |= {name: LeftOut.by(name, finding) for name in finding.columns}
            self.remark(finding.repair.done)
        return table, gone

    def open_with_data(
        self, source: Path, data: Path, *, what: str = "network", with_states: bool = True
    ) -> tuple[GraphFile, Dataset]:
        """Read a graph and the columns of its nodes: what else the data hold need not be discrete or complete.

        A list of arcs does not name all nodes, so that all columns are read. The states are those that a network
        declares, if it has any and `with_states` is True. Gaps are filled as asked for.
        """
        if str(source) == str(data) == "-":
            raise typer.BadParameter(f"only one of the {what} and the data can come from stdin.")
        if source.is_dir():
            raise OptionError(f"{source} is a folder, which has its data: --data is for a graph file. Leave it out.")
        given = open_graph_file(source)
        declared = None
        if given.network is not None and with_states:
            declared = dict(zip(given.network.names, given.network.states, strict=True))
        # Rows are grouped by what is needed, and by the states that a network declares.
        grouping = self.grouping
        if given.names is not None:
            grouping = replace(grouping, columns=given.names, categories=declared or grouping.categories)
        table = self.read_table(data, grouping)
        if given.names is not None:
            missing = [name for name in given.names if name not in table.names]
            if missing:
                raise DataError(
                    f"{table.prefix}there is no column {quoted(missing)} of the structure's nodes; the columns are "
                    f"{quoted(table.names, 20)}."
                )
            table = table.select(given.names)
        return given, self._filled(table).to_dataset(states=declared, categorical=self.categorical)


# Limits: at one of them a verb stops, keeps what is finished, and exits with code 3

MOST_GIGABYTES = 1e9  # in bytes still a number of 64 bits
MOST = 2**62  # what a 64-bit count of the core can hold


@dataclass(frozen=True)
class TimeLimit:
    """A limit of time."""

    limit_seconds: float | None = option(
        None, "stop after this time and keep what is finished (exit code 3)", group=Group.METHOD, metavar="SECONDS"
    )

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
        None,
        "gigabytes for tables",
        usual="3/4 of the free memory for tables of parent sets",
        group=Group.METHOD,
        rare=True,
        metavar="GIGABYTES",
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


def _most(what: str, flag: str) -> Any:
    return option(None, f"the most {what}", low=1, high=MOST, flags=(flag,))


@dataclass(frozen=True)
class NodeLimit(MemoryLimit):
    """Limits of time, memory, and nodes of a branch and bound."""

    limit_count: int | None = _most("nodes in branch and bound", "--limit-nodes")


@dataclass(frozen=True)
class NetworkLimit(MemoryLimit):
    """Limits of time, memory, and networks that are listed."""

    limit_count: int | None = _most("networks to list with -o", "--limit-networks")


@dataclass(frozen=True)
class StepLimit(MemoryLimit):
    """Limits of time, memory, and steps of a local search."""

    limit_count: int | None = _most(
        "moves of a climb, rounds of the genetic search, or perturbations of orders", "--limit-steps"
    )


# Scores and constraints

DEFAULT_SCORE = "bic"


@dataclass(frozen=True)
class WeighingOptions:
    """What the score of networks is made of, besides its name."""

    ess: float | None = option(None, "the equivalent sample size, for scores that have one", group=Group.METHOD)
    beliefs: str | None = option(
        None,
        "prior odds: a .csv file (from,to,odds,kind), a .toml or .json file, or JSON, {...}",
        group=Group.QUESTION,
        metavar="FILE|JSON",
    )


@dataclass(frozen=True)
class ScoreOptions:
    """The score, `--score bdeu --ess 10` is `--score bdeu:ess=10`, and the prior odds that are added to it."""

    score: str | None = option(
        None,
        "a score, e.g. aic, or with parameters, bdeu:ess=10; bde:prior=FILE for a network as prior; bic-dg for numbers "
        "as they are",
        usual=DEFAULT_SCORE,
        flags=("--score", "-s"),
        choices=lambda: KNOWN_SCORES,
        group=Group.METHOD,
    )
    weighing: WeighingOptions = rows(WeighingOptions)

    def make(self) -> Score:
        """Return the score that the options ask for."""
        from arcwise.model.network import read_network

        options: dict[str, Any] = {} if self.weighing.ess is None else {"ess": self.weighing.ess}
        name, _, text = (self.score or DEFAULT_SCORE).partition(":")
        parts = [part for part in text.split(",") if part]
        for part in [part for part in parts if name == "bde" and part.startswith("prior=")]:
            parts.remove(part)
            options["prior"] = read_network(part.removeprefix("prior="))
        return make_score(f"{name}:{','.join(parts)}", beliefs=self.weighing.beliefs, **options)


@dataclass(frozen=True)
class ConstraintOptions:
    """What the analyst knows about the structure."""

    tiers: str | None = option(
        None,
        'what comes first in time, so that no later variable leads to an earlier one: "age,sex | smoke | ill"',
        group=Group.QUESTION,
    )
    constraints: str | None = option(
        None,
        "a .toml, .json or .csv file of what every network must satisfy: required and forbidden arcs, tiers, roots, "
        "groups, parent limits, ...; or JSON, {...}",
        group=Group.QUESTION,
        metavar="FILE|JSON",
    )
    whitelist: Path | None = option(
        None, "a CSV file from,to of required arcs", flags=("--whitelist", "--required"), group=Group.QUESTION
    )
    blacklist: Path | None = option(
        None, "a CSV file from,to of forbidden arcs", flags=("--blacklist", "--forbidden"), group=Group.QUESTION
    )

    def read_constraints(
        self, names: Sequence[str], gone: Mapping[str, LeftOut] | None = None, score: Score | None = None
    ) -> Constraints | None:
        """Return the constraints of all the files together, or None if there are none.

        Those, and prior odds in a score, about columns that were left out are refused.
        """
        if gone:
            from arcwise.findings.preparation import refuse_left_out

            refuse_left_out(gone, self.read_constraints((*names, *gone)), None if score is None else score.prior_odds)
        base = Constraints.of(names, self.constraints, tiers=self.tiers)
        if self.whitelist is None and self.blacklist is None:
            return base
        for key, path in (("required", self.whitelist), ("forbidden", self.blacklist)):
            if path is not None and "->" in str(path) and not path.exists():
                raise ConstraintError(
                    f'{path} is an arc, and --{key} takes a CSV file; give --constraints \'{{"{key}": ["{path}"]}}\'.'
                )
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
        with errors_within(f"{files}:"):
            return base.changed(required=required, forbidden=forbidden)


@dataclass(frozen=True)
class RuleOptions(ConstraintOptions):
    """The rules that networks must obey: constraints, and a limit on parents."""

    max_parents: int | None = option(None, "the most parents of any variable", low=0, group=Group.METHOD)


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


class LearningVerb(RuleOptions, DataVerb):
    """A verb that learns networks from data, within rules."""

    def load_parent_sets(
        self, source: Path, scored: ScoreOptions, building: BuildSettings, limits: Limits, slack: float = 0.0
    ) -> ParentSetSource:
        """Read the table if `source` is one, else read the data and build it.

        Options that say how data are read or how a table is built are refused where the table is given, not ignored.
        """
        content = _table_on_stdin() if str(source) == "-" else None
        if content is not None or source.name.lower().removesuffix(".gz").endswith(TABLE_SUFFIXES):
            self._refuse_with_table(scored)
            table = read_parent_sets(source) if content is None else parse_parent_sets(content, source="<stdin>")
            return ParentSetSource(table, None, self.read_constraints(table.names))
        return self.build_parent_sets(source, scored, building, limits, slack, reach=True)

    def build_parent_sets(
        self,
        data: Path,
        scored: ScoreOptions,
        settings: BuildSettings,
        limits: Limits,
        slack: float,
        *,
        reach: bool = False,
    ) -> ParentSetSource:
        """Read the data and build the table; wide enough to `reach` what constraints on ancestors may cost."""
        score = scored.make()
        cases, known = self.read_known(data, self, score)
        if reach and known is not None and known.is_ancestral:
            slack = max(slack, math.inf if cases.n_variables <= SMALL else ANCESTRAL_SLACK)
        self.warn_of_idle_odds(score, known)
        left = self.clock.limits.seconds
        if left is not None and limits.seconds is not None:
            limits = replace(limits, seconds=min(left, limits.seconds))
        table = build_parent_sets(
            cases,
            score,
            slack=slack,
            max_parents=self.max_parents,
            constraints=known,
            settings=settings,
            limits=limits,
            progress=self.progress,
        )
        return ParentSetSource(table, cases, known)

    def _refuse_with_table(self, scored: ScoreOptions) -> None:
        limit = (item for item in given_options(self, RuleOptions) if item.name == "max_parents")
        for item in (*given_options(scored, ScoreOptions), *limit, *given_options(self, TableOptions, DiscreteOptions)):
            raise OptionError(f"{item.flag} applies when a table is built; this one is already built. Leave it out.")

    def warn_of_idle_odds(self, score: Score, constraints: Constraints | None) -> None:
        """Print on stderr which prior odds the constraints leave without effect."""
        if score.prior_odds is not None and constraints is not None:
            for sentence in score.prior_odds.idle_under(constraints):
                self.remark(f"{sentence[0].upper()}{sentence[1:]}.")


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
