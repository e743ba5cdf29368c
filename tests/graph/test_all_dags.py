from __future__ import annotations

from itertools import combinations, product

import networkx as nx
import pytest

from arcwise.errors import GraphError
from arcwise.graph import all_dags, all_parent_masks


@pytest.mark.parametrize(("n", "count"), [(0, 1), (1, 1), (2, 3), (3, 25), (4, 543), (5, 29281)])
def test_counts_are_those_of_oeis_a003024_and_all_differ(n: int, count: int) -> None:
    found = list(all_parent_masks(n))
    assert len(found) == len(set(found)) == count


def test_four_nodes_against_every_orientation_of_every_skeleton() -> None:
    expected = set()
    for kinds in product((None, "->", "<-"), repeat=6):
        graph = nx.DiGraph()
        graph.add_nodes_from("abcd")
        for (a, b), kind in zip(combinations("abcd", 2), kinds, strict=True):
            if kind is not None:
                graph.add_edge(*((a, b) if kind == "->" else (b, a)))
        if nx.is_directed_acyclic_graph(graph):
            expected.add(frozenset(graph.edges))
    assert {frozenset(dag.arcs) for dag in all_dags("abcd")} == expected


def test_seven_nodes_are_refused() -> None:
    with pytest.raises(GraphError, match="at most 6 nodes"):
        next(all_dags("abcdefg"))
