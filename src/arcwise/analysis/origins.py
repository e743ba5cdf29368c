"""`Origin`: whether an edge is the data's finding or the analyst's own words.

What an analyst states is obeyed, so a required arc has a confidence of 1 and a tier turns an arrow; neither is a
finding. Every edge therefore says where it comes from: whether it is there, and points where it does, because the data
say so or because somebody said so before.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

from arcwise.analysis.averaged import Averaged
from arcwise.analysis.options import LearnOptions
from arcwise.confidence import ConsensusNetwork, EdgeConfidence, Fate
from arcwise.data import Dataset, Incomplete
from arcwise.graph import Constraints, FixedPairs, Kind, Statement
from arcwise.report.content.numbers import show_confidence
from arcwise.showing import one_screen

__all__ = ["NOTHING_SAID", "EdgeOrigin", "Origin", "Origins", "Unconstrained", "known_of"]


class Origin(enum.StrEnum):
    """Where an edge, or its absence, comes from."""

    FOUND = "found"  # the data's: neither the edge nor its direction was said
    REQUIRED = "required"  # the arc is there because it was required
    DIRECTED = "directed"  # the edge is found; the direction is what was said
    FOLLOWS = "follows"  # the edge is found; the direction follows from others that were said (Meek's rules)
    FORBIDDEN = "forbidden"  # there is no edge because both directions were excluded

    @property
    def is_found(self) -> bool:
        """Whether the data speak for the edge, whoever speaks for its direction."""
        return self in (Origin.FOUND, Origin.DIRECTED, Origin.FOLLOWS)

    @property
    def is_directed_by_data(self) -> bool:
        """Whether the direction, as far as it is settled, is the data's."""
        return self is Origin.FOUND


@one_screen
@dataclass(frozen=True, slots=True)
class Unconstrained:
    """What the same recipe says of a pair without the constraints: presence, first -> second, second -> first, open."""

    present: float
    forward: float
    backward: float
    undirected: float

    @property
    def split(self) -> tuple[float, float, float]:
        """If there is an edge, how likely it points first -> second, second -> first, or could do either."""
        if self.present <= 0:
            return 0.0, 0.0, 1.0
        return self.forward / self.present, self.backward / self.present, self.undirected / self.present


@one_screen
@dataclass(frozen=True, slots=True)
class EdgeOrigin:
    """Where one edge comes from.

    Parameters
    ----------
    kind
        Whether it is found, required, directed or forbidden.
    said
        What was said that made it so.
    without
        What would be there without the constraints; None if that was not computed, or there are none.
    likely
        Whether, without the constraints, the network would have the edge.
    """

    kind: Origin = Origin.FOUND
    said: tuple[Statement, ...] = ()
    without: Unconstrained | None = None
    likely: bool = False

    @property
    def label(self) -> str:
        """The origin in a few words: "directed by your tiers"."""
        match self.kind:
            case Origin.REQUIRED:
                return "required by you"
            case Origin.DIRECTED:
                return f"directed by {self.sources}"
            case Origin.FOLLOWS:
                return "directed as a consequence of what you said"
            case Origin.FORBIDDEN if self.without is not None:
                would = "would have had it" if self.likely else "would not have had it"
                return f"forbidden by you (the data {would}: {show_confidence(self.without.present)})"
            case Origin.FORBIDDEN:
                return "forbidden by you"
            case _:
                return "found"

    @property
    def sources(self) -> str:
        """What was said, as that which something is owed to: "your tiers"."""
        return " and ".join(dict.fromkeys(statement.source for statement in self.said[:2])) or "what you said"

    @property
    def text(self) -> str:
        """What the origin is owed to, in words; "" for what is found."""
        return self.sources if self.said else ""


# The origin of an edge about which nothing was said.
NOTHING_SAID = EdgeOrigin()


