"""`Statement`: one statement of the analyst about the structure, kept as it was made.

"x is a root" forbids as many arcs as there are other variables, and every search obeys those. But a report that speaks
of thirty-six forbidden arcs does not speak of what the analyst said, and neither the price of a constraint nor the
contradiction between two is one of arcs. So the statement stays a value, and the arcs follow from it."""

from __future__ import annotations

import difflib
import enum
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import combinations, product
from math import comb
from typing import Any, TypedDict, Unpack

import numpy as np

from arcwise.base.errors import Argument, ConstraintError, OptionError, errors_within, suggestion
from arcwise.base.showing import counted, first_few, one_screen
from arcwise.graph.nodes import LISTED_NAMES, NamedNodes, bits, reach, read_link

Arc = tuple[str, str]

# A sentence names at most this many variables of a group.
MOST_NAMES = 6


class StatementKind(enum.StrEnum):
    """What can be said; the value is the option of `Constraints` that says it."""

    REQUIRED = "required"  # an arc that every network has
    FORBIDDEN = "forbidden"  # an arc that no network has
    ALLOWED = "allowed"  # the arcs that a network may have, all others being forbidden
    TIERS = "tiers"  # variables in order of time
    ROOT = "roots"  # a variable without parents
    LEAF = "leaves"  # a variable without children
    SEPARATE = "separate"  # two variables without an arc between them
    GROUP = "groups"  # variables without an arc between any two of them
    ANCESTOR = "ancestors"  # x leads to y, by whichever path
    NON_ANCESTOR = "non_ancestors"  # x does not lead to y
    MAX_PARENTS = "max_parents"  # how many parents a variable has at most
    MAX_PARENTS_OF = "max_parents_of"  # the same, of a single variable


@one_screen
@dataclass(frozen=True)
class Statement:
    """One statement about the structure.

    Parameters
    ----------
    kind
        What kind of thing.
    names
        The variables that it is about: parent and child of an arc, the members of a group, the variables that a limit
        holds for.
    parts
        The tiers, earliest first, or the arcs that are allowed.
    limit
        The most parents.

    Examples
    --------
    >>> said = Statement(StatementKind.ROOT, ("age",))
    >>> said.text(), said.forbids("sex", "age"), said.forbids("age", "sex")
    ('age has no parents', True, False)
    """

    kind: StatementKind
    names: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    limit: int | None = None

    @property
    def arc(self) -> Arc:
        """The two variables of a statement about two of them, in their order."""
        first, second = self.names
        return first, second

    def forbids(self, tail: str, head: str) -> bool:
        """Return whether this statement alone excludes the arc tail -> head."""
        test = _EXCLUDES.get(self.kind)
        return test is not None and test(self, tail, head)

    def text(self, arrow: str = "→") -> str:
        """Return it as a clause: "smoke → lung is forbidden"."""
        return _filled(_WORDS[self.kind][0], self, arrow)

    @property
    def objection(self) -> str:
        """What data object to: "smoke → lung being forbidden"."""
        return _filled(_WORDS[self.kind][1], self, "→")

    @property
    def source(self) -> str:
        """The reason for a direction or a missing edge: "your tiers", "your word that age is a root"."""
        return _filled(_WORDS[self.kind][2], self, "→")


def _later(statement: Statement, tail: str, head: str) -> bool:
    """Return whether the tail is in a later tier than the head."""
    place = {name: number for number, tier in enumerate(statement.parts) for name in tier}
    return tail in place and head in place and place[tail] > place[head]


