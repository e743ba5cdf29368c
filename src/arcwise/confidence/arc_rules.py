"""`ArcRules`: constraints as a network in the making asks them, arc by arc."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arcwise.graph import Constraints
from arcwise.graph.bitset import bits

__all__ = ["ArcRules"]


class ArcRules:
    """What constraints say about single arcs, by the positions of the variables; without constraints, nothing.

    Attributes
    ----------
    constraints
        The constraints over the variables in their order; None if nothing is constrained.
    required
        The arcs that must be there.
    pairs
        The same without direction.
    """

    def __init__(self, names: tuple[str, ...], constraints: Constraints | None) -> None:
        if constraints is not None and constraints.names != names:
            constraints = constraints.reorder(names)
        self.constraints = None if constraints is None or constraints.is_trivial else constraints
        required = () if self.constraints is None else self.constraints.required_masks
        self.required = tuple((tail, head) for head, mask in enumerate(required) for tail in bits(mask))
        self.pairs = frozenset(frozenset(arc) for arc in self.required)

    def allows(self, tail: int, head: int) -> bool:
        """Say whether an arc may be there."""
        return self.constraints is None or not self.constraints.forbidden_masks[head] >> tail & 1

    def has_room(self, parents: Sequence[Collection[int]], head: int) -> bool:
        """Say whether a variable may have one parent more."""
        return self.constraints is None or len(parents[head]) < self.constraints.limits[head]

    def have_room(self, parents: Sequence[Collection[int]]) -> bool:
        """Say whether no variable has more parents than it may have."""
        limits = () if self.constraints is None else self.constraints.limits
        return all(len(found) <= limit for found, limit in zip(parents, limits, strict=False))
