"""How far the count of a credible set got before a limit stopped it: the set of a smaller Bayes factor, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram
from arcwise.limits import Status

__all__ = ["TRIES", "Reached", "count_within_reach"]

# The share of the time that the whole set may take before smaller ones are counted, and by how much they are smaller.
# A diagram grows about sixfold with every half unit of slack: the first that ends is close to the largest that can.
FIRST_SHARE = 0.75
STEP = 0.6
TRIES = 12


@dataclass(frozen=True, slots=True)
class Reached:
    """All `count` networks within `slack` of the optimum, and their diagram: a lower bound on what was asked for."""

    slack: float
    count: int
    diagram: CredibleDiagram


def count_within_reach(
    build: Callable[[float, Deadline], CredibleDiagram], slack: float, deadline: Deadline
) -> Reached | None:
    """Count the sets of less and less slack, beginning below `slack`, until one ends within the deadline.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C ended the building or the counting of one.
    """
    for _ in range(TRIES):
        slack *= STEP
        if deadline.is_over:
            return None
        third = deadline.part(3)
        diagram = build(slack, third)
        if diagram.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        if diagram.status is Status.COMPLETE:
            sums = diagram.sums(limits=third.limits)
            if sums.status is Status.COMPLETE:
                return Reached(slack, sums.count, diagram)
            if sums.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
    return None