_EXCLUDES: dict[StatementKind, Callable[[Statement, str, str], bool]] = {
    **dict.fromkeys(
        (StatementKind.REQUIRED, StatementKind.ANCESTOR), lambda own, tail, head: own.names == (head, tail)
    ),
    **dict.fromkeys(
        (StatementKind.FORBIDDEN, StatementKind.NON_ANCESTOR),
        lambda own, tail, head: own.names == (tail, head),
    ),
    **dict.fromkeys(
        (StatementKind.SEPARATE, StatementKind.GROUP), lambda own, tail, head: {tail, head} <= {*own.names}
    ),
    StatementKind.ALLOWED: lambda own, tail, head: (tail, head) not in own.parts,
    StatementKind.TIERS: _later,
    StatementKind.ROOT: lambda own, tail, head: head in own.names,
    StatementKind.LEAF: lambda own, tail, head: tail in own.names,
}
_WORD = "your word that {text}"
# For each kind: the statement as a clause, how data contradict it, and why it gives an edge its direction.
_WORDS: dict[StatementKind, tuple[str, str, str]] = {
    StatementKind.REQUIRED: ("{arc} is required", "{arc} being required", "your required arc {arc}"),
    StatementKind.FORBIDDEN: ("{arc} is forbidden", "{arc} being forbidden", "your forbidden arc {arc}"),
    StatementKind.ALLOWED: (
        "no arc but {arcs} is allowed",
        "no arc but {arcs} being allowed",
        "your list of allowed arcs",
    ),
    StatementKind.TIERS: ("the tiers are {tiers}", "the tiers {tiers}", "your tiers"),
    StatementKind.ROOT: ("{names} has no parents", "{names} being a root", "your word that {names} is a root"),
    StatementKind.LEAF: ("{names} has no children", "{names} being a leaf", "your word that {names} is a leaf"),
    StatementKind.SEPARATE: ("there is no arc between {pair}", "there being no arc between {pair}", _WORD),
    StatementKind.GROUP: (
        "there is no arc between any two of {names}",
        "there being no arc among {names}",
        "your group {names}",
    ),
    StatementKind.ANCESTOR: ("{first} leads to {last}", "{first} having to lead to {last}", _WORD),
    StatementKind.NON_ANCESTOR: ("{first} does not lead to {last}", "{first} not leading to {last}", _WORD),
    StatementKind.MAX_PARENTS: ("a variable has {most}", "a variable having {most}", _WORD),
    StatementKind.MAX_PARENTS_OF: ("{names} has {most}", "{names} having {most}", _WORD),
}


def _filled(template: str, statement: Statement, arrow: str) -> str:
    """Return a template with what the statement is about."""
    words = {
        "arc": f" {arrow} ".join(statement.names),
        "arcs": first_few([f" {arrow} ".join(arc) for arc in statement.parts], MOST_NAMES) or "none",
        "tiers": " | ".join(first_few(tier, MOST_NAMES) for tier in statement.parts),
        "names": first_few(statement.names, MOST_NAMES),
        "pair": " and ".join(statement.names),
        "first": statement.names[0] if statement.names else "",
        "last": statement.names[-1] if statement.names else "",
        "most": f"at most {counted(statement.limit or 0, 'parent')}",
    }
    if "{text}" in template:
        words["text"] = statement.text(arrow)
    return template.format(**words)


# From what an analyst writes to positions of variables: names, patterns such as ``lab_*``, arcs, tiers, limits.


Positions = tuple[int, ...]
Pair = tuple[int, int]
WILD = "*?["


