"""How far the count of a credible set got before a limit stopped it: the set of a smaller Bayes factor, exactly."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram
from arcwise.limits import Limits, Status

__all__ = ["Reached", "count_within_reach"]

# The share of the time that the whole set may take before smaller ones are counted, and by how much they are smaller.
# A diagram grows about sixfold with every half unit of slack: the first that ends is close to the largest that can.
FIRST_SHARE = 0.75
STEP = 0.6
TRIES = 12


@dataclass(frozen=True, slots=True)
class Reached:
    """All `count` networks within `slack` of the optimum: a lower bound on what was asked for."""

    slack: float
    count: int


def count_within_reach(
    build: Callable[[float, Limits], CredibleDiagram], slack: float, limits: Limits, start: float
) -> Reached | None:
    """Count the sets of less and less slack, beginning below `slack`, until one ends within the limits."""
    for _ in range(TRIES):
        slack *= STEP
        left = limits.native_seconds - (time.monotonic() - start)
        if left <= 0:
            return None
        share = limits if limits.seconds is None else replace(limits, seconds=left / 3)
        diagram = build(slack, share)
        if diagram.status is Status.INTERRUPTED:
            return None
        if diagram.status is Status.COMPLETE:
            sums = diagram.sums(limits=share)
            if sums.status is Status.COMPLETE:
                return Reached(slack, sums.count)
    return None
