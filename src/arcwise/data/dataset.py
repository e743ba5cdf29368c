"""`Dataset`: the discrete data that every stage works on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.data.checks import (
    checked_codes,
    checked_names,
    checked_states,
    checked_targets,
    checked_weights,
    code_type,
    copied_codes,
    frozen,
    largest_codes,
)
from arcwise.data.targets import COLUMN, Conditions, Targets
from arcwise.errors import DataError, OptionError, suggestion
from arcwise.seeds import Seed
from arcwise.showing import LINES, html_table

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Codes", "Dataset"]

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
        names, states = checked_names(self.names), checked_states(self.names, self.states)
        table = np.asarray(self.codes)
        if table.ndim != 2 or table.shape[0] != len(names):
            raise DataError(
                f"codes of shape {table.shape} do not fit {len(names)} names; "
                "the shape must be (variables, rows). Use Dataset.from_codes for an array of shape (rows, variables)."
            )
        codes = checked_codes(table, names, states)
        weights = checked_weights(self.weights, codes.shape[1])
        for field, value in (("names", names), ("states", states), ("codes", codes), ("weights", weights)):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "targets", checked_targets(self.targets, names, codes.shape[1], weights))

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
        from arcwise.data.content_digest import content_digest

        return content_digest(self)

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
            largest = largest_codes(table.T, tuple(map(str, names)))
            states = [[str(k) for k in range(top + 1)] for top in largest]
        kind = cls.code_type(max((len(s) for s in states), default=2))
        return cls(
            codes=copied_codes(table.T, tuple(map(str, names)), kind),
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
        from arcwise.data.table import Table

        table = Table.from_dataframe(frame, weights=weights)
        if interventions is not None:
            table = table.with_interventions(interventions, conditions)
        return table.to_dataset(states=states, categorical=categorical, max_levels=max_levels)

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a DataFrame of categorical columns; weights, if any, repeat rows.

        If variables were set, a last column `interventions` says which, as `from_dataframe` takes it.
        """
        import pandas as pd

        data = self.expand()
        columns = {
            name: pd.Categorical.from_codes(data.codes[v].astype(_signed(len(s))), categories=pd.Index(s))
            for v, (name, s) in enumerate(zip(data.names, data.states, strict=True))
        }
        if data.targets is not None:
            column = data.targets.column()
            columns[COLUMN] = pd.Categorical.from_codes(
                np.where(column.is_missing, -1, column.codes.astype(np.int64)), categories=pd.Index(column.labels)
            )
        return pd.DataFrame(columns)

    def to_file(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the cases to a file; see `arcwise.data.write_data`."""
        from arcwise.data.write import write_data

        write_data(self, path, format=format)

    # ---- The same data in another shape

    def select(self, names: Iterable[str]) -> Dataset:
        """Return the given variables, in the order given, with all rows and weights.

        Rows in which only variables were set that are left out count as observations.
        """
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
            targets=None if self.targets is None else self.targets.among(self.names[v] for v in chosen),
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
            targets=None if self.targets is None else self.targets.take(chosen),
        )

    def expand(self) -> Dataset:
        """Return one row per case: each row repeated as often as its weight says. Without weights, `self`."""
        if self.weights is None:
            return self
        codes = np.repeat(self.codes, self.weights, axis=1)
        targets = None if self.targets is None else self.targets.repeat(self.weights)
        return self._unchecked(codes, None, targets)

    def unweighted(self) -> Dataset:
        """Return the rows, each once."""
        return self if self.weights is None else self._unchecked(self.codes, None, self.targets)

    def collapse(self) -> Dataset:
        """Return the distinct rows, in order of first appearance, with the number of their cases as weights.

        Rows in which different variables were set are different. Rows of weight 0 vanish. Every count, and so every
        score, stays the same. They are found once.
        """
        return self._collapsed

    @cached_property
    def _collapsed(self) -> Dataset:
        from arcwise import _core

        if self.targets is None:
            first, weights = _core.data.group_rows(self.codes, self.arities, self.native_weights)
            return self._unchecked(np.take(self.codes, first, axis=1), weights, None)
        arities = np.append(self.arities, np.int32(len(self.targets.sets)))
        rows = np.vstack([self.codes, self.targets.of_row]).astype(self.code_type(int(arities.max())))
        first, weights = _core.data.group_rows(rows, arities, self.native_weights)
        return self._unchecked(np.take(self.codes, first, axis=1), weights, self.targets.take(first))

    # ---- At random

    def resample(self, seed: Seed = None) -> Dataset:
        """Return a bootstrap sample: N cases drawn with replacement, as weights over the same rows (not copied).

        Where variables were set, the cases of each experiment are drawn from its own: how many there are of each was
        chosen, not observed.
        """
        from arcwise.data.resample import bootstrap_weights

        return self._unchecked(self.codes, bootstrap_weights(self, seed), self.targets)

    def permute_columns(self, seed: Seed = None) -> Dataset:
        """Return the data with the cases of every column shuffled independently of the others (Broom et al. 2012).

        Margins stay, associations are lost. Nothing is copied until the codes are used. The cases in which a variable
        was set, and those in which it was not, are shuffled among themselves.
        """
        from arcwise.data.resample import PermutedDataset

        return PermutedDataset.of(self, seed)

    def split(self, fraction: float, seed: Seed = None) -> tuple[Dataset, Dataset]:
        """Split the cases at random into two data sets, the first with round(`fraction` x N) cases.

        Both keep all declared states, and the order of the rows.
        """
        from arcwise.data.resample import split_cases

        return split_cases(self, fraction, seed)

    def _unchecked(self, codes: NDArray[Any], weights: NDArray[np.int64] | None, targets: Targets | None) -> Dataset:
        """Return these names and states with other codes and weights that are known to be valid, and targets."""
        made = object.__new__(Dataset)
        targets = checked_targets(targets, self.names, codes.shape[1], weights)
        weights = None if weights is None else frozen(weights)
        made.__dict__.update(
            names=self.names, states=self.states, codes=frozen(codes), weights=weights, targets=targets
        )
        return made

    # ---- Experiments

    def with_targets(self, targets: Targets | ArrayLike | Sequence[str | Iterable[str] | None] | None) -> Dataset:
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

    def observations(self) -> Dataset:
        """Return the rows in which nothing was set."""
        if self.targets is None:
            return self
        return self.take(np.array([not names for names in self.targets.sets])[self.targets.of_row])

    def cases_without(self, name: str) -> Dataset:
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
    def child_groups(self) -> tuple[Dataset, ...]:
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


def _signed(arity: int) -> type[np.signedinteger]:
    return np.int8 if arity <= 127 else np.int16 if arity <= 32767 else np.int64
