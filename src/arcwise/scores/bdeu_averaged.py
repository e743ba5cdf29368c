"""Averaged BDeu: the equivalent sample size averaged out over a grid."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.scores.bdeu import ESS
from arcwise.scores.dirichlet import bound_first_cases, log_marginal_likelihood
from arcwise.scores.facts import DILUTED, Counts, Facts, two_way
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["BdeuAveraged"]

Average = Literal["log", "family", "configuration"]
# In the order of the native enumeration.
AVERAGES = ("log", "family", "configuration")


@dataclass(frozen=True)
class BdeuAveraged(Score):
    """The average of BDeu over a grid of equivalent sample sizes.

    Silander, Kontkanen & Myllymäki (2007) average over 1, 2, ..., 100; Cano et al. (2011) over a few sizes far below
    and far above 1, each parent configuration on its own.

    Parameters
    ----------
    grid
        The equivalent sample sizes, all > 0, equally weighted.
    average
        What is averaged. ``"log"``: the log scores; the score stays equivalent. ``"family"``: the likelihoods of the
        family, that is, a uniform prior over the grid for each family. ``"configuration"``: the likelihoods of each
        parent configuration, that is, a uniform prior over the grid for each configuration (locally averaged BD).
    """

    name: ClassVar[str] = "bdeu_averaged"
    FACTS: ClassVar[Facts] = Facts(
        title="averaged BDeu",
        in_words="BDeu averaged over equivalent sample sizes",
        sources=(Citation("silander-2007"), Citation("cano-2011"), Citation("ueno-2012", "section 1")),
        equivalent=True,
        log_bayes_factor=False,
        regular=False,
        bound="BDeu's bound, which holds for every sample size",
        irregular=DILUTED,
    )

    grid: tuple[float, ...] = (0.01, 0.1, 1.0, 10.0, 100.0)
    average: Average = "log"

    def __post_init__(self) -> None:
        values = np.ravel(self.grid).tolist()  # one number will do for a grid of one
        if not values:
            raise OptionError(f"score '{self.name}': grid=() has no sample size; give at least one, e.g. grid=(1, 10).")
        for value in values:
            ESS.check(self.name, value)
        object.__setattr__(self, "grid", tuple(float(value) for value in values))
        if self.average not in AVERAGES:
            known = ", ".join(repr(known) for known in AVERAGES)
            raise OptionError(f"score '{self.name}': average={self.average!r} must be one of {known}.")

    @property
    def facts(self) -> Facts:
        """What is known of the score: averaging likelihoods gives a Bayes factor and costs the equivalence."""
        if self.average == "log" or len(self.grid) == 1:
            return self.FACTS
        return dataclasses.replace(
            self.FACTS, equivalent=False, log_bayes_factor=True, asymmetric=two_way(((9, 1), (0, 4)))
        )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return the average over the grid."""
        if self.average == "configuration":
            return math.fsum(log_mean_exp(self._by_size(row[None, :], len(counts))) for row in counts)
        values = self._by_size(counts, len(counts))
        return log_mean_exp(values) if self.average == "family" else float(np.mean(values))

    def _by_size(self, rows: Counts, configurations: int) -> NDArray[np.float64]:
        cells = configurations * rows.shape[1]
        return np.array([log_marginal_likelihood(rows, ess / cells) for ess in self.grid])

    def bound(self, counts: Counts) -> float:
        """Return -log r for every cell that occurs."""
        return bound_first_cases(counts)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_averaged_bdeu(data.n_cases, list(self.grid), AVERAGES.index(self.average))


def log_mean_exp(values: NDArray[np.float64]) -> float:
    """Return the logarithm of the mean of numbers given by their logarithms."""
    from scipy.special import logsumexp

    return float(logsumexp(values) - math.log(len(values)))
