"""Every format that is written is read again: DOT, GraphML, JSON; and so is what other programs write."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import FormatError
from arcwise.graph import ArcList, Dag, Pdag, format_dot, format_graphml, parse_graph, read_graph, write_structure

from .conftest import random_dags

# What XML cannot hold at all: control characters and lone surrogates.
LETTERS = st.characters(blacklist_categories=("Cc", "Cs"), blacklist_characters="\ufffe\uffff")
NAMES = st.lists(st.text(LETTERS, min_size=1, max_size=6).filter(str.strip), min_size=2, max_size=5, unique=True)


def plain(graph: Dag | Pdag) -> Dag | Pdag:
    """A Pdag without undirected edges is read as the Dag that it is."""
    return graph if isinstance(graph, Dag) or graph.edges else Dag(graph.names, graph.parents)


@given(NAMES, st.data())
def test_what_is_written_is_read_with_any_names(names: list[str], choice: st.DataObject) -> None:
    arcs = [(a, b) for i, b in enumerate(names) for a in names[:i] if choice.draw(st.booleans())]
    dag = Dag.from_arcs(names, arcs)
    for graph in (dag, dag.cpdag):
        labels = dict.fromkeys(graph.arcs, 0.25)
        assert parse_graph(format_dot(graph, labels=labels).encode(), "dot") == plain(graph)
        assert parse_graph(format_graphml(graph, labels=labels).encode(), "graphml") == plain(graph)
        edges = [] if isinstance(graph, Dag) else graph.edges
        text = json.dumps({"variables": graph.names, "arcs": graph.arcs, "undirected": edges})
        assert parse_graph(text.encode(), "json") == plain(graph)


@given(random_dags(max_nodes=6))
def test_what_networkx_writes(dag: Dag) -> None:
    directed, undirected = dag.to_networkx(), nx.Graph(dag.to_networkx())
    skeleton = Pdag.from_edges(dag.names, [], dag.cpdag.skeleton)
    with tempfile.TemporaryDirectory() as folder:
        for graph, expected in ((directed, dag), (undirected, plain(skeleton))):
            nx.write_graphml(graph, f"{folder}/g.graphml")
            assert read_graph(f"{folder}/g.graphml") == expected
            Path(f"{folder}/g.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
            assert read_graph(f"{folder}/g.json") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("digraph{a->b->c}", Dag.from_arcs("abc", [("a", "b"), ("b", "c")])),
        ('strict digraph "my net" {\n  rankdir=LR; node [shape=box, color = "red"];\n  b; a -> b\n}', "ba"),
        ('digraph G { // comment\n /* more\n lines */ a -> b [label="0.9; [x]"] ;}', "ab"),
        ("digraph {\n# of another program\n subgraph cluster_0 { label=x; a; } { b } a:port:ne -> b }", "ab"),
        ('digraph { a -> "b" [dir=forward][weight=2,penwidth=.5]; }', "ab"),
        ("digraph { b -> a [dir=back] }", "ba"),
        ('digraph { a -> "long \\\nname" }', Dag.from_arcs(["a", "long name"], [("a", "long name")])),
        ('digraph { "a" + "b" -> -1.5 }', Dag.from_arcs(["ab", "-1.5"], [("ab", "-1.5")])),
        ("graph { a -- b }", Pdag.from_edges("ab", [], [("a", "b")])),
        ("digraph { a -> b [dir=none] }", Pdag.from_edges("ab", [], [("a", "b")])),
        ("digraph { a b }", Dag.from_arcs("ab", [])),
    ],
)
def test_forms_of_dot(text: str, expected: Dag | Pdag | str) -> None:
    wanted = Dag.from_arcs(expected, [("a", "b")]) if isinstance(expected, str) else expected
    assert parse_graph(text.encode(), "dot") == wanted


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        ("dot", "", "line 1, column 1: expected 'digraph' or 'graph', found the end"),
        ("dot", "digraph {\n a -> ;}", "line 2, column 7: expected a node"),
        ("dot", "digraph { a -- b }", "expected '->'"),
        ("dot", "digraph { a -> b", "expected a node, found the end"),
        ("dot", "digraph { a -> {b c} }", "a whole subgraph"),
        ("dot", "digraph { {b c} -> a }", "a whole subgraph"),
        ("dot", "digraph { a -> <b> }", "HTML"),
        ("dot", "digraph { a -> b; b -> a }", "not acyclic"),
        ("dot", "digraph { }", "no node"),
        ("dot", "digraph { a } b", "expected the end"),
        ("dot", 'digraph { "a }', "unexpected text"),
        ("graphml", "", "no element found"),
        ("graphml", "<graphml><graph><node/></graph></graphml>", "'node' has no attribute 'id'"),
        ("graphml", "<graphml><graph><node id='a'/><node id='a'/></graph></graphml>", "twice"),
        ("graphml", "<graphml><graph><edge source='a' target='b'/><node id='a'/></graph></graphml>", "node 'b'"),
        ("graphml", "<graphml><graph></graph></graphml>", "no node"),
        ("graphml", "<html></html>", "no graph element"),
        ("graphml", "<!DOCTYPE x [<!ENTITY a 'aaaa'>]><graphml/>", "a document type is not read"),
        ("graphml", "<?xml version='1.0' encoding='nonsense'?><graphml/>", "unknown encoding"),
        ("json", "[", "not JSON"),
        ("json", "[]", "a graph is an object"),
        ("json", "{}", "there is no key 'arcs'"),
        ("json", '{"arcs": [["a"]]}', "a list of pairs"),
        ("json", '{"arcs": [["a", "c"]], "variables": ["a", "b"]}', "unknown node 'c'"),
        ("json", '{"nodes": [1], "links": []}', "a node needs an 'id'"),
        ("json", "[" * 100_000, "not JSON"),
        ("csv", "a\xff", "2 names|1 names"),
    ],
)
def test_bad_files_say_where(kind: str, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as refused:
        parse_graph(text.encode(), kind, source="FILE")
    assert str(refused.value).count("FILE") == 1
    assert not str(refused.value).endswith("..")


@given(st.sampled_from(["dot", "json", "graphml"]), st.text(alphabet='ab{}[]->"=;, \n<>/graph', max_size=40))
def test_any_text_is_read_or_refused(kind: str, text: str) -> None:
    try:
        graph = parse_graph((("digraph {" + text) if kind == "dot" else text).encode(), kind)
    except FormatError:
        return
    assert isinstance(graph, Dag | Pdag | ArcList)


def test_igraph_names_its_nodes_by_an_attribute() -> None:
    text = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="v_name" for="node" attr.name="name"/>
    <graph id="G" edgedefault="directed"><node id="n0"><data key="v_name">smoke</data></node>
    <node id="n1"><data key="v_name">cough</data></node><edge source="n0" target="n1"/></graph></graphml>"""
    assert parse_graph(text.encode(), "graphml") == Dag.from_arcs(["smoke", "cough"], [("smoke", "cough")])


def test_the_suffix_says_how_it_is_written(tmp_path: Path) -> None:
    dag = Dag.from_arcs("ab", [("a", "b")])
    write_structure(tmp_path / "g.txt.gz", dag)
    assert read_graph(tmp_path / "g.txt.gz") == dag
    (tmp_path / "g.json").write_text('{"result": {"arcs": [["a", "b"]]}}')
    assert read_graph(tmp_path / "g.json") == ArcList((("a", "b"),), ())
    (tmp_path / "g.GV").write_bytes(b"\xef\xbb\xbfdigraph { a -> b }")
    assert read_graph(tmp_path / "g.GV") == dag
    (tmp_path / "g.xyz").write_text("a")
    with pytest.raises(FormatError, match=r"known are \.txt, \.str, \.csv, \.dot, \.gv, \.graphml, \.json"):
        read_graph(tmp_path / "g.xyz")
    (tmp_path / "g.dot").write_bytes(b"digraph { \xff }")
    with pytest.raises(FormatError, match=r"column 11: byte 0x.. is not UTF-8"):
        read_graph(tmp_path / "g.dot")
