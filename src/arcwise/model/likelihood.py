"""The log-likelihood of data under a network: of every row, and in total."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.errors import DataError
from arcwise.limits import Status
from arcwise.model.network import BayesianNetwork
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.thread_count import thread_count

__all__ = ["log_likelihood", "row_log_likelihoods", "row_log_likelihoods_twin"]


def log_likelihood(
    network: BayesianNetwork,
    data: Dataset,
    *,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return the log-likelihood of the data: the sum of the rows' log-likelihoods, each times its weight.

    It is -inf if the network gives some row the probability 0, and NaN if some row meets an undefined entry (a
    maximum-likelihood table where the data it was fitted to show no case); rows of weight 0 do not count. To see which
    rows these are, or to leave them out, use `row_log_likelihoods`; to avoid both, fit with an estimator that smooths.
    See `row_log_likelihoods` for the other parameters.
    """
    rows = row_log_likelihoods(network, data, threads=threads, progress=progress)
    if data.weights is None:
        return float(rows.sum())
    counted = data.weights > 0
    return float((rows[counted] * data.weights[counted]).sum())


def row_log_likelihoods(
    network: BayesianNetwork,
    data: Dataset,
    *,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NDArray[np.float64]:
    """Return the log-likelihood of every stored row (natural logarithm), ignoring weights.

    A row that the network gives probability 0 has -inf; a row that meets an undefined entry has NaN.

    Parameters
    ----------
    network
        The network.
    data
        The data. Variables and states are matched by name; columns that the network does not have are ignored, and
        a state that occurs in the data must be a state of the network. A variable has no part in the rows in which an
        experiment set it (`Dataset.targets`).
    threads
        The number of threads (default: all cores). The result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.
    """
    from arcwise import _core

    codes, positions = _aligned(network, data)
    of_row, was_set = _interventions(network, data)
    with show_progress(progress) as callback:
        rows, status = _core.model.log_likelihood(
            _core.model.NetworkView(*network.native_arrays),
            codes,
            positions,
            of_row,
            was_set,
            thread_count(threads),
            native_callback(callback, "log-likelihood"),
        )
    if Status.from_native(status) is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return rows


def row_log_likelihoods_twin(network: BayesianNetwork, data: Dataset) -> NDArray[np.float64]:
    """Return the same as `row_log_likelihoods`, row by row in Python: what the native kernel is compared with."""
    result = np.zeros(data.n_rows)
    for row in range(data.n_rows):
        states = {name: data.states[v][data.codes[v, row]] for v, name in enumerate(data.names)}
        was_set = () if data.targets is None else data.targets.sets[data.targets.of_row[row]]
        for name in network.names:
            if name in was_set:
                continue
            family = (*network.parents(name), name)
            cell = tuple(network.state_index(member, states[member]) for member in family)
            with np.errstate(divide="ignore"):
                result[row] += np.log(network.table(name)[cell])
    return result


def _aligned(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int32]]:
    """Return codes in the network's coding, and the row of the codes for each variable; copies only if it must."""
    columns = {name: v for v, name in enumerate(data.names)}
    missing = [name for name in network.names if name not in columns]
    if missing:
        raise DataError(
            f"the data have no column {', '.join(repr(name) for name in missing)} of the network's variables; "
            f"the columns are {', '.join(data.names)}."
        )
    positions = np.array([columns[name] for name in network.names], dtype=np.int32)
    if all(data.states[c] == states for c, states in zip(positions, network.states, strict=True)):
        return data.codes, positions
    kind = Dataset.code_type(int(max(*network.arities, 1)))
    codes = np.empty((network.n_variables, data.n_rows), dtype=kind)
    for v, column in enumerate(positions):
        codes[v] = _recoded(network, v, data, int(column))
    return codes, np.arange(network.n_variables, dtype=np.int32)


def _interventions(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the experiment of each row, and for each the network's variables that it set; both empty for none."""
    if data.targets is None:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
    rows = [[name in names for name in network.names] for names in data.targets.sets]
    return data.targets.of_row, np.array(rows, dtype=np.uint8).ravel()


def _recoded(network: BayesianNetwork, v: int, data: Dataset, column: int) -> NDArray[np.integer]:
    known = {state: code for code, state in enumerate(network.states[v])}
    recode = np.array([known.get(state, -1) for state in data.states[column]], dtype=np.int64)
    codes: NDArray[np.integer] = recode[data.codes[column]]
    unknown = codes < 0
    if unknown.any():
        state = data.states[column][int(data.codes[column][unknown][0])]
        raise DataError(
            f"column '{network.names[v]}' has the state '{state}', which the network does not know, in "
            f"{np.count_nonzero(unknown & (data.codes[column] == data.states[column].index(state))):,} rows; "
            f"the network's states are {', '.join(network.states[v])}."
        )
    return codes
