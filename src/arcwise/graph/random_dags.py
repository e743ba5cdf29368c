"""Random DAGs (uniform, sparse, of bounded degree), and every DAG over a few nodes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product

import numpy as np

from arcwise.base.errors import GraphError, check_argument
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import bits, node_names, pick_by_weight, reach

# From this number of nodes on, the share of the DAGs with k parentless nodes no longer depends on it.
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
                near = np.zeros(0, dtype=np.uint8)
                while not near.any():
                    near = rng.integers(2, size=last, dtype=np.uint8)
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


MOST_NODES = 6  # 3,781,503 DAGs; seven nodes have 1,138,779,265


def all_dags(names: Sequence[str]) -> Iterator[Dag]:
    """Yield every DAG over the given nodes once: 1, 3, 25, 543, 29,281 and 3,781,503 for one to six nodes."""
    for masks in all_parent_masks(len(names)):
        yield Dag(names, [list(bits(mask)) for mask in masks])


def all_parent_masks(n_nodes: int) -> Iterator[tuple[int, ...]]:
    """Yield every DAG over positions 0 to n_nodes - 1 as the bit sets of the parents of each node.

    Robinson's decomposition: the nodes without parents are the first layer; those that have none once it is removed
    the second, and so on. A node has a parent in the layer just before its own, and any set of earlier ones.
    """
    if not 0 <= n_nodes <= MOST_NODES:
        raise GraphError(f"the DAGs over {n_nodes} nodes are too many to list; at most {MOST_NODES} nodes are allowed.")
    parents = [0] * n_nodes
    yield from _layers(parents, (1 << n_nodes) - 1, 0, 0)


def _layers(parents: list[int], left: int, last: int, earlier: int) -> Iterator[tuple[int, ...]]:
    if not left:
        yield tuple(parents)
        return
    nodes = list(bits(left))
    above = [0] if not last else [a | b for a in _subsets(last) if a for b in _subsets(earlier)]
    for size in range(1, len(nodes) + 1):
        for layer in combinations(nodes, size):
            here = sum(1 << v for v in layer)
            for choice in product(above, repeat=size):
                for v, mask in zip(layer, choice, strict=True):
                    parents[v] = mask
                yield from _layers(parents, left & ~here, here, earlier | last)


def _subsets(mask: int) -> Iterator[int]:
    subset = mask
    while True:
        yield subset
        if not subset:
            return
        subset = (subset - 1) & mask


def sparse_dag(nodes: int | Sequence[str], rng: np.random.Generator, *, mean_parents: float = 2.0) -> Dag:
    """Return a DAG in which each pair of nodes is joined with the same probability, along a random order.

    Nodes are names, or how many; `mean_parents` is the expected number of arcs, divided by the number of nodes, at most
    (nodes - 1) / 2.
    """
    names = node_names(nodes)
    n = len(names)
    fits = 0 <= mean_parents <= max(0, n - 1) / 2
    check_argument(fits, "mean_parents", mean_parents, f"must lie between 0 and (nodes - 1) / 2 = {(n - 1) / 2}.")
    probability = 2 * mean_parents / (n - 1) if n > 1 else 0.0
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in names]
    for place in range(1, n):
        chosen = rng.choice(place, size=rng.binomial(place, probability), replace=False)
        parents[order[place]] = order[chosen].tolist()
    return Dag(names, parents)


def bounded_degree_dag(
    nodes: int | Sequence[str],
    rng: np.random.Generator,
    *,
    max_degree: int = 6,
    max_parents: int | None = None,
    max_arcs: int | None = None,
    steps: int | None = None,
) -> Dag:
    """Return a connected DAG, nearly uniform among those in which no node has more than `max_degree` neighbours.

    Ide and Cozman, "Random generation of Bayesian networks" (SBIA 2002), as Scanagatta (section 4) uses it with 20 to
    50 nodes and a degree of at most six. A Markov chain over the connected DAGs that satisfy the limits starts at a
    path. A step picks a pair (i, j): an arc i -> j is removed if that leaves the graph connected, and added if it is
    absent and the result is allowed. Every second step instead moves an arc: one arc, picked at random, is replaced by
    i -> j if the result is allowed. (The move is ours: without it the chain cannot leave a tree when the limits allow
    nothing else, nor reverse its arcs.) Both moves are as likely as their reverse: the chain's limit is uniform.

    Parameters
    ----------
    nodes, rng
        Names, or how many; the source of randomness.
    max_degree
        The largest number of parents and children of a node together.
    max_parents, max_arcs
        Further limits, or None.
    steps
        How long the chain runs; 10 n^2 if None.
    """
    names = node_names(nodes)
    n = len(names)
    steps = 10 * n * n if steps is None else steps
    least = min(n - 1, 2)
    rule = f": {n} connected nodes need"
    check_argument(max_degree >= least, "max_degree", max_degree, f"{rule} a degree of at least {least}.")
    allowed = max_parents is None or max_parents >= min(n - 1, 1)
    check_argument(allowed, "max_parents", max_parents, ": connected nodes need at least one parent.")
    check_argument(max_arcs is None or max_arcs >= n - 1, "max_arcs", max_arcs, f"{rule} at least {n - 1} arcs.")
    check_argument(steps >= 0, "steps", steps, "must not be negative.")
    chain = _Chain(n, max_degree, n if max_parents is None else max_parents, n * n if max_arcs is None else max_arcs)
    if n > 1:
        tails = rng.integers(n, size=steps).tolist()
        heads = rng.integers(1, n, size=steps).tolist()  # the distance to the head, around the circle
        picks = rng.random(steps).tolist()
        for step, (tail, shift) in enumerate(zip(tails, heads, strict=True)):
            head = (tail + shift) % n
            if step % 2:
                chain.move(picks[step], tail, head)
            else:
                chain.toggle(tail, head)
    return Dag(names, [list(bits(mask)) for mask in chain.parents])


class _Chain:
    def __init__(self, n: int, max_degree: int, max_parents: int, max_arcs: int) -> None:
        self.max_degree, self.max_parents, self.max_arcs = max_degree, max_parents, max_arcs
        self.parents = [1 << v - 1 if v else 0 for v in range(n)]
        self.children = [1 << v + 1 if v + 1 < n else 0 for v in range(n)]
        self.arcs = [(v, v + 1) for v in range(n - 1)]

    def toggle(self, tail: int, head: int) -> None:
        if self.parents[head] >> tail & 1:
            self._remove(tail, head)
            if not self._joined(tail, head):
                self._add(tail, head)
        elif len(self.arcs) < self.max_arcs and self._allows(tail, head):
            self._add(tail, head)

    def move(self, pick: float, tail: int, head: int) -> None:
        if self.parents[head] >> tail & 1:
            return
        old = self.arcs[int(pick * len(self.arcs))]
        self._remove(*old)
        if self._allows(tail, head):
            self._add(tail, head)
            if self._joined(*old):
                return
            self._remove(tail, head)
        self._add(*old)

    def _add(self, tail: int, head: int) -> None:
        self.parents[head] |= 1 << tail
        self.children[tail] |= 1 << head
        self.arcs.append((tail, head))

    def _remove(self, tail: int, head: int) -> None:
        self.parents[head] &= ~(1 << tail)
        self.children[tail] &= ~(1 << head)
        self.arcs.remove((tail, head))

    def _allows(self, tail: int, head: int) -> bool:
        if self.parents[tail] >> head & 1 or self.parents[head].bit_count() >= self.max_parents:
            return False
        for v in (tail, head):
            if self.parents[v].bit_count() + self.children[v].bit_count() >= self.max_degree:
                return False
        return not reach(1 << head, self.children) >> tail & 1

    def _joined(self, first: int, second: int) -> bool:
        both = [p | c for p, c in zip(self.parents, self.children, strict=True)]
        return bool(reach(1 << first, both) >> second & 1)
