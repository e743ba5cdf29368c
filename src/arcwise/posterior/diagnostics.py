"""Whether chains agree: R-hat, effective numbers of draws, and a verdict (Vehtari et al. 2021).

Quantities are normalised by their ranks and every chain is halved, so that a chain which is still drifting disagrees
with itself. An indicator, such as "there is an edge between a and b", has two values: its ranks are a linear function
of it, and nothing needs to be normalised.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.showing import one_screen

LARGEST_R_HAT = 1.01
LARGEST_DIFFERENCE = 0.02
FEWEST = 8  # draws of a chain, for any number
FEWEST_DRAWS = 100  # of a half chain, for a verdict
FEWEST_EFFECTIVE = 100  # per chain, as Vehtari et al. advise: with fewer, R-hat itself is not to be relied upon
SHOWN = 3
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
class Verdict:
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
        facts = f"largest R-hat {_short(self.worst_r_hat)}, largest difference {self.difference:.3f}"
        if self.converged:
            return f"Converged: {size} agree ({facts}; effective draws {self.effective:,.0f} at least)."
        if not self.differing:
            return f"Not converged: {size} differ in their scores, or are too few to tell ({facts})."
        listed = ", ".join(
            f"{pair.first} {pair.what} {pair.second} ({pair.least:.2f} to {pair.most:.2f})"
            for pair in self.differing[:SHOWN]
        )
        more = len(self.differing) - SHOWN
        count = f"{len(self.differing)} pair{'' if len(self.differing) == 1 else 's'}"
        return (
            f"Not converged: {size} differ on {count}: {listed}{f' and {more:,} more' if more > 0 else ''} ({facts})."
        )

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
            "r_hat": _finite(self.worst_r_hat),
            "effective": _finite(self.effective),
            "score_effective": _finite(self.score_effective),
            "largest_difference": self.difference,
            "differing": [[pair.first, pair.what, pair.second, pair.least, pair.most] for pair in self.differing],
            "sentence": self.sentence(),
            **({} if self.most_parents is None else {"most_parents": self.most_parents}),
        }


def few_parents_sentence(most: int | None) -> str:
    """Return the message that networks have fewer parents than were asked for, after a blank; "" if not."""
    if most is None:
        return ""
    parents = f"{most} parent{'' if most == 1 else 's'} per variable"
    return f" A limit ended the scoring of parent sets: the networks have at most {parents}."


def _short(r_hat: float) -> str:
    return f"{r_hat:.3f}" if r_hat < 100 else "over 100"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


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

    def verdict(self, names: Sequence[str], scores: NDArray[np.float64]) -> Verdict:
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
        return Verdict(
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
