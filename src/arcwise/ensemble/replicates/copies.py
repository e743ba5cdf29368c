"""`Copies`: columns of one content, which replicates learn as one.

If two columns correspond one to one in every row, then for every network there is one with their places exchanged, of
the same score. Data cannot tell which of the two a third variable depends on; a sample of networks that takes either by
chance gives each edge half of its confidence, so that neither seems to be there, and a hub with a copy loses all its
neighbours. (In the network hailfinder, one such pair has 17 of 66 edges.) So edges go to the column that comes first,
the copy has that one as its only parent, and whoever reports the networks says so. Where the score has no use for the
arc between the two, as with many states and few cases, the columns are learned apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from arcwise.data import Dataset
from arcwise.data.correspondence import can_tell_copies, first_seen
from arcwise.data.gap_states import GapStates
from arcwise.graph import Constraints
from arcwise.scores import Score

__all__ = ["Copies"]


@dataclass(frozen=True)
class Copies:
    """The columns of data that are copies of earlier ones.

    Parameters
    ----------
    names
        All columns.
    first
        The position of every copy, with that of the first column that has the same content.
    """

    names: tuple[str, ...]
    first: Mapping[int, int]

    @classmethod
    def among(cls, data: Dataset, score: Score, constraints: Constraints) -> Copies:
        """Find the copies that can take each other's place: none if something else tells columns apart.

        Constraints, prior odds, prior networks, experiments and states that do not occur do, and what a few rows have
        in common is chance. Cost: the cells of the table.
        """
        told = (
            set(constraints.describe()) - {"max_parents"}
            or constraints.max_parents == 0
            or score is not score.data_score
            or type(score).alphas is not Score.alphas
            or isinstance(data, GapStates)
            or not (data.targets is None or data.targets.is_empty)
        )
        if told:
            return cls(data.names, {})
        known: dict[tuple[int, bytes], int] = {}
        first = {}
        for v, codes in enumerate(data.codes):
            cases = np.bincount(codes, weights=data.weights)
            # Columns that are different in most rows all correspond one to one.
            if 2 * np.count_nonzero(cases) > data.n_cases or not can_tell_copies(cases):
                continue
            key = hashlib.sha256(first_seen(codes).data).digest()  # not the column itself: memory for one at a time
            found = known.setdefault((int(data.arities[v]), key), v)
            if found != v:
                joined, alone = score.score_families(data, [(v, (found,)), (v, ())])
                if joined > alone:
                    first[v] = found
        return cls(data.names, first)

    def __bool__(self) -> bool:
        return bool(self.first)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are learned from."""
        return tuple(name for v, name in enumerate(self.names) if v not in self.first)

    @property
    def named(self) -> dict[str, str]:
        """The name of every copy, with that of the first column of the same content."""
        return {self.names[copy]: self.names[first] for copy, first in self.first.items()}

    def join(self, parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        """Return the parents of all columns, from those among the columns that were learned from."""
        at = [v for v in range(len(self.names)) if v not in self.first]
        learned = {v: tuple(sorted(at[p] for p in members)) for v, members in zip(at, parents, strict=True)}
        return tuple(learned.get(v) or ((self.first[v],) if v in self.first else ()) for v in range(len(self.names)))
