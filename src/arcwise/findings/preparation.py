"""From data as they come to data that can be learned from: a proposal for what stands in the way, and its steps."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.audit.audit import Audit, AuditSettings, audit_table
from arcwise.audit.finding import Finding, Kind, Severity, columns_words, it, verb
from arcwise.base.errors import ArcwiseError, Argument, Call, ConstraintError, DataError, Mention, OptionError, Remedy
from arcwise.base.options import options_of
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run
from arcwise.base.showing import counted, one_screen
from arcwise.data.column import (
    FEWEST_PER_CELL,
    VariableKind,
    looked_like,
    most_states,
    numbers_of,
    proposed_kind,
    quoted,
)
from arcwise.data.columns import AS_ASKED
from arcwise.data.dataset import Dataset, Incomplete
from arcwise.data.impute import fill_gaps, impute
from arcwise.data.mixed import MixedData, not_numbers
from arcwise.data.read import read_table
from arcwise.data.table import Table
from arcwise.findings.coding import Coding, refuse_unwritable
from arcwise.graph.beliefs import Beliefs
from arcwise.graph.constraints import Constraints
from arcwise.graph.statements import StatementKind
from arcwise.networks.recipe import COMPLETED, NO_GAPS
from arcwise.sampled.numeric_data import JOINT, Cutting, NumericData

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.checks import Targets
    from arcwise.findings.options import LearnOptions


# Columns that were left out before learning, and what was said about them all the same.
#
# Who requires an arc from `signup` and reads that there is no variable `signup` looks for a typing error. It was
# there, and was left out as a column of dates: that is what the message has to say.


@one_screen
@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why a column was left out, a clause, and what would keep it."""

    why: str
    remedy: Remedy | None = None

    @classmethod
    def by(cls, name: str, finding: Finding) -> LeftOut:
        """Make it of the finding that a column was left out for."""
        remedy = None
        if finding.keepable:
            remedy = Remedy("keep it:", Argument("keep", [name]))
        elif finding.kind is Kind.DATE:
            remedy = Remedy("keep a part of the dates:", Argument("dates", "month"))
        return cls(f"since {finding.what}", remedy)


def left_out_by_audit(given: Table, drop: Iterable[str], audited: Audit) -> dict[str, LeftOut]:
    """Return the columns that are no longer there: those to drop, and those that the audit left out."""
    asked = given.checked_names(given.still_there(drop), Argument("drop"))
    gone = dict.fromkeys(asked, LeftOut(AS_ASKED, Remedy("do not drop it")))
    gone |= {name: LeftOut(why) for name, why in given.left_out.items()}
    for finding in audited.findings:
        for name in finding.columns:
            if finding.repair is not None and name not in audited.repaired.names:
                gone.setdefault(name, LeftOut.by(name, finding))
    return gone


def refuse_left_out(gone: Mapping[str, LeftOut], constraints: Constraints | None, beliefs: Beliefs | None) -> None:
    """Refuse constraints and prior odds about columns that were left out, with the reason."""

    def refuse(kind: type[ArcwiseError], argument: str, names: Iterable[str], stated: str) -> None:
        for name in names:
            if name in gone:
                why, remedy = gone[name].why, gone[name].remedy
                remedies = (Remedy("say nothing about it"), *(() if remedy is None else (remedy,)))
                text = f"speak of column '{name}' ({stated}), which was left out, {why}."
                raise kind(Argument(argument), text, remedies=remedies)

    for statement in () if constraints is None else constraints.statements:
        if statement.kind is not StatementKind.MAX_PARENTS:
            refuse(ConstraintError, "constraints", (*statement.names, *chain(*statement.parts)), statement.text())
    for first, second, _ in () if beliefs is None else (*beliefs.arcs, *beliefs.edges):
        refuse(OptionError, "beliefs", (first, second), f"{first}, {second}")


ColumnKind = Literal["missing", "continuous"]

# What is proposed where nothing was said: averages over completions, and three intervals of about equal numbers of
# rows, which need no class variable and leave no interval empty.
IMPUTE = COMPLETED
DISCRETIZE = "quantile"


