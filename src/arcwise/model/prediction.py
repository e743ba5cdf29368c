"""Many rows of evidence at once: the distribution of some variables for each row, and the prediction of one.

Rows are grouped by which variables they observe; each group has one junction tree. Of the evidence, only what is not
separated from the variables asked for takes part (with complete rows, the Markov blanket), and rows that agree on it
are answered once. This is why a million rows take about a second.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, Table
from arcwise.errors import DataError, OptionError
from arcwise.mentions import Argument
from arcwise.model.distribution import RowDistributions
from arcwise.model.evidence_columns import EvidenceColumns
from arcwise.model.inference import IMPOSSIBLE, asked_positions, check_account, observed_states
from arcwise.model.network import BayesianNetwork
from arcwise.model.probability_tables import MAX_CELLS
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["predict", "predict_proba", "query_rows"]

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
    question = _Question(variables, rows, evidence, with_evidence=True)
    return _answer(network, question, impossible, max_cells=max_cells, threads=threads, progress=progress)


@dataclass(frozen=True, eq=False, slots=True)
class _Question:
    """What is asked of each row.

    Without `with_evidence` evidence that is separated from the variables asked for is not looked at, which takes less
    time; then nobody knows how probable the row is.
    """

    variables: str | Sequence[str]
    rows: Dataset | Table | pd.DataFrame
    evidence: Mapping[str, object] | None
    with_evidence: bool


def _answer(
    network: BayesianNetwork,
    question: _Question,
    impossible: Impossible,
    *,
    max_cells: int,
    threads: int | None,
    progress: bool | ProgressCallback | None,
) -> RowDistributions:
    rows, evidence, with_evidence = question.rows, question.evidence, question.with_evidence
    if impossible not in ("error", "missing"):
        raise OptionError(Argument("impossible", impossible), "must be 'error' or 'missing'.")
    positions = asked_positions(network, question.variables)
    given = observed_states(network, evidence)
    for v in positions:
        if given[v] >= 0:
            raise OptionError(f"variable '{network.names[v]}' is both asked for and observed; ask for others.")
    table = rows if isinstance(rows, Dataset | Table) else Table.from_dataframe(rows)
    columns = EvidenceColumns(network, table, positions, given)
    shape = [len(network.states[v]) for v in positions]
    cells = math.prod(shape)
    probabilities = np.empty((columns.n_rows, cells))
    log_evidence = np.empty(columns.n_rows if with_evidence else 0)
    inference = network.native_inference
    with show_progress(progress) as callback:
        report = native_callback(callback, "rows of evidence")
        for chosen, observed in columns.patterns():
            # What is separated from the variables asked for may as well not be observed.
            relevant = observed if with_evidence else inference.relevant_evidence(positions, observed)
            account, flat, logs, refusals = inference.query_rows(
                positions,
                relevant,
                columns.codes(relevant, chosen),
                with_evidence,
                max_cells,
                thread_count(threads),
                report,
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
    question = _Question(target, rows, None, with_evidence=False)
    found = _answer(network, question, impossible, max_cells=max_cells, threads=threads, progress=progress)
    return found.probabilities


def predict(
    network: BayesianNetwork,
    rows: Dataset | Table | pd.DataFrame,
    target: str,
    *,
    impossible: Impossible = "error",
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.object_]:
    """Return the most probable state of `target` for each row, given all its other variables; see `predict_proba`.

    The first of states that are equally probable; None for an impossible row, if such rows are allowed.
    """
    probabilities = predict_proba(
        network,
        rows,
        target,
        impossible=impossible,
        max_cells=max_cells,
        threads=threads,
        progress=progress,
    )
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
