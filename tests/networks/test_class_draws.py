"""Networks of a bootstrap stand for their classes where whole networks are needed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise.confidence.reach import family_reach
from arcwise.data import Dataset
from arcwise.effects import find_effect
from arcwise.ensemble import NetworkSet, bootstrap_networks
from arcwise.graph import Constraints, Dag
from arcwise.graph.classes import ClassMembers
from arcwise.graph.nodes import Orientations
from arcwise.networks.classes import drawn_from_classes
from arcwise.networks.network_list import concatenate


def chain_data(cases: int = 4000) -> Dataset:
    """a - b - c, each equal to the one before in nine cases of ten: every direction is open."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (cases, 3))
    for v in (1, 2):
        codes[:, v] = np.where(rng.random(cases) < 0.8, codes[:, v - 1], codes[:, v])
    return Dataset.from_codes(codes, names=list("abc"), states=[["n", "y"]] * 3)


def found_by_a_search(dags: list[Dag], **facts: Any) -> NetworkSet:
    return NetworkSet.from_dags(dags, origin="bootstrap", score={"name": "bic"}, facts=facts)


def test_an_effect_whose_direction_is_open_is_neither_certain_nor_impossible() -> None:
    data = chain_data()
    networks = bootstrap_networks(data, "bic", replicates=300, seed=1, progress=False)
    # Of the three members of the class, a leads to c in one and b to c in two.
    for cause, outcome, expected in (("a", "c", 1 / 3), ("c", "a", 1 / 3), ("a", "b", 1 / 3), ("b", "c", 2 / 3)):
        found = find_effect(networks, data, cause, outcome)
        assert 1 - found.no_effect == pytest.approx(expected, abs=4 * (expected * (1 - expected) / 300) ** 0.5)


def random_dag(n: int, density: float, seed: int) -> Dag:
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    arcs = [
        ("abcdef"[order[i]], "abcdef"[order[j]]) for i in range(n) for j in range(i + 1, n) if rng.random() < density
    ]
    return Dag.from_arcs("abcdef"[:n], arcs)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(2, 6), density=st.floats(0.2, 0.9), seed=st.integers(0, 2**32 - 1))
def test_draws_are_members_all_alike(n: int, density: float, seed: int) -> None:
    dag = random_dag(n, density, seed)
    drawn = drawn_from_classes(found_by_a_search([dag] * 60), seed)
    members = set(ClassMembers(dag))
    assert set(drawn) <= members
    assert len(members) == 1 or len(set(drawn)) > 1


def test_constraints_are_obeyed_and_copies_keep_their_arc() -> None:
    names = list("abcd")
    dag = Dag.from_arcs(names, [("a", "b"), ("b", "c"), ("a", "d")])
    chain = Dag.from_arcs(names, [("c", "b"), ("b", "a"), ("a", "d")])
    for known, allowed in (
        (Constraints(names, ancestors=[("c", "d")]), {chain}),
        (
            Constraints(names, required=[("b", "a")]),
            {chain, Dag.from_arcs(names, [("b", "a"), ("b", "c"), ("a", "d")])},
        ),
    ):
        drawn = drawn_from_classes(found_by_a_search([chain] * 50, constraints=known.describe()))
        assert set(drawn) == allowed
    copied = drawn_from_classes(found_by_a_search([dag] * 50, copies={"d": "a"}))
    assert all(one.parents_of("d") == ("a",) for one in copied) and len(set(copied)) == 3
    halves = [found_by_a_search([dag] * 20, copies={"d": "a"}) for _ in range(2)]
    assert all(one.parents_of("d") == ("a",) for one in drawn_from_classes(concatenate(halves)))


def test_other_sets_and_scores_that_tell_members_apart_stay_as_they_are() -> None:
    dag = Dag.from_arcs("abc", [("a", "b"), ("b", "c")])
    for origin, score in (
        ("posterior", "bic"),
        ("credible", "bic"),
        ("bootstrap", "k2"),
        ("bootstrap", "unknown"),
        ("bootstrap", ["bic"]),  # in a damaged file
    ):
        made = NetworkSet.from_dags([dag] * 20, origin=origin, score={"name": score})
        assert drawn_from_classes(made) is made
    reach = family_reach(found_by_a_search([dag] * 3000))
    assert reach.ancestor_probabilities()[0, 2] == pytest.approx(1 / 3, abs=0.05)
    assert (reach.standard_errors() < 0.02).all() and reach.standard_errors()[0, 2] > 0


def test_of_open_trees_one_source_alone_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all sources, 200 networks of 600 variables took four minutes."""
    names = [f"v{i}" for i in range(60)]
    tree = Dag(names, [[(v - 1) // 2] if v else [] for v in range(60)])
    looked: list[int] = []
    split = Orientations.split

    def noted(orientations: Orientations, component: int, source: int) -> Any:
        looked.append(source)
        return split(orientations, component, source)

    monkeypatch.setattr(Orientations, "split", noted)
    drawn = drawn_from_classes(found_by_a_search([tree] * 40))
    assert len(looked) == 40 and len(set(drawn)) > 20
    assert all(one.cpdag == tree.cpdag for one in drawn)


def open_class(variables: int, share: float, seed: int) -> Dag:
    """Return a network whose arcs are all open: each variable has one parent, or two that are joined."""
    rng = np.random.default_rng(seed)
    parents: list[tuple[int, ...]] = [(), (0,)]
    edges = [(0, 1)]
    for v in range(2, variables):
        pair = edges[rng.integers(len(edges))]
        own = pair if rng.random() < share else (int(rng.integers(v)),)
        parents.append(own)
        edges += [(p, v) for p in own]
    return Dag([f"v{v}" for v in range(variables)], parents)


@pytest.mark.parametrize("seed", range(20))
def test_members_by_source_are_counted_block_by_block(seed: int) -> None:
    dag = open_class(12, 0.5, seed)
    assert not dag.cpdag.arcs
    orientations = Orientations(dag.cpdag.neighbour_masks)
    (graph,) = dag.cpdag.chordal_masks
    splits = {v: orientations.split(graph, v) for v in range(12)}
    assert orientations._by_source(graph) == {v: orientations.product(s[1]) for v, s in splits.items() if s is not None}
    assert sum(orientations._by_source(graph).values()) == orientations.count(graph)


def test_a_member_of_a_large_open_class_is_drawn_without_trying_every_source(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree of 400 variables with 40 triangles took a second a draw."""
    tried: list[int] = []
    split = Orientations.split

    def noted(self: Orientations, component: int, source: int) -> Any:
        tried.append(component.bit_count())
        return split(self, component, source)

    monkeypatch.setattr(Orientations, "split", noted)
    dag = open_class(400, 0.1, 1)
    drawn = ClassMembers(dag).draw(np.random.default_rng(1))
    assert drawn.cpdag == dag.cpdag and drawn != dag
    assert sum(size > 50 for size in tried) < 10
