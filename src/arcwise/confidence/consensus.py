"""The consensus network: the significant edges as one graph, and every edge that had to be dropped or reversed."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import GraphError, OptionError
from arcwise.graph import Cpdag, Dag, Pdag
from arcwise.showing import one_screen, wrapped

__all__ = ["ConsensusEdge", "ConsensusNetwork", "Fate", "consensus_network"]

# Two confidences that differ by less are equal: they are sums of weights, in floating point.
TIE = 1e-9


class Fate(enum.StrEnum):
    """What became of a pair of variables."""

    KEPT = "kept"  # an arc of the network
    # In the network with its direction open: more networks leave it open than point either way, or both ways are
    # equally credible; the arc tail -> head in the DAG is one of two ways.
    UNDIRECTED = "undirected"
    DROPPED = "dropped"  # the arc would have closed a cycle of edges that are all at least as credible
    BELOW = "below"  # its confidence is not above the threshold

    @property
    def in_network(self) -> bool:
        """Whether the network has the edge."""
        return self in (Fate.KEPT, Fate.UNDIRECTED)


@one_screen
@dataclass(frozen=True, slots=True)
class ConsensusEdge:
    """One significant edge and what became of it."""

    tail: str
    head: str
    present: float  # confidence in the edge, any direction
    direction: float  # confidence in tail -> head given that the edge is present
    fate: Fate


@dataclass(frozen=True, eq=False)
class ConsensusNetwork:
    """The significant edges as a graph: as one DAG, and as the pattern with every open direction left open."""

    dag: Dag
    threshold: float
    edges: tuple[ConsensusEdge, ...]  # all significant edges, the most credible first
    pattern: Pdag

    def __repr__(self) -> str:
        signs = {"kept": "->", "undirected": "-", "dropped": "-x->"}
        shown = (f"{edge.tail} {signs[edge.fate]} {edge.head} {edge.present:.2f}" for edge in self.edges)
        dropped = f", {len(self.dropped)} dropped" if self.dropped else ""
        return wrapped(f"ConsensusNetwork({len(self.edges)} edges above {self.threshold:.4g}{dropped}: ", shown, ")")

    @property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the DAG: directions that the dependences alone do not settle are left open."""
        return Cpdag.from_dag(self.dag)

    @property
    def dropped(self) -> tuple[ConsensusEdge, ...]:
        """The significant edges that are not in the graph, because they would have closed a cycle."""
        return tuple(edge for edge in self.edges if edge.fate is Fate.DROPPED)

    @property
    def undirected(self) -> tuple[ConsensusEdge, ...]:
        """The edges whose direction is open."""
        return tuple(edge for edge in self.edges if edge.fate is Fate.UNDIRECTED)


def consensus_network(confidence: EdgeConfidence, threshold: float | Threshold) -> ConsensusNetwork:
    """Build the network of the edges whose confidence is strictly above the threshold.

    Each edge points to the more credible side, unless leaving it undirected is at least as credible as either: then its
    direction is open. Directed edges enter by falling confidence, so that the edge that would close a cycle is the
    weakest of that cycle, and it is dropped. The open edges get their directions in the DAG last,
    by the stronger side where that adds neither a cycle nor a v-structure: a v-structure would claim a dependence that
    the networks do not show.

    Cost: E (n + E) for E significant edges, and one extension of the pattern per open edge with a stronger side.
    """
    cutoff = float(threshold)
    if not cutoff >= 0:
        raise OptionError(f"threshold {cutoff!r} must be 0 or more.")
    if confidence.feature != "edge":
        raise OptionError(
            f"a network is made of confidences in edges; these are for the feature '{confidence.feature}'."
        )
    names = confidence.names
    chosen = _significant(confidence, cutoff)
    parents: list[set[int]] = [set() for _ in names]
    open_edges: list[_Reading] = []
    dropped: set[_Reading] = set()
    for edge in chosen:
        if edge.open:
            open_edges.append(edge)
        elif _reaches(parents, source=edge.head, target=edge.tail):
            dropped.add(edge)
        else:
            parents[edge.head].add(edge.tail)
    neighbours: list[set[int]] = [set() for _ in names]
    for edge in open_edges:
        neighbours[edge.tail].add(edge.head)
        neighbours[edge.head].add(edge.tail)
    pattern = Pdag(names, parents, neighbours)
    dag = _direct(names, parents, neighbours, open_edges)
    edges = []
    for edge in chosen:
        turned = edge.open and edge.head in dag.parents[edge.tail]
        tail, head = (edge.head, edge.tail) if turned else (edge.tail, edge.head)
        fate = Fate.UNDIRECTED if edge.open else Fate.DROPPED if edge in dropped else Fate.KEPT
        share = 1.0 - edge.share if turned else edge.share
        edges.append(ConsensusEdge(names[tail], names[head], edge.present, share, fate))
    edges.sort(key=lambda edge: (-edge.present, edge.tail, edge.head))
    return ConsensusNetwork(dag, cutoff, tuple(edges), pattern)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A significant pair as it is read: the stronger side as tail -> head, and whether the direction is open."""

    tail: int
    head: int
    present: float
    share: float  # of tail -> head, given the edge; a reversible edge counts half for either side
    open: bool


def _significant(confidence: EdgeConfidence, cutoff: float) -> list[_Reading]:
    """Return the significant pairs, the most credible first."""
    readings = []
    for i, j in zip(*np.nonzero(np.triu(confidence.present > cutoff, 1)), strict=True):
        present = float(confidence.present[i, j])
        free = float(confidence.undirected[i, j])
        forward, backward = float(confidence.directed[i, j]), float(confidence.directed[j, i])
        tail, head, stronger = (i, j, forward) if forward >= backward else (j, i, backward)
        is_open = free >= stronger - TIE or abs(forward - backward) <= TIE
        readings.append(_Reading(int(tail), int(head), present, (stronger + free / 2) / present, is_open))
    return sorted(readings, key=lambda edge: (-edge.present, edge.tail, edge.head))


def _direct(
    names: tuple[str, ...], parents: list[set[int]], neighbours: list[set[int]], open_edges: list[_Reading]
) -> Dag:
    """Direct the open edges of a pattern: without a cycle, and without a new v-structure if there is such a way."""
    fixed, free = [set(ps) for ps in parents], [set(ns) for ns in neighbours]
    extension = _extend(names, fixed, free)
    if extension is not None:
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
    for edge in open_edges:  # the directed edges contradict each other; at least no cycle
        ways = [(edge.tail, edge.head), (edge.head, edge.tail)]
        allowed = [way for way in ways if not _reaches(fixed, source=way[1], target=way[0])]
        tail, head = min(allowed, key=lambda way: _new_v_structures(fixed, free, *way))
        fixed[head].add(tail)
        free[tail].discard(head)
        free[head].discard(tail)
    return Dag(names, fixed)


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


def _reaches(parents: list[set[int]], *, source: int, target: int) -> bool:
    """Say whether a directed path leads from source to target."""
    stack, seen = [target], {target}
    while stack:
        v = stack.pop()
        if v == source:
            return True
        fresh = parents[v] - seen
        seen |= fresh
        stack.extend(fresh)
    return False