@dataclass(frozen=True, eq=False)
class Origins:
    """The origins of all pairs of an analysis.

    Parameters
    ----------
    constraints
        What was said, None for nothing.
    consensus
        The network.
    without
        The same recipe without the constraints, None if it was not computed.
    """

    constraints: Constraints | None
    consensus: ConsensusNetwork
    without: Averaged | None = None

    def of(self, first: str, second: str) -> EdgeOrigin:
        """Return where the edge of a pair comes from, or why there is none."""
        if self.constraints is None:
            return NOTHING_SAID
        without = self._without(first, second)
        likely = without is not None and without.present > self.consensus.threshold
        kind, said = self._required(first, second) or self._excluded(first, second)
        return EdgeOrigin(kind, said, without, likely)

    def _required(self, first: str, second: str) -> tuple[Origin, tuple[Statement, ...]] | None:
        """Return the statements that an edge is there for: that it is required, or on a path that is."""
        assert self.constraints is not None
        statements, pair = self.constraints.statements, {first, second}
        said = tuple(s for s in statements if s.kind is Kind.REQUIRED and set(s.names) == pair)
        if not said and frozenset(pair) in self._on_paths:
            said = tuple(s for s in statements if s.kind is Kind.ANCESTOR)
        return (Origin.REQUIRED, said) if said else None

    def _excluded(self, first: str, second: str) -> tuple[Origin, tuple[Statement, ...]]:
        """Return what directions leave over: nothing, one of the two, or the choice of the data."""
        known = self.constraints
        assert known is not None
        ways = ((first, second), (second, first))
        reasons = [known.reasons(*way) for way in ways if way[0] in known.forbidden_parents(way[1])]
        said = tuple(dict.fromkeys(statement for found in reasons for statement in found))
        if len(reasons) == 2:
            whole = tuple(statement for statement in reasons[0] if statement in reasons[1])
            return Origin.FORBIDDEN, whole or said
        if reasons:
            return Origin.DIRECTED, said
        return Origin.FOLLOWS if frozenset((first, second)) in self._consequences else Origin.FOUND, ()

    @property
    def forbidden(self) -> tuple[tuple[str, str], ...]:
        """The pairs without an edge because nothing else was allowed, in the order of the data."""
        known = self.constraints
        if known is None:
            return ()
        names = known.names
        masks = known.forbidden_masks
        return tuple(
            (names[i], names[j])
            for i in range(len(names))
            for j in range(i + 1, len(names))
            if masks[i] >> j & 1 and masks[j] >> i & 1
        )

    @cached_property
    def _consequences(self) -> frozenset[frozenset[str]]:
        """The edges of the network that only other directions direct: open in its Markov class, not in the cut one."""
        assert self.constraints is not None
        dag = self.consensus.dag
        cut = FixedPairs.by_constraints(self.constraints).class_of(dag)
        still_open = {frozenset(edge) for edge in cut.edges}
        return frozenset(pair for pair in map(frozenset, dag.cpdag.edges) if pair not in still_open)

    @cached_property
    def _on_paths(self) -> frozenset[frozenset[str]]:
        """The edges below the cut-off that are there only so that a variable leads where it must."""
        assert self.constraints is not None
        arcs = {(edge.tail, edge.head) for edge in self.consensus.edges if edge.fate is Fate.REQUIRED}
        return frozenset(frozenset(arc) for arc in arcs - set(self.constraints.required))

    def _without(self, first: str, second: str) -> Unconstrained | None:
        confidence: EdgeConfidence | None = None if self.without is None else self.without.confidence
        if confidence is None:
            return None
        i, j = confidence.names.index(first), confidence.names.index(second)
        return Unconstrained(
            present=float(confidence.present[i, j]),
            forward=float(confidence.directed[i, j]),
            backward=float(confidence.directed[j, i]),
            undirected=float(confidence.undirected[i, j]),
        )


def known_of(options: LearnOptions, data: Dataset | Incomplete) -> Constraints | None:
    """Return what was said about the variables that are learned from, in their order; None for nothing."""
    said = options.constraints
    if said is None or said.is_trivial:
        return None
    return said if said.names == data.names else Constraints.from_description(data.names, said.describe())
