"""`GroupedBuilder`: one native builder for each group of children of which the same rows tell.

A variable is scored without the rows in which it was set (Cooper and Yoo, UAI 1999), so that variables with different
such rows are scored on different data. Pruning compares a parent set with other parent sets of the same child, on the
same data: the tables of the groups are built apart, each with its guarantee, and put together child by child.
Observations are one group.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.scores import Score

if TYPE_CHECKING:
    from arcwise._core.parent_sets import ParentSetBuilder, SetBatch

__all__ = ["CountElsewhere", "Families", "GroupedBuilder", "Rows", "too_little_memory"]

KINDS = {"numbers": np.int64, "members": np.int32, "values": np.float64}
# Of one child: scores, sizes of the sets, their members one after the other.
ChildRows = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]
Rows = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]
CountElsewhere = Callable[[int, "SetBatch", float], int | None]


@dataclass(frozen=True, slots=True)
class Families:
    """For each variable the parents it must have, those it may also have, and how many at most."""

    required: list[list[int]]
    allowed: list[list[int]]
    sizes: list[int]

    @property
    def least(self) -> int:
        """The level after which every variable has a row."""
        return max((len(parents) for parents in self.required), default=0)

    def of_children(self, children: Sequence[int]) -> Families:
        """Return the families with these children; of the others only what they must have."""
        kept = set(children)
        allowed = [own if v in kept else [] for v, own in enumerate(self.allowed)]
        required = [own if v in kept else [] for v, own in enumerate(self.required)]
        return Families(required, allowed, [size if v in kept else 0 for v, size in enumerate(self.sizes)])


class GroupedBuilder:
    """Builds tables of parent sets level by level, all groups of children in step.

    Parameters
    ----------
    data, scores, families
        What is scored.
    slack, threads, memory_bytes, dense_from
        As the native builder takes them; the groups share the memory.
    """

    def __init__(self, data: Dataset, scores: Sequence[Score], families: Families, **options: Any) -> None:
        from arcwise import _core

        self._data, self._scores, self._families = data, tuple(scores), families
        self._group_of = data.group_of_child
        self._is_whole = len(data.child_groups) == 1 and data.child_groups[0].n_cases > 0
        told = [g for g, group in enumerate(data.child_groups) if group.n_cases > 0]
        memory = float(options.pop("memory_bytes")) / max(1, len(told))
        self._builders: dict[int, ParentSetBuilder] = {}
        for g in told:
            group = data.child_groups[g]
            children = np.flatnonzero(self._group_of == g).tolist()
            own = families if len(children) == data.n_variables else families.of_children(children)
            self._builders[g] = _core.parent_sets.make_builder(
                group.codes,
                group.arities,
                group.native_weights,
                [score.native(group) for score in scores],
                _core.parent_sets.BuildOptions(
                    memory_bytes=memory, required=own.required, allowed=own.allowed, limits=own.sizes, **options
                ),
            )

    @property
    def finished(self) -> bool:
        """Whether no level can add anything."""
        return all(builder.finished for builder in self._builders.values())

    @property
    def level(self) -> int:
        """The last level that is finished for all children; -1 before the first."""
        ongoing = [builder.level for builder in self._builders.values() if not builder.finished]
        return min(ongoing) if ongoing else max((builder.level for builder in self._builders.values()), default=0)

    def advance(self, progress: Any, seconds: float, elsewhere: CountElsewhere | None = None) -> int:
        """Build one more level of the group that is furthest behind; return the native status.

        `elsewhere` is given the group and the sets that are to be counted, and the seconds: it counts them and returns
        the native status, or None if they are to be counted here.
        """
        ongoing = [g for g, builder in self._builders.items() if not builder.finished]
        group = min(ongoing, key=lambda g: self._builders[g].level)
        begin = time.monotonic()

        def count(batch: SetBatch) -> int | None:
            left = max(0.0, seconds - (time.monotonic() - begin))
            return None if elsewhere is None else elsewhere(group, batch, left)

        return self._builders[group].advance(progress, seconds, None if elsewhere is None else count)

    @property
    def families(self) -> int:
        """How many families were scored."""
        return sum(builder.families for builder in self._builders.values())

    @property
    def sets(self) -> int:
        """How many tables were counted."""
        return sum(builder.sets for builder in self._builders.values())

    @property
    def peak_bytes(self) -> float:
        """The memory that the builders took at most."""
        return sum(builder.peak_bytes for builder in self._builders.values())

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return where the builders stand, as arrays by name."""
        found: dict[str, NDArray[Any]] = {}
        for place, builder in enumerate(self._builders.values()):
            found.update(zip(self._names(place), builder.pack(), strict=True))
        return found

    def restore(self, arrays: dict[str, NDArray[Any]]) -> bool:
        """Go on from where another builder of the same work stood; False if the arrays cannot be such a state."""
        names = [self._names(place) for place in range(len(self._builders))]
        whole = arrays.keys() == {name for own in names for name in own} and all(
            arrays[name].dtype == kind and arrays[name].ndim == 1
            for own in names
            for name, kind in zip(own, KINDS.values(), strict=True)
        )
        return whole and all(
            builder.restore(*(arrays[name] for name in own))
            for own, builder in zip(names, self._builders.values(), strict=True)
        )

    def _names(self, place: int) -> list[str]:
        return [name if len(self._builders) == 1 else f"{name}.{place}" for name in KINDS]

    def table(self, score: int) -> Rows:
        """Return the rows of one score as a `ParentSetTable` holds them."""
        if self._is_whole:
            return self._builders[0].table(score)
        most = None if self.finished else self.level
        tables = {g: builder.table(score) for g, builder in self._builders.items()}
        parts = [
            self._untold(child, self._scores[score]) if g not in tables else _rows_of_child(tables[g], child, most)
            for child, g in enumerate(self._group_of.tolist())
        ]
        return _joined_rows(parts)

    def _untold(self, child: int, score: Score) -> ChildRows:
        """Return the row of a variable that was set in every case: its likelihood, of no case, is 1."""
        required = self._families.required[child]
        value = score.untold(self._data, child, required)
        return np.array([value]), np.array([len(required)], dtype=np.int64), np.array(required, dtype=np.int32)


def _joined_rows(parts: Sequence[ChildRows]) -> Rows:
    """Return the rows of all children, one after the other, as a `ParentSetTable` holds them."""
    sizes = np.concatenate([part[1] for part in parts])
    return (
        np.cumsum([0, *(len(part[0]) for part in parts)], dtype=np.int64),
        np.concatenate([part[0] for part in parts]),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes, dtype=np.int64)]),
        np.concatenate([part[2] for part in parts]),
    )


def _rows_of_child(table: Rows, child: int, most: int | None) -> ChildRows:
    """Return the scores, sizes and members of a child's rows, those of at most so many parents."""
    node_offsets, scores, set_offsets, members = table
    first, last = int(node_offsets[child]), int(node_offsets[child + 1])
    sizes = np.diff(set_offsets[first : last + 1])
    own = members[int(set_offsets[first]) : int(set_offsets[last])]
    if most is None or not bool((sizes > most).any()):
        return scores[first:last], sizes, own
    kept = sizes <= most
    return scores[first:last][kept], sizes[kept], own[np.repeat(kept, sizes)]


def too_little_memory(limit: float) -> OptionError:
    """Return the error of a limit within which not every variable has a row."""
    return OptionError(f"the memory limit of {limit:,.0f} bytes does not hold one parent set per variable; raise it.")
