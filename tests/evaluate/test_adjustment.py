"""Adjustment distances against their definitions, by brute force on all small graphs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from arcwise.errors import GraphError, UnknownNameError
from arcwise.evaluate import adjustment_distance, sid
from arcwise.graph import Dag, all_dags

pytest.importorskip("gadjid", reason="gadjid is an optional extra: pip install 'arcwise[adjustment]'")


def valid(true: Dag, t: str, y: str, given: set[str]) -> bool:
    """The generalised adjustment criterion in a DAG (Perkovic et al. 2018), straight from its definition."""
    downstream = {*true.descendants(t), t}
    on_paths = {v for v in downstream if v == y or y in true.descendants(v)} - {t}
    forbidden = {d for v in on_paths for d in (v, *true.descendants(v))}
    if given & forbidden or t in given or y in given:
        return False
    back_door = Dag.from_arcs(true.names, [(a, b) for a, b in true.arcs if not (a == t and b in on_paths)])
    return back_door.d_separated(t, y, sorted(given))


def brute_force(true: Dag, learned: Dag, strategy: str) -> int:
    mistakes = 0
    for t, y in itertools.permutations(true.names, 2):
        no_effect = y not in true.descendants(t)
        by_parents = strategy in ("sid", "parent")
        proposes_none = y in learned.parents_of(t) if by_parents else y not in learned.descendants(t)
        if proposes_none:
            mistakes += not no_effect
        else:
            if strategy == "ancestor":
                given = set(learned.ancestors(t))
            elif strategy == "optimal":
                causal = {v for v in learned.descendants(t) if v == y or y in learned.descendants(v)}
                below = {d for v in causal for d in (v, *learned.descendants(v))} | {t}
                given = {p for v in causal for p in learned.parents_of(v)} - below
            else:
                given = set(learned.parents_of(t))
            mistakes += not valid(true, t, y, given)
    return mistakes


def some_pairs(n: int, count: int) -> list[tuple[Dag, Dag]]:
    graphs = list(all_dags(tuple("abcd"[:n])))
    rng = np.random.default_rng(4)
    return [(graphs[i], graphs[j]) for i, j in rng.integers(0, len(graphs), (count, 2)).tolist()]


@pytest.mark.parametrize("strategy", ["sid", "parent", "ancestor", "optimal"])
def test_the_distance_is_the_one_that_is_defined(strategy: str) -> None:
    for true, learned in [*some_pairs(3, 60), *some_pairs(4, 60)]:
        found = sid(true, learned) if strategy == "sid" else adjustment_distance(true, learned, strategy)  # type: ignore[arg-type]
        assert found.mistakes == brute_force(true, learned, strategy), (true, learned)
        assert found.pairs == true.n_nodes * (true.n_nodes - 1)
        assert found.share == found.mistakes / found.pairs


def test_the_graph_itself_is_at_distance_0_and_its_class_too() -> None:
    for true, _ in some_pairs(4, 20):
        assert sid(true, true).mistakes == 0
        assert adjustment_distance(true, true).mistakes == 0
        assert adjustment_distance(true.cpdag, true.cpdag).mistakes == 0


def test_nodes_are_matched_by_name_and_classes_are_not_mixed_with_dags() -> None:
    true = Dag.from_parents({"a": [], "b": ["a"], "c": ["a", "b"]})
    assert sid(true, true.reorder(["c", "a", "b"])).mistakes == 0
    with pytest.raises(GraphError, match="one between DAGs"):
        sid(true, true.cpdag)  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="both graphs must be DAGs, or both CPDAGs"):
        adjustment_distance(true, true.cpdag)
    with pytest.raises(UnknownNameError, match="did you mean 'parent'"):
        adjustment_distance(true, true, "parents")  # type: ignore[arg-type]
    with pytest.raises(GraphError, match="different nodes"):
        sid(true, true.relabel({"a": "z"}))
