"""The marginal likelihood of a family under Dirichlet priors, which every BD score is."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from arcwise.scores.facts import Counts

__all__ = ["bound_first_cases", "bound_pure_cells", "log_marginal_likelihood"]


def log_marginal_likelihood(counts: Counts, alphas: float | NDArray[np.float64]) -> float:
    """Return BD for any hyperparameters alpha_jk > 0, a number or an array of the shape of `counts`.

    sum_j [lnG(a_j) - lnG(a_j + n_j)] + sum_jk [lnG(a_jk + n_jk) - lnG(a_jk)], with a_j = sum_k a_jk.
    """
    alpha = np.broadcast_to(np.asarray(alphas, dtype=np.float64), counts.shape)
    return math.fsum(_rises(alpha, counts)) - math.fsum(_rises(alpha.sum(axis=1), counts.sum(axis=1)))


def _rises(alpha: NDArray[np.float64], counts: Counts) -> NDArray[np.float64]:
    """Return lnG(alpha + n) - lnG(alpha) where n > 0; alpha = 0 gives minus infinity there."""
    from scipy.special import gammaln

    seen = counts > 0
    result: NDArray[np.float64] = gammaln(alpha[seen] + counts[seen]) - gammaln(alpha[seen])
    return result


def bound_pure_cells(counts: Counts, alpha: float) -> float:
    """Bound BD with one alpha for all cells: what the family would score with a configuration for every cell.

    The score is the logarithm of a product of predictive probabilities, one per case. A state seen c times among the w
    cases of its configuration has (alpha + c) / (r alpha + w) <= (alpha + c) / (r alpha + c), which grows with c; more
    parents split configurations, which makes every c smaller or leaves it.
    """
    from scipy.special import gammaln

    cells = counts[counts > 0]
    row_alpha = alpha * counts.shape[1]
    pure = gammaln(alpha + cells) - gammaln(alpha) + gammaln(row_alpha) - gammaln(row_alpha + cells)
    return math.fsum(pure)


def bound_first_cases(counts: Counts, largest_share: float | None = None) -> float:
    """Bound a BD score whose hyperparameters shrink as q grows: log(1/r) for every cell that occurs.

    The first case of a cell has predictive probability alpha_jk / (a_j + w) <= alpha_jk / a_j, which is 1/r (or at most
    `largest_share`); every other case has at most 1. A superset has at least as many cells that occur. This is
    stronger than -q+ log r, which counts the configurations that occur (de Campos & Ji 2011): a configuration has as
    many first cases as states seen.
    """
    share = 1 / counts.shape[1] if largest_share is None else largest_share
    return int(np.count_nonzero(counts)) * math.log(share)
