"""`Judged`: one sample of a calibration study with probabilities that were made without its family of worlds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.curves import CalibrationCurve, DirectionMap
from arcwise_studies.experiments.calibration_fit import Samples
from arcwise_studies.experiments.pair_states import ABSENT, PairStates

__all__ = ["EVERY", "GROUPS", "Judged", "judge", "parts"]

# Sample sizes that are shown together.
GROUPS = {
    "50": (0, 99),
    "100-200": (100, 499),
    "500-1000": (500, 1999),
    "2000-5000": (2000, 9999),
    "20000-50000": (10_000, 10**9),
}
EVERY = "all"


@dataclass(frozen=True, eq=False)
class Judged:
    """One sample with the probabilities that were made without its family of worlds."""

    label: str
    family: str
    sample: str  # what it is a sample of: recipes that learned from the same have the same
    cases: int
    states: PairStates
    curve: CalibrationCurve
    ways: NDArray[np.float64]  # 3 x pairs: forward, backward and either, given an edge

    @property
    def confidence(self) -> NDArray[np.float64]:
        """What the recipe says."""
        return self.states.present

    @property
    def probability(self) -> NDArray[np.float64]:
        """What it is worth."""
        return self.curve(self.states.present)

    @property
    def real(self) -> NDArray[np.bool_]:
        """The truth."""
        return np.asarray(self.states.truth != ABSENT)

    @property
    def group(self) -> str:
        """The group of its sample size."""
        return next(name for name, (low, high) in GROUPS.items() if low <= self.cases <= high)


def judge(samples: Samples) -> list[Judged]:
    """Give every sample probabilities by a calibration that has not seen its family of worlds."""
    found = []
    for label in samples.labels:
        of_label = samples.of(label)
        for _, others, own in of_label.splits():
            if not len(others) or not len(own):
                continue
            model, directions = others.model(), others.directions()
            for states, curve, row in zip(own.states, own.curves(model), own.frame.itertuples(), strict=True):
                sample, cases = f"{row.truth}|{row.cases}|{row.repetition}", int(str(row.cases))
                ways = _ways(states, directions, cases)
                found.append(Judged(label, str(row.family), sample, cases, states, curve, ways))
    return found


def _ways(states: PairStates, directions: DirectionMap, cases: int) -> NDArray[np.float64]:
    forward, backward, free = states.shares / np.maximum(states.present, 1e-12)
    return np.stack(directions(forward, backward, np.where(states.present > 0, free, 1.0), cases))


def parts(judged: Sequence[Judged], *, families: bool = True) -> Iterator[tuple[str, str, str, list[Judged]]]:
    """Return the samples by recipe, family and group of sizes; with all families together."""
    labels = sorted({one.label for one in judged})
    kinds = [*(sorted({one.family for one in judged}) if families else ()), EVERY]
    for label in labels:
        for family in kinds:
            for group in GROUPS:
                own = [o for o in judged if o.label == label and o.family in (family, *_any(o, family))]
                own = [o for o in own if o.group == group]
                if own:
                    yield label, family, group, own


def _any(one: Judged, family: str) -> tuple[str, ...]:
    return (one.family,) if family == EVERY else ()
