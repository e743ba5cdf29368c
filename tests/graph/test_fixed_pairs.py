"""Classes under knowledge and experiments, against the definition: grouping all DAGs and asking their members."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise.graph import Constraints, Dag, FixedPairs, Pdag, all_dags

NAMES = ("a", "b", "c", "d")
DAGS = list(all_dags(NAMES))


def members_by_definition(fixed: FixedPairs, dag: Dag) -> list[Dag]:
    """Return the Markov equivalent DAGs that agree with `dag` on the arcs of all fixed pairs."""
    return [
        other
        for other in dag.cpdag.members()
        if all(other.parent_masks[v] & fixed.masks[v] == dag.parent_masks[v] & fixed.masks[v] for v in range(4))
    ]


def shared_by(members: list[Dag]) -> Pdag:
    """Return the arcs that all members have, and the edges that they turn."""
    arcs = set.intersection(*(set(dag.arcs) for dag in members))
    edges = {tuple(sorted(arc)) for dag in members for arc in dag.arcs} - {tuple(sorted(arc)) for arc in arcs}
    at = {name: i for i, name in enumerate(members[0].names)}
    parents: list[list[int]] = [[] for _ in at]
    neighbours: list[list[int]] = [[] for _ in at]
    for a, b in arcs:
        parents[at[b]].append(at[a])
    for a, b in edges:
        neighbours[at[a]].append(at[b])
        neighbours[at[b]].append(at[a])
    return Pdag(members[0].names, parents, neighbours)


@given(pairs=st.sets(st.sampled_from(list(itertools.combinations(range(4), 2)))), position=st.integers(0, 542))
def test_class_is_what_all_members_share(pairs: set[tuple[int, int]], position: int) -> None:
    masks = [sum(1 << b for a, b in pairs if a == v) for v in range(4)]
    fixed, dag = FixedPairs(NAMES, masks), DAGS[position]
    assert fixed.class_of(dag) == shared_by(members_by_definition(fixed, dag))


@pytest.mark.parametrize("number", range(8))
def test_members_that_satisfy_constraints_share_the_directions(number: int) -> None:
    rng = np.random.default_rng(number)
    forbidden = [arc for arc in itertools.permutations(NAMES, 2) if rng.random() < 0.25]
    constraints = Constraints(NAMES, forbidden=forbidden, tiers=[["a", "c"], ["b"]] if number % 2 else ())
    fixed = FixedPairs.by_constraints(constraints)
    for dag in DAGS:
        if constraints.allows_dag(dag):
            allowed = [other for other in dag.cpdag.members() if constraints.allows_dag(other)]
            assert fixed.class_of(dag) == shared_by(allowed)


def test_experiments_direct_what_they_separate() -> None:
    chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    assert FixedPairs.by_targets(chain.names, [["c"]]).class_of(chain).edges == (("a", "b"),)
    assert FixedPairs.by_targets(chain.names, [["a"]]).class_of(chain).edges == ()
    assert FixedPairs.by_targets(chain.names, [["a", "b", "c"], []]).class_of(chain) == chain.cpdag


def test_union_and_order_of_variables() -> None:
    first = FixedPairs.by_targets(NAMES, [["a"]])
    second = FixedPairs.by_constraints(Constraints(NAMES, forbidden=[("b", "c")]))
    both = first | second.reorder(["d", "c", "b", "a"])
    assert both.fixes("a", "d") and both.fixes("c", "b") and not both.fixes("c", "d")
    assert FixedPairs(NAMES).is_empty and not both.is_empty
    for dag in DAGS[::37]:
        moved = dag.reorder(["d", "c", "b", "a"])
        assert both.class_of(moved) == both.class_of(dag)
        assert both.reorder(moved.names).class_of(dag).reorder(NAMES) == both.class_of(dag)
