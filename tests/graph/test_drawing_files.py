from __future__ import annotations

from pathlib import Path

import networkx as nx

from arcwise.graph import Dag, Pdag
from arcwise.graph.files import format_dot, write_graphml

ODD = ['a "quoted" name', "b<&>", "ü"]


def test_networkx_reads_our_graphml(tmp_path: Path) -> None:
    dag = Dag(ODD, [[], [0], [0]])
    write_graphml(tmp_path / "g.graphml", dag, labels={(ODD[1], ODD[0]): 0.75})
    graph = nx.read_graphml(tmp_path / "g.graphml")
    assert set(graph.nodes) == set(ODD)
    assert set(graph.edges) == {(ODD[0], ODD[1]), (ODD[0], ODD[2])}
    assert graph.edges[ODD[0], ODD[1]]["confidence"] == 0.75


def test_dot_marks_undirected_edges() -> None:
    graph = Pdag.from_edges(["a", 'b"'], [], [("a", 'b"')])
    assert format_dot(graph) == 'digraph {\n  "a";\n  "b\\"";\n  "a" -> "b\\"" [dir=none];\n}\n'
