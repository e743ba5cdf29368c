"""`PosteriorSettings`: how the posterior over all DAGs is found."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

from arcwise.ensemble.chains.settings import MOST_CHAINS
from arcwise.ensemble.ways import Way, checked_way
from arcwise.option import check_options, option
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["PosteriorKeywords", "PosteriorSettings"]


@one_screen
@dataclass(frozen=True)
class PosteriorSettings:
    """How the posterior is found.

    Parameters
    ----------
    way
        "exact" sums over all DAGs, "chains" draws from them; "auto" sums where that takes about a minute at most, by
        what is to be summed and not by the clock, and 2 GB, and else draws.
    chains, most_draws, path, cluster
        See `arcwise.ensemble.chains.settings.ChainSettings`.
    jump_factor
        Chains jump among the networks within this Bayes factor of the best one, if that set is found in 32 MB, or
        else within 0.3 times of it; 1 for no jumps.
    drawing
        Whether networks are to be drawn from the posterior, too: then "auto" sums only where there is memory for that,
        of which draws from the sums need several times as much as the sums.
    """

    way: Way = "auto"
    chains: int = option(4, "how many chains", low=2, high=MOST_CHAINS)
    most_draws: int = option(200_000, "how many draws of each chain at most", low=8)
    jump_factor: float = option(1000.0, "chains jump among the networks within this Bayes factor of the best", low=1)
    path: str | os.PathLike[str] | None = None
    cluster: Any = None  # str | Client | None: Dask is not there for everybody
    drawing: bool = False

    def __post_init__(self) -> None:
        check_options(self)
        checked_way(self.way)


class PosteriorKeywords(TypedDict, total=False):
    """`PosteriorSettings` as keywords."""

    settings: PosteriorSettings
    way: Way
    chains: int
    most_draws: int
    jump_factor: float
    path: str | os.PathLike[str] | None
    cluster: str | Client | None
    drawing: bool
