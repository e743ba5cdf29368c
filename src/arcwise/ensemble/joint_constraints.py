"""What the constraints of a table and those of a search ask for together."""

from __future__ import annotations

import functools

from arcwise.graph import Constraints

__all__ = ["has_own_limits", "joint_constraints"]


def joint_constraints(names: tuple[str, ...], *constraints: Constraints | None) -> Constraints | None:
    """Return what several constraints ask for together; None if that is nothing."""
    known = [one for one in constraints if one is not None and not one.is_trivial]
    if len(known) < 2:
        return known[0].reorder(names) if known else None
    return functools.reduce(Constraints.joined, known).reorder(names)


def has_own_limits(constraints: Constraints | None) -> bool:
    """Say whether some variable may have fewer or more parents than others, beyond what forbidden arcs tell.

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
