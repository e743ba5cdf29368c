"""The acyclic moral orientations of a chordal graph: how many there are, each of them, and one at random.

The undirected part of a CPDAG falls into connected chordal graphs, and the DAGs of the Markov equivalence class are
the independent choices of an orientation without cycle and without v-structure for each of them (Andersson, Madigan
and Perlman 1997). Graphs are given as `neighbours`, one bit set per node, restricted to a bit set of nodes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

import numpy as np

from arcwise.graph.nodes import bits, components, first_bit, pick_by_weight


def blocks_after(neighbours: Sequence[int], within: int, clique: int) -> list[int]:
    """Return the blocks that stay undirected when the nodes of `clique` come first, in the order of the arcs.

    Every edge between two blocks, or from the clique to a block, points to the later block in all orientations whose
    topological order begins with the clique. Lexicographic breadth-first search from the clique by partition
    refinement; a class of the partition is a block when its first node is visited (Wienöbst, Bannach and Liskiewicz,
    "Polynomial-time algorithms for counting and sampling Markov equivalent DAGs", AAAI 2021, Algorithm 1).
    Linear in nodes and edges.
    """
    blocks: list[int] = []
    queue = [clique, within & ~clique]  # the classes; `following` links them, 0 comes first
    following: list[int] = [1, -1]
    class_of = dict.fromkeys(bits(within & ~clique), 1) | dict.fromkeys(bits(clique), 0)
    preceding: list[int] = [-1, 0]
    head, unvisited, done = 0, within, clique
    while head >= 0:
        if not queue[head]:
            head = following[head]
            if head >= 0:
                preceding[head] = -1
            continue
        v = first_bit(queue[head])
        if not done >> v & 1:
            blocks.append(queue[head])
            done |= queue[head]
        queue[head] &= ~(1 << v)
        unvisited &= ~(1 << v)
        touched: dict[int, int] = {}
        for w in bits(neighbours[v] & unvisited):
            touched[class_of[w]] = touched.get(class_of[w], 0) | 1 << w
        for old, part in touched.items():
            if part == queue[old]:
                continue
            queue[old] &= ~part
            new = len(queue)
            queue.append(part)
            following.append(old)
            preceding.append(preceding[old])
            if preceding[old] >= 0:
                following[preceding[old]] = new
            else:
                head = new
            preceding[old] = new
            for w in bits(part):
                class_of[w] = new
    return blocks


def clique_tree(neighbours: Sequence[int], within: int) -> tuple[list[int], list[int]]:
    """Return the maximal cliques of a connected chordal graph and the parent of each in a clique tree (-1: the root).

    Maximum cardinality search: Blair and Peyton, "An introduction to chordal graphs and clique trees" (1993), Fig. 4.2.
    """
    cliques: list[int] = []
    parents: list[int] = []
    clique_of: dict[int, int] = {}
    rank: dict[int, int] = {}
    weight = dict.fromkeys(bits(within), 0)
    buckets: list[int] = [within] + [0] * within.bit_count()
    top, visited, previous = 0, 0, 0
    while visited != within:
        while not buckets[top]:
            top -= 1
        v = first_bit(buckets[top])
        buckets[top] ^= 1 << v
        earlier = neighbours[v] & visited
        if not cliques or earlier.bit_count() <= previous:
            latest = max(bits(earlier), key=rank.__getitem__, default=-1)
            parents.append(clique_of[latest] if latest >= 0 else -1)
            cliques.append(earlier)
        cliques[-1] |= 1 << v
        clique_of[v] = len(cliques) - 1
        rank[v] = len(rank)
        visited |= 1 << v
        previous = earlier.bit_count()
        for w in bits(neighbours[v] & within & ~visited):
            buckets[weight[w]] ^= 1 << w
            weight[w] += 1
            buckets[weight[w]] |= 1 << w
        top += 1
    return cliques, parents


class OrientationCounter:
    """Counts acyclic moral orientations in polynomial time, exactly, for any size.

    Clique-Picking (Wienöbst, Bannach and Liskiewicz, AAAI 2021, Theorem 3): with a rooted clique tree, the number is
    the sum over the maximal cliques K of phi(K) times the product of the numbers of the components that stay
    undirected when K comes first. phi counts the orders of K that do not begin with a set that was already counted at
    a clique nearer to the root. Subproblems recur, so that the numbers are kept; there are at most twice as many
    different ones as there are cliques.
    """

    def __init__(self, neighbours: Sequence[int]) -> None:
        self._neighbours = neighbours
        self._known: dict[int, int] = {}

    def count(self, component: int) -> int:
        """Return the number of orientations of a connected chordal graph."""
        terms: dict[int, list[tuple[int, list[int]]]] = {}
        pending = [component]
        while pending:  # a stack instead of recursion: the depth may reach the number of nodes
            graph = pending[-1]
            if graph in self._known:
                pending.pop()
            elif graph not in terms:
                terms[graph] = self._terms(graph)
                pending.extend({h for _, parts in terms[graph] for h in parts} - self._known.keys())
            else:
                self._known[graph] = sum(
                    factor * math.prod(self._known[h] for h in parts) for factor, parts in terms.pop(graph)
                )
        return self._known[component]

    def product(self, graphs: Iterable[int]) -> int:
        """Return the number of joint orientations of several components."""
        return math.prod(self.count(graph) for graph in graphs)

    def _terms(self, graph: int) -> list[tuple[int, list[int]]]:
        cliques, parents = clique_tree(self._neighbours, graph)
        terms = []
        for position, clique in enumerate(cliques):
            shared: set[int] = set()
            below = position
            while parents[below] >= 0:
                separator = cliques[below] & cliques[parents[below]]
                if not separator & ~clique:
                    shared.add(separator)
                below = parents[below]
            sizes = sorted(separator.bit_count() for separator in shared)
            parts = _undirected_parts(self._neighbours, blocks_after(self._neighbours, graph, clique))
            terms.append((_orders_without_prefixes(clique.bit_count(), sizes), parts))
        return terms


def _orders_without_prefixes(size: int, prefixes: Sequence[int]) -> int:
    """Count the orders of a set that begin with none of the nested subsets with the given sizes (phi)."""
    counts: list[int] = []  # the same for each prefix and the prefixes inside it
    for i, prefix in enumerate([*prefixes, size]):
        inner = sum(math.factorial(prefix - smaller) * counts[j] for j, smaller in enumerate(prefixes[:i]))
        counts.append(math.factorial(prefix) - inner)
    return counts[-1]


def _undirected_parts(neighbours: Sequence[int], blocks: Iterable[int]) -> list[int]:
    parts = [part for block in blocks for part in components(neighbours, block)]
    return [part for part in parts if part & (part - 1)]  # a single node has one orientation


class _SourceSplit:
    """Splits a component by its source: an acyclic moral orientation of a connected graph has exactly one.

    `arcs` gives every node its parents among the nodes before its block; `parts` are left to orient. The choices of
    different sources are disjoint and none is a dead end (He, Jia and Yu, JMLR 2015, Theorem 7).
    """

    def __init__(self, neighbours: Sequence[int], component: int, source: int) -> None:
        blocks = blocks_after(neighbours, component, 1 << source)
        self.arcs: dict[int, int] = {source: 0}
        before = 1 << source
        for block in blocks:
            for w in bits(block):
                self.arcs[w] = neighbours[w] & before
            before |= block
        self.parts = _undirected_parts(neighbours, blocks)


def orientations(neighbours: Sequence[int], graphs: Sequence[int]) -> Iterator[dict[int, int]]:
    """Yield every joint orientation of the components as the parents of each of their nodes, once each.

    The order is that of the sources, smallest first. No dead ends: the work between two results is polynomial.
    """
    split: Callable[[int, int], _SourceSplit] = lru_cache(4096)(lambda graph, s: _SourceSplit(neighbours, graph, s))
    parents = {v: 0 for graph in graphs for v in bits(graph)}
    pending: list[int] = list(reversed(graphs))
    frames: list[tuple[int, Iterator[int], dict[int, int], list[int]]] = []
    while True:
        if pending:
            graph = pending.pop()
            frames.append((graph, bits(graph), {w: parents[w] for w in bits(graph)}, pending))
        else:
            yield dict(parents)
        while frames:
            graph, sources, outer, rest = frames[-1]
            source = next(sources, -1)
            if source >= 0:
                choice = split(graph, source)
                for w, before in choice.arcs.items():
                    parents[w] = outer[w] | before
                pending = [*rest, *reversed(choice.parts)]
                break
            parents.update(outer)
            frames.pop()
        else:
            return


def sample_orientation(
    neighbours: Sequence[int], graphs: Sequence[int], counter: OrientationCounter, rng: np.random.Generator
) -> dict[int, int]:
    """Return one joint orientation of the components, each with the same probability, exactly."""
    parents = {v: 0 for graph in graphs for v in bits(graph)}
    pending = list(graphs)
    while pending:
        graph = pending.pop()
        splits = [_SourceSplit(neighbours, graph, source) for source in bits(graph)]
        choice = splits[pick_by_weight([counter.product(split.parts) for split in splits], rng)]
        for w, before in choice.arcs.items():
            parents[w] |= before
        pending.extend(choice.parts)
    return parents
