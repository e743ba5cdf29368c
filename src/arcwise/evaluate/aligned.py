"""Two graphs over the same nodes, brought to the form and the node order that the measures compare."""

from __future__ import annotations

from arcwise.errors import GraphError
from arcwise.graph import Dag, Pdag
from arcwise.graph.nodes import listed

__all__ = ["Graph", "align", "match_names", "match_nodes"]

Graph = Dag | Pdag


def align(true: Graph, learned: Graph) -> tuple[Pdag, Pdag]:
    """Return both graphs as partially directed graphs with the same node order.

    A `Dag` stands for its Markov equivalence class, so that it becomes its CPDAG. A `Pdag` is taken as it is: an edge
    that it leaves undirected counts as undirected. Nodes are matched by name.
    """
    first, second = (graph.cpdag if isinstance(graph, Dag) else graph for graph in (true, learned))
    match_names(first.names, second.names)
    return first, second if first.names == second.names else second.reorder(first.names)


def match_nodes(true: Graph, learned: Graph) -> Graph:
    """Return the learned graph with the node order of the true one; nodes are matched by name."""
    match_names(true.names, learned.names)
    return learned if true.names == learned.names else learned.reorder(true.names)


def match_names(true: tuple[str, ...], learned: tuple[str, ...]) -> None:
    """Refuse graphs over different nodes."""
    missing = sorted(set(true) - set(learned))
    surplus = sorted(set(learned) - set(true))
    if missing or surplus:
        parts = [f"the {which} graph alone has {listed(names)}" for which, names in _named(missing, surplus)]
        raise GraphError(
            f"the graphs have different nodes: {'; '.join(parts)}. Compare graphs over the same variables."
        )


def _named(missing: list[str], surplus: list[str]) -> list[tuple[str, list[str]]]:
    return [(which, names) for which, names in (("true", missing), ("learned", surplus)) if names]
