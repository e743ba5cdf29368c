"""`ChainPosterior`: what chains drew from the posterior, and whether they agree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.chains.diagnostics import FEWEST, PairIndicators, Verdict, effective_draws
from arcwise.ensemble.chains.plots import plot_ranks, plot_traces
from arcwise.ensemble.families import Families, arc_frame, choice_type
from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import UnfinishedError
from arcwise.limits import Status
from arcwise.mentions import Argument, Remedy
from arcwise.showing import one_screen

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["ChainPosterior", "Share", "effective_networks", "standard_errors"]

# The facts of a set of networks that say how many chains drew it, and how many networks each.
CHAINS, CHAIN_DRAWS = "chains", "chain_draws"
LARGEST_TRACE = 1000  # pairs that are exported


@one_screen
@dataclass(frozen=True, slots=True)
class Share:
    """A share of the posterior, estimated from draws, with its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class ChainPosterior:
    """Draws from the posterior over DAGs by several chains, with a verdict on their convergence.

    Parameters
    ----------
    names, families
        The variables, and the parent sets that the chains walked on.
    rows, scores
        At [chain, draw, variable], the row of the variable's parents in `families`, counted within the variable; at
        [chain, draw], the score of the network. The first fourth of each chain is left out.
    verdict
        Whether the chains agree.
    status
        COMPLETE if they do, else what ended the run.
    left_out
        A bound on the share of the posterior that has a parent set which the table lacks.
    moves
        How often each move was tried and accepted, over all chains.
    score, max_parents, data_digest, facts
        What was drawn from; seed, steps between draws, draws made, seconds.
    """

    names: tuple[str, ...]
    families: Families
    rows: NDArray[np.uint32]
    scores: NDArray[np.float64]
    verdict: Verdict
    status: Status
    left_out: float
    moves: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    max_parents: int | None = None
    data_digest: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def converged(self) -> bool:
        """Whether the chains agree, by R-hat and by what they say about every pair."""
        return self.verdict.converged

    @property
    def complete(self) -> bool:
        """The same: draws of chains that do not agree are draws of nothing in particular."""
        return self.status is Status.COMPLETE

    @property
    def count(self) -> int:
        """How many draws there are, over all chains."""
        return int(self.scores.size)

    @cached_property
    def indicators(self) -> PairIndicators:
        """Each pair's arcs and edges, by chain."""
        return PairIndicators.of(_native(self.families), self.rows)

    def arc_probabilities(self) -> NDArray[np.float64]:
        """Return the matrix of the shares of the draws with the arc p -> c, at [p, c]."""
        found = [
            np.bincount(self.rows[:, :, v].reshape(-1), minlength=int(b - a))
            for v, (a, b) in enumerate(
                zip(self.families.node_offsets[:-1], self.families.node_offsets[1:], strict=True)
            )
        ]
        return self.families.arc_shares(np.concatenate(found) / max(1, self.count))

    def edge_probabilities(self) -> NDArray[np.float64]:
        """Return the symmetric matrix of the shares of the draws with an arc either way."""
        arcs = self.arc_probabilities()
        return np.minimum(arcs + arcs.T, 1.0)

    def standard_errors(self) -> NDArray[np.float64]:
        """Return the Monte Carlo standard errors of the edges' probabilities, from the effective numbers of draws."""
        if self.scores.shape[1] < FEWEST:
            return np.full((len(self.names),) * 2, math.nan)
        return standard_errors(self.edge_probabilities(), self.effective_draws())

    def effective_draws(self) -> NDArray[np.float64]:
        """Return the effective number of draws of every pair's edge; NaN where all draws agree."""
        return self.indicators.matrix(self.indicators.effective[:, 2], len(self.names), math.nan)

    def share_within(self, least: float) -> Share:
        """Return the posterior probability of the networks that score at least so much: that of a credible set, say.

        Raises
        ------
        UnfinishedError
            If a limit ended the run before there was a draw.
        """
        if not self.count:
            raise UnfinishedError(
                f"no network was drawn ({self.status}), so that no share is known.",
                remedies=Remedy("raise", Argument("limits")),
            )
        inside = (self.scores >= least).astype(np.float64)
        half = inside.shape[1] // 2
        parts = np.concatenate([inside[:, :half], inside[:, inside.shape[1] - half :]])
        effective = effective_draws(parts) if half >= 4 else math.nan
        value = float(inside.mean())
        if math.isnan(effective):  # all in or all out: at most three networks in so many draws, with 95 %
            return Share(value, 1.5 / max(1.0, self.verdict.score_effective))
        return Share(value, math.sqrt(value * (1 - value) / effective))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per arc that any network has, with its probability, the likeliest first."""
        return arc_frame(self.names, self.arc_probabilities())

    def networks(self) -> NetworkSet:
        """Return the draws as networks of equal weight, chain by chain; the origin is "posterior"."""
        kind = choice_type(int(np.diff(self.families.node_offsets).max(initial=1)))
        return NetworkSet(
            names=self.names,
            families=self.families,
            choices=self.rows.reshape(self.count, len(self.names)).astype(kind),
            scores=self.scores.reshape(-1).copy(),
            log_weights=np.full(self.count, -math.log(max(1, self.count))),
            origin="posterior",
            status=self.status,
            max_parents=self.max_parents,
            score=dict(self.score),
            data_digest=self.data_digest,
            facts={
                **{name: fact for name, fact in self.facts.items() if name != "seconds"},  # equal work, equal files
                CHAINS: self.scores.shape[0],
                CHAIN_DRAWS: self.scores.shape[1],
                "verdict": self.verdict.describe(),
                "left_out": self.left_out,
            },
        ).compact()

    def to_arviz(self) -> Any:
        """Return the chains as ``arviz.InferenceData``: the scores, and the edges that chains are least sure of.

        ArviZ, which is not installed with arcwise, draws traces and ranks of them: ``arviz.plot_trace``,
        ``arviz.plot_rank``.
        """
        try:
            import arviz as az
        except ImportError:
            raise UnfinishedError(
                "ArviZ is not installed: pip install arviz, or pip install 'arcwise[arviz]'."
            ) from None
        return az.from_dict(posterior=self.traces())

    def plot_trace(self, most: int = 4) -> Figure:
        """Draw the score and the edges that chains are least sure of, draw by draw, chain by chain, at most so many."""
        return plot_traces(self._first_traces(most))

    def plot_rank(self, most: int = 4) -> Figure:
        """Draw how each chain's draws rank among all: evenly, if the chains agree. Of the same quantities."""
        return plot_ranks(self._first_traces(most))

    def _first_traces(self, most: int) -> dict[str, NDArray[Any]]:
        return dict(itertools.islice(self.traces(most).items(), max(1, most)))

    def traces(self, most: int = LARGEST_TRACE) -> dict[str, NDArray[Any]]:
        """Return, at [chain, draw], the scores ("score") and the indicators of edges ("a - b"), the least sure first.

        Edges that all draws have, or none, are left out, and those beyond the first `most`.
        """
        found: dict[str, NDArray[Any]] = {"score": self.scores}
        pairs = self.indicators
        shares = pairs.shares[:, 2].mean(axis=(1, 2))
        unsure = [k for k in np.argsort(np.abs(shares - 0.5), kind="stable").tolist() if 0 < shares[k] < 1]
        starts, tuples = self.families.node_offsets, self.families.parent_tuples
        for k in unsure[:most]:
            i, j = int(pairs.first[k]), int(pairs.second[k])
            has = np.zeros(self.scores.shape, dtype=bool)
            for child, parent in ((i, j), (j, i)):
                own = np.array([parent in tuples[r] for r in range(int(starts[child]), int(starts[child + 1]))])
                has |= own[self.rows[:, :, child]]
            found[f"{self.names[i]} - {self.names[j]}"] = has.astype(np.int64)
        return found

    def report(self) -> str:
        """Return what is known of the error, in sentences."""
        lacking = (
            f" Parent sets that the table lacks have at most {self.left_out:.1g} of the posterior."
            if self.left_out > 0
            else ""
        )
        ended = "" if self.complete else f" The run ended by a limit: {self.status}."
        return f"{self.verdict.sentence()}{ended}{lacking}"

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not converged"
        size = f"{self.count:,} draws of {len(self.scores)} chains"
        return f"ChainPosterior({size} over {len(self.names)} variables, {state})"


