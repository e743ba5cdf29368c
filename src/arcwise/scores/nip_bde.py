"""NIP-BDe: the marginal likelihood averaged over hypothetical structures."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.scores.facts import THREE_WAY, Facts
from arcwise.scores.hypothetical import HypotheticalScore

__all__ = ["NipBde"]


@dataclass(frozen=True)
class NipBde(HypotheticalScore):
    """The logarithm of the mean BDe likelihood of a family over hypothetical structures (non-informative prior BDe).

    Definition 1 averages the likelihood of the whole network, which is not a sum over families and so fits no search
    by local scores; `estimate_network` gives it. The score itself averages each family on its own.
    """

    name: ClassVar[str] = "nip_bde"
    FACTS: ClassVar[Facts] = Facts(
        title="NIP-BDe",
        in_words="non-informative prior BDe, averaged per family",
        sources=(Citation("ueno-2012", "Definition 1"),),
        equivalent=False,
        log_bayes_factor=True,
        regular=None,
        bound="no probability exceeds one",
        asymmetric=THREE_WAY,
        number_of_cases="N and the hypothetical distributions: the cases in which the variable was not set",
    )
    mixture: ClassVar[int] = 1

    def combine(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
        """Return the logarithm of the mean of the likelihoods."""
        from scipy.special import logsumexp

        if weights is None:
            return float(logsumexp(values) - math.log(len(values)))
        return float(logsumexp(values, b=weights))

    def standard_error(self, values: NDArray[np.float64]) -> float:
        """Return the standard error of the logarithm, by the delta method."""
        if len(values) < 2:
            return math.inf
        likelihoods = np.exp(values - values.max())
        return float(np.std(likelihoods, ddof=1) / math.sqrt(len(values)) / likelihoods.mean())
