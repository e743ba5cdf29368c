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
from arcwise.base.arrays import finite_or_none
from arcwise.base.errors import Argument, Remedy, UnfinishedError
from arcwise.base.options import load_figure
from arcwise.base.run import HasStatus, Status
from arcwise.base.showing import counted, first_few, one_screen
from arcwise.networks.families import ArcShares, Families
from arcwise.networks.network_list import NetworkSet, load_arviz
from arcwise.networks.recipe import Ensemble, KnownFacts, NetworkOrigin, facts_without, make_facts

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Whether chains agree: R-hat, effective numbers of draws, and a verdict (Vehtari et al. 2021).
#
# Quantities are normalised by their ranks and every chain is halved, so that a chain which is still drifting disagrees
# with itself. An indicator, such as "there is an edge between a and b", has two values: its ranks are a linear function
# of it, and nothing needs to be normalised.


LARGEST_R_HAT = 1.01  # Vehtari et al. 2021
LARGEST_DIFFERENCE = 0.02  # two chains, one pair: a reader sees two digits
FEWEST = 8  # draws of a chain, for any number
FEWEST_DRAWS = 100  # of a half chain, for a verdict
FEWEST_EFFECTIVE = 100  # per chain, as Vehtari et al. advise: with fewer, R-hat itself is not to be relied upon
SHOWN = 3  # pairs that a verdict names
ROUNDING = 1e-20  # variances of normal scores that are nothing but rounding


@one_screen
@dataclass(frozen=True, slots=True)
class PairDisagreement:
    """A pair of variables on which chains do not agree."""

    first: str
    second: str
    what: str  # "->", "<-", or "-" for an edge either way, whichever they disagree on most
    least: float  # the smallest share of a chain's draws that have it,
    most: float  # and the largest
    r_hat: float  # of the indicator


@one_screen
@dataclass(frozen=True, slots=True)
class ChainVerdict:
    """Whether chains have converged, by what they can tell: their agreement.

    Parameters
    ----------
    converged
        All R-hat are below 1.01, no two chains differ by 0.02 or more on any arc or edge, and the effective numbers
        of draws are at least 100 for each chain.
    chains, draws
        How many chains, and the draws of each that count (the first fourth of each chain does not).
    score_r_hat, score_effective
        R-hat and the effective number of draws of the networks' scores.
    r_hat, effective, difference
        The largest R-hat, the smallest effective number of draws and the largest difference between two chains, over
        the arcs and edges of all pairs; the effective number is that of the arcs and edges that chains have in 1 % to
        99 % of their draws.
    differing
        The pairs that chains do not agree on, the worst first.
    most_parents
        How many parents the networks have at most because a limit ended the scoring of parent sets there; None if it
        did not.
    """

    converged: bool
    chains: int
    draws: int
    score_r_hat: float
    score_effective: float
    r_hat: float
    effective: float
    difference: float
    differing: tuple[PairDisagreement, ...]
    most_parents: int | None = None

    def sentence(self) -> str:
        """Return the verdict in words."""
        return f"{self._agreement()}{few_parents_sentence(self.most_parents)}"

    def _agreement(self) -> str:
        size = f"{self.chains} chains of {self.draws:,} draws"
        worst = f"{self.worst_r_hat:.3f}" if self.worst_r_hat < 100 else "over 100"
        facts = f"largest R-hat {worst}, largest difference {self.difference:.3f}"
        if self.converged:
            return f"Converged: {size} agree ({facts}; effective draws {self.effective:,.0f} at least)."
        if not self.differing:
            return f"Not converged: {size} differ in their scores, or are too few to tell ({facts})."
        pairs = [
            f"{pair.first} {pair.what} {pair.second} ({pair.least:.2f} to {pair.most:.2f})" for pair in self.differing
        ]
        count = counted(len(pairs), "pair")
        return f"Not converged: {size} differ on {count}: {first_few(pairs, SHOWN)} ({facts})."

    @property
    def worst_r_hat(self) -> float:
        """The largest R-hat of all, the score's among them."""
        return max(self.r_hat, self.score_r_hat)

    def describe(self) -> dict[str, Any]:
        """Return the verdict as JSON can hold it."""
        return {
            "converged": self.converged,
            "chains": self.chains,
            "draws": self.draws,
            "r_hat": finite_or_none(self.worst_r_hat),
            "effective": finite_or_none(self.effective),
            "score_effective": finite_or_none(self.score_effective),
            "largest_difference": self.difference,
            "differing": [[pair.first, pair.what, pair.second, pair.least, pair.most] for pair in self.differing],
            "sentence": self.sentence(),
            **({} if self.most_parents is None else {"most_parents": self.most_parents}),
        }


