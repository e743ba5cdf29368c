"""The native kernel of classes with fixed pairs against its twin, and against grouping all DAGs by definition."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.classes import class_key_twin

from arcwise.errors import GraphError, UnfinishedError
from arcwise.graph import (
    Constraints,
    Dag,
    FixedPairs,
    all_dags,
    class_keys,
    class_keys_from_masks,
    nodes,
    number_classes,
)
from arcwise.graph.classes import ClassMembers
from arcwise.graph.nodes import to_words

from .conftest import Class, brute_force_class, random_dags


@st.composite
def fixed_pairs(draw: st.DrawFn, names: tuple[str, ...]) -> FixedPairs:
    """Pairs of every number, and those of experiments."""
    if draw(st.booleans()):
        return FixedPairs.by_targets(names, draw(st.lists(st.sets(st.sampled_from(names)), max_size=2)))
    n = len(names)
    pairs = draw(st.sets(st.sampled_from(list(itertools.combinations(range(n), 2))), max_size=n)) if n > 1 else set()
    return FixedPairs(names, [sum(1 << b for a, b in pairs if a == v) for v in range(n)])


def as_masks(dag: Dag) -> np.ndarray:
    return to_words(dag.parent_masks, dag.n_nodes)[None]


@given(st.data(), random_dags(max_nodes=9))
def test_native_keys_equal_the_twin_that_applies_all_four_rules(data: st.DataObject, dag: Dag) -> None:
    fixed = data.draw(fixed_pairs(dag.names))
    expected = [list(class_key_twin(dag, fixed))]
    assert class_keys_from_masks(as_masks(dag), fixed=fixed, progress=False).tolist() == expected
    sets = list(dag.parents)
    rows, offsets = np.arange(len(sets))[None], np.cumsum([0, *map(len, sets)])
    members = np.array([p for ps in sets for p in ps], dtype=np.int32)
    keys = class_keys(rows, set_offsets=offsets, members=members, fixed=fixed, progress=False)
    assert keys.tolist() == expected


@given(st.data(), random_dags(max_nodes=9))
def test_no_fixed_pair_gives_the_markov_class(data: st.DataObject, dag: Dag) -> None:
    plain = class_keys_from_masks(as_masks(dag), progress=False).tolist()
    assert class_keys_from_masks(as_masks(dag), fixed=FixedPairs(dag.names), progress=False).tolist() == plain


@pytest.mark.parametrize("number", range(6))
def test_classes_of_all_dags_by_definition(small_classes: dict[int, dict[Class, list[Dag]]], number: int) -> None:
    """Of the DAGs that satisfy random constraints, those of one Markov class are one class; and its size is exact."""
    rng = np.random.default_rng(number)
    n = 4 + number % 2
    names = tuple("abcde"[:n])
    arcs = list(itertools.permutations(names, 2))
    forbidden = [arc for arc in arcs if rng.random() < 0.2]
    tiers = [[x for x in names if rng.random() < 0.4]] if number % 3 else []
    tiers = [*tiers, [x for x in names if not tiers or x not in tiers[0]]]
    required = [arc for arc in arcs if arc not in forbidden and arc[0] < arc[1] and rng.random() < 0.1]
    late = {x: i for i, tier in enumerate(tiers) for x in tier}
    required = [arc for arc in required if late[arc[0]] <= late[arc[1]]]
    constraints = Constraints(names, required=required, forbidden=forbidden, tiers=tiers)
    fixed = FixedPairs.by_constraints(constraints)
    dags = [dag for group in small_classes[n].values() for dag in group if constraints.allows_dag(dag)]
    masks = np.concatenate([as_masks(dag) for dag in dags])
    numbers = number_classes(class_keys_from_masks(masks, fixed=fixed, progress=False)).tolist()
    markov = [brute_force_class(dag) for dag in dags]
    assert len(set(numbers)) == len(set(markov)) == len(set(zip(numbers, markov, strict=True)))
    sizes = Counter(numbers)
    for dag, its in list(zip(dags, numbers, strict=True))[:: max(1, len(dags) // 300)]:
        assert ClassMembers(dag, fixed).count == sizes[its]


@given(st.data(), random_dags(min_nodes=4, max_nodes=6))
def test_size_is_the_number_of_members(data: st.DataObject, dag: Dag) -> None:
    fixed = data.draw(fixed_pairs(dag.names))
    members = [
        other
        for other in dag.cpdag.members()
        if all(
            other.parent_masks[v] & fixed.masks[v] == dag.parent_masks[v] & fixed.masks[v] for v in range(dag.n_nodes)
        )
    ]
    assert ClassMembers(dag, fixed).count == len(members)


def test_a_size_that_is_too_much_to_count_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 9
    dag = Dag([f"v{i}" for i in range(n)], [list(range(v)) for v in range(n)])
    fixed = FixedPairs(dag.names, [0, 0, 0, 0, 1, 2, 4, 8, 0])
    assert 0 < ClassMembers(dag, fixed).count < dag.cpdag.size
    monkeypatch.setattr(nodes, "MOST_SUBGRAPHS", 10)
    members = ClassMembers(dag, fixed)  # asked again, it does not take what was given up for a number
    for _ in range(3):
        with pytest.raises(UnfinishedError, match="more than 10 subgraphs"):
            _ = members.count


def test_many_nodes_and_pairs_of_other_nodes() -> None:
    n = 130
    dag = Dag([f"v{i}" for i in range(n)], [[v - 1, v - 2] if v > 1 else [0] if v else [] for v in range(n)])
    fixed = FixedPairs(dag.names, [0] * 3 + [1 << 2] + [0] * (n - 4))
    keys = class_keys_from_masks(as_masks(dag), fixed=fixed, progress=False)
    assert keys.tolist() == [list(class_key_twin(dag, fixed))]
    with pytest.raises(GraphError, match="fixed pairs are of 2 nodes"):
        class_keys_from_masks(as_masks(dag), fixed=FixedPairs(["a", "b"]))


def test_all_small_dags_with_one_experiment_each() -> None:
    names = ("a", "b", "c", "d")
    for target in itertools.chain.from_iterable(itertools.combinations(names, k) for k in (1, 2)):
        fixed = FixedPairs.by_targets(names, [target])
        dags = list(all_dags(names))
        keys = class_keys_from_masks(np.concatenate([as_masks(d) for d in dags]), fixed=fixed, progress=False)
        assert [tuple(key) for key in keys.tolist()] == [class_key_twin(dag, fixed) for dag in dags]
