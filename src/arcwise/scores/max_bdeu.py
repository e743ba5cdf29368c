"""Max-BDeu: BDeu under the best prior near the uniform one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.bdeu import ESS
from arcwise.scores.dirichlet import bound_first_cases, log_marginal_likelihood
from arcwise.scores.facts import DILUTED, Counts, Facts, Parameter, two_way
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["MaxBdeu"]


@dataclass(frozen=True)
class MaxBdeu(Score):
    """BDeu with, in each configuration, the prior of the contamination set that makes the data most likely.

    With beta = ess / q, the set holds all alpha_jk >= beta (1 - epsilon) / r that sum to beta. The best is the solution
    of a concave problem, see `best_prior`. Finds more of the true edges in small samples (Scanagatta et al.).
    """

    name: ClassVar[str] = "max_bdeu"
    FACTS: ClassVar[Facts] = Facts(
        title="max-BDeu",
        in_words="BDeu under the best prior",
        sources=(Citation("scanagatta-2014", "section 3"),),
        equivalent=False,
        log_bayes_factor=False,
        regular=False,
        bound="the first case of every cell that occurs has probability at most epsilon + (1 - epsilon) / r",
        asymmetric=two_way(((3, 1), (0, 2))),
        irregular=DILUTED,
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        ESS,
        Parameter("epsilon", "the size of the contamination", low=0, high=1, low_allowed=True, high_allowed=True),
    )

    ess: float = 1.0
    epsilon: float = 0.5

    def best_prior(self, counts: Counts) -> NDArray[np.float64]:
        """Return the hyperparameters at which the maximum is attained.

        The objective sum_k [lnG(alpha_k + n_k) - lnG(alpha_k)] is concave, its slopes are
        psi(alpha_k + n_k) - psi(alpha_k). So at the optimum one multiplier equals the slope of every state above its
        lower end, and no slope at a lower end exceeds it. A state that does not occur has slope 0 and stays at its
        lower end. Here by bisection on the inverse of the multiplier, for all configurations at once.
        """
        from scipy.special import psi

        q, r = counts.shape
        beta = self.ess / q
        low, free = beta * (1 - self.epsilon) / r, beta * self.epsilon
        seen = counts > 0
        states = np.maximum(seen.sum(axis=1, keepdims=True), 1)
        even = np.broadcast_to(low + free / states, counts.shape)
        # At the smallest inverse slope of the even split no alpha exceeds its share; at the largest none is below it.
        levels = 1 / np.where(seen, psi(even + counts) - psi(even), 1.0)
        left = np.where(seen, levels, np.inf).min(axis=1, keepdims=True)
        right = np.where(seen, levels, 0.0).max(axis=1, keepdims=True)
        solution = even
        for _ in range(60):
            level = np.where(np.isfinite(left), (left + right) / 2, 1.0)
            solution = _alpha_at_level(counts, level, low, solution)
            enough = np.where(seen, solution, low).sum(axis=1, keepdims=True) >= beta
            left, right = np.where(enough, left, level), np.where(enough, level, right)
        alphas = np.where(seen, solution, low)
        # What rounding leaves over goes to the largest; near the optimum that costs only its square.
        alphas[np.arange(q), alphas.argmax(axis=1)] += beta - alphas.sum(axis=1)
        return alphas

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return BD at the best prior."""
        return log_marginal_likelihood(counts, self.best_prior(counts))

    def bound(self, counts: Counts) -> float:
        """Return log(epsilon + (1 - epsilon) / r) for every cell that occurs."""
        return bound_first_cases(counts, self.epsilon + (1 - self.epsilon) / counts.shape[1])

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_max_bdeu(data.n_cases, self.ess, self.epsilon)


def _alpha_at_level(
    counts: Counts, level: NDArray[np.float64], low: float, start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the alpha >= low with 1 / (psi(alpha + n) - psi(alpha)) = level, or low if there is none.

    By Newton's method: 1 / slope is concave and increasing in alpha, so the steps settle from the left of the root.
    """
    from scipy.special import polygamma, psi

    alpha = np.maximum(start, low)
    n = np.maximum(counts, 1)
    for _ in range(50):
        inverse = 1 / (psi(alpha + n) - psi(alpha))
        rate = inverse**2 * (polygamma(1, alpha) - polygamma(1, alpha + n))
        step = (level - inverse) / rate
        following = np.maximum(alpha + step, low if low > 0 else alpha / 2)
        settled = np.abs(following - alpha) <= 1e-15 * alpha
        alpha = following
        if settled.all():
            break
    return alpha
