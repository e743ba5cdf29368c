from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import FormatError, GraphError
from arcwise.graph import (
    Dag,
    Pdag,
    format_structure,
    parse_structure,
    read_graph,
    read_graph_csv,
    read_structure,
    write_adjacency,
    write_arc_list,
    write_structure,
)
from arcwise.graph.files import read_arc_list

from .conftest import random_dags

LAU_A = "G [B]\nB []\nM [B, L]\nL []\n"


def test_lau_section_1_1() -> None:
    dag = parse_structure(LAU_A)
    assert dag.names == ("G", "B", "M", "L")
    assert set(dag.arcs) == {("B", "G"), ("B", "M"), ("L", "M")}
    assert format_structure(dag) == LAU_A
    assert parse_structure("G[B]B[ ]\r\n\r\nM [\tB,L ] L []") == dag


NAMES = st.lists(st.text(min_size=1, max_size=6).filter(str.strip), min_size=1, max_size=5, unique=True)


@given(NAMES, st.data())
def test_structure_round_trip_with_any_names(names: list[str], choice: st.DataObject) -> None:
    arcs = [(a, b) for i, b in enumerate(names) for a in names[:i] if choice.draw(st.booleans())]
    dag = Dag.from_arcs(names, arcs)
    try:
        text = format_structure(dag)
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate cannot be written at all
        return
    assert parse_structure(text) == dag


@given(st.text(alphabet='ab[], "\\\n', max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        dag = parse_structure(text)
    except FormatError:
        return
    assert parse_structure(format_structure(dag)) == dag


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no node"),
        ("M [B, L]\nB []", "line 1: parent 'L' of 'M' has no line"),
        ("M []\nB [M\n", r"line 2, column 5: expected '\]' after the parents of 'B', found the end"),
        ("M [B,]\nB []", r"line 1, column 6: expected a parent of 'M', found '\]"),
        ("M", r"expected '\[' after 'M', found the end"),
        ("\n\n[M]", r"line 3, column 1: expected a node, found '\[M\]'"),
        ("M []\nM []", "line 2: node 'M' is described twice"),
        ("M [B]\nB [M]", "not acyclic"),
        ("M [B, B]\nB []", "given twice"),
        ("M [M]", "own parent"),
        ('M ["B]', "not closed"),
        ('M ["\\q"]', "not a JSON string"),
        ('"" []', "not empty"),
    ],
)
def test_bad_structures_say_where(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        parse_structure(text)


def test_a_structure_whose_first_name_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    dag = Dag.from_arcs(["\ufeffa", "b"], [("\ufeffa", "b")])
    write_structure(tmp_path / "graph.txt", dag)
    assert read_graph(tmp_path / "graph.txt") == dag


def test_structure_files(tmp_path: Path) -> None:
    dag = parse_structure(LAU_A)
    for name in ("a.txt", "a.txt.gz"):
        write_structure(tmp_path / name, dag)
        assert read_structure(tmp_path / name) == dag
    (tmp_path / "bad.txt").write_bytes(b"M [\xff]")
    with pytest.raises(FormatError, match=r"bad\.txt: line 1, column 4: byte 0x.. is not UTF-8"):
        read_structure(tmp_path / "bad.txt")
    with pytest.raises(FormatError, match="cannot read"):
        read_structure(tmp_path / "absent.txt")


def test_a_megabyte_without_a_bracket_is_refused_at_once() -> None:
    with pytest.raises(FormatError, match="found the end"):
        parse_structure("x" * 2**20)
    with pytest.raises(FormatError, match="column 1"):
        parse_structure("[" * 2**20)
    with pytest.raises(FormatError, match="not closed"):
        parse_structure('"' + "\\" * 2**20)


@given(random_dags(max_nodes=6))
def test_csv_round_trips(dag: Dag) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for graph in (dag, dag.cpdag):
            write_adjacency(f"{folder}/a.csv", graph)
            again = read_graph_csv(f"{folder}/a.csv")
            assert again == (graph if isinstance(graph, Dag) or graph.edges else Dag(graph.names, graph.parents))
            write_arc_list(f"{folder}/l.csv.gz", graph)
            arcs = read_graph_csv(f"{folder}/l.csv.gz")
            again = arcs.graph(dag.names)
            assert again == (graph if isinstance(graph, Dag) or graph.edges else Dag(graph.names, graph.parents))


def test_forms_of_csv(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("a,b\n0,1\n0,0\n")
    assert read_graph_csv(path) == Dag.from_arcs("ab", [("a", "b")])
    path.write_text("a,b\na,0,1\nb,0,0\n")  # R's write.table: the header is one cell shorter
    assert read_graph_csv(path) == Dag.from_arcs("ab", [("a", "b")])
    path.write_text("node,a,b\na,0,1\nb,0,0\n")
    assert read_graph_csv(path) == Dag.from_arcs("ab", [("a", "b")])
    path.write_text('"","a","b"\n"a",0,1\n"b",1,0\n')
    assert read_graph_csv(path) == Pdag.from_edges("ab", [], [("a", "b")])
    path.write_text("from,to\na,b\nb,a\nb,c\n")  # bnlearn: an undirected edge is there in both directions
    assert read_arc_list(path).graph() == Pdag.from_edges("abc", [("b", "c")], [("a", "b")])
    path.write_text("From,To,kind\na,b,--\nb,c,\n")
    assert read_arc_list(path).graph("abcd") == Pdag.from_edges("abcd", [("b", "c")], [("a", "b")])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("a,b\n0,1\n", "2 names in the header but 1 rows"),
        ("a,b\n0,1\n0,2\n", "line 3: entry '2' for b -> b; write 0 or 1"),
        ("a,b\n0,1\n0\n", "line 3: 1 entries, expected 2"),
        (",a,b\na,0,1\nc,0,0\n", "line 3: row 'c' where 'b' was expected"),
        ("a,b,c\n0,1,0\n0,0,1\n1,0,0\n", "not acyclic"),
        ("from,to\na\n", "line 2: expected from,to"),
        ("from,to\na,b\na,b\n", "line 3: a,b was given on line 2 already"),
        ("from,to,kind\na,b,<-\n", "unknown kind '<-'"),
        ('from,to\n"a,b\n', "line 2"),
    ],
)
def test_bad_csv_says_where(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "g.csv"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_graph_csv(path)


def test_an_arc_list_is_not_a_matrix(tmp_path: Path) -> None:
    path = tmp_path / "g.csv"
    path.write_text("a,b\n0,1\n0,0\n")
    with pytest.raises(FormatError, match="header of an arc list"):
        read_arc_list(path)
    path.write_text("from,to\na,b\n")
    with pytest.raises(GraphError, match="unknown node 'b'"):
        read_arc_list(path).graph("ac")