class Reader:
    """Reads what is said about the variables of a graph; what cannot be meant is an error that says where it is.

    A name that holds ``*``, ``?`` or ``[...]`` and is no variable's own stands for all variables that it matches, with
    capitals as they are.
    """

    def __init__(self, nodes: NamedNodes) -> None:
        self._nodes = nodes

    def variables(self, name: object, where: str) -> Positions:
        """Return the variable of a name, or those that a pattern matches."""
        if not isinstance(name, str):
            raise ConstraintError(f"{where}: {name!r} is not a name.")
        names = self._nodes.names
        if is_pattern(name, names):
            found = tuple(v for v, known in enumerate(names) if fnmatchcase(known, name))
            if not found:
                raise ConstraintError(f"{where}: {_unmatched(name, names)}")
            return found
        with errors_within(f"{where}:", kind=ConstraintError):
            return (self._nodes.index(name),)

    def set_of(self, kind: str, names: object) -> Positions:
        """Return the variables of a list of names and patterns, each once, in the order of the data."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise ConstraintError(f"{kind}: {names!r} is not a list of names; give [...].")
        return tuple(sorted({v for name in names for v in self.variables(name, kind)}))

    def arcs(self, kind: str, pairs: Iterable[object], *, noun: str = "arc") -> frozenset[Pair]:
        """Return pairs (first, second); of a pattern all pairs of different variables that it stands for."""
        found: set[Pair] = set()
        for pair in pairs:
            link = read_link(pair, self._nodes.names) if isinstance(pair, str) else None
            ends: Any = pair if link is None else link[:2]
            if isinstance(ends, str) or not isinstance(ends, Sequence) or len(ends) != 2:
                raise ConstraintError(f"{kind}: {pair!r} is no arc; give pairs (parent, child), or 'parent->child'.")
            first, second = ends
            where = f"{kind} {noun} {first} -> {second}"
            both = link is not None and not link[2] and noun == "arc"
            if both and kind not in ("forbidden", "allowed"):
                raise ConstraintError(f"{kind}: '{pair}' has no direction; write '{first}->{second}'.")
            tails, heads = self.variables(first, where), self.variables(second, where)
            own = {(tail, head) for tail, head in product(tails, heads) if tail != head}
            if not own:
                raise ConstraintError(f"{where}: a node cannot be its own {'parent' if noun == 'arc' else 'partner'}.")
            found |= own
            found |= {(head, tail) for tail, head in own if both}
        return frozenset(found)

    def groups(self, kind: str, groups: Iterable[object]) -> tuple[Positions, ...]:
        """Return sets of at least two variables, in one order for the same sets."""
        found = []
        for group in groups:
            members = self.set_of(kind, group)
            if len(members) < 2:
                raise ConstraintError(f"{kind}: a group needs at least two variables; got {group!r}.")
            found.append(members)
        return tuple(sorted(set(found)))

    def tiers(self, tiers: Iterable[object]) -> tuple[Positions, ...]:
        """Return the tiers; a name that stands in one tier itself is left out of the patterns of the others."""
        names, given = self._nodes.names, []
        if isinstance(tiers, str):  # "age, sex | smoke"
            parts = [[word for name in tier.split(",") if (word := name.strip())] for tier in tiers.split("|")]
            if len(parts) == 1 or not all(parts):
                why = "one tier forbids nothing" if len(parts) == 1 else f"tier {parts.index([]) + 1} is empty"
                raise ConstraintError(f"the tiers '{tiers}': {why}. Write what comes first | what comes later.")
            tiers = parts
        for number, tier in enumerate(tiers, start=1):
            if isinstance(tier, str) or not isinstance(tier, Iterable):
                raise ConstraintError(f"tier {number} is the text '{tier}'; give a list of names.")
            given.append([*tier])
        own = {name for tier in given for name in tier if isinstance(name, str) and not is_pattern(name, names)}
        place: dict[int, int] = {}
        result = []
        for number, tier in enumerate(given, start=1):
            members: set[int] = set()
            for name in tier:
                found = self.variables(name, f"tier {number}")
                for v in found if len(found) == 1 else (v for v in found if names[v] not in own):
                    if place.setdefault(v, number) != number or (v in members and len(found) == 1):
                        raise ConstraintError(f"'{names[v]}' is in tier {place[v]} and again in tier {number}.")
                    members.add(v)
            result.append(tuple(sorted(members)))
        return tuple(result)

    def limits(self, limits: Mapping[str, object] | None) -> dict[int, int]:
        """Return the limits of single variables; a variable's own name counts more than a pattern."""
        if limits is not None and not isinstance(limits, Mapping):
            raise ConstraintError(Argument("max_parents_of", limits), "must map names to limits.")
        found: dict[int, int] = {}
        given = sorted((limits or {}).items(), key=lambda item: not is_pattern(item[0], self._nodes.names))
        for name, limit in given:
            most = read_limit(f"max_parents_of['{name}']", limit)
            found |= dict.fromkeys(self.variables(name, "max_parents_of"), most)
        return found


def is_pattern(name: object, names: Sequence[str]) -> bool:
    """Return whether a name stands for the variables that it matches: it has a wildcard and is nobody's own."""
    return isinstance(name, str) and any(sign in name for sign in WILD) and name not in names


