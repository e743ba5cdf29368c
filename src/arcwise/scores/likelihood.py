"""The maximised log likelihood, from which the information criteria are made."""

from __future__ import annotations

import math

import numpy as np

from arcwise.scores.facts import Counts

__all__ = ["log_likelihood", "parameter_count"]


def log_likelihood(counts: Counts) -> float:
    """Return sum n_jk log(n_jk / n_j): the log likelihood at theta_jk = n_jk / n_j."""
    totals = np.broadcast_to(counts.sum(axis=1, keepdims=True), counts.shape)
    seen = counts > 0
    return math.fsum(counts[seen] * np.log(counts[seen] / totals[seen]))


def parameter_count(counts: Counts) -> int:
    """Return the number of free parameters of the family, q (r - 1)."""
    q, r = counts.shape
    return int(q * (r - 1))
