"""Forward sampling: rows drawn from a network.

The random numbers come from Philox4x64-10 (Salmon et al., SC 2011), a generator without state: the number for a row
and a variable is a function of the key, the row's position and the variable's position in the topological order. So the
rows of a seed are the same bits with any number of threads on any machine, and a shorter sample is the beginning
of a longer one.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, Targets
from arcwise.errors import OptionError
from arcwise.limits import Status
from arcwise.mentions import Argument
from arcwise.model.intervention import Setting, mutilated
from arcwise.model.network import BayesianNetwork
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.seeds import Seed
from arcwise.thread_count import thread_count

__all__ = ["sample", "sample_twin"]


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
    threads
        The number of threads (default: all cores). The result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.

    Returns
    -------
    Dataset
        With the network's names and states, in its order.
    """
    from arcwise import _core

    changed = mutilated(network, do) if do else network
    rows = _checked_rows(changed, rows)
    key = _key(seed)
    # The number for a variable goes by its place in the order, which is that of the network as it was.
    arrays = (*changed.native_arrays[:-1], network.native_arrays[-1])
    codes = np.empty((network.n_variables, rows), dtype=Dataset.code_type(int(network.arities.max())))
    with show_progress(progress) as callback:
        status = _core.model.sample_rows(
            _core.model.NetworkView(*arrays),
            key,
            codes,
            thread_count(threads),
            native_callback(callback, "sampling"),
        )
    if Status.from_native(status) is Status.INTERRUPTED:
        raise KeyboardInterrupt
    targets = Targets((tuple(do),), np.zeros(rows, dtype=np.int32)) if do else None
    return Dataset(codes=codes, names=network.names, states=network.states, targets=targets)


def sample_twin(network: BayesianNetwork, rows: int, *, seed: int, do: Mapping[str, Setting] | None = None) -> Dataset:
    """Return the same as `sample`, in Python, with numpy's Philox: what the native kernel is compared with."""
    key = _key(seed)
    changed = mutilated(network, do or {})
    table = np.empty((rows, network.n_variables), dtype=np.int64)
    for row in range(rows):
        for position, v in enumerate(network.dag.topological_order):
            # numpy steps the counter before it draws, hence the - 1.
            counter = (row + (position // 4 << 64) - 1) % 2**256
            words = np.random.Philox(counter=counter, key=key).random_raw(4)
            number = (int(words[position % 4]) >> 11) / 2**53
            cell = tuple(int(table[row, p]) for p in changed.dag.parents[v])
            cumulative = np.cumsum(changed.table(network.names[v])[cell])
            cumulative /= cumulative[-1]
            table[row, v] = np.flatnonzero(number < cumulative)[0]
    drawn = Dataset.from_codes(table, names=network.names, states=network.states)
    return drawn.with_targets([tuple(do)] * rows) if do else drawn


def _key(seed: Seed) -> NDArray[np.uint64]:
    if not isinstance(seed, np.random.Generator) and seed is not None and seed < 0:
        raise OptionError(Argument("seed", seed), "must not be negative.")
    return np.random.default_rng(seed).integers(0, 2**64, size=2, dtype=np.uint64)


def _checked_rows(network: BayesianNetwork, rows: int) -> int:
    try:
        count = operator.index(rows)
    except TypeError:
        raise OptionError(Argument("rows", rows), "must be a whole number.") from None
    if count < 1:
        raise OptionError(Argument("rows", count), "must be at least 1.")
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
