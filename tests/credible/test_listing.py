"""Lists of the best networks where many tie for the last place."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from arcwise.base.run import Run
from arcwise.credible.listing import list_best
from arcwise.graph import Constraints, Dag, FixedPairs
from arcwise.parent_sets import ParentSetTable


@dataclass
class Paths:
    """What is left to list."""

    left: list[int]

    @property
    def done(self) -> bool:
        return not self.left


@dataclass
class PresetDiagram:
    """A diagram whose paths, in this order, are given with their losses; several may stand for one class."""

    table: ParentSetTable
    paths: list[tuple[float, Dag]]
    fixed: FixedPairs
    slack: float = 2.0
    tolerance: float = 0.0
    repeats_classes: bool = True
    rows: dict[tuple[int, tuple[int, ...]], int] = field(init=False)

    def __post_init__(self) -> None:
        starts = self.table.node_offsets.tolist()
        self.rows = {
            (v, tuple(self.table.parents_of(row))): row - a
            for v, (a, b) in enumerate(itertools.pairwise(starts))
            for row in range(a, b)
        }

    def lister(self, slack: float | None) -> Paths:
        within = self.slack if slack is None else slack
        return Paths([i for i, (loss, _) in enumerate(self.paths) if loss <= within])

    def next_chunk(self, lister: Paths, size: int) -> tuple[np.ndarray, np.ndarray]:
        now, lister.left = lister.left[:size], lister.left[size:]
        chosen = [[self.rows[v, parents] for v, parents in enumerate(self.paths[i][1].parents)] for i in now]
        return np.array(chosen, dtype=np.uint16).reshape(-1, 3), np.array([self.paths[i][0] for i in now])

    def dag(self, choices: Any) -> Dag:
        rows = self.table.node_offsets[:-1] + choices
        return Dag(self.table.names, [self.table.parents_of(int(row)) for row in rows])


def test_no_class_is_listed_twice_whose_members_differ_by_rounding() -> None:
    names = ("a", "b", "c")
    table = ParentSetTable.from_lists(
        names,
        [
            [(-1.0, ps) for k in range(3) for ps in itertools.combinations([*range(v), *range(v + 1, 3)], k)]
            for v in range(3)
        ],
    )
    fixed = FixedPairs.by_constraints(Constraints(names, forbidden=[("a", "c")]))
    more = float(np.nextafter(1.0, 2.0))

    def dag(*arcs: str) -> Dag:
        return Dag(names, [tuple(names.index(arc[0]) for arc in arcs if arc[1] == name) for name in names])

    # a -> b and b -> a are one class: the first that is met loses a little more than the other.
    paths = [(more, dag("ab")), (more, dag("bc")), (1.0, dag("ba")), (more, dag("ca")), (more, dag())]
    paths += [(more, dag("ab", "cb")), (more, dag("ab", "bc")), (more, dag("ca", "ba"))]
    diagram = PresetDiagram(table, paths, fixed)
    for count in (2, 3):
        best = list_best(diagram, count, Run())  # type: ignore[arg-type]
        assert best.losses.tolist() == [1.0] + [more] * (count - 1)
        assert len({fixed.class_of(diagram.dag(choices)) for choices in best.choices}) == count
