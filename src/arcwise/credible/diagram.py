"""`CredibleDiagram`: a credible set as a decision diagram, from which everything about it is read.

The native core (cpp/core/credible) builds a layered graph in which every network of the set is one path. It is found
from 2^n tables for up to `LARGEST_BY_SUBSETS` variables (a few more where the table is very large), and beyond from the
exact solver's linear relaxation: its reduced costs say which parent sets can matter, and bound every partial network
(in parts where the relaxation has a gap, see `credible/parts.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import ArcwiseError, Argument, ConstraintError, OptionError, Remedy
from arcwise.base.options import Common, row
from arcwise.base.run import Limits, Run, Status, thread_count
from arcwise.base.showing import one_screen
from arcwise.credible.parts import PartProblem, arrays_of, build_cover, diagram_of, relax
from arcwise.exact.component import Budget, Incumbent
from arcwise.exact.proof import PROOF_TOLERANCE, Optimum
from arcwise.graph.classes import FixedPairs, native_pairs
from arcwise.graph.constraints import Constraints
from arcwise.networks.families import Families
from arcwise.parent_sets.build import candidate_sets, centred, network_of_rows, scaled
from arcwise.parent_sets.table import ParentSetTable
from arcwise.scores.registry import log_prior_of

if TYPE_CHECKING:
    from distributed import Client

    from arcwise._core.credible import NetworkDiagram, NetworkLister
    from arcwise._core.parent_sets import CandidateSets
    from arcwise.base.cluster import Cluster


@dataclass(frozen=True, eq=False)
class Bracket:
    """The best network so far, as one row of the table for each variable (none if there is none), and a bound on all.

    The bound is one on the scores of the `centred` table, whose differences keep their digits.
    A set that a limit stopped has solved linear programs all the same: what they prove is kept.
    """

    rows: NDArray[np.int64]
    bound: float

    def optimum(self, table: ParentSetTable, constraints: Constraints | None, status: Status) -> Optimum | None:
        """Return it as a network with its bound; None if no network is known. `status` is the limit that ended it."""
        if self.rows.size != table.n_variables:
            return None
        dag, score = network_of_rows(table, self.rows, constraints)
        near, constant, unit = scaled(table)
        proved = self.bound / unit <= math.fsum(near.scores[self.rows].tolist()) + PROOF_TOLERANCE
        upper = score if proved else max(self.bound + constant, score)
        return Optimum(
            dag=dag,
            score=score,
            upper_bound=upper,
            status=Status.COMPLETE if proved else status,
            method="credible set",
            reason="found while the credible set was built",
            log_prior=log_prior_of(table.score, dag),
        )


@one_screen
@dataclass(frozen=True, slots=True)
class Parallel:
    """Who builds a credible set. The set does not depend on it, to the last bit.

    Parameters
    ----------
    threads
        How many threads of this process; None for all cores.
    cluster
        A Dask cluster (an address, a client or an open `Cluster`). Where the linear relaxation has a gap, the set is
        built in parts (credible/parts.py): those that are not small are tasks, each with one thread of a
        worker. A set that is one part, and the search for parts, stay here.
    """

    threads: int | None = row(Common, "threads", help="threads for the table of parent sets and the set itself")
    cluster: str | Client | Cluster | None = row(Common, "cluster")


# A network that falls short of the limit by less than this, relative to the size of the scores, counts as within: sums
# of up to some hundred scores in double precision differ by less for rounding alone.
RELATIVE_TOLERANCE = 1e-11
# Losses closer than this, relative to the scores, are one entry when a set is summed up.
RELATIVE_GRAIN, LARGEST_GRAIN = 1e-12, 1e-6
LARGEST_BY_SUBSETS = 20
# Tables with this many rows are too large for the linear program: sensors, 25 variables, has a million.
MANY_ROWS = 200_000
LARGEST_WITH_MANY_ROWS = 26
LARGEST = 2048  # what sets of nodes are held in, in the native core
# With exact bounds the first network only numbers the nodes: it need not be the best.
ROUGH_ITERATIONS = 10
DEFAULT_MEMORY = 3 << 30  # where no limit is given
SEARCH_SEED = 0  # of the local search for a first network; the set does not depend on it


@dataclass(frozen=True)
class DiagramSums:
    """Exact sums over the networks of a diagram within some slack."""

    status: Status
    count: int
    log_mass: float  # log of the sum of exp(score - opt)
    row_counts: list[int]  # per row of the table
    row_masses: NDArray[np.float64]  # per row of the table, relative to exp(opt)
    peak_bytes: int  # held at most, the diagram included
    remade_layers: int  # made a second time for lack of memory


@dataclass(frozen=True, eq=False)
class CredibleDiagram:
    """All networks (or classes) within `slack` of the optimum that a table allows, as a decision diagram.

    With a `rank` of the nodes the paths hold at least one network of each class, and those count that are the least
    members of their classes (cpp/core/graph/least_member.hpp) or, with `fixed` pairs, the first that are met; without,
    every path is a network or class of its own.
    """

    table: ParentSetTable
    native: NetworkDiagram
    slack: float
    tolerance: float
    by_class: bool
    status: Status
    rank: NDArray[np.int32] | None = None
    constant: float = 0.0  # what the diagram's scores lack (parent_sets/build.py)
    fixed: FixedPairs | None = None  # pairs whose direction is not the data's to tell, which classes follow
    bracket: Bracket | None = None  # what is known about the best network, also if a limit stopped the building
    threads: int | None = None  # for sums, as for the building; None for all cores

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made from: the diagram as arrays, or what ended it."""
        return self.__dict__ | {"native": self.native.status or arrays_of(self.native)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        found = state["native"]
        native = _core.credible.NetworkDiagram(found) if isinstance(found, int) else diagram_of(found)
        self.__dict__.update(state | {"native": native})

    @property
    def repeats_classes(self) -> bool:
        """Whether several paths may stand for one class; `iterate_chunks` keeps the first."""
        return self.rank is not None and self.fixed is not None

    @property
    def opt(self) -> float:
        """The score of the best network."""
        return float(self.native.optimum) + self.constant

    def sums(self, *, families: bool = False, limits: Limits, report: Any = None) -> DiagramSums:
        """Count the paths, and if asked, those with each family; exactly, without listing them.

        Threads change no bit of it, nor what it takes of the memory.
        """
        code, overflow, (low, high), mass, words, masses, peak, remade = self.native.sums(
            self.slack + self.tolerance,
            min(RELATIVE_GRAIN * max(1.0, abs(self.opt)), LARGEST_GRAIN),
            self.table.n_rows,
            families,
            limits.memory_bytes or DEFAULT_MEMORY,
            thread_count(self.threads),
            limits.native_seconds,
            report,
        )
        if overflow:
            raise ArcwiseError("the set has more than 2^128 networks; ask for a smaller Bayes factor.")
        counts = [int(a) + (int(b) << 64) for a, b in zip(words[::2], words[1::2], strict=True)]
        return DiagramSums(
            status=Status.from_native(code),
            count=low + (high << 64),
            log_mass=math.log(mass) if mass > 0 else -math.inf,
            row_counts=counts,
            row_masses=masses,
            peak_bytes=peak,
            remade_layers=remade,
        )

    def lister(self, slack: float | None = None) -> NetworkLister:
        """Return an iterator over the networks, chunk by chunk."""
        within = self.slack if slack is None else slack
        return _core.credible.NetworkLister(self.native, self.table.native, within + self.tolerance)

    def best_bracket(self) -> Bracket | None:
        """Return a best network of a diagram of networks that is complete, with its score as the bound; else None.

        While it is built, the bound is that of linear programs and the best network what a search has found: the
        diagram itself knows both.
        """
        if self.status is not Status.COMPLETE or self.by_class:
            return None
        lister = self.lister(0.0)
        while not lister.done:
            rows, losses = self.next_chunk(lister, 1)
            if len(losses):
                return Bracket(rows[0].astype(np.int64) + self.table.node_offsets[:-1], float(self.native.optimum))
        return None

    def next_chunk(self, lister: NetworkLister, limit: int) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float64]]:
        """Return up to `limit` further networks (row of each node, counted within the node) and their losses.

        There may be none although the lister is not done.
        """
        wide = int(np.diff(self.table.node_offsets).max(initial=0)) > np.iinfo(np.uint16).max + 1
        rows, losses = lister.next_wide(limit) if wide else lister.next_narrow(limit)
        rows = rows.reshape(len(losses), self.table.n_variables)
        if self.rank is None or self.fixed is not None or not len(losses):
            return rows, losses
        chosen = rows.astype(np.int64) + self.table.node_offsets[:-1]
        least = _core.graph.least_members_of_rows(chosen, self.rank, self.table.set_offsets, self.table.members) > 0
        return rows[least], losses[least]

    @property
    def families(self) -> Families:
        """All rows of the table as a dictionary of parent sets."""
        return Families(self.table.node_offsets, self.table.set_offsets, self.table.members)


