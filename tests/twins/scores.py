"""Scores and bounds of families by `Score.local` and `Score.bound`: what the native ones are compared with."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from arcwise.counts import contingency
from arcwise.data import Dataset
from arcwise.data.dataset import gap_codes
from arcwise.scores import Score
from arcwise.scores.believed import BelievedScore
from arcwise.scores.penalised import NodeAverageScore
from arcwise.scores.score import family_counts


def score_family_twin(score: Score, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
    """Return the same as `score.score_family`."""
    ordered = sorted(parents)
    if isinstance(score, BelievedScore):
        return score_family_twin(score.score, data, child, ordered) + score.prior(data).family(child, ordered)
    alone = data if data.targets is None else data.cases_without(data.names[child])
    if alone.n_cases == 0:
        return 0.0
    if not isinstance(score, NodeAverageScore):
        return score.local(family_counts(alone, child, ordered), score.alphas(alone, child, ordered))
    # From tables without the cells that lack a value.
    members = [*ordered, child]
    ends = np.where(gap_codes(data) < 0, data.arities, gap_codes(data))
    counts = contingency(alone, members)[tuple(slice(0, int(ends[v])) for v in members)]
    numbers = np.array([alone.n_cases, score.weight(alone.n_cases, alone.n_variables)])
    return score.local(counts.reshape(-1, int(ends[child])), numbers)


def bound_family_twin(score: Score, data: Dataset, child: int, parents: Iterable[int] = ()) -> float:
    """Return what neither this family nor one with more parents exceeds."""
    ordered = sorted(parents)
    if isinstance(score, BelievedScore):
        bound = bound_family_twin(score.score, data, child, ordered)
        return bound if math.isinf(bound) else bound + score.prior(data).most(child, ordered)
    if not isinstance(score, NodeAverageScore):
        return score.bound(family_counts(data, child, ordered))
    # -N w q (r - 1): no likelihood exceeds one, and supersets have at least as many parameters.
    alone = data if data.targets is None else data.cases_without(data.names[child])
    own = np.where(gap_codes(data) < 0, data.arities, gap_codes(data)).astype(np.float64)
    parameters = (own[child] - 1) * math.prod(own[p] for p in ordered)
    return float(-alone.n_cases * score.weight(alone.n_cases, alone.n_variables) * parameters)
