"""Forward sampling: rows drawn from a network.

The random numbers come from Philox4x64-10 (Salmon et al., SC 2011), a generator without state: the number for a row
and a variable is a function of the key, the row's position and the variable's position in the topological order. So the
rows of a seed are the same bits with any number of threads on any machine, and a shorter sample is the beginning
of a longer one.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, OptionError, check_argument
from arcwise.base.run import ProgressCallback, Run, Seed, Status
from arcwise.data.checks import Targets
from arcwise.data.dataset import Dataset
from arcwise.graph.dag import Dag
from arcwise.model.tables import ROW_TOLERANCE, Parts

if TYPE_CHECKING:
    from arcwise.model.network import BayesianNetwork


def sample(
    network: BayesianNetwork,
    rows: int,
    *,
    seed: Seed = None,
    do: Mapping[str, Setting] | None = None,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Dataset:
    """Draw rows from a network, each variable after its parents.

    Parameters
    ----------
    network
        The network; every row of its tables must be defined, every variable have at least two states.
    rows
        How many rows, at least 1.
    seed
        An integer, or a numpy generator from which the 128-bit key of the sample is drawn. With None the sample
        differs every time.
    do
        Variables that an experiment sets, and to what: a state, a distribution over the states, or None for every state
        equally often. The arcs into them do not count, and the sample says that they were set (`Dataset.targets`).
        With the same seed, what does not depend on them stays the same as without.
    threads, progress
        As in `arcwise.model.inference.query`.

    Returns
    -------
    Dataset
        With the network's names and states, in its order.
    """
    changed = network.do(do) if do else network
    rows = _checked_rows(changed, rows)
    key = _key(seed)
    # The number for a variable goes by its place in the order, which is that of the network as it was.
    arrays = (*changed.native_arrays[:-1], network.native_arrays[-1])
    codes = np.empty((network.n_variables, rows), dtype=Dataset.code_type(int(network.arities.max())))
    with Run.begin(None, progress, threads) as run:
        view = _core.model.NetworkView(*arrays)
        status = _core.model.sample_rows(view, key, codes, run.thread_count, run.native_report("sampling"))
    Status.from_native(status).unless_interrupted()
    targets = Targets((tuple(do),), np.zeros(rows, dtype=np.int32)) if do else None
    return Dataset(codes=codes, names=network.names, states=network.states, targets=targets)


def _key(seed: Seed) -> NDArray[np.uint64]:
    if not isinstance(seed, np.random.Generator) and seed is not None and seed < 0:
        raise OptionError(Argument("seed", seed), "must not be negative.")
    return np.random.default_rng(seed).integers(0, 2**64, size=2, dtype=np.uint64)


def _checked_rows(network: BayesianNetwork, rows: int) -> int:
    try:
        count = operator.index(rows)
    except TypeError:
        raise OptionError(Argument("rows", rows), "must be a whole number.") from None
    check_argument(count >= 1, "rows", count, "must be at least 1.")
    for v, table in enumerate(network.tables):
        if table.shape[1] < 2:
            raise OptionError(
                f"cannot sample: variable '{network.names[v]}' has one state, '{network.states[v][0]}', and data need "
                "two. Leave it out of the network."
            )
        undefined = np.flatnonzero(np.isnan(table[:, 0]))
        if undefined.size:
            raise OptionError(
                f"cannot sample: {undefined.size} of {len(table)} rows of the table of '{network.names[v]}' are "
                f"undefined, the first for {network.describe_row(v, int(undefined[0]))}. Fit the parameters with an "
                "estimator that defines them, such as 'laplace' or 'bd'."
            )
    return count


# Experiments on a network: the network in which some variables are set, whatever their parents are.
#
# Setting a variable removes the arcs into it and leaves every other table as it is (the truncated factorisation:
# Pearl, Causality, 2009, section 3.2). What remains is a network like any other: sampling and inference need to know
# nothing of experiments.


Setting = str | Mapping[str, float] | None
"""What a variable is set to: a state, a distribution over its states, or None for all states equally often."""


def mutilated(network: BayesianNetwork, do: Mapping[str, Setting]) -> Parts:
    """Return the parts of a network under an experiment: without the arcs into the variables that are set.

    Parameters
    ----------
    network
        The network.
    do
        The variables that are set, and to what: a state, a distribution over the states, or None for a randomised
        experiment, in which every state is set equally often.
    """
    tables = {network.index(name): _row(network, name, setting) for name, setting in do.items()}
    parents = [[] if v in tables else list(own) for v, own in enumerate(network.dag.parents)]
    values = np.concatenate([tables.get(v, table).ravel() for v, table in enumerate(network.tables)])
    return Parts(Dag(network.names, parents), network.states, values)


def _row(network: BayesianNetwork, name: str, setting: Setting) -> NDArray[np.float64]:
    states = network.states[network.index(name)]
    if setting is None:
        return np.full((1, len(states)), 1 / len(states))
    row = np.zeros((1, len(states)))
    if not isinstance(setting, Mapping):
        row[0, network.state_index(name, setting)] = 1.0
        return row
    for state, share in setting.items():
        row[0, network.state_index(name, state)] = share
    if not (row >= 0).all() or abs(float(row.sum()) - 1) > ROW_TOLERANCE:
        raise OptionError(
            Argument("do"), f"sets '{name}' with the probabilities {dict(setting)}; they must be >= 0 and sum to 1."
        )
    return np.asarray(row / row.sum())
