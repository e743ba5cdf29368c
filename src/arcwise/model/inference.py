"""Exact inference: marginals, conditionals, and the most probable explanation, by junction trees in the native core.

Variables that are neither asked for, nor observed, nor ancestors of such, sum out to 1 and are left out. Evidence
cuts the tables. The rest is eliminated in a good order, which makes a tree of cliques. The size of every clique is
known before the first is computed, so that a query that is too large is refused at once, and messages are scaled, so
that a long product of small probabilities does not underflow. `tests/twins/inference.py` says the same in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, DataError, Either, OptionError, Remedy
from arcwise.base.run import ProgressCallback, Run, Status
from arcwise.data.dataset import Dataset
from arcwise.model.tables import MAX_CELLS, Distribution, Explanation, Marginals

if TYPE_CHECKING:
    from arcwise._core.model import Account
    from arcwise.model.network import BayesianNetwork


# What the native core answers instead of a result; `arcwise::Refusal`.
IMPOSSIBLE, UNDEFINED, TOO_LARGE, INTERRUPTED = 1, 2, 3, 4


def query(
    network: BayesianNetwork,
    variables: str | Sequence[str],
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Distribution:
    """Return the joint distribution of variables, given the states of others.

    Parameters
    ----------
    network
        The network. Undefined rows may not take part: a table with one is an error unless evidence or structure
        leaves that row out.
    variables
        The variable asked for, or several; their order is that of the result's axes.
    evidence
        Observed variables and their states.
    max_cells
        The most cells that the largest clique, and that all messages together, may have; messages take 8 bytes a cell.
    threads
        The number of threads (default: all cores). The result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.

    Raises
    ------
    OptionError
        The evidence is impossible, the query is too large, or a name is unknown.
    """
    positions, states = asked_and_observed(network, variables, evidence)
    with Run.begin(None, progress, threads) as run:
        account, table = network.native_inference.query(
            positions, states, max_cells, run.thread_count, run.native_report("query")
        )
    check_account(network, account, evidence, max_cells)
    return Distribution(
        tuple(network.names[v] for v in positions),
        tuple(network.states[v] for v in positions),
        table.reshape([len(network.states[v]) for v in positions]),
        account[2] if evidence else 0.0,
    )


def marginals(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Marginals:
    """Return the distribution of every variable that is not observed, given evidence; see `query`.

    All of them come from one propagation through the junction tree; or from one query each, where that takes less.
    """
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        account, flat = network.native_inference.marginals(
            states, max_cells, run.thread_count, run.native_report("marginals")
        )
    check_account(network, account, evidence, max_cells)
    log_evidence = account[2] if evidence else 0.0
    found = {}
    start = 0
    for name, own, observed in zip(network.names, network.states, states, strict=True):
        if observed < 0:
            found[name] = Distribution((name,), (own,), flat[start : start + len(own)], log_evidence)
        start += len(own)
    return Marginals(found, log_evidence)


def most_probable(
    network: BayesianNetwork,
    evidence: Mapping[str, object] | None = None,
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Explanation:
    """Return the most probable states of all variables that are not observed, together; see `query`.

    This is the most probable explanation of the evidence (MPE). It is in general not made of the most probable state of
    each variable. If several explanations are equally probable, one of them is returned, always the same.
    """
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        account, found, log_joint = network.native_inference.most_probable(
            states, max_cells, run.thread_count, run.native_report("most probable explanation")
        )
    check_account(network, account, evidence, max_cells)
    log_evidence = 0.0
    if evidence:
        log_evidence = log_probability(network, evidence, max_cells=max_cells, threads=threads, progress=progress)
    chosen = {
        name: own[state]
        for name, own, state, observed in zip(network.names, network.states, found.tolist(), states, strict=True)
        if observed < 0
    }
    return Explanation(chosen, log_joint, log_evidence)


def log_probability(
    network: BayesianNetwork,
    evidence: Mapping[str, object],
    *,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> float:
    """Return the natural logarithm of the probability of evidence; -inf if it is impossible. See `query`."""
    states = observed_states(network, evidence)
    with Run.begin(None, progress, threads) as run:
        account, _ = network.native_inference.query([], states, max_cells, run.thread_count, run.native_report("query"))
    if account[0] == IMPOSSIBLE:
        return -math.inf
    check_account(network, account, evidence, max_cells)
    return account[2]


# What this module shares with `arcwise.model.prediction`


def asked_and_observed(
    network: BayesianNetwork, variables: str | Sequence[str], evidence: Mapping[str, object] | None
) -> tuple[list[int], list[int]]:
    """Return the positions of the variables of a query, and `observed_states`."""
    asked = [variables] if isinstance(variables, str) else list(variables)
    if not asked:
        raise OptionError("a query needs at least one variable; for the probability of evidence use log_probability.")
    positions = [network.index(name) for name in asked]
    if len(set(positions)) < len(positions):
        raise OptionError(f"the query names a variable twice: {', '.join(asked)}.")
    states = observed_states(network, evidence)
    for v in positions:
        if states[v] >= 0:
            raise OptionError(f"variable '{network.names[v]}' is both asked for and observed; ask for others.")
    return positions, states


def observed_states(network: BayesianNetwork, evidence: Mapping[str, object] | None) -> list[int]:
    """Return one state per variable, -1 if it is not observed."""
    states = [-1] * network.n_variables
    for name, state in (evidence or {}).items():
        states[network.index(name)] = network.state_index(name, state)
    return states


def check_account(
    network: BayesianNetwork, account: Account, evidence: Mapping[str, object] | None, max_cells: int
) -> None:
    """Raise what the native core refused."""
    refusal, variable, _, width, largest, messages = account
    if refusal == INTERRUPTED:
        raise KeyboardInterrupt
    if refusal == IMPOSSIBLE:
        given = ", ".join(f"{name}={state}" for name, state in (evidence or {}).items())
        raise OptionError(f"the evidence is impossible: {given} has probability 0.")
    if refusal == UNDEFINED:
        row = int(np.flatnonzero(np.isnan(network.tables[variable][:, 0]))[0])
        raise OptionError(
            f"the query meets undefined entries of the table of '{network.names[variable]}', such as the row for "
            f"{network.describe_row(variable, row)}. Fit the parameters with an estimator that defines them, such as "
            "'laplace' or 'bd'."
        )
    if refusal == TOO_LARGE:
        raise OptionError(
            f"the query is too large: its junction tree has width {width:.0f}, with {_counted(largest)} cells in the "
            f"largest clique and {_counted(messages)} in all messages ({messages * 8 / 2**30:,.1f} GiB), and at most "
            f"{max_cells:,} are allowed for each.",
            remedies=(
                Remedy("ask for fewer variables at once"),
                Remedy("observe more"),
                Remedy("raise", Either("max_cells", Argument("max_cells"))),
                Remedy("estimate it from a sample"),
            ),
        )


def _counted(cells: float) -> str:
    return f"{cells:,.0f}" if cells < 1e18 else f"{cells:.2g}"


# The log-likelihood of data under a network: of every row, and in total.


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
    threads, progress
        As in `query`.
    """
    codes, positions = _aligned(network, data)
    of_row, was_set = _interventions(network, data)
    with Run.begin(None, progress, threads) as run:
        rows, status = _core.model.log_likelihood(
            _core.model.NetworkView(*network.native_arrays),
            codes,
            positions,
            of_row,
            was_set,
            run.thread_count,
            run.native_report("log-likelihood"),
        )
    Status.from_native(status).unless_interrupted()
    return rows


