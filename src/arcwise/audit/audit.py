"""`Audit`: what to know about data before anything is learned from them, and what would be done about it."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack

from arcwise.audit import columns, missing_markers, relations, rows
from arcwise.audit.finding import Finding, Severity
from arcwise.audit.written_numbers import find_written_numbers
from arcwise.base.options import Group, check_options, gather, option, option_lines, row
from arcwise.base.progress import ProgressCallback
from arcwise.base.showing import LINES, html_table, one_screen
from arcwise.data.column import Column, quoted
from arcwise.data.dataset import Dataset
from arcwise.data.impute import GapDependence, table_gap_dependences
from arcwise.data.large import Grouping
from arcwise.data.read import ReadingSettings, read_table
from arcwise.data.table import Table

if TYPE_CHECKING:
    from arcwise.keywords import AuditKeywords

    class CheckKeywords(AuditKeywords, total=False):
        """`AuditSettings` as keywords, and how a file is to be read."""

        separator: str | None
        format: str | None
        table: str | None
        grouping: Grouping

    import pandas as pd


Check = Callable[[Table, "AuditSettings"], Iterable[Finding]]


@one_screen
@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What the analyst has said about the data.

    Parameters
    ----------
    {options}
    """

    missing: tuple[str, ...] = option(
        (),
        "a value that stands for a missing one, beside '', NA, ? and the like; may be repeated",
        group=Group.DATA,
        metavar="VALUE",
    )
    decimal: str | None = option(
        None,
        "the decimal separator of numbers stored as text",
        choices=(".", ","),
        usual="what fits all values",
        group=Group.DATA,
        rare=True,
        metavar="SIGN",
    )
    thousands: str | None = option(
        None,
        "the thousands separator of numbers stored as text",
        choices=(",", ".", "'", " "),
        usual="what fits all values",
        group=Group.DATA,
        rare=True,
        metavar="SIGN",
    )
    dates: str | None = option(
        None,
        "what becomes of dates: left out, the year, the month",
        choices=("drop", "year", "month"),
        usual="a proposal",
        group=Group.DATA,
        rare=True,
        metavar="drop|year|month",
    )
    merge_rare: int | None = option(
        None,
        "join the states of a column that have fewer rows than this",
        low=2,
        high=10**9,
        usual="none are joined",
        group=Group.DATA,
        rare=True,
        metavar="ROWS",
    )
    header: str | None = row(
        ReadingSettings,
        "header",
        usual="in the first line that is no title, unless that looks like a row",
        kind=str,
        choices=("first", "none"),
        names=None,
    )
    keep: Collection[str] = option(
        (),
        "a column that is a variable although it looks like an identifier; may be repeated",
        group=Group.DATA,
        metavar="COLUMN",
    )
    categories: Collection[str] = option(
        (),
        "treat this column of numbers as categories; may be repeated",
        flags=("--category",),
        group=Group.DATA,
        metavar="COLUMN",
    )

    imputed: bool = False  # whether it was said what to do about gaps

    @property
    def asked(self) -> frozenset[str]:
        """The options that were given: what they ask for is done without a further question."""
        given = ("decimal", "thousands", "dates", "merge_rare")
        return frozenset(name for name in given if getattr(self, name) is not None)


AuditSettings.__doc__ = str(inspect.getdoc(AuditSettings)).replace("{options}", option_lines(AuditSettings, indent=""))


