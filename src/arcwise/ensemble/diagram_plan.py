"""Which construction makes the diagram of a large credible set, and in which order of the nodes: found by trying.

Two constructions are exact and differ only in how many states they look at (cpp/core/ensemble/source_builder.hpp and
frontier_builder.hpp): sometimes the one needs a hundredth of the other's, and the second depends much on the order of
the nodes. Nothing simple tells beforehand, but what a construction does for a part of the slack is cheap to see, and
its states grow nearly exponentially with the slack, so that the rest can be forecast. An order is searched for as long
as that costs a small share of what the diagram is forecast to take. Small sets never come here: the first try ends
them. Everything is counted in states, not in seconds, so that the same set is found in the same way every time (a
stream of networks that was interrupted relies on that).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from arcwise._core.ensemble import Construction, NetworkDiagram

__all__ = ["UNLIMITED", "Build", "build_as_planned"]

UNLIMITED = 2**64 - 1
COUNT_LIMIT = 3  # Status::count_limit: the states were used up

# What the first try may look at, and each pilot that a forecast is made from.
FIRST_STATES = 5_000
PILOT_STATES = 5_000
SMALLEST_PART, PILOT_STEP = 0.05, 1.25
SLACK_STEP = 1.1
# The search for an order may take this share of what is forecast; pilots take a part of that in turn.
ORDER_SHARE = 1 / 6
PILOT_SHARE = 1 / 6
# Below so many states (some seconds) a search does not pay. It makes the frontier's diagrams up to ten times smaller:
# where they are forecast to be so much larger than those from the sources, it is not begun either.
WORTH_A_SEARCH = 400_000
HOPELESS = 30.0
# A round of the search has some hundred tries, on diagrams of a thousand states or more.
TRIES = 300
SMALLEST_PILOT, LARGEST_PILOT = 1_000, 8_000
FURTHEST = 15  # places that a move shifts nodes by
LONGEST = 8  # nodes that a move shifts together
TOLERATED = 0.02  # how much worse an order may be to be taken nevertheless, now and then

Order = NDArray[np.int32]
Build = Callable[["Construction", Order, float, int], "NetworkDiagram"]  # order, slack, most states


class OrderSearch:
    """A local search for an order in which the frontier construction looks at few states.

    Its goal is the number of states for a part of the slack, which is raised whenever they have become few: an order
    that is good for some slack is good for more. Moves shift a node, or some neighbours together.
    """

    def __init__(self, build: Build, order: Order, slack: float, seed: int) -> None:
        from arcwise import _core

        self._frontier = _core.ensemble.Construction.FRONTIER
        self._build = build
        self._whole = slack
        self._random = np.random.default_rng(seed)
        self.order = order
        self._slack = SMALLEST_PART * slack
        self._states: int | None = None  # what the order needs for this slack
        self.stopped: NetworkDiagram | None = None  # a diagram that a limit or Ctrl-C ended

    def run(self, states: int) -> None:
        """Search until so many states have been looked at."""
        pilot = min(max(SMALLEST_PILOT, states // TRIES), LARGEST_PILOT)
        used = 0
        while used < states and self.stopped is None:
            before = self._states
            if before is None or (before < pilot and self._slack < self._whole):
                self._slack = self._slack if before is None else min(self._whole, self._slack * SLACK_STEP)
                used += self._measure(self.order, UNLIMITED)
                continue
            order = self._moved()
            allowed = int(before * (1 + TOLERATED * self._random.random() ** 3))
            used += self._measure(order, allowed + 1)
            if self._states is not None and self._states <= allowed:
                self.order = order
            else:
                self._states = before

    def _measure(self, order: Order, most: int) -> int:
        """Set the number of states that an order needs; None if more than `most`. Return how many were looked at."""
        diagram = self._build(self._frontier, order, self._slack, most)
        self._states = int(diagram.explored) if diagram.status == 0 else None
        if diagram.status not in (0, COUNT_LIMIT):
            self.stopped = diagram
        return max(1, int(diagram.explored))

    def _moved(self) -> Order:
        """Return the order with one node, or some neighbours, in another place."""
        n = len(self.order)
        length = 1 if self._random.random() < 0.65 else int(self._random.integers(2, max(3, min(LONGEST, n) + 1)))
        length = min(length, n - 1)
        start = int(self._random.integers(n - length + 1))
        rest = np.delete(self.order, slice(start, start + length))
        if self._random.random() < 0.1:
            place = int(self._random.integers(len(rest) + 1))
        else:
            shift = int(self._random.integers(1, FURTHEST + 1)) * (1 if self._random.random() < 0.5 else -1)
            place = min(max(start + shift, 0), len(rest))
        block = self.order[start : start + length]
        if self._random.random() < 0.3:
            block = block[::-1]
        return np.ascontiguousarray(np.insert(rest, place, block))


def build_as_planned(build: Build, order: Order, slack: float, *, seed: int) -> NetworkDiagram:
    """Build a diagram with the construction and the order that promise the fewest states; a limit shows in its status.

    `build` makes a diagram for some slack and at most so many states; it also keeps the other limits.
    """
    from arcwise import _core

    sources, frontier = _core.ensemble.Construction.SOURCES, _core.ensemble.Construction.FRONTIER
    diagram = build(sources, order, slack, FIRST_STATES)
    if diagram.status != COUNT_LIMIT:
        return diagram
    by_sources = _Forecast(build, sources, order, slack, PILOT_STATES)
    by_frontier = _Forecast(build, frontier, order, slack, PILOT_STATES)
    search = OrderSearch(build, order, slack, seed)
    expected = min(by_sources.states, by_frontier.states)
    if expected > WORTH_A_SEARCH and by_frontier.states < HOPELESS * by_sources.states and len(order) > 1:
        spent, states = 0, 2 * PILOT_STATES
        while spent < ORDER_SHARE * min(by_sources.states, by_frontier.states):
            search.run(states)
            spent += states
            by_frontier = _Forecast(build, frontier, search.order, slack, max(PILOT_STATES, int(PILOT_SHARE * spent)))
            states = spent // 2
    for stopped in (by_sources.stopped, by_frontier.stopped, search.stopped):
        if stopped is not None:
            return stopped
    if by_sources.states <= by_frontier.states:
        return build(sources, order, slack, UNLIMITED)
    return build(frontier, search.order, slack, UNLIMITED)


class _Forecast:
    """How many `states` a construction will look at for the whole slack, from what it does for parts of it.

    The logarithm of the states is continued as a straight line through the last two pilots. It bends downwards, so
    that the forecast is high, but for both constructions.
    """

    def __init__(self, build: Build, construction: Construction, order: Order, slack: float, most: int) -> None:
        self.stopped: NetworkDiagram | None = None  # a diagram that a limit or Ctrl-C ended
        seen: list[tuple[float, float]] = []  # slack, log states
        part = SMALLEST_PART * slack
        while True:
            diagram = build(construction, order, part, most)
            if diagram.status != 0:
                self.stopped = diagram if diagram.status != COUNT_LIMIT else None
                break
            seen.append((part, math.log(max(1, int(diagram.explored)))))
            if part >= slack:
                break
            part = min(slack, part * PILOT_STEP)
        self.states = math.inf
        if self.stopped is not None:
            self.states = 0.0
        elif seen and seen[-1][0] >= slack:
            self.states = math.exp(seen[-1][1])
        elif len(seen) > 1:
            rate = (seen[-1][1] - seen[-2][1]) / (seen[-1][0] - seen[-2][0])
            self.states = math.exp(min(700.0, seen[-1][1] + rate * (slack - seen[-1][0])))
