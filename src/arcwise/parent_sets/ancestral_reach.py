"""How far a table must reach for constraints on ancestors, which nobody knows before.

What they cost is known once a network that satisfies them is found, so the slack of the table grows until one is in it.
That must end where there is none: because no path of arcs leads from x to y that the constraints allow and the data
say something of, or because every parent set is in the table already.
"""

from __future__ import annotations

import math

from arcwise.data import Dataset
from arcwise.errors import ConstraintError
from arcwise.graph import Constraints
from arcwise.graph.statements import Kind
from arcwise.mentions import Remedy
from arcwise.parent_sets.build import allowed_families
from arcwise.parent_sets.table import ParentSetTable

__all__ = ["check_reachable", "wider_slack"]

LARGEST = 1e9  # no difference of scores: everything is wanted


def check_reachable(data: Dataset, constraints: Constraints, max_parents: int | None = None) -> None:
    """Refuse that a variable must lead to one to which no path of arcs leads that a table can have."""
    families, names = allowed_families(data, constraints, max_parents), data.names
    for said in constraints.statements:
        if said.kind is not Kind.ANCESTOR:
            continue
        source, target = (names.index(name) for name in said.arc)
        reached, stack = {target}, [target]
        while stack:
            v = stack.pop()
            room = families.sizes[v] > len(families.required[v])
            found = {*families.required[v], *(families.allowed[v] if room else ())} - reached
            reached |= found
            stack += found
        if source not in reached:
            untold = data.untold
            still = [name for name in said.arc if untold[names.index(name)].all()]
            why = f": '{still[0]}' never varies" if still else ""
            raise ConstraintError(
                f"no network of these data satisfies that {said.text('->')}{why}. No path of arcs leads there that the "
                "constraints allow and the data say something of.",
                remedies=Remedy("leave this constraint out, or allow more arcs"),
            )


def wider_slack(
    table: ParentSetTable, slack: float, data: Dataset, constraints: Constraints | None, max_parents: int | None
) -> float:
    """Return twice the slack, or infinity if a table that was built for these holds every parent set already."""
    families = allowed_families(data, constraints, max_parents)
    everything = sum(
        sum(math.comb(len(allowed), k) for k in range(min(size - len(required), len(allowed)) + 1))
        for required, allowed, size in zip(families.required, families.allowed, families.sizes, strict=True)
    )
    return math.inf if table.n_rows >= everything or slack > LARGEST else 2 * slack
