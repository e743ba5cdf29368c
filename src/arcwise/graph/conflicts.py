"""Constraints that no network can satisfy, and the smallest set of statements that says why.

Without ancestors this is easy. The network of just the required arcs satisfies everything unless the required arcs
close a cycle, one of them is excluded by another statement, or there are more of them than a limit allows; so these,
and a path of required arcs between two variables of which one must not lead to the other, are all the smallest
conflicting sets that there are.

That x must lead to y is not about an arc. Whether there is a network is then found by search: if x does not lead to y
yet, a path from x must leave the set that x reaches, so one of the arcs out of it is needed, and each is tried in turn
with those before it excluded. Where the arc x -> y itself is open and y has no limit, it is as good as any path: added
to a network in which x leads to y, it changes neither who leads to whom nor what is excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb

from arcwise.graph.nodes import bits, reach
from arcwise.graph.statements import Arc, Kind, Statement

# Sets of statements that are tried for one smaller than the first that is found, and steps of one search.
MOST_SETS = 20_000
MOST_STEPS = 20_000


def smallest_conflict(names: Sequence[str], statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return the smallest set of statements that no network satisfies; empty if there is a network.

    With very many statements about ancestors the set may be one that is only irreducible: without any one of its
    members there would be a network.
    """
    found = min(_plain_conflicts(statements), key=len, default=())
    ancestral = [said for said in statements if said.kind is Kind.ANCESTOR]
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
            if any(said.kind is Kind.ANCESTOR for said in some) and not _satisfiable(names, some):
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
    said = "; ".join(statement.text("->") for statement in conflict)
    return f"no network satisfies these constraints together: {said}. Drop or change one of them."


def _plain_conflicts(statements: Sequence[Statement]) -> Iterable[tuple[Statement, ...]]:
    """Yield the conflicts that can be read off the arcs: for each kind of them the smallest."""
    required = {said.arc: said for said in statements if said.kind is Kind.REQUIRED}
    leads = {said.arc: said for said in statements if said.kind is Kind.ANCESTOR} | required
    for arc, said in required.items():
        for other in statements:
            if other.kind not in (Kind.REQUIRED, Kind.ANCESTOR, Kind.NON_ANCESTOR) and other.forbids(*arc):
                yield (said, other)
                break
    for tail, head in sorted(leads):
        way = _shortest_path(leads, head, tail)
        if way is not None:
            yield (leads[tail, head], *(leads[arc] for arc in way))
    for other in statements:
        if other.kind is Kind.NON_ANCESTOR:
            way = _shortest_path(leads, *other.arc)
            if way is not None:
                yield (*(leads[arc] for arc in way), other)
        elif other.limit is not None:
            for name in other.names:
                parents = [said for (_, head), said in required.items() if head == name]
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
    for said in statements:
        without = [other for other in kept if other is not said]
        if not _satisfiable(names, without):
            kept = without
    return tuple(kept)


def _satisfiable(names: Sequence[str], statements: Sequence[Statement]) -> bool:
    """Return whether a network satisfies the statements; True also where the search for one grows too long."""
    if any(True for _ in _plain_conflicts(statements)):
        return False
    return _Paths(names, statements).exist()


class _Paths:
    """The search for a network in which everybody leads where they must."""

    def __init__(self, names: Sequence[str], statements: Sequence[Statement]) -> None:
        count = len(names)
        index = {name: position for position, name in enumerate(names)}
        self._steps = 0
        self.found: list[int] | None = None
        self._limits = [count] * count
        self._forbidden = [1 << v for v in range(count)]
        self._required = [0] * count
        self._ancestors = [(index[a], index[b]) for a, b in (s.arc for s in statements if s.kind is Kind.ANCESTOR)]
        self._non_ancestors = [
            (index[a], index[b]) for a, b in (s.arc for s in statements if s.kind is Kind.NON_ANCESTOR)
        ]
        for said in statements:
            if said.kind is Kind.REQUIRED:
                tail, head = said.arc
                self._required[index[head]] |= 1 << index[tail]
            elif said.limit is not None:
                for name in said.names:
                    self._limits[index[name]] = min(self._limits[index[name]], said.limit)
            elif said.kind is not Kind.ANCESTOR:
                for head in names:
                    for tail in names:
                        if said.forbids(tail, head):
                            self._forbidden[index[head]] |= 1 << index[tail]

    def exist(self) -> bool:
        """Return whether there is such a network, as far as `MOST_STEPS` reach."""
        return self._solve(self._required, self._forbidden)

    def _solve(self, parents: list[int], forbidden: list[int]) -> bool:
        self._steps += 1
        if self._steps > MOST_STEPS:
            return True
        below = _descendants(parents)
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


def _descendants(parents: Sequence[int]) -> list[int]:
    """Return for each node those that it leads to; itself, too, if it is on a cycle."""
    children = [0] * len(parents)
    for head, mask in enumerate(parents):
        for tail in bits(mask):
            children[tail] |= 1 << head
    return [reach(mask, children) for mask in children]
