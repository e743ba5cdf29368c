"""qBDJ: the quotient Bayesian Dirichlet score with Jeffreys' prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import QUOTIENT_LIMITS, Counts, Facts
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Qbdj"]


@dataclass(frozen=True)
class Qbdj(Score):
    """qBDJ = f(S) - f(P): Jeffreys' marginal likelihood of child and parents over that of the parents.

    f(T) = lnG(\\|T\\|/2) - lnG(\\|T\\|/2 + N) + sum over cells of lnG(n + 1/2) - lnG(1/2). No parameter.
    """

    name: ClassVar[str] = "qbdj"
    FACTS: ClassVar[Facts] = Facts(
        title="qBDJ",
        in_words="quotient BD with Jeffreys' prior",
        sources=(Citation("suzuki-kawahara-2017"), Citation("liao-2022", "section 4.2")),
        parent_limits=QUOTIENT_LIMITS,
        equivalent=True,
        log_bayes_factor=False,
        regular=True,
        bound="the configurations' part is at most 0, and the penalty grows with q",
        number_of_cases="N of both parts: the cases in which the variable was not set",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return f(S) - f(P)."""
        from scipy.special import gammaln

        cells = gammaln(counts + 0.5) - gammaln(0.5)
        rows = gammaln(counts.sum(axis=1) + 0.5) - gammaln(0.5)
        return math.fsum(cells.ravel()) - math.fsum(rows) + self.bound(counts)

    def bound(self, counts: Counts) -> float:
        """Return minus the penalty: lnG(q r/2) - lnG(q r/2 + N) - lnG(q/2) + lnG(q/2 + N)."""
        from scipy.special import gammaln

        cases, (q, r) = int(counts.sum()), counts.shape
        return float(gammaln(q * r / 2) - gammaln(q * r / 2 + cases) - gammaln(q / 2) + gammaln(q / 2 + cases))

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_qbdj(data.n_cases)
