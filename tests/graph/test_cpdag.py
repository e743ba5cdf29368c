from __future__ import annotations

import math
import pickle
from collections import Counter
from itertools import product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.twins.classes import compelled_parents_twin

from arcwise.errors import GraphError
from arcwise.graph import Cpdag, Dag, Pdag

from .conftest import Class, random_dags
from .test_dag import CANCER


def test_liao_example_2_2() -> None:
    cpdag = CANCER.cpdag
    assert set(cpdag.arcs) == {("P", "C"), ("S", "C"), ("C", "D"), ("B", "D"), ("C", "X")}
    assert cpdag.edges == (("S", "B"),)
    # Figure 2.4: the class has two DAGs.
    assert cpdag.size == 2
    assert {frozenset(dag.arcs) - frozenset(cpdag.arcs) for dag in cpdag.members()} == {
        frozenset({("S", "B")}),
        frozenset({("B", "S")}),
    }


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_every_small_class_against_brute_force(
    small_classes: dict[int, dict[Class, list[Dag]]], n: int, count: int
) -> None:
    """The class counts are those of OEIS A007984; arcs of a CPDAG are those that all DAGs of the class share."""
    groups = small_classes[n]
    assert len(groups) == count
    for dags in groups.values():
        shared = frozenset.intersection(*(frozenset(dag.arcs) for dag in dags))
        (cpdag,) = {dag.cpdag for dag in dags}
        assert frozenset(cpdag.arcs) == shared
        assert len(cpdag.arcs) + len(cpdag.edges) == dags[0].n_arcs
        assert cpdag.size == len(dags)
        members = list(cpdag.members())
        assert len(members) == len(dags)
        assert set(members) == set(dags)
        assert cpdag.to_dag() in cpdag


@given(random_dags(max_nodes=12))
def test_native_labels_equal_the_twin(dag: Dag) -> None:
    from arcwise.graph.nodes import bits

    assert [list(bits(mask)) for mask in compelled_parents_twin(dag)] == [list(ps) for ps in dag.cpdag.parents]


