"""Axes to draw into: those given, or new ones, which a notebook shows."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axes_or_new"]


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
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained").add_subplot()
