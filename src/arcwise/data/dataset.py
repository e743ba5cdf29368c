"""`Dataset`: the discrete data that every stage works on."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.base.errors import Argument, DataError, Hinted, Remedy
from arcwise.base.run import Seed, generator_of
from arcwise.base.showing import LINES, counted, html_table
from arcwise.data import checks
from arcwise.data.cases import Cases, bootstrap_weights, shuffled, subsample_weights
from arcwise.data.checks import Conditions, Targets, checked_targets, frozen
from arcwise.data.column import code_type, gap_label
from arcwise.data.columns import Columns, encode
from arcwise.data.design import Design, intraclass, stacked_design
from arcwise.data.write import write_data

if TYPE_CHECKING:
    import pandas as pd

Frame: TypeAlias = "pd.DataFrame | Columns"
T = TypeVar("T")

Codes = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class Dataset(Cases, Hinted):
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
    design
        Which rows belong together, or None if each is a case of its own; see `with_groups`.

    Raises
    ------
    DataError
        If there is no case, a name or state is empty or occurs twice, a variable has fewer than two states, or a
        code or weight is out of its range.
    """

    CELLS: ClassVar[str] = "codes"
    DECLARED: ClassVar[tuple[str, ...]] = ("names", "states")

    codes: Codes
    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    weights: NDArray[np.int64] | None = None
    targets: Targets | None = None
    design: Design | None = None

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
        if self.design is not None:
            self.design.check_rows(codes.shape[1])

    # ---- What it holds

    _KIND = "data"

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what can be found again and is as large as the data."""
        return {
            name: value for name, value in vars(self).items() if name not in ("_collapsed", "worths", "_whole_worths")
        }

    @property
    def _alike(self) -> NDArray[np.float64]:
        assert self.design is not None
        return intraclass(self, self.design)

    @property
    def log_configurations(self) -> float:
        """The natural log of the number of joint configurations: the product of the arities may exceed any integer."""
        return float(np.log(self.arities).sum())

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, states, codes, weights, targets and groups, in hexadecimal.

        Two data sets have equal digests if and only if they have the same names, the same states, the same rows in the
        same order, the same weights (all 1 equal no weights), the same targets and the same groups; how the codes
        are stored, where they came from and the machine do not matter. So `collapse`, `expand` and a reordering of
        rows or columns change the digest, although most scores stay the same.
        """
        hasher = hashlib.sha256()
        hasher.update(json.dumps([self.names, self.states, self.n_rows], ensure_ascii=True).encode())
        kind = self.codes.dtype.newbyteorder("<")  # the type follows from the states, so that it need not be hashed
        for column in self.codes:
            hasher.update(column.astype(kind, copy=False).data)
        self._hash_rows(hasher)
        return hasher.hexdigest()

    def __repr__(self) -> str:
        cases = f", {self.n_cases:,} rows" if self.weights is not None else ""
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
        if table.ndim != 2 or 0 in table.shape:
            what = "are not a table" if table.ndim != 2 else "have no rows"
            raise DataError(f"codes of shape {table.shape} {what}; the shape must be (rows, variables).")
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
        counts: str | ArrayLike | None = None,
        categorical: Iterable[str] | bool = False,
        max_levels: int | None = None,
        interventions: str | None = None,
        conditions: Conditions | None = None,
        groups: str | None = None,
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
        counts
            How often each row occurs: the name of a column, or an array.
        categorical
            Columns of numbers to treat as categories however many values they show; True for all.
        max_levels
            A column of numbers with more distinct values is refused, because it should be discretised. Default 20.
        interventions, conditions
            The column that names the variables which were set in each row, and what its labels stand for; see
            `Table.with_interventions`.
        groups
            The column that says which rows belong together; see `Table.with_groups`. Survey weights are added later:
            see `with_survey`.

        Raises
        ------
        DataError
            For missing values (see `impute`), numeric columns (see `discretize`), identifiers, columns with one
            state, fewer than two columns, no rows.
        """
        columns = Columns.from_dataframe(frame, counts=counts)
        if interventions is not None:
            columns = columns.with_interventions(interventions, conditions)
        columns = columns.with_design(groups)
        return Dataset(*encode(columns, states, categorical, max_levels))

    def to_file(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the cases to a file; see `arcwise.data.write_data`."""
        write_data(self, path, format=format)

    # ---- The same data in another shape

    def collapse(self) -> Self:
        """Return the distinct rows, in order of first appearance, with the number of their cases as weights.

        Rows in which different variables were set, and rows of different groups, are different. Rows of weight 0
        vanish. Every count, and so every score, stays the same. They are found once.
        """
        return self._collapsed

    @cached_property
    def _collapsed(self) -> Self:
        targets, design = self.targets, self.design
        if self.is_survey:  # hardly two rows have one weight
            return self
        rows, arities = self.codes, self.arities
        beside = [] if targets is None else [(targets.of_row, len(targets.sets))]
        beside += [] if design is None else [(design.groups, design.n_groups)]
        if beside:
            arities = np.append(arities, np.array([count for _, count in beside], dtype=np.int32))
            rows = np.vstack([rows, *(own for own, _ in beside)]).astype(self.code_type(int(arities.max())))
        first, weights = _core.data.group_rows(rows, arities, self.native_weights)
        targets = None if targets is None else targets.take(first)
        return self._unchecked(
            np.take(self.codes, first, axis=1), weights, targets, None if design is None else design.take(first)
        )


