"""BDeu: the likelihood-equivalent Bayesian Dirichlet score with a uniform prior network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.dirichlet import bound_first_cases, log_marginal_likelihood
from arcwise.scores.facts import DILUTED, Counts, Facts, Parameter
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["ESS", "Bdeu"]

ESS = Parameter("ess", "the equivalent sample size")


@dataclass(frozen=True)
class Bdeu(Score):
    """BD with alpha_jk = ess / (q r); the equivalent sample size weighs the prior against the data."""

    name: ClassVar[str] = "bdeu"
    FACTS: ClassVar[Facts] = Facts(
        title="BDeu",
        in_words="Bayesian Dirichlet equivalent uniform",
        sources=(Citation("heckerman-1995"), Citation("buntine-1991")),
        equivalent=True,
        log_bayes_factor=True,
        regular=False,
        bound="the first case of every cell that occurs has probability at most 1/r",
        irregular=DILUTED,
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (ESS,)

    ess: float = 1.0

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return BD with alpha_jk = ess / (q r)."""
        return log_marginal_likelihood(counts, self.ess / counts.size)

    def bound(self, counts: Counts) -> float:
        """Return -log r for every cell that occurs."""
        return bound_first_cases(counts)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_bdeu(data.n_cases, self.ess)
