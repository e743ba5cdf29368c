"""How many edges a network has on average if every edge has the same odds, exactly, and the odds for a given number.

Let Z(n) be the sum of t^edges over all DAGs with n nodes: the prior weights if each edge has the odds t. Robinson's
recurrence, by inclusion and exclusion over the k nodes without parents (1973; with marked edges: Rodionov 1992), is

    Z(n) = sum over k = 1 .. n of (-1)^(k + 1) C(n, k) (1 + t)^(k (n - k)) Z(n - k).

Divided by n! (1 + t)^C(n, 2) it becomes a convolution, z(n) = sum of (-1)^(k + 1) c(k) z(n - k) with
c(k) = 1 / (k! (1 + t)^C(k, 2)); and the expected number of edges is the derivative of log Z(n) by log t. That
acyclicity makes edges rarer is so taken into account: three equally likely states of every pair would give two thirds
of all pairs an edge; with all odds 1, it is 64 % of them among three variables, and less among more.

The terms alternate and cancel, by a bit or so in every step: the sums are taken with so many digits more.
"""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from functools import lru_cache
from operator import mul

from arcwise.errors import OptionError
from arcwise.mentions import Argument, Remedy

__all__ = ["MOST_VARIABLES", "edge_odds_for", "expected_edges"]

# n^2 steps with n digits: a second.
MOST_VARIABLES = 200
# Digits beyond those that cancel.
DIGITS = 30


def expected_edges(n: int, odds: float) -> float:
    """Return the expected number of edges of a DAG with n nodes whose weight is odds^edges.

    >>> round(expected_edges(2, 1.0), 6)  # no edge, or either of two: three networks
    0.666667
    """
    with decimal.localcontext() as context:
        context.prec = DIGITS + n // 2
        t = Decimal(odds)
        share = t / (1 + t)
        terms, slopes = _terms(n, t, share)
        z, slope = [Decimal(1)], [Decimal(0)]
        for m in range(1, n + 1):
            first, rates = terms[m:0:-1], slopes[m:0:-1]
            change = sum(map(mul, rates, z), Decimal(0)) + sum(map(mul, first, slope), Decimal(0))
            z.append(sum(map(mul, first, z), Decimal(0)))
            slope.append(change)
        return float(slope[n] / z[n] + share * math.comb(n, 2))


def _terms(n: int, t: Decimal, share: Decimal) -> tuple[list[Decimal], list[Decimal]]:
    """Return (-1)^(k + 1) c(k) for k = 0 .. n, and its derivative by log t."""
    terms, slopes = [Decimal(-1)], [Decimal(0)]
    power = Decimal(1)  # (1 + t)^(k - 1)
    for k in range(1, n + 1):
        terms.append(-terms[-1] / (k * power))
        slopes.append(-terms[-1] * share * math.comb(k, 2))
        power *= 1 + t
    return terms, slopes


@lru_cache(maxsize=64)
def edge_odds_for(n: int, edges: float) -> float:
    """Return the odds of every edge that make `edges` the expected number of edges of a DAG with n nodes.

    >>> round(edge_odds_for(2, 2 / 3), 6)
    1.0
    """
    from scipy.optimize import brentq

    pairs = math.comb(n, 2)
    if not 0 < edges < pairs:
        raise OptionError(
            f"{edges:g} edges are expected, but {n} variables can have an expected number between 0 and {pairs}, both "
            "excluded."
        )
    if n > MOST_VARIABLES:
        raise OptionError(
            f"the odds that make {edges:g} edges the expected number are computed for up to {MOST_VARIABLES} variables,"
            f" not for {n:,}.",
            remedies=Remedy("give the odds of every edge themselves as", Argument("every_edge")),
        )
    # Acyclicity makes edges rarer than in the graph without it, where 2t/(1 + 2t) of the pairs have one.
    low = math.log(edges / (pairs - edges) / 2) - 1e-9
    high = low + 1.0
    while expected_edges(n, math.exp(high)) < edges:
        high += high - low
    return math.exp(brentq(lambda x: expected_edges(n, math.exp(x)) - edges, low, high, xtol=1e-11, rtol=1e-11))
