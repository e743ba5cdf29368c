"""How chains walk: where they begin, which variables draw their parents together, jumps, chains on a cluster."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent import futures
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.cluster import Tasks, give_back_unwanted
from arcwise.base.errors import Argument, ConstraintError, OptionError, Remedy, UnfinishedError
from arcwise.base.run import Run, Status, native_seed
from arcwise.credible.listing import draw_networks
from arcwise.graph.dag import Dag
from arcwise.parent_sets.build import candidate_sets
from arcwise.parent_sets.table import ParentSetTable

if TYPE_CHECKING:
    from arcwise._core.posterior import ChainRun
    from arcwise.credible.credible_set import CredibleSet


# Where chains begin: at the best network known, at a local optimum, at a network of resampled data, at no arcs at all.
#
# R-hat can only notice what the starts make visible: chains that begin in the same valley agree whether or not there is
# another one. So every fourth chain begins at the same kind of place. A local optimum is what a short search over
# orders (Teyssier & Koller 2005) comes to from a random order of its own; the best network, at which the first chain
# begins, is the best of these, and every fourth chain after it begins at its own. Networks of resampled data are given
# by who has the data; without them, chains begin at local optima instead.


# Iterations of a search over orders. One takes some n^2 steps: beyond SMALL variables there are fewer, and starts cost
# no more than there; from a random order, the first already comes to a local optimum.
ITERATIONS, SMALL = 300, 40
MOST_SEARCHED = 1000  # rows of a variable
# The kinds of starts, by number of the chain modulo 4.
BEST, LOCAL, RESAMPLED, EMPTY = range(4)


def starting_networks(
    table: ParentSetTable,
    chains: int,
    seed: int,
    run: Run | None = None,
    resampled: Sequence[Dag] = (),
) -> NDArray[np.uint32]:
    """Return, for every chain and node, the row of the node that the chain begins with, counted within the node."""
    part, kept = _searched(table)
    sets = candidate_sets(part)
    search = _core.local.OrderSearch(sets, native_seed(seed, purpose=1))
    known = _core.exact.feasible_order(sets)
    if known.size < table.n_variables:
        raise ConstraintError("the parent sets of the table, or the constraints, leave no network without a cycle.")
    fallback = search.evaluate(known)[1]
    found = _local_optima(search, table.n_variables, chains, seed, run or Run())
    starts = [
        (kept[sets.origins[fallback if rows is None else rows]] - table.node_offsets[:-1]).astype(np.int64)
        for rows in found
    ]
    firsts = table.node_offsets[:-1]
    starts[BEST] = max(starts, key=lambda rows: float(table.scores[firsts + rows].sum()))
    for chain in range(chains):
        other = None
        if chain % 4 == RESAMPLED and chain // 4 < len(resampled):
            other = _nearest_rows(table, resampled[chain // 4])
        elif chain % 4 == EMPTY:
            other = _empty_rows(table)
        starts[chain] = starts[chain] if other is None else other
    return np.asarray(starts, dtype=np.uint32).reshape(chains, table.n_variables)


def _searched(table: ParentSetTable) -> tuple[ParentSetTable, NDArray[np.int64]]:
    """Return the part of a table that searches look at, and its rows: of many, the best, and the smallest.

    A variable's smallest set are its required parents, and those of all variables are a network: some are in the part.
    """
    every = np.arange(table.n_rows)
    per_node = np.diff(table.node_offsets)
    ranks = every - np.repeat(table.node_offsets[:-1], per_node)
    sizes = np.diff(table.set_offsets)
    smallest = np.repeat(np.minimum.reduceat(sizes, table.node_offsets[:-1]), per_node)
    chosen = (ranks < MOST_SEARCHED) | (sizes <= smallest + 1)
    return (table, every) if chosen.all() else (table.with_rows(chosen), every[chosen])


def _local_optima(search: Any, n_variables: int, chains: int, seed: int, run: Run) -> list[NDArray[np.int64] | None]:
    """Search from a random order for each chain; None where that reverses required arcs, or the time is over."""
    random = np.random.default_rng([seed, 1])
    most = max(1, ITERATIONS * SMALL**2 // max(SMALL, n_variables) ** 2)
    found: list[NDArray[np.int64] | None] = []
    for _ in range(chains):
        order = random.permutation(n_variables).astype(np.int32)
        (_, rows, _, missing), reason = search.iterate(order, most, most + 1, run.seconds_left, None)
        if Status.from_native(reason) is Status.INTERRUPTED:
            raise KeyboardInterrupt
        found.append(None if missing else rows)
    return found


def _empty_rows(table: ParentSetTable) -> NDArray[np.int64] | None:
    """Return the rows without parents; None if some variable must have some."""
    bare = np.flatnonzero(np.diff(table.set_offsets) == 0)
    nodes = np.searchsorted(table.node_offsets, bare, side="right") - 1
    if not np.array_equal(nodes, np.arange(table.n_variables)):
        return None
    return np.asarray(bare - table.node_offsets[:-1])


def _nearest_rows(table: ParentSetTable, dag: Dag) -> NDArray[np.int64] | None:
    """Return, for each variable, the best row of the table whose parents the DAG has: part of a DAG is a DAG."""
    found = []
    for v, mask in enumerate(dag.parent_masks):
        rows = table.rows_of(v)
        within = (row - rows.start for row in rows if all(mask >> parent & 1 for parent in table.parents_of(row)))
        found.append(next(within, None))
    return None if None in found else np.array(found, dtype=np.int64)


# What chains on a pruned table cannot see, bounded.
#
# A table with slack T lacks a parent set P of v only if one of its subsets Q, which the table has, scores better by
# more than T. Putting Q in the place of P turns each network with P into one with Q (fewer arcs close no cycle), no
# two into the same one, and makes it more than exp(T) times as probable. So the posterior probability that v has the
# parents P is below exp(-T) times that of Q, and the probability of any set that is missing is below their number
# times exp(-T): sums over families, as in the bounds of arXiv 2604.10863 for restricted search spaces, but without a
# sum over networks.


# The share of the posterior that the table of chains may lack.
LEFT_OUT = 1e-3
LARGEST_COUNT = 2**1000  # no floating-point number is much larger; some thousand variables have more parent sets


def count_families(n_variables: int, max_parents: int | None) -> int:
    """Return how many parent sets all variables have together, within the limit."""
    most = n_variables - 1 if max_parents is None else min(max_parents, n_variables - 1)
    return n_variables * sum(math.comb(n_variables - 1, size) for size in range(most + 1))


def slack_for(n_variables: int, max_parents: int | None) -> float:
    """Return the slack of a table that lacks at most `LEFT_OUT` of the posterior.

    >>> round(slack_for(37, 3), 2)
    19.48
    """
    count = count_families(n_variables, max_parents)
    return math.log(count / LEFT_OUT) if count < LARGEST_COUNT else math.log(count) - math.log(LEFT_OUT)


def left_out(table: ParentSetTable, n_rows: int) -> float:
    """Return a bound on the share of the posterior that has a family which the table lacks, of `n_rows` at first.

    Among the networks within the table's parent limit and constraints. NaN if the table does not say what it holds.
    """
    if math.isinf(table.slack):
        return 0.0
    missing = count_families(table.n_variables, table.max_parents) - n_rows
    if missing >= LARGEST_COUNT:
        return math.exp(min(0.0, math.log(missing) - table.slack))
    return min(1.0, missing * math.exp(-table.slack)) if missing > 0 else 0.0


# Which variables draw their parents together: those that are likely to be neighbours.
#
# A block is drawn without looking at the network, so that nothing needs to be corrected for it: the first variable by
# weight, each other one as a partner of one that is there already. Partners are drawn by how probable an arc between
# the two is when every variable chooses its parents independently; a tenth of the draws is spread over all pairs that
# the table joins, so that nothing depends on that guess but time.


SPREAD = 0.1  # the share of partners that are drawn from all that the table joins


def block_weights(table: ParentSetTable) -> dict[str, NDArray[Any]]:
    """Return how the variables of a table are drawn for blocks, as options of chains.

    `firsts` has, per variable, the sum of the weights of the variables up to it; `partners` those of each variable, one
    variable after the other, and `partner_sums` the sums of their weights up to each.
    """
    n = table.n_variables
    nodes = np.repeat(np.arange(n), np.diff(table.node_offsets))
    best = table.scores[table.node_offsets[:-1]]
    weights = np.exp(table.scores - best[nodes])
    shares = weights / np.bincount(nodes, weights, minlength=n)[nodes]
    rows = np.repeat(np.arange(table.n_rows), np.diff(table.set_offsets))
    joined = np.zeros((n, n))
    np.add.at(joined, (nodes[rows], table.members), shares[rows])
    known = np.zeros((n, n), dtype=bool)
    known[nodes[rows], table.members] = True
    known |= known.T
    joined += joined.T
    offsets, partners, sums = [0], [], []
    for v in range(n):
        own = np.flatnonzero(known[v])
        own_weights = joined[v, own]
        total = own_weights.sum()
        spread = own_weights / total * (1 - SPREAD) + SPREAD / max(1, len(own)) if total > 0 else np.ones(len(own))
        partners.append(own)
        sums.append(np.cumsum(spread))
        offsets.append(offsets[-1] + len(own))
    return {
        "firsts": np.cumsum(np.ones(n)),
        "partner_offsets": np.array(offsets, dtype=np.int64),
        "partners": np.concatenate(partners).astype(np.int32),
        "partner_sums": np.concatenate(sums).astype(np.float64),
    }


# Networks for chains to jump to: independent draws from a credible set.
#
# A chain that is at a network of the set may go to any other one of the set, drawn by weight: the ratio of the weights
# and that of the proposals cancel, and the jump is always accepted. From outside the set, the way back would be
# impossible, and nothing happens. Where the set holds some of the posterior, that carries chains across valleys which
# no walk crosses; where it holds none, it costs next to nothing.


# Draws that are made at once, for each chain: one of 16 variables takes 30 microseconds in blocks of 64, 2.4 in these,
# and 1.1 in blocks of 4,096, which take four times the memory.
BLOCK = 1024


class Jumps:
    """Draws from a complete credible set as rows of the table that chains walk on, which has at least the set's slack.

    Draw number i of a chain does not depend on earlier calls.
    """

    def __init__(self, credible: CredibleSet, table: ParentSetTable, chains: int, seed: int) -> None:
        self._diagram = credible.diagram("dag")
        if credible.names != table.names:
            raise OptionError("the credible set and the chains are about different variables.")
        self.least = credible.opt - credible.slack - credible.tolerance
        self._chains, self._seed = chains, seed
        self._block = -1
        self._rows: NDArray[np.uint32] = np.empty(0, dtype=np.uint32)
        families = self._diagram.families
        tuples, offsets = families.parent_tuples, families.node_offsets.tolist()
        finder = _RowFinder(table)
        self._maps = [finder.rows(v, tuples[offsets[v] : offsets[v + 1]]) for v in range(table.n_variables)]

    def at(self, draw: int, count: int) -> NDArray[np.uint32]:
        """Return the targets of the draws from number `draw` on, chain by chain."""
        parts = []
        while count:
            offset = draw % BLOCK
            own = min(count, BLOCK - offset)
            parts.append(self._rows_of(draw // BLOCK)[:, offset : offset + own])
            draw, count = draw + own, count - own
        return np.concatenate(parts, axis=1).reshape(-1)

    def _rows_of(self, block: int) -> NDArray[np.uint32]:
        """Return the targets of a block, at [chain, draw, node]; the last one is kept."""
        if block != self._block:
            seed = int(np.random.SeedSequence([self._seed, 2, block]).generate_state(1, np.uint64)[0])
            found, _ = draw_networks(self._diagram, self._chains * BLOCK, by_score=True, seed=seed, run=Run())
            if found.status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if found.status is not Status.COMPLETE:
                raise UnfinishedError(
                    f"the networks that {self._chains:,} chains jump to do not fit into memory.",
                    remedies=Remedy("let chains be fewer:", Argument("chains")),
                )
            rows = np.stack([own[found.choices[:, v]] for v, own in enumerate(self._maps)], axis=1)
            self._block, self._rows = block, rows.reshape(self._chains, BLOCK, -1)
        return self._rows


class _RowFinder:
    """Finds the rows of given parent sets in a table of millions: by the sum of a random number per member."""

    def __init__(self, table: ParentSetTable) -> None:
        self._table = table
        self._members = np.random.default_rng(0).integers(0, 2**64, table.n_variables, dtype=np.uint64)
        sums = np.concatenate(([np.uint64(0)], np.cumsum(self._members[table.members], dtype=np.uint64)))
        self._keys = sums[table.set_offsets[1:]] - sums[table.set_offsets[:-1]]  # modulo 2^64

    def rows(self, node: int, sets: Sequence[tuple[int, ...]]) -> NDArray[np.uint32]:
        """Return the rows of a node with these parents, counted within the node."""
        own = self._table.rows_of(node)
        keys = self._keys[own.start : own.stop]
        order = np.argsort(keys, kind="stable")
        wanted = np.array([self._members[list(parents)].sum(dtype=np.uint64) for parents in sets], dtype=np.uint64)
        places = np.minimum(np.searchsorted(keys, wanted, sorter=order), len(keys) - 1)
        found = order[places]
        for row, parents in zip(found.tolist(), sets, strict=True):
            if self._table.parents_of(own.start + row) != parents:
                raise OptionError(
                    "the credible set has parent sets that the chains' table lacks; build both from the same data and "
                    "score, the table with at least the slack of the set."
                )
        return np.asarray(found, dtype=np.uint32)


# Every chain goes through the same stretches of draws, one after the other (`Stretches`).
#
# Where one ends is the same for all chains, but for nothing else: what a chain draws does not depend on it. None goes
# beyond a look, because there the run may end.


@dataclass(frozen=True, eq=False)
class Stretch:
    """Some draws of every chain."""

    first: int  # the number of the first draw
    count: int
    targets: NDArray[np.uint32]  # what the chains jump to, chain by chain; empty if they do not


@dataclass
class Pace:
    """How many draws a stretch has: more and more, until they take some time."""

    draws: int  # of the next one
    seconds: float  # what is long enough
    most: int  # draws, however quick they are

    def note(self, draws: int, seconds: float) -> None:
        """Take in how long a stretch took; one that a look cut short says nothing."""
        if draws >= self.draws and seconds < self.seconds:
            self.draws = min(2 * self.draws, self.most)


class Stretches:
    """Which stretch begins where another ended, at some pace, with jumps if there are any.

    `goal` tells where, at the latest, the stretch ends that begins at a draw: no later than there if nothing is to be
    drawn.
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
        """Let go of the stretches that begin before a draw: they are over."""
        self._made = {first: stretch for first, stretch in self._made.items() if first >= before}


