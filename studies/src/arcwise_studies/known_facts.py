"""What an analyst may know of a world before looking at a sample of it: true statements, drawn at random.

tiers   two to four groups in an order of time, which no arc of the world contradicts
arcs    a tenth to a third of the arcs, and as many pairs without one, or ways that arcs do not have
"""

from __future__ import annotations

import numpy as np

from arcwise.graph import Constraints, Dag

__all__ = ["known_facts"]

LEAST, MOST = 0.1, 1 / 3  # of the arcs


def known_facts(kind: str, dag: Dag, rng: np.random.Generator) -> Constraints:
    """Return true statements of a kind about the arcs of a world."""
    names = list(dag.names)
    if kind == "tiers":
        order = [names[v] for v in _random_order(dag, rng)]
        ends = np.sort(
            rng.choice(np.arange(1, len(names)), size=min(int(rng.integers(1, 4)), len(names) - 1), replace=False)
        )
        return Constraints(names, tiers=[part.tolist() for part in np.split(np.array(order, dtype=object), ends)])
    arcs = [(int(parent), child) for child in range(len(names)) for parent in dag.parents[child]]
    share = rng.uniform(LEAST, MOST)
    required = [arcs[k] for k in rng.permutation(len(arcs))[: round(share * len(arcs))]]
    possible = [(a, b) for a in range(len(names)) for b in range(len(names)) if a != b and (a, b) not in set(arcs)]
    forbidden = [possible[k] for k in rng.permutation(len(possible))[: max(1, round(2 * share * len(arcs)))]]
    return Constraints(
        names,
        required=[(names[a], names[b]) for a, b in required],
        forbidden=[(names[a], names[b]) for a, b in forbidden],
    )


def _random_order(dag: Dag, rng: np.random.Generator) -> list[int]:
    """Return an order of the variables in which parents come first."""
    left = {v: set(dag.parents[v]) for v in range(len(dag.names))}
    order: list[int] = []
    while left:
        ready = [v for v, parents in left.items() if not parents]
        chosen = ready[int(rng.integers(len(ready)))]
        order.append(chosen)
        del left[chosen]
        for parents in left.values():
            parents.discard(chosen)
    return order
