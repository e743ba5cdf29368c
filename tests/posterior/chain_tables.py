"""Tables for tests of chains: random ones, and one with two modes that no move joins."""

from __future__ import annotations

import math

import numpy as np
from tests.oracles import all_dags

from arcwise.parent_sets import ParentSetTable

VALLEY = 30.0
SHARE = 0.7


def random_table(n: int, seed: int, scale: float = 1.5, gaps: float = 0.0) -> ParentSetTable:
    """Random scores for all parent sets; some are left out, but never the empty one."""
    rng = np.random.default_rng(seed)
    entries = [
        [
            (float(scale * rng.normal()), all_dags.members(m))
            for m in range(1 << n)
            if not m >> v & 1 and (m == 0 or rng.random() >= gaps)
        ]
        for v in range(n)
    ]
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)


def two_modes(n: int = 6) -> ParentSetTable:
    """A path of arcs that all point one way (70 % of the posterior) or all the other way (30 %).

    A variable without parents costs 30 nats, and one within the path twice as much, so that any other DAG lies at least
    30 nats lower: to turn the path, a chain would have to change the parents of all variables at once.
    """
    entries: list[list[tuple[float, tuple[int, ...]]]] = []
    for v in range(n):
        end = {0: -VALLEY, n - 1: -VALLEY + math.log((1 - SHARE) / SHARE)}.get(v, -2 * VALLEY)
        entries.append([(end, ()), *((0.0, (p,)) for p in (v - 1, v + 1) if 0 <= p < n)])
    return ParentSetTable.from_lists([f"v{v}" for v in range(n)], entries, slack=math.inf)