class PreparationError(DataError):
    """The data cannot be learned from as they are, and nobody has said yet what to do about it."""


@one_screen
@dataclass(frozen=True, slots=True)
class Obstacle:
    """One thing that keeps a table from being complete and discrete, what is proposed, and how to ask for it."""

    kind: ColumnKind
    columns: tuple[str, ...]
    what: str  # what is in the way, a clause without a full stop
    proposal: str  # what would be done about it
    remedy: Argument  # the option that asks for it
    details: str = ""  # how it was recognised, a clause for brackets

    def describe(self) -> dict[str, Any]:
        """Return it as JSON can hold it, with the keys of a finding."""
        return {
            "kind": self.kind,
            "severity": str(Severity.BLOCKS),
            "columns": list(self.columns),
            "what": self.what,
            "evidence": self.details,
            "proposal": self.proposal,
            "option": self.remedy.name,
            "value": self.remedy.value,
            "safe": True,
        }


@one_screen
@dataclass(frozen=True, eq=False)
class Prepared:
    """Data to learn from, and what was done to get there."""

    data: Dataset | Incomplete  # with their gaps, if these are to be completed while learning
    name: str
    steps: tuple[str, ...] = ()  # what was done, one sentence each
    gaps: str = NO_GAPS  # what is done about missing values, as a recipe says it
    file: str | None = None  # its name without its folder; "-" for standard input, None for data that are no file
    audit: Audit | None = None  # what was found before; None for a data set, which is complete and discrete
    uncut: NumericData | None = None  # the data before numbers were cut, and how; None if nothing was cut
    coding: Coding | None = None  # how columns became variables, for new rows
    hurried: str = ""  # what the time did not suffice for, a sentence
    # Numbers and scales as they are, the same rows, gaps of which are filled by anything; None if networks learn from
    # `data`.
    mixed: MixedData | None = None

    @property
    def cut(self) -> tuple[str, ...]:
        """The columns of numbers that were cut."""
        return () if self.uncut is None else self.uncut.columns

    @property
    def learned_cut(self) -> frozenset[str]:
        """The columns of numbers that were cut, here or by the reader."""
        columns = () if self.coding is None else self.coding.columns
        return frozenset(column.name for column in columns if column.cuts is not None)


def open_table(
    data: Table | Dataset | MixedData | Incomplete | pd.DataFrame | str | os.PathLike[str],
    *,
    progress: bool | ProgressCallback | None = None,
    **reading: Any,
) -> Table | Dataset | Incomplete:
    """Return data of any kind as a table, or as they are if they are a data set already."""
    if isinstance(data, MixedData):
        return data.to_table()
    if isinstance(data, Incomplete):
        return data
    if isinstance(data, str | os.PathLike):
        return read_table(data, progress=progress, merge=True, **reading)  # spaces around a label are no state
    column, conditions = reading.get("interventions"), reading.get("conditions")
    given_names = ("groups", reading.get("groups"), "groups"), ("weights", reading.get("weights"), "survey")
    if isinstance(data, Dataset):
        if column is not None:
            raise OptionError(
                Argument("interventions", column),
                "names a column of raw data; a Dataset has its targets already.",
                remedies=Remedy("give them with data.with_targets(...)"),
            )
        for name, value, given in given_names:
            if value is not None:
                raise OptionError(
                    Argument(name, value),
                    f"names a column of raw data; a Dataset has its {name} already.",
                    remedies=Remedy(f"give them with data.with_{given}(...)"),
                )
        return data
    table = data if isinstance(data, Table) else Table.from_dataframe(data)
    table = table if column is None else table.with_interventions(column, conditions)
    return table.with_design(reading.get("groups"), reading.get("weights"), reading.get("replicate_weights", ()))


def audit(table: Table, options: LearnOptions) -> Audit:
    """Look at a table before learning from it; what the options ask for is done, with `agree` what is safe, too."""
    given = {item.name: getattr(options, item.name) for item in options_of(AuditSettings)}
    settings = AuditSettings(**given, imputed=options.impute is not None)
    numbers = [name for name, kind in options.kind_of.items() if kind is VariableKind.NUMBER]
    settings = replace(settings, categories=options.states_kept, keep=(*options.keep, *numbers))
    if options.categorical:
        settings = replace(settings, categories=table.names)
    return audit_table(table, settings, agreed=options.agree)


def takes_numbers(table: Table, options: LearnOptions) -> bool:
    """Return whether networks are learned from numbers and scales as they are: if there are any and nobody objects.

    Words in an order (never, often, always) are a scale beside numbers; alone they are a table of categories.
    """
    if options.only_as_they_are or options.only_states or table.reader_cuts:
        return options.only_as_they_are
    nominal, kinds = VariableKind.NOMINAL, _given_kinds(table, options)
    return any(
        kinds.get(column.name, nominal if column.numbers is None else proposed_kind(column)) is not nominal
        for column in table.columns
    )


def _given_kinds(table: Table, options: LearnOptions) -> dict[str, VariableKind]:
    """Return of what kind columns are, as far as that was said; numbers that are kept are no codes."""
    kept = [column for column in table.columns if column.name in options.keep and column.numbers is not None]
    kinds = {column.name: looked_like(column) for column in kept}
    kinds |= dict.fromkeys(table.names if options.categorical else options.categories, VariableKind.NOMINAL)
    return {name: kind for name, kind in (kinds | options.kind_of).items() if name in table.names}


def find_obstacles(table: Table, options: LearnOptions) -> tuple[Obstacle, ...]:
    """List what keeps an audited table from being a data set, each with a proposal; empty if nothing does."""
    return tuple(obstacle for obstacle in _all_obstacles(table, options) if obstacle.columns)


def _all_obstacles(table: Table, options: LearnOptions) -> Iterable[Obstacle]:
    left = table.columns
    gaps = tuple(c.name for c in left if c.n_missing)
    cells = sum(c.n_missing for c in left)
    some = np.any([c.is_missing for c in left], axis=0) if gaps else np.zeros(0, dtype=bool)
    rows = int((some if left[0].weights is None else left[0].weights[some]).sum()) if gaps else 0
    yield Obstacle(
        "missing",
        gaps,
        f"{counted(cells, 'value is', 'values are')} missing in {columns_words(gaps)}",
        f"complete the data {options.completions:,} times, by draws from what was observed, and average over the "
        "completions",
        Argument("impute", IMPUTE),
        details=f"{rows:,} of {table.n_cases:,} rows {'has' if rows == 1 else 'have'} a gap",
    )
    numbers = () if takes_numbers(table, options) else columns_to_cut(table, options)
    many = "" if set(numbers) & options.kind_of.keys() else " with more than 20 distinct values"
    yield Obstacle(
        "continuous",
        numbers,
        f"{columns_words(numbers)} {verb(numbers, 'holds', 'hold')} numbers{many}, not categories",
        f"cut {it(numbers)} into {options.bins} bins with about equally many rows",
        Argument("discretize", DISCRETIZE),
    )


def columns_to_cut(table: Table, options: LearnOptions) -> tuple[str, ...]:
    """Return the columns of numbers that have no states: they are cut, if for a copy alone."""
    kinds = options.kind_of
    kept = set(table.names if options.categorical else options.states_kept) - kinds.keys() | {
        name for name, kind in kinds.items() if kind is not VariableKind.NUMBER
    }
    return tuple(c.name for c in table.columns if c.name not in kept and (c.name in kinds or c.is_continuous()))


def as_mixed(table: Table) -> tuple[MixedData, list[str]]:
    """Return the rows with numbers as they are, and a sentence on each column that is a copy or a sum of others."""
    data = MixedData.from_table(table)
    notes = [
        f"'{name}' is a {'copy' if len(parts) == 1 else 'sum'} of {quoted(parts)} in every row: what depends on "
        "which is not told."
        for name, parts in data.sums().items()
    ]
    return data, notes


def prepare(
    given: Table | Dataset | Incomplete,
    options: LearnOptions,
    *,
    file: str | None = None,
    progress: bool | ProgressCallback | None = None,
    known: Callable[[tuple[str, ...]], Constraints | None] | None = None,
    clock: Run | None = None,
) -> Prepared:
    """Return data that can be learned from: drop, impute and cut as asked for, or as proposed if that was agreed to.

    `known` reads constraints over the variables that it is given, where the options have none yet. Half of the time
    that the `clock` has left may go into filling gaps, and a quarter into each choice of cuts.

    Raises
    ------
    PreparationError
        If something is in the way and neither an option nor an agreement says what to do; the message has the
        proposal.
    """
    if isinstance(given, Dataset | Incomplete):
        return _as_it_is(given, options)
    if given.n_rows == 0:
        raise DataError(f"{given.prefix}there are no rows to learn from.")
    _check_names(given, options)
    table = given.drop(given.checked_names(given.still_there(options.drop), Argument("drop")))
    steps: list[str] = []
    if options.drop:
        steps.append(f"Left out as asked: {quoted(options.drop, 6)}.")
    steps += _steps_of_experiments(table.targets, table.weights if table.is_grouped else None)
    steps += _steps_of_groups(table)
    agreed = audit(table, replace(options, agree=True))
    if points := _open_points(agreed, options):
        raise proposal(given, points)
    # Without a repair, an agreement changes nothing.
    same = options.agree or all(finding.repair is None for finding in agreed.findings)
    audited = agreed if same else audit(table, options)
    table = audited.repaired
    steps += audited.steps
    refuse_unwritable([replace(column, labels=()) for column in table.columns])
    options = _with_knowledge(given, audited, options, known)
    obstacles = {obstacle.kind: obstacle for obstacle in find_obstacles(table, options)}
    uncut: NumericData | None = None
    run, hurried = clock or Run(limits=Limits(options.limit_seconds)), ""
    if "missing" in obstacles:
        within = run.share(0.5).replace(progress=progress)
        table, step, hurried = _without_gaps(table, obstacles["missing"], options, within)
        steps += [text for text in (step, hurried) if text]
    mixed = _mixed(table, options) if takes_numbers(table, options) else None
    steps += _steps_of_kinds(mixed)
    if columns := columns_to_cut(table, options):
        uncut = uncut_of(table, columns, replace(options, limit_seconds=run.limits.seconds))
        table = uncut.cut_table
        steps += _steps_of_cuts(uncut, options, copied=mixed is not None)
    method = options.impute or IMPUTE
    with_gap_state = tuple(table.n_missing) if method == "state" else ()
    if with_gap_state:
        table = impute(table, method=method)
    data: Dataset | Incomplete
    data = (
        uncut.whole
        if uncut is not None
        else (table.to_incomplete if table.n_missing else table.to_dataset)(categorical=_categorical(table, options))
    )
    _check_variables(given, data, options)
    gaps = NO_GAPS
    if "missing" in obstacles:
        gaps = f"{COMPLETED}:{options.completions}" if method == COMPLETED else method
    base = None if file is None else os.path.basename(file)  # noqa: PTH119
    name = options.name or ("standard input" if base == "-" else base) or given.source or "data"
    coding = Coding.of(data, given, audited.repaired, None if uncut is None else uncut.cuts, with_gap_state)
    return Prepared(data, name, tuple(steps), gaps, base, audited, uncut, coding, hurried, mixed)


def _check_variables(given: Table, data: Dataset | Incomplete, options: LearnOptions) -> None:
    """Refuse data without the target, without two variables, or with names that files cannot hold."""
    if options.target is not None and options.target not in data.names:
        raise DataError(
            Argument("target", options.target),
            "was left out of the data, so nothing can be said about it.",
            remedies=Remedy("keep it with", Argument("keep", [options.target])),
        )
    refuse_unwritable((data if isinstance(data, Dataset) else data.held).as_columns())
    if data.n_variables < 2:
        raise DataError(f"{given.prefix}fewer than two variables are left; a structure needs at least two.")


