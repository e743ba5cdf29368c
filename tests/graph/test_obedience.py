"""The last look before a graph is written, at what is said about ancestors."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from arcwise.graph import Constraints, Pdag
from arcwise.graph.constraints import broken_rules

CHAIN = [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("arcs", "edges", "options", "broken"),
    [
        (CHAIN, [], {"ancestors": [("a", "c")]}, []),
        ([("b", "a"), ("b", "c")], [], {"ancestors": [("a", "c")]}, ["'a' does not lead to 'c'"]),
        ([], CHAIN, {"ancestors": [("a", "c")]}, ["'a' does not lead to 'c'"]),
        (CHAIN, [], {"non_ancestors": [("a", "c")]}, ["'a' leads to 'c'"]),
        ([], CHAIN, {"non_ancestors": [("a", "c")]}, ["'a' leads to 'c'"]),
        # However a - b is directed, c leads to both: the other ways would close a cycle.
        ([("c", "a"), ("c", "b")], [("a", "b")], {"ancestors": [("c", "a")]}, []),
        # a -> b <- c would be a new v-structure, so that b leads to one of them.
        ([("a", "b")], [("b", "c")], {"non_ancestors": [("c", "a")]}, []),
    ],
)
def test_paths_of_a_partially_directed_graph(
    arcs: list[tuple[str, str]], edges: list[tuple[str, str]], options: dict[str, Any], broken: list[str]
) -> None:
    graph = Pdag.from_edges("abc", arcs=arcs, edges=edges)
    found = broken_rules(graph, Constraints("abc", **options))
    assert found[:1] == broken


def test_many_open_edges_are_not_let_pass() -> None:
    names = [f"v{i}" for i in range(15)]
    graph = Pdag.from_edges(names, edges=list(itertools.pairwise(names[2:])), arcs=[("v0", "v1")])
    assert broken_rules(graph, Constraints(names, forbidden=[("v1", "v0")])) == []
    (sentence,) = broken_rules(graph, Constraints(names, ancestors=[("v0", "v1")]))[:1]
    assert "undirected edges" in sentence
