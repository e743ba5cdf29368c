"""Searches over one component, what is left of their budget, the best network so far, and cuts from what data tell."""

from __future__ import annotations

import contextlib
import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.progress import ProgressEvent, native_event
from arcwise.base.run import Run, Status
from arcwise.counts import contingency
from arcwise.data.dataset import Dataset

if TYPE_CHECKING:
    from arcwise._core.exact import CutPool
    from arcwise._core.local import OrderedNetwork
    from arcwise._core.parent_sets import CandidateSets
    from arcwise.exact.relaxation import LpSolution


REPORT_SECONDS = 0.1  # between two reports of progress


class Budget:
    """The run, the node counter and the status of one search over all of its parts.

    A search asks `exhausted` before every expensive step and stops when it is true; `status` then says why. A progress
    callback that raises KeyboardInterrupt stops the search like a limit. While one part is worked on, `elsewhere` holds
    what the others contribute, so that reports speak of the whole network.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.nodes, self.most_nodes = 0, float(run.given.native_count)
        self.status = Status.COMPLETE
        self._outer: Budget | None = None
        self._next_report = REPORT_SECONDS
        self._last: ProgressEvent | None = None
        self._score_elsewhere = self._bound_elsewhere = 0.0

    def exhausted(self) -> bool:
        """Return whether the search must stop."""
        if self.status is Status.COMPLETE:
            if self._outer is not None and self._outer.exhausted():
                self.status = self._outer.status
            elif self.run.is_over:
                self.status = Status.TIME_LIMIT
            elif self.nodes >= self.most_nodes:
                self.status = Status.COUNT_LIMIT
        return self.status is not Status.COMPLETE

    def check(self) -> None:
        """Raise KeyboardInterrupt if the search must stop: what native code stops at."""
        if self.exhausted():
            raise KeyboardInterrupt

    def stop(self, status: Status = Status.INTERRUPTED) -> None:
        """Record why the search stops, unless it already has a reason."""
        if self.status is Status.COMPLETE:
            self.status = status

    @contextlib.contextmanager
    def aside(self, nodes: int) -> Iterator[Budget]:
        """Give a smaller problem some of the nodes that are left; its progress is not told, only that there is some."""
        inner = Budget(self.run.replace(progress=lambda event: self._repeat()))
        inner._outer = self
        inner.most_nodes = min(nodes, self.most_nodes - self.nodes)
        try:
            yield inner
        finally:
            self.nodes += inner.nodes
            if inner.status is Status.INTERRUPTED:  # by a second Ctrl-C: it is for all of it
                self.stop()

    @contextlib.contextmanager
    def elsewhere(self, score: float, bound: float) -> Iterator[None]:
        """While inside, add the score and the bound of the parts that are not worked on."""
        before = self._score_elsewhere, self._bound_elsewhere
        self._score_elsewhere += score
        self._bound_elsewhere += bound
        try:
            yield
        finally:
            self._score_elsewhere, self._bound_elsewhere = before

    def announce(self, stage: str, done: int, total: int) -> None:
        """Tell the caller that one of a few steps begins."""
        self._send(ProgressEvent(stage, done, total))

    def report(self, stage: str, incumbent: float, bound: float) -> None:
        """Tell the caller where the part at hand stands, at most ten times a second."""
        now = self.run.seconds
        if now < self._next_report:
            return
        self._next_report = now + REPORT_SECONDS
        details = {"incumbent": incumbent + self._score_elsewhere, "bound": bound + self._bound_elsewhere}
        details["gap"] = details["bound"] - details["incumbent"]
        known = {name: value for name, value in details.items() if math.isfinite(value)}
        self._send(ProgressEvent(stage, self.nodes, None, known))

    def native_report(self, stage: str) -> Callable[[int, int, float, float], None]:
        """Return a callback for native code, which reports (done, total, incumbent, bound) and stops if it raises."""

        def forward(done: int, total: int, incumbent: float, bound: float) -> None:
            self._send(native_event(stage, done, total, incumbent, bound))
            self.check()

        return forward

    def pulse(self, *_: float) -> None:
        """Repeat the last report, for native code that has nothing to add to it; stop it like `native_report`."""
        self._repeat()
        self.check()

    def _repeat(self) -> None:
        if self._last is not None:
            self._send(self._last)

    def _send(self, event: ProgressEvent) -> None:
        self._last = event
        try:
            self.run.callback(event)
        except KeyboardInterrupt:
            self.stop()


FIRST_ITERATIONS = 2000  # of the local search for a first network
PATIENCE = 120  # iterations without a gain that end it


class Incumbent:
    """The best acyclic choice of one row per node that is known; `score` is minus infinity while there is none.

    Local search over orders improves it. It lives as long as its `CandidateSets`; `moved_to` carries it over to a
    smaller copy.
    """

    def __init__(self, sets: CandidateSets, seed: int, budget: Budget) -> None:
        self.sets = sets
        self.score = -math.inf
        self.order: NDArray[np.int32] = np.arange(sets.variables, dtype=np.int32)
        self.rows: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._seed, self._budget = seed, budget
        self._improved = False
        self._search = _core.local.OrderSearch(sets, seed)

    def begin(self) -> bool:
        """Take any acyclic choice, in the time of reading the sets once; False if there is none at all."""
        order = _core.exact.feasible_order(self.sets)
        return order.size == self.sets.variables and self.take(order)

    @property
    def origins(self) -> NDArray[np.int64]:
        """The rows of the table that the network has; none if there is none."""
        return self.sets.origins[self.rows]

    def offer(self, network: OrderedNetwork) -> bool:
        """Take a network if it is complete and better."""
        order, rows, score, missing = network
        if missing or not score > self.score:
            return False
        self.order, self.rows, self.score = order, rows, score
        return True

    def improve(self, iterations: int = FIRST_ITERATIONS) -> None:
        """Iterated local search, from a random order at first, later from the best one."""
        start = self.order if self._improved else np.empty(0, dtype=np.int32)
        self._improved = True
        network, reason = self._search.iterate(
            start, iterations, PATIENCE, self._budget.run.seconds_left, self._budget.native_report("local search")
        )
        self.offer(network)
        if reason:
            self._budget.stop(Status.from_native(reason))

    def take(self, order: NDArray[np.int32]) -> bool:
        """Try the network that an order gives: the best set of each node among those before it."""
        return self.offer(self._search.evaluate(order))

    def descend_from(self, order: NDArray[np.int32]) -> bool:
        """Try the local optimum that an order leads to."""
        return self.offer(self._search.descend(order, self._budget.pulse))

    def moved_to(self, sets: CandidateSets) -> Incumbent:
        """Return the same network over a smaller copy of the sets, or what its order still gives there."""
        moved = Incumbent(sets, self._seed, self._budget)
        moved._improved = self._improved
        if self.rows.size:
            moved.take(self.order)
        return moved


# The optimum over one component by dynamic programming over subsets (cpp/core/exact/subset_dp.hpp).


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
LAYERED_FROM = 64
# The widest gap of the root per variable. Beyond it the cost grows too fast.
LAYERED_GAP = 3.0
# Sets looked at, for each set of the table, before it gives up: 1.5 ns each. Linear programs take as long as 120,000
# (kdd_test) to 1,400,000 (soybean_BIC) of these.
WORK = 500_000
# The part of a time limit that it may use: what is left is for the linear relaxation, whose bound is better.
SHARE = 0.5


def solve_by_layers(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> tuple[bool, float]:
    """Search until the end, until it gives up, or until the budget is exhausted; do nothing if it does not suit.

    Return whether the optimum is proved, and an upper bound; the incumbent has the best network found. Networks that
    are better than the incumbent by less than the tolerance are not looked for.
    """
    unknown = False, math.inf
    suits = sets.variables <= _core.exact.LayeredSearch.largest and sets.rows >= LAYERED_FROM * sets.variables
    if not suits or budget.exhausted():
        return unknown
    search = _core.exact.LayeredSearch(sets, incumbent.order, tolerance, budget.pulse)
    if not search.is_exact:
        return unknown
    bound = incumbent.score + search.gap
    if search.gap > LAYERED_GAP * sets.variables or budget.exhausted():
        return False, bound

    def report(*_: float) -> None:
        budget.report("exact search", incumbent.score, bound)
        budget.check()

    # The nodes count only if they prove something: after a search that is given up, the limit is for the tree.
    nodes, memory = max(0, int(budget.most_nodes - budget.nodes)), budget.run.given.native_memory
    finished, reason = search.run(WORK * sets.rows, nodes, memory, SHARE * budget.run.seconds_left, report)
    incumbent.take(search.order)
    if finished:
        budget.nodes += search.nodes
        return True, incumbent.score
    if Status.from_native(reason) is Status.INTERRUPTED:
        budget.stop()
    return False, max(bound, incumbent.score)


# `Window`: the families of some nodes, re-optimised exactly while all others stay fixed.
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


# The optimum over one component by an integer program in HiGHS, with cuts added until its solution is acyclic.
#
# The independent second opinion: the branching, the bounds and the proof are the MIP solver's own; only inequalities
# that hold for every acyclic network (cpp/core/exact/cut_pool.hpp) are given to it. Rounds: solve the relaxation with
# cuts, then the integer program with all of them; if its solution has a cycle, add the violated clusters and solve
# again. Every round's dual bound holds for the problem, because a program with fewer cuts only allows more.
#
# HiGHS runs in a thread of its own while this one waits: signals reach the main thread only, so Ctrl-C, the limits
# and progress work as always, and HiGHS checks a flag now and then to see whether it should stop.


def solve_by_ilp(sets: CandidateSets, incumbent: Incumbent, budget: Budget, tolerance: float) -> float:
    """Improve the incumbent, which is a network, to the optimum; return the upper bound proved."""
    program = _LinearProgram(sets)
    columns = np.arange(sets.rows, dtype=np.int64)
    bound = math.inf
    integral = False
    while not budget.exhausted():
        is_optimal = program.solve(budget, incumbent.score, bound)
        bound = min(bound, program.dual_bound(integral))
        if not is_optimal:
            if not budget.exhausted():
                raise ArithmeticError(f"HiGHS ended with {program.solver.getModelStatus()} on a bounded program")
            break
        budget.nodes += int(program.solver.getInfo().mip_node_count) if integral else 0
        budget.report("integer program", incumbent.score, bound)
        values = np.array(program.solver.getSolution().col_value)
        used = np.flatnonzero(values > 1e-6)
        members, codes = _core.exact.separate_cuts(
            sets,
            columns[used],
            np.ascontiguousarray(values[used]),
            max(50, sets.variables),
            1e-3,
            0 if integral else 1,
            callback=budget.pulse,
        )
        if codes.size:
            program.add_cuts(members, codes)
            continue
        order = _core.exact.order_of_point(sets, columns[used], np.ascontiguousarray(values[used]))
        incumbent.descend_from(order)
        if integral or bound <= incumbent.score + tolerance:
            break  # acyclic: the program's optimum is the problem's, to HiGHS's tolerance
        integral = True
        program.require_integers()
    return max(incumbent.score, bound)


class _LinearProgram:
    """The program in HiGHS: one column for each set, one equation for each node, and the cuts so far."""

    def __init__(self, sets: CandidateSets) -> None:
        import highspy

        self._sets, self._highs = sets, highspy
        self._columns = np.arange(sets.rows, dtype=np.int64)
        self._pool = _core.exact.CutPool(sets.variables)
        n, rows = sets.variables, sets.rows
        node = np.repeat(np.arange(n), np.diff(sets.offsets))
        best = sets.scores[sets.offsets[:-1]]
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = rows, n
        program.sense_ = highspy.ObjSense.kMaximize
        program.offset_ = float(best.sum())
        program.col_cost_ = sets.scores - best[node]
        program.col_lower_, program.col_upper_ = np.zeros(rows), np.ones(rows)
        program.row_lower_ = program.row_upper_ = np.ones(n)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = sets.offsets.astype(np.int32)
        program.a_matrix_.index_ = np.arange(rows, dtype=np.int32)
        program.a_matrix_.value_ = np.ones(rows)
        self.solver: Any = highspy.Highs()  # type: ignore[no-untyped-call, unused-ignore]
        options: dict[str, Any] = {"output_flag": False, "threads": 1, "mip_rel_gap": 0.0, "mip_abs_gap": 1e-7}
        options["mip_feasibility_tolerance"] = 1e-9
        for option, setting in options.items():
            self.solver.setOptionValue(option, setting)
        self.solver.passModel(program)

    def add_cuts(self, members: NDArray[np.uint64], codes: NDArray[np.int32]) -> None:
        """Add cuts, given as in `CutPool.extend`; the next solution starts from the last one."""
        first = len(self._pool)
        self._pool.extend(members, codes)
        (starts, index, value), forms, sides = self._pool.rows(self._sets, self._columns, first)
        lower = np.where(forms == 0, -self._highs.kHighsInf, sides)
        upper = np.where(forms == 0, sides, self._highs.kHighsInf)
        self.solver.addRows(codes.size, lower, upper, index.size, starts[:-1], index, value)

    def require_integers(self) -> None:
        """Make the linear program an integer program."""
        count = self._columns.size
        kinds = np.full(count, int(self._highs.HighsVarType.kInteger), dtype=np.uint8)
        self.solver.changeColsIntegrality(count, self._columns.astype(np.int32), kinds)

    @property
    def is_optimal(self) -> bool:
        """Whether the last run came to its end."""
        return bool(self.solver.getModelStatus() == self._highs.HighsModelStatus.kOptimal)

    def solve(self, budget: Budget, incumbent: float, bound: float) -> bool:
        """Run HiGHS until it ends, or the budget is exhausted or Ctrl-C arrives; return whether it came to its end."""
        stopping, reached = threading.Event(), [bound]

        def asked(event: Any) -> None:
            if stopping.is_set():
                event.interrupt()
            if math.isfinite(event.data_out.mip_dual_bound):
                reached[0] = min(reached[0], event.data_out.mip_dual_bound)

        for event in (self.solver.cbSimplexInterrupt, self.solver.cbMipInterrupt):
            event.subscribe(asked)
        thread = threading.Thread(target=self.solver.run, daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join(0.02)
                budget.report("integer program", incumbent, reached[0])
            except KeyboardInterrupt:  # of a second Ctrl-C, or a handler that was set meanwhile
                budget.stop()
            if budget.exhausted():
                stopping.set()
        self.solver.clearCallbacks()
        return self.is_optimal

    def dual_bound(self, integral: bool) -> float:
        """Return what the last run has proved."""
        info = self.solver.getInfo()
        if integral:
            return float(info.mip_dual_bound)
        if self.is_optimal:
            return float(info.objective_function_value)
        return float(self._sets.scores[self._sets.offsets[:-1]].sum())


# `Information`: cuts from what the data have to tell (cpp/core/exact/information.hpp says why they hold).
#
# The distribution behind them is a network: that of an incumbent, with the frequencies of the data. Its joint
# distributions over the families of a table come from exact inference. A table that was read from a file has no data,
# and its search does without.


# Fewer parent sets than this, or fewer cases, take less time without.
FEWEST_ROWS = 1000
FEWEST_CASES = 2500
# Of all families together, and of one; what is larger is left to the other cuts.
MOST_CELLS = 50_000_000
LARGEST_FAMILY = 12
# Each family's cells are summed for each of its subsets: this many additions take seconds.
MOST_SUMS = 2_000_000_000
# Cells that are in memory at a time, about.
BLOCK_CELLS = 4_000_000
# Of the cliques of the network that is asked: its limits for a row of data with gaps.
TABLE_CELLS = 1024
# A cut is added if it is violated by this much of a score, and at most this many at a time.
LEAST_VIOLATION = 0.3
# Entropies are sums of up to a million products, right to about this: cuts are that much weaker, so that none of them
# cuts off what it should not.
ROUNDING = 1e-11
NEW_CUTS = 12


def bits_of(words: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Return sets, given as rows of words, as rows of truth values."""
    flat = np.ascontiguousarray(words).view(np.uint8).reshape(len(words), -1)
    return np.unpackbits(flat, axis=1, bitorder="little")[:, :count].astype(bool)