def _check_names(given: Table, options: LearnOptions) -> None:
    """Refuse options that name columns which are not there, or ask for numbers which the reader has cut."""
    if options.target is not None:
        given.checked_names([options.target], Argument("target"))
    given.checked_names(given.not_asked_out(options.keep), Argument("keep"))
    given.checked_names(given.not_asked_out(options.categories), Argument("categories"))
    for name in given.checked_names(given.not_asked_out(options.kind_of), Argument("kinds")):
        column = given.column(name)
        if options.kind_of[name] is VariableKind.NUMBER and numbers_of(column.labels) is None:
            raise not_numbers(given, column)
    if options.recut and given.reader_cuts:
        raise OptionError(
            Argument("recut", True),
            f"cuts numbers anew in every replicate, and those of {columns_words(tuple(given.reader_cuts))} were cut "
            "before the rows of the file were counted: only bins are left.",
            remedies=(
                Remedy("leave it out"),
                Remedy("read the file whole, if memory holds it, with", Argument("whole", True)),
            ),
        )


def _with_knowledge(
    given: Table,
    audited: Audit,
    options: LearnOptions,
    known: Callable[[tuple[str, ...]], Constraints | None] | None,
) -> LearnOptions:
    """Return the options with the constraints that are read; what names columns that were left out is refused.

    A pattern such as "*" stands for the columns that are there: it names none.
    """
    gone = left_out_by_audit(given, options.drop, audited)
    if known is not None:
        try:
            options = replace(options, constraints=known(audited.repaired.names))
        except ArcwiseError:
            refuse_left_out(gone, known(given.names), None)
            raise
    refuse_left_out(gone, options.constraints, options.beliefs)
    return options


def _steps_of_experiments(targets: Targets | None, weights: NDArray[Any] | None = None) -> tuple[str, ...]:
    if targets is None or targets.is_empty:
        return ()
    rows = np.bincount(targets.of_row, weights, minlength=len(targets.sets)).astype(np.int64).tolist()
    sets = [f"{' and '.join(names)} in {rows[k]:,}" for k, names in enumerate(targets.sets) if names]
    more = "; ..." if len(sets) > 8 else ""
    return (f"Taken as set by experiments: {'; '.join(sets[:8])}{more} of {sum(rows):,} rows.",)


def _steps_of_groups(table: Table) -> tuple[str, ...]:
    design, steps = table.design, []
    if design is not None and design.weights is not None:
        count = 0 if design.replicates is None else len(design.replicates)
        more = f", with {count:,} columns of replicate weights" if count else ""
        steps.append(f"Weighed rows by column '{design.weighed_by}'{more}.")
    if design is not None and (design.is_grouped or not steps):
        steps.append(f"Took the rows of each of {design.n_groups:,} values of column '{design.name}' for a group.")
    return tuple(steps)


def _as_it_is(data: Dataset | Incomplete, options: LearnOptions) -> Prepared:
    """Take data that are discrete, without the columns to drop; if they have gaps, these are completed."""
    gaps = NO_GAPS
    if isinstance(data, Incomplete) and options.impute in (None, COMPLETED) and options.discretize is None:
        if not data.missing.any():
            data = data.held
        else:
            gaps, options = f"{COMPLETED}:{options.completions}", replace(options, impute=None)
    given = (("impute", options.impute), ("discretize", options.discretize), ("numbers", options.only_as_they_are))
    asked = [o for o, value in given if value]
    if asked:
        raise OptionError(
            Argument(asked[0]),
            "is for raw data; a Dataset is complete and discrete, and gaps of Incomplete data are completed.",
            remedies=Remedy("leave it out"),
        )
    if options.target is not None:
        data.index(options.target)
    kept = [n for n in data.names if n not in options.drop]
    for dropped in options.drop:
        data.index(dropped)
    left_out = (f"Left out: {quoted(options.drop, 6)}.",) if options.drop else ()
    chosen = data if len(kept) == data.n_variables else data.select(kept)
    refuse_unwritable((chosen if isinstance(chosen, Dataset) else chosen.held).as_columns())
    for name, states in zip(chosen.names, chosen.states, strict=True):
        if len(states) > most_states(chosen.n_cases):
            raise DataError(
                f"variable '{name}' has {len(states):,} states, and {chosen.n_cases:,} rows carry at most "
                f"{most_states(chosen.n_cases):,}. With one parent of two states, each cell would have fewer than "
                f"{FEWEST_PER_CELL} rows. It cannot be learned from.",
                remedies=Remedy("leave it out:", Argument("drop", [name])),
            )
    steps = _steps_of_experiments(chosen.targets) if isinstance(chosen, Dataset) else ()
    return Prepared(chosen, options.name or "data", (*left_out, *steps), gaps, coding=Coding.of(chosen))