def read_limit(what: str, value: object) -> int:
    """Return a limit on parents, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ConstraintError(Argument(what, value), ": a parent limit is an integer, 0 or more.")
    return int(value)


def _unmatched(pattern: str, names: Sequence[str]) -> str:
    """Return the message that a pattern matches nothing, and which name it may have been meant for."""
    letters = pattern
    for sign in (*WILD, "]", "!"):
        letters = letters.replace(sign, "")
    begins = [name[: len(letters)] for name in names]
    near = difflib.get_close_matches(letters, begins, n=1, cutoff=0.5)
    guess = f"; did you mean a pattern for '{names[begins.index(near[0])]}'?" if near else "."
    return f"no variable matches the pattern '{pattern}'{guess} The variables are {first_few(names, LISTED_NAMES)}."


# The options that are lists, of which two constraints together have both.
LISTS = tuple(
    kind.value
    for kind in StatementKind
    if kind not in (StatementKind.TIERS, StatementKind.ALLOWED, StatementKind.MAX_PARENTS, StatementKind.MAX_PARENTS_OF)
)


def _in_order(key: str, value: Any) -> Any:
    """Return the statements of one kind in a form for JSON, sorted unless their order has a meaning."""
    if not isinstance(value, tuple):
        return dict(sorted(value.items())) if isinstance(value, dict) else value
    if key in ("roots", "leaves"):
        return sorted(value)
    parts = [sorted(part) if key in ("tiers", "separate", "groups") else list(part) for part in value]
    return parts if key == "tiers" else sorted(parts)


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
    """All statements about the variables, kind by kind; `Constraints` documents the arguments."""

    __slots__ = ("_allowed", "_forbidden", "_leads", "_limits", "_max_parents", "_required", "_sets", "_tiers")

    def __init__(
        self,
        names: Sequence[str] | None = None,
        *,
        required: Iterable[Arc | str] = (),
        forbidden: Iterable[Arc | str] = (),
        tiers: str | Iterable[Iterable[str]] = (),
        max_parents: int | None = None,
        max_parents_of: Mapping[str, int] | None = None,
        **more: Unpack[MoreKinds],
    ) -> None:
        if names is None:
            raise ConstraintError(
                "the variables come first: Constraints(data.names, tiers=[...]). A function that has the data, such as "
                "learn, takes constraints={'tiers': [...]} without them."
            )
        super().__init__(names)
        for unknown in set(more) - set(MoreKinds.__annotations__):
            raise OptionError(suggestion("argument of Constraints", unknown, [kind.value for kind in StatementKind]))
        read = Reader(self)
        self._required = read.arcs("required", required)
        self._forbidden = read.arcs("forbidden", forbidden)
        allowed = more.get("allowed")
        self._allowed = None if allowed is None else read.arcs("allowed", allowed)
        self._tiers = read.tiers(tiers)
        self._max_parents = None if max_parents is None else read_limit("max_parents", max_parents)
        self._limits = read.limits(max_parents_of)
        # Sets of variables: roots and leaves one by one, pairs and groups without an arc among them.
        self._sets: dict[StatementKind, tuple[tuple[int, ...], ...]] = {
            StatementKind.ROOT: tuple((v,) for v in read.set_of("roots", more.get("roots", ()))),
            StatementKind.LEAF: tuple((v,) for v in read.set_of("leaves", more.get("leaves", ()))),
            StatementKind.SEPARATE: tuple(
                sorted({(min(p), max(p)) for p in read.arcs("separate", more.get("separate", ()), noun="pair")})
            ),
            StatementKind.GROUP: read.groups("groups", more.get("groups", ())),
        }
        self._leads = {
            StatementKind.ANCESTOR: read.arcs("ancestors", more.get("ancestors", ()), noun="pair"),
            StatementKind.NON_ANCESTOR: read.arcs("non_ancestors", more.get("non_ancestors", ()), noun="pair"),
        }
        self._check()

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
        return tuple(self._names[v] for (v,) in self._sets[StatementKind.ROOT])

    @property
    def leaves(self) -> tuple[str, ...]:
        """The variables without children."""
        return tuple(self._names[v] for (v,) in self._sets[StatementKind.LEAF])

    @property
    def separate(self) -> tuple[Arc, ...]:
        """The pairs without an arc between them."""
        return self._name_arcs([(a, b) for a, b in self._sets[StatementKind.SEPARATE]])

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The sets without an arc between any two of their members."""
        return tuple(self._named(group) for group in self._sets[StatementKind.GROUP])

    @property
    def ancestors(self) -> tuple[Arc, ...]:
        """The pairs (x, y) of which x must lead to y."""
        return self._pairs(self._leads[StatementKind.ANCESTOR])

    @property
    def non_ancestors(self) -> tuple[Arc, ...]:
        """The pairs (x, y) of which x must not lead to y."""
        return self._pairs(self._leads[StatementKind.NON_ANCESTOR])

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
        """All statements, one by one; the tiers are one statement, and so are the allowed arcs."""
        found = [Statement(StatementKind.REQUIRED, arc) for arc in self.required]
        found += [Statement(StatementKind.FORBIDDEN, arc) for arc in self.forbidden]
        if self._allowed is not None:
            found.append(Statement(StatementKind.ALLOWED, parts=self._pairs(self._allowed)))
        if any(self._tier_masks):
            found.append(Statement(StatementKind.TIERS, parts=self.tiers))
        for kind, sets in self._sets.items():
            found += [Statement(kind, self._named(members)) for members in sets]
        for kind, pairs in self._leads.items():
            found += [Statement(kind, arc) for arc in self._pairs(pairs)]
        if self._max_parents is not None and self._max_parents < self.n_nodes - 1:
            others = tuple(name for v, name in enumerate(self._names) if v not in self._limits)
            found.append(Statement(StatementKind.MAX_PARENTS, others, limit=self._max_parents))
        found += [
            Statement(StatementKind.MAX_PARENTS_OF, (name,), limit=m) for name, m in self.max_parents_by_name.items()
        ]
        return tuple(found)

    @cached_property
    def _tier_masks(self) -> tuple[int, ...]:
        """For each node, the variables of later tiers."""
        masks = [0] * len(self._names)
        later = 0
        for tier in reversed(self._tiers):
            for v in tier:
                masks[v] = later
            for v in tier:
                later |= 1 << v
        return tuple(masks)

    @property
    def is_ancestral(self) -> bool:
        """Whether a statement is about ancestors, that is, about whole networks and not about single arcs."""
        return any(self._leads.values())

    @cached_property
    def required_masks(self) -> tuple[int, ...]:
        """For each node, the parents it must have, as a bit set."""
        masks = [0] * self.n_nodes
        for tail, head in self._required:
            masks[head] |= 1 << tail
        return tuple(masks)

    @cached_property
    def _excluded_masks(self) -> tuple[int, ...]:
        """For each node, the parents that a single statement excludes, and itself."""
        everything = (1 << self.n_nodes) - 1
        leaves = sum(1 << v for (v,) in self._sets[StatementKind.LEAF])
        masks = [later | 1 << v | leaves for v, later in enumerate(self._tier_masks)]
        for tail, head in self._forbidden | self._leads[StatementKind.NON_ANCESTOR]:
            masks[head] |= 1 << tail
        for (v,) in self._sets[StatementKind.ROOT]:
            masks[v] = everything
        for members in (*self._sets[StatementKind.SEPARATE], *self._sets[StatementKind.GROUP]):
            for v in members:
                masks[v] |= sum(1 << u for u in members)
        if self._allowed is not None:
            free = [0] * self.n_nodes
            for tail, head in self._allowed:
                free[head] |= 1 << tail
            masks = [mask | everything & ~free[v] for v, mask in enumerate(masks)]
        return tuple(masks)

    def _limit_of(self, v: int) -> int:
        """Return the parent limit of a node, its own or that of all; the number of nodes if there is none."""
        return self._limits.get(v, self.n_nodes if self._max_parents is None else self._max_parents)

    def _check(self) -> None:
        """Refuse what no network satisfies. Where nothing is required, the empty network does."""
        if not (self._required or self.is_ancestral):
            return
        crowded = any(mask.bit_count() > self._limit_of(v) for v, mask in enumerate(self.required_masks))
        excluded = any(
            mask & excluded_mask for mask, excluded_mask in zip(self.required_masks, self._excluded_masks, strict=True)
        )
        circular = any(below >> v & 1 for v, below in enumerate(descendants(self.required_masks)))
        if not (crowded or excluded or self.is_ancestral or circular):
            return
        conflict = smallest_conflict(self._names, self.statements)
        if conflict:
            raise ConstraintError(conflict_message(conflict))

    def describe(self) -> dict[str, Any]:
        """Return what is constrained as JSON can hold it, in one order for the same constraints: what a file records.

        The keys are the options of the class, without those that say nothing. The order of the variables does not show.

        >>> Stated(["a", "b", "c"], required=[("a", "b")], max_parents=2).describe()
        {'required': [['a', 'b']], 'max_parents': 2}
        """
        options = {key: own for key, own in self.stated_options().items() if own is not None}
        return {key: _in_order(key, own) for key, own in options.items() if own or own == 0 or key == "allowed"}

    @property
    def distinguishes_variables(self) -> bool:
        """Whether there is any statement besides the limit that all variables share."""
        given = (
            self._required,
            self._forbidden,
            self._tiers,
            self._limits,
            *self._sets.values(),
            *self._leads.values(),
        )
        return self._allowed is not None or any(given)

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

    def stated_options(self) -> dict[str, Any]:
        """Return the statements as keywords of the class, in the order of files."""
        options: dict[str, Any] = {"required": self.required, "forbidden": self.forbidden, "tiers": self.tiers}
        options |= {"max_parents": self._max_parents, "max_parents_of": self.max_parents_by_name}
        for key in LISTS[2:]:
            options[key] = getattr(self, key)
        return {**options, "allowed": self.allowed}

    def _content(self) -> tuple[object, ...]:
        arcs = (self._required, self._forbidden, self._allowed, self._tiers)
        return (self._names, *arcs, self._max_parents, self._limits, self._sets, self._leads)

    def _pairs(self, arcs: Iterable[tuple[int, int]]) -> tuple[Arc, ...]:
        ordered = sorted(arcs, key=lambda arc: (arc[1], arc[0]))
        return tuple((self._names[a], self._names[b]) for a, b in ordered)

    def _named(self, members: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._names[v] for v in members)


