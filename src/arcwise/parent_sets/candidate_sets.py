"""From a table to independent problems: constraints applied, useless sets dropped, components apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError
from arcwise.graph import Constraints, Dag
from arcwise.parent_sets.guarantee import check_required
from arcwise.parent_sets.table import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["candidate_sets", "components_of", "network_of_rows"]


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
    from arcwise import _core

    check_required(table, constraints)

    sets = _core.parent_sets.CandidateSets(table.native)
    if constraints is not None:
        constraints.refuse_ancestors("this search")
    if constraints is None or constraints.is_trivial:
        return sets
    if constraints.names != table.names:
        constraints = constraints.reorder(table.names)
    native = constraints.native()
    node = np.repeat(np.arange(table.n_variables), np.diff(table.node_offsets))
    words = sets.sets
    required, forbidden = native.required[node], native.forbidden[node]
    keep = ((words & required) == required).all(axis=1) & ((words & forbidden) == 0).all(axis=1)
    keep &= np.diff(table.set_offsets) <= native.limits[node]
    left = np.bincount(node[keep], minlength=table.n_variables)
    if (left == 0).any():
        v = int(np.argmin(left))
        raise ConstraintError(
            f"no parent set of '{table.names[v]}' in the table satisfies the constraints; "
            f"it has {len(table.rows_of(v)):,}. Build the table with the same constraints, or relax them."
        )
    return sets.kept(keep.astype(np.uint8))


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
