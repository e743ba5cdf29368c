"""`Information`: cuts from what the data have to tell (cpp/core/exact/information.hpp says why they hold).

The distribution behind them is a network: that of an incumbent, with the frequencies of the data. Its joint
distributions over the families of a table come from exact inference. A table that was read from a file has no data, and
its search does without.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.data.dataset import Dataset
from arcwise.exact.incumbent import Budget

if TYPE_CHECKING:
    from arcwise._core.exact import CutPool
    from arcwise._core.parent_sets import CandidateSets


# Fewer parent sets than this, or fewer cases, take less time without.
FEWEST_ROWS = 1000
FEWEST_CASES = 2500
# Of all families together, and of one; what is larger is left to the other cuts.
MOST_CELLS = 50_000_000
LARGEST_FAMILY = 12
# Each family's cells are summed for each of its subsets: so many additions take seconds.
MOST_SUMS = 2_000_000_000
# Cells that are in memory at a time, about.
BLOCK_CELLS = 4_000_000
# Of the cliques of the network that is asked: its limits for a row of data with gaps.
TABLE_CELLS = 1024
# A cut is added if it is violated by this much of a score, and so many at a time.
LEAST_VIOLATION = 0.3
# Entropies are sums of up to a million products, right to about this: cuts are that much weaker, so that none of them
# cuts off what it should not.
ROUNDING = 1e-11
NEW_CUTS = 12


def bits_of(words: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Return sets, given as rows of words, as rows of truth values."""
    flat = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), -1)
    return np.unpackbits(flat, axis=1, bitorder="little")[:, :count].astype(bool)


class Information:
    """The entropies of the families of a component under one network; makes and finds cuts."""

    def __init__(self, network: _core.model.RowPosteriors8, arities: NDArray[np.int32], cases: float) -> None:
        self._network = network
        self._arities = arities
        self._native = _core.exact.Information(arities)
        self._threshold = LEAST_VIOLATION / max(cases, 1.0)

    @classmethod
    def under(
        cls, sets: CandidateSets, rows: NDArray[np.int64], data: Dataset | None, budget: Budget
    ) -> Information | None:
        """Return the information under the network that these rows are; None if it is not worth it, or too much.

        `data` has the variables of the table in its order.
        """
        if data is None or sets.rows < FEWEST_ROWS or data.n_cases < FEWEST_CASES or rows.size != sets.variables:
            return None
        arities = np.ascontiguousarray(data.arities[sets.node_origins], dtype=np.int32)
        inside = bits_of(sets.sets, sets.variables)
        families = inside.copy()
        families[np.arange(sets.rows), np.repeat(np.arange(sets.variables), np.diff(sets.offsets))] = True
        families = np.unique(families, axis=0)
        cells = np.exp2(families @ np.log2(arities))
        sizes = families.sum(axis=1)
        if sizes.max() > LARGEST_FAMILY or cells.sum() > MOST_CELLS or (cells * np.exp2(sizes)).sum() > MOST_SUMS:
            return None
        network = _posteriors(inside[rows], arities, data, sets.node_origins)
        if network.prepare(budget.run.seconds_left, None):
            return None
        information = cls(network, arities, data.n_cases)
        if not information._learn(families, budget):
            return None
        information._native.set_model(np.ascontiguousarray(sets.sets[rows]))
        return information

    def _learn(self, families: NDArray[np.bool_], budget: Budget) -> bool:
        """Compute the entropies of all sets within these families; False if the time is over."""
        cells = np.exp2(families @ np.log2(self._arities))
        blocks = np.cumsum(cells) // BLOCK_CELLS
        for block in np.unique(blocks):
            chosen = families[blocks == block]
            owner, inside = np.nonzero(chosen)
            offsets = np.searchsorted(owner, np.arange(len(chosen) + 1)).astype(np.int64)
            members = inside.astype(np.int32)
            last = offsets[1:] - 1
            others = np.delete(members, last)
            others_from = offsets - np.arange(len(chosen) + 1)
            status, tables = self._network.count(members[last], others_from, others, budget.run.seconds_left, None)
            if status:
                return False
            self._native.learn(offsets, members, tables)
        return True

    def add_first(self, pool: CutPool, sets: CandidateSets) -> None:
        """Add the cut over all nodes to a pool."""
        every = np.packbits(np.arange(64 * sets.words) < sets.variables, bitorder="little").view(np.uint64)
        self._add(pool, sets, every, self._native.total)

    def add_violated(
        self, pool: CutPool, sets: CandidateSets, rows: NDArray[np.int64], values: NDArray[np.float64], budget: Budget
    ) -> int:
        """Add cuts that a point violates to a pool; return how many."""
        members, sides = self._native.separate(sets, rows, values, NEW_CUTS, self._threshold)
        for inside, side in zip(members, sides.tolist(), strict=True):
            self._add(pool, sets, np.ascontiguousarray(inside), side)
        wanted = self._native.take_wanted()
        if len(wanted):
            self._learn(bits_of(wanted, sets.variables), budget)
        return len(members)

    def _add(self, pool: CutPool, sets: CandidateSets, members: NDArray[np.uint64], side: float) -> None:
        pool.extend_weighted(members, sets, self._native.coefficients(sets, members), side + ROUNDING)


def _posteriors(
    model: NDArray[np.bool_], arities: NDArray[np.int32], data: Dataset, columns: NDArray[np.int64]
) -> _core.model.RowPosteriors8:
    """Return the network, with the frequencies of the data, as what a row knows of which nothing is observed."""
    n = len(arities)
    weights = data.native_weights
    parents = [np.flatnonzero(row) for row in model]
    tables = []
    for v in range(n):
        place = np.zeros(data.n_rows, dtype=np.int64)
        for u in (*parents[v], v):
            place = place * int(arities[u]) + data.codes[columns[u]]
        cells = int(np.prod(arities[parents[v]], dtype=np.int64)) * int(arities[v])
        counts = np.bincount(place, weights=weights if weights.size else None, minlength=cells)
        counts = counts.reshape(-1, int(arities[v])).astype(float)
        totals = counts.sum(axis=1, keepdims=True)
        tables.append(np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / arities[v]).ravel())
    sizes = [table.size for table in tables]
    return _core.model.RowPosteriors32(
        np.zeros((n, 1), dtype=np.uint32),
        np.ones((n, 1), dtype=np.uint8),
        arities,
        np.empty(0, dtype=np.int64),
        arities,
        np.concatenate([[0], np.cumsum(model.sum(axis=1))]).astype(np.int64),
        np.concatenate(parents).astype(np.int32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate(tables),
        _topological(model),
        _core.model.ExpectationLimits(table_cells=TABLE_CELLS, threads=1),
    )


def _topological(parents: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return an order in which parents come first."""
    placed = np.zeros(len(parents), dtype=bool)
    order: list[int] = []
    while len(order) < len(parents):
        ready = np.flatnonzero(~placed & ~(parents & ~placed).any(axis=1))
        order += ready.tolist()
        placed[ready] = True
    return np.array(order, dtype=np.int32)
