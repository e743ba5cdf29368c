"""Data at random: bootstrap weights, permuted columns, splits."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.dataset import Dataset
from arcwise.errors import DataError, OptionError
from arcwise.mentions import Argument
from arcwise.seeds import Seed, generator_of

__all__ = ["PermutedDataset", "bootstrap_weights", "split_cases"]

# Cases are drawn in blocks of this size, so that memory stays small; the size is part of what a seed means.
BLOCK_CASES = 2**20
# numpy's multivariate hypergeometric distribution goes no further.
MAX_WEIGHTED_SPLIT = 10**9


def bootstrap_weights(data: Dataset, seed: Seed) -> NDArray[np.int64]:
    """Return how often each row is drawn when N cases are drawn with replacement.

    Cases are drawn as integers below N and looked up in the cumulative weights, so the probabilities are exact.
    """
    rng = generator_of(seed)
    weights = np.zeros(data.n_rows, dtype=np.int64)
    ends = None if data.weights is None else np.cumsum(data.weights)
    for start in range(0, data.n_cases, BLOCK_CASES):
        cases = rng.integers(0, data.n_cases, size=min(BLOCK_CASES, data.n_cases - start))
        rows = cases if ends is None else np.searchsorted(ends, cases, side="right")
        weights += np.bincount(rows, minlength=data.n_rows)
    return weights


class PermutedDataset(Dataset):
    """A data set whose columns were each shuffled on their own; the codes are made when they are first used.

    Until then it holds a reference to the original and one number drawn from the generator, which fixes the
    permutations; afterwards it holds the codes and lets the original go. Weighted rows are expanded to cases first,
    because it is cases that are shuffled.
    """

    _original: Dataset | None
    _seed: int

    @classmethod
    def of(cls, data: Dataset, seed: Seed) -> PermutedDataset:
        """Return `data` with permuted columns."""
        made = object.__new__(cls)
        drawn = int(generator_of(seed).integers(0, 2**63))
        made.__dict__.update(names=data.names, states=data.states, weights=None, _original=data, _seed=drawn)
        return made

    @property
    def n_rows(self) -> int:
        """The number of rows: the number of cases of the original."""
        return int(self.codes.shape[1]) if self._original is None else self._original.n_cases

    @cached_property
    def codes(self) -> NDArray[Any]:
        """The permuted codes."""
        assert self._original is not None
        rng = np.random.default_rng(self._seed)
        codes = rng.permuted(self._original.expand().codes, axis=1)
        codes.flags.writeable = False
        self.__dict__["_original"] = None
        return codes


def split_cases(data: Dataset, fraction: float, seed: Seed) -> tuple[Dataset, Dataset]:
    """Split the cases at random into round(fraction x N) and the rest."""
    rng = generator_of(seed)
    if not 0 < fraction < 1:
        raise OptionError(Argument("fraction", fraction), "must lie between 0 and 1, e.g. 0.7.")
    size = round(fraction * data.n_cases)
    if size in (0, data.n_cases):
        raise DataError(
            f"a split of {data.n_cases:,} cases at {fraction} leaves one side empty; use more data or another fraction."
        )
    if data.weights is None:
        chosen = np.zeros(data.n_rows, dtype=bool)
        chosen[rng.permutation(data.n_rows)[:size]] = True
        return data.take(chosen), data.take(~chosen)
    if data.n_cases >= MAX_WEIGHTED_SPLIT:
        raise DataError(f"{data.n_cases:,} weighted cases cannot be split at random; at most 10^9 can.")
    first = rng.multivariate_hypergeometric(data.weights, size, method="marginals")
    second = data.weights - first
    return (
        Dataset(data.codes[:, first > 0], data.names, data.states, first[first > 0]),
        Dataset(data.codes[:, second > 0], data.names, data.states, second[second > 0]),
    )
