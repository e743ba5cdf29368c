"""The pieces of max_G p(D | ESS, G): over which interval of the ESS which network is the best.

The optimal score as a function of the ESS is the upper envelope of one smooth curve per network. Between two sample
sizes with different optimal networks, the two curves cross; an exact search where they cross either finds a third
network that is better there, and the two halves are looked at in the same way, or proves the crossing to be a
breakpoint (Eisner & Severance 1976, for lines). Curves that cross twice within a step of the grid can hide a
piece, so each interval without a crossing is also searched in its middle.

A grid alone is not enough: on the wine data the envelope has two peaks between 6 and 9, of which a grid of 60
values shows the lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.graph import Dag
from arcwise.priors.ess_solver import EssSolver
from arcwise.priors.optima import LearnedNetwork, all_or_interrupt
from arcwise.scores import make_score

__all__ = ["EnvelopePiece", "curve", "trace_envelope"]

# Two scores this close, relative to their size, count as equal: an optimum may have many equals.
TIE = 1e-9
# Pieces shorter than this in log(ESS) are not looked for.
FINEST = 1e-4


@dataclass(frozen=True, eq=False)
class EnvelopePiece:
    """One network is optimal from `low` to `high`; its own score is highest at `best`, within the piece."""

    low: float
    high: float
    dag: Dag
    best: float
    score: float


def curve(data: Dataset, dag: Dag, ess: float) -> float:
    """Return the BDeu score of one network at one equivalent sample size."""
    return make_score("bdeu", ess=ess).score_network(data, dag)


def trace_envelope(
    data: Dataset,
    solver: EssSolver,
    ess: NDArray[np.float64],
    optima: Sequence[LearnedNetwork],
    found: list[LearnedNetwork],
) -> list[EnvelopePiece]:
    """Return the pieces between the first and the last of ascending sample sizes, whose optima are given.

    Every network that a search returns on the way is appended to `found`. Once the solver's time is over, no more
    pieces are looked for.
    """
    breaks: list[tuple[float, Dag]] = [(float(ess[0]), optima[0].dag)]  # where a piece begins, and with which network
    for k in range(len(ess) - 1):
        ends = (float(ess[k]), breaks[-1][1]), (float(ess[k + 1]), optima[k + 1].dag)
        _split(data, solver, *ends, breaks, found)
    closes = [begin for begin, _ in breaks[1:]] + [float(ess[-1])]
    return [_piece(data, low, high, dag) for (low, dag), high in zip(breaks, closes, strict=True) if high > low]


def _split(
    data: Dataset,
    solver: EssSolver,
    at_left: tuple[float, Dag],
    at_right: tuple[float, Dag],
    breaks: list[tuple[float, Dag]],
    found: list[LearnedNetwork],
) -> None:
    """Append the beginnings of the pieces between two sample sizes, each with the network that is optimal at it."""
    (low, left), (high, right) = at_left, at_right
    if math.log(high / low) < FINEST or solver.is_over:
        if left != right:
            breaks.append((high, right))
        return
    at_low, at_high = curve(data, left, low), curve(data, right, high)
    behind = at_low - curve(data, right, low)  # how far the right network is behind at the left end
    ahead = at_high - curve(data, left, high)
    same = left == right or ahead <= TIE * abs(at_high)  # the left network is optimal at the right end as well
    crossing = math.sqrt(low * high)
    if not same and behind > TIE * abs(at_low):
        crossing = _crossing(data, left, right, low, high)
    best = all_or_interrupt(solver.solve([crossing]))[0]
    found.append(best)
    known = max(curve(data, left, crossing), curve(data, right, crossing))
    if best.score > known + TIE * abs(known):
        between = (crossing, best.dag)
        _split(data, solver, at_left, between, breaks, found)
        _split(data, solver, between, at_right, breaks, found)
    elif not same:
        breaks.append((crossing, right))


def _crossing(data: Dataset, left: Dag, right: Dag, low: float, high: float) -> float:
    from scipy.optimize import brentq

    def gap(x: float) -> float:
        return curve(data, left, math.exp(x)) - curve(data, right, math.exp(x))

    return math.exp(float(brentq(gap, math.log(low), math.log(high), xtol=1e-8)))


def _piece(data: Dataset, low: float, high: float, dag: Dag) -> EnvelopePiece:
    """Return a piece with the maximum of its curve."""
    from scipy.optimize import minimize_scalar

    inner = minimize_scalar(
        lambda x: -curve(data, dag, math.exp(x)),
        bounds=(math.log(low), math.log(high)),
        method="bounded",
        options={"xatol": 1e-7},
    )
    best = max((low, high, math.exp(float(inner.x))), key=lambda ess: curve(data, dag, ess))
    return EnvelopePiece(low, high, dag, best, curve(data, dag, best))