class Information:
    """The entropies of the families of a component under one network; makes and finds cuts."""

    def __init__(self, network: _core.model.RowPosteriors8, arities: NDArray[np.int32], cases: float) -> None:
        self._network = network
        self._arities = arities
        self._native = _core.exact.Information(arities)
        self._threshold = LEAST_VIOLATION / max(cases, 1.0)

    @classmethod
    def under(
        cls, sets: CandidateSets, rows: NDArray[np.int64], data: Dataset | None, budget: Budget
    ) -> Information | None:
        """Return the information under the network that these rows are; None if it is not worth it, or too much.

        `data` has the variables of the table in its order.
        """
        is_small = sets.rows < FEWEST_ROWS or rows.size != sets.variables
        if is_small or not isinstance(data, Dataset) or data.n_cases < FEWEST_CASES:
            return None
        arities = np.ascontiguousarray(data.arities[sets.node_origins], dtype=np.int32)
        inside = bits_of(sets.sets, sets.variables)
        families = inside.copy()
        families[np.arange(sets.rows), np.repeat(np.arange(sets.variables), np.diff(sets.offsets))] = True
        families = np.unique(families, axis=0)
        cells = np.exp2(families @ np.log2(arities))
        sizes = families.sum(axis=1)
        if sizes.max() > LARGEST_FAMILY or cells.sum() > MOST_CELLS or (cells * np.exp2(sizes)).sum() > MOST_SUMS:
            return None
        network = _posteriors(inside[rows], arities, data, sets.node_origins)
        if network.prepare(budget.run.seconds_left, None):
            return None
        information = cls(network, arities, data.n_cases)
        if not information._learn(families, budget):
            return None
        information._native.set_model(np.ascontiguousarray(sets.sets[rows]))
        return information

    def _learn(self, families: NDArray[np.bool_], budget: Budget) -> bool:
        """Compute the entropies of all sets within these families; False if the time is over."""
        cells = np.exp2(families @ np.log2(self._arities))
        blocks = np.cumsum(cells) // BLOCK_CELLS
        for block in np.unique(blocks):
            chosen = families[blocks == block]
            owner, inside = np.nonzero(chosen)
            offsets = np.searchsorted(owner, np.arange(len(chosen) + 1)).astype(np.int64)
            members = inside.astype(np.int32)
            last = offsets[1:] - 1
            others = np.delete(members, last)
            others_from = offsets - np.arange(len(chosen) + 1)
            status, tables = self._network.count(members[last], others_from, others, budget.run.seconds_left, None)
            if status:
                return False
            self._native.learn(offsets, members, tables)
        return True

    def add_first(self, pool: CutPool, sets: CandidateSets) -> None:
        """Add the cut over all nodes to a pool."""
        every = np.packbits(np.arange(64 * sets.words) < sets.variables, bitorder="little").view(np.uint64)
        self._add(pool, sets, every, self._native.total)

    def add_violated(
        self, pool: CutPool, sets: CandidateSets, rows: NDArray[np.int64], values: NDArray[np.float64], budget: Budget
    ) -> int:
        """Add cuts that a point violates to a pool; return how many."""
        members, sides = self._native.separate(sets, rows, values, NEW_CUTS, self._threshold)
        for inside, side in zip(members, sides.tolist(), strict=True):
            self._add(pool, sets, np.ascontiguousarray(inside), side)
        wanted = self._native.take_wanted()
        if len(wanted):
            self._learn(bits_of(wanted, sets.variables), budget)
        return len(members)

    def _add(self, pool: CutPool, sets: CandidateSets, members: NDArray[np.uint64], side: float) -> None:
        pool.extend_weighted(members, sets, self._native.coefficients(sets, members), side + ROUNDING)