# Chains on the workers of a Dask cluster: one task per chain and stretch of draws.
#
# A worker gets where a chain stands and the state of its random numbers, and gives back the draws and the same two:
# what was drawn does not depend on who drew it, and a task that died with its worker is simply repeated (`Cluster`).
# Chains do not wait for each other, nor for the verdict on what they have drawn.


MOST_AHEAD = 4  # stretches that a chain may have ended before the other chains have, or before they have been looked at
Result = TypeVar("Result")

# Of one chain: positions, random numbers, moves.
State = tuple[NDArray[np.uint32], NDArray[np.uint64], NDArray[np.uint64]]


@dataclass(frozen=True, eq=False)
class ChainTask:
    """The table that chains walk on, and how (see `ChainSettings`): enough to make them anywhere."""

    table: ParentSetTable
    mixture: tuple[float, ...]
    window: float
    steps: int
    heats: tuple[float, ...]

    def start(self, seeds: NDArray[np.uint64], starts: NDArray[np.uint32]) -> ChainRun:
        """Return chains with these seeds at these networks: rows of every chain and node."""
        options = _core.posterior.ChainOptions(
            **block_weights(self.table),
            mixture=np.array(self.mixture, dtype=np.float64),
            window=float(self.window),
            thin=self.steps,
            heats=np.array(self.heats, dtype=np.float64),
        )
        return _core.posterior.ChainRun(self.table.native, options, seeds, starts)

    @property
    def digest(self) -> str:
        """What is the same if the chains walk alike."""
        how = repr((self.mixture, self.window, self.steps, self.heats))
        return hashlib.sha256(f"{self.table.digest} {how}".encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_one"}

    @cached_property
    def _one(self) -> dict[int, ChainRun]:
        """A chain of every thread of this worker, to be put where another one stands."""
        return {}

    def advance(self, request: StretchRequest) -> Walked:
        """Let one chain go on from a state."""
        positions, random, counts = request.state
        n, thread = self.table.n_variables, threading.get_ident()
        kept = self._one
        if thread not in kept:
            kept[thread] = self.start(np.zeros(1, dtype=np.uint64), positions[:n].copy())
        run = kept[thread]
        before, begin = run.counts(), time.monotonic()
        run.restore(positions.copy(), random.copy())
        code, _, rows, scores = run.advance(request.count, request.targets, request.least, 1, request.seconds, _go_on)
        state = run.positions(), run.random_states(), counts + (run.counts() - before)
        return Walked(code, rows, scores, state, time.monotonic() - begin)


def _go_on(*_: float) -> None:
    give_back_unwanted()


@dataclass(frozen=True, eq=False)
class StretchRequest:
    """A chain's way: from a state, so many draws, with these jumps from networks of at least this score, in time."""

    state: State
    count: int
    targets: NDArray[np.uint32]
    least: float
    seconds: float


@dataclass(frozen=True, eq=False)
class Walked:
    """What came of it: why it ended, the draws, the chain's last state, and its cost."""

    code: int
    rows: NDArray[np.uint32]
    scores: NDArray[np.float64]
    state: State
    seconds: float


def advance_chain(task: ChainTask, request: StretchRequest) -> Walked:
    """Let one chain go on, on a worker."""
    return task.advance(request)


def _compute(compute: Callable[[], Result], found: futures.Future[Result]) -> None:
    """Compute what `found` is to have, unless it has been cancelled."""
    if not found.set_running_or_notify_cancel():
        return
    try:
        found.set_result(compute())
    except BaseException as error:
        found.set_exception(error)


def _ended(status: Status) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]:
    """Return what a stretch is of which not all chains have come to the end."""
    return list(Status).index(status), np.empty(0, dtype=np.uint32), np.empty(0)


