"""BDJ: the Bayesian Dirichlet score with Jeffreys' prior."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.dirichlet import bound_pure_cells, log_marginal_likelihood
from arcwise.scores.facts import Counts, Facts, two_way
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Bdj"]


@dataclass(frozen=True)
class Bdj(Score):
    """BD with Jeffreys' prior, alpha_jk = 1/2: regular, but not score-equivalent (Liao 2022, section 4.2)."""

    name: ClassVar[str] = "bdj"
    FACTS: ClassVar[Facts] = Facts(
        title="BDJ",
        in_words="BD with Jeffreys' prior",
        sources=(Citation("suzuki-2017"), Citation("liao-2022", "section 4.2")),
        equivalent=False,
        log_bayes_factor=True,
        regular=True,
        bound="the family with a configuration of its own for every cell",
        asymmetric=two_way(((3, 1), (0, 2))),
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return BD with alpha_jk = 1/2."""
        return log_marginal_likelihood(counts, 0.5)

    def bound(self, counts: Counts) -> float:
        """Return the bound of pure cells."""
        return bound_pure_cells(counts, 0.5)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_bd(data.n_cases, 0.5)
