"""`reliability`: what was claimed beside what was true, bin by bin, and the figures that sum it up."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.errors import OptionError
from arcwise.showing import one_screen

__all__ = ["BINS", "FLOOR", "Reliability", "reliability"]

BINS = 15  # of equal width
FLOOR = 0.01  # pairs below are left out of the calibration error: nearly all pairs are there, and right
SMALLEST = 1e-4  # a claim of 0 or 1 that is wrong costs as much as this one: else one pair would decide


@one_screen
@dataclass(frozen=True, eq=False)
class Reliability:
    """How good claimed probabilities are.

    Parameters
    ----------
    claimed, true, pairs
        For each of the bins of equal width: the mean claim, the share of edges that are real (both NaN if the bin is
        empty), and how many pairs are in it.
    error
        The expected calibration error: the mean distance of claim and truth over the bins, by their pairs, of pairs
        with a claim above 0.01.
    log_loss, brier
        Over all pairs.
    """

    claimed: NDArray[np.float64]
    true: NDArray[np.float64]
    pairs: NDArray[np.int64]
    error: float
    log_loss: float
    brier: float


def reliability(claims: NDArray[np.float64], truth: NDArray[np.bool_]) -> Reliability:
    """Compare claimed probabilities with the truth.

    >>> found = reliability(np.array([0.9] * 10), np.array([True] * 9 + [False]))
    >>> round(found.error, 6), round(found.brier, 6), int(found.pairs[13])
    (0.0, 0.09, 10)
    """
    if claims.shape != truth.shape or not claims.size:
        raise OptionError(f"there are {claims.size} claims and {truth.size} truths; there must be as many, and some.")
    real = truth.astype(np.float64)
    kept = claims > FLOOR
    position = np.minimum((claims[kept] * BINS).astype(int), BINS - 1)
    pairs = np.bincount(position, minlength=BINS)
    with np.errstate(invalid="ignore"):
        claimed = np.bincount(position, weights=claims[kept], minlength=BINS) / pairs
        true = np.bincount(position, weights=real[kept], minlength=BINS) / pairs
    apart = np.nan_to_num(np.abs(claimed - true))
    inside = np.clip(claims, SMALLEST, 1 - SMALLEST)
    return Reliability(
        claimed=claimed,
        true=true,
        pairs=pairs,
        error=float((apart * pairs).sum() / max(int(pairs.sum()), 1)),
        log_loss=float(-(real * np.log(inside) + (1 - real) * np.log(1 - inside)).mean()),
        brier=float(((claims - real) ** 2).mean()),
    )
