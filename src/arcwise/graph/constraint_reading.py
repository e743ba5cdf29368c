"""From what an analyst writes to positions of variables: names, patterns such as ``lab_*``, arcs, tiers, limits."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import product

import numpy as np

from arcwise.errors import ConstraintError, GraphError
from arcwise.graph.nodes import NamedNodes, listed
from arcwise.mentions import Argument

__all__ = ["Reader"]

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
        try:
            return (self._nodes.index(name),)
        except GraphError as error:
            raise error.within(f"{where}:", kind=ConstraintError) from None

    def set_of(self, kind: str, names: object) -> Positions:
        """Return the variables of a list of names and patterns, each once, in the order of the data."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise ConstraintError(f"{kind}: {names!r} is not a list of names; give [...].")
        return tuple(sorted({v for name in names for v in self.variables(name, kind)}))

    def arcs(self, kind: str, pairs: Iterable[object], *, noun: str = "arc") -> frozenset[Pair]:
        """Return pairs (first, second); of a pattern all pairs of different variables that it stands for."""
        found: set[Pair] = set()
        for pair in pairs:
            first, second = _check_pair(kind, pair)
            where = f"{kind} {noun} {first} -> {second}"
            tails, heads = self.variables(first, where), self.variables(second, where)
            own = {(tail, head) for tail, head in product(tails, heads) if tail != head}
            if not own:
                raise ConstraintError(f"{where}: a node cannot be its own {'parent' if noun == 'arc' else 'partner'}.")
            found |= own
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
    """Say whether a name stands for the variables that it matches: it has a wildcard and is nobody's own."""
    return isinstance(name, str) and any(sign in name for sign in WILD) and name not in names


def read_limit(what: str, value: object) -> int:
    """Return a limit on parents, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        raise ConstraintError(Argument(what, value), ": a parent limit is an integer, 0 or more.")
    return int(value)


def _check_pair(kind: str, pair: object) -> tuple[object, object]:
    if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ConstraintError(f"{kind}: {pair!r} is not an arc; give pairs (parent, child).")
    return pair[0], pair[1]


def _unmatched(pattern: str, names: Sequence[str]) -> str:
    """Say that a pattern matches nothing, and which name it may have been meant for."""
    letters = pattern
    for sign in (*WILD, "]", "!"):
        letters = letters.replace(sign, "")
    begins = [name[: len(letters)] for name in names]
    near = difflib.get_close_matches(letters, begins, n=1, cutoff=0.5)
    guess = f"; did you mean a pattern for '{names[begins.index(near[0])]}'?" if near else "."
    return f"no variable matches the pattern '{pattern}'{guess} The variables are {listed(names)}."
