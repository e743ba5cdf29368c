"""Random graphs for property tests, and every small DAG for brute force."""

from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import strategies as st

from arcwise.graph import Dag, all_dags

Class = tuple[frozenset[tuple[str, str]], frozenset[tuple[str, str, str]]]


@st.composite
def random_dags(draw: st.DrawFn, min_nodes: int = 1, max_nodes: int = 9) -> Dag:
    """DAGs of every density; names are the positions, shuffled against the topological order."""
    n = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(n)))
    parents: list[list[int]] = [[] for _ in range(n)]
    for later in range(n):
        for earlier in range(later):
            if draw(st.booleans()):
                parents[order[later]].append(order[earlier])
    return Dag([f"v{i}" for i in range(n)], parents)


def brute_force_class(dag: Dag) -> Class:
    """Skeleton and v-structures, straight from the arcs (Liao, Theorem 2.1)."""
    arcs = set(dag.arcs)
    skeleton = frozenset(tuple(sorted(arc)) for arc in arcs)
    colliders = frozenset(
        (a, child, b) for a, child in arcs for b, other in arcs if child == other and a < b and (a, b) not in skeleton
    )
    return skeleton, colliders


@pytest.fixture(scope="session")
def small_classes() -> dict[int, dict[Class, list[Dag]]]:
    """All DAGs over up to five nodes, grouped by skeleton and v-structures."""
    result: dict[int, dict[Class, list[Dag]]] = {}
    for n in range(1, 6):
        groups: dict[Class, list[Dag]] = defaultdict(list)
        for dag in all_dags("abcde"[:n]):
            groups[brute_force_class(dag)].append(dag)
        result[n] = dict(groups)
    return result
