"""`Incomplete`: discrete data with gaps, for what completes them again and again rather than once."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.dataset import Dataset
from arcwise.errors import DataError
from arcwise.mentions import Argument, Remedy
from arcwise.seeds import Seed, generator_of

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.data.gap_states import GapStates

__all__ = ["Incomplete"]

# Every case is completed on its own, so that weighted rows are written out: up to this many cells.
MOST_CELLS = 2**31


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Discrete data of which some cells are missing. It is not a `Dataset`, so that nothing learns from it by mistake.

    Parameters
    ----------
    held
        The data, with the first state in place of what is missing.
    missing
        Array of shape (variables, rows): which cells are missing. Every variable needs a case that has its value.

    Examples
    --------
    >>> data = Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["a", "b"])
    >>> Incomplete(data, [[False, True, False], [False, False, False]])
    <Incomplete: 2 variables of 2 states, 3 rows, 1 missing value>
    """

    held: Dataset
    missing: NDArray[np.bool_]

    def __post_init__(self) -> None:
        missing = np.ascontiguousarray(self.missing, dtype=bool)
        shape = (self.held.n_variables, self.held.n_rows)
        if missing.shape != shape:
            raise DataError(f"missing has the shape {missing.shape}; it must be (variables, rows), {shape}.")
        if self.held.targets is not None and not self.held.targets.is_empty:
            raise DataError(
                "data of experiments cannot have gaps to complete: a value that was set does not follow from others. "
                "Fill them once, or leave their rows out."
            )
        codes = self.held.codes
        if (codes[missing] != 0).any():
            codes = codes.copy()
            codes[missing] = 0
            object.__setattr__(self, "held", self.held._unchecked(codes, self.held.weights, None))
        empty = np.flatnonzero((missing | (self.held.native_weights == 0 if self.is_weighted else False)).all(axis=1))
        if empty.size:
            raise DataError(
                f"variable '{self.names[int(empty[0])]}' has no value at all: nothing can be learned about it. Drop it."
            )
        missing.flags.writeable = False
        object.__setattr__(self, "missing", missing)

    # ---- What it holds

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.held.names

    @property
    def states(self) -> tuple[tuple[str, ...], ...]:
        """The names of each variable's states."""
        return self.held.states

    @property
    def arities(self) -> NDArray[np.int32]:
        """The number of states of each variable."""
        return self.held.arities

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return self.held.n_variables

    @property
    def n_rows(self) -> int:
        """The number of stored rows."""
        return self.held.n_rows

    @property
    def n_cases(self) -> int:
        """The number of cases: the sum of the weights."""
        return self.held.n_cases

    @property
    def is_weighted(self) -> bool:
        """Whether rows have weights."""
        return self.held.weights is not None

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, variables), as a data frame has it."""
        return self.held.shape

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        return self.held.index(name)

    def __len__(self) -> int:
        return self.n_rows

    def __repr__(self) -> str:
        count, held = int(self.missing.sum()), repr(self.held).removeprefix("<Dataset").removesuffix(">")
        return f"<Incomplete{held}, {count:,} missing value{'' if count == 1 else 's'}>"

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """The share of each row among the cases."""
        weights = np.ones(self.n_rows) if self.held.weights is None else self.held.weights.astype(np.float64)
        return np.asarray(weights / weights.sum())

    @cached_property
    def shares_missing(self) -> NDArray[np.float64]:
        """For each variable, the share of the cases that lack its value."""
        return np.asarray(self.missing @ self._shares)

    @cached_property
    def pair_shares_missing(self) -> NDArray[np.float64]:
        """n x n: for each two variables, the share of the cases that lack one of the two values, or both."""
        seen = (~self.missing).astype(np.float64)
        both = (seen * self._shares) @ seen.T
        return np.abs(np.clip(np.round(1.0 - both, 12), 0.0, 1.0))  # no -0.0

    @property
    def share_of_cells(self) -> float:
        """The share of all cells that are missing."""
        return float(self.shares_missing.mean())

    @property
    def share_of_complete_cases(self) -> float:
        """The share of the cases that lack nothing."""
        return float(self._shares[~self.missing.any(axis=0)].sum())

    def observed_counts(self, variable: int) -> NDArray[np.int64]:
        """Return how many cases show each state of a variable."""
        seen = ~self.missing[variable]
        weights = None if self.held.weights is None else self.held.weights[seen]
        counts = np.bincount(self.held.codes[variable][seen], weights=weights, minlength=int(self.arities[variable]))
        return np.asarray(np.round(counts), dtype=np.int64)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the data and of where they are missing: see `Dataset.digest`."""
        hasher = hashlib.sha256(self.held.digest.encode())
        hasher.update(np.packbits(self.missing).data)
        return hasher.hexdigest()

    # ---- Made from other things, and into them

    @classmethod
    def from_dataframe(cls, frame: pd.DataFrame, **options: Any) -> Incomplete:
        """Make it of a pandas DataFrame; the options are those of `Dataset.from_dataframe`."""
        from arcwise.data.table import Table

        weights = options.pop("weights", None)
        return Table.from_dataframe(frame, weights=weights).to_incomplete(**options)

    def completed(self, codes: NDArray[Any]) -> Dataset:
        """Return the data with these codes, of which only those of missing cells may differ from what is held."""
        return self.held._unchecked(codes, self.held.weights, None)

    def complete_cases(self) -> Dataset:
        """Return the cases that lack nothing."""
        whole = ~self.missing.any(axis=0)
        if not whole.any():
            raise DataError(f"every one of the {self.n_rows:,} rows has a missing value: none would be left.")
        return self.held.take(whole)

    def with_gap_states(self) -> GapStates:
        """Return the data with one more state for every variable, its last, which stands for a missing value."""
        from arcwise.data.gap_states import GapStates

        return GapStates.of(self)

    def select(self, names: Iterable[str]) -> Incomplete:
        """Return the given variables, in the order given."""
        chosen = list(names)
        return Incomplete(self.held.select(chosen), self.missing[[self.index(name) for name in chosen]])

    def take(self, rows: ArrayLike) -> Incomplete:
        """Return the given rows: positions, with repeats, or a mask."""
        return Incomplete(self.held.take(rows), self.missing[:, np.asarray(rows)])

    def expand(self) -> Incomplete:
        """Return one row per case: each is completed on its own, also those that are alike."""
        if self.held.weights is None:
            return self
        if self.n_cases * self.n_variables > MOST_CELLS:
            raise DataError(
                f"{self.n_cases:,} weighted cases with gaps are too many: every case is completed on its own, and at "
                f"most {MOST_CELLS:,} cells can be.",
                remedies=Remedy("fill the gaps before learning, with", Argument("impute", "mode")),
            )
        return Incomplete(self.held.expand(), np.repeat(self.missing, self.held.weights, axis=1))

    # ---- At random

    def resample(self, seed: Seed = None) -> Incomplete:
        """Return a bootstrap sample: N cases drawn with replacement, one row each."""
        whole = self.expand()
        return whole.take(whole.resampled_rows(seed))

    def resampled_rows(self, seed: Seed = None) -> NDArray[np.int64]:
        """Return as many rows as there are, drawn with replacement.

        If none of them has a value of some variable, one that has it takes a place: without any there is nothing to
        learn from.
        """
        rng = generator_of(seed)
        rows = rng.integers(0, self.n_rows, size=self.n_rows)
        for v in np.flatnonzero(self.missing[:, rows].all(axis=1)):
            rows[rng.integers(0, len(rows))] = rng.choice(np.flatnonzero(~self.missing[v]))
        return rows

    def permute_columns(self, seed: Seed = None) -> Incomplete:
        """Return the data with the cases of every column shuffled independently of the others, gaps included."""
        rng = generator_of(seed)
        whole = self.expand()
        order = rng.permuted(np.tile(np.arange(whole.n_rows), (whole.n_variables, 1)), axis=1)
        codes = np.take_along_axis(whole.held.codes, order, axis=1)
        return Incomplete(whole.held._unchecked(codes, None, None), np.take_along_axis(whole.missing, order, axis=1))
