"""`Constraints`: what the analyst knows about the structure before seeing the data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError, GraphError
from arcwise.graph.bitset import bits, to_words
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import NamedNodes, Node
from arcwise.mentions import Argument
from arcwise.showing import one_screen

__all__ = ["Constraints", "NativeConstraints"]

Arc = tuple[str, str]


@one_screen
@dataclass(frozen=True, eq=False)
class NativeConstraints:
    """Constraints as arrays, one row per child; a parent set P of v is allowed if it holds all of ``required[v]``.

    It must also hold nothing of ``forbidden[v]`` and have at most ``limits[v]`` members. Bits: 64 positions per word,
    lowest first.
    """

    required: NDArray[np.uint64]  # (nodes, words)
    forbidden: NDArray[np.uint64]  # (nodes, words); the node itself is forbidden
    limits: NDArray[np.int32]  # (nodes,)


class Constraints(NamedNodes):
    """Required and forbidden arcs, tiers and parent limits; contradictions are refused with the reason.

    bnlearn calls required arcs the whitelist and forbidden arcs the blacklist.

    Parameters
    ----------
    names
        The variables.
    required
        Arcs (parent, child) that every network must have.
    forbidden
        Arcs (parent, child) that no network may have.
    tiers
        Groups of variables in order of time: no arc leads from a later tier to an earlier one. Variables that are
        in no tier are free.
    max_parents
        The largest number of parents of any variable, or None for no limit.
    max_parents_of
        Limits of single variables; they replace `max_parents` for these.
    """

    __slots__ = ("_forbidden", "_limits", "_max_parents", "_required", "_tiers")

    def __init__(
        self,
        names: Sequence[str],
        *,
        required: Iterable[Arc] = (),
        forbidden: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        max_parents_of: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(names)
        self._required = self._read_arcs("required", required)
        self._forbidden = self._read_arcs("forbidden", forbidden)
        self._tiers = self._read_tiers(tiers)
        self._max_parents = None if max_parents is None else _read_limit("max_parents", max_parents)
        self._limits: dict[int, int] = {}
        for name, limit in (max_parents_of or {}).items():
            self._limits[self._find(name, "max_parents_of")] = _read_limit(f"max_parents_of['{name}']", limit)
        self._check()

    @classmethod
    def from_lists(
        cls,
        names: Sequence[str],
        *,
        whitelist: Iterable[Arc] = (),
        blacklist: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
    ) -> Constraints:
        """Make constraints in bnlearn's words: the whitelist is required, the blacklist forbidden."""
        return cls(names, required=whitelist, forbidden=blacklist, tiers=tiers, max_parents=max_parents)

    @property
    def required(self) -> tuple[Arc, ...]:
        """The required arcs, as (parent, child) pairs of names."""
        return self._name_arcs(sorted(self._required, key=lambda arc: (arc[1], arc[0])))

    @property
    def forbidden(self) -> tuple[Arc, ...]:
        """The forbidden arcs that were given, as (parent, child) pairs of names; tiers forbid more."""
        return self._name_arcs(sorted(self._forbidden, key=lambda arc: (arc[1], arc[0])))

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The tiers, earliest first."""
        return tuple(tuple(self._names[v] for v in tier) for tier in self._tiers)

    @property
    def max_parents(self) -> int | None:
        """The global parent limit, or None."""
        return self._max_parents

    @property
    def max_parents_by_name(self) -> dict[str, int]:
        """The parent limits of single variables."""
        return {self._names[v]: limit for v, limit in sorted(self._limits.items())}

    @property
    def is_trivial(self) -> bool:
        """Whether nothing is constrained."""
        return not (self._required or any(self._tier_masks) or self._forbidden or self._limits) and (
            self._max_parents is None or self._max_parents >= self.n_nodes - 1
        )

    @cached_property
    def required_masks(self) -> tuple[int, ...]:
        """For each node, the parents it must have, as a bit set."""
        masks = [0] * self.n_nodes
        for tail, head in self._required:
            masks[head] |= 1 << tail
        return tuple(masks)

    @cached_property
    def forbidden_masks(self) -> tuple[int, ...]:
        """For each node, the parents it cannot have, as a bit set.

        These are the forbidden arcs, the variables of later tiers, the node itself, and what the required arcs make
        impossible: a node to which required arcs lead from this one.
        """
        masks = [self._tier_masks[v] | 1 << v for v in range(self.n_nodes)]
        for tail, head in self._forbidden:
            masks[head] |= 1 << tail
        below = [0] * self.n_nodes  # descendants by required arcs
        required = Dag(self._names, [list(bits(mask)) for mask in self.required_masks])
        for v in reversed(required.topological_order):
            for child in required.children[v]:
                below[v] |= below[child] | 1 << child
        return tuple(mask | below[v] for v, mask in enumerate(masks))

    @cached_property
    def limits(self) -> tuple[int, ...]:
        """For each node, the most parents it can have: its limit, or fewer if too many parents are forbidden."""
        default = self.n_nodes if self._max_parents is None else self._max_parents
        return tuple(
            min(self._limits.get(v, default), self.n_nodes - mask.bit_count())
            for v, mask in enumerate(self.forbidden_masks)
        )

    def required_parents(self, child: Node) -> tuple[str, ...]:
        """Return the parents that a node must have."""
        return tuple(self._names[p] for p in bits(self.required_masks[self.index(child)]))

    def forbidden_parents(self, child: Node) -> tuple[str, ...]:
        """Return the parents that a node cannot have, itself left out."""
        v = self.index(child)
        return tuple(self._names[p] for p in bits(self.forbidden_masks[v] & ~(1 << v)))

    def max_parents_of(self, child: Node) -> int:
        """Return the most parents that a node can have."""
        return self.limits[self.index(child)]

    def allows(self, child: Node, parents: Iterable[Node]) -> bool:
        """Say whether a node may have exactly these parents."""
        v, mask = self.index(child), self._mask(parents)
        required, forbidden = self.required_masks[v], self.forbidden_masks[v]
        return not (required & ~mask or forbidden & mask) and mask.bit_count() <= self.limits[v]

    def allows_dag(self, dag: Dag) -> bool:
        """Say whether a DAG over the same variables satisfies all constraints."""
        return not self.violations(dag)

    def violations(self, dag: Dag) -> list[str]:
        """Return one sentence for every constraint that a DAG over the same variables breaks."""
        if dag.names != self._names:
            dag = dag.reorder(self._names)
        found: list[str] = []
        for v, mask in enumerate(dag.parent_masks):
            found += [f"{a} is missing" for a in self._arc_names(v, self.required_masks[v] & ~mask)]
            found += [f"{a} is not allowed" for a in self._arc_names(v, self.forbidden_masks[v] & mask)]
            limit = self._limits.get(v, self._max_parents)
            if limit is not None and mask.bit_count() > limit:
                found.append(f"'{self._names[v]}' has {mask.bit_count()} parents, at most {limit} are allowed")
        return found

    def native(self) -> NativeConstraints:
        """Return the constraints as arrays, for filters that run over millions of parent sets."""
        return NativeConstraints(
            required=to_words(self.required_masks, self.n_nodes),
            forbidden=to_words(self.forbidden_masks, self.n_nodes),
            limits=np.array(self.limits, dtype=np.int32),
        )

    def describe(self) -> dict[str, Any]:
        """Return what is constrained as JSON can hold it, in one order for the same constraints: what a file records.

        The keys are the options of the class, without those that say nothing. The order of the variables does not show.

        >>> Constraints(["a", "b", "c"], required=[("a", "b")], max_parents=2).describe()
        {'required': [['a', 'b']], 'max_parents': 2}
        """
        content: dict[str, Any] = {
            "required": sorted(list(arc) for arc in self.required),
            "forbidden": sorted(list(arc) for arc in self.forbidden),
            "tiers": [sorted(tier) for tier in self.tiers],
            "max_parents": self._max_parents,
            "max_parents_of": dict(sorted(self.max_parents_by_name.items())),
        }
        return {key: value for key, value in content.items() if value not in (None, [], {})}

    @property
    def digest(self) -> str:
        """SHA-256 of `describe`: equal for equal constraints alone, as the keys of caches and of resumed work need.

        The repr only counts the arcs.
        """
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    def reorder(self, names: Sequence[str]) -> Constraints:
        """Return the same constraints with the variables in another order."""
        self._new_positions(names)
        return Constraints(names, **self._options())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constraints) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __repr__(self) -> str:
        parts = [f"{len(self._required)} required", f"{len(self._forbidden)} forbidden", f"{len(self._tiers)} tiers"]
        if self._max_parents is not None:
            parts.append(f"at most {self._max_parents} parents")
        if self._limits:
            parts.append(f"{len(self._limits)} own limits")
        return f"Constraints({self.n_nodes} nodes: {', '.join(parts)})"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self._names, self._options()))

    def _options(self) -> dict[str, Any]:
        return {
            "required": self.required,
            "forbidden": self.forbidden,
            "tiers": self.tiers,
            "max_parents": self._max_parents,
            "max_parents_of": self.max_parents_by_name,
        }

    @classmethod
    def from_description(cls, names: Sequence[str], facts: Mapping[str, Any]) -> Constraints:
        """Make the constraints that `describe` described, on the variables `names`."""
        return cls(names, **facts)

    def _content(self) -> tuple[object, ...]:
        limits = tuple(sorted(self._limits.items()))
        return (self._names, self._required, self._forbidden, self._tiers, self._max_parents, limits)

    @cached_property
    def _tier_masks(self) -> tuple[int, ...]:
        """For each node, the variables of later tiers."""
        masks = [0] * self.n_nodes
        later = 0
        for tier in reversed(self._tiers):
            for v in tier:
                masks[v] = later
            for v in tier:
                later |= 1 << v
        return tuple(masks)

    def _find(self, name: str, where: str) -> int:
        try:
            return self.index(name)
        except GraphError as error:
            raise error.within(f"{where}:", kind=ConstraintError) from None

    def _read_arcs(self, kind: str, arcs: Iterable[Arc]) -> frozenset[tuple[int, int]]:
        found = set()
        for arc in arcs:
            _check_pair(kind, arc)
            tail, head = (self._find(name, f"{kind} arc {arc[0]} -> {arc[1]}") for name in arc)
            if tail == head:
                raise ConstraintError(f"{kind} arc {arc[0]} -> {arc[1]}: a node cannot be its own parent.")
            found.add((tail, head))
        return frozenset(found)

    def _read_tiers(self, tiers: Iterable[Iterable[str]]) -> tuple[tuple[int, ...], ...]:
        place: dict[int, int] = {}
        result = []
        for number, tier in enumerate(tiers, start=1):
            if isinstance(tier, str):
                raise ConstraintError(f"tier {number} is the text '{tier}'; give a list of names.")
            members = []
            for name in tier:
                v = self._find(name, f"tier {number}")
                if v in place:
                    raise ConstraintError(f"'{name}' is in tier {place[v]} and again in tier {number}.")
                place[v] = number
                members.append(v)
            result.append(tuple(sorted(members)))
        return tuple(result)

    def _check(self) -> None:
        try:
            Dag(self._names, [list(bits(mask)) for mask in self.required_masks])
        except GraphError as error:
            raise ConstraintError(f"the required arcs are {error}"[:-1] + "; drop one of them.") from None
        for tail, head in sorted(self._required):
            arc = f"{self._names[tail]} -> {self._names[head]}"
            if (tail, head) in self._forbidden:
                raise ConstraintError(f"the arc {arc} is both required and forbidden; drop one of the two.")
            if self._tier_masks[head] >> tail & 1:
                raise ConstraintError(f"the required arc {arc} leads from a later tier to an earlier one.")
        for v, mask in enumerate(self.required_masks):
            limit = self._limits.get(v, self._max_parents)
            if limit is not None and mask.bit_count() > limit:
                needed = ", ".join(self._names[p] for p in bits(mask))
                raise ConstraintError(
                    f"'{self._names[v]}' has {mask.bit_count()} required parents ({needed}) but may have at most "
                    f"{limit}; raise its limit or drop a required arc."
                )

    def _arc_names(self, child: int, parents: int) -> list[str]:
        return [f"{self._names[p]} -> {self._names[child]}" for p in bits(parents)]


def _check_pair(kind: str, arc: object) -> None:
    if isinstance(arc, str) or not isinstance(arc, Sequence) or len(arc) != 2:
        raise ConstraintError(f"{kind}: {arc!r} is not an arc; give pairs (parent, child).")


def _read_limit(what: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ConstraintError(Argument(what, value), ": a parent limit is an integer, 0 or more.")
    return int(value)


def _rebuild(names: Sequence[str], options: dict[str, Any]) -> Constraints:
    return Constraints(names, **options)
