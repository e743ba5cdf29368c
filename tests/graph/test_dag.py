from __future__ import annotations

import pickle

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.errors import GraphError
from arcwise.graph import Dag, all_dags, sparse_dag

from .conftest import random_dags

# Liao, Figure 2.1: the augmented CANCER network, reconstructed from its text (six edges; Examples 2.2 and 2.4).
CANCER = Dag.from_parents({"P": "", "S": "", "C": "PS", "B": "S", "X": "C", "D": "CB"})


def test_cancer_markov_blanket_is_the_one_in_the_text() -> None:
    assert set(CANCER.markov_blanket("C")) == {"P", "S", "X", "D", "B"}


def test_a_cycle_is_named() -> None:
    arcs = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")]
    with pytest.raises(GraphError, match=r"not acyclic: (b -> c -> d -> b|c -> d -> b -> c|d -> b -> c -> d)\."):
        Dag.from_arcs("abcde", arcs)


@pytest.mark.parametrize(
    ("names", "arcs", "message"),
    [
        ("ab", [("a", "a")], "'a' cannot be its own parent"),
        ("ab", [("a", "b"), ("a", "b")], "the arc a -> b is given twice"),
        ("ab", [("a", "c")], r"arc a -> c: unknown node 'c'\. Known: a, b\."),
        (["smoke", "cancer"], [("smoke", "cancr")], "did you mean 'cancer'"),
        ("aa", [], "two nodes have the name 'a'"),
        (["a", ""], [], "node 1 has the name ''"),
    ],
)
def test_what_is_not_a_dag_is_refused(names: str, arcs: list[tuple[str, str]], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Dag.from_arcs(names, arcs)


@pytest.mark.parametrize(
    ("parents", "message"),
    [([[], [2]], "0 to 1"), ([[-1], []], "parent -1"), ([[]], "2 names but 1 parent sets"), ([[1, 1], []], "twice")],
)
def test_wrong_positions_are_refused(parents: list[list[int]], message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Dag("ab", parents)


def test_many_unknown_names_do_not_flood_the_message() -> None:
    dag = Dag([f"v{i}" for i in range(1000)], [[]] * 1000)
    with pytest.raises(GraphError, match="and 970 more"):
        dag.index("w")
    with pytest.raises(GraphError, match="positions are 0 to 999"):
        dag.index(1000)


@given(random_dags())
def test_agrees_with_networkx(dag: Dag) -> None:
    graph = dag.to_networkx()
    assert nx.is_directed_acyclic_graph(graph)
    place = {v: i for i, v in enumerate(dag.topological_order)}
    assert all(place[dag.index(a)] < place[dag.index(b)] for a, b in dag.arcs)
    assert {frozenset(e) for e in dag.moral_edges} == {frozenset(e) for e in nx.moral_graph(graph).edges}
    assert {frozenset(e) for e in dag.moral_graph().edges} == {frozenset(e) for e in nx.moral_graph(graph).edges}
    assert {frozenset(e) for e in dag.skeleton} == {frozenset(e) for e in graph.edges}
    for name in dag.names:
        assert set(dag.ancestors(name)) == nx.ancestors(graph, name)
        assert set(dag.descendants(name)) == nx.descendants(graph, name)
        assert set(dag.parents_of(name)) == set(graph.predecessors(name))
        assert set(dag.children_of(name)) == set(graph.successors(name))
        parents_and_more = {*graph.predecessors(name), *graph.successors(name)}
        parents_and_more |= {p for c in graph.successors(name) for p in graph.predecessors(c)}
        assert set(dag.markov_blanket(name)) == parents_and_more - {name}


@given(random_dags(min_nodes=2, max_nodes=7), st.data())
def test_d_separation_agrees_with_networkx(dag: Dag, choice: st.DataObject) -> None:
    roles = choice.draw(st.lists(st.sampled_from("xyzo"), min_size=dag.n_nodes - 2, max_size=dag.n_nodes - 2))
    groups = {role: {n for n, r in zip(dag.names, ["x", "y", *roles], strict=True) if r == role} for role in "xyz"}
    expected = nx.is_d_separator(dag.to_networkx(), groups["x"], groups["y"], groups["z"])
    assert dag.d_separated(groups["x"], groups["y"], groups["z"]) == expected


@pytest.mark.parametrize("given", ["", "c", "d", "cd"])
def test_d_separation_in_every_dag_over_four_nodes(given: str) -> None:
    for dag in all_dags("abcd"):
        assert dag.d_separated("a", "b", list(given)) == nx.is_d_separator(dag.to_networkx(), {"a"}, {"b"}, set(given))


def test_d_separation_in_sparse_dags() -> None:
    rng = np.random.default_rng(0)
    found = set()
    for _ in range(300):
        dag = sparse_dag(12, rng, mean_parents=1.2)
        roles = rng.permutation(12)
        x, y, z = ({dag.names[v] for v in roles[a:b]} for a, b in ((0, 2), (2, 4), (4, 4 + rng.integers(6))))
        expected = nx.is_d_separator(dag.to_networkx(), x, y, z)
        assert dag.d_separated(x, y, z) == expected
        found.add(expected)
    assert found == {True, False}


def test_d_separation_wants_disjoint_sets() -> None:
    with pytest.raises(GraphError, match="'S' is in two"):
        CANCER.d_separated("S", "B", ["S"])
    with pytest.raises(GraphError, match="at least one node"):
        CANCER.d_separated([], "B")


@given(random_dags())
def test_interchange_round_trips(dag: Dag) -> None:
    assert Dag.from_networkx(dag.to_networkx()) == dag
    assert Dag.from_adjacency(dag.to_adjacency(), names=dag.names) == dag
    frame = pd.DataFrame(dag.to_adjacency(), index=list(dag.names), columns=list(dag.names))
    assert Dag.from_adjacency(frame) == dag
    assert Dag.from_arcs(dag.names, dag.arcs) == dag
    assert pickle.loads(pickle.dumps(dag)) == dag
    assert hash(Dag.from_arcs(dag.names, dag.arcs)) == hash(dag)


@given(random_dags(), st.randoms(use_true_random=False))
def test_reorder_and_relabel_keep_the_graph(dag: Dag, random: object) -> None:
    names = list(dag.names)
    random.shuffle(names)  # type: ignore[attr-defined]
    moved = dag.reorder(names)
    assert moved.names == tuple(names)
    assert set(moved.arcs) == set(dag.arcs)
    assert moved.reorder(dag.names) == dag
    assert moved.is_equivalent(dag)
    renamed = dag.relabel({dag.names[0]: "other"})
    assert renamed.names[0] == "other"
    assert renamed.parents == dag.parents
    assert dag.relabel(renamed.names) == renamed


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"square; this one has the shape \(2, 3\)"),
        ([["x", "y"], ["z", "w"]], "holds numbers"),
        ([[0.0, float("nan")], [0.0, 0.0]], "NaN"),
        ([[0, 1], [1, 0]], "not acyclic"),
        (pd.DataFrame([[0, 1], [0, 0]], index=["a", "b"], columns=["b", "a"]), "different nodes"),
    ],
)
def test_bad_matrices_are_refused(matrix: object, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        Dag.from_adjacency(matrix)


def test_reorder_names_what_differs() -> None:
    with pytest.raises(GraphError, match="b only here, c only there"):
        Dag("ab", [[], []]).reorder("ac")
    with pytest.raises(GraphError, match="undirected or a multigraph"):
        Dag.from_networkx(nx.Graph())


def test_parents_that_are_no_positions_are_refused() -> None:
    for wrong in ([[], [0.5]], [[], ["a"]], [[], 0]):
        with pytest.raises(GraphError, match="parents are given as positions"):
            Dag(["a", "b"], wrong)  # type: ignore[arg-type]


def test_a_long_cycle_is_told_briefly() -> None:
    with pytest.raises(GraphError, match=r"not acyclic: 0 -> 1 -> .* -> \.\.\. \(3,000 nodes\) \.\.\. -> 0\.") as found:
        Dag([str(v) for v in range(3000)], [[(v - 1) % 3000] for v in range(3000)])
    assert len(str(found.value)) < 300