def few_parents_sentence(most: int | None) -> str:
    """Return the message that networks have fewer parents than were asked for, after a blank; "" if not."""
    if most is None:
        return ""
    parents = f"{counted(most, 'parent')} per variable"
    return f" A limit ended the scoring of parent sets: the networks have at most {parents}."


@dataclass(frozen=True, eq=False)
class PairIndicators:
    """What draws say about every pair that any of them joins: first -> second, second -> first, and either."""

    first: NDArray[np.int32]  # the pairs, as positions, first < second
    second: NDArray[np.int32]
    shares: NDArray[np.float64]  # of the draws, at [pair, kind, chain, half]
    effective: NDArray[np.float64]  # number of draws, at [pair, kind]; NaN where all draws agree
    length: int  # the draws in a half of a chain

    @classmethod
    def of(cls, native: Any, rows: NDArray[np.uint32], threads: int = 1) -> PairIndicators:
        """Count the indicators of draws: the row, within its node, of every chain, draw and node."""
        chains, draws = rows.shape[:2]
        if draws < FEWEST:
            none = np.empty(0, dtype=np.int32)
            return cls(none, none, np.empty((0, 3, chains, 2)), np.empty((0, 3)), draws // 2)
        first, second, counts, effective = _core.posterior.summarize_arcs(
            native, np.ascontiguousarray(rows, dtype=np.uint32).reshape(-1), chains, threads
        )
        half = draws // 2
        return cls(first, second, counts.reshape(-1, 3, chains, 2) / half, effective.reshape(-1, 3), half)

    def matrix(self, values: NDArray[np.float64], n: int, empty: float = 0.0) -> NDArray[np.float64]:
        """Put a number per pair into a symmetric matrix."""
        found = np.full((n, n), empty)
        found[self.first, self.second] = found[self.second, self.first] = values
        return found

    def verdict(self, names: Sequence[str], scores: NDArray[np.float64]) -> ChainVerdict:
        """Judge the chains by these indicators and by the scores of their draws, at [chain, draw]."""
        by_chain = self.shares.mean(axis=3)
        difference = by_chain.max(axis=2) - by_chain.min(axis=2)
        r_hat = share_r_hat(self.shares.reshape(len(self.shares), 3, 2 * len(scores)), self.length)
        wrong = ((difference >= LARGEST_DIFFERENCE) | (r_hat >= LARGEST_R_HAT)).any(axis=1)
        worst = np.argmax(np.where(np.isinf(r_hat), 2.0, difference), axis=1) if len(difference) else np.empty(0, int)
        order = sorted(np.flatnonzero(wrong).tolist(), key=lambda pair: (-difference[pair, worst[pair]], pair))
        differing = tuple(
            PairDisagreement(
                first=names[self.first[pair]],
                second=names[self.second[pair]],
                what=("->", "<-", "-")[worst[pair]],
                least=float(by_chain[pair, worst[pair]].min()),
                most=float(by_chain[pair, worst[pair]].max()),
                r_hat=float(r_hat[pair, worst[pair]]),
            )
            for pair in order
        )
        score_r_hat = rank_r_hat(scores)
        overall = self.shares.mean(axis=(2, 3))
        unsure = (overall >= 0.01) & (overall <= 0.99)
        effective = float(np.nanmin(self.effective[unsure], initial=float(scores.size)))
        score_effective = rank_effective_draws(scores)
        least = FEWEST_EFFECTIVE * len(scores)
        enough = self.length >= FEWEST_DRAWS and effective >= least and not score_effective < least
        return ChainVerdict(
            converged=enough and not differing and score_r_hat < LARGEST_R_HAT,
            chains=len(scores),
            draws=scores.shape[1],
            score_r_hat=score_r_hat,
            score_effective=score_effective,
            r_hat=float(r_hat.max(initial=1.0)),
            effective=effective,
            difference=float(difference.max(initial=0.0)),
            differing=differing,
        )


def share_r_hat(shares: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """Return R-hat of 0/1 series from the shares of ones in parts of equal length (the last axis)."""
    within = (shares * (1 - shares)).mean(axis=-1) * length / (length - 1)
    between = shares.var(axis=-1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.sqrt((within * (length - 1) / length + between) / within)
    return np.where(between <= 0, 1.0, np.where(within <= 0, np.inf, ratio))


def _halved(values: NDArray[np.float64]) -> NDArray[np.float64]:
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, values.shape[1] - half :]])


