"""Networks for chains to jump to: independent draws from a credible set.

A chain that is at a network of the set may go to any other one of the set, drawn by weight: the ratio of the weights
and that of the proposals cancel, and the jump is always accepted. From outside the set, the way back would be
impossible, and nothing happens. Where the set holds some of the posterior, that carries chains across valleys which no
walk crosses; where it holds none, it costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.sampling import draw_networks
from arcwise.errors import OptionError, UnfinishedError
from arcwise.limits import Status
from arcwise.mentions import Argument, Remedy

if TYPE_CHECKING:
    from arcwise.ensemble.credible_set import CredibleSet
    from arcwise.parent_sets import ParentSetTable

__all__ = ["BLOCK", "Jumps"]

BLOCK = 1024  # draws that are made at once, for each chain


class Jumps:
    """Draws from a credible set as rows of another table; draw number i of a chain does not depend on earlier calls.

    Parameters
    ----------
    credible
        A complete credible set of the same data, score and constraints.
    table
        The table that chains walk on, with at least the set's slack.
    """

    def __init__(self, credible: CredibleSet, table: ParentSetTable, chains: int, seed: int) -> None:
        self._diagram = credible.diagram("dag")
        if credible.names != table.names:
            raise OptionError("the credible set and the chains are about different variables.")
        self.least = credible.opt - credible.slack - credible.tolerance
        self._chains, self._seed = chains, seed
        self._block = -1
        self._rows: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        families = self._diagram.families
        tuples, offsets = families.parent_tuples, families.node_offsets.tolist()
        finder = _RowFinder(table)
        self._maps = [finder.rows(v, tuples[offsets[v] : offsets[v + 1]]) for v in range(table.n_variables)]

    def at(self, draw: int, count: int) -> NDArray[np.uint32]:
        """Return the targets of the draws from number `draw` on, chain by chain."""
        parts = []
        while count:
            offset = draw % BLOCK
            own = min(count, BLOCK - offset)
            parts.append(self._rows_of(draw // BLOCK)[:, offset : offset + own])
            draw, count = draw + own, count - own
        return np.concatenate(parts, axis=1).reshape(-1)

    def _rows_of(self, block: int) -> NDArray[np.uint32]:
        """Return the targets of a block, at [chain, draw, node]; the last one is kept."""
        if block != self._block:
            seed = int(np.random.SeedSequence([self._seed, 2, block]).generate_state(1, np.uint64)[0])
            found, _ = draw_networks(
                self._diagram,
                self._chains * BLOCK,
                by_score=True,
                seed=seed,
                deadline=Deadline(),
                callback=lambda event: None,
            )
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if found.status is not Status.COMPLETE:
                raise UnfinishedError(
                    f"the networks that {self._chains:,} chains jump to do not fit into memory.",
                    remedies=Remedy("let chains be fewer:", Argument("chains")),
                )
            rows = np.stack([own[found.choices[:, v]] for v, own in enumerate(self._maps)], axis=1)
            self._block, self._rows = block, rows.reshape(self._chains, BLOCK, -1)
        return self._rows


class _RowFinder:
    """Finds the rows of given parent sets in a table of millions: by the sum of a random number per member."""

    def __init__(self, table: ParentSetTable) -> None:
        self._table = table
        self._members = np.random.default_rng(0).integers(0, 2**64, table.n_variables, dtype=np.uint64)
        sums = np.concatenate(([np.uint64(0)], np.cumsum(self._members[table.members], dtype=np.uint64)))
        self._keys = sums[table.set_offsets[1:]] - sums[table.set_offsets[:-1]]  # modulo 2^64

    def rows(self, node: int, sets: Sequence[tuple[int, ...]]) -> NDArray[np.uint32]:
        """Return the rows of a node with these parents, counted within the node."""
        own = self._table.rows_of(node)
        keys = self._keys[own.start : own.stop]
        order = np.argsort(keys, kind="stable")
        wanted = np.array([self._members[list(parents)].sum(dtype=np.uint64) for parents in sets], dtype=np.uint64)
        places = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        found = order[places]
        for row, parents in zip(found.tolist(), sets, strict=True):
            if self._table.parents_of(own.start + row) != parents:
                raise OptionError(
                    "the credible set has parent sets that the chains' table lacks; build both from the same data and "
                    "score, the table with at least the slack of the set."
                )
        return np.asarray(found, dtype=np.uint32)
