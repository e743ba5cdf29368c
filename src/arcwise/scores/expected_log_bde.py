"""Expected log-BDe: the log score averaged over hypothetical structures."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.scores.facts import THREE_WAY, Facts
from arcwise.scores.hypothetical import HypotheticalScore

__all__ = ["ExpectedLogBde"]


@dataclass(frozen=True)
class ExpectedLogBde(HypotheticalScore):
    """The mean of log BDe over hypothetical structures (Definition 2): a prior that favours no structure.

    BDeu's answer depends on the equivalent sample size because its prior believes in uniform distributions; here the
    sample size weighs priors of all shapes. Averaged over structures the score is equivalent and decomposable.
    """

    name: ClassVar[str] = "expected_log_bde"
    FACTS: ClassVar[Facts] = Facts(
        title="expected log-BDe",
        in_words="expected log-BDe over hypothetical structures",
        sources=(Citation("ueno-2012", "Definition 2 and Algorithm 1"),),
        equivalent=True,
        log_bayes_factor=False,
        regular=None,
        bound="no probability exceeds one",
        number_of_cases="N and the hypothetical distributions: the cases in which the variable was not set",
    )
    mixture: ClassVar[int] = 0

    @property
    def facts(self) -> Facts:
        """What is known of the score: the local form is not equivalent."""
        if self.structures == "local":
            return dataclasses.replace(self.FACTS, equivalent=False, asymmetric=THREE_WAY)
        return self.FACTS

    def combine(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
        """Return the mean."""
        return float(np.average(values, weights=weights))

    def standard_error(self, values: NDArray[np.float64]) -> float:
        """Return the standard error of the mean."""
        return float(np.std(values, ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf
