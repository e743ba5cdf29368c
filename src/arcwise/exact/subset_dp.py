"""The optimum over one component by dynamic programming over subsets (cpp/core/exact/subset_dp.hpp)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.run import Status
from arcwise.exact.incumbent import Budget, Incumbent

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets
    from arcwise.exact.relaxation import LpSolution


def dp_fits(variables: int, budget: Budget) -> bool:
    """Return whether two layers of subsets fit in the memory limit (and the variables in 32)."""
    dp = _core.exact.SubsetDp
    return variables <= dp.largest and dp.memory_for(variables, layered=True) <= budget.run.given.native_memory


def solve_by_dp(sets: CandidateSets, budget: Budget) -> tuple[float, NDArray[np.int64]] | None:
    """Return the optimum and its rows; None if the budget was not enough (its status says which limit).

    An acyclic choice must exist, which `feasible_order` finds out in less time.
    """
    if not dp_fits(sets.variables, budget):
        budget.stop(Status.MEMORY_LIMIT)
        return None
    dp = _core.exact.SubsetDp(sets, layered=True)
    reason = dp.run(budget.run.thread_count, budget.run.seconds_left, budget.native_report("subset DP"))
    if reason:
        budget.stop(Status.from_native(reason))
        return None
    return dp.optimum, dp.rows()


# The optimum over one component by search over layered orders (cpp/core/exact/layered_search.hpp), where it is quick.
#
# It is for tables with many sets per variable, whose linear programs are dear, if the bound of its root is near the
# incumbent. What it will take cannot be known beforehand, so it gives up once its own estimate is above the limit on
# work, or above a limit on nodes or memory; the linear relaxation then begins as if nothing had been tried.


# Sets per variable from which on it is tried: with fewer the linear programs take milliseconds.
DENSE = 64
# The widest gap of the root per variable. Beyond, what it takes grows too fast.
WIDE = 3.0
# Sets looked at, for each set of the table, before it gives up: 1.5 ns each. Linear programs take as long as 120,000
# (kdd_test) to 1,400,000 (soybean_BIC) of these.
WORK = 500_000
# The part of a time limit that it may use: what is left is for the linear relaxation, whose bound is better.
SHARE = 0.5


@dataclass(frozen=True)
class LayeredOutcome:
    """Whether the optimum is proved, and an upper bound. The incumbent has the best network found."""

    proved: bool
    bound: float


def solve_by_layers(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> LayeredOutcome:
    """Search until the end, until it gives up, or until the budget is exhausted; do nothing if it does not suit.

    Networks that are better than the incumbent by less than the tolerance are not looked for.
    """
    unknown = LayeredOutcome(False, math.inf)
    suits = sets.variables <= _core.exact.LayeredSearch.largest and sets.rows >= DENSE * sets.variables
    if not suits or budget.exhausted():
        return unknown
    search = _core.exact.LayeredSearch(sets, incumbent.order, tolerance, budget.pulse)
    if not search.is_exact:
        return unknown
    bound = incumbent.score + search.gap
    if search.gap > WIDE * sets.variables or budget.exhausted():
        return LayeredOutcome(False, bound)

    def report(*_: float) -> None:
        budget.report("exact search", incumbent.score, bound)
        budget.check()

    # The nodes count only if they prove something: after a search that is given up, the limit is for the tree.
    allowed = (WORK * sets.rows, budget.nodes_left, budget.run.given.native_memory)
    finished, reason = search.run(*allowed, SHARE * budget.run.seconds_left, report)
    incumbent.take(search.order)
    if finished:
        budget.nodes += search.nodes
        return LayeredOutcome(True, incumbent.score)
    if Status.from_native(reason) is Status.INTERRUPTED:
        budget.stop()
    return LayeredOutcome(False, max(bound, incumbent.score))


# `Window`: the families of some nodes, chosen anew and optimally while all others keep theirs.
#
# With a thousand nodes, local search over orders ends hundreds of nats below the optimum, and the linear relaxation is
# nearly integral: it agrees with the incumbent nearly everywhere. Where it does not, a window is solved by the same
# exact search, which proves problems of some hundred nodes in seconds (large neighbourhood search; the choice of the
# nodes is "relaxation induced neighbourhoods", Danna, Rothberg and Le Pape 2005, the windows are those of SLIM,
# Ramaswamy and Szeider 2021, without their bound on treewidth).
#
# A parent that is not in the window leads, along families that stay, from some members of the window: those must come
# before the child, just as if they were its parents. So every family becomes a set of members, and a network of the
# window is acyclic if and only if the whole is.


def order_of_rows(sets: CandidateSets, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return an order of the nodes in which the parents of every chosen row come first."""
    parents = _parents_of(sets, rows)
    return np.array(list(TopologicalSorter(dict(enumerate(parents))).static_order()), dtype=np.int32)


