"""Gaps drawn from a network, given the observed cells of their rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset, Incomplete, Targets
from arcwise.errors import DataError, OptionError
from arcwise.model.inference import IMPOSSIBLE, INTERRUPTED, TOO_LARGE, UNDEFINED, check_account, run_native
from arcwise.model.inference_twin import joint_twin
from arcwise.model.intervention import mutilated
from arcwise.model.network import BayesianNetwork
from arcwise.model.probability_tables import MAX_CELLS
from arcwise.progress import ProgressCallback
from arcwise.seeds import Seed, generator_of
from arcwise.thread_count import thread_count

__all__ = ["draw_missing", "draw_missing_twin"]


def draw_missing(
    network: BayesianNetwork,
    data: Incomplete,
    *,
    seed: Seed = None,
    max_cells: int = MAX_CELLS,
    threads: int | None = None,
    progress: bool | ProgressCallback | None = None,
) -> Dataset:
    """Draw the gaps of every row from their joint distribution given the row's other cells.

    The draws are independent and exact: from a junction tree of the variables that are missing together and not
    separated by what is observed, one for each such set of variables, whatever the number of rows.

    Parameters
    ----------
    network
        The network, over the variables of the data in their order, with all tables defined where they are needed.
    data
        The data. A row with a weight is one row: `Incomplete.expand` first, if its cases are to differ.
        In rows in which variables were set, their values say nothing about their parents.
    seed
        Fixes the draws; row i (of its experiment) depends on the seed, on i and on its own cells alone.
    max_cells
        The most cells that a clique, and that all messages of a junction tree, may have.
    threads
        The number of threads (default: all cores). The result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.
    """
    if network.names != data.names or network.states != data.states:
        raise DataError("the network and the data must have the same variables and states, in the same order.")
    targets = data.held.targets
    if targets is not None and not targets.is_empty:
        return _experiment_by_experiment(network, data, targets, generator_of(seed), max_cells, threads)
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    missing = data.missing.view(np.uint8)
    key = generator_of(seed).integers(0, 2**64, size=2, dtype=np.uint64)
    account, row = run_native(
        lambda callback: network.native_inference.fill_rows(
            codes, missing, key, max_cells, thread_count(threads), callback
        ),
        "completing",
        progress,
    )
    refusal = account[0]
    if refusal in (IMPOSSIBLE, UNDEFINED, INTERRUPTED):
        check_account(network, account, _evidence(data, row) if refusal == IMPOSSIBLE else None, max_cells)
    if refusal == TOO_LARGE:
        raise OptionError(
            f"the gaps of some rows depend on each other in too many ways: {account[4]:,.0f} cells in the "
            f"largest clique of a junction tree, at most {max_cells:,} are allowed. Networks with fewer parents need "
            "fewer."
        )
    return data.completed(codes)


def _experiment_by_experiment(
    network: BayesianNetwork,
    data: Incomplete,
    targets: Targets,
    rng: np.random.Generator,
    max_cells: int,
    threads: int | None,
) -> Dataset:
    """Draw the cells of each experiment's rows from the network without the arcs into what it set."""
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    for number, names in enumerate(targets.sets):
        rows = np.flatnonzero(targets.of_row == number)
        own = Incomplete.trusted(data.held._unchecked(codes[:, rows], None, None), data.missing[:, rows])
        drawn = draw_missing(
            mutilated(network, dict.fromkeys(names)),
            own,
            seed=rng,
            max_cells=max_cells,
            threads=threads,
            progress=False,
        )
        codes[:, rows] = drawn.codes
    return data.completed(codes)


def _evidence(data: Incomplete, row: int) -> Mapping[str, object]:
    return {
        name: data.states[v][int(data.held.codes[v, row])]
        for v, name in enumerate(data.names)
        if not data.missing[v, row]
    }


def draw_missing_twin(network: BayesianNetwork, data: Incomplete, *, seed: Seed = None) -> Dataset:
    """Draw from the same distributions in plain numpy: what the native core is compared with.

    Variable by variable, each given the observed and the drawn ones. Where the missing variables of a row are all
    separated from each other, the draws are the native ones; else they are others of the same distribution.
    """
    key = generator_of(seed).integers(0, 2**64, size=2, dtype=np.uint64)
    codes: NDArray[Any] = np.array(data.held.codes, order="C")
    for row in range(data.n_rows):
        known = dict(_evidence(data, row))
        for v in np.flatnonzero(data.missing[:, row]).tolist():
            name = data.names[v]
            cumulative = np.cumsum(joint_twin(network, [name], known))
            counter = (row + (v << 64) - 1) % 2**256  # numpy steps the counter before it draws
            words = np.random.Philox(counter=counter, key=key).random_raw(4)
            number = (int(words[0]) >> 11) / 2**53
            codes[v, row] = np.flatnonzero(number * cumulative[-1] < cumulative)[0]
            known[name] = data.states[v][int(codes[v, row])]
    return data.completed(codes)
