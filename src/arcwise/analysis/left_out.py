"""Columns that were left out before learning, and what was said about them all the same.

Who requires an arc from `signup` and reads that there is no variable `signup` looks for a typing error. It was there,
and was left out as a column of dates: that is what the message has to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from arcwise.audit import Audit, Finding, Kind
from arcwise.data import Table
from arcwise.data.table import AS_ASKED
from arcwise.errors import ConstraintError, OptionError
from arcwise.graph import Beliefs, Constraints
from arcwise.graph.statements import Kind as Said
from arcwise.mentions import Argument, Remedy
from arcwise.showing import one_screen

__all__ = ["LeftOut", "left_out_by_audit", "refuse_left_out"]


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
    for statement in () if constraints is None else constraints.statements:
        spoken = (*statement.names, *(name for part in statement.parts for name in part))
        for name in spoken if statement.kind is not Said.MAX_PARENTS else ():
            if name in gone:
                raise ConstraintError(
                    Argument("constraints"), _told(gone, name, statement.text()), remedies=_remedies(gone[name])
                )
    for first, second, _ in () if beliefs is None else (*beliefs.arcs, *beliefs.edges):
        for name in (first, second):
            if name in gone:
                raise OptionError(
                    Argument("beliefs"), _told(gone, name, f"{first}, {second}"), remedies=_remedies(gone[name])
                )


def _told(gone: Mapping[str, LeftOut], name: str, said: str) -> str:
    return f"speak of column '{name}' ({said}), which was left out, {gone[name].why}."


def _remedies(gone: LeftOut) -> tuple[Remedy, ...]:
    return (Remedy("say nothing about it"), *(() if gone.remedy is None else (gone.remedy,)))
