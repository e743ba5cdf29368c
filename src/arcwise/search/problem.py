"""From a table to independent problems: constraints applied, useless sets dropped, components apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError
from arcwise.graph import Constraints
from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.search import CandidateSets

__all__ = ["candidate_sets", "components_of"]


def candidate_sets(table: ParentSetTable, constraints: Constraints | None = None) -> CandidateSets:
    """Return the table's sets that satisfy the constraints.

    Raises
    ------
    ConstraintError
        If some variable has no such set. Constraints are checked family by family; that no *acyclic* choice exists is
        found by the search.
    """
    from arcwise import _core

    sets = _core.search.CandidateSets(table.node_offsets, table.scores, table.set_offsets, table.members)
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
