"""BD: the Bayesian Dirichlet score with any constant hyperparameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.dirichlet import bound_pure_cells, log_marginal_likelihood
from arcwise.scores.facts import Counts, Facts, Parameter, two_way
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Bd"]


@dataclass(frozen=True)
class Bd(Score):
    """BD with alpha_jk = alpha in every cell; 1 gives K2 and 1/2 gives BDJ."""

    name: ClassVar[str] = "bd"
    FACTS: ClassVar[Facts] = Facts(
        title="BD",
        in_words="Bayesian Dirichlet score with constant alpha",
        sources=(Citation("heckerman-1995"),),
        equivalent=False,
        log_bayes_factor=True,
        regular=True,
        bound="the family with a configuration of its own for every cell",
        asymmetric=two_way(((3, 1), (0, 2))),
    )

    parameters: ClassVar[tuple[Parameter, ...]] = (Parameter("alpha", "the hyperparameter of every cell"),)

    alpha: float = 1.0

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return BD with alpha_jk = alpha."""
        return log_marginal_likelihood(counts, self.alpha)

    def bound(self, counts: Counts) -> float:
        """Return the bound of pure cells."""
        return bound_pure_cells(counts, self.alpha)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_bd(data.n_cases, self.alpha)
