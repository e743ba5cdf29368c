"""What the report shows of the chains that drew the networks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from arcwise.ensemble.chains.chain_posterior import CHAIN_DRAWS, CHAINS
from arcwise.ensemble.chains.plots import RANK_BINS, rank_counts
from arcwise.ensemble.network_set import NetworkSet

if TYPE_CHECKING:
    from arcwise.ensemble.network_summary import Ensemble

__all__ = ["ChainFacts", "chain_facts"]

POINTS = 150  # of each chain's line


@dataclass(frozen=True, eq=False)
class ChainFacts:
    """Traces and ranks of chains.

    Parameters
    ----------
    left_out
        A bound on the share of the posterior that the chains could not see.
    places, traces
        Numbers of draws, and for each chain the scores there, less the best score of all draws.
    ranks
        For each chain, the share of its draws in each twentieth of all ranks, times twenty: 1 if chains agree.
    """

    left_out: float
    places: tuple[int, ...]
    traces: tuple[tuple[float, ...], ...]
    ranks: tuple[tuple[float, ...], ...]


def chain_facts(networks: Ensemble) -> ChainFacts | None:
    """Return what is shown of the chains that drew these networks; None if none did, or they are not all there."""
    if not isinstance(networks, NetworkSet) or networks.origin != "posterior":
        return None
    chains, draws = int(networks.facts.get(CHAINS, 0)), int(networks.facts.get(CHAIN_DRAWS, 0))
    if chains * draws != networks.count or draws < RANK_BINS:
        return None
    scores = networks.scores.reshape(chains, draws)
    places = np.unique(np.linspace(0, draws - 1, min(POINTS, draws)).round().astype(int))
    lower = np.round(scores - scores.max(), 3)
    return ChainFacts(
        left_out=float(networks.facts.get("left_out", 0.0)),
        places=tuple(places.tolist()),
        traces=tuple(tuple(own[places].tolist()) for own in lower),
        ranks=tuple(tuple((own * RANK_BINS / draws).round(3).tolist()) for own in rank_counts(scores)),
    )
