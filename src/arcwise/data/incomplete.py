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
from arcwise.data.targets import Targets
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
        missing = np.array(self.missing, dtype=bool, order="C")  # a copy: it is made read-only
        shape = (self.held.n_variables, self.held.n_rows)
        if missing.shape != shape:
            raise DataError(f"missing has the shape {missing.shape}; it must be (variables, rows), {shape}.")
        _check_set_values(self.held, missing)
        codes = self.held.codes
        if (codes[missing] != 0).any():
            codes = codes.copy()
            codes[missing] = 0
            object.__setattr__(self, "held", self.held._unchecked(codes, self.held.weights, self.held.targets))
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

    @cached_property
    def cell_flags(self) -> NDArray[np.uint8]:
        """(variables, rows), as native code takes it: 1 if a cell is missing, 2 if an experiment set it."""
        flags = self.missing.astype(np.uint8)
        targets = self.held.targets
        if targets is not None:
            for name in targets.names:
                flags[self.index(name), ~targets.rows_without(name)] = 2
        return flags

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

    @classmethod
    def trusted(cls, held: Dataset, missing: NDArray[np.bool_]) -> Incomplete:
        """Make it of parts that were checked before; a variable may have no value among these rows."""
        made = object.__new__(cls)
        made.__dict__.update(held=held, missing=np.ascontiguousarray(missing))
        return made

    def completed(self, codes: NDArray[Any]) -> Dataset:
        """Return the data with these codes, of which only those of gaps may differ from what is held."""
        return self.held._unchecked(codes, self.held.weights, self.held.targets)

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

    def collapse(self) -> Incomplete:
        """Return the distinct rows, with the number of their cases as weights."""
        marked = self.with_gap_states().collapse()
        missing = marked.codes == self.arities[:, None]
        codes = np.where(missing, 0, marked.codes).astype(self.held.codes.dtype)
        return Incomplete(self.held._unchecked(codes, marked.weights, marked.targets), missing)

    # ---- At random

    def resample(self, seed: Seed = None) -> Incomplete:
        """Return a bootstrap sample: N cases drawn with replacement, one row each."""
        whole = self.expand()
        return whole.take(whole.resampled_rows(seed))

    def resampled_rows(self, seed: Seed = None) -> NDArray[np.int64]:
        """Return as many rows as there are, drawn with replacement; those of each experiment from its own.

        If none of them has a value of some variable, one that has it takes a place: without any there is nothing to
        learn from.
        """
        rng = generator_of(seed)
        rows = _drawn_rows(self.held.targets, self.n_rows, rng)
        for v in np.flatnonzero(self.missing[:, rows].all(axis=1)):
            chosen = int(rng.choice(np.flatnonzero(~self.missing[v])))
            places = np.flatnonzero(
                _experiment_of(self.held.targets, rows) == _experiment_of(self.held.targets, chosen)
            )
            rows[rng.choice(places)] = chosen
        return rows

    def permute_columns(self, seed: Seed = None) -> Incomplete:
        """Return the data with the cases of every column shuffled independently of the others, gaps included.

        The cases in which a variable was set, and those in which it was not, are shuffled among themselves.
        """
        rng = generator_of(seed)
        whole = self.expand()
        targets = whole.held.targets
        order = np.tile(np.arange(whole.n_rows), (whole.n_variables, 1))
        if targets is None:
            order = rng.permuted(order, axis=1)
        else:
            for v, name in enumerate(whole.names):
                alone = targets.rows_without(name)
                for rows in (alone, ~alone):
                    order[v, rows] = rng.permuted(order[v, rows])
        codes = np.take_along_axis(whole.held.codes, order, axis=1)
        return Incomplete(whole.held._unchecked(codes, None, targets), np.take_along_axis(whole.missing, order, axis=1))


def _check_set_values(held: Dataset, missing: NDArray[np.bool_]) -> None:
    """Refuse a value that was set and is not known: it follows from nothing."""
    targets = held.targets
    if targets is None:
        return
    for name in targets.names:
        unknown = np.flatnonzero(missing[held.index(name)] & ~targets.rows_without(name))
        if unknown.size:
            raise DataError(
                f"variable '{name}' was set by an experiment in {unknown.size:,} rows that lack its value, the first "
                f"being row {int(unknown[0]) + 1:,}: to what it was set cannot be told from other values.",
                remedies=(Remedy("fill these values in"), Remedy("leave the rows out")),
            )


def _experiment_of(targets: Targets | None, rows: NDArray[np.int64] | int) -> NDArray[np.int32]:
    return np.zeros(np.shape(rows), dtype=np.int32) if targets is None else np.asarray(targets.of_row[rows])


def _drawn_rows(targets: Targets | None, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw rows with replacement; how many there are of each experiment was chosen, not observed, and stays."""
    if targets is None:
        return rng.integers(0, count, size=count)
    groups = [np.flatnonzero(targets.of_row == k) for k in range(len(targets.sets))]
    return np.concatenate([group[rng.integers(0, len(group), size=len(group))] for group in groups])
