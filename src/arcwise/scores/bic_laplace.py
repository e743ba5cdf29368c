"""BIC with Bayesian correction: the likelihood at Laplace-smoothed parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import Counts, Facts, two_way
from arcwise.scores.likelihood import parameter_count
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["BicLaplace"]


@dataclass(frozen=True)
class BicLaplace(Score):
    """BIC with the likelihood at theta_jk = (n_jk + 1) / (n_j + r) in place of its maximum.

    Lau & Bush call it BIC with Bayesian correction: a state that the data do not show keeps a probability above zero.
    """

    name: ClassVar[str] = "bic_laplace"
    FACTS: ClassVar[Facts] = Facts(
        title="BIC-Laplace",
        in_words="BIC with Bayesian (Laplace) correction",
        sources=(Citation("lau-2004", "sections 3.4 and 3.5"),),
        equivalent=False,
        log_bayes_factor=False,
        regular=True,
        bound="smoothed parameters are no likelier than the maximum, so BIC's bound holds",
        asymmetric=two_way(((3, 1), (0, 2))),
        number_of_cases="N of log(N) / 2: the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return sum n_jk log((n_jk + 1) / (n_j + r)) - q (r - 1) log(N) / 2."""
        theta = (counts + 1) / (counts.sum(axis=1, keepdims=True) + counts.shape[1])
        return math.fsum((counts * np.log(theta)).ravel()) + self.bound(counts)

    def bound(self, counts: Counts) -> float:
        """Return -q (r - 1) log(N) / 2."""
        return -parameter_count(counts) * math.log(counts.sum()) / 2

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_corrected_likelihood(math.log(data.n_cases) / 2)
