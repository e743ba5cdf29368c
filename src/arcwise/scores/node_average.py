"""`NodeAverageScore`: scores from the cases that have a family whole, each family from its own."""

from __future__ import annotations

import abc
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.data.gap_states import gap_codes
from arcwise.scores.facts import Asymmetry, Counts
from arcwise.scores.likelihood import log_likelihood, parameter_count
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.scores import LocalScore

__all__ = ["UNSEEN_TOGETHER", "NodeAverageScore"]

# Of two binary variables, 8 cases show both, which agree, and 4 show the first alone: X -> Y averages X over 12 cases
# and Y over 8, Y -> X both over 8, and X is less even in 12 cases than in 8.
UNSEEN_TOGETHER = Asymmetry((3, 3), (4, 0, 4, 0, 4, 0, 0, 0, 0), first=((), (0,)), second=((1,), ()), gaps=True)


@dataclass(frozen=True)
class NodeAverageScore(Score):
    """N times the average log likelihood of each family over its complete cases, minus a penalty.

    Likelihoods over different cases cannot be compared, averages can; times N, the number of all cases, they are on
    the scale of the other scores, and on complete data they are log likelihoods. A family of which no case has all
    values is worth a fair guess, -N log(r).
    """

    takes_gaps: ClassVar[bool] = True

    @abc.abstractmethod
    def weight(self, cases: int, variables: int) -> float:
        """Return what each parameter costs, per case."""

    def local(self, counts: Counts, alphas: NDArray[np.float64] | None = None) -> float:
        """Return N (LL / n - w q (r - 1)); `alphas` are N and w, or N is the sum of the counts and w 0."""
        cases, weight = (counts.sum(), 0.0) if alphas is None else alphas
        whole = counts.sum()
        average = log_likelihood(counts) / whole if whole else -math.log(counts.shape[1])
        return float(cases * (average - weight * parameter_count(counts)))

    def score_family_twin(self, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
        """Return the same as `score_family`, from tables without the cells that lack a value."""
        ordered = sorted(parents)
        alone = data if data.targets is None else data.cases_without(data.names[child])
        if alone.n_cases == 0:
            return 0.0
        members = [*ordered, child]
        ends = np.where(gap_codes(data) < 0, data.arities, gap_codes(data))
        counts = contingency(alone, members)[tuple(slice(0, int(ends[v])) for v in members)]
        numbers = np.array([alone.n_cases, self.weight(alone.n_cases, alone.n_variables)])
        return self.local(counts.reshape(-1, int(ends[child])), numbers)

    def bound_family_twin(self, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
        """Return -N w q (r - 1): no likelihood exceeds one, and supersets have at least as many parameters."""
        alone = data if data.targets is None else data.cases_without(data.names[child])
        own = np.where(gap_codes(data) < 0, data.arities, gap_codes(data)).astype(np.float64)
        parameters = (own[child] - 1) * math.prod(own[p] for p in parents)
        return float(-alone.n_cases * self.weight(alone.n_cases, alone.n_variables) * parameters)

    def native(self, data: Dataset) -> LocalScore:
        """Return the compiled score."""
        from arcwise import _core

        weight = self.weight(data.n_cases, data.n_variables)
        return _core.scores.make_node_average(data.n_cases, weight, data.arities.tolist(), gap_codes(data).tolist())
