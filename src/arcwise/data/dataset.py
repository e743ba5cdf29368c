"""`Dataset`: the discrete data that every stage works on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.base.errors import Argument, DataError, OptionError, Remedy, check_argument, suggestion
from arcwise.base.run import Seed, generator_of
from arcwise.base.showing import LINES, html_table
from arcwise.data import checks
from arcwise.data.checks import Conditions, Targets, checked_targets, frozen
from arcwise.data.column import code_type, declared_columns, frame_of, gap_label
from arcwise.data.columns import Columns, encode
from arcwise.data.write import write_data

if TYPE_CHECKING:
    import pandas as pd


# Cases are drawn in blocks of this size, so that memory stays small; the size is part of what a seed means.
BLOCK_CASES = 2**20
# Of more cases in weighted rows, as many are drawn row by row, from binomial distributions: a hundred million cases in
# a million distinct rows take a second in place of ten. The number is part of what a seed means, too.
ROW_BY_ROW = 2**24
# With no more cases than this, draws are counted by case, a byte each, which stays in a cache: no row is searched for.
MOST_COUNTED = 2**22
# numpy's multivariate hypergeometric distribution goes no further.
MAX_WEIGHTED_SPLIT = 10**9

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


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
    targets
        Which variables an experiment set in which rows, or None for observations; see `with_targets`.

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
    targets: Targets | None = None

    def __post_init__(self) -> None:
        names, states = checks.checked_names(self.names), checks.checked_states(self.names, self.states)
        table = np.asarray(self.codes)
        if table.ndim != 2 or table.shape[0] != len(names):
            raise DataError(
                f"codes of shape {table.shape} do not fit {len(names)} names; "
                "the shape must be (variables, rows). Use Dataset.from_codes for an array of shape (rows, variables)."
            )
        codes = checks.checked_codes(table, names, states)
        weights = checks.checked_weights(self.weights, codes.shape[1])
        for field, value in (("names", names), ("states", states), ("codes", codes), ("weights", weights)):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "targets", checked_targets(self.targets, names, codes.shape[1], weights))

    # ---- What it holds

    gaps: ClassVar[None] = None  # as of everything that networks are learned from: `arcwise.sampled`

    @property
    def gapless(self) -> Self:
        """The data, since no value is missing."""
        return self

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

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be found again and is as large as the data."""
        return {name: value for name, value in vars(self).items() if name != "_collapsed"}

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states r of each variable."""
        return frozen(np.array([len(states) for states in self.states], dtype=np.int32))

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """For each variable, whether all cases show the same state.

        Data in which a variable never varies say nothing about its relations, whatever its declared states are: BDeu
        would join two such variables all the same, with certainty. Searches and tables leave them without arcs.
        """
        seen = self.codes if self.weights is None else self.codes[:, self.weights > 0]
        if seen.shape[1] == 0:
            return frozen(np.zeros(self.n_variables, dtype=bool))
        return frozen((seen == seen[:, :1]).all(axis=1))

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
        """SHA-256 of names, states, codes, weights and targets, in hexadecimal.

        Two data sets have equal digests if and only if they have the same names, the same states, the same rows in
        the same order, the same weights (weights that are all 1 equal no weights) and the same targets; how the codes
        are stored, where they came from and the machine do not matter. So `collapse`, `expand` and a reordering of
        rows or columns change the digest, although most scores stay the same.
        """
        hasher = hashlib.sha256()
        hasher.update(json.dumps([self.names, self.states, self.n_rows], ensure_ascii=True).encode())
        kind = self.codes.dtype.newbyteorder("<")  # the type follows from the states, so that it need not be hashed
        for column in self.codes:
            hasher.update(column.astype(kind, copy=False).data)
        if self.weights is not None and not bool((self.weights == 1).all()):
            hasher.update(self.weights.astype("<i8", copy=False).data)
        if self.targets is not None:
            hasher.update(json.dumps(self.targets.sets, ensure_ascii=True).encode())
            hasher.update(self.targets.of_row.astype("<i4", copy=False).data)
        return hasher.hexdigest()

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, variables), as a data frame has it."""
        return self.n_rows, self.n_variables

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a variable as a categorical pandas Series: ``data["smoke"].value_counts()``."""
        return frame_of([declared_columns(self)[self.index(name)]])[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self._positions

    def index(self, name: str) -> int:
        """Return the position of a variable."""
        if name not in self._positions:
            raise DataError(suggestion("variable", str(name), self.names))
        return self._positions[name]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}

    def __repr__(self) -> str:
        cases = f", {self.n_cases:,} cases" if self.weights is not None else ""
        fewest, most = int(self.arities.min()), int(self.arities.max())
        spread = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        return f"<Dataset: {self.n_variables} variables of {spread} states, {self.n_rows:,} rows{cases}>"

    def _repr_html_(self) -> str:
        rows = [(name, len(states), ", ".join(states)) for name, states in zip(self.names, self.states, strict=True)]
        return html_table(repr(self), ("variable", "states", "their names"), rows[:LINES], len(rows))

    # ---- Made from other things

    code_type = staticmethod(code_type)

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
            largest = checks.largest_codes(table.T, tuple(map(str, names)))
            states = [[str(k) for k in range(top + 1)] for top in largest]
        return cls(
            codes=np.array(table.T, order="C") if table.dtype.kind == "u" else table.T,  # others are copied anyway
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
        interventions: str | None = None,
        conditions: Conditions | None = None,
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
        interventions, conditions
            The column that names the variables which were set in each row, and what its labels stand for; see
            `Table.with_interventions`.

        Raises
        ------
        DataError
            For missing values (see `impute`), numeric columns (see `discretize`), identifiers, columns with one
            state, fewer than two columns, no rows.
        """
        columns = Columns.from_dataframe(frame, weights=weights)
        if interventions is not None:
            columns = columns.with_interventions(interventions, conditions)
        return Dataset(*encode(columns, states, categorical, max_levels))

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a DataFrame of categorical columns; weights, if any, repeat rows.

        If variables were set, a last column `interventions` says which, as `from_dataframe` takes it.
        """
        data = self.expand()
        return frame_of([*declared_columns(data), *(() if data.targets is None else [data.targets.column()])])

    def to_file(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the cases to a file; see `arcwise.data.write_data`."""
        write_data(self, path, format=format)

    # ---- The same data in another shape

    def select(self, names: Iterable[str]) -> Self:
        """Return the given variables, in the order given, with all rows and weights.

        Rows in which only variables were set that are left out count as observations.
        """
        if isinstance(names, str):
            raise OptionError(f"select takes a list of variables, not one string: select(['{names}']).")
        chosen = [self.index(name) for name in names]
        if not chosen:
            raise DataError(f"select needs at least one variable; the variables are {', '.join(self.names)}.")
        names, states = tuple(self.names[v] for v in chosen), tuple(self.states[v] for v in chosen)
        codes = self.codes[chosen].astype(self.code_type(max(map(len, states))), copy=False)
        targets = None if self.targets is None else self.targets.among(names)
        return type(self)(codes, names, states, self.weights, targets)

    def take(self, rows: ArrayLike) -> Self:
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
        weights = None if self.weights is None else self.weights[chosen]
        targets = None if self.targets is None else self.targets.take(chosen)
        codes: Codes = np.take(self.codes, chosen, axis=1)  # type: ignore[assignment]
        return type(self)(codes, self.names, self.states, weights, targets)

    def expand(self) -> Self:
        """Return one row per case: each row repeated as often as its weight says. Without weights, `self`."""
        if self.weights is None:
            return self
        codes = np.repeat(self.codes, self.weights, axis=1)
        targets = None if self.targets is None else self.targets.repeat(self.weights)
        return self._unchecked(codes, None, targets)

    def unweighted(self) -> Self:
        """Return the rows, each once."""
        return self if self.weights is None else self._unchecked(self.codes, None, self.targets)

    def collapse(self) -> Self:
        """Return the distinct rows, in order of first appearance, with the number of their cases as weights.

        Rows in which different variables were set are different. Rows of weight 0 vanish. Every count, and so every
        score, stays the same. They are found once.
        """
        return self._collapsed

    @cached_property
    def _collapsed(self) -> Self:
        if self.targets is None:
            first, weights = _core.data.group_rows(self.codes, self.arities, self.native_weights)
            return self._unchecked(np.take(self.codes, first, axis=1), weights, None)
        arities = np.append(self.arities, np.int32(len(self.targets.sets)))
        rows = np.vstack([self.codes, self.targets.of_row]).astype(self.code_type(int(arities.max())))
        first, weights = _core.data.group_rows(rows, arities, self.native_weights)
        return self._unchecked(np.take(self.codes, first, axis=1), weights, self.targets.take(first))

    # ---- At random

    def resample(self, seed: Seed = None) -> Self:
        """Return a bootstrap sample: N cases drawn with replacement, as weights over the same rows (not copied).

        Where variables were set, the cases of each experiment are drawn from its own: how many there are of each was
        chosen, not observed.
        """
        return self._unchecked(self.codes, bootstrap_weights(self, seed), self.targets)

    def subsample(self, share: float, seed: Seed = None) -> Self:
        """Return a share of the cases, drawn without replacement, as weights over the same rows (not copied)."""
        return self._unchecked(self.codes, subsample_weights(self, share, seed), self.targets)

    def permute_columns(self, seed: Seed = None) -> Self:
        """Return the data with the cases of every column shuffled independently of the others (Broom et al. 2012).

        Margins stay, associations are lost. The cases in which a variable was set, and those in which it was not, are
        shuffled among themselves.
        """
        rng = np.random.default_rng(int(generator_of(seed).integers(0, 2**63)))
        whole = self.expand()
        return self._unchecked(_shuffled(whole.codes, whole.names, whole.targets, rng), None, whole.targets)

    def split(self, fraction: float, seed: Seed = None) -> tuple[Self, Self]:
        """Split the cases at random into two data sets, the first with round(`fraction` x N) cases.

        Both keep all declared states, and the order of the rows.
        """
        rng = generator_of(seed)
        check_argument(0 < fraction < 1, "fraction", fraction, "must lie between 0 and 1, e.g. 0.7.")
        size = round(fraction * self.n_cases)
        if size in (0, self.n_cases):
            raise DataError(
                f"a split of {self.n_cases:,} cases at {fraction} leaves one side empty; use more data or another "
                "fraction."
            )
        if self.weights is None:
            chosen = np.zeros(self.n_rows, dtype=bool)
            chosen[rng.permutation(self.n_rows)[:size]] = True
            return self.take(chosen), self.take(~chosen)
        if self.n_cases >= MAX_WEIGHTED_SPLIT:
            raise DataError(f"{self.n_cases:,} weighted cases cannot be split at random; at most 10^9 can.")
        first = rng.multivariate_hypergeometric(self.weights, size, method="marginals")
        parts = (self._unchecked(self.codes, own, self.targets).take(own > 0) for own in (first, self.weights - first))
        return next(parts), next(parts)

    def _unchecked(self, codes: NDArray[Any], weights: NDArray[np.int64] | None, targets: Targets | None) -> Self:
        """Return these names and states with other codes and weights that are known to be valid, and targets."""
        made = object.__new__(type(self))
        targets = checked_targets(targets, self.names, codes.shape[1], weights)
        weights = None if weights is None else frozen(weights)
        made.__dict__.update(
            names=self.names, states=self.states, codes=frozen(codes), weights=weights, targets=targets
        )
        return made

    # ---- Experiments

    def with_targets(self, targets: Targets | ArrayLike | Sequence[str | Iterable[str] | None] | None) -> Self:
        """Return the data with the variables that an experiment set in each row.

        A variable is scored and estimated without the rows in which it was set.

        Parameters
        ----------
        targets
            `Targets`; a mask of booleans (or 0 and 1) of shape (rows, variables), or as a data frame, whose columns are
            found by their names; or for each row a name, several names, or None (or a missing value, or ""). None in
            place of all of it makes the data observations. Rows are matched by their order, an index is ignored.

        Examples
        --------
        >>> data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]], names=["a", "b"])
        >>> data.with_targets([None, None, "b"]).cases_without("b").n_cases
        2
        """
        given = None if targets is None else Targets.of(targets, self.names)
        return self._unchecked(self.codes, self.weights, given)

    def observations(self) -> Self:
        """Return the rows in which nothing was set."""
        if self.targets is None:
            return self
        return self.take(np.array([not names for names in self.targets.sets])[self.targets.of_row])

    def cases_without(self, name: str) -> Self:
        """Return what can be learned of a variable given others: the data without the cases in which it was set.

        The rows stay, with the weight 0. There may be no case left.
        """
        return self.child_groups[int(self.group_of_child[self.index(name)])]

    @cached_property
    def group_of_child(self) -> NDArray[np.int32]:
        """For each variable, the position in `child_groups` of the data that tell of it."""
        if self.targets is None:
            return frozen(np.zeros(self.n_variables, dtype=np.int32))
        found: dict[tuple[bool, ...], int] = {}
        keys = [tuple(name in names for names in self.targets.sets) for name in self.names]
        return frozen(np.array([found.setdefault(key, len(found)) for key in keys], dtype=np.int32))

    @cached_property
    def child_groups(self) -> tuple[Self, ...]:
        """The data without the cases in which a variable was set, once for all variables of which these are the same.

        Observations are one group, the data as they are. See `group_of_child`.
        """
        if self.targets is None:
            return (self,)
        ones = np.ones(self.n_rows, dtype=np.int64) if self.weights is None else self.weights
        firsts = [int(np.argmax(self.group_of_child == g)) for g in range(int(self.group_of_child.max()) + 1)]
        kept = [self.targets.rows_without(self.names[v]) for v in firsts]
        return tuple(
            self._unchecked(self.codes, self.weights if bool(rows.all()) else np.where(rows, ones, 0), None)
            for rows in kept
        )

    @cached_property
    def untold(self) -> NDArray[np.bool_]:
        """For each variable and each other one as its parent, whether the data say nothing about that arc.

        That is so if one of the two never varies in the cases in which the child was not set (see `constant`), or
        if there is no such case. Searches and tables make such arcs only if they are required.
        """
        groups = [data.constant | (data.n_cases == 0) for data in self.child_groups]
        rows = [groups[g][v] | groups[g] for v, g in enumerate(self.group_of_child.tolist())]
        return frozen(np.array(rows))