class RemoteRun:
    """What `ChainRun` of the native core does, on a cluster.

    A chain does not wait for the others: whoever has ended a stretch goes on with the next, up to some stretches ahead
    of what this process has taken. What is ahead when the run ends is as if it had not been drawn.
    """

    def __init__(self, tasks: Tasks[Walked], first: ChainRun, chains: int, stretches: Stretches, run: Run) -> None:
        self._tasks, self._stretches, self._run = tasks, stretches, run
        self._chains = range(chains)
        self._walking: dict[int, int] = {}  # task -> chain
        self._done = 0  # draws that were taken, of each chain
        self.restore(first.positions(), first.random_states(), first.counts())

    def restore(
        self, positions: NDArray[np.uint32], random: NDArray[np.uint64], counts: NDArray[np.uint64] | None = None
    ) -> None:
        """Put the chains where others stood."""
        made = self.counts() if counts is None else counts
        parts = [np.split(values, len(self._chains)) for values in (positions, random, made)]
        self._states: list[State] = list(zip(*parts, strict=True))
        self._ahead: list[deque[Walked]] = [deque() for _ in self._chains]
        self._walking = {}  # what is under way leads from elsewhere

    def advance(
        self, stretch: Stretch, report: Callable[[int, int, float, float], None]
    ) -> tuple[int, NDArray[np.uint32], NDArray[np.float64]]:
        """Return why the next stretch ended, and what all chains drew in it, once they have."""
        self._done = stretch.first
        try:
            self._send_on()
            while not all(self._ahead):
                if self._run.is_over:  # a worker looks at its own clock, which starts when it begins
                    return _ended(Status.TIME_LIMIT)
                self._take()
            report(stretch.count, stretch.count, 0.0, 0.0)
        except KeyboardInterrupt:
            return _ended(Status.INTERRUPTED)
        found = [own.popleft() for own in self._ahead]
        self._states = [one.state for one in found]
        self._done += stretch.count
        code = max(one.code for one in found)
        return code, np.concatenate([one.rows for one in found]), np.concatenate([one.scores for one in found])

    def meanwhile(self, compute: Callable[[], Result]) -> tuple[Status, Result]:
        """Compute something while the chains go on; Ctrl-C ends the chains, and waits for the result."""
        found: futures.Future[Result] = futures.Future()
        found.add_done_callback(lambda _: self._tasks.wake())
        with futures.ThreadPoolExecutor(1) as others:
            try:
                others.submit(_compute, compute, found)
                self._send_on()
                while not found.done() and self._walking and not self._run.is_over:
                    self._take()
                return Status.COMPLETE, found.result()
            except KeyboardInterrupt:  # maybe before it was begun
                return Status.INTERRUPTED, compute() if found.cancel() else found.result()

    def _take(self) -> None:
        """Wait for a chain to end a stretch, and let it go on; or until the time is over, or somebody wakes us."""
        ended = self._tasks.take(self._run)
        if ended is None:
            return
        number, walked = ended
        chain = self._walking.pop(number, None)
        if chain is None:
            return
        self._ahead[chain].append(walked)
        self._stretches.pace.note(len(walked.scores), walked.seconds)
        self._send_on()

    def _send_on(self) -> None:
        """Let every chain go on that does not, unless it is far enough, or has been ended."""
        walking = set(self._walking.values())
        for chain in self._chains:
            own = self._ahead[chain]
            if chain in walking or len(own) >= MOST_AHEAD or (own and own[-1].code):
                continue
            stretch = self._stretches.at(self._done + sum(len(one.scores) for one in own))
            if stretch is None:
                continue
            targets = np.split(stretch.targets, len(self._chains))[chain]
            state = own[-1].state if own else self._states[chain]
            request = StretchRequest(state, stretch.count, targets, self._stretches.least, self._run.seconds_left)
            self._walking[self._tasks.give(request)] = chain

    def positions(self) -> NDArray[np.uint32]:
        """Return the rows of every chain and replica."""
        return np.concatenate([state[0] for state in self._states])

    def random_states(self) -> NDArray[np.uint64]:
        """Return the state of every chain's random numbers."""
        return np.concatenate([state[1] for state in self._states])

    def counts(self) -> NDArray[np.uint64]:
        """Return how often each move was tried and accepted, chain by chain."""
        return np.concatenate([state[2] for state in self._states])
