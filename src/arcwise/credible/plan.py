"""Which construction makes the diagram of a large credible set, and in which order of the nodes: found by trying.

Two constructions are exact and differ only in how many states they look at (source_states.hpp and frontier_states.hpp
in cpp/core/credible/construction): sometimes the one needs a hundredth of the other's, and both depend on the order of
the nodes, the second very much. Nothing simple tells beforehand, but what a construction does for a part of the slack
is cheap to see, and its states grow nearly exponentially with the slack, so that the rest can be forecast. An order is
searched for until that has cost about as much as the diagram is forecast to take. Small sets never come here: the first
try ends them. Everything is counted in states, not in seconds, so that the same set is found in the same way every time
(a stream of networks that was interrupted relies on that).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core

if TYPE_CHECKING:
    from arcwise._core.credible import Construction, NetworkDiagram


UNLIMITED = 2**64 - 1
# Of Status in cpp/core/monitor.hpp: the states were used up; what ends everything. (Where one construction runs out of
# memory, the other one may not.)
COUNT_LIMIT = 3
FINAL = (1, 4)  # time limit, interrupted

# What the first try may look at, and each pilot that a forecast is made from.
FIRST_STATES = 50_000
PILOT_STATES = 5_000
SMALLEST_PART, PILOT_STEP = 0.05, 1.25
SLACK_STEP = 1.1
# The search for an order may take this share of what is forecast; pilots take a part of that in turn.
ORDER_SHARE = 0.8
PILOT_SHARE = 0.1
# Below this many states (seconds) a search does not pay off. It makes diagrams up to ten times smaller: a construction
# that is forecast to need so much more than the other one is not searched for, later one that has fallen behind.
WORTH_A_SEARCH = 1_000_000
HOPELESS, BEHIND = 30.0, 5.0
# A round of the search has some hundred tries, on diagrams of two thousand states or more.
TRIES = 300
SMALLEST_PILOT, LARGEST_PILOT = 2_000, 8_000
FACTOR = 10  # this many times the states of a pilot are too many
FURTHEST = 15  # places that a move shifts nodes by
LONGEST = 8  # nodes that a move shifts together
TOLERATED = 0.02  # how much worse an order may be to be taken nevertheless, now and then

Order = NDArray[np.int32]
Build = Callable[["Construction", Order, float, int], "NetworkDiagram"]  # order, slack, most states


class OrderSearch:
    """A local search for an order in which a construction looks at few states.

    Its goal is the number of states for a part of the slack, which is raised whenever they have become few: an order
    that is good for some slack is good for more. Moves shift a node, or some neighbours together, preferably where the
    diagram is wide.
    """

    def __init__(self, build: Build, construction: Construction, order: Order, slack: float, seed: int) -> None:
        self._build = build
        self._construction = construction
        self._whole = slack
        self._random = np.random.default_rng(seed)
        self.order = order
        self._slack = SMALLEST_PART * slack
        self._states: int | None = None  # what the order needs for this slack
        self._raise_below = math.inf  # the slack is raised if that is few
        self._widths = self._measured = np.ones(len(order))  # of the layers
        self.stopped: NetworkDiagram | None = None  # a diagram that a limit or Ctrl-C ended

    def run(self, states: int) -> None:
        """Search until this many states have been looked at."""
        pilot = min(max(SMALLEST_PILOT, states // TRIES), LARGEST_PILOT)
        used = 0
        while used < states and self.stopped is None:
            if self._states is None:
                used += self._begin(pilot)
            elif self._states < min(pilot, self._raise_below) and self._slack < self._whole:
                used += self._raise(self._states, pilot)
            else:
                used += self._try(self._states)

    def _begin(self, pilot: int) -> int:
        """Find some slack that does not take too many states."""
        used = self._measure(self.order, FACTOR * pilot)
        if self._states is None:
            self._slack /= 2
        self._widths = self._measured
        return used

    def _raise(self, before: int, pilot: int) -> int:
        """Continue with more slack, if that does not take too many states at once."""
        last = self._slack
        self._slack = min(self._whole, last * SLACK_STEP)
        used = self._measure(self.order, FACTOR * pilot)
        if self._states is None:
            self._slack, self._states, self._raise_below = last, before, before / 2
        else:
            self._widths, self._raise_below = self._measured, math.inf
        return used

    def _try(self, before: int) -> int:
        """Try one move."""
        order = self._moved()
        allowed = int(before * (1 + TOLERATED * self._random.random() ** 3))
        used = self._measure(order, allowed + 1)
        if self._states is None:
            self._states = before
        else:
            self.order, self._widths = order, self._measured
        return used

    def _measure(self, order: Order, most: int) -> int:
        """Set the states that an order needs; None if not less than `most`. Return how many were looked at."""
        diagram = self._build(self._construction, order, self._slack, most)
        self._states = int(diagram.explored) if diagram.status == 0 else None
        if diagram.status == 0:
            widths = np.diff(diagram.layer_begin)[: len(order)].astype(np.float64)
            # Where no network lies within the part of the slack there is no layer, and no place to prefer.
            self._measured = widths if len(widths) == len(order) else np.ones(len(order))
        if diagram.status in FINAL:
            self.stopped = diagram
        return max(1, int(diagram.explored))

    def _moved(self) -> Order:
        """Return the order with one node, or some neighbours, in another place."""
        n = len(self.order)
        length = 1 if self._random.random() < 0.65 else int(self._random.integers(2, max(3, min(LONGEST, n) + 1)))
        length = min(length, n - 1)
        weights = self._widths[: n - length + 1] + 0.2 * self._widths.mean() + 1e-9
        start = int(self._random.choice(n - length + 1, p=weights / weights.sum()))
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

    `build` makes a diagram for some slack and at most this many states; it also obeys the other limits.
    """
    sources, frontier = _core.credible.Construction.SOURCES, _core.credible.Construction.FRONTIER
    diagram = build(sources, order, slack, FIRST_STATES)
    if diagram.status != COUNT_LIMIT:
        return diagram
    candidates = []
    for construction in (sources, frontier):
        candidates.append(_Candidate(build, construction, order, slack, seed))
        if candidates[-1].stopped is not None:
            return candidates[-1].stopped
    spent, states, behind = 0, 2 * PILOT_STATES, HOPELESS
    best = min(candidates, key=lambda candidate: candidate.states)
    while best.states > WORTH_A_SEARCH and len(order) > 1 and spent < ORDER_SHARE * best.states:
        candidates = [candidate for candidate in candidates if candidate.states <= behind * best.states]
        for candidate in candidates:
            spent += candidate.improve(states)
            if candidate.stopped is not None:
                return candidate.stopped
        best = min(candidates, key=lambda candidate: candidate.states)
        states, behind = spent // 2, BEHIND
    return build(best.construction, best.order, slack, UNLIMITED)


