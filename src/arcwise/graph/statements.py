"""`Statement`: one thing that the analyst said about the structure, kept as it was said.

"x is a root" forbids as many arcs as there are other variables, and every search obeys those. But a report that speaks
of thirty-six forbidden arcs does not speak of what the analyst said, and neither the price of a constraint nor the
contradiction between two is one of arcs. So what was said stays a value, and the arcs follow from it.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from arcwise.showing import one_screen

__all__ = ["Arc", "Kind", "Statement"]

Arc = tuple[str, str]

# A sentence names at most this many variables of a group.
MOST_NAMES = 6


class Kind(enum.StrEnum):
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
    """One thing that was said.

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
    >>> said = Statement(Kind.ROOT, ("age",))
    >>> said.text(), said.forbids("sex", "age"), said.forbids("age", "sex")
    ('age has no parents', True, False)
    """

    kind: Kind
    names: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()
    limit: int | None = None

    @property
    def arc(self) -> Arc:
        """The two variables of a statement about two of them, in their order."""
        first, second = self.names
        return first, second

    def forbids(self, tail: str, head: str) -> bool:
        """Say whether this statement alone excludes the arc tail -> head."""
        test = _EXCLUDES.get(self.kind)
        return test is not None and test(self, tail, head)

    def text(self, arrow: str = "→") -> str:
        """Return it as a clause: "smoke → lung is forbidden"."""
        return _filled(_CLAUSES[self.kind], self, arrow)

    @property
    def objection(self) -> str:
        """What data object to: "smoke → lung being forbidden"."""
        return _filled(_OBJECTIONS[self.kind], self, "→")

    @property
    def source(self) -> str:
        """What a direction or a missing edge is owed to: "your tiers", "your word that age is a root"."""
        return _filled(_SOURCES.get(self.kind, "your word that {text}"), self, "→")


def _later(said: Statement, tail: str, head: str) -> bool:
    """Say whether the tail is in a later tier than the head."""
    place = {name: number for number, tier in enumerate(said.parts) for name in tier}
    return tail in place and head in place and place[tail] > place[head]


_EXCLUDES: dict[Kind, Callable[[Statement, str, str], bool]] = {
    Kind.REQUIRED: lambda said, tail, head: said.names == (head, tail),
    Kind.ANCESTOR: lambda said, tail, head: said.names == (head, tail),
    Kind.FORBIDDEN: lambda said, tail, head: said.names == (tail, head),
    Kind.NON_ANCESTOR: lambda said, tail, head: said.names == (tail, head),
    Kind.ALLOWED: lambda said, tail, head: (tail, head) not in said.parts,
    Kind.TIERS: _later,
    Kind.ROOT: lambda said, tail, head: head in said.names,
    Kind.LEAF: lambda said, tail, head: tail in said.names,
    Kind.SEPARATE: lambda said, tail, head: tail in said.names and head in said.names,
    Kind.GROUP: lambda said, tail, head: tail in said.names and head in said.names,
}

# What was said as a clause, what data object to, and what a direction is owed to.
_CLAUSES: dict[Kind, str] = {
    Kind.REQUIRED: "{arc} is required",
    Kind.FORBIDDEN: "{arc} is forbidden",
    Kind.ALLOWED: "no arc but {arcs} is allowed",
    Kind.TIERS: "the tiers are {tiers}",
    Kind.ROOT: "{names} has no parents",
    Kind.LEAF: "{names} has no children",
    Kind.SEPARATE: "there is no arc between {pair}",
    Kind.GROUP: "there is no arc between any two of {names}",
    Kind.ANCESTOR: "{first} leads to {last}",
    Kind.NON_ANCESTOR: "{first} does not lead to {last}",
    Kind.MAX_PARENTS: "a variable has {most}",
    Kind.MAX_PARENTS_OF: "{names} has {most}",
}
_OBJECTIONS: dict[Kind, str] = {
    Kind.REQUIRED: "{arc} being required",
    Kind.FORBIDDEN: "{arc} being forbidden",
    Kind.ALLOWED: "no arc but {arcs} being allowed",
    Kind.TIERS: "the tiers {tiers}",
    Kind.ROOT: "{names} being a root",
    Kind.LEAF: "{names} being a leaf",
    Kind.SEPARATE: "there being no arc between {pair}",
    Kind.GROUP: "there being no arc among {names}",
    Kind.ANCESTOR: "{first} having to lead to {last}",
    Kind.NON_ANCESTOR: "{first} not leading to {last}",
    Kind.MAX_PARENTS: "a variable having {most}",
    Kind.MAX_PARENTS_OF: "{names} having {most}",
}
_SOURCES: dict[Kind, str] = {
    Kind.REQUIRED: "your required arc {arc}",
    Kind.FORBIDDEN: "your forbidden arc {arc}",
    Kind.ALLOWED: "your list of allowed arcs",
    Kind.TIERS: "your tiers",
    Kind.ROOT: "your word that {names} is a root",
    Kind.LEAF: "your word that {names} is a leaf",
    Kind.GROUP: "your group {names}",
}


def _filled(template: str, said: Statement, arrow: str) -> str:
    """Return a template with what the statement is about."""
    words = {
        "arc": f" {arrow} ".join(said.names),
        "arcs": _listed(tuple(f" {arrow} ".join(arc) for arc in said.parts)) or "none",
        "tiers": " | ".join(_listed(tier) for tier in said.parts),
        "names": _listed(said.names),
        "pair": " and ".join(said.names),
        "first": said.names[0] if said.names else "",
        "last": said.names[-1] if said.names else "",
        "most": f"at most {said.limit} parent{'' if said.limit == 1 else 's'}",
    }
    if "{text}" in template:
        words["text"] = said.text(arrow)
    return template.format(**words)


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - MOST_NAMES:,} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
