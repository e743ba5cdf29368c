"""`ArcRules`: constraints as a network in the making asks them, arc by arc."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from arcwise.confidence.required_paths import reaches
from arcwise.graph import Constraints
from arcwise.graph.bitset import bits

__all__ = ["ArcRules"]


class ArcRules:
    """What constraints say about single arcs, by the positions of the variables; without constraints, nothing.

    Attributes
    ----------
    constraints
        The constraints over the variables in the order of the network; None if nothing is constrained.
    required
        The arcs that must be there, and those of the paths that lead where some variables must.
    pairs
        The same without direction.
    """

    def __init__(self, constraints: Constraints | None, paths: Iterable[tuple[int, int]] = ()) -> None:
        self.constraints = None if constraints is None or constraints.is_trivial else constraints
        required = () if self.constraints is None else self.constraints.required_masks
        self.required = (*((tail, head) for head, mask in enumerate(required) for tail in bits(mask)), *paths)
        self.pairs = frozenset(frozenset(arc) for arc in self.required)

    def allows(self, tail: int, head: int) -> bool:
        """Say whether an arc may be there."""
        return self.constraints is None or not self.constraints.forbidden_masks[head] >> tail & 1

    @property
    def are_ancestral(self) -> bool:
        """Whether something is said about who leads to whom: no direction can be left open then."""
        return self.constraints is not None and self.constraints.is_ancestral

    def misleads(self, parents: Sequence[set[int]], tail: int, head: int) -> bool:
        """Say whether an arc more would lead from a variable to one that it must not lead to."""
        known = self.constraints
        return known is not None and any(
            reaches(parents, source=known.index(x), target=tail)
            and reaches(parents, source=head, target=known.index(y))
            for x, y in known.non_ancestors
        )

    def has_room(self, parents: Sequence[Collection[int]], head: int) -> bool:
        """Say whether a variable may have one parent more."""
        return self.constraints is None or len(parents[head]) < self.constraints.limits[head]

    def have_room(self, parents: Sequence[Collection[int]]) -> bool:
        """Say whether no variable has more parents than it may have."""
        limits = () if self.constraints is None else self.constraints.limits
        return all(len(found) <= limit for found, limit in zip(parents, limits, strict=False))