# In this order: what one check would change, the next ones see changed. A "-" hides numbers, numbers are no text.
CHECKS: tuple[Check, ...] = (
    lambda table, own: rows.find_header(table, sure=own.header is not None),
    lambda table, own: rows.find_units(table),
    lambda table, own: rows.find_totals(table),
    lambda table, own: missing_markers.find_missing_markers(table, keep=own.keep),
    lambda table, own: missing_markers.find_words_among_numbers(table, keep={*own.keep, *own.categories}),
    lambda table, own: columns.find_spellings(table),
    lambda table, own: find_written_numbers(table, decimal=own.decimal, thousands=own.thousands),
    lambda table, own: rows.find_series(table),
    lambda table, own: columns.find_dates(table, dates=own.dates),
    lambda table, own: rows.find_repeated_rows(table),
    lambda table, own: columns.find_constants(table),
    lambda table, own: rows.find_groups(table, keep={*own.keep, *own.categories}),
    lambda table, own: columns.find_free_text(table, keep={*own.keep, *own.categories}),
    lambda table, own: columns.find_identifiers(table, keep={*own.keep, *own.categories}),
    lambda table, own: columns.find_codes(table, keep={*own.keep, *own.categories}),
    lambda table, own: columns.find_rare_states(table, merge_rare=own.merge_rare, categories=own.categories),
    lambda table, own: columns.find_many_states(
        table, keep=own.keep, categories=own.categories, merge_rare=own.merge_rare
    ),
    lambda table, own: relations.find_copies(table, keep=own.keep),
    lambda table, own: relations.find_determined(table),
    lambda table, own: relations.find_computed(table),
    lambda table, own: relations.find_gaps_by_definition(table, answered=own.imputed),
    lambda table, own: columns.find_nearly_constant(table),
    lambda table, own: columns.find_scales(table),
    lambda table, own: rows.find_row_order(table),
)


@dataclass(frozen=True, eq=False)
class Audit:
    """What was found in a table, the table with all proposals carried out, and what that did.

    Parameters
    ----------
    findings
        In the order in which they were looked for.
    table
        The table as given.
    repaired
        The table after the changes that were made: those that are safe, and those that were asked for.
    steps
        What was done, one sentence each.
    read
        All columns of the table with their values as they would be read: numbers as numbers, markers as missing. Those
        that would be left out are as they were then.
    """

    findings: tuple[Finding, ...]
    table: Table
    repaired: Table
    steps: tuple[str, ...]
    read: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.findings)

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """Return the findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity is severity)

    def about(self, column: str) -> tuple[Finding, ...]:
        """Return the findings about a column."""
        self.table.column(column)
        return tuple(finding for finding in self.findings if column in finding.columns)

    @cached_property
    def gap_dependences(self) -> tuple[GapDependence, ...]:
        """Which gaps of the repaired table clearly depend on which observed values, the clearest first.

        Values may be missing at random all the same; but complete cases are then no random sample.
        """
        return tuple(test for test in table_gap_dependences(self.repaired) if test.is_clear)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per finding."""
        import pandas as pd

        columns = ["severity", "kind", "columns", "what", "evidence", "proposal", "option", "safe"]
        rows = [{**f.describe(), "columns": ", ".join(f.columns)} for f in self.findings]
        return pd.DataFrame(rows, columns=columns)

    def describe(self) -> dict[str, Any]:
        """Return the audit as JSON can hold it."""
        return {
            "rows": self.table.n_cases,
            "columns": list(self.table.names),
            "findings": [finding.describe() for finding in self.findings],
            "steps": list(self.steps),
            "columns_left": list(self.repaired.names),
            "gap_dependences": [asdict(test) for test in self.gap_dependences],
        }

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(self.of(severity))} {severity.value}" for severity in Severity)
        rows, columns = self.table.n_cases, len(self.table.columns)
        return f"Audit({columns} columns, {rows:,} rows; findings: {counts})"

    def _repr_html_(self) -> str:
        rows = [(str(f.severity), ", ".join(f.columns), f.what, f.proposal) for f in self.findings]
        return html_table(repr(self), ["severity", "columns", "finding", "proposal"], rows[:LINES], len(rows))


