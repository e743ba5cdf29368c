"""fNML: the factorised normalised maximum likelihood."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.bibliography import Citation
from arcwise.data import Dataset
from arcwise.scores.facts import Counts, Facts, two_way
from arcwise.scores.likelihood import log_likelihood
from arcwise.scores.nml import log_nml_normaliser_twin
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["Fnml"]


@dataclass(frozen=True)
class Fnml(Score):
    """fNML = LL - sum_j log C(n_j, r): each configuration's likelihood is normalised on its own. No parameter."""

    name: ClassVar[str] = "fnml"
    FACTS: ClassVar[Facts] = Facts(
        title="fNML",
        in_words="factorised normalised maximum likelihood",
        sources=(Citation("silander-2010"), Citation("liao-2022", "section 4.2")),
        equivalent=False,
        log_bayes_factor=False,
        regular=True,
        bound="LL <= 0, and C(n + m, r) <= C(n, r) C(m, r): splitting configurations costs more",
        asymmetric=two_way(((3, 1), (0, 2))),
        number_of_cases="n_j of C(n_j, r): the cases in which the variable was not set, by configuration",
    )

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return LL - sum_j log C(n_j, r)."""
        return log_likelihood(counts) + self.bound(counts)

    def bound(self, counts: Counts) -> float:
        """Return -sum_j log C(n_j, r)."""
        return -math.fsum(log_nml_normaliser_twin(int(n), counts.shape[1]) for n in counts.sum(axis=1))

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        return _core.scores.make_fnml(data.n_cases)
