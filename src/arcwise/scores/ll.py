"""LL: the maximised log likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import Counts, Facts
from arcwise.scores.likelihood import log_likelihood
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["LogLikelihood"]


@dataclass(frozen=True)
class LogLikelihood(Score):
    """LL = sum n_jk log(n_jk / n_j). More parents never lower it: a yardstick, not a criterion to search with."""

    name: ClassVar[str] = "ll"
    FACTS: ClassVar[Facts] = Facts(
        title="LL",
        in_words="log likelihood",
        sources=(Citation("liao-2022", "section 4.2"),),
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="no likelihood exceeds one",
        number_of_cases="no N: the likelihood of the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return sum n_jk log(n_jk / n_j)."""
        return log_likelihood(counts)

    def bound(self, counts: Counts) -> float:
        """Return 0."""
        return 0.0

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_penalised_likelihood(data.n_cases, 0.0)
