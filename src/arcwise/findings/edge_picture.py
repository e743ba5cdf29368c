"""`EdgePicture`: what the two variables of an edge look like together, small enough for a page with hundreds of them.

Two numbers are points, or, where there are many rows, cells of a grid with the number of cases in each, and a curve; a
number and a variable with states are boxes. Two variables with states need no picture: their table is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.showing import one_screen
from arcwise.data.column import VariableKind

if TYPE_CHECKING:
    from arcwise.data.mixed import MixedData

Floats = NDArray[np.float64]
Point = tuple[float, float]

# Up to so many cases each is a point; of more, cells of a grid are counted.
MOST_POINTS = 400
ACROSS, UP = 26, 18
# The shares of the cases that lie beyond either end of a picture: single ones far away would leave no room for others.
CLIPPED_SHARE = 0.002
# The curve: local lines (Cleveland 1979), each through this share of the cases, the nearest, at so many places; with
# more cases than these, a sample of them tells the same.
SPAN, PLACES, MOST_SMOOTHED = 0.6, 25, 2_000
# Where the curve begins and ends, and the whiskers of a box: shares of the cases.
ENDS = (0.025, 0.975)
BOX = (0.05, 0.25, 0.5, 0.75, 0.95)
MOST_BOXES = 12
MOST_PICTURED = 200_000  # rows; of more, as many are drawn


@one_screen
@dataclass(frozen=True)
class Scatter:
    """Two numbers: a point for each case, or cells of a grid, and the curve of the second over the first.

    Parameters
    ----------
    x, y
        The variables; the curve is of y.
    x_range, y_range
        From where to where the picture goes.
    points
        One for each case; () where there are cells.
    cells, grid
        Column, row and number of cases of each cell that has any, and how many columns and rows there are.
    curve
        Places, and the mean of y there.
    """

    x: str
    y: str
    x_range: Point
    y_range: Point
    points: tuple[Point, ...] = ()
    cells: tuple[tuple[int, int, int], ...] = ()
    grid: tuple[int, int] = (ACROSS, UP)
    curve: tuple[Point, ...] = ()


@one_screen
@dataclass(frozen=True)
class Boxes:
    """A number by the states of another variable: of each state how many cases, quantiles and the mean.

    Parameters
    ----------
    x, y
        The variable with states, and the number.
    states, cases
        The states, the commonest `MOST_BOXES` of them in their order, and the number of cases of each.
    quantiles
        Of each state, those that 5, 25, 50, 75 and 95 % of its cases are not above.
    means
        The means.
    left_out
        How many states are not shown.
    """

    x: str
    y: str
    states: tuple[str, ...]
    cases: tuple[int, ...]
    quantiles: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    left_out: int = 0


EdgePicture = Scatter | Boxes


def picture_of(data: MixedData, tail: str, head: str, copies: int = 1) -> EdgePicture | None:
    """Return the picture of tail and head, without the cases in which the head was set; None for two with states.

    `copies` is how many completions the rows are.
    """
    kinds = data.kind(tail), data.kind(head)
    if VariableKind.NUMBER not in kinds or data.constant[data.index(tail)] or data.constant[data.index(head)]:
        return None
    own = data.cases_without(head)
    weights = np.ones(own.n_rows) if own.row_weights is None else own.row_weights.astype(np.float64)
    seen = weights > 0
    weights = weights[seen] / copies
    if not len(weights):
        return None
    if kinds[0] is kinds[1]:
        return _scatter((tail, head), own.scores(tail)[seen], own.scores(head)[seen], weights)
    by, number = (tail, head) if kinds[1] is VariableKind.NUMBER else (head, tail)
    states = data.states[data.index(by)]
    return _boxes((by, number), states, own.codes(by)[seen], own.scores(number)[seen], weights)


def quantiles_of(values: Floats, weights: Floats, shares: Sequence[float]) -> Floats:
    """Return for each share the smallest value that at least this share of the weight is not above.

    >>> quantiles_of(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]), [0.25, 0.5, 1.0]).tolist()
    [1.0, 2.0, 3.0]
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    at = np.searchsorted(below, np.array(shares) * below[-1] * (1 - 1e-12))
    return np.asarray(values[order][np.minimum(at, len(values) - 1)])