class _Candidate:
    """A construction with the best order so far, and how many `states` it is forecast to look at for the whole slack.

    The forecast comes from what it does for parts of the slack: the logarithm of the states is continued as a straight
    line through the last two pilots. It bends downwards, so the forecast is too high, but for both constructions.
    """

    def __init__(self, build: Build, construction: Construction, order: Order, slack: float, seed: int) -> None:
        self.construction = construction
        self.order = order
        self._build = build
        self._slack = slack
        self._search = OrderSearch(build, construction, order, slack, seed)
        self._spent = 0
        self.stopped: NetworkDiagram | None = None
        self._furthest = (0.0, 0)  # the largest part of the slack that a pilot ended, and its states
        self.states = self._forecast(PILOT_STATES)

    def improve(self, states: int) -> int:
        """Search for a better order, looking at about this many states, and make the forecast again.

        The search sees little slack only: what it finds must be better for more, too. Return `states`.
        """
        self._search.run(states)
        self._spent += states
        self.stopped = self._search.stopped
        if self.stopped is None:
            part, seen = self._furthest
            if seen == 0:  # no pilot has ended yet
                self.order = self._search.order
            else:
                diagram = self._build(self.construction, self._search.order, part, seen + 1)
                if diagram.status == 0:
                    self.order = self._search.order
                self.stopped = diagram if diagram.status in FINAL else None
        if self.stopped is None:
            self.states = self._forecast(max(PILOT_STATES, int(PILOT_SHARE * self._spent)))
        return states

    def _forecast(self, most: int) -> float:
        seen: list[tuple[float, float]] = []  # slack, log states
        # From where the last forecast ended: better orders get further.
        part = max(SMALLEST_PART * self._slack, self._furthest[0] / PILOT_STEP)
        while True:
            diagram = self._build(self.construction, self.order, part, most)
            if diagram.status in FINAL:
                self.stopped = diagram
                return math.inf
            if diagram.status != 0:
                break
            seen.append((part, math.log(max(1, int(diagram.explored)))))
            self._furthest = (part, int(diagram.explored))
            if part >= self._slack:
                return math.exp(seen[-1][1])
            part = min(self._slack, part * PILOT_STEP)
        if len(seen) < 2:
            return math.inf
        (before, few), (last, many) = seen[-2:]
        return math.exp(min(700.0, many + (many - few) / (last - before) * (self._slack - last)))
