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
from arcwise.confidence.calibration.edge_probability import PairProbability
from arcwise.confidence.calibration.settled import SETTLED_SHARE, is_settled
from arcwise.data import Dataset, Incomplete, Targets
from arcwise.graph import Constraints, FixedPairs, Kind, Statement
from arcwise.report.content.numbers import percent, show_confidence
from arcwise.showing import one_screen

__all__ = ["NOTHING_SAID", "EdgeOrigin", "Origin", "Origins", "Unconstrained", "follows_words", "known_of"]

HALF = 0.5
# Confidences with and without what was said that are no further apart say the same.
LITTLE = 0.1
# What holds in this share of the networks with an edge holds in nearly all of them.
NEARLY_ALL = 0.95


class Origin(enum.StrEnum):
    """Where an edge, or its absence, comes from."""

    FOUND = "found"  # the data's: neither the edge nor its direction was said
    EXPERIMENT = "experiment"  # the data's, but observations alone would leave the direction open
    REQUIRED = "required"  # the arc is there because it was required
    APPEARS = "appears"  # not required, but likely only under what was said
    DIRECTED = "directed"  # the edge is found; the direction is what was said
    FOLLOWS = "follows"  # the edge is found; the direction is there only because of other things that were said
    BELIEVED = "believed"  # the edge is found; the direction is what prior odds make of one that is open
    FORBIDDEN = "forbidden"  # there is no edge because both directions were excluded
    GONE = "gone"  # not forbidden, but unlikely only under what was said

    @property
    def is_found(self) -> bool:
        """Whether the data speak for the edge, whoever speaks for its direction."""
        return not self.is_decided and self not in (Origin.APPEARS, Origin.GONE)

    @property
    def is_decided(self) -> bool:
        """Whether what was said leaves the data no say in whether there is an edge."""
        return self in (Origin.REQUIRED, Origin.FORBIDDEN)

    @property
    def is_directed_by_data(self) -> bool:
        """Whether the direction, as far as it is settled, is the data's."""
        return self in (Origin.FOUND, Origin.EXPERIMENT)

    @property
    def is_constrained(self) -> bool:
        """Whether constraints made it what it is, in part or altogether."""
        return not self.is_directed_by_data and self is not Origin.BELIEVED


