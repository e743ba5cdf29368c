"""Layers, orders and places: properties of every drawing."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.twins.layering import crossings_of, order_layers_twin, place_layers_twin

from arcwise import _core
from arcwise.plotting.layout import (
    DIGIT,
    GAP,
    HEIGHT,
    LANE,
    SWEEPS,
    WINDOW,
    assign_layers,
    communities,
    draw_network,
    flat_layers,
    flat_steps,
    label_of,
    order_layers,
    shortest_layers,
)


@st.composite
def dags(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    n = draw(st.integers(1, 14))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    return n, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@given(dags(), st.floats(60, 500))
def test_arcs_point_down_and_layers_are_not_too_wide(dag: tuple[int, list[tuple[int, int]]], most: float) -> None:
    n, arcs = dag
    widths = [30.0 + 7 * (v % 5) for v in range(n)]
    layer = assign_layers(n, arcs, widths, most)
    assert all(layer[tail] < layer[head] for tail, head in arcs)
    assert sorted(set(layer)) == list(range(max(layer) + 1))
    for row in set(layer):
        members = [v for v in range(n) if layer[v] == row]
        assert len(members) == 1 or sum(widths[v] for v in members) <= most


@given(dags())
def test_orders_hold_every_place_once_and_never_cross_more_than_the_start(
    dag: tuple[int, list[tuple[int, int]]],
) -> None:
    n, arcs = dag
    layer = assign_layers(n, arcs, [10.0] * n, 1e9)
    layers = order_layers(n, arcs, layer)
    assert sorted(place for row in layers.rows for place in row) == list(range(layers.n_places))
    assert all(layers.rows[layer[v]].count(v) == 1 for v in range(n))
    for (tail, head), chain in zip(arcs, layers.chains, strict=True):
        assert (chain[0], chain[-1]) == (tail, head)
        assert len(chain) == layer[head] - layer[tail] + 1


def test_crossings_that_can_be_avoided_are() -> None:
    arcs = [(0, 5), (1, 4), (2, 3)]  # three arcs that cross as numbered
    layers = order_layers(6, arcs, [0, 0, 0, 1, 1, 1])
    down = [[5], [4], [3], [], [], []]
    assert crossings_of([[0, 1, 2], [3, 4, 5]], down) == 3
    assert crossings_of(layers.rows, down) == 0


@given(dags(), st.integers(0, SWEEPS), st.integers(0, 5))
def test_native_orders_and_places_are_those_of_the_twins(
    dag: tuple[int, list[tuple[int, int]]], sweeps: int, rounds: int
) -> None:
    n, arcs = dag
    chains = order_layers(n, arcs, assign_layers(n, arcs, [10.0] * n, 35.0))
    steps = list(dict.fromkeys(step for chain in chains.chains for step in pairwise(chain)))
    rows = [sorted(row) for row in chains.rows]
    ordered, crossings = _core.plotting.order_layers(*flat_layers(rows), *flat_steps(steps), n, sweeps)
    expected, least = order_layers_twin(rows, steps, n, sweeps)
    assert ordered.tolist() == [place for row in expected for place in row]
    assert crossings == least
    sizes = [10.0 + place % 7 for place in range(chains.n_places)]
    weights = [1.0 + k % 3 for k in range(len(steps))]
    placed = _core.plotting.place_layers(
        *flat_layers(expected), *flat_steps(steps), np.array(weights, dtype=np.float64), np.array(sizes), rounds
    )
    assert placed == pytest.approx(place_layers_twin(expected, steps, weights, sizes, rounds), abs=1e-9)


@given(dags(), st.randoms(use_true_random=False))
def test_nodes_never_overlap_and_every_edge_has_a_path(dag: tuple[int, list[tuple[int, int]]], random: object) -> None:
    n, arcs = dag
    edges = [(a, b) for a in range(n) for b in range(a + 1, n)]
    names = [f"variable {v}" * (1 + v % 2) for v in range(n)]
    drawing = draw_network(names, arcs, edges)
    assert drawing == draw_network(names, arcs, edges)
    for a, b in edges:
        apart = abs(drawing.x[a] - drawing.x[b]) - (drawing.widths[a] + drawing.widths[b]) / 2
        assert apart >= GAP - 0.3 or abs(drawing.y[a] - drawing.y[b]) >= HEIGHT - 0.1
    for v in range(n):
        assert drawing.widths[v] / 2 <= drawing.x[v] <= drawing.size[0] - drawing.widths[v] / 2
        assert HEIGHT / 2 <= drawing.y[v] <= drawing.size[1] - HEIGHT / 2
    assert len(drawing.paths) == len(drawing.middles) == len(edges)
    assert all(re.fullmatch(r"M[-\d.]+,[-\d.]+(?:[CQ](?:[-\d.]+,[-\d.]+ ?)+)+", path) for path in drawing.paths)


def test_a_star_becomes_several_layers() -> None:
    drawing = draw_network(["class", *(f"measure {v}" for v in range(60))], [(0, v) for v in range(1, 61)], [])
    assert 0.5 < (drawing.size[0] / drawing.size[1]) / (WINDOW[0] / WINDOW[1]) < 2
    assert len(set(drawing.y)) > 4


def test_arcs_that_share_their_bends_run_side_by_side() -> None:
    """A hub above a chain: its arcs to the lower nodes pass the layers in a bundle, each in a lane of its own."""
    arcs = [(0, v) for v in range(1, 10)] + [(v, v + 1) for v in range(1, 9)]
    drawing = draw_network([f"x{v}" for v in range(10)], arcs, arcs)
    layer = sorted(set(drawing.y))[3]
    passing = []
    for path in drawing.paths[:9]:
        points = [tuple(map(float, point.split(","))) for point in re.findall(r"[-\d.]+,[-\d.]+", path)]
        passing += [x for x, y in points if abs(y - layer) < 0.2]
    distinct = sorted(set(passing))
    assert len(distinct) >= 5
    assert all(after - before >= LANE - 0.2 for before, after in pairwise(distinct))


def test_a_deep_network_is_drawn_in_parts_that_fit() -> None:
    """Five ladders of thirty rungs, joined end to end: layers alone would be one column of a hundred and fifty."""
    arcs = [(k * 30 + a, k * 30 + b) for k in range(5) for a in range(30) for b in (a + 1, a + 2) if b < 30]
    arcs += [(k * 30 + 29, (k + 1) * 30) for k in range(4)]
    drawing = draw_network([f"x{v}" for v in range(150)], arcs, arcs)
    assert len(drawing.blocks) > 2
    assert sorted(v for block in drawing.blocks for v in block) == list(range(150))
    assert drawing.size[1] < 40 * 88
    places = {(x, y) for x, y in zip(drawing.x, drawing.y, strict=True)}
    assert len(places) == 150


def test_communities_are_what_is_joined_closely() -> None:
    cliques = [(6 * k + a, 6 * k + b, 1.0) for k in range(4) for a in range(6) for b in range(a)]
    bridges = [(6 * k, 6 * k + 6, 0.5) for k in range(3)]
    assert communities(25, cliques + bridges) == [*(list(range(6 * k, 6 * k + 6)) for k in range(4)), [24]]
    assert communities(3, []) == [[0], [1], [2]]


def test_long_names_are_cut() -> None:
    assert label_of("short") == "short"
    assert len(label_of("x" * 100)) == 22


@given(dags())
def test_the_shortest_layers_are_no_longer_than_others(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, arcs = graph
    shortest, usual = shortest_layers(n, arcs), assign_layers(n, arcs, [1.0] * n, 1e9)
    assert all(shortest[head] > shortest[tail] for tail, head in arcs)
    assert sum(shortest[b] - shortest[a] for a, b in arcs) <= sum(usual[b] - usual[a] for a, b in arcs)


def test_labels_of_edges_are_placed_by_their_width() -> None:
    """Two arcs of one node: numbers fit side by side at the middles, ranges do not."""
    names, arcs = ["x0", "x1", "x2", "x3"], [(0, 2), (0, 3)]
    numbers, ranges = draw_network(names, arcs, arcs), draw_network(names, arcs, arcs, ["0.00 to 1.00"] * 2)
    room = 12 * 0.9 * DIGIT
    assert abs(numbers.middles[0][0] - numbers.middles[1][0]) < room
    assert numbers.middles[0][1] == numbers.middles[1][1]
    apart = [abs(first - second) for first, second in zip(*ranges.middles, strict=True)]
    assert apart[0] >= room or apart[1] >= 11
    assert draw_network(names, arcs, arcs, ["", ""]).paths == numbers.paths
