from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from tests.twins.classes import class_key_twin

from arcwise.errors import GraphError
from arcwise.graph import Dag, all_parent_masks, class_keys, class_keys_from_masks, collider_keys, number_classes
from arcwise.graph.nodes import to_words

from .conftest import Class, random_dags


def as_table(dags: list[Dag]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Every DAG's parent sets as rows of their own."""
    sets = [ps for dag in dags for ps in dag.parents]
    offsets = np.cumsum([0, *map(len, sets)])
    rows = np.arange(len(sets)).reshape(len(dags), -1)
    return rows, offsets, np.array([p for ps in sets for p in ps], dtype=np.int32)


@pytest.mark.parametrize(("n", "count"), [(1, 1), (2, 2), (3, 11), (4, 185), (5, 8782)])
def test_number_of_classes(small_classes: dict[int, dict[Class, list[Dag]]], n: int, count: int) -> None:
    masks = np.array(list(all_parent_masks(n)), dtype=np.uint64)
    numbers = number_classes(class_keys_from_masks(masks))
    assert numbers.max() + 1 == count
    dags = [dag for group in small_classes[n].values() for dag in group]
    sizes = [len(group) for group in small_classes[n].values()]
    rows, offsets, members = as_table(dags)
    assert number_classes(class_keys(rows, set_offsets=offsets, members=members)).tolist() == [
        number for number, size in enumerate(sizes) for _ in range(size)
    ]


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_collider_classes_have_the_same_skeleton_and_all_colliders(
    small_classes: dict[int, dict[Class, list[Dag]]], n: int
) -> None:
    dags = [dag for group in small_classes[n].values() for dag in group]
    rows, offsets, members = as_table(dags)
    numbers = number_classes(collider_keys(rows, set_offsets=offsets, members=members))
    by_definition = [
        (
            frozenset(frozenset((p, v)) for v, own in enumerate(dag.parents) for p in own),
            frozenset((p, q, v) for v, own in enumerate(dag.parents) for p in own for q in own if p < q),
        )
        for dag in dags
    ]
    first = {key: number for number, key in enumerate(dict.fromkeys(by_definition))}
    assert numbers.tolist() == [first[key] for key in by_definition]
    assert len(first) >= len(small_classes[n])
    if n == 3:
        assert len(first) == len(small_classes[n]) + 2, "the complete DAGs form three"


@given(random_dags(max_nodes=10))
def test_native_keys_equal_the_twin(dag: Dag) -> None:
    rows, offsets, members = as_table([dag])
    expected = [list(class_key_twin(dag))]
    assert class_keys(rows, set_offsets=offsets, members=members).tolist() == expected
    assert class_keys(rows.astype(np.uint8), set_offsets=offsets, members=members).tolist() == expected
    assert class_keys_from_masks(to_words(dag.parent_masks, dag.n_nodes)[None]).tolist() == expected


def test_rows_that_count_within_the_node() -> None:
    # Node 0 has the rows {} and {1}, node 1 the rows {} and {0}.
    table = {"set_offsets": np.array([0, 0, 1, 1, 2]), "members": np.array([1, 0], dtype=np.int32)}
    keys = class_keys(np.array([[0, 0], [1, 0], [0, 1]], dtype=np.uint8), node_offsets=np.array([0, 2, 4]), **table)
    assert number_classes(keys).tolist() == [0, 1, 1]
    assert keys.tolist() == class_keys(np.array([[0, 2], [1, 2], [0, 3]]), **table).tolist()


def test_two_words_per_parent_set() -> None:
    n = 100
    dag = Dag([f"v{i}" for i in range(n)], [[v - 1, v - 2] if v > 1 else [] for v in range(n)])
    keys = class_keys_from_masks(to_words(dag.parent_masks, n)[None])
    assert keys.tolist() == [list(class_key_twin(dag))]


def test_bad_arrays_are_refused() -> None:
    offsets, members = np.array([0, 0, 1, 2]), np.array([0, 1], dtype=np.int32)
    with pytest.raises(GraphError, match="between 0 and 2"):
        class_keys(np.array([[0, 3]]), set_offsets=offsets, members=members)
    with pytest.raises(ValueError, match="cycle"):
        class_keys(np.array([[2, 1]]), set_offsets=offsets, members=members)
    with pytest.raises(GraphError, match="outside of the 1 nodes"):
        class_keys(np.array([[0]]), set_offsets=offsets, members=members)
    with pytest.raises(GraphError, match="shape"):
        class_keys_from_masks(np.zeros((1, 65, 1), dtype=np.uint64))
    with pytest.raises(GraphError, match="outside of the 2 nodes"):
        class_keys_from_masks(np.array([[4, 0]], dtype=np.uint64))
    with pytest.raises(GraphError, match=r"shape \(DAGs, 2\)"):
        number_classes(np.zeros((3, 3), dtype=np.uint64))
