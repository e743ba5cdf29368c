"""The readable Python twins of the scores of numbers: determinants, regressions and marginal likelihoods as in papers.

Families are (child, parents); columns are arrays of one row per case.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import multigammaln

__all__ = ["bge_twin", "bic_cg_twin", "bic_dg_twin", "bic_g_twin"]

Matrix = NDArray[np.float64]


def bic_dg_twin(
    blocks: Sequence[Matrix], weights: Matrix, child: int, parents: Sequence[int], *, ridge: float, penalty: float = 1.0
) -> float:
    """Return g(P + v) - g(P), g(S) = -N/2 log|C_SS| - penalty log(N)/2 d (d + 1)/2."""
    cases = weights.sum()

    def g(members: Sequence[int]) -> float:
        columns = np.concatenate([np.empty((len(weights), 0)), *(blocks[v] for v in members)], axis=1)
        centred = columns - weights @ columns / cases
        matrix = centred.T @ (centred * weights[:, None]) / cases + ridge * np.eye(columns.shape[1])
        size = columns.shape[1]
        logdet = float(np.linalg.slogdet(matrix)[1])
        return -cases / 2 * logdet - penalty * math.log(cases) / 2 * size * (size + 1) / 2

    return g([*parents, child]) - g(list(parents))


def bic_g_twin(y: Matrix, x: Matrix) -> float:
    """Return the log likelihood of a regression whose variance is RSS / (N - p - 1), less (p + 2) log(N) / 2."""
    cases, size = x.shape
    design = np.column_stack([np.ones(cases), x])
    left = y - design @ np.linalg.lstsq(design, y, rcond=None)[0]
    variance = left @ left / (cases - size - 1)
    likelihood = -cases / 2 * math.log(2 * math.pi * variance) - left @ left / (2 * variance)
    return float(likelihood - (size + 2) * math.log(cases) / 2)


def bge_twin(
    columns: Matrix, child: Sequence[int], parents: Sequence[int], *, mean_cases: float, covariance_cases: float
) -> float:
    """Return log p(D_S) - log p(D_P) of columns: Kuipers, Moffa and Heckerman (2014), eq. 4.

    T = t I, and nu are the means.
    """
    cases, n = columns.shape
    t = mean_cases * (covariance_cases - n - 1) / (mean_cases + 1)

    def marginal(members: Sequence[int]) -> float:
        size = len(members)
        own = columns[:, list(members)] - columns[:, list(members)].mean(axis=0)
        freedom = covariance_cases - n + size
        scatter = t * np.eye(size) + own.T @ own
        return float(
            -cases * size / 2 * math.log(math.pi)
            + size / 2 * math.log(mean_cases / (cases + mean_cases))
            + multigammaln((cases + freedom) / 2, size)
            - multigammaln(freedom / 2, size)
            + freedom / 2 * size * math.log(t)
            - (cases + freedom) / 2 * np.linalg.slogdet(scatter)[1]
        )

    return marginal([*parents, *child]) - (marginal(list(parents)) if parents else 0.0)


def bic_cg_twin(values: Sequence[Matrix], arities: Sequence[int], child: int, parents: Sequence[int]) -> float:
    """Return the BIC of a conditional linear Gaussian family; an arity of 0 is a number."""
    cases = len(values[child])
    numbers = [p for p in parents if arities[p] == 0]
    states = [p for p in parents if arities[p] > 0]
    configurations = math.prod(arities[p] for p in states)
    own = arities[child]
    if own and numbers:
        return -math.inf
    likelihood = 0.0
    for configuration in itertools.product(*(range(arities[p]) for p in states)):
        rows = np.ones(cases, dtype=bool)
        for p, state in zip(states, configuration, strict=True):
            rows &= values[p] == state
        count = int(rows.sum())
        if not count:
            continue
        if own:
            shares = np.bincount(values[child][rows].astype(int), minlength=own) / count
            likelihood += count * float((shares[shares > 0] * np.log(shares[shares > 0])).sum())
            continue
        if count <= len(numbers) + 1:
            return -math.inf
        design = np.column_stack([np.ones(count), *(values[p][rows] for p in numbers)])
        left = values[child][rows] - design @ np.linalg.lstsq(design, values[child][rows], rcond=None)[0]
        variance = left @ left / (count - len(numbers) - 1)
        if variance <= 1e-14 * values[child].var():
            return -math.inf
        likelihood += -count / 2 * math.log(2 * math.pi * variance) - left @ left / (2 * variance)
    parameters = configurations * ((own - 1) if own else len(numbers) + 2)
    return float(likelihood - parameters * math.log(cases) / 2)


def bic_jcg_twin(values: Sequence[Matrix], arities: Sequence[int], child: int, parents: Sequence[int]) -> float:
    """Return g(P + v) - g(P), with g of a set the `bic_cg_twin` of a complete network, categories first."""

    def whole(members: Sequence[int]) -> float:
        order = sorted(members, key=lambda v: (arities[v] == 0, v))
        return sum(bic_cg_twin(values, arities, v, order[:k]) for k, v in enumerate(order))

    after, before = whole([*parents, child]), whole(parents)
    return -math.inf if after == -math.inf else after - before
