"""Scutari and Nagarajan (2013): the cut-off whose ideal 0/1 distribution is nearest to the confidences.

The confidences' empirical distribution function is F(x) = share of edges with confidence <= x. In an ideal world every
edge has confidence 0 or 1, and the distribution function is a constant t (the share of absent edges) on [0, 1). The
rule takes the t that minimises L1(t) = integral over [0, 1] of |F(x) - t| dx, and the cut-off is the t-quantile of F.

Why this always equals the cut-off 0.5 (Liao 2022, Theorem 5.1, p. 61): L1(t) is the mean distance of t from the
random value F(X), X uniform on [0, 1], so its minimisers are the medians of F(X). F is non-decreasing, hence the
medians are the values from F(0.5-) to F(0.5). The two ends differ only if a confidence is exactly 0.5; we take the
upper end, F(0.5), as the theorem does, so that an edge at 0.5 is not significant. The quantile of F(0.5) is the largest
confidence not above 0.5: the same edges exceed it as exceed 0.5.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.rules.threshold import Threshold

__all__ = ["l1_distance", "scutari_threshold"]


def l1_distance(confidences: NDArray[np.float64], t: float) -> float:
    """Return L1(t), the distance between the confidences and an ideal in which the share t of edges is absent."""
    ordered = np.sort(np.asarray(confidences, dtype=np.float64))
    edges = np.concatenate(([0.0], ordered, [1.0]))
    heights = np.arange(len(ordered) + 1) / len(ordered)  # F on [x_i, x_(i+1))
    return float((np.abs(heights - t) * np.diff(edges)).sum())


def _all_distances(ordered: NDArray[np.float64], heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return L1 at every value of F, by running sums: what lies below a value counts up to it, the rest beyond it."""
    lengths = np.diff(np.concatenate(([0.0], ordered, [1.0])))
    below, weighed = np.cumsum(lengths), np.cumsum(lengths * heights)
    total, all_weighed = below[-1], weighed[-1]
    found = heights * below - weighed + (all_weighed - weighed) - heights * (total - below)
    return np.asarray(np.maximum(found, 0.0))


def scutari_threshold(confidences: NDArray[np.float64]) -> Threshold:
    """Return the cut-off as published: minimise L1 over t, then take the t-quantile of the confidences."""
    ordered = np.sort(np.asarray(confidences, dtype=np.float64))
    # L1 is convex and piecewise linear with kinks at the values of F, so one of these is a minimiser. Distances that
    # differ by rounding alone count as equal, and of equal ones the largest t is taken (see above).
    candidates = np.arange(len(ordered) + 1) / len(ordered)
    distances = _all_distances(ordered, candidates)
    best = int(np.flatnonzero(distances <= distances.min() + 1e-12)[-1])
    value = 0.0 if best == 0 else float(ordered[best - 1])
    return Threshold(
        value=value,
        rule="scutari",
        assumes="the true network is the 0/1 pattern nearest to the confidences; always the same edges as 0.5",
        details={"t": float(candidates[best]), "l1": float(distances[best]), "equivalent": 0.5},
    )
