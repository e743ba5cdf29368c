"""Many rows of evidence at once: the distribution of some variables for each row, and the prediction of one.

Rows are grouped by which variables they observe; each group has one junction tree. Of the evidence, only what is not
separated from the variables asked for takes part (with complete rows, the Markov blanket), and rows that agree on it
are answered once. This is why a million rows take about a second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import Argument, DataError, OptionError
from arcwise.base.run import ProgressCallback, Run
from arcwise.data.dataset import Dataset
from arcwise.data.table import Table
from arcwise.model.inference import IMPOSSIBLE, asked_and_observed, check_account, state_codes
from arcwise.model.tables import MAX_CELLS, RowDistributions

if TYPE_CHECKING:
    import pandas as pd

    from arcwise.model.network import BayesianNetwork


# `EvidenceColumns`: the rows of a data set or table as evidence on a network's variables.


class EvidenceColumns:
    """Columns of states, in the network's coding, with gaps where a row does not observe a variable.

    Columns that the network does not have, and those of the variables asked for, are left aside; `given` has the state
    of every variable that all rows observe, else -1.
    """

    def __init__(
        self, network: BayesianNetwork, rows: Dataset | Table, asked: Sequence[int], given: Sequence[int]
    ) -> None:
        self._network = network
        self._rows = rows
        self._given = given
        self.n_rows = rows.n_rows
        self._columns = {network.index(name): c for c, name in enumerate(rows.names) if name in set(network.names)}
        for v in asked:
            self._columns.pop(v, None)
        twice = [network.names[v] for v in self._columns if given[v] >= 0]
        if twice:
            raise DataError(f"'{twice[0]}' is both in the rows and in the evidence of all rows; give it in one place.")
        known = {v for v, state in enumerate(given) if state >= 0}
        if rows.names and not self._columns and not known and not any(network.names[v] in rows.names for v in asked):
            raise DataError(
                f"no column of the rows is a variable of the network: the columns are {', '.join(rows.names[:10])}; "
                f"the variables are {', '.join(network.names[:10])}{', ...' if network.n_variables > 10 else ''}."
            )
        self._recodes = {v: state_codes(network, v, self._labels(c), self._column(v)) for v, c in self._columns.items()}

    def patterns(self) -> Iterator[tuple[NDArray[np.int64] | slice, list[int]]]:
        """Yield, for each set of variables that some rows observe, these rows and the variables."""
        everywhere = [v for v, state in enumerate(self._given) if state >= 0]
        gaps = {}
        for v, c in self._columns.items():
            missing = self._is_missing(c)
            if missing is None or not missing.any():
                everywhere.append(v)
            else:
                gaps[v] = missing
        if not gaps:
            yield slice(None), sorted(everywhere)
            return
        packed = np.packbits(np.stack(list(gaps.values())), axis=0)
        kinds, kind_of_row = np.unique(packed, axis=1, return_inverse=True)
        order = np.argsort(kind_of_row.ravel(), kind="stable")
        bounds = np.cumsum(np.bincount(kind_of_row.ravel(), minlength=kinds.shape[1]))
        for rows in np.split(order, bounds[:-1]):
            yield rows, sorted([*everywhere, *(v for v, missing in gaps.items() if not missing[rows[0]])])

    def codes(self, variables: Sequence[int], rows: NDArray[np.int64] | slice) -> NDArray[np.int32]:
        """Return the states of variables in rows that observe them all: one line per variable."""
        count = self.n_rows if isinstance(rows, slice) else len(rows)
        codes = np.empty((len(variables), count), dtype=np.int32)
        for line, v in enumerate(variables):
            codes[line] = self._given[v] if self._given[v] >= 0 else self._recodes[v][self._column(v)[rows]]
        return codes

    def describe(self, row: int, variables: Sequence[int]) -> str:
        """Return where a row is and what it observes: for messages."""
        parts = []
        for v in variables[:8]:
            state = int(self.codes([v], np.array([row]))[0, 0])
            parts.append(f"{self._network.names[v]}={self._network.states[v][state]}")
        listed = ", ".join(parts) + (", ..." if len(variables) > 8 else "")
        where = self._rows.where(row) if isinstance(self._rows, Table) else f"row {row:,}"
        return f"{where} ({listed})"

    def _column(self, v: int) -> NDArray[np.integer]:
        c = self._columns[v]
        return self._rows.codes[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].codes

    def _labels(self, c: int) -> tuple[str, ...]:
        return self._rows.states[c] if isinstance(self._rows, Dataset) else self._rows.columns[c].labels

    def _is_missing(self, c: int) -> NDArray[np.bool_] | None:
        return None if isinstance(self._rows, Dataset) else self._rows.columns[c].is_missing


Impossible = Literal["error", "missing"]


def query_rows(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    rows: Dataset | Table | pd.DataFrame,
    evidence: Mapping[str, object] | None = None,
    *,
    impossible: Impossible = "error",
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> RowDistributions:
    """Return the joint distribution of variables for each row of evidence.

    Parameters
    ----------
    network, variables, max_cells, threads, progress
        As in `arcwise.model.inference.query`.
    rows
        The evidence. Variables and states are matched by name; a missing value of a `Table` or DataFrame is a variable
        that this row does not observe. Columns of the variables asked for, and columns that the network does not have,
        are left aside.
    evidence
        Variables that every row observes in the same state; the rows may not have a column of these.
    impossible
        What to do with a row that the network gives probability 0, or that meets an undefined entry: "error", or
        "missing", which leaves its probabilities NaN.

    Raises
    ------
    DataError
        A state that the network does not know, or a row that is impossible.
    OptionError
        As in `arcwise.model.inference.query`.
    """
    with Run.begin(None, progress, threads) as run:
        return _answer(network, variables, rows, evidence, run, impossible=impossible, max_cells=max_cells)


def _answer(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    rows: Dataset | Table | pd.DataFrame,
    evidence: Mapping[str, object] | None,
    run: Run,
    *,
    impossible: Impossible,
    max_cells: int,
    with_evidence: bool = True,
) -> RowDistributions:
    """Answer what is asked of each row.

    Without `with_evidence` evidence that is separated from the variables asked for is not looked at, which takes less
    time; then nobody knows how probable the row is.
    """
    if impossible not in ("error", "missing"):
        raise OptionError(Argument("impossible", impossible), "must be 'error' or 'missing'.")
    positions, given = asked_and_observed(network, variables, evidence)
    table = rows if isinstance(rows, Dataset | Table) else Table.from_dataframe(rows)
    columns = EvidenceColumns(network, table, positions, given)
    shape = [len(network.states[v]) for v in positions]
    cells = math.prod(shape)
    probabilities = np.empty((columns.n_rows, cells))
    log_evidence = np.empty(columns.n_rows if with_evidence else 0)
    inference = network.native_inference
    report = run.native_report("rows of evidence")
    for chosen, observed in columns.patterns():
        # What is separated from the variables asked for may as well not be observed.
        relevant = observed if with_evidence else inference.relevant_evidence(positions, observed)
        codes = columns.codes(relevant, chosen)
        account, flat, logs, refusals = inference.query_rows(
            positions, relevant, codes, with_evidence, max_cells, run.thread_count, report
        )
        check_account(network, account, evidence, max_cells)
        if impossible == "error" and refusals.any():
            first = int(np.flatnonzero(refusals)[0])
            row = first if isinstance(chosen, slice) else int(chosen[first])
            _raise_refused(columns.describe(row, relevant), int(np.count_nonzero(refusals)), refusals[first])
        probabilities[chosen] = flat.reshape(-1, cells)
        if with_evidence:
            log_evidence[chosen] = logs
    return RowDistributions(
        tuple(network.names[v] for v in positions),
        tuple(network.states[v] for v in positions),
        probabilities.reshape([-1, *shape]),
        log_evidence if with_evidence else None,
    )


def predict_proba(
    network: BayesianNetwork,
    rows: Dataset | Table | pd.DataFrame,
    target: str,
    *,
    impossible: Impossible = "error",
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.float64]:
    """Return the probability of each state of `target` for each row, given all its other variables; see `query_rows`.

    One line per row, one column per state, in the order of the network's states.
    """
    with Run.begin(None, progress, threads) as run:
        found = _answer(
            network, target, rows, None, run, impossible=impossible, max_cells=max_cells, with_evidence=False
        )
    return found.probabilities


def predict(
    network: BayesianNetwork,
    rows: Dataset | Table | pd.DataFrame,
    target: str,
    **options: Any,
) -> NDArray[np.object_]:
    """Return the most probable state of `target` for each row, given all its other variables.

    The first of states that are equally probable; None for an impossible row, if such rows are allowed. The options are
    those of `predict_proba`.
    """
    probabilities = predict_proba(network, rows, target, **options)
    states = np.array([*network.states[network.index(target)], None], dtype=object)
    known = ~np.isnan(probabilities[:, 0])
    best = np.where(known, np.where(known[:, None], probabilities, 0).argmax(axis=1), len(states) - 1)
    return states[best]


def _raise_refused(where: str, count: int, refusal: int) -> None:
    others = f" (and {count - 1:,} other rows)" if count > 1 else ""
    what = "has probability 0 under the network" if refusal == IMPOSSIBLE else "meets undefined entries of the network"
    raise DataError(
        f"{where}{others} {what}. Fit the parameters with an estimator that smooths, such as 'bd', or give "
        "impossible='missing' to leave such rows out."
    )
