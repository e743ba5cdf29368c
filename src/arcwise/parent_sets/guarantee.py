"""What a search may ask of a table: how far its guarantee reaches, and for which required arcs.

A table holds the parent sets that can matter within its slack: a set P was dropped if a subset Q scores so much better
that putting Q in its place improves every network by more than the slack. Forbidden arcs and parent limits that come
later do no harm, because a subset of an allowed set is allowed. A *required* arc does: Q may lack it while P has it, so
that a network which needs P is missing. A table is therefore complete only for required arcs that it was built for, or
if nothing was dropped (infinite slack).
"""

from __future__ import annotations

import math

from arcwise.errors import GuaranteeError
from arcwise.graph import Constraints
from arcwise.mentions import Argument, Call, Either, Remedy
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["VOUCH", "check_required", "check_slack"]

VOUCH = Either("table.vouched()", Argument("trust_table", True))


def check_slack(table: ParentSetTable, slack: float, what: str) -> None:
    """Refuse a table that does not hold every parent set that a network within the slack can have."""
    if table.slack >= slack - 1e-12:
        return
    enough = math.ceil(slack * 1e4) / 1e4  # rounded down it would be refused again
    rebuild = Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", enough, shown=f"{enough:.10g}")))
    if math.isnan(table.slack):
        raise GuaranteeError(
            f"{what} needs a table with slack >= {slack:.4g}; this one does not say what it has, like a file made "
            "elsewhere.",
            remedies=(rebuild, Remedy("vouch for it with", VOUCH)),
        )
    raise GuaranteeError(
        f"{what} needs a table with slack >= {slack:.4g}; this one has {table.slack:.4g}.", remedies=rebuild
    )


def check_required(table: ParentSetTable, constraints: Constraints | None) -> None:
    """Refuse required arcs that the table was not built for."""
    if constraints is None or table.slack == math.inf:
        return
    missing = [arc for arc in constraints.required if arc not in table.required_arcs]
    if not missing:
        return
    arcs = ", ".join(f"{tail} -> {head}" for tail, head in missing[:3]) + (", ..." if len(missing) > 3 else "")
    rebuild = Remedy("rebuild it with", Call("build_parent_sets", Argument("constraints", shown="...")))
    vouch = Remedy("vouch for it with", VOUCH, only_if="it holds every parent set")
    raise GuaranteeError(
        f"the table was not built for the required arcs {arcs}: sets that they need may have been dropped from it.",
        remedies=(rebuild, vouch) if math.isnan(table.slack) else rebuild,
    )
