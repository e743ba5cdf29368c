"""`Stated`: what an analyst said about the structure, kept as it was said; `Constraints` adds what follows from it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, TypedDict, Unpack

from arcwise.errors import OptionError, suggestion
from arcwise.graph.constraint_reading import Reader, read_limit
from arcwise.graph.nodes import NamedNodes
from arcwise.graph.statements import Arc, Kind, Statement

__all__ = ["LISTS", "MoreKinds", "Stated"]

# The options that are lists, of which two constraints together have both.
LISTS = tuple(
    kind.value for kind in Kind if kind not in (Kind.TIERS, Kind.ALLOWED, Kind.MAX_PARENTS, Kind.MAX_PARENTS_OF)
)


class MoreKinds(TypedDict, total=False):
    """What else `Constraints` can be told."""

    roots: Iterable[str]
    leaves: Iterable[str]
    separate: Iterable[Arc]
    groups: Iterable[Iterable[str]]
    allowed: Iterable[Arc] | None
    ancestors: Iterable[Arc]
    non_ancestors: Iterable[Arc]


class Stated(NamedNodes):
    """Everything that was said about variables, each kind by itself; `Constraints` has the words for it."""

    __slots__ = ("_allowed", "_forbidden", "_leads", "_limits", "_max_parents", "_required", "_sets", "_tiers")

    def __init__(
        self,
        names: Sequence[str],
        *,
        required: Iterable[Arc] = (),
        forbidden: Iterable[Arc] = (),
        tiers: Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        max_parents_of: Mapping[str, int] | None = None,
        **more: Unpack[MoreKinds],
    ) -> None:
        super().__init__(names)
        for unknown in set(more) - set(MoreKinds.__annotations__):
            raise OptionError(suggestion("argument of Constraints", unknown, [kind.value for kind in Kind]))
        read = Reader(self)
        self._required = read.arcs("required", required)
        self._forbidden = read.arcs("forbidden", forbidden)
        allowed = more.get("allowed")
        self._allowed = None if allowed is None else read.arcs("allowed", allowed)
        self._tiers = read.tiers(tiers)
        self._max_parents = None if max_parents is None else read_limit("max_parents", max_parents)
        self._limits = read.limits(max_parents_of)
        # Sets of variables: each root and leaf by itself, pairs and groups without an arc among them.
        self._sets: dict[Kind, tuple[tuple[int, ...], ...]] = {
            Kind.ROOT: tuple((v,) for v in read.set_of("roots", more.get("roots", ()))),
            Kind.LEAF: tuple((v,) for v in read.set_of("leaves", more.get("leaves", ()))),
            Kind.SEPARATE: tuple(
                sorted({(min(p), max(p)) for p in read.arcs("separate", more.get("separate", ()), noun="pair")})
            ),
            Kind.GROUP: read.groups("groups", more.get("groups", ())),
        }
        self._leads = {
            Kind.ANCESTOR: read.arcs("ancestors", more.get("ancestors", ()), noun="pair"),
            Kind.NON_ANCESTOR: read.arcs("non_ancestors", more.get("non_ancestors", ()), noun="pair"),
        }
        self._check()

    def _check(self) -> None:
        """Refuse what cannot be; what was said alone is not refused."""

    @property
    def required(self) -> tuple[Arc, ...]:
        """The required arcs, as (parent, child) pairs of names."""
        return self._pairs(self._required)

    @property
    def forbidden(self) -> tuple[Arc, ...]:
        """The forbidden arcs that were given, as (parent, child) pairs of names; other kinds forbid more."""
        return self._pairs(self._forbidden)

    @property
    def allowed(self) -> tuple[Arc, ...] | None:
        """The only arcs that a network may have, or None for all."""
        return None if self._allowed is None else self._pairs(self._allowed)

    @property
    def tiers(self) -> tuple[tuple[str, ...], ...]:
        """The tiers, earliest first."""
        return tuple(self._named(tier) for tier in self._tiers)

    @property
    def roots(self) -> tuple[str, ...]:
        """The variables without parents."""
        return tuple(self._names[v] for (v,) in self._sets[Kind.ROOT])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The variables without children."""
        return tuple(self._names[v] for (v,) in self._sets[Kind.LEAF])

    @property
    def separate(self) -> tuple[Arc, ...]:
        """The pairs without an arc between them."""
        return self._name_arcs((a, b) for a, b in self._sets[Kind.SEPARATE])

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The sets without an arc between any two of their members."""
        return tuple(self._named(group) for group in self._sets[Kind.GROUP])

    @property
    def ancestors(self) -> tuple[Arc, ...]:
        """The pairs (x, y) of which x must lead to y."""
        return self._pairs(self._leads[Kind.ANCESTOR])

    @property
    def non_ancestors(self) -> tuple[Arc, ...]:
        """The pairs (x, y) of which x must not lead to y."""
        return self._pairs(self._leads[Kind.NON_ANCESTOR])

    @property
    def max_parents(self) -> int | None:
        """The global parent limit, or None."""
        return self._max_parents

    @property
    def max_parents_by_name(self) -> dict[str, int]:
        """The parent limits of single variables."""
        return {self._names[v]: limit for v, limit in sorted(self._limits.items())}

    @cached_property
    def statements(self) -> tuple[Statement, ...]:
        """Everything that was said, one by one; the tiers are one statement, and so are the allowed arcs."""
        found = [Statement(Kind.REQUIRED, arc) for arc in self.required]
        found += [Statement(Kind.FORBIDDEN, arc) for arc in self.forbidden]
        if self._allowed is not None:
            found.append(Statement(Kind.ALLOWED, parts=self._pairs(self._allowed)))
        if any(self._tier_masks):
            found.append(Statement(Kind.TIERS, parts=self.tiers))
        for kind, sets in self._sets.items():
            found += [Statement(kind, self._named(members)) for members in sets]
        for kind, pairs in self._leads.items():
            found += [Statement(kind, arc) for arc in self._pairs(pairs)]
        if self._max_parents is not None and self._max_parents < self.n_nodes - 1:
            others = tuple(name for v, name in enumerate(self._names) if v not in self._limits)
            found.append(Statement(Kind.MAX_PARENTS, others, limit=self._max_parents))
        found += [Statement(Kind.MAX_PARENTS_OF, (name,), limit=m) for name, m in self.max_parents_by_name.items()]
        return tuple(found)

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

    def describe(self) -> dict[str, Any]:
        """Return what is constrained as JSON can hold it, in one order for the same constraints: what a file records.

        The keys are the options of the class, without those that say nothing. The order of the variables does not show.

        >>> Stated(["a", "b", "c"], required=[("a", "b")], max_parents=2).describe()
        {'required': [['a', 'b']], 'max_parents': 2}
        """
        content: dict[str, Any] = {
            "required": sorted(list(arc) for arc in self.required),
            "forbidden": sorted(list(arc) for arc in self.forbidden),
            "tiers": [sorted(tier) for tier in self.tiers],
            "max_parents": self._max_parents,
            "max_parents_of": dict(sorted(self.max_parents_by_name.items())),
            "roots": sorted(self.roots),
            "leaves": sorted(self.leaves),
            "separate": sorted(sorted(pair) for pair in self.separate),
            "groups": sorted(sorted(group) for group in self.groups),
            "ancestors": sorted(list(pair) for pair in self.ancestors),
            "non_ancestors": sorted(list(pair) for pair in self.non_ancestors),
        }
        said = {key: value for key, value in content.items() if value not in (None, [], {})}
        return said if self.allowed is None else {**said, "allowed": sorted(list(arc) for arc in self.allowed)}

    @property
    def digest(self) -> str:
        """SHA-256 of `describe`: equal for equal constraints alone, as the keys of caches and of resumed work need.

        The repr only counts the arcs.
        """
        return hashlib.sha256(json.dumps(self.describe(), sort_keys=True).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stated) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self._names, self._required, self._forbidden, self._tiers, self._max_parents))

    def __repr__(self) -> str:
        parts = [f"{len(self._required)} required", f"{len(self._forbidden)} forbidden", f"{len(self._tiers)} tiers"]
        parts += [f"{len(sets)} {kind}" for kind, sets in (*self._sets.items(), *self._leads.items()) if sets]
        if self._allowed is not None:
            parts.append(f"{len(self._allowed)} allowed")
        if self._max_parents is not None:
            parts.append(f"at most {self._max_parents} parents")
        if self._limits:
            parts.append(f"{len(self._limits)} own limits")
        return f"{type(self).__name__}({self.n_nodes} nodes: {', '.join(parts)})"

    def options_said(self) -> dict[str, Any]:
        """Return what was said as the keywords of the class."""
        return {
            **{key: getattr(self, key) for key in LISTS},
            "tiers": self.tiers,
            "allowed": self.allowed,
            "max_parents": self._max_parents,
            "max_parents_of": self.max_parents_by_name,
        }

    def _content(self) -> tuple[object, ...]:
        arcs = (self._required, self._forbidden, self._allowed, self._tiers)
        return (self._names, *arcs, self._max_parents, self._limits, self._sets, self._leads)

    def _pairs(self, arcs: Iterable[tuple[int, int]]) -> tuple[Arc, ...]:
        return self._name_arcs(sorted(arcs, key=lambda arc: (arc[1], arc[0])))

    def _named(self, members: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[v] for v in members)