# Constraints that no network can satisfy, and the smallest set of statements that says why.
#
# Without ancestors this is easy. The network of just the required arcs satisfies everything unless the required arcs
# close a cycle, one of them is excluded by another statement, or there are more of them than a limit allows; so these,
# and a path of required arcs between two variables of which one must not lead to the other, are all the smallest
# conflicting sets that there are.
#
# That x must lead to y is not about an arc. Whether there is a network is then found by search: if x does not lead to y
# yet, a path from x must leave the set that x reaches, so one of the arcs out of it is needed, and each is tried in
# turn with those before it excluded. Where the arc x -> y itself is open and y has no limit, it is as good as any path:
# added to a network in which x leads to y, it changes neither the ancestors nor what is excluded.


# Sets of statements that are tried for one smaller than the first that is found, and steps of one search.
MOST_SETS = 20_000
MOST_STEPS = 20_000


def smallest_conflict(names: Sequence[str], statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the smallest set of statements that no network satisfies; empty if there is a network.

    With very many statements about ancestors the set may be one that is only irreducible: without any one of its
    members there would be a network.
    """
    found = min(_plain_conflicts(statements), key=len, default=())
    ancestral = [statement for statement in statements if statement.kind is StatementKind.ANCESTOR]
    if not ancestral:
        return found
    if not found:
        if _satisfiable(names, statements):
            return ()
        found = _irreducible(names, statements)
    for size in range(1, len(found)):
        if comb(len(statements), size) > MOST_SETS:
            break
        for some in combinations(statements, size):
            if any(statement.kind is StatementKind.ANCESTOR for statement in some) and not _satisfiable(names, some):
                return some
    return found


def satisfying_arcs(names: Sequence[str], statements: Sequence[Statement]) -> list[Arc] | None:
    """Return the arcs of some network that satisfies statements which do not conflict; None if none was found."""
    search = _Paths(names, statements)
    search.exist()
    if search.found is None:
        return None
    return [(names[tail], names[head]) for head, mask in enumerate(search.found) for tail in bits(mask)]


def conflict_message(conflict: Sequence[Statement]) -> str:
    """Return what contradicts what: one clause for each statement."""
    text = "; ".join(statement.text("->") for statement in conflict)
    return f"no network satisfies these constraints together: {text}. Drop or change one of them."


def _plain_conflicts(statements: Sequence[Statement]) -> Iterable[tuple[Statement, ...]]:
    """Yield the conflicts that can be read off the arcs: for each kind of them the smallest."""
    required = {statement.arc: statement for statement in statements if statement.kind is StatementKind.REQUIRED}
    leads = {
        statement.arc: statement for statement in statements if statement.kind is StatementKind.ANCESTOR
    } | required
    for arc, statement in required.items():
        for other in statements:
            if other.kind not in (
                StatementKind.REQUIRED,
                StatementKind.ANCESTOR,
                StatementKind.NON_ANCESTOR,
            ) and other.forbids(*arc):
                yield (statement, other)
                break
    for tail, head in sorted(leads):
        way = _shortest_path(leads, head, tail)
        if way is not None:
            yield (leads[tail, head], *(leads[arc] for arc in way))
    for other in statements:
        if other.kind is StatementKind.NON_ANCESTOR:
            way = _shortest_path(leads, *other.arc)
            if way is not None:
                yield (*(leads[arc] for arc in way), other)
        elif other.limit is not None:
            for name in other.names:
                parents = [statement for (_, head), statement in required.items() if head == name]
                if len(parents) > other.limit:
                    yield (*parents[: other.limit + 1], other)


def _shortest_path(arcs: Iterable[Arc], source: str, target: str) -> list[Arc] | None:
    """Return the fewest arcs that lead from source to target, or None."""
    children: dict[str, list[str]] = {}
    for tail, head in sorted(arcs):
        children.setdefault(tail, []).append(head)
    came: dict[str, str] = {source: source}
    order = [source]
    for tail in order:
        fresh = [head for head in children.get(tail, ()) if head not in came]
        came |= dict.fromkeys(fresh, tail)
        order += fresh
    if target not in came or source == target:
        return None
    path = []
    while target != source:
        path.append((came[target], target))
        target = came[target]
    return path[::-1]


def _irreducible(names: Sequence[str], statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return statements that conflict, none of which can be left out."""
    kept = list(statements)
    for statement in statements:
        without = [other for other in kept if other is not statement]
        if not _satisfiable(names, without):
            kept = without
    return tuple(kept)


def _satisfiable(names: Sequence[str], statements: Sequence[Statement]) -> bool:
    """Return whether a network satisfies the statements; True also where the search for one grows too long."""
    if any(True for _ in _plain_conflicts(statements)):
        return False
    return _Paths(names, statements).exist()


class _Paths:
    """The search for a network in which all required ancestors hold."""

    def __init__(self, names: Sequence[str], statements: Sequence[Statement]) -> None:
        count = len(names)
        index = {name: position for position, name in enumerate(names)}
        self._steps = 0
        self.found: list[int] | None = None
        self._limits = [count] * count
        self._forbidden = [1 << v for v in range(count)]
        self._required = [0] * count
        self._ancestors = [
            (index[a], index[b]) for a, b in (s.arc for s in statements if s.kind is StatementKind.ANCESTOR)
        ]
        self._non_ancestors = [
            (index[a], index[b]) for a, b in (s.arc for s in statements if s.kind is StatementKind.NON_ANCESTOR)
        ]
        for statement in statements:
            if statement.kind is StatementKind.REQUIRED:
                tail, head = statement.arc
                self._required[index[head]] |= 1 << index[tail]
            elif statement.limit is not None:
                for name in statement.names:
                    self._limits[index[name]] = min(self._limits[index[name]], statement.limit)
            elif statement.kind is not StatementKind.ANCESTOR:
                for head in names:
                    for tail in names:
                        if statement.forbids(tail, head):
                            self._forbidden[index[head]] |= 1 << index[tail]

    def exist(self) -> bool:
        """Return whether there is such a network, as far as `MOST_STEPS` reach."""
        return self._solve(self._required, self._forbidden)

    def _solve(self, parents: list[int], forbidden: list[int]) -> bool:
        self._steps += 1
        if self._steps > MOST_STEPS:
            return True
        below = descendants(parents)
        if any(below[x] >> y & 1 for x, y in self._non_ancestors):
            return False
        missing = next(((x, y) for x, y in self._ancestors if not below[x] >> y & 1), None)
        if missing is None:
            self.found = parents
            return True
        x, y = missing
        if not forbidden[y] >> x & 1 and not below[y] >> x & 1 and self._limits[y] >= len(parents) - 1:
            return self._solve(_with_arc(parents, x, y), forbidden)
        return self._leave(below[x] | 1 << x, y, below, parents, forbidden)

    def _leave(self, reached: int, y: int, below: list[int], parents: list[int], forbidden: list[int]) -> bool:
        """Try the arcs that lead out of what is reached, each with those before it excluded."""
        excluded = list(forbidden)
        outside = [v for v in range(len(parents)) if not reached >> v & 1]
        for head in sorted(outside, key=lambda v: v != y):
            if parents[head].bit_count() >= self._limits[head]:
                continue
            for tail in bits(reached & ~forbidden[head] & ~below[head]):
                if self._solve(_with_arc(parents, tail, head), excluded):
                    return True
                excluded = list(excluded)
                excluded[head] |= 1 << tail
        return False


def _with_arc(parents: list[int], tail: int, head: int) -> list[int]:
    changed = list(parents)
    changed[head] |= 1 << tail
    return changed


def descendants(parents: Sequence[int]) -> list[int]:
    """Return for each node those that it leads to; itself, too, if it is on a cycle."""
    children = [0] * len(parents)
    for head, mask in enumerate(parents):
        for tail in bits(mask):
            children[tail] |= 1 << head
    return [reach(mask, children) for mask in children]
