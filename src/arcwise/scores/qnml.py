"""qNML: the quotient normalised maximum likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import QUOTIENT_LIMITS, Counts, Facts
from arcwise.scores.likelihood import log_likelihood
from arcwise.scores.nml import log_nml_normaliser_twin
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Qnml"]


@dataclass(frozen=True)
class Qnml(Score):
    """qNML = LL - [log C(N, q r) - log C(N, q)]: the NML of the family over that of its parents. No parameter.

    N is the number of cases in which the variable was not set by an experiment.
    """

    name: ClassVar[str] = "qnml"
    FACTS: ClassVar[Facts] = Facts(
        title="qNML",
        in_words="quotient normalised maximum likelihood",
        sources=(Citation("silander-2018"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and the penalty grows with q",
        number_of_cases="N of C(N, q r) and C(N, q): the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return LL - [log C(N, q r) - log C(N, q)]."""
        return log_likelihood(counts) + self.bound(counts)

    def bound(self, counts: Counts) -> float:
        """Return -[log C(N, q r) - log C(N, q)]."""
        cases, (q, r) = int(counts.sum()), counts.shape
        return log_nml_normaliser_twin(cases, q) - log_nml_normaliser_twin(cases, q * r)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_qnml(data.n_cases)
