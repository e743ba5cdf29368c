"""`Stretches`: the row of stretches of draws that every chain goes through, one after the other.

Where one ends is the same for all chains, but for nothing else: what a chain draws does not depend on it. None goes
beyond a look, because there the run may end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.chains.jumps import Jumps

__all__ = ["Pace", "Stretch", "Stretches"]


@dataclass(frozen=True, eq=False)
class Stretch:
    """Some draws of every chain.

    Parameters
    ----------
    first, count
        The number of the first draw, and how many.
    targets
        What the chains jump to, chain by chain; empty if they do not.
    """

    first: int
    count: int
    targets: NDArray[np.uint32]


@dataclass
class Pace:
    """How many draws a stretch has: more and more, until they take some time.

    Parameters
    ----------
    draws
        Of the next one.
    seconds
        What is long enough.
    most
        Draws, however quick they are.
    """

    draws: int
    seconds: float
    most: int

    def note(self, draws: int, seconds: float) -> None:
        """Say how long a stretch took; one that a look cut short says nothing."""
        if draws >= self.draws and seconds < self.seconds:
            self.draws = min(2 * self.draws, self.most)


class Stretches:
    """Says which stretch begins where another ended.

    Parameters
    ----------
    pace
        How long they are.
    jumps
        Where the chains' jumps lead; None if there are none.
    goal
        Where, at the latest, the stretch ends that begins at a draw: no later than there if nothing is to be drawn.
    """

    def __init__(self, pace: Pace, jumps: Jumps | None, goal: Callable[[int], int]) -> None:
        self.pace, self._jumps, self._goal = pace, jumps, goal
        self._made: dict[int, Stretch] = {}  # by the first draw

    @property
    def least(self) -> float:
        """The score that chains jump from, at least."""
        return 0.0 if self._jumps is None else self._jumps.least

    def at(self, first: int) -> Stretch | None:
        """Return the stretch that begins at a draw, the same one whenever it is asked for; None if none does."""
        if first not in self._made:
            count = min(self._goal(first) - first, self.pace.draws)
            if count <= 0:
                return None
            targets = np.empty(0, dtype=np.uint32) if self._jumps is None else self._jumps.at(first, count)
            self._made[first] = Stretch(first, count, targets)
        return self._made[first]

    def forget(self, before: int) -> None:
        """Say that the stretches that begin before a draw are over."""
        self._made = {first: stretch for first, stretch in self._made.items() if first >= before}
