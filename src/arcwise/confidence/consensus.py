"""The consensus network: the significant edges as one graph, and every edge that had to be dropped or reversed."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from arcwise.base.errors import GraphError, OptionError
from arcwise.base.showing import one_screen, wrapped
from arcwise.confidence.arc_rules import ArcRules, extended_within, reaches, required_paths
from arcwise.confidence.edge_confidence import EdgeConfidence, Threshold
from arcwise.graph.classes import FixedPairs
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Cpdag, Dag, Pdag
from arcwise.networks.recipe import fixed_pairs
from arcwise.plotting.layout import plot_network

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Two confidences that differ by less are equal: they are sums of weights, in floating point.
TIE = 1e-9


class Fate(enum.StrEnum):
    """What became of a pair of variables."""

    KEPT = "kept"  # an arc of the network
    # In the network with its direction open: more networks leave it open than point either way, or both ways are
    # equally credible; the arc tail -> head in the DAG is one of two ways.
    UNDIRECTED = "undirected"
    REQUIRED = "required"  # an arc of the network because the constraints require it, whatever its confidence
    # Above the threshold, but left out: the arc would have closed a cycle of arcs that are required or at least as
    # credible; the constraints forbid both directions; its head has all the parents that they allow; or the arc
    # would lead from a variable to one that it must not lead to.
    DROPPED = "dropped"
    FORBIDDEN = "forbidden"
    LIMITED = "limited"
    BREAKS_ANCESTRY = "misleading"  # the word of the files
    BELOW = "below"  # its confidence is not above the threshold

    @property
    def in_network(self) -> bool:
        """Whether the network has the edge."""
        return self in (Fate.KEPT, Fate.UNDIRECTED, Fate.REQUIRED)

    @property
    def is_arc(self) -> bool:
        """Whether the network has the edge with a direction."""
        return self in (Fate.KEPT, Fate.REQUIRED)

    @property
    def is_left_out(self) -> bool:
        """Whether the edge is above the threshold, but not in the network; `reason` says why."""
        return self in LEFT_OUT

    @property
    def reason(self) -> str:
        """Why the network leaves an edge out that is above the threshold; "" for what it does not leave out."""
        return LEFT_OUT.get(self, "")


LEFT_OUT = {
    Fate.DROPPED: "it would close a cycle",
    Fate.FORBIDDEN: "the constraints forbid both directions",
    Fate.LIMITED: "its head would have more parents than the constraints allow",
    Fate.BREAKS_ANCESTRY: "it would lead from a variable to one that it must not lead to",
}


@one_screen
@dataclass(frozen=True, slots=True)
class ConsensusEdge:
    """One significant or required edge and what became of it."""

    tail: str
    head: str
    present: float  # confidence in the edge, any direction
    direction: float  # confidence in tail -> head given that the edge is present
    fate: Fate


@dataclass(frozen=True, eq=False)
class ConsensusNetwork:
    """The significant edges as a graph: as one DAG, and as the pattern with every open direction left open.

    Both satisfy `constraints`, and `fixed` are the pairs whose directions come from these or from experiments.
    """

    dag: Dag
    threshold: float
    edges: tuple[ConsensusEdge, ...]  # all significant and required edges, the most credible first
    pattern: Pdag
    constraints: Constraints | None = None
    fixed: FixedPairs | None = None

    def __repr__(self) -> str:
        signs = {Fate.UNDIRECTED: "-"} | dict.fromkeys(LEFT_OUT, "-x->")
        shown = (f"{edge.tail} {signs.get(edge.fate, '->')} {edge.head} {edge.present:.2f}" for edge in self.edges)
        dropped = f", {len(self.dropped)} dropped" if self.dropped else ""
        return wrapped(f"ConsensusNetwork({len(self.edges)} edges above {self.threshold:.4g}{dropped}: ", shown, ")")

    @property
    def cpdag(self) -> Pdag:
        """The class of the DAG: what neither the dependences nor constraints or experiments direct is left open.

        Without constraints and experiments a `Cpdag`. Under constraints on ancestors nothing is left open: of a class,
        some members lead where they must, others do not, and no graph with open edges says which.
        """
        if self.constraints is not None and self.constraints.is_ancestral:
            return Pdag(self.dag.names, self.dag.parents, [() for _ in self.dag.names])
        return Cpdag.from_dag(self.dag) if self.fixed is None else self.fixed.class_of(self.dag)

    def plot(self, *, numbers: bool = True, ax: Axes | None = None) -> Axes:
        """Draw the network: lines by confidence, heads where there is a direction; return the axes."""
        names = self.dag.names
        at = {name: v for v, name in enumerate(names)}
        shown = {frozenset((at[edge.tail], at[edge.head])): edge for edge in self.edges}
        arcs = [(p, c) for c, ps in enumerate(self.dag.parents) for p in ps]
        free = {key for key, edge in shown.items() if edge.fate is Fate.UNDIRECTED}
        return plot_network(
            names,
            [arc for arc in arcs if frozenset(arc) not in free],
            [arc for arc in arcs if frozenset(arc) in free],
            weights={key: edge.present for key, edge in shown.items()},
            numbers=numbers,
            ax=ax,
        )

    def _repr_svg_(self) -> str | None:
        return self.pattern._repr_svg_()

    @cached_property
    def by_pair(self) -> Mapping[frozenset[str], ConsensusEdge]:
        """The edges by their two variables."""
        return {frozenset((edge.tail, edge.head)): edge for edge in self.edges}

    @property
    def dropped(self) -> tuple[ConsensusEdge, ...]:
        """The significant edges that are not in the graph; ``edge.fate.reason`` says why."""
        return tuple(edge for edge in self.edges if edge.fate.is_left_out)

    @property
    def undirected(self) -> tuple[ConsensusEdge, ...]:
        """The edges whose direction is open."""
        return tuple(edge for edge in self.edges if edge.fate is Fate.UNDIRECTED)


def consensus_network(
    confidence: EdgeConfidence, threshold: float | Threshold, *, constraints: Constraints | None = None
) -> ConsensusNetwork:
    """Build the network of the edges whose confidence is strictly above the threshold.

    Each edge points to the more credible side, unless leaving it undirected is at least as credible as either: then its
    direction is open. Directed edges enter by falling confidence, so that the edge that would close a cycle is the
    weakest of that cycle, and it is dropped. The open edges get their directions in the DAG last,
    by the stronger side where that adds neither a cycle nor a v-structure: a v-structure would claim a dependence that
    the networks do not show.

    Parameters
    ----------
    confidence, threshold
        The confidences, and the cut-off.
    constraints
        What the network must satisfy; by default what the networks satisfied that the confidences were averaged from
        (`EdgeConfidence.constraints`). Required arcs come first, also below the threshold; an edge with one forbidden
        direction gets the other one; an edge that cannot be had is dropped, and its `Fate` says why. Open edges that
        follow from the directed ones are directed (Meek's rules). Where a variable must lead to another, the arcs of
        the most credible path come with the required ones.

    Returns
    -------
    ConsensusNetwork
        The DAG and the pattern satisfy the constraints, whatever the confidences are. Cost: E (n + E) for E significant
        edges, and one extension of the pattern per open edge with a stronger side.
    """
    cutoff = float(threshold)
    if not cutoff >= 0:
        raise OptionError(f"threshold {cutoff!r} must be 0 or more.")
    if confidence.feature != "edge":
        raise OptionError(
            f"a network is made of confidences in edges; these are for the feature '{confidence.feature}'."
        )
    known = confidence.constraints if constraints is None else constraints
    if known is not None and known.names != confidence.names:
        known = known.reorder(confidence.names)
    paths = required_paths(confidence, known)
    rules = ArcRules(known, paths)
    fates: dict[_Reading, Fate] = {}
    parents: list[set[int]] = [set() for _ in confidence.names]
    for tail, head in rules.required:
        parents[head].add(tail)
        edge = _reading(confidence, tail, head)
        fates[edge] = Fate.KEPT if (tail, head) in paths and edge.present > cutoff else Fate.REQUIRED
    open_edges: list[_Reading] = []
    for edge in [one for one in _significant(confidence, cutoff) if one.pair not in rules.pairs]:
        chosen = _within(rules, edge)
        if chosen is None:
            fates[edge] = Fate.FORBIDDEN
        elif chosen.open:
            open_edges.append(chosen)
        elif reaches(parents, source=chosen.head, target=chosen.tail):
            fates[chosen] = Fate.DROPPED
        elif rules.breaks_ancestry(parents, chosen.tail, chosen.head):
            fates[chosen] = Fate.BREAKS_ANCESTRY
        elif not rules.has_room(parents, chosen.head):
            fates[chosen] = Fate.LIMITED
        else:
            parents[chosen.head].add(chosen.tail)
            fates[chosen] = Fate.KEPT
    dag, pattern, limited = _direct(confidence.names, parents, open_edges, rules)
    for edge in open_edges:
        placed = edge.turned if edge.head in dag.parents[edge.tail] else edge
        settled = placed.tail in pattern.parents[placed.head]
        fates[placed] = Fate.LIMITED if edge in limited else Fate.KEPT if settled else Fate.UNDIRECTED
    names = confidence.names
    edges = [
        ConsensusEdge(names[edge.tail], names[edge.head], edge.present, edge.share, fate)
        for edge, fate in fates.items()
    ]
    edges.sort(key=lambda edge: (-edge.present, edge.tail, edge.head))
    fixed = fixed_pairs(names, rules.constraints, confidence.targets, confidence.beliefs)
    return ConsensusNetwork(dag, cutoff, tuple(edges), pattern, rules.constraints, fixed)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A significant pair as it is read: the stronger side as tail -> head, and whether the direction is open."""

    tail: int
    head: int
    present: float
    share: float  # of tail -> head, given the edge; a reversible edge counts half for either side
    open: bool

    @property
    def pair(self) -> frozenset[int]:
        """The two, without an order."""
        return frozenset((self.tail, self.head))

    @property
    def turned(self) -> _Reading:
        """The same with the other direction."""
        return replace(self, tail=self.head, head=self.tail, share=1.0 - self.share)


def _reading(confidence: EdgeConfidence, tail: int, head: int) -> _Reading:
    """Read a pair as a directed edge that is there for other reasons than its confidence."""
    present = float(confidence.present[tail, head])
    share = float(confidence.directed[tail, head] + confidence.undirected[tail, head] / 2)
    return _Reading(tail, head, present, share / present if present > 0 else 1.0, open=False)


def _within(rules: ArcRules, edge: _Reading) -> _Reading | None:
    """Return an edge as the constraints let it be: with the one direction that is left, or None if none is."""
    ahead, back = rules.allows(edge.tail, edge.head), rules.allows(edge.head, edge.tail)
    if not ahead and not back:
        return None
    known = rules.constraints
    if ahead and back and (known is None or not known.is_ancestral):  # else no direction can be left open
        return edge
    return replace(edge if ahead else edge.turned, open=False)


def _significant(confidence: EdgeConfidence, cutoff: float) -> list[_Reading]:
    """Return the significant pairs, the most credible first."""
    readings = []
    for i, j in zip(*confidence.above(cutoff), strict=True):
        present = float(confidence.present[i, j])
        free = float(confidence.undirected[i, j])
        forward, backward = float(confidence.directed[i, j]), float(confidence.directed[j, i])
        tail, head, stronger = (i, j, forward) if forward >= backward else (j, i, backward)
        is_open = free >= stronger - TIE or abs(forward - backward) <= TIE
        readings.append(_Reading(int(tail), int(head), present, (stronger + free / 2) / present, is_open))
    return sorted(readings, key=lambda edge: (-edge.present, edge.tail, edge.head))


def _direct(
    names: tuple[str, ...], parents: list[set[int]], open_edges: list[_Reading], rules: ArcRules
) -> tuple[Dag, Pdag, set[_Reading]]:
    """Direct the open edges: without a cycle, and without a new v-structure if there is such a way.

    Returns the DAG, the pattern with the directions that stay open, and the open edges for which no room is left.
    """
    neighbours: list[set[int]] = [set() for _ in names]
    for edge in open_edges:
        neighbours[edge.tail].add(edge.head)
        neighbours[edge.head].add(edge.tail)
    pattern = Pdag(names, parents, neighbours)
    dag = _extended(names, parents, neighbours, open_edges)
    if dag is not None and not all(rules.has_room(dag.parents, v, more=0) for v in range(len(names))):
        dag = extended_within(names, parents, [(edge.tail, edge.head) for edge in open_edges], rules)
    if dag is not None:
        return dag, pattern if rules.constraints is None else pattern.close(), set()
    fixed, free = [set(ps) for ps in parents], neighbours
    limited: set[_Reading] = set()
    for edge in open_edges:  # the directed edges contradict each other, or there is no room; at least no cycle
        free[edge.tail].discard(edge.head)
        free[edge.head].discard(edge.tail)
        ways = [(edge.tail, edge.head), (edge.head, edge.tail)]
        acyclic = [way for way in ways if not reaches(fixed, source=way[1], target=way[0])]
        allowed = [way for way in acyclic if rules.has_room(fixed, way[1])]
        if not allowed:
            limited.add(edge)
            continue
        tail, head = min(allowed, key=lambda way: _new_v_structures(fixed, free, *way))
        fixed[head].add(tail)
    if limited:
        lost = {edge.pair for edge in limited}
        left = [[w for w in own if frozenset((v, w)) not in lost] for v, own in enumerate(pattern.neighbours)]
        pattern = Pdag(names, parents, left)
    dag = Dag(names, fixed)
    return dag, pattern if rules.constraints is None else _closed_towards(pattern, dag), limited


def _closed_towards(pattern: Pdag, dag: Dag) -> Pdag:
    """Direct the open edges of a pattern that follow from its arcs, where a DAG of its edges has them that way."""
    try:
        closed = pattern.close()
    except GraphError:  # an edge follows both ways: nothing is said of any
        return pattern
    parents = [set(own) | set(closed.parents[v]) & set(dag.parents[v]) for v, own in enumerate(pattern.parents)]
    joined = enumerate(pattern.neighbours)
    left = [[w for w in own if w not in parents[v] and v not in parents[w]] for v, own in joined]
    return Pdag(pattern.names, parents, left)


def _extended(
    names: tuple[str, ...], parents: list[set[int]], neighbours: list[set[int]], open_edges: list[_Reading]
) -> Dag | None:
    """Return a DAG of the pattern that points the open edges to their stronger sides where it can, if there is one."""
    fixed, free = [set(ps) for ps in parents], [set(ns) for ns in neighbours]
    extension = _extend(names, fixed, free)
    if extension is None:
        return None
    for edge in open_edges:
        if edge.share <= 0.5 + TIE or _new_v_structures(fixed, free, edge.tail, edge.head):
            continue
        found = extension if edge.tail in extension.parents[edge.head] else None  # the way it is already
        fixed[edge.head].add(edge.tail)
        free[edge.tail].discard(edge.head)
        free[edge.head].discard(edge.tail)
        found = found or _extend(names, fixed, free)
        if found is not None:
            extension = found
            continue
        fixed[edge.head].discard(edge.tail)
        free[edge.tail].add(edge.head)
        free[edge.head].add(edge.tail)
    return extension


def _extend(names: tuple[str, ...], parents: list[set[int]], neighbours: list[set[int]]) -> Dag | None:
    """Return a DAG with the arcs, the skeleton and the v-structures of a partially directed graph, if there is one."""
    try:
        return Pdag(names, parents, neighbours).extend()
    except GraphError:
        return None


def _new_v_structures(parents: list[set[int]], neighbours: list[set[int]], tail: int, head: int) -> int:
    """Count the parents of `head` that are not joined to `tail`."""
    joined = parents[tail] | neighbours[tail]
    return sum(other not in joined and tail not in parents[other] for other in parents[head])
