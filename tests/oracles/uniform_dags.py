"""DAGs drawn uniformly among all on n labelled nodes, and binary data drawn from them with a BDeu prior.

Counting by the nodes without parents (Robinson 1973) and drawing by the same recursion (Kuipers & Moffa 2015,
Statistics and Computing 25, section 4): no chain is involved.
"""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np


@cache
def _count(n: int, outpoints: int) -> int:
    """Return the number of DAGs on n nodes of which exactly so many have no incoming arc."""
    if n == outpoints:
        return 1
    rest = n - outpoints
    return comb(n, outpoints) * sum(
        (2**outpoints - 1) ** k * 2 ** (outpoints * (rest - k)) * _count(rest, k) for k in range(1, rest + 1)
    )


def _choose(weights: list[int], rng: np.random.Generator) -> int:
    total = sum(weights)
    left = int.from_bytes(rng.bytes(40), "big") % total  # the remainder's bias is beyond notice
    for place, weight in enumerate(weights):
        if left < weight:
            return place
        left -= weight
    raise AssertionError


def uniform_dag(n: int, rng: np.random.Generator) -> list[list[int]]:
    """Return the parents of every node of a DAG, all DAGs being equally probable."""
    sizes = [1 + _choose([_count(n, k) for k in range(1, n + 1)], rng)]
    left = n - sizes[0]
    while left:
        before = sizes[-1]
        weights = [(2**before - 1) ** k * 2 ** (before * (left - k)) * _count(left, k) for k in range(1, left + 1)]
        sizes.append(1 + _choose(weights, rng))
        left -= sizes[-1]
    nodes = rng.permutation(n).tolist()
    layers, parents = [], [[] for _ in range(n)]
    for size in sizes:
        layer, nodes = nodes[:size], nodes[size:]
        earlier = [v for other in layers[:-1] for v in other]
        for v in layer:
            if layers:  # at least one parent in the layer before
                drawn = 0
                while drawn == 0:
                    drawn = int(rng.integers(0, 2 ** len(layers[-1])))
                parents[v] = [u for i, u in enumerate(layers[-1]) if drawn >> i & 1]
            parents[v] += [u for u in earlier if rng.random() < 0.5]
        layers.append(layer)
    return parents


def binary_cases(parents: list[list[int]], cases: int, ess: float, rng: np.random.Generator) -> np.ndarray:
    """Return cases of binary variables whose probabilities are drawn from the BDeu prior."""
    n = len(parents)
    codes = np.zeros((cases, n), dtype=np.int64)
    done: set[int] = set()
    while len(done) < n:
        for v in range(n):
            if v in done or not done.issuperset(parents[v]):
                continue
            configurations = codes[:, parents[v]] @ (2 ** np.arange(len(parents[v]), dtype=np.int64))
            prior = ess / 2 ** (len(parents[v]) + 1)
            ones = rng.beta(prior, prior, 2 ** len(parents[v]))
            codes[:, v] = rng.random(cases) < ones[configurations]
            done.add(v)
    return codes
