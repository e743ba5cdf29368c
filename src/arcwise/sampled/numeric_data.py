"""`NumericData`: data whose numbers are not cut yet, so that every sample of their rows can be cut anew.

Cut points are estimates like any other: had other cases been drawn, the numbers would have been cut elsewhere. A
bootstrap of data that were cut once takes its cuts for known, and an edge that owes itself to where they happen to lie
has them in every replicate. The bootstrap principle asks for the opposite (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, section 7.2): whatever was done to the data is done again to each sample, cutting included.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, DataError, OptionError, Remedy, UnfinishedError, check_argument, check_known
from arcwise.base.options import BINS
from arcwise.base.run import Limits, Run, Seed, Status, generator_of
from arcwise.base.showing import one_screen
from arcwise.data.cases import bootstrap_weights, subsample_weights
from arcwise.data.dataset import Dataset, GapStates, Incomplete
from arcwise.data.design import Design, exchanged_rows
from arcwise.data.discretize import (
    METHODS,
    apply_cuts,
    case_rows,
    check_numbers,
    class_column,
    cut_points,
    interval_labels,
    intervals_of,
    quantiles,
    rounded,
)
from arcwise.data.impute import impute
from arcwise.data.mixed import MixedData
from arcwise.data.table import Table
from arcwise.graph.constraints import Constraints
from arcwise.local.joint_cuts import Cuts, alternate_cuts
from arcwise.sampled.completions import Completions

JOINT = "joint"
CUT_METHODS = (*METHODS, JOINT)
NO_CUTS: NDArray[np.float64] = np.empty(0)


@one_screen
@dataclass(frozen=True)
class Cutting:
    """How numbers are cut.

    Parameters
    ----------
    method
        "quantile", "width", "kmeans", "mean" or "mdl", as in `discretize`; "joint" for cuts that are chosen together
        with the structure, as in `arcwise.sampled.numeric_data`. Where "mdl" finds no cut, the median is one.
    bins
        The number of intervals for "quantile", "width" and "kmeans"; for "joint", of the first cuts.
    target
        The class column for "mdl".
    constraints, max_parents, seed
        For the structure that "joint" chooses cuts with.
    limit_seconds
        For "joint": when to take the cuts that are found.
    """

    method: str = "quantile"
    bins: int = BINS
    target: str | None = None
    constraints: Constraints | None = None
    max_parents: int | None = None
    seed: int = 0
    limit_seconds: float | None = None

    def __post_init__(self) -> None:
        check_known("discretisation method", self.method, CUT_METHODS)
        whole = self.bins == int(self.bins) and self.bins >= 2
        check_argument(whole, "bins", self.bins, "must be an integer of at least 2.")
        if self.method == "mdl" and self.target is None:
            raise OptionError(
                "method 'mdl' cuts where a class changes.",
                remedies=Remedy("name the class column:", Argument("target")),
            )

    def describe(self) -> dict[str, Any]:
        """Return the way to cut as JSON can hold it."""
        record: dict[str, Any] = {"method": self.method}
        if self.method in ("quantile", "width", "kmeans", JOINT):
            record["bins"] = self.bins
        if self.method == "mdl":
            record["target"] = self.target
        if self.method == JOINT:
            known = {} if self.constraints is None else self.constraints.describe()
            record |= {"constraints": known, "max_parents": self.max_parents, "seed": self.seed}
        return record


@dataclass(frozen=True, eq=False)
class NumericData:
    """Data whose numbers are not cut yet, and how they are to be cut.

    Parameters
    ----------
    table
        The data; columns that are not cut must be discrete.
    columns
        The columns of numbers to cut.
    cutting
        How.
    categorical
        Columns of numbers that are categories, however many values they have; True for all.
    gap_state
        Whether a missing value is a state of its own, beside the intervals.
    completions
        Completions of `whole`, if its gaps are completed and others share them.

    Examples
    --------
    >>> import pandas as pd
    >>> table = Table.from_dataframe(pd.DataFrame({"dose": range(60), "ill": ["no", "yes", "no"] * 20}))
    >>> uncut = NumericData(table, ["dose"], Cutting("quantile", 2))
    >>> uncut.whole.states[0], uncut.sample(seed=1).states[0]
    (('(-inf,29]', '(29,inf)'), ('(-inf,27]', '(27,inf)'))
    """

    table: Table
    columns: tuple[str, ...]
    cutting: Cutting = Cutting()
    categorical: tuple[str, ...] | bool = False
    gap_state: bool = False
    completions: Completions | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.table.checked_names(self.columns, Argument("columns"))))
        if not isinstance(self.categorical, bool):
            object.__setattr__(self, "categorical", tuple(self.categorical))
        if not self.columns:
            raise OptionError(Argument("columns"), "names no column to cut.")
        if self.cutting.target in self.columns:
            raise OptionError(f"the target '{self.cutting.target}' cannot be among the columns to cut.")
        for column in (self.table.column(name) for name in self.columns):
            check_numbers(self.table, column)
            if self.cutting.method == JOINT and column.n_missing:
                raise OptionError(
                    Argument("discretize", JOINT),
                    f"chooses cuts from complete columns, and {self.table.place(column)} has gaps.",
                    remedies=(
                        Remedy("fill gaps once:", Argument("impute", "mode")),
                        Remedy("leave rows with gaps out:", Argument("impute", "drop")),
                        Remedy("cut in another way:", Argument("discretize", "quantile")),
                    ),
                )

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "completions": None}  # what is sent elsewhere does not share them

    # ---- All rows, cut once

    @cached_property
    def cuts(self) -> Cuts:
        """The cut points of all cases, with no more digits than they need."""
        return {name: rounded(own, self._values[name]) for name, own in self._cut[0].items()}

    @property
    def cut_status(self) -> Status:
        """COMPLETE, or the limit that ended the choice of these cuts."""
        return self._cut[1]

    @cached_property
    def _cut(self) -> tuple[Cuts, Status]:
        return self._points(self._case_rows, Limits(self.cutting.limit_seconds))

    @cached_property
    def cut_table(self) -> Table:
        """The table, cut once."""
        return apply_cuts(self.table, self.cuts, keep_empty=False)

    @cached_property
    def whole(self) -> Dataset | Incomplete:
        """All rows, cut once."""
        return self._discrete(self.cut_table)

    @property
    def gapless(self) -> Dataset | None:
        """All rows, cut once; None if values are missing."""
        return self.whole.gapless

    @property
    def gaps(self) -> Incomplete | None:
        """All rows, cut once, if values are missing; else None."""
        return self.whole.gaps

    def with_groups(self, design: Design | None) -> NumericData:
        """Return the data with groups of rows, cut as they are."""
        made = replace(self, table=replace(self.table, design=design))
        made.__dict__["_cut"] = self._cut
        return made

    def _discrete(self, table: Table) -> Dataset | Incomplete:
        if self.gap_state:
            table = impute(table, method="state")
        return (table.to_incomplete if table.n_missing else table.to_dataset)(categorical=self.categorical)

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.table.columns)

    @property
    def n_cases(self) -> int:
        """The number of cases."""
        return self.whole.n_cases

    def __repr__(self) -> str:
        return (
            f"<NumericData: {self.n_variables} variables, {len(self.columns)} of them to cut, "
            f"{self.table.n_rows:,} rows>"
        )

    @cached_property
    def identity(self) -> dict[str, Any]:
        """What a file of replicates must agree with: the numbers, and how they are cut."""
        hasher = hashlib.sha256()
        for name in self.columns:
            hasher.update(self._values[name].astype("<f8").data)
        return {"numbers": hasher.hexdigest(), "cut": {"columns": list(self.columns), **self.cutting.describe()}}

    # ---- Samples

    def sample(self, seed: Seed = None, run: Run | None = None, share: float | None = None) -> Dataset:
        """Draw cases with replacement, or a share of them without, and cut them anew.

        How they are drawn is how `Dataset.resample` and `Dataset.subsample` draw them.

        The states of columns that are not cut are those of all rows, seen in the sample or not. An UnfinishedError if
        the `run` has no time for it.
        """
        whole = self.gapless
        if whole is None:
            raise DataError("a sample of data with gaps has to be completed: see bootstrap_networks.")
        drawn = bootstrap_weights(whole, seed) if share is None else subsample_weights(whole, share, seed)
        rows = np.repeat(np.arange(self.table.n_rows), drawn)
        return self._recoded(rows, self._all_points(rows, run))

    def marked_sample(self, seed: Seed = None, run: Run | None = None, share: float | None = None) -> GapStates:
        """Draw cases with their gaps, and cut them anew: for scores that take gaps (`Score.takes_gaps`)."""
        whole = self.gaps
        assert whole is not None
        rows = self._case_rows[whole.expand().resampled_rows(seed, share)]
        return Incomplete(self._recoded(rows, self._all_points(rows, run)), whole.missing[:, rows]).with_gap_states()

    def completed_sample(
        self, cases: NDArray[np.int64], completion: Dataset, rng: np.random.Generator
    ) -> tuple[Incomplete, Dataset]:
        """Return cases with their gaps, cut anew, and a completion of all cases as one of them.

        A filled cell of a number is an interval of the cuts of all cases. It becomes a number that was observed in it,
        and that an interval of the new cuts: a chain on the sample begins near where the other one is.
        """
        whole, rows = self.gaps, self._case_rows[cases]
        assert whole is not None
        cuts, _ = self._points(rows)
        chosen = whole.missing[:, rows]
        held = self._recoded(rows, cuts)
        filled = completion.codes[:, cases]
        codes = np.where(chosen, filled, held.codes)
        for v, name in enumerate(self.names):
            gaps = np.flatnonzero(chosen[v])
            if name not in self.cuts or not len(gaps):
                continue
            values = self._values[name][rows]
            drawn = values.copy()
            seen = ~np.isnan(self._values[name])
            for code in np.unique(filled[v, gaps]):
                among = self._values[name][seen & (whole.held.codes[v] == code)]
                places = gaps[filled[v, gaps] == code]
                drawn[places] = rng.choice(among, size=len(places))
            codes[v] = _codes(values, drawn, cuts.get(name, NO_CUTS))
        return Incomplete(held, chosen), held._unchecked(codes.astype(held.codes.dtype), None, held.targets)

    @cached_property
    def _values(self) -> dict[str, NDArray[np.float64]]:
        return {name: self.table.column(name).values() for name in self.columns}

    @cached_property
    def _case_rows(self) -> NDArray[np.int64]:
        """The row of each case."""
        return case_rows(self.table)

    @cached_property
    def _classes(self) -> tuple[NDArray[np.int64], int]:
        column = class_column(self.table, self.cutting.target)
        return column.codes.astype(np.int64), len(column.labels)

    def _all_points(self, rows: NDArray[np.int64], run: Run | None) -> Cuts:
        """Return the cuts of the numbers of a sample, unless the time is over before."""
        cuts, status = self._points(rows, None if run is None else run.limits)
        if status.unless_interrupted() is not Status.COMPLETE:
            raise UnfinishedError("time ran out before the numbers of a sample were cut.")
        return cuts

    def _points(self, rows: NDArray[np.int64], limits: Limits | None = None) -> tuple[Cuts, Status]:
        """Return the cuts of the numbers of rows, none of a column that does not vary in them, and what ended that.

        Columns for which the time does not suffice are cut at quantiles.
        """
        how, run = self.cutting, Run(self.cutting.seed, limits=limits)
        values = {name: own[rows] for name, own in self._values.items()}
        values = {name: own for name, own in values.items() if len(np.unique(own[~np.isnan(own)])) > 1}
        if how.method == JOINT:
            chosen = alternate_cuts(
                values,
                lambda cuts: self._recoded(rows, cuts),
                run,
                how.bins,
                constraints=how.constraints,
                max_parents=how.max_parents,
            )
            return chosen.cuts, chosen.status
        classes, n_classes = self._classes if how.method == "mdl" else (None, 0)
        found: Cuts = {}
        status = Status.COMPLETE
        for name, own in values.items():
            labels = None if classes is None else classes[rows]
            try:
                points = cut_points(own, how.method, bins=how.bins, classes=labels, n_classes=n_classes, run=run)
            except UnfinishedError:
                points, status = quantiles(own[~np.isnan(own)], how.bins), Status.TIME_LIMIT
            found[name] = points if len(points) else quantiles(own[~np.isnan(own)], 2)
        return found, status

    def _recoded(self, rows: NDArray[np.int64], cuts: Cuts) -> Dataset:
        """Return rows with their numbers cut, and any code where a value is missing."""
        base = self._uncut_codes
        states: list[tuple[str, ...]] = []
        codes: list[NDArray[Any]] = []
        for v, name in enumerate(self.names):
            if name not in self._values:
                states.append(base.states[v])
                codes.append(base.codes[v][rows])
                continue
            values, points = self._values[name][rows], cuts.get(name, NO_CUTS)
            labels = interval_labels(points)
            seen = np.unique(intervals_of(values[~np.isnan(values)], points))
            own = tuple(labels[k] for k in seen)
            inside = _codes(values, values, points)
            if self.gap_state and self.table.column(name).n_missing:
                own, inside = (*own, base.states[v][-1]), np.where(np.isnan(values), len(own), inside)
            # A variable has two states, seen or not.
            states.append(own if len(own) > 1 else (*own, "no other") if own else ("not seen", "no other"))
            codes.append(inside)
        kind = Dataset.code_type(max(map(len, states)))
        targets = None if self.table.targets is None else self.table.targets.among(self.names).take(rows)
        return Dataset(np.array(codes, dtype=kind), self.names, tuple(states), None, targets)

    @cached_property
    def _uncut_codes(self) -> Dataset:
        """All rows with numbers cut at the median: what samples take from it are the other columns."""
        halves = {name: quantiles(own[~np.isnan(own)], 2) for name, own in self._values.items()}
        made = self._discrete(apply_cuts(self.table, halves))
        return made.held if isinstance(made, Incomplete) else made

    def permute_columns(self, seed: Seed = None) -> NumericData:
        """Return the data with the cases of every column shuffled independently of the others, numbers and gaps too."""
        rng = generator_of(seed)
        table = self.table
        if table.weights is not None:
            table = replace(table.take(self._case_rows), weights=None)
        columns = []
        for column in table.columns:
            order = np.arange(table.n_rows)
            alone = order >= 0 if table.targets is None else table.targets.rows_without(column.name)
            for part in (alone, ~alone):
                if table.design is None:
                    order[part] = rng.permuted(order[part])
                elif part.any():
                    order[part] = order[part][exchanged_rows(table.design.groups[part], rng)]
            columns.append(replace(column, codes=column.codes[order]))
        return replace(self, table=replace(table, columns=tuple(columns)), completions=None)


# What networks can be learned from: complete data, data with gaps, completions of them, numbers to cut. All of them say
# what their cases are: `gapless` if no value is missing, else `gaps`.
Sampled = Dataset | Incomplete | Completions | NumericData | MixedData


def _codes(seen: NDArray[np.float64], values: NDArray[np.float64], cuts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the codes of numbers if states are the intervals that some of `seen` fall into; 0 for NaN.

    A number in an interval that none falls into gets the next one below, or else above.
    """
    known = np.unique(intervals_of(seen[~np.isnan(seen)], cuts))
    codes = np.searchsorted(known, intervals_of(values, cuts), side="right") - 1
    return np.where(np.isnan(values), 0, np.maximum(codes, 0))
