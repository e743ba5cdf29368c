"""`bounded_degree_dag`: a connected DAG whose nodes have few neighbours, drawn uniformly by a Markov chain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from arcwise.errors import OptionError
from arcwise.graph.bitset import bits
from arcwise.graph.dag import Dag
from arcwise.graph.nodes import node_names
from arcwise.mentions import Argument

__all__ = ["bounded_degree_dag"]


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
    nodes
        Names, or how many.
    rng
        The source of randomness.
    max_degree
        The largest number of parents and children of a node together.
    max_parents, max_arcs
        Further limits, or None.
    steps
        How long the chain runs; 10 n^2 if None.
    """
    names = node_names(nodes)
    n = len(names)
    if max_degree < min(n - 1, 2):
        raise OptionError(
            Argument("max_degree", max_degree), f": {n} connected nodes need a degree of at least {min(n - 1, 2)}."
        )
    if max_parents is not None and max_parents < min(n - 1, 1):
        raise OptionError(Argument("max_parents", max_parents), ": connected nodes need at least one parent.")
    if max_arcs is not None and max_arcs < n - 1:
        raise OptionError(Argument("max_arcs", max_arcs), f": {n} connected nodes need at least {n - 1} arcs.")
    steps = 10 * n * n if steps is None else steps
    if steps < 0:
        raise OptionError(Argument("steps", steps), "must not be negative.")
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
        return not self._reach(1 << head, self.children) >> tail & 1

    def _joined(self, first: int, second: int) -> bool:
        both = [p | c for p, c in zip(self.parents, self.children, strict=True)]
        return bool(self._reach(1 << first, both) >> second & 1)

    @staticmethod
    def _reach(start: int, steps: Sequence[int]) -> int:
        reached = frontier = start
        while frontier:
            found = 0
            for v in bits(frontier):
                found |= steps[v]
            frontier = found & ~reached
            reached |= frontier
        return reached
