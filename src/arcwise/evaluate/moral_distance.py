"""The Hamming distance between moral graphs."""

from __future__ import annotations

from arcwise.evaluate.aligned import Graph, align
from arcwise.graph import Dag

__all__ = ["moral_distance"]


def moral_distance(true: Graph, learned: Graph) -> int:
    """Return the number of pairs of nodes that are joined in one moral graph only (Scanagatta, section 4.1).

    All DAGs of a Markov equivalence class have the same moral graph. A `Pdag` stands for its consistent extensions, and
    is refused if it has none.
    """
    align(true, learned)  # the nodes must be the same
    first, second = (
        {frozenset(edge) for edge in (graph if isinstance(graph, Dag) else graph.extend()).moral_edges}
        for graph in (true, learned)
    )
    return len(first ^ second)
