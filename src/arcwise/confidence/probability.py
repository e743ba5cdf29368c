"""`EdgeProbability`: for every pair, how probable an edge is, and where it points: 0.9 means nine in ten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise.base.arrays import few_zeros
from arcwise.base.errors import OptionError, check_known
from arcwise.base.showing import one_screen, plural
from arcwise.confidence.calibration import UNKNOWN_CASES, Calibration
from arcwise.confidence.curves import logistic
from arcwise.graph.constraints import Constraints
from arcwise.graph.nodes import bits
from arcwise.networks.recipe import NetworkOrigin

if TYPE_CHECKING:
    from arcwise.confidence.edge_confidence import EdgeConfidence


@one_screen
@dataclass(frozen=True, slots=True)
class PairProbability:
    """The probability of an edge, and, if there is one, of where it points; the last three sum to 1."""

    first: str
    second: str
    edge: float
    forward: float  # first -> second, given an edge
    backward: float
    either: float  # the data cannot tell, however many they are
    is_studied: bool = False  # whether a study tells the directions; else they are shares of the networks
    reasons: tuple[float, float] = (1.0, 1.0)  # how probable what compels forward is, and backward (`reason_of`)
    is_strict: bool = False  # whether a direction needs more to be settled (`is_settled`)

    def studied(self, *, ahead: bool) -> float | None:
        """Return the probability of first -> second (`ahead`), or of the other way; None if no study tells."""
        return None if not self.is_studied else self.forward if ahead else self.backward

    def arrow(self, *, ahead: bool) -> float | None:
        """Return how probably there is an edge and points first -> second, or the other way; None as in `studied`.

        It is at most as probable as its reason.
        """
        known = self.studied(ahead=ahead)
        return None if known is None else min(self.edge * known, self.reasons[0 if ahead else 1])


# What compels a direction: tail -> head is in every network of a class because a third variable w
#
# - points to head, too, and is not joined to tail: a v-structure at head; or
# - points to tail, and is not joined to head: the other way would make a v-structure at tail (Meek's first rule).
#
# Either rests on an edge that is not there. Networks agree on a direction, and are wrong together, where a weak edge of
# a dense group is found by none of them: then they all have a v-structure that the truth has not. The probability that
# w is not joined knows of weak edges what the networks' votes do not.


def reason_of(present: NDArray[np.float64], directed: NDArray[np.float64], tail: int, head: int) -> float:
    """Return how probable the best reason for tail -> head is, by the probabilities of edges and of arrows."""
    collider = directed[:, head] * (1 - present[tail])
    chain = directed[:, tail] * (1 - present[head])
    collider[tail] = chain[head] = 0.0  # the two themselves are no third variable
    return float(max(collider.max(), chain.max()))


# How many of some pairs are edges, as a range: what a sum of probabilities leaves open.
#
# Were the pairs independent, their number would have a Poisson binomial distribution. But a whole data set may be off:
# where one probability is too high, most are. So the log odds of all pairs move together by a normal shift, whose
# deviation was fitted to the data sets of the study (`Spreads`), and the number has the mixture over that shift.


COVERED = 0.9  # of the data sets of a study, left out, have their number within its range
SHIFTS = 31  # nodes of the quadrature over the shift: fewer leave gaps between the numbers that they make likely
MOST_EXACT = 1000  # numbers beyond are nearly normal, given the shift


def count_range(probabilities: NDArray[np.float64], spread: float) -> tuple[int, int]:
    """Return the shortest range that holds the number of edges among pairs in at least nine of ten data sets.

    Parameters
    ----------
    probabilities
        Of an edge between each pair.
    spread
        The standard deviation of the shift that the log odds of all pairs have in common.

    >>> count_range(np.array([0.9, 0.9, 0.8]), 0.0), count_range(np.full(100, 0.02), 1.0)
    ((2, 3), (0, 7))
    """
    certain, undecided = int((probabilities >= 1).sum()), probabilities[(probabilities > 0) & (probabilities < 1)]
    if not len(undecided):
        return certain, certain
    # Log odds that differ by less than a hundredth count as their mean: there are a few hundred, however many pairs.
    own, times = np.unique(undecided, return_counts=True)  # most pairs are in no network, and all alike
    every = np.log(own) - np.log1p(-own)
    place = np.unique(np.round(every, 2), return_inverse=True)[1].reshape(-1)
    counts = np.bincount(place, times)
    odds = np.bincount(place, every * times) / counts
    nodes, weights = np.polynomial.hermite_e.hermegauss(SHIFTS)
    moved = logistic(odds + spread * nodes[:, None])
    means, deviations = moved @ counts, np.sqrt((moved * (1 - moved)) @ counts)
    size = min(int(counts.sum()), int(np.ceil((means + 10 * deviations).max())) + 10) + 1
    numbers = np.arange(size)
    total = np.zeros(size)
    for own, mean, deviation, weight in zip(moved, means, deviations, weights / weights.sum(), strict=True):
        if size <= MOST_EXACT:  # by the generating function, at the roots of unity
            terms = np.log1p(own[:, None] * np.expm1(-2j * np.pi * numbers[: size // 2 + 1] / size))
            total += weight * np.fft.irfft(np.exp(counts @ terms), size)
        else:
            bell = np.exp(-0.5 * ((numbers - mean) / deviation) ** 2)
            total += weight * bell / bell.sum()
    low, high = _shortest(np.clip(total, 0.0, None) / np.clip(total, 0.0, None).sum())
    return low + certain, high + certain


def _shortest(masses: NDArray[np.float64]) -> tuple[int, int]:
    """Return the ends of the shortest range with enough of a distribution over 0, 1, ...; of equals the likeliest.

    Two tails of equal size would be wider: where most numbers are likely 0, that range ends at 1 to be safe from below.
    """
    below = np.concatenate([[0.0], np.cumsum(masses)])
    lows = np.arange(len(masses))
    highs = np.searchsorted(below, below[:-1] + COVERED - 1e-9) - 1
    lows, highs = lows[highs < len(masses)], highs[highs < len(masses)]
    best = np.lexsort((below[lows] - below[highs + 1], highs - lows))[0]
    return int(lows[best]), int(highs[best])


@one_screen
@dataclass(frozen=True, slots=True)
class Expected:
    """What to expect of the edges above a cut-off: means, and ranges that hold in nine of ten data sets."""

    edges: int  # how many there are
    false: float  # how many of them are not real
    missed: float  # how many real ones are below
    false_range: tuple[int, int]
    missed_range: tuple[int, int]
    is_chance: bool = False  # whether the data show no more than shuffled columns do

    @property
    def true(self) -> float:
        """How many of them are real."""
        return self.edges - self.false

    @property
    def false_rate(self) -> float:
        """The expected share of false ones among them; 0 if there are none."""
        return self.false / self.edges if self.edges else 0.0

    def sentence(self, apart: tuple[Expected, Expected] | None = None) -> str:
        """Return the sentence: "Of all 7 edges, at most 2 are probably wrong; up to 6 weak ones may be missing".

        If some edges are open, `apart` is what to expect of the others and of these: an edge that is not established
        is no finding, right or wrong, so the two have a figure each.
        """
        if self.is_chance:
            return "These data show no more dependence than chance: tables with shuffled columns show as much."
        missing = f"{_range(self.missed_range, 'up to')} weak {plural(self.missed_range[1], 'one')} may be missing"
        if self.missed_range[1] == 0:
            missing = "hardly any is missing"
        if not self.edges:
            return f"No edge is above the cut-off; {missing}."
        if self.edges == 1:
            return f"This one edge is wrong with probability {self.false:.2f}; {missing}."
        if apart is None or not apart[1].edges:
            return f"Of all {self.edges:,} edges, {self._wrong}; {missing}."
        firm, opened = apart
        low, high = opened.false_range
        some = "may be" if opened.edges == 1 else f"{_range((max(low, 1), max(high, 1)), 'up to')} may be"
        unsure = f"{plural(opened.edges, 'the open one', f'of the {opened.edges:,} open ones')} {some}"
        if not firm.edges:
            return f"{unsure[0].upper()}{unsure[1:]} wrong; {missing}."
        which = f"the {firm.edges:,} edges that are not open" if firm.edges > 1 else "the one edge that is not open"
        return f"Of {which}, {firm._wrong}; {unsure}. {missing[0].upper()}{missing[1:]}."

    @property
    def _wrong(self) -> str:
        if self.false_range[1] == 0:
            return "probably none is wrong"
        verb = "is" if self.false_range[1] == 1 else "are"
        return f"{_range(self.false_range, 'at most')} {verb} probably wrong"


def _range(ends: tuple[int, int], most: str) -> str:
    """Return "1 to 7", or "at most 7" where it begins at none."""
    low, high = ends
    return f"{high:,}" if low == high else f"{low:,} to {high:,}" if low else f"{most} {high:,}"


@one_screen
@dataclass(frozen=True, eq=False)
class EdgeProbability:
    """Probabilities of edges and directions.

    Parameters
    ----------
    names
        The variables.
    present
        n x n, symmetric: the probability of an edge.
    directed
        n x n: entry [i, j] is the probability that there is an edge, and that it points from i to j.
    undirected
        n x n, symmetric: that there is one whose direction no data of this kind can tell.
    calibration
        How they were found from the confidences, and what that rests on.
    is_strict
        Whether a direction needs more to be settled: under constraints, and of networks that no bootstrap has drawn.
    """

    names: tuple[str, ...]
    present: NDArray[np.float64]
    directed: NDArray[np.float64]
    undirected: NDArray[np.float64]
    calibration: Calibration
    is_strict: bool = False

    @cached_property
    def vector(self) -> NDArray[np.float64]:
        """The probabilities of all n (n - 1) / 2 pairs, by the first variable and then by the second."""
        return self.present[np.triu_indices(len(self.names), 1)]

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def pair(self, first: str, second: str) -> PairProbability:
        """Return the probabilities of one pair."""
        for name in (first, second):
            check_known("variable", name, self._places)
        if first == second:
            raise OptionError(f"a pair has two variables; got '{first}' twice.")
        i, j = self._places[first], self._places[second]
        edge = float(self.present[i, j])
        split = np.array([self.directed[i, j], self.directed[j, i], self.undirected[i, j]])
        forward, backward, either = (split / edge).tolist() if edge > 0 else (0.0, 0.0, 1.0)
        studied = self.calibration.directions is not None
        ways = ((i, j), (j, i)) if studied else ()
        reasons = [reason_of(self.present, self.directed, tail, head) for tail, head in ways] or [1.0, 1.0]
        both = reasons[0], reasons[1]
        return PairProbability(first, second, edge, forward, backward, either, studied, both, self.is_strict)

    def __getitem__(self, pair: tuple[str, str]) -> float:
        """Return the probability of an edge between two variables: ``probability["smoke", "cough"]``."""
        return self.pair(*pair).edge

    def expected(self, chosen: NDArray[np.bool_]) -> Expected:
        """Return what to expect of some of the pairs, given as a mask over `vector`."""
        if chosen.shape != self.vector.shape:
            raise OptionError(f"the mask is over {chosen.size} pairs; there are {self.vector.size}.")
        inside, outside = self.vector[chosen], self.vector[~chosen]
        found, missed = self.calibration.spreads
        return Expected(
            edges=int(chosen.sum()),
            false=float((1 - inside).sum()),
            missed=float(outside.sum()),
            false_range=count_range(1 - inside, found),
            missed_range=count_range(outside, missed),
            is_chance=self.calibration.is_chance,
        )


def edge_probability(confidence: EdgeConfidence, calibration: Calibration) -> EdgeProbability:
    """Turn confidences into probabilities. What constraints decide stays as it is."""
    known, (i, j) = confidence.constraints, confidence.joined
    # The last is a pair that no network joins, of which nothing is told; all others are like it.
    shares = np.concatenate([_split(confidence, i, j), [[0.0], [0.0], [1.0]]], axis=1)
    if calibration.directions is not None:
        cases = confidence.n_cases or UNKNOWN_CASES
        shares = np.array(calibration.directions(shares[0], shares[1], shares[2], cases))
    likely = calibration.curve(np.append(confidence.present[i, j], 0.0))
    n = len(confidence.names)
    if known is not None and not known.is_trivial:
        # What the constraints settle: arcs that must be there, and ways that are forbidden.
        present, directed, free = (_matrix(n, i, j, own) for own in (likely, shares[0], shares[2]))
        barred, needed = arcs_decided(known, confidence.names)
        present = np.where(barred & barred.T, 0.0, np.where(needed | needed.T, 1.0, present))
        one_way = barred ^ barred.T | needed | needed.T
        only = np.where(needed | (barred.T & ~barred), 1.0, 0.0)
        directed, free = np.where(one_way, only, directed), np.where(one_way, 0.0, free)
        found = [present, present * directed, present * free]
    else:
        found = [_matrix(n, i, j, own) for own in (likely, likely * shares[0], likely * shares[2])]
    for own in found:
        np.fill_diagonal(own, 0.0)
    is_strict = not NetworkOrigin(confidence.origin).is_resampled or (known is not None and not known.is_trivial)
    return EdgeProbability(confidence.names, found[0], found[1], found[2], calibration, is_strict)


def _matrix(n: int, i: NDArray[np.int64], j: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a matrix with these values at [i, j], and the last of them everywhere else."""
    found = few_zeros((n, n))
    if values[-1] != 0:
        found[:] = values[-1]
    found[i, j] = values[:-1]
    return found


def _split(confidence: EdgeConfidence, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the shares of i -> j, j -> i and neither among the networks that have the edge, in three rows."""
    both = np.array([confidence.directed[i, j], confidence.directed[j, i]])
    total = both[0] + both[1] + confidence.undirected[i, j]
    ahead, back = np.divide(both, total, out=np.zeros_like(both), where=total > 0)
    return np.array([ahead, back, np.where(total > 0, 1.0 - ahead - back, 1.0).clip(0.0, 1.0)])


def arcs_decided(known: Constraints, names: tuple[str, ...]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which arcs are forbidden and which are required, at [tail, head]."""
    rules = known if known.names == names else known.reorder(names)
    n = len(names)
    barred, needed = np.zeros((n, n), dtype=bool), np.zeros((n, n), dtype=bool)
    for head in range(n):
        barred[list(bits(rules.forbidden_masks[head])), head] = True
        needed[list(bits(rules.required_masks[head])), head] = True
    return barred, needed


# `reliability`: what was claimed beside what was true, bin by bin, and the figures that sum it up.


BINS = 15  # of equal width
FLOOR = 0.01  # pairs below are left out of the calibration error: nearly all pairs are there, and right
SMALLEST = 1e-4  # a claim of 0 or 1 that is wrong costs as much as this one: else one pair would decide


@one_screen
@dataclass(frozen=True, eq=False)
class Reliability:
    """How good claimed probabilities are.

    Parameters
    ----------
    claimed, true, pairs
        For each of the bins of equal width: the mean claim, the share of edges that are real (both NaN if the bin is
        empty), and how many pairs are in it.
    error
        The expected calibration error: the mean distance of claim and truth over the bins, by their pairs, of pairs
        with a claim above 0.01.
    log_loss, brier
        Over all pairs.
    """

    claimed: NDArray[np.float64]
    true: NDArray[np.float64]
    pairs: NDArray[np.int64]
    error: float
    log_loss: float
    brier: float


def reliability(claims: NDArray[np.float64], truth: NDArray[np.bool_]) -> Reliability:
    """Compare claimed probabilities with the truth.

    >>> found = reliability(np.array([0.9] * 10), np.array([True] * 9 + [False]))
    >>> round(found.error, 6), round(found.brier, 6), int(found.pairs[13])
    (0.0, 0.09, 10)
    """
    if claims.shape != truth.shape or not claims.size:
        raise OptionError(f"there are {claims.size} claims and {truth.size} truths; there must be as many, and some.")
    real = truth.astype(np.float64)
    kept = claims > FLOOR
    position = np.minimum((claims[kept] * BINS).astype(int), BINS - 1)
    pairs = np.bincount(position, minlength=BINS)
    with np.errstate(invalid="ignore"):
        claimed = np.bincount(position, weights=claims[kept], minlength=BINS) / pairs
        true = np.bincount(position, weights=real[kept], minlength=BINS) / pairs
    apart = np.nan_to_num(np.abs(claimed - true))
    inside = np.clip(claims, SMALLEST, 1 - SMALLEST)
    return Reliability(
        claimed=claimed,
        true=true,
        pairs=pairs,
        error=float((apart * pairs).sum() / max(int(pairs.sum()), 1)),
        log_loss=float(-(real * np.log(inside) + (1 - real) * np.log(1 - inside)).mean()),
        brier=float(((claims - real) ** 2).mean()),
    )