def audit_table(table: Table, settings: AuditSettings, *, agreed: bool = True) -> Audit:
    """Look for everything, in order, and carry out what is safe (if `agreed`) and what was asked for.

    What is not carried out does not hide what lies behind it: later checks see the table as it would be.
    Cost: a few passes over the data, and a cross table of 5,000 rows for pairs of columns that may be copies.
    """
    check_options(settings)
    table, marks = _marked(table, settings.missing)
    steps, findings = [*_as_it_was_read(table), *marks], []
    seen = repaired = table
    read = {column.name: column for column in table.columns}
    for check in CHECKS:
        for finding in check(seen, settings):
            findings.append(finding)
            if finding.repair is None or not set(finding.columns) <= set(seen.names):
                continue
            wanted = finding.remedy is not None and finding.remedy.name in settings.asked
            if finding.severity is not Severity.NOTE or wanted or agreed:
                seen = finding.repair.change(seen)
                read |= {column.name: column for column in seen.columns}
            if (wanted or (agreed and finding.safe)) and set(finding.columns) <= set(repaired.names):
                repaired = finding.repair.change(repaired)
                steps.append(finding.repair.done)
    return Audit(tuple(findings), table, repaired, tuple(steps), tuple(read.values()))


def _as_it_was_read(table: Table) -> Iterable[str]:
    """Yield what the reader did without being asked."""
    if table.above:
        yield f"Skipped the lines above the header: {quoted(table.above, 4)}."
    yield from table.notes
    for name, reason in table.renamed.items():
        yield f"Called a column '{name}', since {reason}."


def _marked(table: Table, markers: tuple[str, ...]) -> tuple[Table, list[str]]:
    """Take the values that the analyst named as missing."""
    found = [column for column in table.columns if set(column.labels) & set(markers)]
    if not found:
        return table, []
    shown = ", ".join(f"'{marker}'" for marker in markers)
    names = ", ".join(f"'{column.name}'" for column in found)
    changed = table.with_columns(column.relabel(dict.fromkeys(markers)) for column in found)
    return changed, [f"Took {shown} as missing, as asked, in {names}."]


READING = ("separator", "format", "table", "grouping")


def check(
    data: pd.DataFrame | Table | Dataset | str | os.PathLike[str],
    *,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[CheckKeywords],
) -> Audit:
    """Return what an analyst should know about data before learning from them, and what `learn` would do about it.

    Identifiers, dates, numbers that are written as text, free text, more states than the rows can carry, constants,
    copies, several spellings of one label, values that stand for missing ones, repeated rows, names that are missing,
    columns that leak the order of the rows: each with its evidence, its severity, a proposal and the option of `learn`
    that asks for it. What is done with gaps and with columns of numbers is a choice and no finding: `learn` and the
    verb ``arcwise check`` ask about them beside these.

    Parameters
    ----------
    data
        A DataFrame, a file, a table or a data set.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `AuditSettings` by keyword, such as ``decimal=","``, or a whole one as ``settings=``; and how a
        file is to be read, as in `arcwise.data.read_table`: `separator`, `format`, `table`, a sheet or a table of a
        data base, and `grouping`. Of a file that is read as its distinct rows, what tells nearly every row apart is
        left out and numbers are cut, unless `grouping` says otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> from arcwise import check
    >>> frame = pd.DataFrame({"sure": ["Yes", "yes", "No", "no"] * 10, "town": ["a", "b", "-", "a"] * 10})
    >>> for finding in check(frame).findings:
    ...     print(finding.what)
    column 'town': '-' stands for missing values
    column 'sure' has the same label in several spellings: 'Yes' = 'yes'; 'No' = 'no'
    """
    reading: dict[str, Any] = {name: settings.pop(name) for name in READING if name in settings}  # type: ignore[misc]
    chosen = gather(AuditSettings, check, settings)
    if isinstance(data, str | os.PathLike):
        header = None if chosen.header is None else chosen.header == "first"
        usual = Grouping(
            leave_out=True,
            discretize="quantile",
            dates=None if chosen.dates == "drop" else chosen.dates,
            keep=chosen.keep,
            categories=chosen.categories,
            missing=chosen.missing,
        )
        given = read_table(data, progress=progress, merge=True, header=header, **{"grouping": usual} | reading)
    elif isinstance(data, Dataset):
        given = Table.from_dataframe(data.to_dataframe())
    else:
        given = Table.of(data)
    return audit_table(given, chosen)
