"""How chains walk. Nothing here changes what they converge to, only how soon."""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from arcwise.base.cluster import Cluster
from arcwise.base.errors import Argument, OptionError, check_argument
from arcwise.base.options import CheckedOptions, Common, check_options, option, row
from arcwise.base.showing import one_screen
from arcwise.graph.dag import Dag

if TYPE_CHECKING:
    from distributed import Client


MOVES = ("toggle", "reversal", "redraw", "parents", "block", "edge", "blanket")
# Of the mixtures that were tried on water, alarm and hailfinder, the one with the most effective draws per second.
MIXTURE = (0.05, 0.4, 0.3, 0.1, 0.02, 0.12, 0.01)
MOST_CHAINS = 1000


@one_screen
@dataclass(frozen=True)
class ChainSettings:
    """How many chains, and how each walks.

    Parameters
    ----------
    chains
        How many, at least 2: without another one nothing can be said about convergence.
    steps
        The steps between two draws; None for two per variable, at least 20.
    most_draws
        After so many draws per chain the run ends, converged or not.
    heats
        The exponents of the posterior at which the replicas of a chain walk, falling from 1 (parallel tempering).
        Replicas below 1 cross from mode to mode more easily, and cost as much as the chain itself.
    mixture
        How often each move is tried: toggle, reversal, redraw, parents, block, edge, blanket. Sums to 1.
    window
        How many nats below the best parent set a move that draws one looks.
    path
        A file that keeps the chains. If a run with the same arguments wrote it, the run goes on where that one ended.
    cluster
        The address of a Dask scheduler, or a client: each chain walks on a worker. None for this machine.
    resampled
        Networks of resampled data, for every fourth chain to begin at, over the variables of the table.
    by_clock
        Whether a time limit decided what is given here, the set to jump in, say. Then the run, and whatever goes on
        from its file, ends with TIME_LIMIT even if the chains agree.
    """

    chains: int = option(4, "how many chains", low=2, high=MOST_CHAINS)
    steps: int | None = option(None, "steps between two draws", low=1, usual="two per variable, at least 20")
    most_draws: int = option(200_000, "the most draws of each chain, converged or not", low=8)
    heats: tuple[float, ...] = (1.0,)
    mixture: tuple[float, ...] = MIXTURE
    window: float = 10.0
    path: str | os.PathLike[str] | None = option(
        None, "keep the chains in this file, and continue from it if it exists", flags=("--resume",)
    )
    cluster: str | Client | Cluster | None = row(Common, "cluster")
    resampled: tuple[Dag, ...] = ()
    by_clock: bool = False

    def __post_init__(self) -> None:
        check_options(self)
        heats = tuple(map(float, self.heats))
        falls = heats and heats[0] == 1 and min(heats) > 0 and all(a > b for a, b in itertools.pairwise(heats))
        rule = "must fall from 1 and stay above 0, as in (1.0, 0.8, 0.6)."
        check_argument(bool(falls), "heats", self.heats, rule)
        shares = tuple(map(float, self.mixture))
        if len(shares) != len(MOVES) or min(shares) < 0 or abs(sum(shares) - 1) > 1e-9 or shares[0] == 0:
            raise OptionError(
                Argument("mixture", self.mixture),
                f"must be {len(MOVES)} probabilities, of {', '.join(MOVES)}, that sum to 1; toggles, which alone reach "
                "every network, need some.",
            )
        check_argument(self.window > 0, "window", self.window, "must be positive.")

    def steps_for(self, n_variables: int) -> int:
        """The steps between two draws of a chain over so many variables."""
        return max(20, 2 * n_variables) if self.steps is None else self.steps


Method = Literal["auto", "exact", "chains"]


@one_screen
@dataclass(frozen=True)
class PosteriorSettings(CheckedOptions):
    """How the posterior is found.

    Parameters
    ----------
    way
        "exact" sums over all DAGs, "chains" draws from them; "auto" sums where that takes about a minute at most, by
        what is to be summed and not by the clock, and 2 GB, and else draws.
    chains, most_draws, path, cluster
        See `arcwise.posterior.settings.ChainSettings`.
    jump_factor
        Chains jump among the networks within this Bayes factor of the best one, if that set is found in 32 MB, or
        else within 0.3 times of it; 1 for no jumps.
    drawing
        Whether networks are to be drawn from the posterior, too: then "auto" sums only where there is memory for that,
        of which draws from the sums need several times as much as the sums.
    """

    way: Method = option("auto", "exact: sum over all networks; chains: draw from them; auto: sum if that is quick")
    chains: int = row(ChainSettings, "chains")
    most_draws: int = row(ChainSettings, "most_draws")
    jump_factor: float = option(
        1000.0, "chains jump among the networks within this Bayes factor of the best; 1: none", low=1
    )
    path: str | os.PathLike[str] | None = row(ChainSettings, "path")
    cluster: str | Client | Cluster | None = row(Common, "cluster")
    drawing: bool = False