def draw_weights(rng: np.random.Generator, n_rows: int, given: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """Return how often each row is drawn, of which there are so many cases (None: one of each)."""
    ends = None if given is None else np.cumsum(given)
    n_cases = n_rows if ends is None else int(ends[-1])
    if given is not None and n_cases > ROW_BY_ROW:
        return rng.multinomial(n_cases, given / n_cases)
    drawn = None if given is None or n_cases > MOST_COUNTED else _core.data.DrawnCases(n_cases)
    weights = np.zeros(n_rows, dtype=np.int64)
    for start in range(0, n_cases, BLOCK_CASES):
        cases = rng.integers(0, n_cases, size=min(BLOCK_CASES, n_cases - start))
        if drawn is not None:
            drawn.add(cases)
        else:
            rows = cases if ends is None else np.searchsorted(ends, cases, side="right")
            weights += np.bincount(rows, minlength=n_rows)
    return weights if drawn is None or given is None else drawn.weights(given)


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


def subsample_weights(data: Dataset, share: float, seed: Seed) -> NDArray[np.int64]:
    """Return how often each row is drawn when a share of the cases is drawn without replacement."""
    rng = generator_of(seed)
    given = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    weights = np.zeros(data.n_rows, dtype=np.int64)
    of_row = np.zeros(data.n_rows, dtype=np.int64) if data.targets is None else data.targets.of_row
    for experiment in range(int(of_row.max(initial=0)) + 1):
        rows = np.flatnonzero(of_row == experiment)
        own = given[rows]
        weights[rows] = rng.multivariate_hypergeometric(own, round(share * int(own.sum())), method="marginals")
    return weights


def _shuffled(
    table: NDArray[Any], names: Sequence[str], targets: Targets | None, rng: np.random.Generator
) -> NDArray[Any]:
    """Return a table of (variables, rows) with each of its rows shuffled: without targets all cases together.

    Without any association, a variable that was not set is distributed as it is in all other such cases.
    """
    if targets is None:
        return rng.permuted(table, axis=1)
    shuffled = np.array(table)
    for v, name in enumerate(names):
        alone = targets.rows_without(name)
        for rows in (alone, ~alone):
            shuffled[v, rows] = rng.permuted(shuffled[v, rows])
    return shuffled


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
    codes = np.concatenate([other.codes for other in aligned], axis=1)
    targets = [o.targets or Targets(((),), np.zeros(o.n_rows, dtype=np.int32)) for o in aligned]
    firsts = np.cumsum([0, *(len(own.sets) for own in targets)]).tolist()
    of_row = np.concatenate([own.of_row + first_set for own, first_set in zip(targets, firsts[:-1], strict=True)])
    sets = tuple(names for own in targets for names in own.sets)
    return Dataset(codes, first.names, first.states, weights, Targets(sets, of_row))


class GapStates(Dataset):
    """Data whose variables have one more state than they were declared with, the last: it stands for a missing value.

    Tables of counts then tell the cases that have all values of a family from those that lack one. Only available-case
    scores (`Score.takes_gaps`) may see it: any other would take a missing value for a value.
    """

    @classmethod
    def of(cls, data: Incomplete) -> GapStates:
        """Mark the missing values of data."""
        states = tuple((*own, gap_label(own)) for own in data.states)
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


def gap_codes(data: Dataset) -> NDArray[np.int32]:
    """Return for each variable the code that stands for a missing value; -1 where no code does."""
    if isinstance(data, GapStates):
        return np.asarray(data.arities - 1, dtype=np.int32)
    return np.full(data.n_variables, -1, dtype=np.int32)


# Every case is completed on its own, so that weighted rows are written out: up to this many cells.
MOST_CELLS = 2**31


@dataclass(frozen=True, eq=False)
class Incomplete:
    """Discrete data of which some cells are missing. It is not a `Dataset`, so that nothing learns from it by mistake.

    It is for what completes the cells again and again rather than once.

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

    gapless: ClassVar[None] = None

    @property
    def gaps(self) -> Incomplete:
        """The data, since values are missing."""
        return self

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
        columns = Columns.from_dataframe(frame, weights=options.pop("weights", None))
        return cls(Dataset(*encode(columns, **options, gaps=True)), columns.is_missing)

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

        How many there are of each experiment was chosen, not observed, and stays. If none of the rows has a value of
        some variable, one that has it takes a place: without any there is nothing to learn from.
        """
        rng = generator_of(seed)
        targets = self.held.targets
        experiments = np.zeros(self.n_rows, dtype=np.int32) if targets is None else targets.of_row
        groups = [np.flatnonzero(experiments == k) for k in range(int(experiments.max()) + 1)]
        rows = np.concatenate([group[rng.integers(0, len(group), size=len(group))] for group in groups])
        for v in np.flatnonzero(self.missing[:, rows].all(axis=1)):
            chosen = int(rng.choice(np.flatnonzero(~self.missing[v])))
            rows[rng.choice(np.flatnonzero(experiments[rows] == experiments[chosen]))] = chosen
        return rows

    def permute_columns(self, seed: Seed = None) -> Incomplete:
        """Return the data with the cases of every column shuffled independently of the others, gaps included.

        The cases in which a variable was set, and those in which it was not, are shuffled among themselves.
        """
        rng = generator_of(seed)
        whole = self.expand()
        targets = whole.held.targets
        order = _shuffled(np.tile(np.arange(whole.n_rows), (whole.n_variables, 1)), whole.names, targets, rng)
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
