"""Charts of numbers: matrices, intervals, bars, forests and curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.plotting.layout import axes_or_new, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def two_axes_or_new(axes: tuple[Axes, Axes] | None, width: float, height: float) -> tuple[Axes, Axes]:
    """Return the axes, or two new ones, one above the other, with the same values along."""
    if axes is not None:
        return axes
    above, below = new_figure(width, height).subplots(2, 1, sharex=True)
    return above, below


Values = NDArray[np.float64]


def plot_matrix(
    names: Sequence[str], values: Values, *, labels: tuple[str, str], legend: str, ax: Axes | None = None
) -> Axes:
    """Draw a square matrix in shades of grey, 0 white; `labels` are those of rows and columns."""
    n = len(names)
    side = max(3.0, min(14.0, 1.5 + 0.35 * n))
    ax = axes_or_new(ax, side + 1, side)
    image = ax.imshow(values, cmap="Greys", vmin=0.0, vmax=max(float(np.nanmax(values, initial=0.0)), 1e-12))
    ax.set_xticks(range(n), names, rotation=90, fontsize=8)
    ax.set_yticks(range(n), names, fontsize=8)
    ax.set_ylabel(labels[0])
    ax.set_xlabel(labels[1])
    figure = ax.get_figure()
    assert figure is not None
    figure.colorbar(image, ax=ax, label=legend, shrink=0.8)
    return ax


def plot_intervals(
    causes: Sequence[str],
    outcomes: Sequence[str],
    found: tuple[Values, Values, Values],
    *,
    observed: Values,
    labels: tuple[str, str],
    ax: Axes | None = None,
) -> Axes:
    """Draw means with intervals by state of a cause, one colour per state of the outcome; crosses are observed."""
    ax = axes_or_new(ax, 5.5, 3.6)
    mean, low, high = found
    at = np.arange(len(causes))
    for s, state in enumerate(outcomes):
        place = at + 0.12 * (s - (len(outcomes) - 1) / 2)
        errors = np.abs(np.stack([mean[:, s] - low[:, s], high[:, s] - mean[:, s]]))
        drawn = ax.errorbar(place, mean[:, s], yerr=errors, fmt="o", capsize=3, label=state)
        ax.plot(place, observed[:, s], "x", color=drawn.lines[0].get_color())
    ax.set_xticks(at, causes)
    ax.set_ylim(0, 1)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(f"{labels[1]}; crosses: as observed")
    ax.legend()
    return ax


def plot_bars(
    names: Sequence[str], values: Mapping[str, Sequence[float]], *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw groups of horizontal bars, one per name, the first on top."""
    ax = axes_or_new(ax, 6.0, max(2.0, 0.8 + 0.4 * len(names)))
    at = np.arange(len(names))
    height = 0.8 / max(1, len(values))
    for k, (label, numbers) in enumerate(values.items()):
        ax.barh(at + height * k, numbers, height=height, label=label)
    ax.set_yticks(at + height * (len(values) - 1) / 2, names)
    ax.invert_yaxis()
    ax.set_title(title)
    ax.legend()
    return ax


def plot_forest(
    names: Sequence[str], values: ArrayLike, low: ArrayLike, high: ArrayLike, *, ax: Axes | None = None
) -> Axes:
    """Draw a point and a range per name, the first on top, between 0 and 1."""
    ax = axes_or_new(ax, 6.0, max(2.0, 0.8 + 0.28 * len(names)))
    at = np.arange(len(names))
    ax.hlines(at, np.asarray(low), np.asarray(high), color="0.55", linewidth=2)
    ax.plot(np.asarray(values), at, "o", color="black", markersize=4)
    ax.set_yticks(at, names, fontsize=8)
    ax.set_xlim(-0.02, 1.02)
    ax.invert_yaxis()
    ax.set_xlabel("confidence")
    return ax


def plot_calibration(
    predicted: Values, observed: Values, count: Values, *, title: str = "", ax: Axes | None = None
) -> Axes:
    """Draw the share that came true over the predicted probability; larger points have more predictions."""
    ax = _unit_square(ax, "predicted probability", "share that came true")
    ax.scatter(predicted, observed, s=10 + 150 * count / max(float(count.max(initial=0.0)), 1.0), color="black")
    ax.set_title(title)
    return ax


def plot_uniformity(values: Values, *, ax: Axes | None = None) -> Axes:
    """Draw rising p-values against those of a uniform distribution."""
    ax = _unit_square(ax, "expected p-value", "p-value of the implied independence")
    ax.plot((np.arange(len(values)) + 0.5) / max(len(values), 1), values, ".", color="black")
    return ax


def _unit_square(ax: Axes | None, along: str, up: str) -> Axes:
    """Return axes from 0 to 1 with their diagonal."""
    ax = axes_or_new(ax, 4.2, 4.2)
    ax.plot([0, 1], [0, 1], color="0.6", linestyle="--", linewidth=1)
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel=along, ylabel=up)
    return ax
