"""`uniform_dag`: a DAG drawn so that every DAG over the nodes has the same probability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from arcwise.graph.big_integers import pick_by_weight
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import node_names

__all__ = ["count_dags", "uniform_dag"]

# From here on, the share of the DAGs that have k nodes without parents no longer depends on the number of nodes.
EXACT_NODES = 100


def uniform_dag(nodes: int | Sequence[str], rng: np.random.Generator) -> Dag:
    """Return a DAG over the given nodes (names, or how many), each with the same probability.

    Kuipers and Moffa, "Uniform random generation of large acyclic digraphs" (Statistics and Computing 2015): draw the
    sizes of the layers of Robinson's decomposition (the nodes without parents, then those without parents once these
    are removed, ...) from exact integer counts, then the arcs, then which node has which place. A node has at least
    one parent in the layer before its own and any earlier ones.

    Up to 100 nodes the distribution is exactly uniform. For more, the next layer is drawn with the counts for 100 nodes
    as long as more are left: the share of DAGs with k nodes without parents has converged, to a distance below 2^-170.
    """
    names = node_names(nodes)
    sizes = _layer_sizes(len(names), rng)
    place = rng.permutation(len(names))
    parents: list[list[int]] = [[] for _ in names]
    start = 0
    for number, size in enumerate(sizes):
        for v in place[start : start + size]:
            if number:
                last = sizes[number - 1]
                near = _nonempty_subset(last, rng)
                far = rng.integers(2, size=start - last, dtype=np.uint8)
                parents[v] = place[:start][np.concatenate([far, near]).astype(bool)].tolist()
        start += size
    return Dag(names, parents)


def count_dags(n_nodes: int) -> int:
    """Return the number of DAGs over labelled nodes: 1, 1, 3, 25, 543, 29281, ... (OEIS A003024).

    Robinson (1973): inclusion and exclusion over the nodes without parents.
    """
    counts = [1]
    for n in range(1, n_nodes + 1):
        terms = ((-1) ** (k - 1) * math.comb(n, k) * (counts[n - k] << k * (n - k)) for k in range(1, n + 1))
        counts.append(sum(terms))
    return counts[-1]


@lru_cache(maxsize=256)
def _sources(n: int) -> tuple[int, ...]:
    """Return a(n, k), the number of DAGs over n nodes of which exactly k have no parents, for k = 1 .. n."""
    return (*(math.comb(n, k) * sum(_next_layer(n - k, k)) for k in range(1, n)), 1)


def _next_layer(rest: int, k: int) -> tuple[int, ...]:
    """Count the DAGs over k nodes without parents and `rest` others, s of which come next, for s = 1 .. rest.

    Each of the s has a non-empty set of the k as parents, and each of the others any set of them (times what
    these `rest` nodes do among themselves).
    """
    return tuple((2**k - 1) ** s * (a << k * (rest - s)) for s, a in enumerate(_sources(rest), start=1))


def _layer_sizes(n: int, rng: np.random.Generator) -> list[int]:
    if n == 0:
        return []
    sizes = [1 + pick_by_weight(_table(n), rng)]
    left = n - sizes[0]
    while left:
        sizes.append(1 + pick_by_weight(_next_layer(min(left, EXACT_NODES), sizes[-1]), rng))
        left -= sizes[-1]
    return sizes


def _table(n: int) -> tuple[int, ...]:
    for smaller in range(1, min(n, EXACT_NODES)):  # bottom up: no deep recursion
        _sources(smaller)
    return _sources(min(n, EXACT_NODES))


def _nonempty_subset(size: int, rng: np.random.Generator) -> np.ndarray:
    while True:
        chosen = rng.integers(2, size=size, dtype=np.uint8)
        if chosen.any():
            return chosen
