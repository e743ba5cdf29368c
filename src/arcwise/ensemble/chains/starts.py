"""Where chains begin: each at the end of its own search from a random order.

R-hat can only notice what the starts make visible: chains that begin in the same valley agree whether or not there is
another one. Each start is therefore the local optimum that a short search over orders (Teyssier & Koller 2005) comes to
from its own random order. The empty network and random ones would be farther apart, but they are hundreds of nats below
anything that matters, and a chain may find a poor local optimum on its way up and stay there for a long time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.errors import ConstraintError
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.candidate_sets import candidate_sets
from arcwise.seeds import native_seed

__all__ = ["starting_networks"]

ITERATIONS = 300


def starting_networks(
    table: ParentSetTable, chains: int, seed: int, deadline: Deadline | None = None
) -> NDArray[np.uint32]:
    """Return, for every chain and node, the row of the node that the chain begins with, counted within the node."""
    deadline = deadline or Deadline()
    from arcwise import _core

    sets = candidate_sets(table)
    search = _core.local.OrderSearch(sets, native_seed(seed, purpose=1))
    random = np.random.default_rng([seed, 1])
    known = _core.exact.feasible_order(sets)
    if known.size < table.n_variables:
        raise ConstraintError("the parent sets of the table, or the constraints, leave no network without a cycle.")
    found = []
    for _ in range(chains):
        order = random.permutation(table.n_variables).astype(np.int32)
        left = deadline.seconds_left
        (_, rows, _, missing), reason = search.iterate(order, ITERATIONS, ITERATIONS + 1, left, None)
        if missing:  # required arcs that the order turns round, or no time
            rows = search.evaluate(known)[1]
        if Status.from_native(reason) is Status.INTERRUPTED:
            raise KeyboardInterrupt
        found.append(sets.origins[rows] - table.node_offsets[:-1])
    return np.asarray(found, dtype=np.uint32).reshape(chains, table.n_variables)
