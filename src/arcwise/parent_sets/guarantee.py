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
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["check_required", "check_slack"]


def check_slack(table: ParentSetTable, slack: float, what: str) -> None:
    """Refuse a table that does not hold every parent set that a network within the slack can have."""
    if table.slack >= slack - 1e-12:
        return
    enough = math.ceil(slack * 1e4) / 1e4  # rounded down it would be refused again
    remedy = f"Rebuild it with build_parent_sets(..., slack={enough:.10g})"
    if math.isnan(table.slack):
        raise GuaranteeError(
            f"{what} needs a table with slack >= {slack:.4g}; this one does not say what it has, like a file made "
            f"elsewhere. {remedy}, or vouch for it with table.vouched()."
        )
    raise GuaranteeError(f"{what} needs a table with slack >= {slack:.4g}; this one has {table.slack:.4g}. {remedy}.")


def check_required(table: ParentSetTable, constraints: Constraints | None) -> None:
    """Refuse required arcs that the table was not built for."""
    if constraints is None or table.slack == math.inf:
        return
    missing = [arc for arc in constraints.required if arc not in table.required_arcs]
    if not missing:
        return
    arcs = ", ".join(f"{tail} -> {head}" for tail, head in missing[:3]) + (", ..." if len(missing) > 3 else "")
    unknown = ", or, if it holds every parent set, vouch for it with table.vouched()"
    raise GuaranteeError(
        f"the table was not built for the required arcs {arcs}: sets that they need may have been dropped from it. "
        f"Rebuild it with build_parent_sets(..., constraints=...){unknown if math.isnan(table.slack) else ''}."
    )