def smooth(x: Floats, y: Floats, places: Floats, weights: Floats) -> Floats:
    """Return the local lines of y over x at some places: weighted by the tricube of the distance."""
    found = np.empty(len(places))
    nearest = max(2, int(SPAN * len(x) + 1e-10))
    for k, place in enumerate(places):
        distance = np.abs(x - place)
        reach = np.partition(distance, nearest - 1)[nearest - 1]
        near = weights * (distance <= reach)
        if reach > 0:  # else more than this share of the cases are at the place
            near = near * (1 - np.minimum(distance / reach, 1) ** 3) ** 3
        if near.sum() <= 0:  # all are at one distance
            near = weights * (distance <= reach)
        centre = near @ x / near.sum()
        along = near @ (x - centre) ** 2
        slope = near @ ((x - centre) * y) / along if along > 1e-12 * near.sum() * np.ptp(x) ** 2 else 0.0
        found[k] = near @ y / near.sum() + slope * (place - centre)
    return found


def _scatter(names: tuple[str, str], x: Floats, y: Floats, weights: Floats) -> Scatter:
    few = len(weights) <= MOST_POINTS and bool((weights == 1).all())
    xs, ys = (_range(own, None if few else weights) for own in (x, y))
    cells: tuple[tuple[int, int, int], ...] = ()
    if not few:
        inside = (x >= xs[0]) & (x <= xs[1]) & (y >= ys[0]) & (y <= ys[1])
        column = np.minimum(((x[inside] - xs[0]) / (xs[1] - xs[0]) * ACROSS).astype(np.int64), ACROSS - 1)
        row = np.minimum(((y[inside] - ys[0]) / (ys[1] - ys[0]) * UP).astype(np.int64), UP - 1)
        counts = np.bincount(column * UP + row, weights[inside], minlength=ACROSS * UP)
        cells = tuple((int(k) // UP, int(k) % UP, max(1, round(float(counts[k])))) for k in np.flatnonzero(counts > 0))
    points = tuple(zip(x.tolist(), y.tolist(), strict=True)) if few else ()
    return Scatter(*names, xs, ys, points, cells, curve=_curve(x, y, weights))


def _range(values: Floats, weights: Floats | None) -> Point:
    """Return from where to where a picture goes: with weights, without the most extreme cases."""
    low, high = float(values.min()), float(values.max())
    if weights is not None:
        inner = quantiles_of(values, weights, (CLIPPED_SHARE, 1 - CLIPPED_SHARE))
        if inner[1] > inner[0]:
            return float(inner[0]), float(inner[1])
    return low, high


def _curve(x: Floats, y: Floats, weights: Floats) -> tuple[Point, ...]:
    start, end = quantiles_of(x, weights, ENDS).tolist()
    if end <= start:
        return ()
    places = np.linspace(start, end, PLACES)
    if len(x) > MOST_SMOOTHED:
        drawn = np.random.default_rng(0).choice(len(x), MOST_SMOOTHED, p=weights / weights.sum())
        x, y, weights = x[drawn], y[drawn], np.ones(MOST_SMOOTHED)
    return tuple(zip(places.tolist(), smooth(x, y, places, weights).tolist(), strict=True))


def _boxes(
    names: tuple[str, str], states: Sequence[str], codes: NDArray[np.int64], y: Floats, weights: Floats
) -> Boxes:
    counts = np.bincount(codes, weights, minlength=len(states))
    seen = np.flatnonzero(counts > 0)
    kept = np.sort(seen[np.argsort(-counts[seen], kind="stable")[:MOST_BOXES]])
    own = [(y[codes == k], weights[codes == k]) for k in kept]
    return Boxes(
        *names,
        tuple(states[k] for k in kept),
        tuple(max(1, round(float(counts[k]))) for k in kept),
        tuple(tuple(quantiles_of(*values, BOX).tolist()) for values in own),
        tuple(float(np.average(values, weights=given)) for values, given in own),
        len(seen) - len(kept),
    )
