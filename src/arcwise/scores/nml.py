"""The normaliser of the normalised maximum likelihood (NML) of a multinomial variable."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

__all__ = ["log_nml_approximation", "log_nml_normaliser", "log_nml_normaliser_twin"]


def log_nml_normaliser(cases: int, categories: float) -> float:
    """Return the regret log C(N, K), exact to rounding for any N and K up to 1e300, in O(sqrt(N)) steps.

    C(N, K) is the sum, over all sequences of N values out of K, of the sequence's maximised likelihood. Small K go by
    the recurrence of Kontkanen & Myllymäki (2007), large K by the sum of Mononen & Myllymäki (2008).
    """
    from arcwise import _core

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