def open_points(table: Table, options: LearnOptions) -> tuple[Finding | Obstacle, ...]:
    """Return what is in the way and neither an option nor an agreement answers.

    An agreement covers what is safe; what has two answers has to be answered.
    """
    return _open_points(audit(table, replace(options, agree=True)), options)


def _open_points(audited: Audit, options: LearnOptions) -> tuple[Finding | Obstacle, ...]:
    given = ("decimal", "thousands", "dates", "merge_rare")
    asked = {name for name in given if getattr(options, name) is not None}
    findings = [
        finding
        for finding in audited.findings
        if finding.severity is not Severity.NOTE
        and not (finding.remedy is not None and finding.remedy.name in asked and finding.repair is not None)
        and not (options.agree and finding.safe and finding.repair is not None)
    ]
    if options.agree:
        return tuple(findings)
    answers = {"missing": options.impute, "continuous": options.discretize}
    return (*findings, *(o for o in find_obstacles(audited.repaired, options) if answers[o.kind] is None))


def proposal(table: Table, obstacles: Iterable[Finding | Obstacle]) -> PreparationError:
    """Return the error that says what is in the way, what is proposed, and how to agree: to a program or a person."""
    listed = list(obstacles)
    points = [part for obstacle in listed for part in _point(obstacle)]
    safe = all(isinstance(o, Obstacle) or (o.safe and o.repair is not None) for o in listed)
    options = _merged(o.remedy for o in listed if o.remedy is not None and o.remedy.name != "agree")
    agree = Argument("agree", True)
    # What has no option of its own needs the agreement, whatever else is chosen.
    beside = [agree] if any(o.remedy is not None and o.remedy.name == "agree" for o in listed) else []
    words: list[str | Mention] = ["Agree to all of it with", agree] if safe else []
    if options:
        choose = "choose, and agree to the rest:" if beside else "choose:"
        words += [f", or {choose}" if safe else choose.capitalize(), Call("learn", *options, *beside)]
    elif safe:
        words.append(".")
    return PreparationError(f"{table.prefix}these data need preparation first:\n", *points, *words)


def _point(obstacle: Finding | Obstacle) -> Iterable[str | Mention]:
    found = obstacle.details if isinstance(obstacle, Obstacle) else obstacle.evidence
    details = f" ({found})" if found else ""
    yield f"  - {obstacle.what}{details}. Proposal: {obstacle.proposal}"
    if obstacle.remedy is not None:
        yield from ("(", obstacle.remedy, ")")
    yield "."
    if isinstance(obstacle, Finding) and obstacle.keepable:
        yield from (f"To learn from {it(obstacle.columns)} all the same:", Argument("keep", [*obstacle.columns]), ".")
    yield "\n"


def _merged(remedies: Iterable[Argument]) -> list[Argument]:
    """Return every argument once: the columns to drop, which more than one obstacle may name, in one list."""
    found: dict[str, Argument] = {}
    for one in remedies:
        before = found.setdefault(one.name, one)
        if before is not one and isinstance(one.value, list):
            found[one.name] = Argument(one.name, [*before.value, *one.value])
    return list(found.values())


def _without_gaps(table: Table, obstacle: Obstacle, options: LearnOptions, run: Run) -> tuple[Table, str, str]:
    """Return the table without gaps, or with those that are filled later, and sentences: what is done, what is not."""
    columns = columns_words(obstacle.columns)
    method = options.impute or IMPUTE
    before, cells = table.n_cases, counted(sum(table.n_missing.values()), "missing value")
    hurried = ""
    if method not in (COMPLETED, "state"):  # these come after numbers are cut
        table, hurried = fill_gaps(table, method, run)
    how = {
        COMPLETED: f"Completed {cells} in {columns} {options.completions:,} times and averaged the results. This "
        "assumes that whether a value is missing depends on observed values only (missing at random).",
        "knn": f"Filled {cells} in {columns}, each from the 5 most similar rows. They count as observed. Expect edges "
        "that are in the filling alone, since similar rows get similar values.",
        "mode": f"Filled {cells} in {columns} with the most frequent value of their column. They count as "
        "observed: expect edges to look weaker than they are.",
        "state": f"Took {cells} in {columns} as a state of their own. Expect edges between columns that "
        "are missing together, and between reasons for gaps and values.",
        "drop": f"Dropped {before - table.n_cases:,} of {before:,} rows, which had missing values in {columns}. "
        "Fewer rows show fewer edges, and if complete rows are special, the edges are those of special rows.",
    }
    return table, how[method], hurried


