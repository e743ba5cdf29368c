"""The consensus network: the significant edges as one graph, and every edge that had to be dropped or turned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.confidence.rules.threshold import Threshold
from arcwise.errors import OptionError
from arcwise.graph import Cpdag, Dag

__all__ = ["ConsensusEdge", "ConsensusNetwork", "consensus_network"]

# Two confidences that differ by less are equal: they are sums of weights, in floating point.
TIE = 1e-9


@dataclass(frozen=True, slots=True)
class ConsensusEdge:
    """One significant edge and what became of it.

    `fate` is "kept"; "undirected" (kept, but neither direction is more credible than the other: the arc tail -> head
    in the DAG is one of two equally good ways); or "dropped" (the arc would have closed a cycle of edges that are all
    at least as credible).
    """

    tail: str
    head: str
    present: float  # confidence in the edge, any direction
    direction: float  # confidence in tail -> head given that the edge is present
    fate: Literal["kept", "undirected", "dropped"]


@dataclass(frozen=True, eq=False)
class ConsensusNetwork:
    """The significant edges as a graph."""

    dag: Dag
    threshold: float
    edges: tuple[ConsensusEdge, ...]  # all significant edges, the most credible first

    @property
    def cpdag(self) -> Cpdag:
        """The equivalence class of the DAG: directions that the dependences alone do not settle are left open."""
        return Cpdag.from_dag(self.dag)

    @property
    def dropped(self) -> tuple[ConsensusEdge, ...]:
        """The significant edges that are not in the graph, because they would have closed a cycle."""
        return tuple(edge for edge in self.edges if edge.fate == "dropped")

    @property
    def undirected(self) -> tuple[ConsensusEdge, ...]:
        """The edges whose direction is a toss-up."""
        return tuple(edge for edge in self.edges if edge.fate == "undirected")


def consensus_network(confidence: EdgeConfidence, threshold: float | Threshold) -> ConsensusNetwork:
    """Build the network of the edges whose confidence is strictly above the threshold.

    Each edge points to the more credible side; a reversible edge counts half for either. Edges enter by falling
    confidence, so that the edge that would close a cycle is the weakest one of that cycle, and it is the one that is
    dropped. An edge without a more credible side enters last, in a way that closes no cycle, if there is one.

    Cost: E (n + E) for E significant edges.
    """
    cutoff = float(threshold)
    if not cutoff >= 0:
        raise OptionError(f"threshold {cutoff!r} must be 0 or more.")
    directed, undirected = confidence.directed, confidence.undirected
    chosen: list[tuple[bool, float, int, int, float]] = []
    n = len(confidence.names)
    for i in range(n):
        for j in range(i + 1, n):
            present = float(confidence.present[i, j])
            if not present > cutoff:
                continue
            half = float(undirected[i, j]) / 2
            forward, backward = float(directed[i, j]) + half, float(directed[j, i]) + half
            tail, head = (i, j) if forward >= backward else (j, i)
            chosen.append((abs(forward - backward) <= TIE, -present, tail, head, max(forward, backward) / present))
    chosen.sort()

    parents: list[set[int]] = [set() for _ in range(n)]
    edges: list[ConsensusEdge] = []
    for tie, negative, tail, head, share in chosen:
        ways = [(tail, head), (head, tail)] if tie else [(tail, head)]
        way = next((w for w in ways if not _reaches(parents, source=w[1], target=w[0])), None)
        fate: Literal["kept", "undirected", "dropped"] = "dropped" if way is None else "undirected" if tie else "kept"
        if way is not None:
            parents[way[1]].add(way[0])
        first, second = (confidence.names[v] for v in way or (tail, head))
        edges.append(ConsensusEdge(first, second, -negative, share, fate))
    edges.sort(key=lambda edge: (-edge.present, edge.tail, edge.head))
    return ConsensusNetwork(Dag(confidence.names, parents), cutoff, tuple(edges))


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
