"""Gaps: `impute` fills them in, or drops their rows; `gap_dependences` tells what they depend on."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from arcwise.base.errors import Argument, DataError, DataWarning, Remedy, check_argument, check_known
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Run
from arcwise.base.showing import one_screen
from arcwise.data.column import MAX_LEVELS, Column, code_type, gap_label, sorted_labels, spell
from arcwise.data.dataset import Incomplete
from arcwise.data.discretize import discretize
from arcwise.data.table import Table, Tabular

if TYPE_CHECKING:
    import pandas as pd

# The distances of this many pairs of rows are held at once; between two batches Ctrl-C is noticed.
BATCH_PAIRS = 2**23
TIE = 1e-9  # votes that differ by less are equal


def preference(table: Table, column: Column) -> NDArray[np.int64]:
    """Return a number for each label: the larger, the more frequent it is or, if equally so, the earlier in order."""
    ranking = list(range(len(column.labels))) if column.declared else sorted_labels(column.labels)
    place = np.empty(len(column.labels), dtype=np.int64)
    place[ranking] = np.arange(len(column.labels))
    weights = None if table.weights is None else np.asarray(table.weights, dtype=np.float64)
    counts = np.bincount(column.codes, weights=weights, minlength=len(column.labels) + 1)[:-1]
    preferred = np.empty(len(column.labels), dtype=np.int64)
    preferred[np.lexsort((-place, counts))] = np.arange(len(column.labels))
    return preferred


def from_neighbours(table: Table, k: int, max_levels: int, run: Run) -> tuple[list[Column], int]:
    """Return the columns that have gaps, filled from the `k` nearest rows that have the value.

    And for how many rows the time did not suffice: they get the most frequent label, or the mean of numbers.
    """
    features = _features(table, max_levels)
    gaps = {column.name: column.is_missing for column in table.columns if column.n_missing}
    filled = {name: np.full(int(where.sum()), _usual(table, name, max_levels)) for name, where in gaps.items()}
    done = dict.fromkeys(gaps, 0)
    rows = np.flatnonzero(np.any(list(gaps.values()), axis=0))
    batch = max(1, BATCH_PAIRS // table.n_rows)
    left = 0
    for start in range(0, len(rows), batch):
        if run.is_over:
            left = len(rows) - start
            break
        part = rows[start : start + batch]
        distance = features.distances(part)
        for name, where in gaps.items():
            receivers = where[part]
            count = int(receivers.sum())
            if count:
                if table.is_grouped and table.weights is not None:
                    chosen = _nearest_cases(distance[receivers][:, ~where], k, np.asarray(table.weights)[~where])
                else:
                    chosen = _nearest(distance[receivers][:, ~where], k).astype(np.float64)
                values = _combined(table, table.column(name), np.flatnonzero(~where), chosen, max_levels)
                filled[name][done[name] : done[name] + count] = values
                done[name] += count
        run.report("imputing", min(start + batch, len(rows)), len(rows))
    made = ((table.column(name), values) for name, values in filled.items())
    fill = ((_with_numbers if own.is_continuous(max_levels) else _with_codes)(own, values) for own, values in made)
    return list(fill), left


def _usual(table: Table, name: str, max_levels: int) -> float:
    """Return the mean of a column of numbers, else the code of the most frequent label, the first of several."""
    column = table.column(name)
    is_number = column.is_continuous(max_levels)
    return float(np.nanmean(column.values()) if is_number else np.argmax(preference(table, column)))


@dataclass(frozen=True, eq=False)
class _Features:
    """The table as the distance needs it; zeros stand where a value is missing."""

    indicators: NDArray[np.float32]  # one column per state
    has_category: NDArray[np.float32]  # one column per categorical column: 1 if the row has a value
    quantities: NDArray[np.float64]  # scaled to [0, 1]
    has_quantity: NDArray[np.float32]

    def distances(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the distance of the given rows to all rows; infinite if they have no column in common.

        The products count columns, so they are exact in single precision, and the squares are added column by column:
        the result does not depend on how a product is split among threads.
        """
        both = self.has_category[rows] @ self.has_category.T
        total = (both - self.indicators[rows] @ self.indicators.T).astype(np.float64)
        both = both + self.has_quantity[rows] @ self.has_quantity.T
        for q in range(self.quantities.shape[1]):
            difference = self.quantities[rows, q, None] - self.quantities[None, :, q]
            difference *= self.has_quantity[rows, q, None]
            difference *= self.has_quantity[None, :, q]
            total += difference * difference
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(both > 0, total / both, np.inf)


