"""The view of a table that the native core takes, and the options that it takes by name."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from arcwise import _core
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.build import candidate_sets


@pytest.fixture
def table() -> ParentSetTable:
    return ParentSetTable.from_lists(["a", "b"], [[(-1.0, [1]), (-2.0, [])], [(-1.5, [])]])


def test_the_view_is_made_once_and_does_not_copy(table: ParentSetTable) -> None:
    assert table.native is table.native
    table.scores[0] = -0.5
    assert candidate_sets(table).scores.tolist() == [-0.5, -2.0, -1.5]


def test_a_table_travels_without_its_view(table: ParentSetTable) -> None:
    assert table.native is not None
    arrived = pickle.loads(pickle.dumps(table))
    assert arrived.digest == table.digest
    assert candidate_sets(arrived).sets.tolist() == [[2], [0], [0]]
    changed = replace(table, scores=table.scores - 1)
    assert candidate_sets(changed).scores.tolist() == [-2.0, -3.0, -2.5]


def test_the_view_keeps_the_arrays(table: ParentSetTable) -> None:
    view = _core.parent_sets.TableView(
        table.node_offsets.copy(), table.scores.copy(), table.set_offsets.copy(), table.members.copy()
    )
    scrap = [np.full(1000, -1.0) for _ in range(100)]
    del scrap
    assert _core.parent_sets.CandidateSets(view).scores.tolist() == table.scores.tolist()


def test_arrays_of_another_type_are_refused_not_copied(table: ParentSetTable) -> None:
    with pytest.raises(TypeError):
        _core.parent_sets.TableView(table.node_offsets, table.scores, table.set_offsets, table.members.astype(np.int64))
    with pytest.raises(TypeError, match=r"DiagramInput .*order"):
        _core.credible.DiagramInput(order=np.arange(2), keep=np.ones(3, dtype=np.uint8), slack=1.0, memory=1)


def test_options_have_their_fields_and_no_others() -> None:
    with pytest.raises(TypeError, match=r"GeneticOptions .*populace"):
        _core.local.GeneticOptions(populace=3)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"GeneticOptions .*population"):
        _core.local.GeneticOptions(population="many")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _core.local.GeneticOptions(3)  # type: ignore[misc]
