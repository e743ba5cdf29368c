"""BIC: Schwarz's Bayesian information criterion, the same as MDL."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import Counts, Facts
from arcwise.scores.likelihood import log_likelihood, parameter_count
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Bic"]


@dataclass(frozen=True)
class Bic(Score):
    """BIC = LL - q (r - 1) log(N) / 2. Differences approximate log Bayes factors for large N.

    N is the number of cases in which the variable was not set by an experiment: of variables that were set in different
    cases, the penalties differ.
    """

    name: ClassVar[str] = "bic"
    FACTS: ClassVar[Facts] = Facts(
        title="BIC",
        in_words="Bayesian information criterion (MDL)",
        sources=(Citation("schwarz-1978"), Citation("liao-2022", "section 4.2")),
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and supersets have at least as many parameters",
        number_of_cases="N of log(N) / 2: the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return LL - q (r - 1) log(N) / 2."""
        return log_likelihood(counts) + self.bound(counts)

    def bound(self, counts: Counts) -> float:
        """Return -q (r - 1) log(N) / 2."""
        return -parameter_count(counts) * math.log(counts.sum()) / 2

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_penalised_likelihood(data.n_cases, math.log(data.n_cases) / 2)