def _normalised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the normal scores of the ranks, ties with their mean rank (Vehtari et al. 2021, equation 14)."""
    from scipy.special import ndtri  # (scipy.stats, which has ranks, takes a second to import)

    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    return np.asarray(ndtri((ranks - 3 / 8) / (values.size + 1 / 4)))[which.reshape(values.shape)]


def _r_hat(parts: NDArray[np.float64]) -> float:
    length = parts.shape[1]
    within = float(parts.var(axis=1, ddof=1).mean())
    between = float(parts.mean(axis=1).var(ddof=1))
    if within < ROUNDING:
        return 1.0 if between < ROUNDING else math.inf
    return math.sqrt(((length - 1) / length * within + between) / within)


def rank_r_hat(values: NDArray[np.float64]) -> float:
    """Return the rank-normalised R-hat of a quantity, at [chain, draw]: the larger of that of values and of spreads."""
    parts = _halved(values)
    folded = np.abs(parts - np.median(parts))
    return max(_r_hat(_normalised(parts)), _r_hat(_normalised(folded)))


def rank_effective_draws(values: NDArray[np.float64]) -> float:
    """Return the effective number of draws for the bulk of a quantity, at [chain, draw]."""
    return effective_draws(_normalised(_halved(values)))


def effective_draws(parts: NDArray[np.float64]) -> float:
    """Return the effective number of draws of a series in parts of equal length; NaN if it is constant.

    Geyer's initial monotone sequence: sums of neighbouring autocorrelations, lags 0 and 1, 2 and 3, ..., as long as
    they are positive, and none larger than the one before.
    """
    count, length = parts.shape
    centred = parts - parts.mean(axis=1, keepdims=True)
    size = 1 << (2 * length - 1).bit_length()
    spectrum = np.fft.rfft(centred, size, axis=1)
    products = np.fft.irfft(spectrum * np.conj(spectrum), size, axis=1)[:, :length]
    covariance: NDArray[np.float64] = products.mean(axis=0) / length
    variance = covariance[0] * length / (length - 1)
    total = covariance[0] + float(parts.mean(axis=1).var(ddof=1))
    if not total > 1e-300:
        return math.nan
    correlation = 1 - (variance - covariance * length / (length - 1)) / total
    even, odd = 1.0, float(correlation[1])
    summed, before, lag = 0.0, math.inf, 1
    while even + odd > 0:
        before = min(before, even + odd)
        summed += before
        even = 0.0
        if lag + 3 >= length:
            break
        even, odd = float(correlation[lag + 1]), float(correlation[lag + 2])
        lag += 2
    draws = count * length
    time = -1 + 2 * summed + max(even, 0.0)
    return float(draws / max(time, 1 / math.log10(draws)))


# Traces and ranks of chains, as ArviZ draws them, by matplotlib.
#
# A trace shows each quantity draw by draw, a line for each chain: chains that have converged look like one another,
# and like themselves a while ago. A rank plot shows how the ranks of each chain's draws, among those of all chains,
# are spread: evenly, if all chains draw from the same distribution (Vehtari et al. 2021, section 5).


RANK_BINS = 20  # as in the rank plots of Vehtari et al.
MOST_POINTS = 1000  # of a line: more cannot be told apart


def rank_counts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return, at [chain, bin], how many draws of a chain have ranks in each of `RANK_BINS` equal parts of all ranks.

    Draws that are equal are ranked in random order, always the same: an indicator has two values, and a mean rank would
    put all draws into two bins.
    """
    chains = values.shape[0]
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    order = np.lexsort((np.random.default_rng(0).permutation(flat.size), flat))
    ranks = np.empty(flat.size, dtype=np.int64)
    ranks[order] = np.arange(flat.size)
    places = (ranks * RANK_BINS // flat.size).reshape(chains, -1)
    return np.stack([np.bincount(own, minlength=RANK_BINS) for own in places]).astype(np.int64)


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
class ChainPosterior(HasStatus, ArcShares):
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
    verdict: ChainVerdict
    status: Status
    left_out: float
    moves: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    score: Mapping[str, Any] = field(default_factory=dict)
    max_parents: int | None = None
    data_digest: str | None = None
    facts: KnownFacts = field(default_factory=KnownFacts)

    @property
    def converged(self) -> bool:
        """Whether the chains agree, by R-hat and by what they say about every pair."""
        return self.verdict.converged

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
        parts = _halved(inside)
        effective = effective_draws(parts) if parts.shape[1] >= 4 else math.nan
        value = float(inside.mean())
        if math.isnan(effective):  # all in or all out: at most three networks in so many draws, with 95 %
            return Share(value, 1.5 / max(1.0, self.verdict.score_effective))
        return Share(value, math.sqrt(value * (1 - value) / effective))

    def networks(self) -> NetworkSet:
        """Return the draws as networks of equal weight, chain by chain; the origin is "posterior"."""
        return NetworkSet(
            names=self.names,
            families=self.families,
            choices=self.rows.reshape(self.count, len(self.names)).astype(self.families.choice_type),
            scores=self.scores.reshape(-1).copy(),
            log_weights=np.full(self.count, -math.log(max(1, self.count))),
            origin=NetworkOrigin("posterior"),
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
        return load_arviz().from_dict(posterior=self.traces())

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
        for k in unsure[:most]:
            i, j = int(pairs.first[k]), int(pairs.second[k])
            found[f"{self.names[i]} - {self.names[j]}"] = self.families.joins(self.rows, i, j).astype(np.int64)
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
    """Return the standard errors of shares from this many effective draws; 0 where all draws agree."""
    with np.errstate(invalid="ignore"):
        return np.nan_to_num(np.sqrt(shares * (1 - shares) / effective), nan=0.0)


def effective_networks(networks: Ensemble) -> NDArray[np.float64] | None:
    """Return the effective number of networks of a posterior for each pair's edge, where chains drew them.

    None if they were drawn independently of each other: each is an effective one. NaN if they are a part of what the
    chains drew: the order of the draws is lost.
    """
    listed, chains = networks.listed, networks.facts.get("chains")
    if listed is None or chains is None:
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


def joined_chains(parts: Sequence[KnownFacts]) -> KnownFacts:
    """Return what the facts of networks say of the chains that drew them, from each completion of data with gaps.

    What cannot be told from the parts is left out: the order of the draws, and with it effective numbers for each pair.
    """
    verdicts = [verdict for facts in parts if (verdict := facts.get("verdict"))]
    if not verdicts:
        return KnownFacts()
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