def undecided(sets: CandidateSets, chosen: NDArray[np.int64], solution: LpSolution) -> NDArray[np.int64]:
    """Return the nodes for which a point of the relaxation does not take the chosen row alone."""
    value = np.zeros(sets.rows)
    value[solution.rows] = solution.values
    return np.flatnonzero(value[chosen] < 1 - 1e-6)


@dataclass(frozen=True)
class Window:
    """A problem over some nodes alone; `rows` says which row of the whole each row of the table stands for."""

    nodes: NDArray[np.int64]
    sets: CandidateSets
    rows: NDArray[np.int64]
    order: NDArray[np.int32]  # of the members, as the whole has them

    @classmethod
    def around(cls, sets: CandidateSets, chosen: NDArray[np.int64], nodes: NDArray[np.int64]) -> Window:
        """Free the given nodes (ascending) of an acyclic choice of one row per node."""
        order = order_of_rows(sets, chosen)
        number = np.full(sets.variables, -1, dtype=np.int64)
        number[nodes] = np.arange(nodes.size)
        before = _members_before(sets, chosen, order, number, nodes.size)
        offsets = sets.offsets
        rows = np.concatenate([np.arange(offsets[v], offsets[v + 1]) for v in nodes.tolist()])
        child = np.repeat(np.arange(nodes.size), np.diff(offsets)[nodes])
        listed, parent = _listed(sets, rows)
        # One row of bits per parent, joined for each set; an empty set has none.
        inside = np.zeros((rows.size, before.shape[1]), dtype=np.uint64)
        if listed.size:
            starts = np.flatnonzero(np.r_[True, listed[1:] != listed[:-1]])
            inside[listed[starts]] = np.bitwise_or.reduceat(before[parent], starts, axis=0)
        bits = np.unpackbits(inside.view(np.uint8), axis=1, bitorder="little")[:, : nodes.size].astype(bool)
        possible = ~bits[np.arange(rows.size), child]  # the rest leads back to the child
        rows, child, bits = rows[possible], child[possible], bits[possible]
        table = _core.parent_sets.TableView(
            np.searchsorted(child, np.arange(nodes.size + 1)).astype(np.int64),
            np.ascontiguousarray(sets.scores[rows]),
            np.r_[0, np.cumsum(bits.sum(axis=1))].astype(np.int64),
            np.nonzero(bits)[1].astype(np.int32),
        )
        members = number[order]
        return cls(nodes, _core.parent_sets.CandidateSets(table), rows, members[members >= 0].astype(np.int32))


def _listed(sets: CandidateSets, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the members of some rows' sets, one after the other, each with the place of its row."""
    places, members = [], []
    step = max(1, 2**24 // max(sets.variables, 1))  # bits that are spread out at a time
    for begin in range(0, rows.size, step):
        words = np.ascontiguousarray(sets.sets[rows[begin : begin + step]])
        place, member = np.nonzero(np.unpackbits(words.view(np.uint8), axis=1, bitorder="little"))
        places.append(place + begin)
        members.append(member)
    return np.concatenate(places), np.concatenate(members)


def _parents_of(sets: CandidateSets, rows: NDArray[np.int64]) -> list[list[int]]:
    place, member = _listed(sets, rows)
    cuts = np.searchsorted(place, np.arange(1, rows.size))
    return [part.tolist() for part in np.split(member, cuts)]


def _members_before(
    sets: CandidateSets, chosen: NDArray[np.int64], order: NDArray[np.int32], number: NDArray[np.int64], size: int
) -> NDArray[np.uint64]:
    """Return, as bits for each node, what having it as a parent demands: itself, or the members that lead to it."""
    parents = _parents_of(sets, chosen)
    before = np.zeros((sets.variables, (size + 63) // 64), dtype=np.uint64)
    for v in order.tolist():
        if number[v] >= 0:
            before[v, number[v] // 64] = np.uint64(1) << np.uint64(number[v] % 64)
        elif parents[v]:
            before[v] = np.bitwise_or.reduce(before[parents[v]], axis=0)
    return before
