"""From a table to independent problems: constraints applied, useless sets dropped, components apart."""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ConstraintError, Remedy
from arcwise.data.dataset import Dataset
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.graph.statements import Kind
from arcwise.parent_sets.build import allowed_families
from arcwise.parent_sets.table import ParentSetTable, check_required

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets


def candidate_sets(table: ParentSetTable, constraints: Constraints | None = None) -> CandidateSets:
    """Return the table's sets that satisfy the constraints.

    Raises
    ------
    ConstraintError
        If some variable has no such set. Constraints are checked family by family; that no *acyclic* choice exists is
        found by the search.
    GuaranteeError
        If the constraints require arcs that the table was not built for.
    """
    check_required(table, constraints)
    sets = _core.parent_sets.CandidateSets(table.native)
    if constraints is not None:
        constraints.refuse_ancestors("this search")
    if constraints is None or constraints.is_trivial:
        return sets
    return sets.kept(table.allowed_rows(constraints, sets.sets).astype(np.uint8))


def components_of(sets: CandidateSets) -> list[NDArray[np.int32]]:
    """Return the nodes of each strong component of the candidate-parent graph, the components of parents first."""
    labels = sets.strong_components()
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return [np.sort(part).astype(np.int32) for part in np.split(order, cuts)] if labels.size else []


def network_of_rows(
    table: ParentSetTable, rows: NDArray[np.int64], constraints: Constraints | None
) -> tuple[Dag, float]:
    """Build the network with the given row for each node and recompute its score from the table.

    Nothing that the search believed is trusted: the `Dag` refuses cycles, and the constraints are asked again.
    """
    for node, row in enumerate(rows.tolist()):
        if row not in table.rows_of(node):
            raise AssertionError(f"row {row} does not belong to node {node}")
    dag = Dag(table.names, [table.parents_of(row) for row in rows.tolist()])
    if constraints is not None:
        broken = constraints.violations(dag)
        if broken:
            raise AssertionError(f"the search broke a constraint: {broken[0]}")
    return dag, math.fsum(table.scores[rows].tolist())


# How far a table must reach for constraints on ancestors, which nobody knows before.
#
# What they cost is known once a network that satisfies them is found, so the slack of the table grows until one is in
# it. That must end where there is none: because no path of arcs leads from x to y that the constraints allow and the
# data say something of, or because every parent set is in the table already.


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


# What the constraints of a table and those of a search ask for together.


def joint_constraints(names: tuple[str, ...], *constraints: Constraints | None) -> Constraints | None:
    """Return what several constraints ask for together; None if that is nothing."""
    known = [one for one in constraints if one is not None and not one.is_trivial]
    if len(known) < 2:
        return known[0].reorder(names) if known else None
    return functools.reduce(Constraints.joined, known).reorder(names)


def has_own_limits(constraints: Constraints | None) -> bool:
    """Return whether some variable may have fewer or more parents than others, beyond what forbidden arcs tell.

    A limit that all have is swapped with the ends of a covered arc, so that all members of a class keep it or none
    does. One of a variable's own may leave out some members of a class and not others.
    """
    if constraints is None:
        return False
    most = constraints.n_nodes - 1 if constraints.max_parents is None else constraints.max_parents
    for name, limit in constraints.max_parents_by_name.items():
        room = constraints.n_nodes - 1 - len(constraints.forbidden_parents(name))
        if min(limit, room) != min(most, room):
            return True
    return False
