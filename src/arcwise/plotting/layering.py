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

__all__ = ["Layers", "assign_layers", "order_layers", "shortest_layers"]

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
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    if not arcs:
        return [0] * n_nodes
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
    """Order the places of each layer so that few arcs cross: barycentre sweeps and swaps of neighbours."""
    chains, place_layer = _chains(arcs, layer)
    count = len(place_layer)
    up: list[list[int]] = [[] for _ in range(count)]
    down: list[list[int]] = [[] for _ in range(count)]
    for a, b in dict.fromkeys(step for chain in chains for step in pairwise(chain)):
        down[a].append(b)
        up[b].append(a)
    rows: list[list[int]] = [[] for _ in range(max(place_layer, default=0) + 1)]
    for place in _depth_first(count, up, down):
        rows[place_layer[place]].append(place)
    best, least = [list(row) for row in rows], _crossings(rows, down)
    for sweep in range(SWEEPS):
        if least == 0 and sweep > 1:
            break
        downward = sweep % 2 == 0
        for position in range(1, len(rows)) if downward else range(len(rows) - 2, -1, -1):
            fixed = rows[position - 1] if downward else rows[position + 1]
            _sort_by_neighbours(rows[position], fixed, up if downward else down, n_nodes)
        _swap_neighbours(rows, up, down)
        found = _crossings(rows, down)
        if found < least or (found == least and sweep < 2):
            best, least = [list(row) for row in rows], found
    return Layers(best, chains, n_nodes, count, least)


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


def _sort_by_neighbours(row: list[int], fixed: list[int], neighbours: list[list[int]], n_nodes: int) -> None:
    """Sort a layer by the mean place of each member's neighbours; of equal ones, bends come in the middle."""
    position = {place: k for k, place in enumerate(fixed)}
    here = {place: k for k, place in enumerate(row)}

    def centre(place: int) -> tuple[float, int]:
        near = [position[u] for u in neighbours[place]]
        own = here[place] * max(len(fixed) - 1, 1) / max(len(row) - 1, 1)
        return (sum(near) / len(near) if near else own, here[place])

    row.sort(key=centre)
    means = [centre(place)[0] for place in row]
    start = 0
    while start < len(row):
        end = next((k for k in range(start, len(row)) if means[k] > means[start] + 1e-9), len(row))
        group = row[start:end]
        nodes, bends = [p for p in group if p < n_nodes], [p for p in group if p >= n_nodes]
        half = len(nodes) // 2
        row[start:end] = nodes[:half] + bends + nodes[half:]
        start = end


def _swap_neighbours(rows: list[list[int]], up: list[list[int]], down: list[list[int]]) -> None:
    improved, rounds = True, 0
    while improved and rounds < 4:
        improved, rounds = False, rounds + 1
        for k, row in enumerate(rows):
            above = {p: i for i, p in enumerate(rows[k - 1])} if k > 0 else {}
            below = {p: i for i, p in enumerate(rows[k + 1])} if k + 1 < len(rows) else {}
            for i in range(len(row) - 1):
                a, b = row[i], row[i + 1]
                now = _pair_crossings(up[a], up[b], above) + _pair_crossings(down[a], down[b], below)
                then = _pair_crossings(up[b], up[a], above) + _pair_crossings(down[b], down[a], below)
                if then < now:
                    row[i], row[i + 1] = b, a
                    improved = True


def _pair_crossings(left: list[int], right: list[int], position: dict[int, int]) -> int:
    return sum(position[a] > position[b] for a in left for b in right)


def _crossings(rows: list[list[int]], down: list[list[int]]) -> int:
    total = 0
    for above, below in pairwise(rows):
        position = {place: k for k, place in enumerate(below)}
        ends = [sorted(position[c] for c in down[place]) for place in above]
        seen: list[int] = []
        for targets in ends:
            total += sum(1 for old in seen for new in targets if old > new)
            seen += targets
    return total
