"""`GapStates`: data in which a missing value is one more state, for scores that count families over available cases."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.checks import checked_targets, code_type, frozen
from arcwise.data.dataset import Dataset
from arcwise.data.incomplete import Incomplete
from arcwise.data.targets import Targets
from arcwise.seeds import Seed

__all__ = ["GapStates", "gap_codes"]


class GapStates(Dataset):
    """Data whose variables have one more state than they were declared with, the last: it stands for a missing value.

    Tables of counts then tell the cases that have all values of a family from those that lack one. Only available-case
    scores (`Score.takes_gaps`) may see it: any other would take a missing value for a value.
    """

    @classmethod
    def of(cls, data: Incomplete) -> GapStates:
        """Mark the missing values of data."""
        states = tuple((*own, _new_name(own)) for own in data.states)
        kind = code_type(max(len(own) for own in states))
        codes = np.where(data.missing, data.arities[:, None], data.held.codes).astype(kind)
        return cls(codes, data.names, states, data.held.weights, data.held.targets)

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """For each variable, whether all cases that have its value show the same one, or none has it."""
        seen = self.codes if self.weights is None else self.codes[:, self.weights > 0]
        gaps = gap_codes(self)[:, None]
        lowest = np.where(seen == gaps, gaps, seen).min(axis=1, initial=2**31 - 1)
        highest = np.where(seen == gaps, -1, seen.astype(np.int32)).max(axis=1, initial=-1)
        return frozen(highest <= lowest)

    @cached_property
    def digest(self) -> str:
        """As of any data set, but another one than if the last states were values."""
        return hashlib.sha256(f"gaps {super().digest}".encode()).hexdigest()

    def permute_columns(self, seed: Seed = None) -> GapStates:
        """Return the data with the cases of every column shuffled independently of the others, gaps included."""
        return _marked(super().permute_columns(seed))

    def select(self, names: Iterable[str]) -> GapStates:
        """Return the given variables, in the order given."""
        return _marked(super().select(names))

    def take(self, rows: ArrayLike) -> GapStates:
        """Return the given rows."""
        return _marked(super().take(rows))

    def _unchecked(self, codes: NDArray[Any], weights: NDArray[np.int64] | None, targets: Targets | None) -> GapStates:
        return _marked(super()._unchecked(codes, weights, targets))


def _marked(data: Dataset) -> GapStates:
    made = object.__new__(GapStates)
    made.__dict__.update(
        names=data.names,
        states=data.states,
        codes=data.codes,
        weights=data.weights,
        targets=checked_targets(data.targets, data.names, data.codes.shape[1], data.weights),
    )
    return made


def gap_codes(data: Dataset) -> NDArray[np.int32]:
    """Return for each variable the code that stands for a missing value; -1 where no code does."""
    if isinstance(data, GapStates):
        return np.asarray(data.arities - 1, dtype=np.int32)
    return np.full(data.n_variables, -1, dtype=np.int32)


def _new_name(states: tuple[str, ...]) -> str:
    """Return a name for the state of missing values that no state has."""
    name = "missing"
    while name in states:
        name = f"({name})"
    return name