@given(st.integers(65, 150), st.integers(0, 2**32))
@settings(max_examples=20)
def test_more_nodes_than_a_machine_word(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    upper = np.triu(rng.random((n, n)) < 3 / n, 1)
    dag = Dag.from_adjacency(upper[np.ix_(order, order)])
    cpdag = dag.cpdag
    assert [sum(1 << p for p in ps) for ps in cpdag.parents] == compelled_parents_twin(dag)
    extension = cpdag.to_dag()
    assert extension.cpdag == cpdag
    assert extension.is_equivalent(dag)
    assert set(extension.v_structures) == set(dag.v_structures)


def chordal_graphs(n_nodes: int, extra: int, rng: np.random.Generator) -> Dag:
    """A connected DAG without v-structures: each new node gets a clique of the earlier ones as parents."""
    parents: list[list[int]] = [[]]
    for v in range(1, n_nodes):
        anchor = int(rng.integers(v))
        pool = [anchor, *parents[anchor]]
        size = int(rng.integers(1, min(len(pool), extra) + 1))
        parents.append(sorted({anchor, *rng.permutation(pool)[:size].tolist()}))
    return Dag([f"v{i}" for i in range(n_nodes)], parents)


@given(st.integers(2, 8), st.integers(1, 5), st.integers(0, 2**32))
@settings(max_examples=60)
def test_class_size_of_chordal_graphs_is_the_number_of_members(n: int, extra: int, seed: int) -> None:
    dag = chordal_graphs(n, extra, np.random.default_rng(seed))
    assert not dag.v_structures
    cpdag = dag.cpdag
    assert not cpdag.arcs
    members = list(cpdag.members())
    assert len(members) == len(set(members)) == cpdag.size
    assert all(member.cpdag == cpdag for member in members)


def test_class_sizes_with_known_formulas() -> None:
    def size(parents: list[list[int]]) -> int:
        return Dag([f"v{i}" for i in range(len(parents))], parents).cpdag.size

    # A complete graph has n! orientations, a tree one per root, a star one per node.
    assert size([list(range(v)) for v in range(60)]) == math.factorial(60)
    assert size([[v - 1] if v else [] for v in range(500)]) == 500
    assert size([[0] if v else [] for v in range(300)]) == 300
    # Two cliques of k nodes that share s: k! (k - s)! orientations begin with all of the one or of the other, and
    # s! (k - s)!^2 of them with the shared nodes, which are counted twice.
    k, s = 12, 5
    parents = [list(range(v)) for v in range(k)]
    parents += [[*range(s), *range(k, k + v)] for v in range(k - s)]
    f = math.factorial
    assert size(parents) == 2 * f(k) * f(k - s) - f(s) * f(k - s) ** 2
    # Independent components multiply: 1,200 pairs.
    assert size([[v - 1] if v % 2 else [] for v in range(2400)]) == 2**1200


def test_members_of_many_components_need_no_recursion() -> None:
    dag = Dag([f"v{i}" for i in range(2400)], [[v - 1] if v % 2 else [] for v in range(2400)])
    members = dag.cpdag.members()
    first, second = next(members), next(members)
    assert first != second
    assert first in dag.cpdag


def test_sample_is_uniform_over_the_class() -> None:
    dag = chordal_graphs(6, 3, np.random.default_rng(5))
    cpdag = dag.cpdag
    rng = np.random.default_rng(1)
    draws = 200 * cpdag.size
    counts = Counter(cpdag.sample(rng) for _ in range(draws))
    assert len(counts) == cpdag.size == 18
    chi_square = sum((c - 200) ** 2 / 200 for c in counts.values())
    assert chi_square < 17 + 4 * math.sqrt(2 * 17)


@given(random_dags())
def test_extension_of_partly_oriented_dags(dag: Dag) -> None:
    """A pattern (v-structures directed, the rest not) extends to the class; Meek's rules complete it."""
    collider_arcs = {(a, c) for a, c, _ in dag.v_structures} | {(b, c) for _, c, b in dag.v_structures}
    pattern = Pdag.from_edges(dag.names, collider_arcs, [arc for arc in dag.arcs if arc not in collider_arcs])
    assert pattern.extend().cpdag == dag.cpdag
    assert pattern.to_cpdag() == dag.cpdag
    closed = pattern.close()
    assert (closed.parents, closed.neighbours) == (dag.cpdag.parents, dag.cpdag.neighbours)


def test_meek_rules_with_background_knowledge_against_brute_force(
    small_classes: dict[int, dict[Class, list[Dag]]],
) -> None:
    """One known arc more: the closure has exactly the arcs that all members with that arc share (needs rule 4)."""
    for dags in small_classes[4].values():
        cpdag = dags[0].cpdag
        for a, b in cpdag.edges:
            known = Pdag.from_edges(cpdag.names, [*cpdag.arcs, (a, b)], [e for e in cpdag.edges if e != (a, b)])
            members = [frozenset(dag.arcs) for dag in dags if (a, b) in dag.arcs]
            assert frozenset(known.close().arcs) == frozenset.intersection(*members)


@given(random_dags(min_nodes=4, max_nodes=7), st.data())
@settings(max_examples=200)
def test_meek_rules_with_several_known_arcs(dag: Dag, choice: st.DataObject) -> None:
    cpdag = dag.cpdag
    free = [arc for arc in dag.arcs if arc not in set(cpdag.arcs)]
    known = [arc for arc in free if choice.draw(st.integers(0, 3)) == 0]
    edges = [edge for edge in cpdag.edges if edge not in known and edge[::-1] not in known]
    closed = Pdag.from_edges(cpdag.names, [*cpdag.arcs, *known], edges).close()
    members = [frozenset(member.arcs) for member in cpdag.members() if set(member.arcs) >= set(known)]
    assert frozenset(closed.arcs) == frozenset.intersection(*members)


@given(random_dags())
def test_round_trips(dag: Dag) -> None:
    cpdag = dag.cpdag
    assert Cpdag.from_edges(cpdag.names, cpdag.arcs, cpdag.edges) == cpdag
    assert Cpdag.from_adjacency(cpdag.to_adjacency(), names=cpdag.names) == cpdag
    assert Pdag.from_adjacency(cpdag.to_adjacency(), names=cpdag.names) == cpdag
    assert pickle.loads(pickle.dumps(cpdag)) == cpdag
    assert cpdag.reorder(cpdag.names[::-1]).reorder(cpdag.names) == cpdag
    graph = cpdag.to_networkx()
    assert graph.number_of_edges() == len(cpdag.arcs) + 2 * len(cpdag.edges)
    assert nx.Graph(graph).number_of_edges() == len(cpdag.skeleton) == dag.n_arcs


@pytest.mark.parametrize(
    ("arcs", "edges", "message"),
    [
        ([("a", "b")], [], "a -> b is reversible"),
        ([("a", "c"), ("b", "c")], [("c", "d")], "c -> d is compelled"),
        ([], [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], "no DAG has these edges"),
        ([("a", "b"), ("b", "a")], [], "not acyclic"),
        ([("a", "b")], [("b", "a")], "both an arc and an undirected edge"),
        ([], [("a", "a")], "own neighbour"),
        ([], [("a", "b"), ("b", "a")], "given twice"),
        ([], [("a", "z")], "edge a - z: unknown node"),
    ],
)
def test_what_is_not_a_cpdag_is_refused(
    arcs: list[tuple[str, str]], edges: list[tuple[str, str]], message: str
) -> None:
    with pytest.raises(GraphError, match=message):
        Cpdag.from_edges("abcd", arcs, edges)


def test_every_graph_over_three_nodes_is_a_cpdag_or_not(small_classes: dict[int, dict[Class, list[Dag]]]) -> None:
    valid = {(dags[0].cpdag.parents, dags[0].cpdag.neighbours) for dags in small_classes[3].values()}
    found = set()
    for matrix in product((0, 1), repeat=6):
        entries = np.zeros((3, 3), dtype=int)
        entries[~np.eye(3, dtype=bool)] = matrix
        try:
            graph = Pdag.from_adjacency(entries, names="abc")
        except GraphError:
            continue
        if graph.is_cpdag:
            found.add((graph.parents, graph.neighbours))
            assert Cpdag("abc", graph.parents, graph.neighbours) == graph
        else:
            with pytest.raises(GraphError):
                Cpdag("abc", graph.parents, graph.neighbours)
    assert found == valid


def test_meek_rules_refuse_a_contradiction() -> None:
    # a -> b - c <- d with a, c and b, d apart: b - c is forced both ways.
    with pytest.raises(GraphError, match="forced in both directions"):
        Pdag.from_edges("abcd", [("a", "b"), ("d", "c")], [("b", "c")]).close()