def stack(parts: Iterable[Dataset]) -> Dataset:
    """Return the rows of all data sets, in their order, with their weights, targets and groups.

    Groups of different data sets are different. All must have the same variables, in any order, with the same states.

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
    return Dataset(codes, first.names, first.states, weights, Targets(sets, of_row), stacked_design(aligned))


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
        return cls(codes, data.names, states, data.held.weights, data.held.targets, data.held.design)

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
            held = self.held
            object.__setattr__(self, "held", held._unchecked(codes, held.weights, held.targets, held.design))
        design = self.held.design
        if design is not None and design.alike is None:  # a gap is not what rows have in common
            alike = float(np.mean(intraclass(self.held, design, missing)))
            object.__setattr__(self, "held", self.held.with_groups(replace(design, alike=alike)))
        empty = np.flatnonzero((missing | (False if self.held.weights is None else self.held.weights == 0)).all(axis=1))
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
    def n_effective(self) -> int:
        """As how many independent cases the data tell: see `Dataset.n_effective`."""
        return self.held.n_effective

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
        return f"<Incomplete{held}, {counted(count, 'missing value')}>"

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """The share of each row among the cases."""
        weights = self.held.times
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
        weights = None if self.held.row_weights is None else self.held.row_weights[seen]
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
        columns = Columns.from_dataframe(frame, counts=options.pop("counts", None))
        return cls(Dataset(*encode(columns, **options, gaps=True)), columns.is_missing)

    @classmethod
    def trusted(cls, held: Dataset, missing: NDArray[np.bool_]) -> Incomplete:
        """Make it of parts that were checked before; a variable may have no value among these rows."""
        made = object.__new__(cls)
        made.__dict__.update(held=held, missing=np.ascontiguousarray(missing))
        return made

    def completed(self, codes: NDArray[Any]) -> Dataset:
        """Return the data with these codes, of which only those of gaps may differ from what is held."""
        return self.held._unchecked(codes, self.held.weights, self.held.targets, self.held.design)

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
                f"{self.n_cases:,} weighted rows with gaps are too many: every row is completed on its own, and at "
                f"most {MOST_CELLS:,} cells can be.",
                remedies=Remedy("fill the gaps before learning, with", Argument("impute", "mode")),
            )
        return Incomplete(self.held.expand(), np.repeat(self.missing, self.held.weights, axis=1))

    def collapse(self) -> Incomplete:
        """Return the distinct rows, with the number of their cases as weights."""
        marked = self.with_gap_states().collapse()
        missing = marked.codes == self.arities[:, None]
        codes = np.where(missing, 0, marked.codes).astype(self.held.codes.dtype)
        return Incomplete(self.held._unchecked(codes, marked.weights, marked.targets, marked.design), missing)

    # ---- At random

    def resample(self, seed: Seed = None) -> Incomplete:
        """Return a bootstrap sample: N cases drawn with replacement, one row each."""
        whole = self.expand()
        sample = whole.take(whole.resampled_rows(seed))
        return replace(sample, held=sample.held.with_groups(None))

    def resampled_rows(self, seed: Seed = None, share: float | None = None) -> NDArray[np.int64]:
        """Return as many rows as there are, drawn with replacement, or a share of them, drawn without.

        Those of each experiment are drawn from its own.

        How many there are of each experiment was chosen, not observed, and stays. If none of the rows has a value of
        some variable, one that has it takes a place: without any there is nothing to learn from. Where rows belong
        together, they are drawn as by `Dataset.resample`.
        """
        rng = generator_of(seed)
        targets = self.held.targets
        experiments = np.zeros(self.n_rows, dtype=np.int32) if targets is None else targets.of_row
        if self.held.design is not None:
            times = bootstrap_weights(self.held, rng) if share is None else subsample_weights(self.held, share, rng)
            rows = np.repeat(np.arange(self.n_rows), times)
        else:
            parts = [np.flatnonzero(experiments == k) for k in range(int(experiments.max()) + 1)]
            if share is None:
                drawn = [part[rng.integers(0, len(part), size=len(part))] for part in parts]
            else:
                drawn = [rng.permutation(part)[: max(1, round(share * len(part)))] for part in parts]
            rows = np.concatenate(drawn)
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
        targets, design = whole.held.targets, whole.held.design
        order = shuffled(np.tile(np.arange(whole.n_rows), (whole.n_variables, 1)), whole.names, targets, rng, design)
        codes = np.take_along_axis(whole.held.codes, order, axis=1)
        missing = np.take_along_axis(whole.missing, order, axis=1)
        return Incomplete(whole.held._unchecked(codes, None, targets, design), missing)


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


# Every function of a stage takes a DataFrame or a table in place of data: what it was given goes through here first.


def is_frame(data: object) -> TypeGuard[Frame]:
    """Whether something is a table that data are to be made of: a `Table`, or a frame of pandas, polars or pyarrow."""
    kind = type(data)  # a data set that is asked for a name that it has not looks for one to propose
    return isinstance(data, Columns) or hasattr(kind, "iloc") or hasattr(kind, "__arrow_c_stream__")


def columns_from(data: Frame) -> Columns:
    """Return a table as it is, and a frame as a table."""
    return data if isinstance(data, Columns) else Columns.from_dataframe(data)


def dataset_of(data: T | Frame) -> T | Dataset:
    """Return data as they are, and a table or a frame as a data set: numbers and gaps are refused, with the remedy."""
    if is_frame(data):
        return Dataset(*encode(columns_from(data)))
    _refuse_unread(data)
    return cast("T", data)


def states_of(data: T | Frame, *remedies: Remedy) -> T | Dataset:
    """Return what `dataset_of` returns, for what counts states: numbers as they are are refused, with the remedies."""
    given = dataset_of(data)
    if getattr(type(given), "HOLDS_NUMBERS", False):
        raise DataError(
            "states are counted here, and these data are MixedData, which hold numbers as they are.",
            remedies=(*remedies, Remedy("cut the numbers first: data.as_dataset()")),
        )
    return given


def incomplete_of(data: Any) -> Any:
    """Return what `dataset_of` returns, but data with gaps of a table that has some."""
    if not is_frame(data):
        _refuse_unread(data)
        return data
    columns = columns_from(data)
    if any(column.is_missing.any() for column in columns.columns):
        return Incomplete(Dataset(*encode(columns, gaps=True)), columns.is_missing)
    return Dataset(*encode(columns))


def _refuse_unread(data: object) -> None:
    if isinstance(data, str | os.PathLike):
        raise DataError(f"'{os.fspath(data)}' is a file: read it first, with read_data({os.fspath(data)!r}).")
    if isinstance(data, np.ndarray | list):
        raise DataError(
            "an array does not name its variables: give a DataFrame, or Dataset.from_codes(array, names=...)."
        )
