"""`Cases`: rows of variables with weights and targets, whatever a cell holds; `Dataset` and `MixedData` are cases."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise import _core
from arcwise.base.errors import DataError, OptionError, check_argument, suggestion
from arcwise.base.run import Seed, generator_of
from arcwise.data.checks import Targets, checked_targets, checked_weights, frozen
from arcwise.data.column import Column, frame_of
from arcwise.data.design import Design, drawn_rows, exchanged_rows, row_worths, whole_worths

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


class Cases:
    """What all data have in common whose cells are one array of shape (variables, rows).

    A class of data is a frozen dataclass; it names the field of its cells, and the fields that declare what they are.
    """

    CELLS: ClassVar[str]
    DECLARED: ClassVar[tuple[str, ...]]
    HOLDS_NUMBERS: ClassVar[bool] = False  # whether some cells are numbers, which nobody counts

    names: tuple[str, ...]
    states: tuple[tuple[str, ...], ...]
    weights: NDArray[np.int64] | None
    targets: Targets | None
    design: Design | None

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

    @cached_property
    def arities(self) -> NDArray[np.int32]:
        """The number of states r of each variable; 0 for a number."""
        return frozen(np.array([len(states) for states in self.states], dtype=np.int32))

    @property
    def n_rows(self) -> int:
        """The number of stored rows; with weights it may differ from the number of cases."""
        return int(self.cells.shape[1])

    @cached_property
    def n_cases(self) -> int:
        """The number of cases, N: the sum of the weights."""
        return self.n_rows if self.weights is None else int(self.weights.sum())

    @property
    def times(self) -> NDArray[np.float64]:
        """How often each row occurs, also where every row counts once."""
        return np.ones(self.n_rows) if self.weights is None else self.weights.astype(np.float64)

    @cached_property
    def worths(self) -> NDArray[np.float64] | None:
        """How many independent cases each row is worth (see `Design`), or None if each case is worth one."""
        if self.design is None:
            return None
        alike = self._alike if self.design.alike is None else np.zeros(0)
        return frozen(row_worths(alike, self.design, self.weights))

    @property
    def row_weights(self) -> NDArray[Any] | None:
        """How much each row counts where something is counted: how often it occurs, or what it is worth in a survey."""
        return self.worths if self.design is not None and self.is_survey else self.weights

    @property
    def is_survey(self) -> bool:
        """Whether rows have survey weights."""
        return self.design is not None and self.design.weights is not None

    @property
    def _alike(self) -> NDArray[np.float64]:
        """How alike the rows of a group are in each variable."""
        raise NotImplementedError

    @property
    def n_effective(self) -> int:
        """As how many independent cases the data tell: N, or less where rows belong together."""
        return self.n_cases if self.worths is None else max(1, round(float(self.worths.sum())))

    @property
    def row_counts(self) -> NDArray[Any] | None:
        """How many cases each row counts for where that says how sure something is; None if each counts for one."""
        return self.weights if self.worths is None else self.worths

    @property
    def cells(self) -> NDArray[Any]:
        """What each row has of each variable, at [variable, row]: codes of states, or numbers."""
        found: NDArray[Any] = getattr(self, self.CELLS)
        return found

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """For each variable, whether all cases show the same value.

        Data in which a variable never varies say nothing about its relations, whatever its declared states are: BDeu
        would join two such variables all the same, with certainty. Searches and tables leave them without arcs.
        """
        counted = self.row_weights
        seen = self.cells if counted is None else self.cells[:, counted > 0]
        if seen.shape[1] == 0:
            return frozen(np.zeros(self.n_variables, dtype=bool))
        return frozen((seen == seen[:, :1]).all(axis=1))

    @property
    def native_weights(self) -> NDArray[np.int64]:
        """The weights as the native core takes them, which counts whole cases: empty if every row counts once.

        Those of a survey are what rows are worth, rounded so that totals stay.
        """
        if self.is_survey:
            return self._whole_worths
        return np.empty(0, dtype=np.int64) if self.weights is None else self.weights

    @cached_property
    def _whole_worths(self) -> NDArray[np.int64]:
        assert self.worths is not None
        # By names, since searches put the variables into an order of their own.
        by_name = sorted(range(self.n_variables), key=self.names.__getitem__)
        return frozen(whole_worths(self.cells[by_name], self.worths))

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, variables), as a data frame has it."""
        return self.n_rows, self.n_variables

    def __len__(self) -> int:
        return self.n_rows

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

    def as_column(self, name: str) -> Column:
        """Return a variable as the column of a table."""
        v = self.index(name)
        return Column(name, self.cells[v], self.states[v], declared=True)

    def as_columns(self) -> list[Column]:
        """Return the variables as columns of a table."""
        return [self.as_column(name) for name in self.names]

    def __getitem__(self, name: str) -> pd.Series[Any]:
        """Return a variable as a pandas Series, ``data["smoke"].value_counts()``: states are categories."""
        return frame_of([self.as_column(name)])[name]

    def to_dataframe(self) -> pd.DataFrame:
        """Return one row per case as a DataFrame: states are categories, numbers floats; weights, if any, repeat rows.

        If variables were set, a last column `interventions` says which, as `from_dataframe` takes it; if rows belong
        together, a column `groups` says which, and survey weights are in `weights`.
        """
        data = self.expand()
        beside = [] if data.targets is None else [data.targets.column()]
        beside += [] if data.design is None else data.design.columns()
        return frame_of([*data.as_columns(), *beside])

    def _hash_rows(self, hasher: hashlib._Hash) -> None:
        """Feed a digest with weights, targets and groups; weights that are all 1 equal none."""
        if self.weights is not None and not bool((self.weights == 1).all()):
            hasher.update(self.weights.astype("<i8", copy=False).data)
        if self.targets is not None:
            hasher.update(json.dumps(self.targets.sets, ensure_ascii=True).encode())
            hasher.update(self.targets.of_row.astype("<i4", copy=False).data)
        if self.design is not None:
            hasher.update(b"groups")
            hasher.update(self.design.groups.astype("<i4", copy=False).data)
            for weights in (self.design.weights, self.design.replicates):
                if weights is not None:
                    hasher.update(np.ascontiguousarray(weights, dtype="<f8").data)

    # ---- The same data in another shape

    def _unchecked(
        self,
        cells: NDArray[Any],
        weights: NDArray[np.int64] | None,
        targets: Targets | None,
        design: Design | None = None,
    ) -> Self:
        """Return these variables with other cells and weights that are known to be valid, targets and groups."""
        made = object.__new__(type(self))
        targets = checked_targets(targets, self.names, cells.shape[1], weights)
        weights = None if weights is None else frozen(weights)
        made.__dict__.update({name: getattr(self, name) for name in self.DECLARED})
        made.__dict__.update({self.CELLS: frozen(cells), "weights": weights, "targets": targets, "design": design})
        return made

    def select(self, names: Iterable[str]) -> Self:
        """Return the given variables, in the order given, with all rows and weights.

        Rows in which only variables were set that are left out count as observations.
        """
        if isinstance(names, str):
            raise OptionError(f"select takes a list of variables, not one string: select(['{names}']).")
        chosen = [self.index(name) for name in names]
        if not chosen:
            raise DataError(f"select needs at least one variable; the variables are {', '.join(self.names)}.")
        made: dict[str, Any] = {field: tuple(getattr(self, field)[v] for v in chosen) for field in self.DECLARED}
        targets = None if self.targets is None else self.targets.among(made["names"])
        made |= {self.CELLS: self.cells[chosen], "weights": self.weights, "targets": targets, "design": self.design}
        return type(self)(**made)

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
            raise DataError("no rows were taken; a data set needs at least one row.")
        if int(chosen.min()) < 0 or int(chosen.max()) >= self.n_rows:
            raise DataError(f"row {int(chosen.max())} or {int(chosen.min())} is not in 0..{self.n_rows - 1}.")
        weights = None if self.weights is None else checked_weights(self.weights[chosen], len(chosen))
        targets = None if self.targets is None else self.targets.take(chosen)
        design = None if self.design is None else self.design.take(chosen)
        return self._unchecked(np.take(self.cells, chosen, axis=1), weights, targets, design)

    def expand(self) -> Self:
        """Return one row per case: each row repeated as often as its weight says. Without weights, `self`."""
        if self.weights is None:
            return self
        rows = np.repeat(np.arange(self.n_rows), self.weights)
        targets = None if self.targets is None else self.targets.take(rows)
        design = None if self.design is None else self.design.take(rows)
        return self._unchecked(np.take(self.cells, rows, axis=1), None, targets, design)

    def collapse(self) -> Self:
        """Return the same cases in fewer rows where that is of use: here the rows as they are."""
        return self

    def unweighted(self) -> Self:
        """Return the rows, each once."""
        return self if self.weights is None else self._unchecked(self.cells, None, self.targets, self.design)

    # ---- At random

    def resample(self, seed: Seed = None) -> Self:
        """Return a bootstrap sample: N cases drawn with replacement, as weights over the same rows (not copied).

        Where variables were set, the cases of each experiment are drawn from its own: how many there are of each was
        chosen, not observed. Where rows belong together, whole groups are drawn, and of each what it is worth (see
        `Design`): the sample has `n_effective` cases, each of its own.
        """
        return self._unchecked(self.cells, bootstrap_weights(self, seed), self.targets)

    def subsample(self, share: float, seed: Seed = None) -> Self:
        """Return a share of the cases, drawn without replacement, as weights over the same rows (not copied)."""
        return self._unchecked(self.cells, subsample_weights(self, share, seed), self.targets)

    def permute_columns(self, seed: Seed = None) -> Self:
        """Return the data with the cases of every column shuffled independently of the others (Broom et al. 2012).

        Margins stay, associations are lost. The cases in which a variable was set, and those in which it was not, are
        shuffled among themselves. Where rows belong together, groups exchange their values, with others of about their
        size: what a column has in common within groups stays, and margins stay where groups are of one size.
        """
        rng = np.random.default_rng(int(generator_of(seed).integers(0, 2**63)))
        whole = self.representative(rng).expand()
        cells = shuffled(whole.cells, whole.names, whole.targets, rng, whole.design)
        return self._unchecked(cells, None, whole.targets, whole.design)

    def split(self, fraction: float, seed: Seed = None) -> tuple[Self, Self]:
        """Split the cases at random into two data sets, the first with round(`fraction` x N) cases.

        Both keep all declared states, and the order of the rows. Rows that belong together stay together, so that the
        first part may be smaller or larger by half a group.
        """
        rng = generator_of(seed)
        check_argument(0 < fraction < 1, "fraction", fraction, "must lie between 0 and 1, e.g. 0.7.")
        size = round(fraction * self.n_cases)
        if size in (0, self.n_cases):
            raise DataError(
                f"a split of {self.n_cases:,} rows at {fraction} leaves one side empty; use more data or another "
                "fraction."
            )
        if self.design is not None:
            return self._split_groups(self.design, size, rng)
        if self.weights is None:
            chosen = np.zeros(self.n_rows, dtype=bool)
            chosen[rng.permutation(self.n_rows)[:size]] = True
            return self.take(chosen), self.take(~chosen)
        if self.n_cases >= MAX_WEIGHTED_SPLIT:
            raise DataError(f"{self.n_cases:,} weighted rows cannot be split at random; at most 10^9 can.")
        first = rng.multivariate_hypergeometric(self.weights, size, method="marginals")
        parts = (self._unchecked(self.cells, own, self.targets).take(own > 0) for own in (first, self.weights - first))
        return next(parts), next(parts)

    def _split_groups(self, design: Design, size: int, rng: np.random.Generator) -> tuple[Self, Self]:
        sizes = np.bincount(design.groups, self.weights)
        order = rng.permutation(design.n_groups)
        count = int(np.argmin(np.abs(np.cumsum(sizes[order]) - size))) + 1
        if not 0 < count < design.n_groups:
            raise DataError(f"{design.n_groups:,} groups cannot be split so that neither side is empty.")
        chosen = np.isin(design.groups, order[:count])
        return self.take(chosen), self.take(~chosen)

    # ---- Rows that belong together

    def with_groups(self, groups: Design | ArrayLike | Sequence[object] | None, name: str = "groups") -> Self:
        """Return the data with the group that each row belongs to: a patient, a family, a school.

        Groups are resampled and shuffled as wholes, and what counts cases counts what their rows are worth.

        Parameters
        ----------
        groups
            A label for each row, equal for rows that belong together. None makes every row a case of its own.
        name
            What the labels stand for, in messages.

        Examples
        --------
        >>> from arcwise import Dataset
        >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]], names=["a", "b"])
        >>> grouped = data.with_groups(["ann", "ann", "bob", "bob"])
        >>> grouped.n_cases, grouped.n_effective, grouped.resample(seed=1).n_cases
        (4, 2, 2)
        """
        given = groups if groups is None or isinstance(groups, Design) else Design.of_labels(groups, name)
        if given is not None:
            given.check_rows(self.n_rows)
        return self._unchecked(self.cells, self.weights, self.targets, given)

    def with_survey(self, weights: ArrayLike, replicates: ArrayLike | None = None, name: str = "weights") -> Self:
        """Return the data with survey weights: rows stand for unequal numbers of others.

        What is counted is weighted, samples draw rows in proportion, and what counts cases counts Kish's effective
        number of them (see `Design`). Groups, the clusters of a survey, stay.

        Parameters
        ----------
        weights
            For how many others each row stands: numbers >= 0, whose scale does not matter. How often a row occurs is
            something else: see `Dataset`.
        replicates
            Replicate weights, of shape (replicates, rows): each network of a bootstrap is learned by one of them.
        name
            Where the weights come from, in messages.

        Examples
        --------
        >>> from arcwise import Dataset
        >>> data = Dataset.from_codes([[0, 0], [0, 1], [1, 1], [1, 0]], names=["a", "b"])
        >>> data.with_survey([1, 1, 2.5, 0]).n_effective
        2
        """
        design = self.design or Design(np.arange(self.n_rows), alike=0.0)
        made = replace(design, weights=weights, replicates=replicates, weighed_by=name)  # type: ignore[arg-type]
        return self.with_groups(made)

    def independent(self, seed: Seed = 0) -> Self:
        """Return rows that count as cases of their own: of every group as many as it is worth, drawn at random.

        For what counts cases and does not resample. Data without groups and survey weights are returned as they are.
        """
        if self.is_survey:
            weights = self.native_weights
            return self._unchecked(self.cells, weights, self.targets).take(weights > 0)
        return self if self.design is None else self.thinned(seed).with_groups(None)

    def thinned(self, seed: Seed = 0) -> Self:
        """Return the same rows, with their groups."""
        if self.design is None or self.worths is None:
            return self
        weights = drawn_rows(self.design.groups, self.worths, generator_of(seed), share=1.0)
        return self._unchecked(self.cells, weights, self.targets, self.design.unweighted()).take(weights > 0)

    def representative(self, seed: Seed = 0) -> Self:
        """Return rows that stand for equally many others: of a survey as many as each is worth; copies are a group."""
        return self.thinned(seed) if self.is_survey else self

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
        >>> from arcwise.data import Dataset
        >>> data = Dataset.from_codes([[0, 0], [1, 1], [0, 1]], names=["a", "b"])
        >>> data.with_targets([None, None, "b"]).cases_without("b").n_cases
        2
        """
        given = None if targets is None else Targets.of(targets, self.names)
        return self._unchecked(self.cells, self.weights, given, self.design)

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
            self._unchecked(
                self.cells, self.weights if bool(rows.all()) else np.where(rows, ones, 0), None, self.design
            )
            for rows in kept
        )

    @cached_property
    def silent_arcs(self) -> NDArray[np.bool_]:
        """For each variable and each other one as its parent, whether the data say nothing about that arc.

        That is so if one of the two never varies in the cases in which the child was not set (see `constant`), or
        if there is no such case. Searches and tables make such arcs only if they are required.
        """
        return frozen(self.silent_arcs_given([data.constant for data in self.child_groups]))

    def silent_arcs_given(self, constant: Sequence[NDArray[np.bool_]]) -> NDArray[np.bool_]:
        """Return `silent_arcs`, given which variables are constant in each of the `child_groups`."""
        n = self.n_variables
        silent = np.zeros((n, n), dtype=bool)  # of thousands of variables only what is written takes memory and time
        for g, (own, data) in enumerate(zip(constant, self.child_groups, strict=True)):
            still, children = own | (data.n_cases == 0), np.asarray(self.group_of_child) == g
            silent[np.ix_(children, still)] = True
            silent[children & still] = True
        return silent


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


def bootstrap_weights(data: Cases, seed: Seed) -> NDArray[np.int64]:
    """Return how often each row is drawn when N cases are drawn with replacement.

    Cases are drawn as integers below N, and each belongs to a row, so the probabilities are exact. The
    cases of each experiment (rows in which the same variables were set) are drawn from its own, one experiment after
    the other, so that every variable keeps its number of cases.
    """
    rng = generator_of(seed)
    if data.design is not None:
        return _design_weights(data, rng, None)
    if data.targets is None:
        return draw_weights(rng, data.n_rows, data.weights)
    weights = np.zeros(data.n_rows, dtype=np.int64)
    for experiment in range(len(data.targets.sets)):
        rows = np.flatnonzero(data.targets.of_row == experiment)
        weights[rows] = draw_weights(rng, len(rows), None if data.weights is None else data.weights[rows])
    return weights


def subsample_weights(data: Cases, share: float, seed: Seed) -> NDArray[np.int64]:
    """Return how often each row is drawn when a share of the cases is drawn without replacement."""
    rng = generator_of(seed)
    if data.design is not None:
        return _design_weights(data, rng, share)
    given = np.ones(data.n_rows, dtype=np.int64) if data.weights is None else data.weights
    weights = np.zeros(data.n_rows, dtype=np.int64)
    of_row = np.zeros(data.n_rows, dtype=np.int64) if data.targets is None else data.targets.of_row
    for experiment in range(int(of_row.max(initial=0)) + 1):
        rows = np.flatnonzero(of_row == experiment)
        own = given[rows]
        weights[rows] = rng.multivariate_hypergeometric(own, round(share * int(own.sum())), method="marginals")
    return weights


def _design_weights(data: Cases, rng: np.random.Generator, share: float | None) -> NDArray[np.int64]:
    """Return how often each row is drawn with its group: see `drawn_rows`. Each experiment draws from its own."""
    assert data.design is not None
    assert data.worths is not None
    weights, worths, groups = np.zeros(data.n_rows, dtype=np.int64), data.worths, data.design.groups
    if data.design.replicates is not None:  # they say which rows another sample would have had, groups and all
        own = replace(data.design, weights=data.design.perturbed(rng), replicates=None)
        drawn = row_worths(data._alike if own.alike is None else np.zeros(0), own, data.weights)
        worths = drawn * (worths.sum() / drawn.sum() * (share or 1.0))
        groups, share = np.zeros_like(groups), 1.0
    of_row = np.zeros(data.n_rows, dtype=np.int64) if data.targets is None else data.targets.of_row
    for experiment in np.unique(of_row[worths > 0]):
        rows = np.flatnonzero(of_row == experiment)
        weights[rows] = drawn_rows(groups[rows], worths[rows], rng, share)
    return weights


def shuffled(
    table: NDArray[Any],
    names: Sequence[str],
    targets: Targets | None,
    rng: np.random.Generator,
    design: Design | None = None,
) -> NDArray[Any]:
    """Return a table of (variables, rows) with each of its rows shuffled: without targets all cases together.

    Without any association, a variable that was not set is distributed as it is in all other such cases.
    """
    if targets is None and design is None:
        return rng.permuted(table, axis=1)
    found = np.array(table)
    for v, name in enumerate(names):
        alone = np.ones(table.shape[1], dtype=bool) if targets is None else targets.rows_without(name)
        for rows in (alone, ~alone):
            if design is None:
                found[v, rows] = rng.permuted(found[v, rows])
            elif rows.any():
                found[v, rows] = found[v, rows][exchanged_rows(design.groups[rows], rng)]
    return found
