"""`ChainPosterior`: what chains drew from the posterior, and whether they agree."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import Argument, Remedy, UnfinishedError
from arcwise.base.options import load_figure
from arcwise.base.run import Status
from arcwise.base.showing import one_screen
from arcwise.networks.families import ArcShares, Families, choice_type
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.origin import Facts, facts_without, make_facts
from arcwise.networks.recipe import Origin
from arcwise.posterior.diagnostics import FEWEST, PairIndicators, Verdict, effective_draws, few_parents_sentence

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from arcwise.networks.origin import Ensemble


# Traces and ranks of chains, as ArviZ draws them, by matplotlib.
#
# A trace shows each quantity draw by draw, a line for each chain: chains that have converged look like one another,
# and like themselves a while ago. A rank plot shows how the ranks of each chain's draws, among those of all chains,
# are spread: evenly, if all chains draw from the same distribution (Vehtari et al. 2021, section 5).


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


LARGEST_TRACE = 1000  # pairs that are exported


@one_screen
@dataclass(frozen=True, slots=True)
class Share:
    """A share of the posterior, estimated from draws, with its standard error."""

    value: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class ChainPosterior(ArcShares):
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
    facts: Facts = field(default_factory=Facts)

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

    def networks(self) -> NetworkSet:
        """Return the draws as networks of equal weight, chain by chain; the origin is "posterior"."""
        kind = choice_type(int(np.diff(self.families.node_offsets).max(initial=1)))
        return NetworkSet(
            names=self.names,
            families=self.families,
            choices=self.rows.reshape(self.count, len(self.names)).astype(kind),
            scores=self.scores.reshape(-1).copy(),
            log_weights=np.full(self.count, -math.log(max(1, self.count))),
            origin=Origin("posterior"),
            status=self.status,
            max_parents=self.max_parents,
            score=dict(self.score),
            data_digest=self.data_digest,
            facts=facts_without(self.facts, "seconds")  # equal work, equal files
            | make_facts(
                chains=self.scores.shape[0],
                chain_draws=self.scores.shape[1],
                verdict=self.verdict.describe(),
                left_out=self.left_out,
            ),
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


def effective_networks(networks: Ensemble) -> NDArray[np.float64] | None:
    """Return the effective number of networks for each pair's edge, where chains drew them; None for others.

    None, too, for networks that were drawn from the posterior independently of each other: each is an effective one.

    NaN if they are a part of what the chains drew: the order of the draws is lost.
    """
    listed, chains = networks.listed, networks.facts.get("chains")
    if listed is None or not networks.origin.is_chained or chains is None:
        return None
    n, draws = listed.n_variables, networks.facts.get("chain_draws") or 0
    if chains * draws != listed.count or draws < FEWEST:
        return np.full((n, n), math.nan)
    found = PairIndicators.of(_native(listed.families), listed.choices.astype(np.uint32).reshape(chains, draws, n))
    return found.matrix(np.nan_to_num(found.effective[:, 2], nan=math.inf), n, math.inf)


def _native(families: Families) -> Any:
    return _core.parent_sets.TableView(
        families.node_offsets, np.zeros(families.n_rows), families.set_offsets, families.members
    )


def joined_chains(parts: Sequence[Facts]) -> Facts:
    """Return what the facts of networks say of the chains that drew them, from each completion of data with gaps.

    What cannot be told from the parts is left out: the order of the draws, and with it effective numbers for each pair.
    """
    verdicts = [verdict for facts in parts if (verdict := facts.get("verdict"))]
    if not verdicts:
        return Facts()
    worst = max(verdicts, key=lambda verdict: (not verdict["converged"], verdict["largest_difference"]))
    known = [verdict["r_hat"] for verdict in verdicts]
    cut_short = [verdict["most_parents"] for verdict in verdicts if verdict.get("most_parents") is not None]
    least = min(cut_short, default=None)
    disagree = sum(not verdict["converged"] for verdict in verdicts)
    if disagree:
        sentence = (
            f"In {disagree:,} of {len(verdicts):,} completions the chains did not converge; in the worst: "
            f"{worst['sentence']}"
        )
    else:
        sentence = (
            f"Converged: in each of {len(verdicts):,} completions {worst['chains']} chains agree (largest difference "
            f"{worst['largest_difference']:.3f}).{few_parents_sentence(least)}"
        )
    verdict = {
        "converged": not disagree,
        "chains": worst["chains"],
        "draws": sum(verdict["draws"] for verdict in verdicts),
        "r_hat": None if None in known else max(known),
        "effective": _sum(verdict["effective"] for verdict in verdicts),
        "score_effective": _sum(verdict["score_effective"] for verdict in verdicts),
        "largest_difference": worst["largest_difference"],
        "differing": worst["differing"],
        "sentence": sentence,
        **({} if least is None else {"most_parents": least}),
    }
    return make_facts(chains=worst["chains"], verdict=verdict)


def _sum(values: Any) -> float | None:
    """Return the sum of effective numbers; None if one is not known."""
    found = list(values)
    return None if None in found else float(sum(found))