def _features(table: Table, max_levels: int) -> _Features:
    indicators, has_category, quantities, has_quantity = [], [], [], []
    for column in table.columns:
        present = (~column.is_missing).astype(np.float32)
        if column.is_continuous(max_levels):
            values = column.values()
            low, high = np.nanmin(values), np.nanmax(values)
            quantities.append(np.nan_to_num((values - low) / (high - low)))
            has_quantity.append(present)
        else:
            states = np.eye(len(column.labels) + 1, len(column.labels), dtype=np.float32)
            indicators.append(states[column.codes])
            has_category.append(present)
    none = np.zeros((table.n_rows, 0), dtype=np.float32)
    return _Features(
        np.hstack([none, *indicators]),
        np.stack(has_category, axis=1) if has_category else none,
        np.stack(quantities, axis=1) if quantities else none.astype(np.float64),
        np.stack(has_quantity, axis=1) if has_quantity else none,
    )


def _nearest(distance: NDArray[np.float64], k: int) -> NDArray[np.bool_]:
    """Return for each row which columns are its `k` nearest; equally distant ones from the left; none at infinity."""
    k = min(k, distance.shape[1])
    furthest = np.partition(distance, k - 1, axis=1)[:, k - 1, None]
    nearer = distance < furthest
    level = distance == furthest
    wanted = k - nearer.sum(axis=1, keepdims=True)
    return np.asarray((nearer | (level & (np.cumsum(level, axis=1) <= wanted))) & np.isfinite(distance))