def build_diagram(
    table: ParentSetTable,
    slack: float,
    *,
    by_class: bool,
    constraints: Constraints | None,
    fixed: FixedPairs | None = None,
    run: Run,
) -> CredibleDiagram:
    """Build the diagram of all networks of the table within `slack` of its optimum; a limit shows in `status`.

    `by_class`: of their classes, those of the `fixed` pairs if there are any. Threads and cluster of the run do not
    change the diagram.
    """
    if table.n_variables > LARGEST:
        raise OptionError(
            f"credible sets serve up to {LARGEST:,} variables; here are {table.n_variables:,}.",
            remedies=Remedy("resample the data instead:", Argument("method", "bootstrap")),
        )
    pairs = native_pairs(fixed)
    run = run.replace(threads=run.thread_count)

    near, constant = centred(table)
    sets = candidate_sets(near, constraints)
    measured, _, unit = scaled(table)  # what linear programs are given; nearly always the same
    keep = np.zeros(table.n_rows, dtype=np.uint8)
    keep[sets.origins] = 1
    scale = float(np.abs(table.scores[sets.origins[sets.offsets[:-1]]]).sum())
    tolerance = RELATIVE_TOLERANCE * max(1.0, scale)
    memory = run.given.memory_bytes or DEFAULT_MEMORY
    report = run.native_report("credible set")
    trivial = math.fsum(near.scores[sets.origins[sets.offsets[:-1]]].tolist())  # the best set of each, cycles or not

    rank: NDArray[np.int32] | None = None
    # The count is of networks, not of nodes of a search.
    budget = Budget(Run(limits=run.uncounted, progress=run.callback))
    incumbent = Incumbent(sets if unit == 1 else candidate_sets(measured, constraints), SEARCH_SEED, budget)
    has_many = table.n_rows > MANY_ROWS and table.n_variables <= LARGEST_WITH_MANY_ROWS
    by_subsets = table.n_variables <= LARGEST_BY_SUBSETS
    by_subsets |= has_many and _core.exact.SubsetDp.memory_for(table.n_variables) <= memory
    incumbent.improve(*((ROUGH_ITERATIONS,) if by_subsets else ()))
    if by_subsets:
        dp = _core.exact.SubsetDp(sets)
        stage = "credible set: best scores of subsets"
        code = dp.run(run.thread_count, run.seconds_left, run.native_report(stage))
        if code:
            native = _core.credible.NetworkDiagram(code)
            known = Bracket(incumbent.origins, trivial)
            return CredibleDiagram(
                table, native, slack, tolerance, by_class, Status.from_native(code), None, constant, fixed, known
            )
        if dp.optimum == -math.inf:
            raise _no_network()
        known = Bracket(sets.origins[dp.rows()], float(dp.optimum))
        # Sinks go first: the nodes that come last in a good network get the smallest numbers.
        order = np.ascontiguousarray(incumbent.order[::-1])
        native = _core.credible.build_from_subsets(
            near.native,
            _core.credible.DiagramInput(order=order, keep=keep, slack=slack + tolerance, memory=memory, fixed=pairs),
            dp.best,
            by_class,
            run.seconds_left,
            report,
        )
    else:
        if not incumbent.rows.size:
            possible, _ = _core.exact.AcyclicityPropagator(sets).propagate(np.ones(sets.rows, dtype=np.uint8))
            if not possible:
                raise _no_network()
        root, part = relax(incumbent.sets, table.n_rows, incumbent, (slack + tolerance) / unit, budget, table.data)
        order = _depth_first_order(table, sets, incumbent)

        problem = PartProblem(replace(near, data=None), order, slack + tolerance, unit, by_class, pairs)
        native = build_cover(root, part, problem, memory, budget, run)
        known = Bracket(root.incumbent.origins, min(trivial, unit * root.bound))
        if by_class:
            rank = np.argsort(order).astype(np.int32)
    status = Status.from_native(native.status)
    return CredibleDiagram(table, native, slack, tolerance, by_class, status, rank, constant, fixed, known, run.threads)