def standard_errors(shares: NDArray[np.float64], effective: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard errors of shares with so many effective draws; 0 where all draws agree."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.sqrt(shares * (1 - shares) / effective), nan=0.0)


def effective_networks(networks: Any) -> NDArray[np.float64] | None:
    """Return the effective number of networks for each pair's edge, where chains drew them; None for others.

    None, too, for networks that were drawn from the posterior independently of each other: each is an effective one.

    NaN if they are a part of what the chains drew: the order of the draws is lost.
    """
    if getattr(networks, "origin", "") != "posterior" or not isinstance(networks, NetworkSet):
        return None
    if CHAINS not in networks.facts:
        return None
    n = networks.n_variables
    chains, draws = networks.facts.get(CHAINS, 0), networks.facts.get(CHAIN_DRAWS, 0)
    if chains * draws != networks.count or draws < FEWEST:
        return np.full((n, n), math.nan)
    found = PairIndicators.of(_native(networks.families), networks.choices.astype(np.uint32).reshape(chains, draws, n))
    return found.matrix(np.nan_to_num(found.effective[:, 2], nan=math.inf), n, math.inf)


def _native(families: Families) -> Any:
    from arcwise import _core

    return _core.parent_sets.TableView(
        families.node_offsets, np.zeros(families.n_rows), families.set_offsets, families.members
    )
