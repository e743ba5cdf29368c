"""Where chains begin: the best network that is found quickly, local optima of other orders, the empty network.

R-hat can only notice what the starts make visible: chains that begin in the same valley agree whether or not there is
another one. Each start is therefore the end of its own short search from a random order (Teyssier & Koller 2005), and
one chain begins without any arc that is not required. Random networks would be farther apart, but hundreds of nats
below anything that matters, and chains would spend their time on the way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import ConstraintError
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.candidate_sets import candidate_sets
from arcwise.seeds import native_seed

__all__ = ["starting_networks"]

LONG_SEARCH = 300
SHORT_SEARCH = 10
EMPTY_CHAIN = 2


def starting_networks(
    table: ParentSetTable, chains: int, seed: int, pulse: Callable[..., None] | None = None
) -> NDArray[np.uint32]:
    """Return, for every chain and node, the row of the node that the chain begins with, counted within the node."""
    from arcwise import _core

    sets = candidate_sets(table)
    search = _core.local.OrderSearch(sets, native_seed(seed, purpose=1))
    random = np.random.default_rng([seed, 1])
    known = _core.exact.feasible_order(sets)
    if known.size < table.n_variables:
        raise ConstraintError("the parent sets of the table, or the constraints, leave no network without a cycle.")
    found = []
    for chain in range(chains):
        order = random.permutation(table.n_variables).astype(np.int32)
        iterations = SHORT_SEARCH if chain else LONG_SEARCH
        (_, rows, _, missing), _ = search.iterate(order, iterations, iterations + 1, math.inf, pulse)
        if missing:  # required arcs that the order turns round
            (_, rows, _, _), _ = search.iterate(known, iterations, iterations + 1, math.inf, pulse)
        found.append(sets.origins[rows] - table.node_offsets[:-1])
    if chains > EMPTY_CHAIN:
        sizes = np.diff(table.set_offsets)
        starts = table.node_offsets.tolist()
        least = [int(np.argmin(sizes[a:b])) for a, b in itertools.pairwise(starts)]
        if all(sizes[a + row] == 0 for a, row in zip(starts[:-1], least, strict=True)):
            found[EMPTY_CHAIN] = np.array(least)
    return np.asarray(found, dtype=np.uint32).reshape(chains, table.n_variables)
