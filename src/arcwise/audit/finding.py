"""`Finding`: one thing that an analyst should know about data before anything is learned from them."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from arcwise.base.errors import Argument
from arcwise.base.showing import one_screen
from arcwise.data.column import Column, quoted
from arcwise.data.table import Table


class Severity(enum.StrEnum):
    """What happens to an answer if nothing is done about a finding."""

    BLOCKS = "blocks"  # the data cannot be learned from as they are
    MISLEADS = "misleads"  # they can, but the answer would be about how they were written
    NOTE = "note"  # worth knowing


class Kind(enum.StrEnum):
    """What was found."""

    HEADER = "header"  # names that were missing or repeated, or a first line that is a row
    MISSING_MARKER = "missing marker"  # a value that stands for none: "-", 999
    SPELLING = "spelling"  # one label in several spellings: Yes, yes
    WRITTEN_NUMBER = "written number"  # 27,517.93  $365  12 %
    DATE = "date"
    CONSTANT = "constant"
    NEARLY_CONSTANT = "nearly constant"
    IDENTIFIER = "identifier"
    GROUPS = "groups"  # a column that says which rows belong together
    CODES = "codes"  # whole numbers that are names, such as those of districts
    TEXT = "free text"
    MANY_STATES = "many states"
    RARE_STATES = "rare states"
    COPY = "copy"
    DETERMINED = "determined"  # a function of another column
    ORDINAL = "ordinal"
    REPEATED_ROWS = "repeated rows"
    TOTALS = "totals"  # rows at the end that sum up the others
    UNITS = "units"  # a row below the header that says how columns were measured
    ROW_ORDER = "row order"
    MISSING = "missing"
    BY_DEFINITION = "missing by definition"  # exactly where another column says that there is no value


@dataclass(frozen=True, slots=True)
class Repair:
    """What can be done about a finding: the change, and the sentence that tells it when it is done."""

    change: Callable[[Table], Table]
    done: str

    @classmethod
    def of_column(cls, name: str, change: Callable[[Column], Column], done: str) -> Repair:
        """Return a change of one column."""
        return cls(lambda table: table.with_columns([change(table.column(name))]), done)


@one_screen
@dataclass(frozen=True)
class Finding:
    """One thing to know about data: where it is, how it shows, and what can be done about it.

    Parameters
    ----------
    kind, severity
        What it is, and what it would do to the answer.
    columns
        Where it is; empty for the table as a whole.
    what
        The finding, a clause without a full stop.
    evidence
        How it shows, a clause for brackets.
    proposal
        What would be done about it, in the imperative; empty if nothing needs to be.
    remedy
        The option that asks for it.
    repair
        The change itself, or None if only the analyst can make it.
    safe
        Whether `agree` is enough to make the change; otherwise, it has to be asked for by its option.
    keepable
        Whether the option `keep` says that nothing is to be done: the columns are variables all the same.
    """

    kind: Kind
    severity: Severity
    columns: tuple[str, ...]
    what: str
    evidence: str = ""
    proposal: str = ""
    remedy: Argument | None = None
    repair: Repair | None = None
    safe: bool = True
    keepable: bool = False

    def describe(self) -> dict[str, Any]:
        """Return the finding as JSON can hold it."""
        return {
            "kind": str(self.kind),
            "severity": str(self.severity),
            "columns": list(self.columns),
            "what": self.what,
            "evidence": self.evidence,
            "proposal": self.proposal,
            "option": None if self.remedy is None else self.remedy.name,
            "value": None if self.remedy is None else self.remedy.value,
            "safe": self.safe and self.repair is not None,
        }


def columns_words(names: Sequence[str]) -> str:
    """Return "column 'a'" or "2 columns: 'a', 'b'"."""
    return f"{'column' if len(names) == 1 else f'{len(names)} columns:'} {quoted(names, 6)}"


def verb(names: Sequence[object], one: str, many: str) -> str:
    """Return the form that fits the number."""
    return one if len(names) == 1 else many


def it(names: Sequence[object]) -> str:
    """Return "it" or "them"."""
    return "it" if len(names) == 1 else "them"


def rows_words(count: int) -> str:
    """Return "1 row" or "20 rows"."""
    return "1 row" if count == 1 else f"{count:,} rows"


def leave_out(
    kind: Kind,
    severity: Severity,
    names: tuple[str, ...],
    what: str,
    evidence: str,
    why: str,
    *,
    keepable: bool = False,
) -> Finding:
    """Return a finding about columns that should go; `why` ends the sentence "Left out column 'a', ..."."""
    done = f"Left out {columns_words(names)}{why}."
    repair = Repair(lambda table: table.drop(names), done)
    proposal, remedy = f"leave {it(names)} out", Argument("drop", [*names])
    return Finding(kind, severity, names, what, evidence, proposal, remedy, repair, keepable=keepable)


def note(kind: Kind, names: tuple[str, ...], what: str, evidence: str = "", *, others: tuple[str, ...] = ()) -> Finding:
    """Return what is worth knowing about columns, which can be dropped, and `others`, or about the table."""
    remedy = Argument("drop", [*names]) if names else None
    return Finding(kind, Severity.NOTE, (*names, *others), what, evidence, remedy=remedy)
