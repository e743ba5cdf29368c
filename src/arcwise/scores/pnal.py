"""PNAL: the node-average likelihood with a penalty, which makes it a criterion to search with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcwise.bibliography import Citation
from arcwise.scores.facts import Counts, Facts, Parameter
from arcwise.scores.node_average import UNSEEN_TOGETHER, NodeAverageScore

__all__ = ["Pnal"]


@dataclass(frozen=True)
class Pnal(NodeAverageScore):
    """PNAL = NAL - N w q (r - 1) with w = N^-alpha / n, for N cases and n variables.

    The likelihoods of two families are averaged over different cases, so that chance makes them differ by about
    N^(-1/2), even if one of them explains nothing more. The penalty must vanish more slowly than that: then, and only
    then, the true network wins in the end (Balov 2013, if values are missing completely at random); hence alpha lies
    between 0 and 1/2. BIC's penalty, log(N) / (2 N), vanishes too fast. Divided by the number of variables, and with
    alpha = 1/4, as Bodewes and Scutari have it in bnlearn's `hc`.
    """

    alpha: float = 0.25

    name: ClassVar[str] = "pnal"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("alpha", "how fast the penalty vanishes: N^-alpha", high=0.5),
    )
    FACTS: ClassVar[Facts] = Facts(
        title="PNAL",
        in_words="penalised node-average likelihood, from available cases",
        sources=(Citation("bodewes-2021"), Citation("balov-2013")),
        equivalent=False,
        log_bayes_factor=False,
        regular=None,
        bound="no likelihood exceeds one, and supersets have at least as many parameters",
        asymmetric=UNSEEN_TOGETHER,
        number_of_cases="N of N^-alpha, and the factor N: the cases in which the variable was not set",
    )

    def bound(self, counts: Counts) -> float:
        """Return 0: counts do not say how many variables there are; `bound_family_twin` has the penalty."""
        return 0.0

    def weight(self, cases: int, variables: int) -> float:
        """Return N^-alpha / n."""
        return float(cases**-self.alpha / variables)
