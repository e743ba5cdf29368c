"""What a writer writes its reader reads back equal, or the writer refuses it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arcwise.data import Dataset, Table, read_data, read_table, write_data, write_table
from arcwise.errors import DataError, FormatError
from arcwise.graph import (
    Dag,
    Pdag,
    read_graph,
    write_adjacency,
    write_arc_list,
    write_dot,
    write_graphml,
    write_structure,
)

FORMATS = ("csv", "tsv", "arff", "parquet")
NASTY = [
    *("NA", "?", "null", "nan", "", " ", "a\nb", "a\rb", 'a"b', "a\tb", "#x", "%x", "{x", "x}", "a\\", "b'", "\x01"),
    *("\u3000x", "\xa0", "\x1cx", "1", "1.0", "\ufeffx", "=1+1", "a\u2028b", "a\x85b", "\ud800", "a\0b", "@relation x"),
    *("PAR1", "<?xml", "network a", "x", "'", '"', ",", "N/A", "\\n", "é", "\x7f", "\\", "x" * 300_000),
]
TEXT = st.one_of(st.sampled_from(NASTY), st.text(max_size=8))


def read_back(data: Dataset, path: Path) -> Dataset:
    states = {} if path.suffix in (".arff", ".parquet") else {"states": dict(zip(data.names, data.states, strict=True))}
    return read_data(path, categorical=True, progress=False, **states)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::arcwise.errors.DataWarning")
@pytest.mark.parametrize("kind", FORMATS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    names=st.lists(TEXT, min_size=2, max_size=3, unique=True),
    labels=st.lists(TEXT, min_size=2, max_size=4, unique=True),
)
def test_data(tmp_path: Path, kind: str, names: list[str], labels: list[str]) -> None:
    codes = np.array([[k % len(labels)] * len(names) for k in range(len(labels) + 1)])
    try:
        data = Dataset.from_codes(codes, names=names, states=[labels] * len(names))
    except DataError:
        return
    path = tmp_path / f"data.{kind}"
    try:
        write_data(data, path)
    except (FormatError, DataError) as error:
        assert "cannot write" in str(error)
        assert not path.exists()
        return
    found = read_back(data, path)
    assert found.names == data.names
    assert found.states == data.states
    assert np.array_equal(found.codes, data.codes)
    path.unlink()


@pytest.mark.parametrize("state", ["NA", "?", "null", "nan"])
@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_a_state_that_means_missing(tmp_path: Path, state: str, kind: str) -> None:
    data = Dataset.from_codes([[0, 1], [1, 0], [0, 0]], names=["v", "w"], states=[[state, "x"], ["0", "1"]])
    with pytest.raises(FormatError, match="which readers take for a missing value"):
        write_data(data, tmp_path / f"data.{kind}")
    write_data(data, tmp_path / "data.arff")
    assert read_data(tmp_path / "data.arff", progress=False).states == data.states


WRITERS = {
    "a.txt": write_structure,
    "a.csv": write_adjacency,
    "b.csv": write_arc_list,
    "a.dot": write_dot,
    "a.graphml": write_graphml,
}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(names=st.lists(TEXT.filter(bool), min_size=4, max_size=4, unique=True), mixed=st.booleans())
def test_graphs(tmp_path: Path, name: str, names: list[str], mixed: bool) -> None:
    a, b, c, d = names
    try:
        graph = Pdag.from_edges(names, [(a, b)], [(c, d)]) if mixed else Dag.from_arcs(names, [(a, b), (b, c), (a, d)])
    except ValueError:
        assert any("\ud800" <= character <= "\udfff" for text in names for character in text)
        return
    if mixed and name == "a.txt":
        return
    path = tmp_path / name
    try:
        WRITERS[name](path, graph)  # type: ignore[operator]
    except FormatError as error:
        assert "cannot" in str(error)
        return
    found = read_graph(path)
    if name == "b.csv":
        assert set(found.arcs) == set(graph.arcs)
        undirected = graph.edges if isinstance(graph, Pdag) else ()
        assert set(map(frozenset, found.edges)) == set(map(frozenset, undirected))
    else:
        assert found == graph
    path.unlink()


def test_networkx_reads_a_graph_with_edges_of_both_kinds(tmp_path: Path) -> None:
    import networkx

    graph = Pdag.from_edges(["a", "b", "c"], [("a", "b")], [("b", "c")])
    write_graphml(tmp_path / "a.graphml", graph, labels={("a", "b"): 0.5, ("b", "c"): 0.25})
    found = networkx.read_graphml(tmp_path / "a.graphml")
    assert set(found.edges) == {("a", "b"), ("b", "c"), ("c", "b")}
    assert found.edges["c", "b"]["confidence"] == 0.25
    assert read_graph(tmp_path / "a.graphml") == graph
    write_graphml(tmp_path / "b.graphml", Pdag.from_edges(["a", "b"], [], [("a", "b")]))
    assert not networkx.read_graphml(tmp_path / "b.graphml").is_directed()


def test_tables_with_names_that_differ_only_in_case_are_written_and_read_back(tmp_path: Path) -> None:
    table = Table.from_dataframe(pd.DataFrame({"a": ["x", None, "y"], "A": [1.5, 2.5, None]}))
    for suffix in FORMATS:
        path = tmp_path / f"table.{suffix}"
        write_table(table, path)
        again = read_table(path, progress=False)
        assert again.names == ("a", "A")
        assert again.to_dataframe().astype(object).fillna("-").equals(table.to_dataframe().astype(object).fillna("-"))