def _depth_first_order(table: ParentSetTable, sets: CandidateSets, incumbent: Incumbent) -> NDArray[np.int32]:
    """Return an order of the incumbent's nodes, parents first, that finishes one branch before it begins the next.

    Networks that differ in one branch then part and meet again within a few layers of the diagram: hailfinder100 at
    Bayes factor 150 needs a tenth of the states that another order of the same network takes.
    """
    n = sets.variables
    parents = [frozenset(table.parents_of(row)) for row in sets.origins[incumbent.rows].tolist()]
    if len(parents) != n:  # no network is known
        return incumbent.order
    children: list[list[int]] = [[] for _ in range(n)]
    for v in incumbent.order.tolist():
        for p in parents[v]:
            children[p].append(v)
    below = [0] * n  # nodes at or below, those with several parents counted for each
    for v in incumbent.order[::-1].tolist():
        below[v] = 1 + sum(below[c] for c in children[v])
    order: list[int] = []
    placed: set[int] = set()
    stack = [v for v in incumbent.order[::-1].tolist() if not parents[v]]
    while stack:
        v = stack.pop()
        if v in placed or not parents[v] <= placed:
            continue
        placed.add(v)
        order.append(v)
        stack.extend(sorted(children[v], key=lambda c: -below[c]))  # the smallest branch comes first
    return np.array(order, dtype=np.int32)


def _no_network() -> ConstraintError:
    return ConstraintError("no acyclic network satisfies the constraints with the sets of the table. Relax them.")
