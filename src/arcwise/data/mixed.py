"""`MixedData`: numbers, scales and categories as they are, complete, beside `Dataset`, whose cells are all states."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.base.errors import Argument, DataError, OptionError, Remedy, check_known
from arcwise.base.options import BINS
from arcwise.base.showing import LINES, html_table
from arcwise.data.cases import Cases
from arcwise.data.checks import (
    Conditions,
    Targets,
    checked_names,
    checked_states,
    checked_targets,
    checked_weights,
    frozen,
)
from arcwise.data.column import (
    Column,
    VariableKind,
    checked_kind,
    code_type,
    identifier_reason,
    ladder,
    numbers_of,
    proposed_kind,
    quoted,
    spell,
)
from arcwise.data.columns import Columns, check_missing, check_shape, states_of
from arcwise.data.dataset import Dataset, Frame, columns_from, is_frame
from arcwise.data.design import Design
from arcwise.data.discretize import UNSUPERVISED, interval_labels, intervals_of
from arcwise.data.table import Table
from arcwise.data.write import write_table

if TYPE_CHECKING:
    import pandas as pd


NUMBER, ORDINAL, NOMINAL = VariableKind.NUMBER, VariableKind.ORDINAL, VariableKind.NOMINAL
Kinds = Mapping[str, str]
T = TypeVar("T")
# A column of whose variance no more than this part is left, given those before it, is a sum of them: of those with
# slopes above the other number, where all have the variance 1.
NOTHING_LEFT, SLOPE = 1e-10, 1e-3


@dataclass(frozen=True, eq=False)
class MixedData(Cases):
    """Rows of numbers and states, with names, kinds, states and optional row weights; complete and immutable.

    Parameters
    ----------
    values
        Array of shape (variables, rows), of floats: a number itself, of a state its code. All are finite.
    names
        One name per variable, all different.
    kinds
        What each variable is: a number, ordinal (states in an order) or nominal (states without one).
    states
        The names of the states of each variable that is ordinal or nominal, at least two; () for a number.
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
        value, code or weight is not what it can be.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"dose": [0.5, 1.25, 2.0], "pain": [1, 3, 2], "ill": ["no", "yes", "yes"]})
    >>> data = MixedData.from_dataframe(frame)
    >>> data
    <MixedData: 3 variables (1 number, 1 ordinal, 1 nominal), 3 rows>
    >>> data.scores("pain").tolist(), data.codes("ill").tolist(), data.as_dataset(bins=2).states[0]
    ([1.0, 3.0, 2.0], [0, 1, 1], ('(-inf,1.25]', '(1.25,inf)'))
    """

    CELLS: ClassVar[str] = "values"
    DECLARED: ClassVar[tuple[str, ...]] = ("names", "kinds", "states")
    HOLDS_NUMBERS: ClassVar[bool] = True

    values: NDArray[np.float64]
    names: tuple[str, ...]
    kinds: tuple[VariableKind, ...]
    states: tuple[tuple[str, ...], ...]
    weights: NDArray[np.int64] | None = None
    targets: Targets | None = None
    design: Design | None = None

    def __post_init__(self) -> None:
        names = checked_names(self.names)
        values = np.array(self.values, dtype=np.float64, order="C")
        if values.ndim != 2 or len(values) != len(names) or not values.shape[1]:
            raise DataError(f"values of shape {values.shape} do not fit {len(names)} names and at least one row.")
        if len(self.kinds) != len(names) or len(self.states) != len(names):
            raise DataError(f"kinds and states are needed for each of the {len(names)} variables.")
        kinds = tuple(checked_kind(name, kind) for name, kind in zip(names, self.kinds, strict=True))
        own = [() if kind is NUMBER else states for kind, states in zip(kinds, self.states, strict=True)]
        chosen = [v for v, kind in enumerate(kinds) if kind is not NUMBER]
        checked = checked_states([names[v] for v in chosen], [own[v] for v in chosen])
        for v, states in zip(chosen, checked, strict=True):
            own[v] = states
            if not np.isin(values[v], np.arange(len(states))).all():
                raise DataError(f"variable '{names[v]}' has a value that is no code from 0 to {len(states) - 1}.")
        if (wrong := np.flatnonzero(~np.isfinite(values).all(axis=1))).size:
            raise DataError(
                f"variable '{names[wrong[0]]}' has a missing or infinite value; all must be finite numbers."
            )
        weights = checked_weights(self.weights, values.shape[1])
        values = frozen(values + 0.0)  # no -0.0
        for field, value in (("values", values), ("names", names), ("kinds", kinds), ("states", tuple(own))):
            object.__setattr__(self, field, value)
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "targets", checked_targets(self.targets, names, values.shape[1], weights))
        if self.design is not None:
            self.design.check_rows(values.shape[1])

    # ---- What it holds

    def kind(self, name: str) -> VariableKind:
        """Return what a variable is."""
        return self.kinds[self.index(name)]

    def codes(self, name: str) -> NDArray[np.int64]:
        """Return each row's code of the state of a variable."""
        v = self.index(name)
        if self.kinds[v] is NUMBER:
            raise DataError(f"variable '{name}' is a number and has no states.")
        return np.asarray(self.values[v], dtype=np.int64)

    def scores(self, name: str) -> NDArray[np.float64]:
        """Return each row's number; of an ordinal variable, the score of its state, see `state_scores`."""
        v = self.index(name)
        return self.values[v] if self.kinds[v] is NUMBER else self.state_scores(name)[self.codes(name)]

    def state_scores(self, name: str) -> NDArray[np.float64]:
        """Return the scores of the states of an ordinal variable: ascending numbers, or 0, 1, 2..."""
        v = self.index(name)
        if self.kinds[v] is not ORDINAL:
            raise DataError(f"variable '{name}' is {self.kinds[v]}; only the states of an ordinal one have scores.")
        return scores_of_states(self.states[v])

    @property
    def levels(self) -> tuple[int, ...]:
        """The number of states of each nominal variable; 0 for what networks take for a number."""
        return tuple(len(own) if kind is NOMINAL else 0 for kind, own in zip(self.kinds, self.states, strict=True))

    @property
    def matrix(self) -> NDArray[np.float64]:
        """What networks compute with, at [variable, row]: numbers, scores of ordinal variables, codes of nominal."""
        return np.array(
            [own if r else self.scores(v) for v, own, r in zip(self.names, self.values, self.levels, strict=True)]
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of names, kinds, states, values, weights and targets, in hexadecimal; see `Dataset.digest`."""
        hasher = hashlib.sha256()
        kinds = [str(kind) for kind in self.kinds]
        hasher.update(json.dumps(["mixed", self.names, kinds, self.states, self.n_rows], ensure_ascii=True).encode())
        hasher.update(self.values.astype("<f8", copy=False).data)
        self._hash_rows(hasher)
        return hasher.hexdigest()

    def __repr__(self) -> str:
        counts = {str(kind): self.kinds.count(kind) for kind in VariableKind}
        counted = ", ".join(f"{count:,} {kind}{'s' * (count > 1)}" for kind, count in counts.items() if count)
        cases = f", {self.n_cases:,} rows" if self.weights is not None else ""
        return f"<MixedData: {self.n_variables} variables ({counted}), {self.n_rows:,} rows{cases}>"

    def _repr_html_(self) -> str:
        rows = [
            (name, str(kind), ", ".join(states) or f"{own.min():g} to {own.max():g}")
            for name, kind, states, own in zip(self.names, self.kinds, self.states, self.values, strict=True)
        ]
        return html_table(repr(self), ("variable", "kind", "values"), rows[:LINES], len(rows))

    def sums(self) -> dict[str, tuple[str, ...]]:
        """Return the numbers and scales that are sums of earlier ones in every case, each with those; a copy has one.

        Scores take such columns; what depends on which, the data do not tell.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"a": [1.5, 2, 4, 3, 9], "b": [2.5, 7, 1, 5, 5], "c": [4.0, 9, 5, 8, 14]})
        >>> MixedData.from_dataframe(frame, kinds=dict.fromkeys("abc", "number")).sums()
        {'c': ('a', 'b')}
        """
        kept = [v for v, kind in enumerate(self.kinds) if kind is not NOMINAL and not self.constant[v]]
        found: dict[str, tuple[str, ...]] = {}
        if len(kept) < 2 or self.n_cases <= len(kept) + 1:
            return found
        shared = np.cov(np.stack([self.scores(self.names[v]) for v in kept]), fweights=self.weights)
        shared /= np.sqrt(np.outer(shared.diagonal(), shared.diagonal()))
        before: list[int] = []
        factor = np.zeros_like(shared)  # of those before, by Cholesky
        for at, v in enumerate(kept):
            own = factor[: len(before), : len(before)]
            along = np.linalg.solve(own, shared[before, at])
            left = 1 - float(along @ along)
            if left > NOTHING_LEFT:
                factor[len(before), : len(before) + 1] = [*along, np.sqrt(left)]
                before.append(at)
                continue
            slopes = np.abs(np.linalg.solve(own.T, along))
            found[self.names[v]] = tuple(self.names[kept[k]] for k in np.array(before)[slopes > SLOPE])
        return found

    # ---- Made from other things

    @classmethod
    def from_dataframe(
        cls,
        frame: pd.DataFrame,
        *,
        kinds: Kinds | None = None,
        states: Mapping[str, Iterable[object]] | None = None,
        counts: str | ArrayLike | None = None,
        interventions: str | None = None,
        conditions: Conditions | None = None,
        groups: str | None = None,
    ) -> MixedData:
        """Make it of a DataFrame.

        Parameters
        ----------
        frame
            One row per case; ordered categories are ordinal.
        kinds
            What columns are, where it is not what they look like: ``{"age": "number"}``, "ordinal" or "nominal".
        states
            Declared states of ordinal and nominal columns, in order.
        counts, interventions, conditions, groups
            As in `Dataset.from_dataframe`.
        """
        table = Table.from_dataframe(frame, counts=counts)
        if interventions is not None:
            table = table.with_interventions(interventions, conditions)
        table = table.with_design(groups)
        return cls.from_table(table, kinds=kinds, states=states)

    @classmethod
    def from_table(
        cls, table: Columns, *, kinds: Kinds | None = None, states: Mapping[str, Iterable[object]] | None = None
    ) -> MixedData:
        """Make it of a table without gaps, as `read_table` returns it; the arguments are as in `from_dataframe`.

        Where no kind is given, text is nominal; so are ordinal those words and ranges that have a known order, ordered
        categories, and whole numbers of three to ten values. All other numbers are numbers.
        """
        check_shape(table)
        check_missing(table)
        given, declared = checked_kinds(table, kinds), states or {}
        table.checked_names(declared, Argument("states"))
        found = [
            _variable(table, column, given.get(column.name), declared.get(column.name)) for column in table.columns
        ]
        targets = None if table.targets is None else table.targets.among(table.names)
        of_columns, own = tuple(kind for kind, _, _ in found), tuple(states for _, states, _ in found)
        values = np.stack([values for _, _, values in found])
        return cls(values, table.names, of_columns, own, table.weights, targets, table.design)

    @classmethod
    def of_states(cls, data: Dataset) -> MixedData:
        """Make it of discrete data, all of whose variables are then nominal."""
        kinds = (NOMINAL,) * data.n_variables
        values = data.codes.astype(np.float64)
        return cls(values, data.names, kinds, data.states, data.weights, data.targets, data.design)

    @property
    def _alike(self) -> NDArray[np.float64]:
        return self.as_dataset()._alike

    def as_column(self, name: str) -> Column:
        """Return a variable as the column of a table, which has its kind."""
        v = self.index(name)
        if self.kinds[v] is not NUMBER:
            codes = self.values[v].astype(code_type(len(self.states[v]) + 1))
            return Column(self.names[v], codes, self.states[v], declared=True, kind=self.kinds[v])
        return Column.of_numbers(self.names[v], self.values[v])

    def to_table(self) -> Table:
        """Return the rows as a table, whose columns have their kinds."""
        return Table(tuple(self.as_columns()), weights=self.weights, targets=self.targets, design=self.design)

    def to_file(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:  # noqa: A002
        """Write the cases to a file; see `arcwise.data.write_data`. Parquet keeps kinds and states, text does not."""
        write_table(self.to_table(), path, format=format)

    # ---- The same data in another shape

    def as_dataset(self, *, method: str = "quantile", bins: int = BINS) -> Dataset:
        """Return the data with their numbers cut, for what needs states: "quantile", "width", "kmeans" or "mean".

        Every number is cut, however few values it has; a number that never varies has one state and "no other".
        """
        check_known("discretisation method", method, UNSUPERVISED)
        if bins != int(bins) or bins < 2:
            raise OptionError(Argument("bins", bins), "must be an integer of at least 2.")
        cut = [
            (values.astype(np.int64), states) if states else _intervals(values, self.weights, method, bins)
            for states, values in zip(self.states, self.values, strict=True)
        ]
        kind = code_type(max(len(states) for _, states in cut))
        codes = np.array([own for own, _ in cut], dtype=kind)
        states = tuple(states for _, states in cut)
        return Dataset(codes, self.names, states, self.weights, self.targets, self.design)


def _intervals(
    values: NDArray[np.float64], weights: NDArray[np.int64] | None, method: str, bins: int
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    distinct, place = np.unique(values, return_inverse=True)
    counts = np.bincount(place, weights).astype(np.int64)
    seen = counts > 0
    if int(seen.sum()) < 2:
        return np.zeros(len(values), dtype=np.int64), (spell(float(distinct[seen][0])), "no other")
    cuts = UNSUPERVISED[method](distinct[seen], bins, counts[seen])
    return intervals_of(values, cuts), interval_labels(cuts)


def scores_of_states(states: Sequence[str]) -> NDArray[np.float64]:
    """Return the scores of ordered states: the states if they are ascending numbers, else 0, 1, 2..."""
    numbers = numbers_of(states)
    is_scale = numbers is not None and bool((np.diff(numbers) > 0).all())
    return numbers if numbers is not None and is_scale else np.arange(len(states), dtype=np.float64)


def checked_kinds(table: Columns, kinds: Kinds | None) -> dict[str, VariableKind]:
    """Return the kinds that are given to columns of a table; unknown columns and kinds are refused."""
    given = kinds or {}
    names = table.checked_names(given, Argument("kinds"))
    return {name: checked_kind(name, kind) for name, kind in zip(names, given.values(), strict=True)}


def not_numbers(table: Columns, column: Column) -> DataError:
    """Return the error for a column that is to be a number and holds words."""
    words = [label for label in column.labels if numbers_of([label]) is None]
    return table.wrong(
        column,
        f"is to be a number, and holds {quoted(words)}.",
        Remedy("make it nominal:", Argument("kinds", {column.name: str(NOMINAL)})),
        Remedy("correct the data"),
    )


def _variable(
    table: Columns, column: Column, given: VariableKind | None, declared: Iterable[object] | None
) -> tuple[VariableKind, tuple[str, ...], NDArray[np.float64]]:
    """Return kind, states and values of a column; what it cannot be is refused."""
    kind = given or proposed_kind(column)
    if kind is NUMBER and declared is None:
        numbers = numbers_of(column.labels)
        if numbers is None:
            raise not_numbers(table, column)
        reason = identifier_reason(column) if given is None and column.kind is None else None
        if reason is not None:
            raise table.wrong(
                column,
                f"has {reason}: that is an identifier, not a variable.",
                Remedy("drop the column"),
                Remedy("say so:", Argument("kinds", {column.name: str(NUMBER)}), only_if="it measures something"),
            )
        return kind, (), numbers[column.codes]
    if given is NUMBER:
        raise OptionError(f"'{column.name}' has declared states, and is to be a number; numbers have no states.")
    kind = (given or column.kind or NOMINAL) if kind is NUMBER else kind
    own, order = states_of(table, column, declared, is_category=given is not None)
    if kind is ORDINAL and declared is None and column.kind is not ORDINAL and numbers_of(own) is None:
        steps = ladder(own)
        if steps is not None:
            own, order = tuple(own[k] for k in steps), np.argsort(steps)[order]
        elif not column.declared:
            raise table.wrong(
                column,
                f"is to be ordinal, and nothing says the order of {quoted(own)}.",
                Remedy("declare the states in their order:", Argument("states", {column.name: ["...", "..."]})),
                Remedy("make it nominal:", Argument("kinds", {column.name: str(NOMINAL)})),
            )
    return kind, own, order[column.codes].astype(np.float64)


def mixed_of(data: T | Frame) -> T | MixedData:
    """Return data as they are, and of a table or a frame the numbers and scales as they are."""
    return MixedData.from_table(columns_from(data)) if is_frame(data) else cast("T", data)
