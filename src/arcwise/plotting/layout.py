"""Where to draw nodes and edges: the places of a layered drawing, and a path for every edge.

The drawing is computed once, from the network at the recommended cut-off, so that nodes stay where they are when the
slider moves. Edges that come in below that cut-off are drawn as bowed lines that avoid the nodes as far as they can.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.options import load_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.path import Path


Arcs = Sequence[tuple[int, int]]
Point = tuple[float, float]
Routes = dict[tuple[int, int], list[Point]]  # by tail and head, the points that an arc passes


# A gain in modularity that is only rounding.
LEAST_GAIN = 1e-12


def communities(n_nodes: int, edges: Sequence[tuple[int, int, float]]) -> list[list[int]]:
    """Return the nodes in groups that are joined more closely than the rest, the largest first.

    `edges` are (node, node, weight).

    Groups that are joined are merged, each time the two that raise modularity most: the share of the weight inside
    groups beyond what chance would put there (Clauset, Newman and Moore 2004). It stops when no merger raises it. Each
    isolated node is a group. Deterministic: of equal gains the first pair is taken.

    >>> communities(6, [(0, 1, 1), (1, 2, 1), (0, 2, 1), (3, 4, 1), (4, 5, 1), (3, 5, 1), (2, 3, 1)])
    [[0, 1, 2], [3, 4, 5]]
    """
    total = sum(weight for *_, weight in edges)
    groups = {v: [v] for v in range(n_nodes)}
    if total <= 0:
        return [[v] for v in range(n_nodes)]
    between: dict[int, dict[int, float]] = {v: {} for v in range(n_nodes)}
    ends = dict.fromkeys(range(n_nodes), 0.0)  # the share of all ends of edges
    for a, b, weight in edges:
        share = weight / total
        between[a][b] = between[a].get(b, 0.0) + share
        between[b][a] = between[b].get(a, 0.0) + share
        ends[a] += share / 2
        ends[b] += share / 2
    while True:
        gain, a, b = max(
            ((share - 2 * ends[u] * ends[v], -u, -v) for u, near in between.items() for v, share in near.items()),
            default=(0.0, 0, 0),
        )
        if gain <= LEAST_GAIN:
            break
        kept, gone = sorted((-a, -b))
        groups[kept] += groups.pop(gone)
        ends[kept] += ends.pop(gone)
        for other, share in between.pop(gone).items():
            del between[other][gone]
            if other != kept:
                between[kept][other] = between[kept].get(other, 0.0) + share
                between[other][kept] = between[kept][other]
    return sorted((sorted(group) for group in groups.values()), key=lambda group: (-len(group), group))


# Layers and order: the first two steps of a layered drawing (Sugiyama, Tagawa and Toda 1981).
#
# Nodes go into layers so that arcs point down; within a layer they are ordered so that few arcs cross. An arc over
# several layers passes each layer in between at a separate place (a "bend"), which is ordered like a node.


SWEEPS = 16  # up and down over the layers, to avoid crossings
MOST_SEPARATE = 4  # long arcs of one node that are drawn apart


@dataclass(frozen=True)
class Layers:
    """Places by layer, from top to bottom. The first places are nodes, others are bends of arcs.

    `chains` has, for each arc, the places that it passes, from its tail to its head; `crossings` counts how often
    arcs cross between two layers, those of one bundle as one.
    """

    rows: list[list[int]]
    chains: list[list[int]]
    n_places: int
    crossings: int


def assign_layers(n_nodes: int, arcs: Arcs, widths: Sequence[float], most: float) -> list[int]:
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


def shortest_layers(n_nodes: int, arcs: Arcs) -> list[int]:
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


def order_layers(n_nodes: int, arcs: Arcs, layer: Sequence[int]) -> Layers:
    """Order the places of each layer so that few arcs cross: barycentre sweeps and swaps of neighbours.

    `tests/twins/layering.py` says it in Python; for the network of a few hundred variables that takes seconds.
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
    return Layers([row.tolist() for row in np.split(ordered, ends)], chains, count, crossings)


