"""Traces and ranks of chains, as ArviZ draws them, by matplotlib.

A trace shows each quantity draw by draw, a line for each chain: chains that have converged look like one another, and
like themselves a while ago. A rank plot shows how the ranks of each chain's draws, among those of all chains, are
spread: evenly, if all chains draw from the same distribution (Vehtari et al. 2021, section 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["RANK_BINS", "plot_ranks", "plot_traces", "rank_counts"]

RANK_BINS = 20
MOST_POINTS = 1000  # of a line: more cannot be told apart


def rank_counts(values: NDArray[Any], bins: int = RANK_BINS) -> NDArray[np.int64]:
    """Return, at [chain, bin], how many draws of a chain have ranks in each of so many equal parts of all ranks.

    Draws that are equal are ranked in random order, always the same: an indicator has two values, and a mean rank would
    put all draws into two bins.
    """
    chains = values.shape[0]
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    order = np.lexsort((np.random.default_rng(0).permutation(flat.size), flat))
    ranks = np.empty(flat.size, dtype=np.int64)
    ranks[order] = np.arange(flat.size)
    places = (ranks * bins // flat.size).reshape(chains, -1)
    return np.stack([np.bincount(own, minlength=bins) for own in places]).astype(np.int64)


def _panels(traces: Mapping[str, NDArray[Any]], across: int) -> tuple[Figure, Any]:
    from arcwise.extras import load_figure

    figure = load_figure()(figsize=(10.0, 2.2 * len(traces)), layout="constrained")
    return figure, figure.subplots(len(traces), across, squeeze=False)


def plot_traces(traces: Mapping[str, NDArray[Any]]) -> Figure:
    """Draw, for every quantity at [chain, draw], its distribution in each chain and its trace."""
    figure, panels = _panels(traces, 2)
    for (spread, line), (name, values) in zip(panels, traces.items(), strict=True):
        edges = np.histogram_bin_edges(values.astype(np.float64), bins=30)
        step = max(1, values.shape[1] // MOST_POINTS)
        for chain, own in enumerate(values.astype(np.float64)):
            spread.hist(own, bins=edges, histtype="step", color=f"C{chain % 10}", density=True)
            shown = own[::step]
            line.plot(np.arange(len(shown)) * step, shown, color=f"C{chain % 10}", linewidth=0.6, alpha=0.7)
        spread.set_title(name, fontsize="small")
        line.set_title(name, fontsize="small")
        line.set_xlabel("draw")
    return figure


def plot_ranks(traces: Mapping[str, NDArray[Any]]) -> Figure:
    """Draw, for every quantity at [chain, draw], the ranks of each chain's draws among all; even if chains agree."""
    figure, panels = _panels(traces, 1)
    for panel, (name, values) in zip(panels[:, 0], traces.items(), strict=True):
        counts = rank_counts(values)
        expected = values.shape[1] / RANK_BINS
        for chain, own in enumerate(counts):
            panel.bar(
                np.arange(RANK_BINS), own / expected * 0.4, width=0.95, bottom=chain - 0.4, color=f"C{chain % 10}"
            )
            panel.axhline(chain, color="black", linestyle="--", linewidth=0.8)
        panel.set_xticks(range(0, RANK_BINS, 5))
        panel.set_yticks(range(len(counts)))
        panel.set_ylabel("chain")
        panel.set_xlabel("rank among all draws, in twentieths")
        panel.set_title(name, fontsize="small")
    return figure
