"""`Dataset`: the discrete data that every stage works on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError, OptionError, suggestion
from arcwise.seeds import Seed
from arcwise.showing import LINES, html_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "Dataset"]

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]

# Counts enter scores as doubles: up to here every count is exact.
MAX_CASES = 2**53
# Codes are converted in blocks of this many cells: a table is never held twice in a wider type.
BLOCK_CELLS = 2**20


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of integer state codes, one column per variable, with names, states and optional row weights.

    A data set is complete and discrete: missing values and numbers are handled earlier, on a `Table`. It is
    immutable; its arrays are read-only. The constructor shares the memory of `codes` where it can (the array is
    C-contiguous and of the right type); the other constructors copy.

    Parameters
    ----------
    codes
        Array of shape (variables, rows), C-contiguous, so that a variable's column is contiguous; unsigned, in the
        smallest of 8, 16 and 32 bits that holds the largest declared code.
    names
        One name per variable, all different.
    states
        The names of each variable's states, at least two; code k stands for ``states[v][k]``. Declared states that
        no row shows count as states.
    weights
        How often each row occurs (integer, >= 0), or None if every row counts once.

    Raises
    ------
    DataError
        If there is no case, a name or state is empty or occurs twice, a variable has fewer than two states, or a
        code or weight is out of its range.
    """

    codes: Codes
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    weights: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        names, states = _checked_names(self.names), _checked_states(self.names, self.states)
        table = np.asarray(self.codes)
        if table.ndim != 2 or table.shape[0] != len(names):
            raise DataError(
                f"codes of shape {table.shape} do not fit {len(names)} names; "
                "the shape must be (variables, rows). Use Dataset.from_codes for an array of shape (rows, variables)."
            )
        codes = _checked_codes(table, names, states)
        weights = _checked_weights(self.weights, codes.shape[1])
        for field, value in (("names", names), ("states", states), ("codes", codes), ("weights", weights)):
            object.__setattr__(self, field, value)

    # ---- What it holds

    @property
    def n_variables(self) -> int:
        """The number of variables, n."""
        return len(self.names)

    @property
    def n_rows(self) -> int:
        """The number of stored rows; with weights it may differ from the number of cases."""
        return int(self.codes.shape[1])

    @cached_property
    def n_cases(self) -> int:
        """The number of cases, N: the sum of the weights."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states r of each variable."""
        return _frozen(np.array([len(states) for states in self.states], dtype=np.int32))

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """For each variable, whether all cases show the same state.

        Data in which a variable never varies say nothing about its relations, whatever its declared states are: BDeu
        would join two such variables all the same, with certainty. Searches and tables leave them without arcs.
        """
        seen = self.codes if self.weights is None else self.codes[:, self.weights > 0]
        if seen.shape[1] == 0:
            return _frozen(np.zeros(self.n_variables, dtype=bool))
        return _frozen((seen == seen[:, :1]).all(axis=1))

    @property
    def native_weights(self) -> NDArray[np.int64]:
        """The weights as the native core takes them: empty if every row counts once."""
        return np.empty(0, dtype=np.int64) if self.weights is None else self.weights

    @property
    def log_configurations(self) -> float:
        """The natural log of the number of joint configurations: the product of the arities may exceed any integer."""
        return float(np.log(self.arities).sum())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, states, codes and weights, in hexadecimal.

        Two data sets have equal digests if and only if they have the same names, the same states, the same rows in
        the same order and the same weights (weights that are all 1 equal no weights); how the codes are stored, where
        they came from and the machine do not matter. So `collapse`, `expand` and a reordering of rows or columns
        change the digest, although most scores stay the same.
        """
        hasher = hashlib.sha256()
        hasher.update(json.dumps([self.names, self.states, self.n_rows], ensure_ascii=True).encode())
        codes = self.codes
        kind = codes.dtype.newbyteorder("<")  # the type follows from the states, so that it need not be hashed
        for column in codes:
            hasher.update(column.astype(kind, copy=False).data)
        if self.weights is not None and not bool((self.weights == 1).all()):
            hasher.update(self.weights.astype("<i8", copy=False).data)
        return hasher.hexdigest()

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, variables), as a data frame has it."""
        return self.n_rows, self.n_variables

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a variable as a categorical pandas Series: ``data["smoke"].value_counts()``."""
        import pandas as pd

        v = self.index(name)
        states = self.states[v]
        column = pd.Categorical.from_codes(self.codes[v].astype(_signed(len(states))), categories=pd.Index(states))
        return pd.Series(column, name=name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        try:
            return self.names.index(name)
        except ValueError:
            raise DataError(suggestion("variable", str(name), self.names)) from None

    def __repr__(self) -> str:
        cases = f", {self.n_cases:,} cases" if self.weights is not None else ""
        fewest, most = int(self.arities.min()), int(self.arities.max())
        spread = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        return f"<Dataset: {self.n_variables} variables of {spread} states, {self.n_rows:,} rows{cases}>"

    def _repr_html_(self) -> str:
        rows = [(name, len(states), ", ".join(states)) for name, states in zip(self.names, self.states, strict=True)]
        return html_table(repr(self), ("variable", "states", "their names"), rows[:LINES], len(rows))

    # ---- Made from other things

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
        codes: ArrayLike,
        *,
        names: Sequence[str] | None = None,
        states: Sequence[Sequence[str]] | None = None,
        weights: ArrayLike | None = None,
    ) -> Dataset:
        """Make a data set from an array of shape (rows, variables) with codes 0, 1, ...

        Parameters
        ----------
        codes
            Integers; whole-valued floats and booleans are accepted.
        names
            The variables; "X0", "X1", ... if not given.
        states
            The states of each variable; "0", "1", ... up to the largest code if not given.
        weights
            How often each row occurs.
        """
        table = np.asarray(codes)
        if table.ndim != 2:
            raise DataError(f"codes of shape {table.shape} are not a table; the shape must be (rows, variables).")
        if table.shape[0] == 0 or table.shape[1] == 0:
            raise DataError(f"codes of shape {table.shape} have no cases; the shape must be (rows, variables).")
        if names is None:
            names = [f"X{v}" for v in range(table.shape[1])]
        if len(names) != table.shape[1]:
            raise DataError(f"{len(names)} names for {table.shape[1]} columns of codes; one name per column is needed.")
        if states is None:
            largest = _largest_codes(table.T, tuple(map(str, names)))
            states = [[str(k) for k in range(top + 1)] for top in largest]
        kind = cls.code_type(max((len(s) for s in states), default=2))
        return cls(
            codes=_copied_codes(table.T, tuple(map(str, names)), kind),
            names=tuple(names),
            states=tuple(states),  # type: ignore[arg-type]
            weights=None if weights is None else np.array(weights),
        )

    @classmethod
    def from_dataframe(
        cls,
        frame: pd.DataFrame,
        *,
        states: Mapping[str, Iterable[object]] | None = None,
        weights: str | ArrayLike | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
    ) -> Dataset:
        """Make a data set from a pandas DataFrame.

        A categorical column has its declared categories as states, seen or not, in their order. Of any other column
        the states are the sorted observed values, numbers in numerical order. Values become state names by `str`,
        without surrounding spaces; whole floats lose their ``.0``, since pandas stores integers with gaps as floats.

        Parameters
        ----------
        frame
            One row per case. The index is ignored.
        states
            Declared states of some columns, in order; they replace what the column says.
        weights
            How often each row occurs: the name of a column, or an array.
        categorical
            Columns of numbers to treat as categories however many values they show; True for all.
        max_levels
            A column of numbers with more distinct values is refused, because it should be discretised. Default 20.

        Raises
        ------
        DataError
            For missing values (see `impute`), numeric columns (see `discretize`), identifiers, columns with one
            state, fewer than two columns, no rows.
        """
        from arcwise.data.table import Table

        table = Table.from_dataframe(frame, weights=weights)
        return table.to_dataset(states=states, categorical=categorical, max_levels=max_levels)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a DataFrame of categorical columns; weights, if any, repeat rows."""
        import pandas as pd

        data = self.expand()
        columns = {
            name: pd.Categorical.from_codes(data.codes[v].astype(_signed(len(s))), categories=pd.Index(s))
            for v, (name, s) in enumerate(zip(data.names, data.states, strict=True))
        }
        return pd.DataFrame(columns)

    def to_file(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the cases to a file; see `arcwise.data.write_data`."""
        from arcwise.data.write import write_data

        write_data(self, path, format=format)

    # ---- The same data in another shape

    def select(self, names: Iterable[str]) -> Dataset:
        """Return the given variables, in the order given, with all rows and weights."""
        if isinstance(names, str):
            raise OptionError(f"select takes a list of variables, not one string: select(['{names}']).")
        chosen = [self.index(name) for name in names]
        if not chosen:
            raise DataError(f"select needs at least one variable; the variables are {', '.join(self.names)}.")
        states = tuple(self.states[v] for v in chosen)
        kind = self.code_type(max(len(s) for s in states))
        return Dataset(
            codes=self.codes[chosen].astype(kind, copy=False),
            names=tuple(self.names[v] for v in chosen),
            states=states,
            weights=self.weights,
        )

    def take(self, rows: ArrayLike) -> Dataset:
        """Return the given rows (positions, with repeats, or a mask of booleans), with their weights."""
        chosen = np.asarray(rows)
        if chosen.dtype == bool:
            if chosen.shape != (self.n_rows,):
                raise DataError(f"a mask of shape {chosen.shape} does not fit {self.n_rows:,} rows.")
            chosen = np.flatnonzero(chosen)
        if chosen.ndim != 1 or (chosen.size and not np.issubdtype(chosen.dtype, np.integer)):
            raise DataError("rows must be a one-dimensional array of positions or booleans.")
        if chosen.size == 0:
            raise DataError("no rows were taken; a data set needs at least one case.")
        if int(chosen.min()) < 0 or int(chosen.max()) >= self.n_rows:
            raise DataError(f"row {int(chosen.max())} or {int(chosen.min())} is not in 0..{self.n_rows - 1}.")
        return Dataset(
            codes=np.take(self.codes, chosen, axis=1),  # type: ignore[arg-type]
            names=self.names,
            states=self.states,
            weights=None if self.weights is None else self.weights[chosen],
        )

    def expand(self) -> Dataset:
        """Return one row per case: each row repeated as often as its weight says. Without weights, `self`."""
        if self.weights is None:
            return self
        codes = np.repeat(self.codes, self.weights, axis=1)
        return self._unchecked(codes, None)

    def collapse(self) -> Dataset:
        """Return the distinct rows, in order of first appearance, with the number of their cases as weights.

        Rows of weight 0 vanish. Every count, and so every score, stays the same.
        """
        from arcwise import _core

        first, weights = _core.data.group_rows(self.codes, self.arities, self.native_weights)
        return self._unchecked(np.take(self.codes, first, axis=1), weights)

    # ---- At random

    def resample(self, seed: Seed = None) -> Dataset:
        """Return a bootstrap sample: N cases drawn with replacement, as weights over the same rows (not copied)."""
        from arcwise.data.resample import bootstrap_weights

        return self._unchecked(self.codes, bootstrap_weights(self, seed))

    def permute_columns(self, seed: Seed = None) -> Dataset:
        """Return the data with the cases of every column shuffled independently of the others (Broom et al. 2012).

        Margins stay, associations are lost. Nothing is copied until the codes are used.
        """
        from arcwise.data.resample import PermutedDataset

        return PermutedDataset.of(self, seed)

    def split(self, fraction: float, seed: Seed = None) -> tuple[Dataset, Dataset]:
        """Split the cases at random into two data sets, the first with round(`fraction` x N) cases.

        Both keep all declared states, and the order of the rows.
        """
        from arcwise.data.resample import split_cases

        return split_cases(self, fraction, seed)

    def _unchecked(self, codes: NDArray[Any], weights: NDArray[np.int64] | None) -> Dataset:
        """Return these names and states with other codes or weights that are known to be valid."""
        made = object.__new__(Dataset)
        weights = None if weights is None else _frozen(weights)
        made.__dict__.update(names=self.names, states=self.states, codes=_frozen(codes), weights=weights)
        return made


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


def _signed(arity: int) -> type[np.signedinteger]:
    return np.int8 if arity <= 127 else np.int16 if arity <= 32767 else np.int64


def _checked_names(names: Sequence[str]) -> tuple[str, ...]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise DataError(f"names must be a list of strings, not {names!r:.80}.")
    if not names:
        raise DataError("there are no variables; a data set needs at least one.")
    seen: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name.strip():
            raise DataError(f"variable {position} of {len(names)} has an empty name; every variable needs one.")
        if name in seen:
            raise DataError(
                f"the name '{name}' is given to variables {seen[name]} and {position} of {len(names)}; "
                "names must differ. Rename one of them."
            )
        seen[name] = position
    return tuple(names)


def _checked_states(names: Sequence[str], states: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    if len(states) != len(names):
        raise DataError(f"states are given for {len(states)} variables, but there are {len(names)}.")
    checked = []
    for position, (name, own) in enumerate(zip(names, states, strict=True), start=1):
        where = f"variable '{name}' ({position} of {len(names)})"
        if isinstance(own, str) or not all(isinstance(state, str) for state in own):
            raise DataError(f"{where}: states must be a list of strings, not {own!r:.80}.")
        if len(own) < 2:
            has = f"one state, '{own[0]}'" if own else "no states"
            raise DataError(f"{where} has {has}; a variable needs at least two. Drop it, or declare its states.")
        if len(set(own)) != len(own):
            twice = next(state for k, state in enumerate(own) if state in own[:k])
            raise DataError(f"{where} has the state '{twice}' twice; states must differ.")
        if not all(own):
            raise DataError(f"{where} has a state with an empty name; every state needs a name.")
        checked.append(tuple(own))
    return tuple(checked)


def _checked_codes(table: NDArray[Any], names: tuple[str, ...], states: tuple[tuple[str, ...], ...]) -> NDArray[Any]:
    if table.shape[1] == 0:
        raise DataError("there are no rows; a data set needs at least one case.")
    kind = Dataset.code_type(max(len(s) for s in states))
    codes = np.ascontiguousarray(table) if table.dtype == kind else _copied_codes(table, names, kind)
    largest = [int(top) for top in codes.max(axis=1)]
    for v, (top, own) in enumerate(zip(largest, states, strict=True)):
        if top >= len(own):
            row = int(codes[v].argmax())
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {top} in row {row}, but only {len(own)} "
                f"states; codes run from 0 to {len(own) - 1}."
            )
    return _frozen(codes)


def _checked_weights(weights: object, rows: int) -> NDArray[np.int64] | None:
    if weights is None:
        return None
    given = np.asarray(weights)
    if given.shape != (rows,):
        raise DataError(f"weights of shape {given.shape} do not fit {rows:,} rows; one weight per row is needed.")
    whole = given.dtype.kind in "iub" or (given.dtype.kind == "f" and bool((given == np.floor(given)).all()))
    if not whole or (given.dtype.kind == "f" and not bool(np.isfinite(given).all())):
        bad = next((w for w in given.tolist() if not isinstance(w, float) or not w.is_integer()), given.dtype)
        raise DataError(f"weights must be whole numbers (how often a row occurs), not {bad!r}.")
    if bool((given < 0).any()):
        row = int(np.argmax(given < 0))
        raise DataError(f"the weight of row {row} is {given[row]}; weights count cases and cannot be negative.")
    total = float(given.sum(dtype=np.float64))
    if total > MAX_CASES:
        raise DataError(f"the weights sum to {total:.6g} cases; at most 2^53 = {MAX_CASES:,} can be counted exactly.")
    if total == 0:
        raise DataError("all weights are 0: there are no cases.")
    return _frozen(np.ascontiguousarray(given, dtype=np.int64))


def _blocks(table: NDArray[Any]) -> Iterable[slice]:
    """Split the rows (second axis) into blocks that fit the cache."""
    size = max(1, BLOCK_CELLS // max(1, table.shape[0]))
    return (slice(start, min(start + size, table.shape[1])) for start in range(0, table.shape[1], size))


def _checked_block(table: NDArray[Any], block: slice, names: tuple[str, ...]) -> NDArray[Any]:
    """Return a block of a table of codes as integers that are not negative."""
    part = table[:, block]
    if part.dtype.kind in "ub":
        return part
    if part.dtype.kind not in "if":
        try:
            part = part.astype(np.float64)
        except (TypeError, ValueError):
            raise DataError(
                f"codes must be integers, not {table.dtype}; use Dataset.from_dataframe for text or mixed values."
            ) from None
    bad = part < 0 if part.dtype.kind == "i" else ~(part >= 0) | (part != np.floor(part)) | (part >= 2**32)
    if bool(bad.any()):
        v, row = (int(i) for i in np.argwhere(bad)[0])
        raise DataError(
            f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {part[v, row]} in row {block.start + row}; "
            "codes are the integers 0, 1, ... Missing values must be imputed first: see arcwise.data.impute."
        )
    return part


def _largest_codes(table: NDArray[Any], names: tuple[str, ...]) -> list[int]:
    largest = np.zeros(table.shape[0], dtype=np.int64)
    for block in _blocks(table):
        part = _checked_block(table, block, names)
        np.maximum(largest, part.max(axis=1).astype(np.int64), out=largest)
    for v, top in enumerate(largest.tolist()):
        if top >= 2**24:
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {top:,}; that many states were not "
                "declared. Codes are 0, 1, ..., r - 1: recode the column, or give states=."
            )
    return [int(top) for top in largest]


def _copied_codes(table: NDArray[Any], names: tuple[str, ...], kind: np.dtype[Any]) -> NDArray[Any]:
    """Copy a (variables, rows) table of codes of any type and memory order, block by block."""
    codes = np.empty(table.shape, dtype=kind)
    limit = int(np.iinfo(kind).max)
    for block in _blocks(table):
        part = _checked_block(table, block, names)
        if int(part.max()) > limit:
            v, row = (int(i) for i in np.argwhere(part > limit)[0])
            raise DataError(
                f"variable '{names[v]}' ({v + 1} of {len(names)}) has code {part[v, row]} in row {block.start + row}, "
                "more than its states allow."
            )
        codes[:, block] = part
    return codes
