"""Directions for open edges under limits of single variables: found whenever there are any."""

from __future__ import annotations

import inspect
import itertools
import sys

import numpy as np

from arcwise.confidence.arc_rules import ArcRules, extended_within
from arcwise.errors import GraphError
from arcwise.graph import Constraints, Dag


def allowed_dags(
    names: tuple[str, ...], parents: list[set[int]], open_edges: list[tuple[int, int]], limits: list[int]
) -> list[Dag]:
    """All ways to direct the edges without a cycle, a v-structure more or a parent too many."""
    joined = {frozenset(edge) for edge in open_edges} | {
        frozenset((tail, head)) for head, own in enumerate(parents) for tail in own
    }
    found = []
    for turned in itertools.product((False, True), repeat=len(open_edges)):
        ways = [edge[::-1] if turn else edge for edge, turn in zip(open_edges, turned, strict=True)]
        own = [set(ps) for ps in parents]
        for tail, head in ways:
            own[head].add(tail)
        if any(len(ps) > most for ps, most in zip(own, limits, strict=True)):
            continue
        if any(frozenset((tail, other)) not in joined for tail, head in ways for other in own[head] - {tail}):
            continue
        try:
            found.append(Dag(names, own))
        except GraphError:
            continue
    return found


def test_a_way_is_found_if_there_is_one() -> None:
    names, outcomes = tuple("abcdef"), []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(names)).tolist()
        parents: list[set[int]] = [set() for _ in names]
        open_edges = []
        for tail, head in itertools.combinations(order, 2):
            kind = rng.random()
            if kind < 0.04:
                parents[head].add(tail)
            elif kind < 0.5:
                open_edges.append((tail, head) if rng.random() < 0.5 else (head, tail))
        limits = rng.integers(1, 4, len(names)).tolist()
        limits = [max(most, len(own)) for most, own in zip(limits, parents, strict=True)]
        rules = ArcRules(Constraints(names, max_parents_of=dict(zip(names, limits, strict=True))))
        found = extended_within(names, parents, open_edges, rules)
        ways = allowed_dags(names, parents, open_edges, limits)
        assert found in ways if ways else found is None
        outcomes.append(len(ways) > 0)
    assert 40 < sum(outcomes) < 160


def test_edges_by_the_thousand_do_not_exhaust_the_stack() -> None:
    names = tuple(f"v{i}" for i in range(150))
    rules = ArcRules(Constraints(names, max_parents_of={"v5": 0}))
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 100)
    try:
        found = extended_within(names, [set() for _ in names], list(itertools.pairwise(range(150))), rules)
    finally:
        sys.setrecursionlimit(before)
    assert found is not None
    assert found.parents_of("v5") == ()
    assert len(found.arcs) == 149
