"""How many DAGs an equivalence class has.

The class is the product of its chain components (the connected parts of the CPDAG's undirected edges), each a chordal
graph whose size is the number of ways to direct it without a v-structure or a cycle. Trees and cliques have closed
forms; otherwise the size is the sum over the component's nodes of the size with that node as the only source (He, Jia
and Yu 2015, "Counting and exploring sizes of Markov equivalence classes of directed acyclic graphs"). Where pairs have
their direction from constraints or experiments, see `arcwise.graph.known_orientations`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from arcwise.ensemble.network_set import NetworkSet, Weighting, check_weighting
from arcwise.graph import Dag, FixedPairs
from arcwise.graph.bitset import bits
from arcwise.graph.known_orientations import KnownOrientationCounter

__all__ = ["class_size", "class_sizes", "weigh_classes"]

Edges = frozenset[tuple[int, int]]


def class_size(dag: Dag, fixed: FixedPairs | None = None) -> int:
    """Return the number of DAGs that are equivalent to `dag`, itself included.

    With fixed pairs: of those that agree with it on the arcs of these. That may be too much to count, which is an
    `UnfinishedError`.
    """
    cpdag = dag.cpdag
    edges = [(a, b) for a, mask in enumerate(cpdag.neighbour_masks) for b in bits(mask) if a < b]
    if fixed is None or fixed.is_empty:
        return math.prod(_chordal_size(part) for part in _components(edges))
    masks = fixed.masks if fixed.names == dag.names else fixed.reorder(dag.names).masks
    known = {(a, b) if dag.parent_masks[b] >> a & 1 else (b, a) for a, b in edges if masks[a] >> b & 1}
    return math.prod(_known_size(part, frozenset(_within(known, part))) for part in _components(edges))


def _within(known: set[tuple[int, int]], part: Edges) -> list[tuple[int, int]]:
    """Return the known arcs among the edges of a part."""
    return [(a, b) for a, b in known if (min(a, b), max(a, b)) in part] if known else []


@cache
def _known_size(edges: Edges, known: frozenset[tuple[int, int]]) -> int:
    """Return the number of orientations of a connected chordal graph that have the known arcs."""
    if not known:
        return _chordal_size(edges)
    nodes = sorted({v for edge in edges for v in edge})
    place = {v: i for i, v in enumerate(nodes)}
    neighbours, parents = [0] * len(nodes), [0] * len(nodes)
    for a, b in edges:
        neighbours[place[a]] |= 1 << place[b]
        neighbours[place[b]] |= 1 << place[a]
    for tail, head in known:
        parents[place[head]] |= 1 << place[tail]
    return KnownOrientationCounter(neighbours, parents).count((1 << len(nodes)) - 1)


def class_sizes(dags: Iterable[Dag], fixed: FixedPairs | None = None) -> list[int]:
    """Return the class size of each DAG; components that occur again are counted once."""
    return [class_size(dag, fixed) for dag in dags]


def weigh_classes(classes: NetworkSet, *, weights: Weighting = "posterior") -> NetworkSet:
    """Give each equivalence class, of which `classes` has one DAG each, the weight of all its members together.

    "posterior": proportional to size x exp(score), as all members have the same score; "equal": proportional to the
    size. What is the same for all members (the directions that they share, the skeleton) then averages as over all
    DAGs, none of which need be listed. ``facts["sizes"]`` has the sizes, as text since they may exceed 64 bits.
    """
    check_weighting(weights)
    sizes = class_sizes(classes, classes.fixed)
    log_weights = np.array([math.log(size) for size in sizes])
    if weights == "posterior":
        log_weights = log_weights + classes.scores
    if len(log_weights):
        log_weights = log_weights - log_weights.max()
        log_weights = log_weights - np.log(np.exp(log_weights).sum())
    facts = {**classes.facts, "sizes": [str(size) for size in sizes]}
    return replace(classes, log_weights=log_weights, facts=facts)


def _components(edges: Sequence[tuple[int, int]] | Edges) -> list[Edges]:
    """Return the edges of each connected part, smaller node first."""
    neighbours: dict[int, set[int]] = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    parts, seen = [], set[int]()
    for start in neighbours:
        if start in seen:
            continue
        part, todo = {start}, [start]
        while todo:
            for w in neighbours[todo.pop()] - part:
                part.add(w)
                todo.append(w)
        seen |= part
        parts.append(frozenset((v, w) for v in part for w in neighbours[v] if v < w))
    return parts


@cache
def _chordal_size(edges: Edges) -> int:
    """Return the number of acyclic orientations without v-structures of a connected chordal graph."""
    nodes = {v for edge in edges for v in edge}
    if len(edges) == len(nodes) - 1:
        return len(nodes)  # a tree: any node may be the source
    if 2 * len(edges) == len(nodes) * (len(nodes) - 1):
        return math.factorial(len(nodes))  # a clique: any order
    return sum(math.prod(_chordal_size(part) for part in _rooted_parts(edges, root)) for root in nodes)


def _rooted_parts(edges: Edges, root: int) -> list[Edges]:
    """Return the chain components that remain undirected when `root` is the only source.

    Directions spread from the root in layers. Within a layer y - z becomes y -> z if some x -> y has no edge to z, else
    the v-structure or a cycle would follow; what has no such reason stays undirected.
    """
    neighbours: dict[int, set[int]] = {}
    for a, b in edges:
        neighbours.setdefault(a, set()).add(b)
        neighbours.setdefault(b, set()).add(a)
    placed, layer = {root}, {root}
    parents: dict[int, set[int]] = {v: set() for v in neighbours}
    parts: list[Edges] = []
    while layer:
        following = {w for v in layer for w in neighbours[v]} - placed
        for w in following:
            parents[w] |= neighbours[w] & layer
        changed = True
        while changed:
            changed = False
            for y in following:
                for z in neighbours[y] & following - parents[y]:
                    if y not in parents[z] and any(x not in neighbours[z] for x in parents[y]):
                        parents[z].add(y)
                        changed = True
        left = frozenset(
            (y, z)
            for y in following
            for z in neighbours[y] & following
            if y < z and y not in parents[z] and z not in parents[y]
        )
        parts.extend(_components(left))
        placed |= following
        layer = following
    return parts
