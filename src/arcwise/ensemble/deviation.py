"""Deviation curves: how far the k-th best network falls short of the optimum (Liao Figure 3.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import OptionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["deviation_curve", "plot_deviations"]


def deviation_curve(networks: NetworkSet) -> NDArray[np.float64]:
    """Return opt - score of the networks in rising order: entry k - 1 is the deviation of the k-th best."""
    if not np.isfinite(networks.scores).all() or math.isnan(networks.opt):
        raise OptionError(f"a deviation curve needs scores and an optimum; this set ('{networks.origin}') has none.")
    return np.sort(networks.opt - networks.scores)


def plot_deviations(
    sets: Mapping[str, NetworkSet], *, bayes_factors: tuple[float, ...] = (3.0, 20.0, 150.0), ax: Axes | None = None
) -> Axes:
    """Draw one deviation curve per set, with dashed lines where Bayes factors lie.

    All networks below the line of a factor are credible at that factor.
    """
    if ax is None:
        from arcwise.extras import load_figure

        Figure = load_figure()
        ax = Figure(figsize=(7, 4.5), layout="constrained").add_subplot()
    longest = 1
    for label, networks in sets.items():
        curve = deviation_curve(networks)
        longest = max(longest, len(curve))
        ax.step(np.arange(1, len(curve) + 1), curve, where="post", label=label)
    for factor in bayes_factors:
        ax.axhline(math.log(factor), color="firebrick", linestyle="--", linewidth=0.8)
        ax.annotate(
            f"{factor:g}",
            (1.0, math.log(factor)),
            xycoords=("axes fraction", "data"),
            xytext=(3, -3),
            textcoords="offset points",
            color="firebrick",
            fontsize="small",
        )
    ax.set_xscale("log")
    ax.set_xlim(1, longest)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("k, rank of the network")
    ax.set_ylabel("deviation from the optimum (natural log); Bayes factor at the right")
    ax.legend()
    return ax