def _nearest_cases(distance: NDArray[np.float64], k: int, weights: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return for each row how many cases of each column, a distinct row of many, are among its `k` nearest.

    Distinct rows are in the order of their codes: of equally distant ones the first would always be the lowest. As many
    of each are taken as there are on average if the cases come in any order.
    """
    distance = np.where(weights > 0, distance, np.inf)
    own = min(k, distance.shape[1])
    # Each has a case at least, so that the k nearest rows have the k nearest cases, and all rows nearer than the last.
    rows = np.argpartition(distance, own - 1, axis=1)[:, :own]
    rows = np.take_along_axis(rows, np.argsort(np.take_along_axis(distance, rows, axis=1), axis=1), axis=1)
    last = np.argmax(np.cumsum(weights[rows], axis=1) >= k, axis=1)
    last[weights[rows].sum(axis=1) < k] = own - 1
    furthest = np.take_along_axis(distance, np.take_along_axis(rows, last[:, None], axis=1), axis=1)
    nearer, level = distance < furthest, (distance == furthest) & np.isfinite(distance)
    wanted = k - nearer @ weights
    share = np.minimum(1.0, wanted / np.maximum(level @ weights, 1))
    return np.asarray((nearer + level * share[:, None]) * weights)


def _combined(
    table: Table, column: Column, donors: NDArray[np.int64], chosen: NDArray[np.float64], max_levels: int
) -> NDArray[np.float64]:
    """Return for each row of `chosen` the mean of its donors' numbers, or the label most of them have."""
    receiver, position = np.nonzero(chosen)
    amount = chosen[receiver, position]
    found = np.bincount(receiver, amount, minlength=len(chosen))
    if column.is_continuous(max_levels):
        values = column.values()
        sums = np.bincount(receiver, weights=amount * values[donors[position]], minlength=len(chosen))
        return np.where(found > 0, sums / np.where(found > 0, found, 1), np.nanmean(values))
    votes = np.zeros((len(chosen), len(column.labels)))
    np.add.at(votes, (receiver, column.codes[donors[position]]), amount)
    most = votes >= votes.max(axis=1, keepdims=True) - TIE
    return np.asarray(np.where(most, preference(table, column), -1).argmax(axis=1), dtype=np.float64)


def _with_codes(column: Column, filled: NDArray[np.float64] | int) -> Column:
    codes = column.codes.copy()
    codes[column.is_missing] = filled
    return Column(column.name, codes, column.labels, column.declared)


def _with_numbers(column: Column, values: NDArray[np.float64]) -> Column:
    """Fill gaps with numbers, as new labels where they are new."""
    assert column.numbers is not None
    known = {float(number): code for code, number in enumerate(column.numbers)}
    labels = list(column.labels)
    new = []
    for value in values.tolist():
        if value not in known:
            known[value] = len(labels)
            labels.append(spell(value))
        new.append(known[value])
    codes = column.codes.astype(code_type(len(labels) + 1))
    codes[column.is_missing] = new
    return Column(column.name, codes, tuple(labels))


METHODS = ("knn", "mode", "state", "drop")


def impute(
    data: Tabular,
    *,
    method: str = "knn",
    k: int = 5,
    max_levels: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Tabular:
    """Fill in missing values. Comes before `discretize`, so that neighbours are found among the numbers themselves.

    Parameters
    ----------
    data
        A table or DataFrame; the same kind is returned.
    method
        "knn": from the `k` most similar rows that have the value (Liao 4.6.1): their most frequent state, or for
        quantities their mean. "mode": the most frequent value of the column. "state": a value of its own,
        "missing"; columns of numbers must be cut first. "drop": rows with gaps are left out.
    k
        The number of neighbours.
    max_levels
        Columns of numbers with more distinct values are quantities, others are categories. Default 20.
    progress
        See `arcwise.progress.show_progress`.

    Notes
    -----
    What is filled in once is then believed as if it had been observed. Neighbours are alike in other columns, so that
    "knn" makes columns depend on each other that do not; "mode" makes dependences weaker, "state" joins columns that
    are missing together, and "drop" is right only if gaps have nothing to do with any value. `arcwise.learn` averages
    over many completions instead.

    Two rows are compared over the columns that both have, and the mean difference counts: 1 for a category that
    differs, for a quantity the squared difference in units of its range. For quantities alone that is the distance of
    scikit-learn's KNNImputer, which takes no categories. Among equally distant rows the first in the table are taken.
    Ties between states go to the more frequent one in the column, then to the first in order. Nothing is random. Row
    weights count for frequencies, but a neighbour is a neighbour once; only the distinct rows of a large file are as
    many as their cases, and of equally distant ones all have a share.
    """
    check_known("imputation method", method, METHODS)
    check_argument(k == int(k) and k >= 1, "k", k, "must be a positive integer.")
    levels = MAX_LEVELS if max_levels is None else max_levels
    filled, _ = fill_gaps(Table.of(data), method, Run(progress=progress), k=int(k), max_levels=levels)
    return filled.like(data)


def fill_gaps(table: Table, method: str, run: Run, *, k: int = 5, max_levels: int = MAX_LEVELS) -> tuple[Table, str]:
    """Fill in missing values, as `impute` does; the sentence says what the time did not suffice for, "" if it did."""
    gaps = [column for column in table.columns if column.n_missing]
    if not gaps or method == "drop":
        return _complete_rows(table) if gaps else table, ""
    for column in gaps:
        if column.n_missing == column.n_cases:
            raise table.wrong(column, "has no value at all: it cannot be filled. Drop it.")
    if method == "state":
        return table.with_columns(_with_state(table, column) for column in gaps), ""
    if method == "mode":
        return table.with_columns(_with_codes(own, int(_usual(table, own.name, len(own.labels)))) for own in gaps), ""
    with run.shown() as shown:
        columns, left = from_neighbours(table, k, max_levels, shown)
    remark = f"Time ran out before all rows were compared: {left:,} got the most frequent values."
    return table.with_columns(columns), remark if left else ""


def _complete_rows(table: Table) -> Table:
    complete = ~table.is_missing.any(axis=0)
    if not complete.any():
        worst = max(table.n_missing.items(), key=lambda item: item[1])
        raise DataError(
            f"{table.prefix}every one of the {table.n_cases:,} rows has a missing value: none would be left.",
            remedies=(
                Remedy("fill them with", Argument("method", "knn"), "or", Argument("method", "mode")),
                Remedy(f"drop the emptiest columns first ('{worst[0]}' lacks {worst[1]:,})"),
            ),
        )
    return table.take(complete)


def _with_state(table: Table, column: Column) -> Column:
    """Give the gaps a label of their own."""
    if column.is_continuous():
        words = "holds numbers: a missing value cannot be one of their states yet."
        raise table.wrong(column, words, Remedy("cut them first"), Remedy("use another", Argument("method")))
    return Column(column.name, column.codes, (*column.labels, gap_label(column.labels)), column.declared)


# Which gaps depend on which observed values: what can be checked about why values are missing.
#
# Values are missing completely at random if gaps depend on nothing, at random if they depend on observed values only.
# The first can be refuted by data; that gaps depend on the missing values themselves can be neither seen nor excluded.


# The level of the tests, after Holm's correction for their number.
LEVEL = 0.05
# Columns of text with more labels are no variables yet.
MOST_LABELS = 50


@one_screen
@dataclass(frozen=True, slots=True)
class GapDependence:
    """How the gaps of one variable go with the observed values of another.

    Parameters
    ----------
    variable, on
        The variable with gaps, and the other one.
    p_value
        Of the likelihood-ratio test of independence, times its place among all tests (Holm 1979), at most 1.
    least, most
        The states of the other variable with the smallest and the largest share of gaps.
    least_share, most_share
        These shares.
    """

    variable: str
    on: str
    p_value: float
    least: str
    least_share: float
    most: str
    most_share: float

    @property
    def is_clear(self) -> bool:
        """Whether the test refutes independence."""
        return self.p_value < LEVEL


def gap_dependences(data: Incomplete) -> tuple[GapDependence, ...]:
    """Test for every variable with gaps whether they depend on each other variable, where that is observed.

    All tests are returned, the clearest first. Holm's correction keeps the chance of any false alarm below the level.
    """
    weights = data.held.times
    found = []
    for v in np.flatnonzero(data.missing.any(axis=1)).tolist():
        for u in range(data.n_variables):
            if u == v:
                continue
            seen = ~data.missing[u]
            codes, gaps = data.held.codes[u][seen], data.missing[v][seen]
            counts = np.zeros((int(data.arities[u]), 2))
            np.add.at(counts, (codes, gaps.astype(np.intp)), weights[seen])
            shown = np.flatnonzero(counts.sum(axis=1) > 0)
            shares = counts[shown, 1] / counts[shown].sum(axis=1)
            extremes = [(data.states[u][shown[k]], float(shares[k])) for k in (shares.argmin(), shares.argmax())]
            found.append(
                GapDependence(data.names[v], data.names[u], _p_value(counts[shown]), *extremes[0], *extremes[1])
            )
    found.sort(key=lambda one: one.p_value)
    return _corrected(found)


def table_gap_dependences(table: Table) -> tuple[GapDependence, ...]:
    """Test the gaps of a table as it came: numbers in three intervals, without columns of very many labels."""
    varying = [c.name for c in table.columns if c.n_missing < table.n_cases and len(c.labels) > 1]
    few = [
        name for name in varying if table.column(name).is_continuous() or len(table.column(name).labels) <= MOST_LABELS
    ]
    if len(few) < 2 or not any(table.column(name).n_missing for name in few):
        return ()
    chosen = table.select(few)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        cut = discretize(chosen, method="quantile", without_cuts="drop")
        if len(cut.columns) < 2:
            return ()
        return gap_dependences(cut.to_incomplete(categorical=True))


def _p_value(counts: NDArray[np.float64]) -> float:
    """Return that of the G test of a table of two columns; 1 if there is nothing to test."""
    if len(counts) < 2 or (counts.sum(axis=0) == 0).any():
        return 1.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    some = counts > 0
    statistic = 2.0 * float((counts[some] * np.log(counts[some] / expected[some])).sum())
    return float(chdtrc(len(counts) - 1, max(statistic, 0.0)))


def _corrected(ordered: Sequence[GapDependence]) -> tuple[GapDependence, ...]:
    """Return rising p-values corrected by Holm's method."""
    corrected, so_far = [], 0.0
    for place, one in enumerate(ordered):
        so_far = max(so_far, min(1.0, one.p_value * (len(ordered) - place)))
        corrected.append(replace(one, p_value=so_far))
    return tuple(corrected)


def gap_frame(dependences: Sequence[GapDependence]) -> pd.DataFrame:
    """Return the tests as a table."""
    import pandas as pd

    return pd.DataFrame(list(map(asdict, dependences)), columns=[field.name for field in fields(GapDependence)])
