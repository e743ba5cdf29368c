"""NAL: the node-average likelihood, from the cases that have a family whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from arcwise.bibliography import Citation
from arcwise.scores.facts import Counts, Facts
from arcwise.scores.node_average import UNSEEN_TOGETHER, NodeAverageScore

__all__ = ["Nal"]


@dataclass(frozen=True)
class Nal(NodeAverageScore):
    """NAL = N x the sum over variables of LL / n, over the n cases that have the variable and its parents.

    Without a penalty it prefers families that few cases have whole: a yardstick, not a criterion to search with.
    """

    name: ClassVar[str] = "nal"
    FACTS: ClassVar[Facts] = Facts(
        title="NAL",
        in_words="node-average likelihood, from available cases",
        sources=(Citation("bodewes-2021"), Citation("balov-2013")),
        equivalent=False,
        log_bayes_factor=False,
        regular=None,
        bound="no likelihood exceeds one",
        asymmetric=UNSEEN_TOGETHER,
        number_of_cases="the factor N: the cases in which the variable was not set",
    )

    def weight(self, cases: int, variables: int) -> float:
        """Return 0."""
        return 0.0

    def bound(self, counts: Counts) -> float:
        """Return 0."""
        return 0.0
