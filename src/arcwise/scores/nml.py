"""Normalised maximum likelihoods: fNML and qNML.

The normaliser C(N, K) of a multinomial variable is the sum, over all sequences of N values out of K, of the sequence's
maximised likelihood. Small K go by the recurrence of Kontkanen & Myllymäki (2007), large K by the sum of Mononen &
Myllymäki (2008): exact to rounding for any N and K up to 1e300, in O(sqrt(N)) steps.
"""

from __future__ import annotations

from dataclasses import dataclass

from arcwise.base.bibliography import Citation
from arcwise.scores.score import QUOTIENT_LIMITS, Facts, Score, two_way


@dataclass(frozen=True)
class Fnml(Score):
    """fNML = LL - sum_j log C(n_j, r): each configuration's likelihood is normalised on its own. No parameter."""

    name = "fnml"
    kernel = "make_fnml"
    FACTS = Facts(
        title="fNML",
        in_words="factorised normalised maximum likelihood",
        sources=(Citation("silander-2010"), Citation("liao-2022", "section 4.2")),
        equivalent=False,
        log_bayes_factor=False,
        asymptotic=True,
        regular=True,
        bound="LL <= 0, and C(n + m, r) <= C(n, r) C(m, r): splitting configurations costs more",
        asymmetric=two_way(((3, 1), (0, 2))),
        number_of_cases="n_j of C(n_j, r): the cases in which the variable was not set, by configuration",
    )


@dataclass(frozen=True)
class Qnml(Score):
    """qNML = LL - [log C(N, q r) - log C(N, q)]: the NML of the family over that of its parents. No parameter.

    N is the number of cases in which the variable was not set by an experiment.
    """

    name = "qnml"
    kernel = "make_qnml"
    FACTS = Facts(
        title="qNML",
        in_words="quotient normalised maximum likelihood",
        sources=(Citation("silander-2018"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        log_bayes_factor=False,
        asymptotic=True,
        regular=True,
        bound="LL <= 0, and the penalty grows with q",
        number_of_cases="N of C(N, q r) and C(N, q): the cases in which the variable was not set",
    )
