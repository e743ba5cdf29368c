"""`ExpectedCounts`: how often each combination of states is to be expected in data with gaps, given a network."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Incomplete
from arcwise.deadline import Deadline
from arcwise.errors import OptionError, UnfinishedError
from arcwise.model.inference_twin import joint_twin
from arcwise.model.intervention import mutilated
from arcwise.model.network import BayesianNetwork
from arcwise.thread_count import thread_count

__all__ = ["ExpectedCounts", "Family", "expected_counts_twin"]

# A variable and its parents, ascending, by position.
Family = tuple[int, tuple[int, ...]]
# Sets of missing variables with at most this many configurations have one table.
TABLE_CELLS = 1024
# What the native core answers: `arcwise::ExpectationStatus`.
STOPPED, IMPOSSIBLE, TOO_LARGE = 1, 2, 3


class ExpectedCounts:
    """Expected counts of families, by exact inference in each row, and the log likelihood of what was observed.

    Given its observed cells, a row's missing variables fall apart into sets that are independent of each other. Their
    joint distributions are computed once, row by row, and serve every family; sets with more than 1,024
    configurations are eliminated once, which leaves a tree of conditional distributions: a family asks for those on the
    paths between its members.

    Parameters
    ----------
    network
        The network, over the variables of the data in their order.
    data
        The data. In rows in which a variable was set, it does not follow from its parents, and its family counts
        nothing.
    threads
        The number of threads (default: all cores). The result does not depend on it.
    deadline
        When to stop: `UnfinishedError` is raised then.
    """

    def __init__(
        self,
        network: BayesianNetwork,
        data: Incomplete,
        *,
        threads: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        from arcwise import _core

        self._data, self._network = data, network
        self._deadline = deadline or Deadline()
        codes = data.held.codes
        kinds = {1: _core.model.RowPosteriors8, 2: _core.model.RowPosteriors16, 4: _core.model.RowPosteriors32}
        self._native = kinds[codes.dtype.itemsize](
            codes,
            data.cell_flags,
            data.arities,
            data.held.native_weights,
            *network.native_arrays,
            _core.model.ExpectationLimits(table_cells=TABLE_CELLS, threads=thread_count(threads)),
        )
        self._check(self._native.prepare(self._deadline.seconds_left, None))

    @property
    def log_likelihood(self) -> float:
        """The log probability of the observed cells; of cells that were set, given that they were."""
        return self._native.log_likelihood

    def tables(self, families: Sequence[Family]) -> list[NDArray[np.float64]]:
        """Return the expected counts of families: one row per configuration of the parents, the first slowest."""
        offsets = np.concatenate([[0], np.cumsum([len(parents) for _, parents in families])]).astype(np.int64)
        status, flat = self._native.count(
            np.array([child for child, _ in families], dtype=np.int32),
            offsets,
            np.array([p for _, parents in families for p in parents], dtype=np.int32),
            self._deadline.seconds_left,
            None,
        )
        self._check(status)
        arities = self._data.arities.tolist()
        shapes = [(math.prod(arities[p] for p in parents), arities[child]) for child, parents in families]
        ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends), shapes, strict=True)]

    def _check(self, status: int) -> None:
        if status == STOPPED:
            if not self._deadline.is_over:
                raise KeyboardInterrupt
            raise UnfinishedError("the time was over before the expected counts were computed.")
        if status == IMPOSSIBLE:
            raise OptionError(f"row {self._native.refused_row + 1:,} is impossible under the network.")
        if status == TOO_LARGE:
            raise OptionError(
                "the gaps of some rows depend on each other in too many ways for exact inference. Networks "
                "with fewer parents need less."
            )


def expected_counts_twin(
    network: BayesianNetwork, data: Incomplete, families: Sequence[Family]
) -> tuple[list[NDArray[np.float64]], float]:
    """Return the same tables, and the log likelihood, by enumerating every completion of every row."""
    arities = data.arities.tolist()
    tables = [np.zeros((*(arities[p] for p in parents), arities[child])) for child, parents in families]
    total = 0.0
    targets = data.held.targets
    for row in range(data.n_rows):
        weight = 1.0 if data.held.weights is None else float(data.held.weights[row])
        chosen = () if targets is None else targets.sets[int(targets.of_row[row])]
        own = mutilated(network, dict.fromkeys(chosen)) if chosen else network
        known = {
            data.names[v]: data.states[v][int(data.held.codes[v, row])]
            for v in range(data.n_variables)
            if not data.missing[v, row]
        }
        gaps = np.flatnonzero(data.missing[:, row]).tolist()
        joint = joint_twin(own, [data.names[v] for v in gaps], known)
        set_to = math.prod(1 / arities[data.index(name)] for name in chosen)
        total += weight * math.log(float(np.sum(joint)) / set_to)
        shares = np.asarray(joint).reshape([arities[v] for v in gaps]) / np.sum(joint)
        for states in itertools.product(*(range(arities[v]) for v in gaps)):
            cells = {
                **{v: int(data.held.codes[v, row]) for v in range(data.n_variables)},
                **dict(zip(gaps, states, strict=True)),
            }
            for (child, parents), table in zip(families, tables, strict=True):
                if data.names[child] not in chosen:
                    table[tuple(cells[v] for v in (*parents, child))] += weight * float(shares[states])
    return [table.reshape(-1, arities[child]) for (child, _), table in zip(families, tables, strict=True)], total