def uncut_of(
    table: Table, columns: Iterable[str], options: LearnOptions, *, method: str | None = None, bins: int | None = None
) -> NumericData:
    """Return a table with the columns of numbers to cut, and how: as the options say, or in another way."""
    known = options.constraints
    how = method or options.discretize or DISCRETIZE
    cutting = Cutting(
        how,
        bins or options.bins,
        options.target if how == "mdl" else None,  # else a target of numbers is cut as any other column is
        None if known is None else Constraints.from_description(table.names, known.describe()).arc_part,
        options.max_parents,
        options.seed,
        None if options.limit_seconds is None else options.limit_seconds / 4,
    )
    return NumericData(
        table,
        tuple(name for name in columns if name != cutting.target),
        cutting,
        _categorical(table, options),
        gap_state=options.impute == "state",
    )


def _categorical(table: Table, options: LearnOptions) -> tuple[str, ...] | bool:
    return options.categorical or tuple(name for name in (*options.states_kept, *options.keep) if name in table.names)


def _mixed(table: Table, options: LearnOptions) -> MixedData:
    """Return the rows with numbers and scales as they are, and anything in place of gaps that are completed later."""
    whole = impute(table, method="mode") if table.n_missing else table
    return MixedData.from_table(whole, kinds=_given_kinds(table, options))


# What the steps say to who runs `learn`, and no paper.
IS_ONE_WRONG = " Is one wrong? Then give --kind NAME=KIND (in Python kinds=)."
AS_THEY_ARE_ASKED = "Edges, effects, `query` and `predict` take all of these as they are."


def _steps_of_kinds(mixed: MixedData | None) -> Iterable[str]:
    """Return what each column was taken for, since that decides what can be found; nothing where numbers are cut."""
    if mixed is None:
        return
    named = {kind: [n for n, own in zip(mixed.names, mixed.kinds, strict=True) if own is kind] for kind in VariableKind}
    words = {"number": "numbers", "ordinal": "scales", "nominal": "categories"}
    taken = [f"as {words[kind]} {quoted(names, 12)}" for kind, names in named.items() if names]
    yield f"Taken {'; '.join(taken)}.{IS_ONE_WRONG}"


def _steps_of_cuts(uncut: NumericData, options: LearnOptions, *, copied: bool) -> Iterable[str]:
    """Return how numbers were cut: those that networks learn from, or `copied`, where these are as they are."""
    columns, how = columns_words(uncut.columns), uncut.cutting
    numbers = sorted({len(cuts) + 1 for cuts in uncut.cuts.values()})
    some = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    fewer = "" if numbers == [how.bins] else f", {some} where many rows have one value"
    ways = {
        "quantile": f"into {how.bins} bins with about equally many rows{fewer}",
        "width": f"into {how.bins} bins of equal width",
        "kmeans": f"into {how.bins} bins around cluster centres",
        "mean": "in two at the mean",
        "mdl": f"where '{how.target}' changes most (MDL; at the median where no cut pays)",
        JOINT: f"into {some} bins, chosen together with the structure (MDL)",
    }
    if copied:
        yield (
            f"{AS_THEY_ARE_ASKED} Only the bars of the page and network.bif need states: for them, a copy has its "
            f"numbers cut {ways[how.method]}."
        )
        return
    yield f"Cut {columns} {ways[how.method]}."
    if options.recut:
        yield (
            f"In every replicate of the bootstrap, {'it is' if len(uncut.columns) == 1 else 'they are'} cut anew in "
            "the same way, so that confidences have the uncertainty of the cut points in them."
        )
