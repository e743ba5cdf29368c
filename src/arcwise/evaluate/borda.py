"""The Borda count: which candidate does best over many instances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import DataError
from arcwise.mentions import Argument
from arcwise.showing import one_screen

__all__ = ["BordaCount", "borda_count"]


@one_screen
@dataclass(frozen=True, eq=False)
class BordaCount:
    """Points per candidate: in total, and on each instance."""

    candidates: tuple[str, ...]
    by_instance: NDArray[np.int64]
    """Shape (instances, candidates)."""

    @property
    def points(self) -> NDArray[np.int64]:
        """The points of each candidate, over all instances."""
        return np.asarray(self.by_instance.sum(axis=0, dtype=np.int64))

    @property
    def ranking(self) -> tuple[tuple[str, int], ...]:
        """Candidates with their points, most points first; those with equal points in the order given."""
        order = np.argsort(-self.points, kind="stable")
        return tuple((self.candidates[k], int(self.points[k])) for k in order)

    @property
    def winners(self) -> tuple[str, ...]:
        """The candidate with the most points, or all of them if several have."""
        best = self.points.max()
        return tuple(name for name, points in zip(self.candidates, self.points, strict=True) if points == best)


def borda_count(
    values: ArrayLike,
    *,
    candidates: Sequence[str] | None = None,
    higher_is_better: bool = True,
    tolerance: float = 0.0,
) -> BordaCount:
    """Award each candidate, on each instance, one point per opponent that does strictly worse; ties give none.

    Liao, section 2.4.4.

    Parameters
    ----------
    values
        The metric: one row per instance, one column per candidate.
    candidates
        The names of the candidates; 0, 1, ... if None.
    higher_is_better
        False for costs and distances.
    tolerance
        Values that differ by no more than this tie.
    """
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise DataError(f"one row per instance and one column per candidate are needed, not the shape {table.shape}.")
    if np.isnan(table).any():
        instance, candidate = (int(i) for i in np.argwhere(np.isnan(table))[0])
        raise DataError(f"candidate {candidate} has no value (NaN) on instance {instance}; leave such instances out.")
    if not tolerance >= 0:
        raise DataError(Argument("tolerance", tolerance), "must be 0 or more.")
    names = tuple(str(k) for k in range(table.shape[1])) if candidates is None else tuple(candidates)
    if len(names) != table.shape[1]:
        raise DataError(f"{len(names)} candidates but {table.shape[1]} columns of values.")
    oriented = table if higher_is_better else -table
    with np.errstate(invalid="ignore"):  # inf - inf: a tie
        ahead = oriented[:, :, None] - oriented[:, None, :] > tolerance
    return BordaCount(names, ahead.sum(axis=2, dtype=np.int64))
