"""Layers and order: the first two steps of a layered drawing (Sugiyama, Tagawa and Toda 1981).

Nodes go into layers so that arcs point down; within a layer they are ordered so that few arcs cross. An arc over
several layers passes each layer in between at a place of its own (a "bend"), which is ordered like a node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from arcwise import _core

__all__ = ["Layers", "assign_layers", "flat_layers", "flat_steps", "order_layers", "shortest_layers"]

SWEEPS = 16
MOST_SEPARATE = 4  # long arcs of one node that are drawn apart


@dataclass(frozen=True)
class Layers:
    """Places by layer, from top to bottom. A place below `n_nodes` is a node, others are bends of arcs.

    `chains` has, for each arc, the places that it passes, from its tail to its head; `crossings` counts how often
    arcs cross between two layers, those of one bundle as one.
    """

    rows: list[list[int]]
    chains: list[list[int]]
    n_nodes: int
    n_places: int
    crossings: int


def assign_layers(n_nodes: int, arcs: Sequence[tuple[int, int]], widths: Sequence[float], most: float) -> list[int]:
    """Return the layer of each node: below all its parents, and no layer wider than `most`.

    This is Coffman and Graham's list scheduling with widths: nodes with the longest way to go are placed first, each in
    the first layer below its parents that has room. A last pass moves nodes down towards their children, where that
    shortens arcs. A star, whose leaves would make one endless layer, becomes several layers.
    """
    parents: list[list[int]] = [[] for _ in range(n_nodes)]
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    for tail, head in arcs:
        parents[head].append(tail)
        children[tail].append(head)
    order = _topological(n_nodes, parents, children)
    height = [0] * n_nodes
    for v in reversed(order):
        height[v] = max((height[c] + 1 for c in children[v]), default=0)
    layer = [-1] * n_nodes
    used: list[float] = []
    open_parents = [len(p) for p in parents]
    ready = [v for v in range(n_nodes) if open_parents[v] == 0]
    while ready:
        v = min(ready, key=lambda u: (-height[u], -len(children[u]), u))
        ready.remove(v)
        row = max((layer[p] + 1 for p in parents[v]), default=0)
        while row < len(used) and used[row] > 0 and used[row] + widths[v] > most:
            row += 1
        used += [0.0] * (row + 1 - len(used))
        used[row] += widths[v]
        layer[v] = row
        for c in children[v]:
            open_parents[c] -= 1
            if open_parents[c] == 0:
                ready.append(c)
    for v in reversed(order):
        if len(children[v]) > len(parents[v]):
            lowest = min(layer[c] for c in children[v]) - 1
            for row in range(lowest, layer[v], -1):
                if used[row] + widths[v] <= most:
                    used[layer[v]] -= widths[v]
                    used[row] += widths[v]
                    layer[v] = row
                    break
    filled = sorted(set(layer))
    return [filled.index(row) for row in layer]


def shortest_layers(n_nodes: int, arcs: Sequence[tuple[int, int]]) -> list[int]:
    """Return the layers for which all arcs together are shortest, however wide a layer gets.

    Gansner, Koutsofios, North and Vo (1993) solve this by network simplex; it is a linear program whose vertices are
    whole numbers, for its matrix is that of a graph. Short arcs make few bends, and these few crossings.
    """
    if not arcs:
        return [0] * n_nodes
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    ends = np.array(arcs).reshape(-1)
    signs = np.tile([1.0, -1.0], len(arcs))  # tail - head <= -1
    matrix = coo_matrix((signs, (np.repeat(np.arange(len(arcs)), 2), ends)), shape=(len(arcs), n_nodes))
    lengths = np.bincount(ends, weights=-signs, minlength=n_nodes)
    found = linprog(lengths, A_ub=matrix.tocsr(), b_ub=-np.ones(len(arcs)), bounds=(0, n_nodes), method="highs-ds")
    layer = np.round(found.x).astype(int).tolist()
    filled = sorted(set(layer))
    return [filled.index(row) for row in layer]


def _topological(n_nodes: int, parents: list[list[int]], children: list[list[int]]) -> list[int]:
    left = [len(p) for p in parents]
    order = [v for v in range(n_nodes) if left[v] == 0]
    for v in order:
        for c in children[v]:
            left[c] -= 1
            if left[c] == 0:
                order.append(c)
    return order


def order_layers(n_nodes: int, arcs: Sequence[tuple[int, int]], layer: Sequence[int]) -> Layers:
    """Order the places of each layer so that few arcs cross: barycentre sweeps and swaps of neighbours.

    `arcwise.plotting.layering_twin` says it in Python; for the network of a few hundred variables that takes seconds.
    """
    chains, place_layer = _chains(arcs, layer)
    count = len(place_layer)
    up: list[list[int]] = [[] for _ in range(count)]
    down: list[list[int]] = [[] for _ in range(count)]
    steps = list(dict.fromkeys(step for chain in chains for step in pairwise(chain)))
    for a, b in steps:
        down[a].append(b)
        up[b].append(a)
    rows: list[list[int]] = [[] for _ in range(max(place_layer, default=0) + 1)]
    for place in _depth_first(count, up, down):
        rows[place_layer[place]].append(place)
    ordered, crossings = _core.plotting.order_layers(*flat_layers(rows), *flat_steps(steps), n_nodes, SWEEPS)
    ends = np.cumsum([len(row) for row in rows])[:-1]
    return Layers([row.tolist() for row in np.split(ordered, ends)], chains, n_nodes, count, crossings)


def flat_layers(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the layers as the native side takes them: where each begins, and all places."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([place for row in rows for place in row], dtype=np.int32)


def flat_steps(steps: Sequence[tuple[int, int]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the upper and the lower ends of steps between layers."""
    ends = np.array(steps, dtype=np.int32).reshape(-1, 2)
    return np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])


def _chains(arcs: Sequence[tuple[int, int]], layer: Sequence[int]) -> tuple[list[list[int]], list[int]]:
    """Return the places that each arc passes, and the layer of every place.

    Many long arcs from one node share their bends, as the branches of a tree share its trunk: apart, they would make
    the layers below a hub wider than a screen.
    """
    places = list(layer)
    long_arcs = Counter(tail for tail, head in arcs if layer[head] - layer[tail] > 1)
    shared: dict[tuple[int, int], int] = {}
    chains = []
    for tail, head in arcs:
        chain = [tail]
        for row in range(layer[tail] + 1, layer[head]):
            bend = shared.get((tail, row))
            if bend is None:
                bend = len(places)
                places.append(row)
                if long_arcs[tail] > MOST_SEPARATE:
                    shared[tail, row] = bend
            chain.append(bend)
        chains.append([*chain, head])
    return chains, places


def _depth_first(count: int, up: list[list[int]], down: list[list[int]]) -> list[int]:
    """Return all places so that those of one part of the graph come together."""
    seen, order = [False] * count, []
    for start in sorted(range(count), key=lambda v: (len(up[v]), v)):
        stack = [start]
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = True
            order.append(v)
            stack.extend(sorted(down[v] + up[v], reverse=True))
    return order