def column_positions(data: Dataset, names: Sequence[str], whose: str) -> list[int]:
    """Return where the columns of names are; one that the data do not have is an error that says whose it is."""
    positions = {name: column for column, name in enumerate(data.names)}
    missing = [name for name in names if name not in positions]
    if missing:
        raise DataError(
            f"the data have no column {', '.join(map(repr, missing))} of the {whose}; "
            f"the columns are {', '.join(data.names)}."
        )
    return [positions[name] for name in names]


def _aligned(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.unsignedinteger], NDArray[np.int32]]:
    """Return codes in the network's coding, and the row of the codes for each variable; copies only if it must."""
    positions = np.array(column_positions(data, network.names, "network's variables"), dtype=np.int32)
    if all(data.states[c] == states for c, states in zip(positions, network.states, strict=True)):
        return data.codes, positions
    kind = Dataset.code_type(int(max(*network.arities, 1)))
    codes = np.empty((network.n_variables, data.n_rows), dtype=kind)
    for v, column in enumerate(positions):
        codes[v] = state_codes(network, v, data.states[column], data.codes[column])[data.codes[column]]
    return codes, np.arange(network.n_variables, dtype=np.int32)


def _interventions(network: BayesianNetwork, data: Dataset) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the experiment of each row, and for each the network's variables that it set; both empty for none."""
    if data.targets is None:
        return np.empty(0, dtype=np.int32), np.empty(0, dtype=np.uint8)
    rows = [[name in names for name in network.names] for names in data.targets.sets]
    return data.targets.of_row, np.array(rows, dtype=np.uint8).ravel()


def state_codes(
    network: BayesianNetwork, v: int, labels: Sequence[str], codes: NDArray[np.integer]
) -> NDArray[np.int32]:
    """Return the network's code for each state of a column, -1 for one that no row has, and -1 for gaps as the last.

    A state of some row that the network lacks is an error.
    """
    known = {state: code for code, state in enumerate(network.states[v])}
    recode = np.array([*(known.get(label, -1) for label in labels), -1], dtype=np.int32)
    unknown = np.flatnonzero(recode[:-1] < 0)
    seen = unknown[np.isin(unknown, codes)] if len(unknown) else unknown
    if len(seen):
        raise DataError(
            f"column '{network.names[v]}' has the state '{labels[seen[0]]}', which the network does not know, in "
            f"{np.count_nonzero(codes == seen[0]):,} rows; the network's states are {', '.join(network.states[v])}."
        )
    return recode
