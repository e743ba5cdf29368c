"""`stack`: the rows of several data sets, one after the other, such as those of several experiments."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from arcwise.data.dataset import Dataset
from arcwise.data.targets import Targets
from arcwise.errors import DataError

__all__ = ["stack"]


def stack(parts: Iterable[Dataset]) -> Dataset:
    """Return the rows of all data sets, in their order, with their weights and targets.

    All must have the same variables, in any order, with the same states.

    >>> observed = Dataset.from_codes([[0, 0], [1, 1]], names=["a", "b"])
    >>> both = stack([observed, observed.with_targets(["a", "a"])])
    >>> both.n_rows, both.targets.sets
    (4, ((), ('a',)))
    """
    listed = list(parts)
    if not listed:
        raise DataError("there are no data sets to stack.")
    first = listed[0]
    for place, other in enumerate(listed):
        if set(other.names) != set(first.names):
            differing = ", ".join(sorted(set(other.names) ^ set(first.names)))
            raise DataError(f"data set {place + 1} of {len(listed)} has other variables than the first: {differing}.")
        for v, name in enumerate(first.names):
            if other.states[other.index(name)] != first.states[v]:
                raise DataError(
                    f"'{name}' has the states {', '.join(first.states[v])} in the first data set and "
                    f"{', '.join(other.states[other.index(name)])} in data set {place + 1}; declare the same states "
                    "for both."
                )
    aligned = [other if other.names == first.names else other.select(first.names) for other in listed]
    weights = None
    if any(other.weights is not None for other in aligned):
        weights = np.concatenate([np.ones(o.n_rows, np.int64) if o.weights is None else o.weights for o in aligned])
    return Dataset(
        np.concatenate([other.codes for other in aligned], axis=1),
        first.names,
        first.states,
        weights,
        _stacked_targets(aligned),
    )


def _stacked_targets(parts: list[Dataset]) -> Targets:
    sets: list[tuple[str, ...]] = [()]
    of_row = []
    for part in parts:
        if part.targets is None:
            of_row.append(np.zeros(part.n_rows, dtype=np.int32))
        else:
            of_row.append(part.targets.of_row + len(sets))
            sets += part.targets.sets
    return Targets(tuple(sets), np.concatenate(of_row))