@one_screen
@dataclass(frozen=True, slots=True)
class Unconstrained:
    """What the data alone say of a pair: presence, first -> second, second -> first, open; and how probable that is.

    That is the same recipe without the constraints and without prior odds.
    """

    present: float
    forward: float
    backward: float
    undirected: float
    probability: PairProbability | None = None

    @property
    def split(self) -> tuple[float, float, float]:
        """If there is an edge, how likely it points first -> second, second -> first, or could do either."""
        if self.present <= 0:
            return 0.0, 0.0, 1.0
        return self.forward / self.present, self.backward / self.present, self.undirected / self.present

    def settles(self, *, ahead: bool) -> bool:
        """Say whether the data alone settle the direction first -> second (`ahead`), or the other one."""
        return is_settled(
            self.split[0 if ahead else 1], None if self.probability is None else self.probability.studied(ahead=ahead)
        )


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
    share
        The share of the networks with the edge that point it where a direction that follows says.
    owed
        What a direction is owed to, where that is no constraint: "your experiment on smoke".
    """

    kind: Origin = Origin.FOUND
    said: tuple[Statement, ...] = ()
    without: Unconstrained | None = None
    likely: bool = False
    share: float = 1.0
    owed: str = ""

    @property
    def label(self) -> str:
        """The origin in a few words: "directed by your tiers"."""
        if self.kind is Origin.FORBIDDEN and self.without is not None:
            would = "would have had it" if self.likely else "would not have had it"
            return f"forbidden by you (the data {would}: {show_confidence(self.without.present)})"
        return {
            Origin.FOUND: "found",
            Origin.EXPERIMENT: f"directed by {self.sources}",
            Origin.BELIEVED: f"directed by {self.sources}",
            Origin.REQUIRED: "required by you",
            Origin.APPEARS: f"there because of what you said{self._alone}",
            Origin.DIRECTED: f"directed by {self.sources}",
            Origin.FOLLOWS: follows_words(self.share),
            Origin.FORBIDDEN: "forbidden by you",
            Origin.GONE: f"gone because of what you said{self._alone}",
        }[self.kind]

    @property
    def _alone(self) -> str:
        return "" if self.without is None else f" (the data alone: {show_confidence(self.without.present)})"

    @property
    def sources(self) -> str:
        """What was said, as that which something is owed to: "your tiers"."""
        listed = " and ".join(dict.fromkeys(statement.source for statement in self.said[:2]))
        return self.owed or listed or "what you said"

    @property
    def text(self) -> str:
        """What the origin is owed to, in words; "" for what is found."""
        return self.sources if self.said or self.owed else ""


def follows_words(share: float) -> str:
    """Return the origin of a direction that follows from what was said, which it need not do in all networks."""
    text = "directed because of what you said"
    return text if share >= NEARLY_ALL else f"{text} in {percent(share)} of the weight"


# The origin of an edge about which nothing was said.
NOTHING_SAID = EdgeOrigin()


Told = tuple[Origin, tuple[Statement, ...]]


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
        The same recipe without constraints and odds, None if it was not computed.
    main
        The set of networks that the answer rests on.
    unbelieved
        The same recipe without prior odds, None if there were none.
    targets
        The variables that were set, None if there were no experiments.
    """

    constraints: Constraints | None
    consensus: ConsensusNetwork
    without: Averaged | None = None
    main: Averaged | None = None
    unbelieved: Averaged | None = None
    targets: Targets | None = None

    def of(self, first: str, second: str) -> EdgeOrigin:
        """Return where the edge of a pair comes from, or why there is none."""
        without = None if self.constraints is None else _pair(self.without, first, second)
        likely = without is not None and without.present > self.consensus.threshold
        share = self._way(first, second, _pair(self.main, first, second))
        told = None if self.constraints is None else self._constrained(first, second, without)
        if told is None and self._is_believed(first, second):
            return EdgeOrigin(Origin.BELIEVED, (), without, likely, share, "your odds")
        if told is None and self.constraints is not None:
            told = self._follows(first, second, without)
        if told is None and (setting := self._experiment(first, second)):
            return EdgeOrigin(Origin.EXPERIMENT, (), without, likely, share, setting)
        if told is None:
            return NOTHING_SAID if self.constraints is None else EdgeOrigin(without=without, likely=likely, share=share)
        return EdgeOrigin(*told, without, likely, share)

    def _constrained(self, first: str, second: str, without: Unconstrained | None) -> Told | None:
        """Return what constraints make of a pair by themselves."""
        return (
            self._required(first, second)
            or self._forbidden(first, second)
            or self._changed(first, second, without)
            or self._directed(first, second)
        )

    def _is_believed(self, first: str, second: str) -> bool:
        """Say whether an edge of the network has a direction that prior odds give it, and that is open without them."""
        alone, here = _pair(self.unbelieved, first, second), _pair(self.main, first, second)
        if alone is None or here is None or alone.present <= 0 or frozenset((first, second)) not in self._in_network:
            return False
        way = self._way(first, second, here)
        is_open = alone.split[2] > HALF and way > HALF
        turned = way >= SETTLED_SHARE and self._way(first, second, alone) < _enough(self.unbelieved)
        return is_open or turned

    def _experiment(self, first: str, second: str) -> str:
        """Return which experiment directs an edge that is open in the network's Markov class; "" if none does."""
        if self.targets is None or frozenset((first, second)) not in self._by_experiments:
            return ""
        if self._way(first, second, _pair(self.main, first, second)) < SETTLED_SHARE:
            return ""
        sets = [set(names) for names in self.targets.sets]
        ends = [
            a for a, b in ((first, second), (second, first)) if any(a in names and b not in names for names in sets)
        ]
        return f"your experiment{'s' if len(ends) > 1 else ''} on {' and '.join(ends)}" if ends else "your experiments"

    @cached_property
    def _by_experiments(self) -> frozenset[frozenset[str]]:
        """The edges of the network that experiments direct, at first hand or by what follows from that."""
        if self.targets is None:
            return frozenset()
        dag = self.consensus.dag
        cut = FixedPairs.by_targets(dag.names, self.targets.sets).class_of(dag)
        still_open = {frozenset(edge) for edge in cut.edges}
        return frozenset(pair for pair in map(frozenset, dag.cpdag.edges) if pair not in still_open)

    def _required(self, first: str, second: str) -> Told | None:
        """Return the statements that an edge is there for: that it is required, or on a path that is."""
        assert self.constraints is not None
        statements, pair = self.constraints.statements, {first, second}
        said = tuple(s for s in statements if s.kind is Kind.REQUIRED and set(s.names) == pair)
        if not said and frozenset(pair) in self._on_paths:
            said = tuple(s for s in statements if s.kind is Kind.ANCESTOR)
        return (Origin.REQUIRED, said) if said else None

    def _forbidden(self, first: str, second: str) -> Told | None:
        """Return the statements that leave neither direction."""
        reasons = self._reasons(first, second)
        if len(reasons) < 2:
            return None
        whole = tuple(statement for statement in reasons[0] if statement in reasons[1])
        return Origin.FORBIDDEN, whole or tuple(dict.fromkeys((*reasons[0], *reasons[1])))

    def _changed(self, first: str, second: str, without: Unconstrained | None) -> Told | None:
        """Say of an edge that was neither required nor forbidden whether what was said brought it or took it away.

        It did if the edge is more likely than not in one case, and not in the other, by more than a little.
        """
        here = _pair(self.main, first, second)
        if here is None or without is None or abs(here.present - without.present) <= LITTLE:
            return None
        if here.present > HALF >= without.present:
            return Origin.APPEARS, ()
        return (Origin.GONE, ()) if without.present > HALF >= here.present else None

    def _directed(self, first: str, second: str) -> Told | None:
        """Return the statements that leave only one direction."""
        reasons = self._reasons(first, second)
        return (Origin.DIRECTED, reasons[0]) if reasons else None

    def _follows(self, first: str, second: str, without: Unconstrained | None) -> Told | None:
        """Say whether an edge of the network has its direction from what was said about others.

        The data's part alone tells: a direction that nearly all networks have here, and not there, is not the data's,
        whichever way it came about (a cycle, a path that must be there, a parent that may not be, a collider that is
        left over). Shares are compared with shares: of directions under constraints no study tells.
        """
        if frozenset((first, second)) not in self._in_network:
            return None
        if without is None or without.present <= 0:
            return (Origin.FOLLOWS, ()) if frozenset((first, second)) in self._consequences else None
        alone = self._way(first, second, without)
        if alone >= SETTLED_SHARE:
            return None
        here = self._way(first, second, _pair(self.main, first, second))
        told = frozenset((first, second)) in self._consequences or (
            here >= SETTLED_SHARE and alone < _enough(self.without)
        )
        return (Origin.FOLLOWS, ()) if told else None

    def _way(self, first: str, second: str, pair: Unconstrained | None) -> float:
        """Return how often an edge points where the network has it, or else where it does more often."""
        if pair is None:
            return 1.0
        forward, backward, _ = pair.split
        arc = self._in_network.get(frozenset((first, second)))
        return max(forward, backward) if arc is None else forward if arc == (first, second) else backward

    def _reasons(self, first: str, second: str) -> list[tuple[Statement, ...]]:
        """Return, for each direction that is excluded, what excludes it."""
        known = self.constraints
        assert known is not None
        ways = ((first, second), (second, first))
        return [known.reasons(*way) for way in ways if way[0] in known.forbidden_parents(way[1])]

    @cached_property
    def _in_network(self) -> dict[frozenset[str], tuple[str, str]]:
        """The arcs of the network by their pairs."""
        return {frozenset((e.tail, e.head)): (e.tail, e.head) for e in self.consensus.edges if e.fate.in_network}

    @property
    def gone(self) -> tuple[tuple[str, str], ...]:
        """The pairs that the data alone would join and that nothing joins here, in the order of the data."""
        if self.constraints is None or self.without is None or self.without.confidence is None:
            return ()
        names, present = self.without.confidence.names, self.without.confidence.present
        pairs = [(names[i], names[j]) for i in range(len(names)) for j in range(i + 1, len(names))]
        likely = [pair for pair in pairs if present[names.index(pair[0]), names.index(pair[1])] > HALF]
        return tuple(pair for pair in likely if self.of(*pair).kind is Origin.GONE)

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


def _pair(averaged: Averaged | None, first: str, second: str) -> Unconstrained | None:
    """Return what an average says of a pair; None if there is none."""
    confidence: EdgeConfidence | None = None if averaged is None else averaged.confidence
    if confidence is None:
        return None
    i, j = confidence.names.index(first), confidence.names.index(second)
    return Unconstrained(
        present=float(confidence.present[i, j]),
        forward=float(confidence.directed[i, j]),
        backward=float(confidence.directed[j, i]),
        undirected=float(confidence.undirected[i, j]),
        probability=confidence.probability.pair(first, second),
    )


def _enough(averaged: Averaged | None) -> float:
    """Return the share of networks from which on a direction counts for something where it is compared with another.

    Directions of DAGs, unlike those of classes, are shared out where they are open.
    """
    confidence = None if averaged is None else averaged.confidence
    return HALF if confidence is not None and confidence.orient == "cpdag" else SETTLED_SHARE


def known_of(options: LearnOptions, data: Dataset | Incomplete) -> Constraints | None:
    """Return what was said about the variables that are learned from, in their order; None for nothing."""
    said = options.constraints
    if said is None or said.is_trivial:
        return None
    return said if said.names == data.names else Constraints.from_description(data.names, said.describe())
