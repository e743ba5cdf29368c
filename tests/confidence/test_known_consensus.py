"""The consensus under constraints: valid whatever the confidences are; every edge left out has its reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles.random_constraints import random_constraints

from arcwise.confidence import EdgeConfidence, Fate, consensus_network, edge_confidence
from arcwise.data import Dataset
from arcwise.ensemble import NetworkSet, Recipe, bootstrap_networks
from arcwise.errors import ConstraintError
from arcwise.graph import Constraints, Dag, FixedPairs
from arcwise.graph.constraints import broken_rules


def random_confidence(names: tuple[str, ...], rng: np.random.Generator, **options: Any) -> EdgeConfidence:
    """Any numbers that are probabilities: directed, undirected or absent, some of them equal."""
    n = len(names)
    directed, undirected = np.zeros((n, n)), np.zeros((n, n))
    kind = rng.integers(0, 3)
    for i in range(n):
        for j in range(i):
            shares = rng.dirichlet([0.5] * 4) if kind else rng.permutation([0.8, 0.2, 0.0, 0.0])
            if kind == 2:
                shares = np.array([0.0, 0.0, *rng.dirichlet([1, 1])])
            directed[i, j], directed[j, i], undirected[i, j] = shares[:3]
            undirected[j, i] = shares[2]
    return EdgeConfidence(
        names=names,
        directed=directed,
        undirected=undirected,
        orient="cpdag",
        origin="test",
        n_networks=10,
        weights="equal",
        exact=False,
        **options,
    )


def reaches(dag: Dag, source: str, target: str) -> bool:
    stack, seen = [target], set()
    while stack:
        v = stack.pop()
        if v == source:
            return True
        if v not in seen:
            seen.add(v)
            stack.extend(dag.parents_of(v))
    return False


@pytest.mark.parametrize("number", range(400))
def test_no_result_violates_the_constraints(number: int) -> None:
    rng = np.random.default_rng(number)
    n = 20 if number % 20 == 0 else int(rng.integers(2, 6))
    names = tuple(f"v{i}" for i in range(n))
    constraints = random_constraints(names, rng)
    given = random_confidence(names, rng)
    threshold = float(rng.choice([0.0, 0.3, 0.5, 1.0]))
    result = consensus_network(given, threshold, constraints=constraints)
    dag, pattern = result.dag, result.pattern
    assert constraints.violations(dag) == []
    assert set(pattern.arcs) <= set(dag.arcs)
    assert set(pattern.skeleton) == set(dag.cpdag.skeleton)
    fixed = FixedPairs.by_constraints(constraints)
    for graph in (pattern, result.cpdag):
        assert set(constraints.required) <= set(graph.arcs)
        assert not any(fixed.fixes(a, b) for a, b in graph.edges)
        assert not any(a in constraints.forbidden_parents(b) for a, b in graph.arcs)
    assert result.cpdag == fixed.class_of(dag)
    # Every significant or required pair is there once, and its fate is true.
    pairs = [frozenset((e.tail, e.head)) for e in result.edges]
    assert len(set(pairs)) == len(pairs)
    wanted = {frozenset((p.first, p.second)) for p in given.pairs if p.present > threshold}
    assert set(pairs) == wanted | {frozenset(arc) for arc in constraints.required}
    assert [e.present for e in result.edges] == sorted((e.present for e in result.edges), reverse=True)
    full = {x for x in names if len(dag.parents_of(x)) >= constraints.max_parents_of(x)}
    for edge in result.edges:
        tail, head = edge.tail, edge.head
        assert edge.fate.in_network == ((tail, head) in dag.arcs)
        assert edge.fate.is_arc == ((tail, head) in pattern.arcs)
        assert (edge.fate is Fate.REQUIRED) == ((tail, head) in constraints.required)
        assert edge.fate.is_left_out == bool(edge.fate.reason) == (edge in result.dropped)
        ways = [(a, b) for a, b in ((tail, head), (head, tail)) if a not in constraints.forbidden_parents(b)]
        assert (edge.fate is Fate.FORBIDDEN) == (not ways)
        if edge.fate is Fate.DROPPED:
            assert reaches(dag, head, tail)
        if edge.fate is Fate.LIMITED:
            assert head in full or tail in full
            assert all(b in full or reaches(dag, b, a) for a, b in ways) or head in full


@pytest.mark.parametrize("number", range(60))
def test_no_constraint_changes_nothing(number: int) -> None:
    rng = np.random.default_rng(number)
    names = tuple("abcdef")
    given = random_confidence(names, rng)
    plain = consensus_network(given, 0.3)
    trivial = consensus_network(given, 0.3, constraints=Constraints(names))
    assert (plain.dag, plain.pattern, plain.edges) == (trivial.dag, trivial.pattern, trivial.edges)
    assert plain.cpdag == plain.dag.cpdag


def test_constraints_come_with_the_confidence(tmp_path: Any) -> None:
    names = ("a", "b", "c")
    constraints = Constraints(names, required=[("b", "a")], forbidden=[("a", "c"), ("c", "a")])
    rng = np.random.default_rng(1)
    for given in (
        random_confidence(names, rng, constraints=constraints),
        random_confidence(names, rng, recipe=Recipe.of("credible", constraints=constraints)),
    ):
        given.save(tmp_path / "confidence.parquet")
        for known in (given, EdgeConfidence.load(tmp_path / "confidence.parquet")):
            result = consensus_network(known, 0.999)
            assert result.dag.arcs == (("b", "a"),)
            assert [edge.fate for edge in result.edges] == [Fate.REQUIRED]
            assert result.constraints == constraints
            free = consensus_network(known, 0.999, constraints=Constraints(names))
            assert free.edges == () and free.constraints is None
    by_experiments = random_confidence(names, rng, targets=(("a",), ("b", "c")))
    by_experiments.save(tmp_path / "confidence.parquet")
    read = EdgeConfidence.load(tmp_path / "confidence.parquet")
    assert read.targets == (("a",), ("b", "c"))
    assert read.fixed == FixedPairs.by_targets(names, read.targets)


def test_an_averaged_bootstrap_keeps_what_every_network_has() -> None:
    rng = np.random.default_rng(5)
    data = Dataset.from_codes(rng.integers(0, 2, size=(40, 4)), names=list("abcd"))
    constraints = Constraints(data.names, required=[("d", "a")], max_parents=1)
    networks = bootstrap_networks(data, "bic", replicates=5, constraints=constraints, seed=1, progress=False)
    result = consensus_network(edge_confidence(networks), 0.0)
    assert constraints.allows_dag(result.dag)
    assert result.constraints == constraints


def test_an_edge_that_knowledge_directs_is_directed() -> None:
    chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    undirected = edge_confidence(NetworkSet.from_dags([chain], origin="test"))
    result = consensus_network(undirected, 0.5, constraints=Constraints(chain.names, tiers=[["a"], ["b", "c"]]))
    assert result.pattern.arcs == result.cpdag.arcs == (("a", "b"), ("b", "c"))
    assert {edge.fate for edge in result.edges} == {Fate.KEPT}


def chain_data() -> Dataset:
    rng = np.random.default_rng(0)
    a = rng.integers(0, 2, 400)
    b = a ^ (rng.random(400) < 0.2)
    c = b ^ (rng.random(400) < 0.2)
    return Dataset.from_codes(np.array([a, b, c]).astype(int).T, names=list("abc"))


@pytest.mark.parametrize("options", [{"max_parents_of": {"c": 0}}, {"roots": ["c"]}])
def test_a_limit_of_no_parents_is_a_root(options: dict[str, Any]) -> None:
    data = chain_data()
    constraints = Constraints(data.names, **options)
    networks = Recipe.of("credible", "bdeu:ess=1", constraints=constraints, bayes_factor=3).run(data)
    confidence = edge_confidence(networks)
    assert confidence.orient == "cpdag"
    assert not confidence.undirected.any()
    result = consensus_network(confidence, 0.5)
    assert result.dag.arcs == result.cpdag.arcs == (("b", "a"), ("c", "b"))
    assert {edge.fate for edge in result.edges} == {Fate.KEPT}


def test_limits_of_single_variables_are_read_from_the_arcs() -> None:
    data = chain_data()
    constraints = Constraints(data.names, required=[("a", "b")], max_parents_of={"c": 1})
    networks = Recipe.of("credible", "bdeu:ess=1", constraints=constraints, bayes_factor=3).run(data)
    assert edge_confidence(networks).orient == "dag"
    sample = bootstrap_networks(data, "bic", replicates=3, constraints=constraints, seed=1, progress=False)
    assert edge_confidence(sample).orient == "cpdag"  # of each class it has but one member


@pytest.mark.parametrize("limits", [{x: 1} for x in "abcd"] + [{x: 2 for x in "abcd" if x != y} for y in "abcd"])
def test_open_edges_find_the_member_that_the_limits_allow(limits: dict[str, int]) -> None:
    names = tuple("abcd")
    clique = Dag(names, [[], [0], [0, 1], [0, 1, 2]])
    undirected = edge_confidence(NetworkSet.from_dags([clique], origin="test"))
    constraints = Constraints(names, max_parents_of=limits)
    result = consensus_network(undirected, 0.5, constraints=constraints)
    assert result.dropped == ()
    assert len(result.dag.arcs) == 6 and constraints.allows_dag(result.dag)
    assert result.dag.cpdag == clique.cpdag


def test_a_pattern_without_room_is_closed_too() -> None:
    # a -> b is required and b - c follows it; d - e - f is a triangle that cannot be had.
    names = tuple("abcdef")
    dag = Dag.from_arcs(names, [("a", "b"), ("b", "c"), ("d", "e"), ("d", "f"), ("e", "f")])
    undirected = edge_confidence(NetworkSet.from_dags([dag], origin="test"))
    constraints = Constraints(names, required=[("a", "b")], max_parents_of=dict.fromkeys("def", 1))
    result = consensus_network(undirected, 0.5, constraints=constraints)
    assert [edge.fate for edge in result.dropped] == [Fate.LIMITED]
    assert result.pattern.arcs == (("a", "b"), ("b", "c"))
    assert constraints.allows_dag(result.dag)


def test_nothing_is_open_under_constraints_on_ancestors() -> None:
    data = chain_data()
    constraints = Constraints(data.names, ancestors=[("a", "c")])
    networks = Recipe.of("credible", "bdeu:ess=1", constraints=constraints, bayes_factor=3).run(data)
    confidence = edge_confidence(networks)
    assert confidence.orient == "dag" and not confidence.undirected.any()
    result = consensus_network(confidence, 0.5)
    assert result.cpdag.arcs == result.dag.arcs == (("a", "b"), ("b", "c"))
    assert broken_rules(result.cpdag, constraints) == []


def test_the_order_of_the_constraints_variables_does_not_matter() -> None:
    names = ("a", "b", "c", "d")
    pairs = [(x, y) for x in names for y in names if x != y]
    tried = 0
    for number in range(60):
        rng = np.random.default_rng(number)
        confidence = random_confidence(names, rng)
        said = {"ancestors": [("a", "d")], "forbidden": [pairs[k] for k in rng.choice(len(pairs), 3, replace=False)]}
        try:
            rules = Constraints(names, **said)
        except ConstraintError:  # there is no way to d
            continue
        tried += 1
        found = consensus_network(confidence, 0.9, constraints=rules)
        assert consensus_network(confidence, 0.9, constraints=Constraints(names[::-1], **said)).dag == found.dag
    assert tried > 40