def _posteriors(
    model: NDArray[np.bool_], arities: NDArray[np.int32], data: Dataset, columns: NDArray[np.int64]
) -> _core.model.RowPosteriors8:
    """Return the network, with the frequencies of the data, as what a row knows of which nothing is observed."""
    n = len(arities)
    parents = [np.flatnonzero(row) for row in model]
    tables = []
    for v in range(n):
        counts = contingency(data, columns[[*parents[v], v]].tolist()).reshape(-1, int(arities[v])).astype(float)
        totals = counts.sum(axis=1, keepdims=True)
        tables.append(np.where(totals > 0, counts / np.where(totals > 0, totals, 1), 1 / arities[v]).ravel())
    sizes = [table.size for table in tables]
    return _core.model.RowPosteriors32(
        np.zeros((n, 1), dtype=np.uint32),
        np.ones((n, 1), dtype=np.uint8),
        arities,
        np.empty(0, dtype=np.int64),
        arities,
        np.concatenate([[0], np.cumsum(model.sum(axis=1))]).astype(np.int64),
        np.concatenate(parents).astype(np.int32),
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        np.concatenate(tables),
        _topological(model),
        _core.model.ExpectationLimits(table_cells=TABLE_CELLS, threads=1),
    )


def _topological(parents: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return an order in which parents come first."""
    placed = np.zeros(len(parents), dtype=bool)
    order: list[int] = []
    while len(order) < len(parents):
        ready = np.flatnonzero(~placed & ~(parents & ~placed).any(axis=1))
        order += ready.tolist()
        placed[ready] = True
    return np.array(order, dtype=np.int32)
