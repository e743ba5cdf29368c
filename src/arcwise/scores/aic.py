"""AIC: Akaike's information criterion."""

from __future__ import annotations

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

__all__ = ["Aic"]


@dataclass(frozen=True)
class Aic(Score):
    """AIC = LL - q (r - 1)."""

    name: ClassVar[str] = "aic"
    FACTS: ClassVar[Facts] = Facts(
        title="AIC",
        in_words="Akaike's information criterion",
        sources=(Citation("akaike-1974"), Citation("liao-2022", "section 4.2")),
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and supersets have at least as many parameters",
        number_of_cases="no N: the likelihood of the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return LL - q (r - 1)."""
        return log_likelihood(counts) - parameter_count(counts)

    def bound(self, counts: Counts) -> float:
        """Return -q (r - 1)."""
        return -float(parameter_count(counts))

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_penalised_likelihood(data.n_cases, 1.0)
