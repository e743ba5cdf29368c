"""Data at random: bootstrap weights, permuted columns, splits."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data.dataset import Dataset
from arcwise.data.drawing import draw_weights
from arcwise.errors import DataError, OptionError
from arcwise.mentions import Argument
from arcwise.seeds import Seed, generator_of

__all__ = ["PermutedDataset", "bootstrap_weights", "split_cases"]

# numpy's multivariate hypergeometric distribution goes no further.
MAX_WEIGHTED_SPLIT = 10**9


def bootstrap_weights(data: Dataset, seed: Seed) -> NDArray[np.int64]:
    """Return how often each row is drawn when N cases are drawn with replacement.

    Cases are drawn as integers below N, and each belongs to a row, so the probabilities are exact. The
    cases of each experiment (rows in which the same variables were set) are drawn from its own, one experiment after
    the other, so that every variable keeps its number of cases.
    """
    rng = generator_of(seed)
    if data.targets is None:
        return draw_weights(rng, data.n_rows, data.weights)
    weights = np.zeros(data.n_rows, dtype=np.int64)
    for experiment in range(len(data.targets.sets)):
        rows = np.flatnonzero(data.targets.of_row == experiment)
        weights[rows] = draw_weights(rng, len(rows), None if data.weights is None else data.weights[rows])
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
        targets = data.targets
        if targets is not None and data.weights is not None:
            targets = targets.repeat(data.weights)
        made.__dict__.update(
            names=data.names, states=data.states, weights=None, targets=targets, _original=data, _seed=drawn
        )
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
        original = self._original.expand().codes
        if self.targets is None:
            codes = rng.permuted(original, axis=1)
        else:  # without any association, a variable that was not set is distributed as it is in all other such cases
            codes = np.array(original)
            for v, name in enumerate(self.names):
                alone = self.targets.rows_without(name)
                for rows in (alone, ~alone):
                    codes[v, rows] = rng.permuted(codes[v, rows])
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
    return _weighted(data, first), _weighted(data, second)


def _weighted(data: Dataset, weights: NDArray[np.int64]) -> Dataset:
    """Return the rows of which some cases are left."""
    kept = weights > 0
    targets = None if data.targets is None else data.targets.take(kept)
    return Dataset(data.codes[:, kept], data.names, data.states, weights[kept], targets)
