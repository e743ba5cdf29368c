"""Which variables draw their parents together: those that are likely to be neighbours.

A block is drawn without looking at the network, so that nothing needs to be corrected for it: the first variable by
weight, each other one as a partner of one that is there already. Partners are drawn by how probable an arc between the
two is when every variable chooses its parents for itself; a tenth of the draws is spread over all pairs that the table
joins, so that nothing depends on that guess but time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.parent_sets import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.ensemble import ChainOptions

__all__ = ["BlockWeights", "block_weights"]

SPREAD = 0.1  # the share of partners that are drawn from all that the table joins


@dataclass(frozen=True, eq=False)
class BlockWeights:
    """How blocks are drawn.

    Parameters
    ----------
    firsts
        Per variable, the sum of the weights of the variables up to it.
    offsets, partners, sums
        The partners of each variable, and the sums of their weights up to each.
    """

    firsts: NDArray[np.float64]
    offsets: NDArray[np.int64]
    partners: NDArray[np.int32]
    sums: NDArray[np.float64]

    def native_options(self, **others: Any) -> ChainOptions:
        """Return these weights and other options of chains for the native core."""
        from arcwise import _core

        return _core.ensemble.ChainOptions(
            firsts=self.firsts,
            partner_offsets=self.offsets,
            partners=self.partners,
            partner_sums=self.sums,
            **others,
        )


def block_weights(table: ParentSetTable) -> BlockWeights:
    """Return how the variables of a table are drawn for blocks."""
    n = table.n_variables
    nodes = np.repeat(np.arange(n), np.diff(table.node_offsets))
    best = table.scores[table.node_offsets[:-1]]
    weights = np.exp(table.scores - best[nodes])
    shares = weights / np.bincount(nodes, weights, minlength=n)[nodes]
    rows = np.repeat(np.arange(table.n_rows), np.diff(table.set_offsets))
    joined = np.zeros((n, n))
    np.add.at(joined, (nodes[rows], table.members), shares[rows])
    known = np.zeros((n, n), dtype=bool)
    known[nodes[rows], table.members] = True
    known |= known.T
    joined += joined.T
    offsets, partners, sums = [0], [], []
    for v in range(n):
        own = np.flatnonzero(known[v])
        own_weights = joined[v, own]
        total = own_weights.sum()
        spread = own_weights / total * (1 - SPREAD) + SPREAD / max(1, len(own)) if total > 0 else np.ones(len(own))
        partners.append(own)
        sums.append(np.cumsum(spread))
        offsets.append(offsets[-1] + len(own))
    return BlockWeights(
        np.cumsum(np.ones(n)),
        np.array(offsets, dtype=np.int64),
        np.concatenate(partners).astype(np.int32),
        np.concatenate(sums).astype(np.float64),
    )
