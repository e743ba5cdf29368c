"""The order and the places of layers in plain Python, which the native ones are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

__all__ = ["crossings_of", "order_layers_twin", "place_layers_twin"]


def order_layers_twin(
    rows: Sequence[Sequence[int]], steps: Sequence[tuple[int, int]], n_nodes: int, sweeps: int
) -> tuple[list[list[int]], int]:
    """Return layers in an order with few crossings, and how many there are; `steps` lead one layer down."""
    count = sum(len(row) for row in rows)
    up: list[list[int]] = [[] for _ in range(count)]
    down: list[list[int]] = [[] for _ in range(count)]
    for a, b in steps:
        down[a].append(b)
        up[b].append(a)
    now = [list(row) for row in rows]
    best, least = [list(row) for row in now], crossings_of(now, down)
    for sweep in range(sweeps):
        if least == 0 and sweep > 1:
            break
        downward = sweep % 2 == 0
        for position in range(1, len(now)) if downward else range(len(now) - 2, -1, -1):
            fixed = now[position - 1] if downward else now[position + 1]
            _sort_by_neighbours(now[position], fixed, up if downward else down, n_nodes)
        _swap_neighbours(now, up, down)
        found = crossings_of(now, down)
        if found < least or (found == least and sweep < 2):
            best, least = [list(row) for row in now], found
    return best, least


def _sort_by_neighbours(row: list[int], fixed: list[int], neighbours: list[list[int]], n_nodes: int) -> None:
    """Sort a layer by the mean place of each member's neighbours; of equal ones, bends come in the middle."""
    position = {place: k for k, place in enumerate(fixed)}
    here = {place: k for k, place in enumerate(row)}

    means = {}
    for place in row:
        near = [position[u] for u in neighbours[place]]
        own = here[place] * max(len(fixed) - 1, 1) / max(len(row) - 1, 1)
        means[place] = sum(near) / len(near) if near else own
    row.sort(key=lambda place: (means[place], here[place]))
    start = 0
    while start < len(row):
        end = next((k for k in range(start, len(row)) if means[row[k]] > means[row[start]] + 1e-9), len(row))
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


def crossings_of(rows: list[list[int]], down: list[list[int]]) -> int:
    """Return how often steps cross."""
    total = 0
    for above, below in pairwise(rows):
        position = {place: k for k, place in enumerate(below)}
        ends = [sorted(position[c] for c in down[place]) for place in above]
        seen: list[int] = []
        for targets in ends:
            total += sum(1 for old in seen for new in targets if old > new)
            seen += targets
    return total


def place_layers_twin(
    rows: Sequence[Sequence[int]],
    steps: Sequence[tuple[int, int]],
    weights: Sequence[float],
    sizes: Sequence[float],
    rounds: int,
) -> list[float]:
    """Return the centre of every place: near its neighbours' weighted mean, without overlap and in the given order."""
    near: list[list[tuple[int, float]]] = [[] for _ in sizes]
    for (a, b), weight in zip(steps, weights, strict=True):
        near[a].append((b, weight))
        near[b].append((a, weight))
    xs = [0.0] * len(sizes)
    for row in rows:
        at = -sum(sizes[p] for p in row) / 2
        for place in row:
            xs[place] = at + sizes[place] / 2
            at += sizes[place]
    for step in range(rounds):
        for row in rows if step % 2 == 0 else rows[::-1]:
            wishes, masses = [], []
            for place in row:
                total = sum(weight for _, weight in near[place])
                mean = sum(xs[u] * weight for u, weight in near[place]) / total if total else xs[place]
                wishes.append(mean)
                masses.append(total or 0.1)
            for place, value in zip(row, _spread(wishes, masses, [sizes[p] for p in row]), strict=True):
                xs[place] = value
    return xs


def _spread(wishes: list[float], weights: list[float], sizes: list[float]) -> list[float]:
    """Return positions nearest to the wishes (weighted squares) whose neighbours do not overlap."""
    offsets, total = [], 0.0
    for k, size in enumerate(sizes):
        total += 0.0 if k == 0 else (sizes[k - 1] + size) / 2
        offsets.append(total)
    groups: list[tuple[float, float, int]] = []  # mean, weight, count
    for wish, weight, offset in zip(wishes, weights, offsets, strict=True):
        mean, mass, count = wish - offset, weight, 1
        while groups and groups[-1][0] > mean:
            m, w, c = groups.pop()
            mean = (mean * mass + m * w) / (mass + w)
            mass, count = mass + w, count + c
        groups.append((mean, mass, count))
    flat = [mean for mean, _, count in groups for _ in range(count)]
    return [value + offset for value, offset in zip(flat, offsets, strict=True)]
