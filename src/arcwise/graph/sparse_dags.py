"""`sparse_dag`: a DAG with a given mean number of parents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.errors import OptionError
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import node_names
from arcwise.mentions import Argument

__all__ = ["sparse_dag"]


def sparse_dag(nodes: int | Sequence[str], rng: np.random.Generator, *, mean_parents: float = 2.0) -> Dag:
    """Return a DAG in which each pair of nodes is joined with the same probability, along a random order.

    Parameters
    ----------
    nodes
        Names, or how many.
    rng
        The source of randomness.
    mean_parents
        The expected number of arcs, divided by the number of nodes; at most (nodes - 1) / 2.
    """
    names = node_names(nodes)
    n = len(names)
    if not 0 <= mean_parents <= max(0, n - 1) / 2:
        raise OptionError(
            Argument("mean_parents", mean_parents), f"must lie between 0 and (nodes - 1) / 2 = {(n - 1) / 2}."
        )
    probability = 2 * mean_parents / (n - 1) if n > 1 else 0.0
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in names]
    for place in range(1, n):
        chosen = rng.choice(place, size=rng.binomial(place, probability), replace=False)
        parents[order[place]] = order[chosen].tolist()
    return Dag(names, parents)
