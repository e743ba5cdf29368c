"""`Audit`: what to know about data before anything is learned from them, and what would be done about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arcwise.audit.constants import find_constants, find_nearly_constant
from arcwise.audit.copies import find_copies, find_determined
from arcwise.audit.dates import find_dates
from arcwise.audit.finding import Finding, Severity
from arcwise.audit.many_states import find_free_text, find_identifiers, find_many_states, find_rare_states
from arcwise.audit.missing_markers import find_missing_markers, find_words_among_numbers
from arcwise.audit.rows import find_header, find_repeated_rows, find_row_order, find_totals, find_units
from arcwise.audit.scales import find_scales
from arcwise.audit.spellings import find_spellings
from arcwise.audit.written_numbers import find_written_numbers
from arcwise.data import Column, Table
from arcwise.data.gap_dependence import GapDependence, table_gap_dependences
from arcwise.data.labels import quoted
from arcwise.showing import LINES, html_table, one_screen

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit", "AuditSettings", "audit_table"]

Check = Callable[[Table, "AuditSettings"], Iterable[Finding]]


@one_screen
@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What the analyst has said about the data.

    Parameters
    ----------
    missing
        Values that stand for a missing one, in addition to those that are always taken for it.
    decimal, thousands
        The signs before decimals and between thousands in written numbers.
    dates
        What becomes of dates: "drop", "year" or "month".
    merge_rare
        States with fewer rows than this are joined.
    header
        "first" or "none", if it was said where the names of the columns are.
    keep
        Columns that are variables, whatever they look like.
    categories
        Columns of numbers that are categories.
    """

    missing: tuple[str, ...] = ()
    decimal: str | None = None
    thousands: str | None = None
    dates: str | None = None
    merge_rare: int | None = None
    header: str | None = None
    keep: Collection[str] = ()
    categories: Collection[str] = field(default=())

    @property
    def asked(self) -> frozenset[str]:
        """The options that were given: what they ask for is done without a further question."""
        given = ("decimal", "thousands", "dates", "merge_rare")
        return frozenset(name for name in given if getattr(self, name) is not None)


# In this order: what one check would change, the next ones see changed. A "-" hides numbers, numbers are no text.
CHECKS: tuple[Check, ...] = (
    lambda table, said: find_header(table, sure=said.header is not None),
    lambda table, said: find_units(table),
    lambda table, said: find_totals(table),
    lambda table, said: find_missing_markers(table, keep=said.keep),
    lambda table, said: find_words_among_numbers(table, keep={*said.keep, *said.categories}),
    lambda table, said: find_spellings(table),
    lambda table, said: find_written_numbers(table, decimal=said.decimal, thousands=said.thousands),
    lambda table, said: find_dates(table, dates=said.dates),
    lambda table, said: find_repeated_rows(table),
    lambda table, said: find_constants(table),
    lambda table, said: find_free_text(table, keep={*said.keep, *said.categories}),
    lambda table, said: find_identifiers(table, keep={*said.keep, *said.categories}),
    lambda table, said: find_rare_states(table, merge_rare=said.merge_rare, categories=said.categories),
    lambda table, said: find_many_states(table, keep=said.keep, categories=said.categories, merge_rare=said.merge_rare),
    lambda table, said: find_copies(table, keep=said.keep),
    lambda table, said: find_determined(table),
    lambda table, said: find_nearly_constant(table),
    lambda table, said: find_scales(table),
    lambda table, said: find_row_order(table),
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


def audit_table(table: Table, said: AuditSettings, *, agreed: bool = True) -> Audit:
    """Look for everything, in order, and carry out what is safe (if `agreed`) and what was asked for.

    What is not carried out does not hide what lies behind it: later checks see the table as it would be.
    Cost: a few passes over the data, and a cross table of 5,000 rows for pairs of columns that may be copies.
    """
    table, told = _marked(table, said.missing)
    steps, findings = [*_as_it_was_read(table), *told], []
    seen = repaired = table
    read = {column.name: column for column in table.columns}
    for check in CHECKS:
        for finding in check(seen, said):
            findings.append(finding)
            if finding.repair is None or not set(finding.columns) <= set(seen.names):
                continue
            wanted = finding.remedy is not None and finding.remedy.name in said.asked
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
        yield f"Skipped what is written above the names of the columns: {quoted(table.above, 4)}."
    yield from table.told
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
