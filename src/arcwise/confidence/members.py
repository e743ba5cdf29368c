"""One way to get confidences from data: a score, and the bootstrap or the credible set. Ensembles are made of these."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from arcwise.confidence.averaging import edge_confidence
from arcwise.confidence.edge_confidence import EdgeConfidence
from arcwise.data import Dataset
from arcwise.ensemble import NetworkSet, bootstrap_networks, find_credible
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import Score, make_score
from arcwise.showing import one_screen

__all__ = ["Member", "Method"]

Method = Literal["bootstrap", "credible"]
# Of a credible set's time: the table of parent sets stops at a finished level, and the search still has some time.
TABLE_SHARE = 0.6


@one_screen
@dataclass(frozen=True)
class Member:
    """A score and a way to find networks, with its settings; the defaults are those of Liao's studies (4.6.2).

    Parameters
    ----------
    method
        "bootstrap" or "credible".
    score
        A score, or its name with parameters as in ``"bdeu:ess=1"``.
    replicates
        The bootstrap's networks; they are learned by tabu search.
    log_slack
        How far from the optimum the credible set reaches, as the log of a Bayes factor.
    most_networks
        How many networks of a credible set are listed at most.
    max_parents
        The most parents of any variable; None for no limit.
    """

    method: Method
    score: str | Score
    replicates: int = 200
    log_slack: float = math.log(150)
    most_networks: int = 100_000
    max_parents: int | None = None

    def __post_init__(self) -> None:
        if self.method not in get_args(Method):
            raise UnknownNameError(suggestion("method", self.method, get_args(Method)))
        make_score(self.score)
        if not (self.log_slack >= 0 and math.isfinite(self.log_slack)):
            raise OptionError(Argument("log_slack", self.log_slack), "must be 0 or more: the log of a Bayes factor.")
        for name in ("replicates", "most_networks"):
            if getattr(self, name) < 1:
                raise OptionError(f"{name}={getattr(self, name)!r} must be at least 1.")

    @property
    def label(self) -> str:
        """The member's name in tables: method and score."""
        return f"{self.method}:{make_score(self.score).describe()['name']}"

    def find_networks(self, data: Dataset, *, seed: int = 0, limits: Limits | None = None) -> NetworkSet:
        """Find the networks; `limits.seconds` is for all of it. A set that was not finished may be empty."""
        begin = time.monotonic()
        bounds = limits or Limits()
        if self.method == "bootstrap":
            return bootstrap_networks(
                data,
                replicates=self.replicates,
                score=self.score,
                max_parents=self.max_parents,
                seed=seed,
                limits=Limits(seconds=bounds.seconds),
                progress=False,
            )
        table = build_parent_sets(
            data,
            self.score,
            slack=self.log_slack,
            max_parents=self.max_parents,
            limits=replace(bounds, count=None, seconds=bounds.seconds and TABLE_SHARE * bounds.seconds),
            progress=False,
        )
        left: dict[str, Any] = {"memory_bytes": bounds.memory_bytes, "count": self.most_networks}
        if bounds.seconds is not None:
            left["seconds"] = max(1e-3, bounds.seconds - (time.monotonic() - begin))
        networks = find_credible(table, log_slack=self.log_slack, limits=Limits(**left), progress=False)
        if table.status is not Status.COMPLETE and networks.complete:
            networks = replace(networks, status=table.status)
        if table.status is not Status.COMPLETE and table.n_rows == table.n_variables:
            networks = networks[:0]  # no level with parents was finished: the empty network was all there is to find
        return networks

    def confidence(self, data: Dataset, *, seed: int = 0, limits: Limits | None = None) -> EdgeConfidence | None:
        """Find the networks and average them as equivalence classes; None if a limit left no network."""
        networks = self.find_networks(data, seed=seed, limits=limits)
        return edge_confidence(networks, n_cases=data.n_cases) if networks.count else None
