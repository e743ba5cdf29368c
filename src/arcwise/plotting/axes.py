"""Axes to draw into: those given, or new ones, which a notebook shows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes_or_new", "two_axes_or_new"]


def axes_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the axes, or new ones of a size in inches.

    If pyplot is in use, as in a notebook, the figure is one of its own, so that it is shown; else nothing global is
    touched.
    """
    if ax is not None:
        return ax
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        made: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
        return made
    from arcwise.extras import load_figure

    return load_figure()(figsize=(width, height), layout="constrained").add_subplot()


def two_axes_or_new(axes: tuple[Axes, Axes] | None, width: float, height: float) -> tuple[Axes, Axes]:
    """Return the axes, or two new ones, one above the other, with the same values along."""
    if axes is not None:
        return axes
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        figure = pyplot.figure(figsize=(width, height), layout="constrained")
    else:
        from arcwise.extras import load_figure

        figure = load_figure()(figsize=(width, height), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True)
    return above, below
