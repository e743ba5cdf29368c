"""`CalibrationCurve`: how often an edge of confidence c is there, as a curve that never falls."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arcwise.errors import FormatError
from arcwise.showing import one_screen

__all__ = ["KNOTS", "CalibrationCurve"]

# Where a curve is known; between these it is straight. Dense at the ends, where confidences are.
KNOTS: NDArray[np.float64] = np.array(
    [0, 0.001, 0.0025, 0.005, 0.01, 0.02, 0.04, 0.07]
    + [k / 20 for k in range(2, 19)]
    + [0.93, 0.96, 0.98, 0.99, 0.995, 0.9975, 0.999, 1]
)


@one_screen
@dataclass(frozen=True)
class CalibrationCurve:
    """The probability of an edge at each confidence of `KNOTS`; between them it is interpolated.

    It never falls: what is more credible is at least as probable, so that the edges above a probability are those above
    a confidence.

    >>> curve = CalibrationCurve.of(0.2 + 0.7 * KNOTS)
    >>> float(curve(0.5)), curve.cut_off(0.55)
    (0.55, 0.5)
    """

    values: tuple[float, ...]

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        fits = values.shape == KNOTS.shape and bool(np.isfinite(values).all())
        if not fits or values.min() < 0 or values.max() > 1 or (np.diff(values) < 0).any():
            raise FormatError(f"a calibration curve has {len(KNOTS)} probabilities, none below the one before it.")

    @classmethod
    def of(cls, values: ArrayLike) -> CalibrationCurve:
        """Make a curve of probabilities at the knots; where they fall, the largest so far is kept."""
        return cls(tuple(np.maximum.accumulate(np.clip(np.asarray(values, dtype=np.float64), 0.0, 1.0)).tolist()))

    @classmethod
    def identity(cls) -> CalibrationCurve:
        """Return the curve that takes confidences for probabilities."""
        return cls(tuple(KNOTS.tolist()))

    def __call__(self, confidence: ArrayLike) -> NDArray[np.float64]:
        """Return the probabilities of edges of these confidences."""
        return np.asarray(np.interp(np.asarray(confidence, dtype=np.float64), KNOTS, self.values))

    def cut_off(self, probability: float) -> float:
        """Return the confidence above which the probability is above the given one; 1 if it is nowhere.

        Where even a confidence of 0 has more, it is 0: an edge that no network has is never chosen.
        """
        values = np.asarray(self.values)
        above = int(np.searchsorted(values, probability, side="right"))  # the first knot with more
        if above == 0:
            return 0.0
        if above == len(values):
            return 1.0
        low, high = values[above - 1], values[above]
        share = (probability - low) / (high - low)
        return round(float(KNOTS[above - 1] + share * (KNOTS[above] - KNOTS[above - 1])), 12)
