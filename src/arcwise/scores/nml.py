"""Normalised maximum likelihoods (NML): the normaliser of a multinomial variable, fNML and qNML."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from arcwise import _core
from arcwise.base.bibliography import Citation
from arcwise.data.dataset import Dataset
from arcwise.scores.penalised import LikelihoodScore
from arcwise.scores.score import QUOTIENT_LIMITS, Counts, Facts, two_way


def log_nml_normaliser(cases: int, categories: float) -> float:
    """Return the regret log C(N, K), exact to rounding for any N and K up to 1e300, in O(sqrt(N)) steps.

    C(N, K) is the sum, over all sequences of N values out of K, of the sequence's maximised likelihood. Small K go by
    the recurrence of Kontkanen & Myllymäki (2007), large K by the sum of Mononen & Myllymäki (2008).
    """
    return _core.scores.log_nml_normaliser(cases, float(categories))


@lru_cache(maxsize=4096)
def log_nml_normaliser_twin(cases: int, categories: int) -> float:
    """Return the same by C(N, K + 2) = C(N, K + 1) + (N / K) C(N, K): what the native normaliser is compared with."""
    if cases == 0 or categories == 1:
        return 0.0
    # C(N, 2) = sum over k of N! / ((N - k)! N^k)
    log_scale, previous, current = 0.0, 1.0, 1.0 + float(np.cumprod(1.0 - np.arange(cases) / cases).sum())
    for k in range(1, categories - 1):
        previous, current = current, current + cases / k * previous
        if current > 1e200:
            log_scale += math.log(current)
            previous, current = previous / current, 1.0
    return log_scale + math.log(current)


def log_nml_approximation(cases: int, categories: float) -> float:
    """Return the approximation by Szpankowski & Weinberger that Liao (2022, section 4.2) prints.

    Its error is 0.08 for two categories and falls as their number grows (0.017 for 10, 0.0017 for 100); it is here for
    comparison, no score uses it.
    """
    beta = categories / cases
    root = 0.5 + 0.5 * math.sqrt(1 + 4 / beta)  # C_beta
    return cases * (math.log(beta) + (beta + 2) * math.log(root) - 1 / root) - 0.5 * math.log(root + 2 / beta)


@dataclass(frozen=True)
class Fnml(LikelihoodScore):
    """fNML = LL - sum_j log C(n_j, r): each configuration's likelihood is normalised on its own. No parameter."""

    name = "fnml"
    FACTS = Facts(
        title="fNML",
        in_words="factorised normalised maximum likelihood",
        sources=(Citation("silander-2010"), Citation("liao-2022", "section 4.2")),
        equivalent=False,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and C(n + m, r) <= C(n, r) C(m, r): splitting configurations costs more",
        asymmetric=two_way(((3, 1), (0, 2))),
        number_of_cases="n_j of C(n_j, r): the cases in which the variable was not set, by configuration",
    )

    def bound(self, counts: Counts) -> float:
        """Return -sum_j log C(n_j, r)."""
        return -math.fsum(log_nml_normaliser_twin(int(n), counts.shape[1]) for n in counts.sum(axis=1))

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return _core.scores.make_fnml(data.n_cases)


@dataclass(frozen=True)
class Qnml(LikelihoodScore):
    """qNML = LL - [log C(N, q r) - log C(N, q)]: the NML of the family over that of its parents. No parameter.

    N is the number of cases in which the variable was not set by an experiment.
    """

    name = "qnml"
    FACTS = Facts(
        title="qNML",
        in_words="quotient normalised maximum likelihood",
        sources=(Citation("silander-2018"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and the penalty grows with q",
        number_of_cases="N of C(N, q r) and C(N, q): the cases in which the variable was not set",
    )

    def bound(self, counts: Counts) -> float:
        """Return -[log C(N, q r) - log C(N, q)]."""
        cases, (q, r) = int(counts.sum()), counts.shape
        return log_nml_normaliser_twin(cases, q) - log_nml_normaliser_twin(cases, q * r)

    def native(self, data: Dataset) -> _core.scores.LocalScore:
        """Return the compiled score."""
        return _core.scores.make_qnml(data.n_cases)
