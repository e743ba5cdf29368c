"""`Dataset`: the discrete data that every stage works on."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import DataError

__all__ = ["Codes", "Dataset"]

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of integer state codes, one column per variable, with names, states and optional row weights.

    Parameters
    ----------
    codes
        Array of shape (variables, rows), C-contiguous, so that a variable's column is contiguous; unsigned, in the
        smallest of 8, 16 and 32 bits that holds the largest declared code.
    names
        One name per variable, all different.
    states
        The names of each variable's states; code k stands for ``states[v][k]``. Declared states that no row shows
        count as states.
    weights
        How often each row occurs (integer, >= 0), or None if every row counts once.
    """

    codes: Codes
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    weights: NDArray[np.int64] | None = None

    @property
    def n_variables(self) -> int:
        """The number of variables, n."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """The number of stored rows; with weights it may be smaller than the number of cases."""
        return int(self.codes.shape[1])

    @cached_property
    def n_cases(self) -> int:
        """The number of cases, N: the sum of the weights."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states r of each variable."""
        return np.array([len(states) for states in self.states], dtype=np.int32)

    @property
    def native_weights(self) -> NDArray[np.int64]:
        """The weights as the native core takes them: empty if every row counts once."""
        return np.empty(0, dtype=np.int64) if self.weights is None else self.weights

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, states, codes and weights; independent of how the codes are stored."""
        hasher = hashlib.sha256()
        hasher.update(repr((self.names, self.states, self.codes.shape)).encode())
        for column in self.codes:
            hasher.update(np.ascontiguousarray(column, dtype="<u4").tobytes())
        if self.weights is not None:
            hasher.update(self.weights.astype("<i8").tobytes())
        return hasher.hexdigest()

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(f"no variable '{name}'; the variables are {', '.join(self.names)}.") from None

    @staticmethod
    def code_type(largest_arity: int) -> np.dtype[np.unsignedinteger]:
        """Return the smallest unsigned type that holds the codes of `largest_arity` states."""
        for kind in (np.uint8, np.uint16, np.uint32):
            if largest_arity - 1 <= np.iinfo(kind).max:
                return np.dtype(kind)
        raise DataError(f"a variable has {largest_arity:,} states; at most 2^32 are supported.")

    @classmethod
    def from_codes(
        cls,
        codes: NDArray[np.integer],
        *,
        names: Sequence[str] | None = None,
        states: Sequence[Sequence[str]] | None = None,
        weights: NDArray[np.integer] | None = None,
    ) -> Dataset:
        """Make a data set from an array of shape (rows, variables) with codes 0, 1, ..."""
        table = np.asarray(codes)
        if names is None:
            names = [f"X{v}" for v in range(table.shape[1])]
        if states is None:
            states = [[str(k) for k in range(int(column.max()) + 1)] for column in table.T]
        kind = cls.code_type(max(len(s) for s in states))
        return cls(
            codes=np.ascontiguousarray(table.T.astype(kind)),
            names=tuple(names),
            states=tuple(tuple(s) for s in states),
            weights=None if weights is None else np.ascontiguousarray(weights, dtype=np.int64),
        )
