"""The range of an effect within one class: against all members of the class."""

from __future__ import annotations

import numpy as np
import pytest

from arcwise.data import Dataset
from arcwise.effects import possible_effects
from arcwise.effects.effect import Strata, possible_parents
from arcwise.errors import OptionError
from arcwise.graph import Dag, FixedPairs
from arcwise.graph.classes import ClassMembers


@pytest.mark.parametrize("seed", range(12))
def test_possible_parents_are_those_of_the_members(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = [f"v{k}" for k in range(6)]
    dag = Dag(names, [[p for p in range(v) if rng.random() < 0.45] for v in range(6)])
    fixed = None
    graph = dag
    if seed % 2:
        fixed = FixedPairs.by_targets(names, [[names[seed % 6]]])
        graph = fixed.class_of(dag)
    members = list(ClassMembers(dag, fixed))
    for name in names:
        expected = {member.parents_of(name) for member in members}
        found = list(possible_parents(graph, name))
        assert {parents for parents, _ in found} == expected
        assert len(found) == len(expected)
        for parents, member in found:
            assert member.parents_of(name) == parents
            # Whether it leads somewhere is the same in all members with these parents.
            others = {m.descendants(name) for m in members if m.parents_of(name) == parents}
            assert member.descendants(name) in others


def test_the_range_is_that_of_the_estimates() -> None:
    rng = np.random.default_rng(2)
    data = Dataset.from_codes(rng.integers(0, 2, (200, 3)), names=["a", "b", "c"])
    chain = Dag.from_arcs(["a", "b", "c"], [("a", "b"), ("b", "c")])
    found = possible_effects(chain, data, "b", "c")
    assert found.parents == ((), ("a",), ("c",))
    assert found.is_cause == (True, True, False)
    assert found.mean[1] == pytest.approx(Strata(data, 1, [0], 1.0).estimate(2).of_states.mean[0])
    assert found.mean[2][0] == pytest.approx(found.mean[2][1])
    least, most = found.range
    assert (least <= found.mean).all()
    assert (most >= found.mean).all()
    assert (found.low <= found.mean).all()
    assert (found.mean <= found.high).all()
    assert len(found.to_frame()) == 12


def test_what_is_refused() -> None:
    data = Dataset.from_codes(np.zeros((4, 2), dtype=int), names=["a", "b"], states=[("0", "1"), ("0", "1")])
    with pytest.raises(OptionError, match="different variables"):
        possible_effects(Dag(["a", "c"], [(), ()]), data, "a", "b")
    star = Dag.from_arcs([f"v{k}" for k in range(23)], [("v0", f"v{k}") for k in range(1, 23)])
    with pytest.raises(OptionError, match="22 edges"):
        list(possible_parents(star, "v0"))