def flat_layers(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the layers as the native side takes them: where each begins, and all places."""
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([place for row in rows for place in row], dtype=np.int32)


def flat_steps(steps: Arcs) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the upper and the lower ends of steps between layers."""
    ends = np.array(steps, dtype=np.int32).reshape(-1, 2)
    return np.ascontiguousarray(ends[:, 0]), np.ascontiguousarray(ends[:, 1])


def _chains(arcs: Arcs, layer: Sequence[int]) -> tuple[list[list[int]], list[int]]:
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


CHARACTER = 7.3  # the mean width of a letter at 13 px
DIGIT = 6.5  # and of one in a label, at 11 px
PADDING = 22.0  # of a label, left and right together
HEIGHT = 30.0  # of a node
GAP = 22.0  # between nodes of a layer
BEND = 10.0  # the room of an arc that passes a layer
LANE = 5.0  # between arcs of one node that pass a layer side by side
LAYER_GAP = 58.0  # between layers; long arcs get more
WIDTHS = (1080.0, 1400.0, 1800.0, 2400.0, 3200.0)  # of layers, of which the one is taken that fits best
WINDOW = (1000.0, 700.0)  # what a drawing is to fit in
LARGE_NETWORK = 100  # from this many nodes on, a network that would shrink below this scale is drawn in parts
READABLE = 0.45  # the scale below which labels are too small
GOOD_SCALE = 0.92  # a drawing that is shrunk no more than by this is as good as one that is not
MARGIN = 26.0  # around a drawing
LONGEST_LABEL = 22  # letters that fit a node
ROUNDS = 24  # of moving nodes towards their neighbours
BOWS = (0.08, -0.08, 0.2, -0.2, 0.34, -0.34, 0.5, -0.5)  # by which part of its length a curve leaves the straight line
_T: NDArray[np.float64] = np.arange(1, 12) / 12
STEPS: NDArray[np.float64] = np.stack([(1 - _T) ** 2, 2 * _T * (1 - _T), _T**2])
SAMPLES = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # where along a curve its number may stand


@dataclass(frozen=True)
class Drawing:
    """Centres and widths of the nodes, all of the same height, the size of the whole, and a path for each edge.

    `blocks` are the weakly joined parts that were drawn apart; none if the network was drawn in one piece. Without
    centres nothing is placed: the whole is not drawn.
    """

    x: tuple[float, ...]
    y: tuple[float, ...]
    widths: tuple[float, ...]
    height: float
    size: tuple[float, float]
    paths: tuple[str, ...]
    middles: tuple[tuple[float, float], ...]
    blocks: tuple[tuple[int, ...], ...] = ()


def label_of(name: str) -> str:
    """Return the name, cut short if it is long."""
    return name if len(name) <= LONGEST_LABEL else name[: LONGEST_LABEL - 1].rstrip() + "…"


def undrawn_network(names: Sequence[str], n_edges: int) -> Drawing:
    """Return the sizes of the nodes alone: of very many, no drawing of the whole can be read."""
    nowhere = (0.0, 0.0)
    widths = tuple(round(width, 1) for width in _widths(names))
    return Drawing((), (), widths, HEIGHT, nowhere, ("",) * n_edges, (nowhere,) * n_edges)


def _widths(names: Sequence[str]) -> list[float]:
    return [max(46.0, CHARACTER * _visual_length(label_of(name)) + PADDING) for name in names]


def draw_network(
    names: Sequence[str],
    arcs: Arcs,
    edges: Arcs,
    labels: Sequence[str] | None = None,
) -> Drawing:
    """Place the nodes by the arcs of a DAG, and route all edges; those that are arcs follow the layers.

    `labels` are what is written on the edges, a number on each unless they are given; "" takes no room.
    """
    widths, n = _widths(names), len(names)
    best = _best_placed(_parts(n, arcs), arcs, widths)
    blocks: tuple[tuple[int, ...], ...] = ()
    if n >= LARGE_NETWORK and best.scale < READABLE:
        groups = _close_parts(n, arcs)
        apart = _best_placed(groups, _within(groups, arcs), widths)
        if apart.scale > best.scale:
            best, blocks = apart, tuple(tuple(group) for group in groups)
    boxes = [(*best.centres[v], widths[v] / 2, HEIGHT / 2) for v in range(n)]
    paths: list[str] = []
    middles: list[Point] = []
    ports = _ports(best.routes, boxes)
    array = np.array(boxes).reshape(n, 4)
    taken: list[tuple[float, float, float]] = []  # labels: their centres and half their widths
    for k, (a, b) in enumerate(edges):
        arc = next((arc for arc in ((a, b), (b, a)) if arc in best.routes), None)
        half = DIGIT * _visual_length("0.00" if labels is None else labels[k]) / 2
        if arc is not None:
            path, points = _along_layers(a, arc, best.routes[arc], ports)
        else:
            path, points = _bowed(boxes[a], boxes[b], np.delete(array, (a, b), axis=0), best.size)
        paths.append(path)
        middles.append(_free_place(points, array, [] if arc is None else taken, half))
        if half > 0 and arc is not None:
            taken.append((*middles[-1], half))
    shifted = [(round(px + MARGIN, 1), round(py + MARGIN, 1)) for px, py in (*(box[:2] for box in boxes), *middles)]
    return Drawing(
        tuple(x for x, _ in shifted[:n]),
        tuple(y for _, y in shifted[:n]),
        tuple(round(value, 1) for value in widths),
        HEIGHT,
        (round(best.size[0] + 2 * MARGIN, 1), round(best.size[1] + 2 * MARGIN, 1)),
        tuple(paths),
        tuple(shifted[n:]),
        blocks,
    )


@dataclass
class _Placed:
    """A part of a network, or all of them side by side."""

    centres: dict[int, Point]
    routes: Routes
    size: Point
    crossings: int

    @property
    def scale(self) -> float:
        """By how much it shrinks to fit a window."""
        return min(room / (extent + 2 * MARGIN) for room, extent in zip(WINDOW, self.size, strict=True))


def _best_placed(parts: list[list[int]], arcs: Arcs, widths: Sequence[float]) -> _Placed:
    """Try several layerings, and of those that fit about equally well take the one with the fewest crossings."""
    tried = [_placed(parts, arcs, widths, WIDTHS[0], shortest=True)]
    for most in WIDTHS if len(widths) < LARGE_NETWORK else WIDTHS[::2]:  # seconds count there
        tried.append(_placed(parts, arcs, widths, most))
        if tried[-1].scale >= 1:  # nothing is gained by a wider one
            break
    best = max(min(placed.scale, 1.0) for placed in tried)
    return min((placed for placed in tried if placed.scale >= GOOD_SCALE * best), key=lambda placed: placed.crossings)


def _close_parts(n: int, arcs: Arcs) -> list[list[int]]:
    """Return the weakly joined parts of a network, each behind the one that it has most arcs with.

    A deep network of hundreds of nodes is a tall column of layers that no window holds at a size to be read. Its parts,
    each in layers of its own, fill the window; arcs between them are few, for that is what makes them parts.
    """
    groups = communities(n, [(a, b, 1.0) for a, b in arcs])
    lonely = [v for group in groups if len(group) == 1 for v in group]
    waiting = [group for group in groups if len(group) > 1]
    of = {v: k for k, group in enumerate(waiting) for v in group}
    links = Counter((of[u], of[v]) for a, b in arcs for u, v in ((a, b), (b, a)) if of[a] != of[b])
    order = [0] if waiting else []
    while len(order) < len(waiting):
        left = [k for k in range(len(waiting)) if k not in order]
        order.append(max(left, key=lambda k: (links[order[-1], k], sum(links[j, k] for j in order), -k)))
    return [waiting[k] for k in order] + ([sorted(lonely)] if lonely else [])


def _within(groups: list[list[int]], arcs: Arcs) -> list[tuple[int, int]]:
    of = {v: k for k, group in enumerate(groups) for v in group}
    return [(a, b) for a, b in arcs if of[a] == of[b]]


def _placed(
    parts: list[list[int]], arcs: Arcs, widths: Sequence[float], most: float, *, shortest: bool = False
) -> _Placed:
    """Place every part by itself, and the parts side by side, in rows that are no wider than `most`."""
    centres: dict[int, Point] = {}
    routes: Routes = {}
    left, top, row_height, right = 0.0, 0.0, 0.0, 0.0
    crossings = 0
    for part in parts:
        block = _place(part, arcs, widths, most, shortest=shortest)
        width, height = block.size
        if left > 0 and left + width > most:
            left, top, row_height = 0.0, top + row_height + LAYER_GAP, 0.0
        centres |= {v: (x + left, y + top) for v, (x, y) in block.centres.items()}
        routes |= {arc: [(x + left, y + top) for x, y in points] for arc, points in block.routes.items()}
        crossings += block.crossings
        left += width + 2 * GAP
        row_height = max(row_height, height)
        right = max(right, left - 2 * GAP)
    return _Placed(centres, routes, (right, top + row_height), crossings)


def _visual_length(text: str) -> float:
    """Return the width of a text in letters: wide scripts count double, narrow letters half."""
    return sum(1.9 if ord(c) >= 0x1100 else 0.5 if c in "ijl.,:;|!'" else 1.35 if c in "mwMW@%" else 1.0 for c in text)


def _parts(n: int, arcs: Arcs) -> list[list[int]]:
    """Return the connected parts, the largest first; nodes without an arc come last, all as one part."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    ends = np.array(arcs, dtype=np.int64).reshape(-1, 2)
    joined = coo_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    of_node = connected_components(joined, directed=False)[1] if n else np.zeros(0, dtype=np.int32)
    groups: dict[int, list[int]] = {}
    for v, group in enumerate(of_node.tolist()):
        groups.setdefault(group, []).append(v)
    parts = sorted((part for part in groups.values() if len(part) > 1), key=lambda part: (-len(part), part))
    lonely = [part[0] for part in groups.values() if len(part) == 1]
    return parts + ([lonely] if lonely else [])


def _place(part: list[int], arcs: Arcs, widths: Sequence[float], most: float, *, shortest: bool) -> _Placed:
    local = {v: k for k, v in enumerate(part)}
    own = [(local[a], local[b]) for a, b in arcs if a in local]
    room = [widths[v] + GAP for v in part]
    is_simple = shortest and own  # nodes without an arc would be one endless layer
    layer = shortest_layers(len(part), own) if is_simple else assign_layers(len(part), own, room, most)
    layers = order_layers(len(part), own, layer)
    load = Counter(bend for chain in layers.chains for bend in chain[1:-1])
    sizes = [room[p] if p < len(part) else max(BEND, LANE * load[p]) for p in range(layers.n_places)]
    xs = _horizontal(layers.rows, layers.chains, sizes, len(part))
    left = min(xs[p] - sizes[p] / 2 for p in range(layers.n_places))
    width = max(xs[p] + sizes[p] / 2 for p in range(layers.n_places)) - left - GAP
    xs = [value - left - GAP / 2 for value in xs]
    tops = _vertical(layers.rows, layers.chains, xs)
    y_of = {place: tops[k] for k, row in enumerate(layers.rows) for place in row}
    centres = {v: (xs[k], y_of[k]) for v, k in local.items()}
    routes = {}
    lanes = _lanes(layers.chains, xs)
    for (a, b), chain in zip(own, layers.chains, strict=True):
        routes[part[a], part[b]] = [(xs[p] + lanes.get((p, chain[-1]), 0.0), y_of[p]) for p in chain]
    return _Placed(centres, routes, (width, tops[-1] + HEIGHT / 2), layers.crossings)


def _lanes(chains: list[list[int]], xs: list[float]) -> dict[tuple[int, int], float]:
    """Return how far beside a bend each arc passes it, by bend and head: arcs that share one can be told apart.

    Lanes are in the order of the places that the arcs come to, so that arcs of one bundle do not cross in it.
    """
    passing: dict[int, list[int]] = {}
    for chain in chains:
        for bend in chain[1:-1]:
            passing.setdefault(bend, []).append(chain[-1])
    found = {}
    for bend, heads in passing.items():
        heads.sort(key=lambda head: (xs[head], head))
        for k, head in enumerate(heads):
            found[bend, head] = LANE * (k - (len(heads) - 1) / 2)
    return found


def _vertical(rows: list[list[int]], chains: list[list[int]], xs: list[float]) -> list[float]:
    """Return the height of each layer: layers are further apart where arcs run far to the side between them."""
    layer_of = {place: k for k, row in enumerate(rows) for place in row}
    reach = [0.0] * len(rows)
    for chain in chains:
        for a, b in pairwise(chain):
            reach[layer_of[b]] = max(reach[layer_of[b]], abs(xs[a] - xs[b]))
    tops = [HEIGHT / 2]
    for k in range(1, len(rows)):
        tops.append(tops[-1] + HEIGHT + LAYER_GAP * (0.75 + min(1.0, reach[k] / 700)))
    return tops


def _horizontal(rows: list[list[int]], chains: list[list[int]], sizes: list[float], n_nodes: int) -> list[float]:
    """Place each layer so that its members are near their neighbours' means, without overlap and in their order.

    For fixed wishes this is a least-squares problem with an order constraint; pooling adjacent violators solves it
    exactly. Wishes come from the layers above and below in turn.
    """
    steps = [step for chain in chains for step in pairwise(chain)]
    # Straight bends look best.
    weights = np.array([1.0 + 3.0 * ((a >= n_nodes) + (b >= n_nodes)) for a, b in steps], dtype=np.float64)
    found = _core.plotting.place_layers(
        *flat_layers(rows), *flat_steps(steps), weights, np.array(sizes, dtype=np.float64), ROUNDS
    )
    return [float(value) for value in found]


Box = tuple[float, float, float, float]


def _ports(routes: Routes, boxes: list[Box]) -> dict[tuple[int, tuple[int, int]], float]:
    """Return where on the side of its node each routed edge ends: spread, in the order of the other ends."""
    sides: dict[tuple[int, bool], list[tuple[float, tuple[int, int]]]] = {}
    for arc, points in routes.items():
        for v, inner in zip(arc, (points[1], points[-2]), strict=True):
            sides.setdefault((v, inner[1] > boxes[v][1]), []).append((inner[0], arc))
    found = {}
    for (v, _), ends in sides.items():
        ends.sort(key=lambda end: (end[0], sorted(end[1])))
        cx, _, half, _ = boxes[v]
        room = min(2 * half - 20, 16.0 * (len(ends) - 1))
        for k, (_, arc) in enumerate(ends):
            found[v, arc] = cx + (k / (len(ends) - 1) - 0.5) * room if len(ends) > 1 else cx
    return found


def _along_layers(
    first: int, arc: tuple[int, int], points: list[Point], ports: dict[tuple[int, tuple[int, int]], float]
) -> tuple[str, list[Point]]:
    """Return a smooth path through the bends of an arc, from `first` to the other end, and points on it."""
    tail, head = arc
    top = (ports[tail, arc], points[0][1] + HEIGHT / 2)
    bottom = (ports[head, arc], points[-1][1] - HEIGHT / 2)
    line = [top, *points[1:-1], bottom]
    if tail != first:
        line.reverse()
    text = f"M{_xy(line[0])}"
    passed: list[Point] = []
    for (x1, y1), (x2, y2) in pairwise(line):
        half = (y1 + y2) / 2
        text += f"C{_xy((x1, half))} {_xy((x2, half))} {_xy((x2, y2))}"
        for t in SAMPLES:
            s = 1 - t
            x = s * s * (s + 3 * t) * x1 + t * t * (t + 3 * s) * x2  # both inner control points share the ends' x
            passed.append((x, s**3 * y1 + 3 * s * t * half + t**3 * y2))
    return text, passed


def _bowed(a: Box, b: Box, others: NDArray[np.float64], size: Point) -> tuple[str, list[Point]]:
    """Return a curve between two nodes that meets as few other nodes as possible, and points on it."""
    (ax, ay, _, _), (bx, by, _, _) = a, b
    length = math.hypot(bx - ax, by - ay) or 1.0
    nx, ny = (ay - by) / length, (bx - ax) / length
    best: tuple[float, tuple[float, float]] | None = None
    for bow in BOWS:
        cx, cy = (ax + bx) / 2 + nx * bow * length, (ay + by) / 2 + ny * bow * length
        outside = not (-MARGIN <= cx <= size[0] + MARGIN and -MARGIN <= cy <= size[1] + MARGIN)
        cost = abs(bow) + (5.0 if outside else 0.0)
        if best is not None and cost >= best[0] - 1e-9:
            continue  # it meets no fewer than none
        # Of the curve, the points at 1/12, 2/12, ...; of the others, those that hold one of them.
        across, along = (STEPS[0] * p + STEPS[1] * q + STEPS[2] * r for p, q, r in ((ax, cx, bx), (ay, cy, by)))
        beside = np.abs(across[:, None] - others[:, 0]) < others[:, 2] + 3
        cost += float((beside & (np.abs(along[:, None] - others[:, 1]) < others[:, 3] + 3)).sum())
        if best is None or cost < best[0] - 1e-9:
            best = (cost, (cx, cy))
    assert best is not None
    cx, cy = best[1]
    start, end = _border(a, cx, cy), _border(b, cx, cy)
    points = zip(start, (cx, cy), end, strict=True)  # first all x, then all y
    xs, ys = ([(1 - t) ** 2 * a + 2 * t * (1 - t) * c + t * t * b for t in SAMPLES] for a, c, b in points)
    return f"M{_xy(start, 0)}Q{_xy((cx, cy), 0)} {_xy(end, 0)}", list(zip(xs, ys, strict=True))


def _free_place(
    points: list[Point],
    boxes: NDArray[np.float64],
    taken: list[tuple[float, float, float]],
    half_width: float,
) -> tuple[float, float]:
    """Return the point nearest to the middle of a path at which a label hides no node and no other label.

    If there is none, the one at which it hides least.
    """
    places = np.array(points)

    def distance(others: NDArray[np.float64], widths: float, heights: float) -> NDArray[np.float64]:
        """How far the nearest of the others is from each place; 1 and more is free."""
        across = np.abs(places[:, :1] - others[:, 0]) / (others[:, 2] + widths)
        along = np.abs(places[:, 1:] - others[:, 1]) / (others[:, 3] + heights)
        return np.asarray(np.maximum(across, along).min(axis=1, initial=1.0))

    room = distance(boxes, half_width + 4.0, 7.0)
    if taken:
        numbers = np.hstack([np.array(taken), np.zeros((len(taken), 1))])
        room = np.minimum(room, distance(numbers, half_width + 8.0, 14.0))
    half = len(points) // 2
    best = max(range(len(points)), key=lambda k: (round(float(room[k]), 2), -abs(k - half)))
    return points[best]


def _border(box: Box, tx: float, ty: float) -> tuple[float, float]:
    """Return where the line from a node's centre to a point leaves the node."""
    cx, cy, half_width, half_height = box
    dx, dy = tx - cx, ty - cy
    if abs(dx) < 1e-9 and abs(dy) < 1e-9:
        return cx, cy
    scale = min(half_width / abs(dx) if dx else math.inf, half_height / abs(dy) if dy else math.inf)
    return cx + dx * min(scale, 1.0), cy + dy * min(scale, 1.0)


def _xy(point: tuple[float, float], digits: int = 1) -> str:
    return f"{point[0] + MARGIN:.{digits}f},{point[1] + MARGIN:.{digits}f}"


# A network as a layered drawing: lines by confidence, arrow heads where there is a direction.


INK, PAPER = "#3b4754", "#ffffff"
INCH = 96.0  # pixels, as CSS has it
MOST_SHOWN = 300  # beyond, a drawing in a notebook says less than a table


def new_figure(width: float, height: float) -> Figure:
    """Return a new figure of a size in inches.

    If pyplot is in use, as in a notebook, the figure is one of its own, so that it is shown; else nothing global is
    touched.
    """
    pyplot = sys.modules.get("matplotlib.pyplot")
    made: Figure = (load_figure() if pyplot is None else pyplot.figure)(figsize=(width, height), layout="constrained")
    return made


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes, or those of a new figure."""
    return new_figure(width, height).add_subplot() if ax is None else ax


def plot_network(
    names: Sequence[str],
    arcs: Arcs,
    edges: Arcs = (),
    *,
    weights: Mapping[frozenset[int], float] | None = None,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw arcs (with heads) and edges (without); wider lines have more weight, broken ones less than three quarters.

    `arcs` and `edges` together must be the skeleton of a DAG in which the edges point from the first to the second.
    """
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

    drawing = draw_network(names, [*arcs, *edges], [*arcs, *edges])
    width, height = drawing.size
    ax = axes_or_new(ax, max(3.0, width / INCH), max(2.0, height / INCH))
    for k, (a, b) in enumerate([*arcs, *edges]):
        weight = 1.0 if weights is None else weights.get(frozenset((a, b)), 1.0)
        ax.add_patch(
            FancyArrowPatch(
                path=_path(drawing.paths[k]),
                arrowstyle="-|>" if k < len(arcs) else "-",
                mutation_scale=12,
                linewidth=0.8 + 1.8 * weight,
                linestyle="-" if weight >= 0.75 else "--" if weight >= 0.5 else ":",
                color=INK,
                shrinkA=0,
                shrinkB=0,
            )
        )
        if weights is not None and numbers:
            x, y = drawing.middles[k]
            ax.text(x, y, f"{weight:.2f}", fontsize=7, ha="center", va="center", backgroundcolor=PAPER)
    for v, name in enumerate(names):
        x, y, w, h = drawing.x[v], drawing.y[v], drawing.widths[v], drawing.height
        box = FancyBboxPatch(
            (x - w / 2, y - h / 2), w, h, boxstyle="round,pad=0,rounding_size=7", facecolor=PAPER, edgecolor=INK
        )
        ax.add_patch(box)
        ax.text(x, y, label_of(name), fontsize=9, ha="center", va="center")
    ax.set_xlim(0, width)
    ax.set_ylim(height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _path(path: str) -> Path:
    """Return an SVG path of one kind of curve as matplotlib has it."""
    from matplotlib.path import Path as Curve

    code = Curve.CURVE4 if "C" in path else Curve.CURVE3 if "Q" in path else Curve.LINETO
    points = [tuple(map(float, word.split(","))) for word in re.sub("[MCQL]", " ", path).split()]
    return Curve(points, [Curve.MOVETO, *[code] * (len(points) - 1)])


def network_picture(names: Sequence[str], arcs: Arcs, edges: Arcs = ()) -> str:
    """Return the drawing as SVG for a notebook; pointing at a line or a box names it. Empty for very many nodes."""
    if not names or len(names) > MOST_SHOWN:
        return ""
    both = [*arcs, *edges]
    drawing = draw_network(names, both, both)
    width, height = drawing.size
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'style="max-width:100%;height:auto" role="img" aria-label="network of {len(names)} variables">'
        '<defs><marker id="arcwise-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
        f'orient="auto"><path d="M0,0L10,5L0,10z" fill="{INK}"/></marker></defs>'
        '<g style="font:13px system-ui,sans-serif" text-anchor="middle">'
    ]
    for k, (a, b) in enumerate(both):
        sign, head = ("→", ' marker-end="url(#arcwise-head)"') if k < len(arcs) else ("—", "")
        title = escape(f"{names[a]} {sign} {names[b]}")
        parts.append(
            f'<path d="{drawing.paths[k]}" fill="none" stroke="{INK}" stroke-width="1.8"{head}><title>{title}</title>'
            "</path>"
        )
    parts += [_box(drawing, v, name) for v, name in enumerate(names)]
    return "".join([*parts, "</g></svg>"])


def _box(drawing: Drawing, v: int, name: str) -> str:
    x, y, w, h = drawing.x[v], drawing.y[v], drawing.widths[v], drawing.height
    return (
        f'<g><title>{escape(name)}</title><rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:g}" height="{h:g}" '
        f'rx="7" fill="{PAPER}" stroke="{INK}"/><text x="{x:g}" y="{y + 4.5:g}" fill="#1b1f24">'
        f"{escape(label_of(name))}</text></g>"
    )
