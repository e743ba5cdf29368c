"""Exact inference: marginals, conditionals, and the most probable explanation, by junction trees in the native core.

Variables that are neither asked for, nor observed, nor ancestors of such, sum out to 1 and are left out. Evidence
cuts the tables. The rest is eliminated in a good order, which makes a tree of cliques. The size of every clique is
known before the first is computed, so that a query that is too large is refused at once, and messages are scaled, so
that a long product of small probabilities does not underflow. `arcwise.model.inference_twin` says the same in numpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from arcwise.errors import OptionError
from arcwise.mentions import Argument, Either, Remedy
from arcwise.model.distribution import Distribution, Explanation, Marginals
from arcwise.model.network import BayesianNetwork
from arcwise.model.probability_tables import MAX_CELLS
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from arcwise._core.model import Account

__all__ = ["log_probability", "marginals", "most_probable", "query"]

# What the native core answers instead of a result; `arcwise::Refusal`.
IMPOSSIBLE, UNDEFINED, TOO_LARGE, INTERRUPTED = 1, 2, 3, 4

Native = TypeVar("Native")


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
    positions = asked_positions(network, variables)
    states = observed_states(network, evidence)
    for v in positions:
        if states[v] >= 0:
            raise OptionError(f"variable '{network.names[v]}' is both asked for and observed; ask for others.")
    account, table = run_native(
        lambda callback: network.native_inference.query(positions, states, max_cells, thread_count(threads), callback),
        "query",
        progress,
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
    account, flat = run_native(
        lambda callback: network.native_inference.marginals(states, max_cells, thread_count(threads), callback),
        "marginals",
        progress,
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
    account, found, log_joint = run_native(
        lambda callback: network.native_inference.most_probable(states, max_cells, thread_count(threads), callback),
        "most probable explanation",
        progress,
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
    account, _ = run_native(
        lambda callback: network.native_inference.query([], states, max_cells, thread_count(threads), callback),
        "query",
        progress,
    )
    if account[0] == IMPOSSIBLE:
        return -math.inf
    check_account(network, account, evidence, max_cells)
    return account[2]


# What this module shares with `arcwise.model.prediction`


def asked_positions(network: BayesianNetwork, variables: str | Sequence[str]) -> list[int]:
    """Return the positions of the variables of a query."""
    asked = [variables] if isinstance(variables, str) else list(variables)
    if not asked:
        raise OptionError("a query needs at least one variable; for the probability of evidence use log_probability.")
    positions = [network.index(name) for name in asked]
    if len(set(positions)) < len(positions):
        raise OptionError(f"the query names a variable twice: {', '.join(asked)}.")
    return positions


def observed_states(network: BayesianNetwork, evidence: Mapping[str, object] | None) -> list[int]:
    """Return one state per variable, -1 if it is not observed."""
    states = [-1] * network.n_variables
    for name, state in (evidence or {}).items():
        states[network.index(name)] = network.state_index(name, state)
    return states


def run_native(
    work: Callable[[Callable[[int, int, float, float], None]], Native],
    stage: str,
    progress: bool | ProgressCallback | None,
) -> Native:
    """Call the native core with a progress callback."""
    with show_progress(progress) as callback:
        return work(native_callback(callback, stage))


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
