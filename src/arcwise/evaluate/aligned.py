"""Two graphs over the same nodes, brought to the form and the node order that the measures compare."""

from __future__ import annotations

from arcwise.errors import GraphError
from arcwise.graph import Dag, Pdag
from arcwise.graph.nodes import listed

__all__ = ["Graph", "align"]

Graph = Dag | Pdag


def align(true: Graph, learned: Graph) -> tuple[Pdag, Pdag]:
    """Return both graphs as partially directed graphs with the same node order.

    A `Dag` stands for its Markov equivalence class, so that it becomes its CPDAG. A `Pdag` is taken as it is: an edge
    that it leaves undirected counts as undirected. Nodes are matched by name.
    """
    first, second = (graph.cpdag if isinstance(graph, Dag) else graph for graph in (true, learned))
    if first.names == second.names:
        return first, second
    missing = sorted(set(first.names) - set(second.names))
    surplus = sorted(set(second.names) - set(first.names))
    if missing or surplus:
        parts = [f"the {which} graph alone has {listed(names)}" for which, names in _named(missing, surplus)]
        raise GraphError(
            f"the graphs have different nodes: {'; '.join(parts)}. Compare graphs over the same variables."
        )
    return first, second.reorder(first.names)


def _named(missing: list[str], surplus: list[str]) -> list[tuple[str, list[str]]]:
    return [(which, names) for which, names in (("true", missing), ("learned", surplus)) if names]
