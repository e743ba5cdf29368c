"""`CredibleDiagram`: a credible set as a decision diagram, from which everything about it is read.

The native core (cpp/core/ensemble) builds a layered graph in which every network of the set is one path. It is found
from 2^n tables for up to `LARGEST_BY_SUBSETS` variables (a few more where the table is very large), and beyond from the
exact solver's linear relaxation: its reduced costs say which parent sets can matter, and bound every partial network
(in parts where the relaxation has a gap, see credible_cover.py).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.diagram.cover import Part, build_cover, relax
from arcwise.ensemble.diagram.plan import UNLIMITED, Build, build_as_planned
from arcwise.ensemble.families import Families
from arcwise.errors import ArcwiseError, ConstraintError, GuaranteeError
from arcwise.exact.budget import Budget
from arcwise.exact.incumbent import Incumbent
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.candidate_sets import candidate_sets
from arcwise.progress import ProgressCallback, native_callback

if TYPE_CHECKING:
    from arcwise._core.ensemble import Construction, NetworkDiagram, NetworkLister
    from arcwise._core.parent_sets import CandidateSets

__all__ = ["RELATIVE_TOLERANCE", "CredibleDiagram", "DiagramSums", "build_diagram", "check_guarantee"]

# A network that falls short of the limit by less than this, relative to the size of the scores, counts as within: sums
# of up to some hundred scores in double precision differ by less for rounding alone.
RELATIVE_TOLERANCE = 1e-11
# Losses closer than this, relative to the scores, are one entry when a set is summed up.
RELATIVE_GRAIN = 1e-12
LARGEST_BY_SUBSETS = 20
# Tables with so many rows are too large for the linear program: sensors, 25 variables, has a million.
MANY_ROWS = 200_000
LARGEST_WITH_MANY_ROWS = 26
# With exact bounds the first network only numbers the nodes: it need not be the best.
ROUGH_ITERATIONS = 10
DEFAULT_MEMORY = 3 << 30  # where no limit is given
CHUNK = 1 << 18


@dataclass(frozen=True)
class DiagramSums:
    """Exact sums over the networks of a diagram within some slack."""

    status: Status
    count: int
    log_mass: float  # log of the sum of exp(score - opt)
    row_counts: list[int]  # per row of the table
    row_masses: NDArray[np.float64]  # per row of the table, relative to exp(opt)
    peak_bytes: int  # held at most, the diagram included
    remade_layers: int  # made a second time for want of memory


@dataclass(frozen=True, eq=False)
class CredibleDiagram:
    """All networks (or classes) within `slack` of the optimum that a table allows, as a decision diagram.

    With a `rank` of the nodes the paths hold at least one network of each class, and those count that are the least
    members of their classes (cpp/core/graph/least_member.hpp); without, every path is a network or class of its own.
    """

    table: ParentSetTable
    native: NetworkDiagram
    slack: float
    tolerance: float
    by_class: bool
    status: Status
    rank: NDArray[np.int32] | None = None

    @property
    def opt(self) -> float:
        """The score of the best network."""
        return float(self.native.optimum)

    def sums(
        self, *, slack: float | None = None, families: bool = False, limits: Limits, report: Any = None
    ) -> DiagramSums:
        """Count the paths, and if asked, those with each family; exactly, without listing them."""
        within = self.slack if slack is None else slack
        code, overflow, (low, high), mass, words, masses, peak, remade = self.native.sums(
            within + self.tolerance,
            RELATIVE_GRAIN * max(1.0, abs(self.opt)),
            self.table.n_rows,
            families,
            limits.memory_bytes or DEFAULT_MEMORY,
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
        from arcwise import _core

        within = self.slack if slack is None else slack
        return _core.ensemble.NetworkLister(self.native, self.table.native, within + self.tolerance)

    def next_chunk(self, lister: NetworkLister, limit: int) -> tuple[NDArray[np.unsignedinteger], NDArray[np.float64]]:
        """Return up to `limit` further networks (row of each node, counted within the node) and their losses.

        There may be none although the lister is not done.
        """
        wide = int(np.diff(self.table.node_offsets).max(initial=0)) > np.iinfo(np.uint16).max + 1
        rows, losses = lister.next_wide(limit) if wide else lister.next_narrow(limit)
        rows = rows.reshape(len(losses), self.table.n_variables)
        if self.rank is None or not len(losses):
            return rows, losses
        from arcwise import _core

        chosen = rows.astype(np.int64) + self.table.node_offsets[:-1]
        least = _core.graph.least_members_of_rows(chosen, self.rank, self.table.set_offsets, self.table.members) > 0
        return rows[least], losses[least]

    def losses(self, *, limits: Limits) -> NDArray[np.float64] | None:
        """Return what each network loses against the optimum, in the order of the list; None if time ran out."""
        start = time.monotonic()
        parts: list[NDArray[np.float64]] = [np.empty(0)]
        lister = self.lister()
        while not lister.done:
            if time.monotonic() - start > limits.native_seconds:
                return None
            parts.append(self.next_chunk(lister, CHUNK)[1])
        return np.concatenate(parts)

    @property
    def families(self) -> Families:
        """All rows of the table as a dictionary of parent sets."""
        return Families(self.table.node_offsets, self.table.set_offsets, self.table.members)


def check_guarantee(table: ParentSetTable, slack: float, trust_table: bool, what: str) -> None:
    """Refuse a table that does not hold every parent set that a network within the slack can have."""
    if trust_table or table.slack >= slack - 1e-12:
        return
    enough = math.ceil(slack * 1e4) / 1e4  # rounded down it would be refused again
    remedy = f"Rebuild it with build_parent_sets(..., slack={enough:.10g})"
    if math.isnan(table.slack):
        raise GuaranteeError(
            f"{what} needs a table with slack >= {slack:.4g}; this one does not say what it has, as for a file made "
            f"elsewhere. {remedy}, or vouch for it with trust_table=True."
        )
    raise GuaranteeError(f"{what} needs a table with slack >= {slack:.4g}; this one has {table.slack:.4g}. {remedy}.")


def build_diagram(
    table: ParentSetTable,
    slack: float,
    *,
    by_class: bool,
    constraints: Constraints | None,
    limits: Limits,
    callback: ProgressCallback,
    seed: int = 0,
) -> CredibleDiagram:
    """Build the diagram of all networks of the table within `slack` of its optimum; a limit shows in `status`."""
    from arcwise import _core

    start = time.monotonic()
    sets = candidate_sets(table, constraints)
    keep = np.zeros(table.n_rows, dtype=np.uint8)
    keep[sets.origins] = 1
    scale = float(np.abs(sets.scores[sets.offsets[:-1]]).sum())
    tolerance = RELATIVE_TOLERANCE * max(1.0, scale)
    memory = limits.memory_bytes or DEFAULT_MEMORY
    report = native_callback(callback, "credible set")

    def seconds_left() -> float:
        return max(0.0, limits.native_seconds - (time.monotonic() - start))

    rank: NDArray[np.int32] | None = None
    budget = Budget(replace(limits, count=None), callback)  # the count is of networks, not of nodes of a search
    incumbent = Incumbent(sets, seed, budget)
    dense = table.n_rows > MANY_ROWS and table.n_variables <= LARGEST_WITH_MANY_ROWS
    by_subsets = dense or table.n_variables <= LARGEST_BY_SUBSETS
    incumbent.improve(*((ROUGH_ITERATIONS,) if by_subsets else ()))
    if by_subsets:
        dp = _core.exact.SubsetDp(sets)
        code = dp.run(1, seconds_left(), native_callback(callback, "credible set: best scores of subsets"))
        if code:
            native = _core.ensemble.NetworkDiagram(code)
            return CredibleDiagram(table, native, slack, tolerance, by_class, Status.from_native(code))
        if dp.optimum == -math.inf:
            raise _no_network()
        # Sinks go first: the nodes that come last in a good network get the smallest numbers.
        order = np.ascontiguousarray(incumbent.order[::-1])
        native = _core.ensemble.build_from_subsets(
            table.native,
            _core.ensemble.DiagramInput(order=order, keep=keep, slack=slack + tolerance, memory=memory),
            dp.best,
            by_class,
            seconds_left(),
            report,
        )
    else:
        if not incumbent.rows.size:
            possible, _ = _core.exact.AcyclicityPropagator(sets).propagate(np.ones(sets.rows, dtype=np.uint8))
            if not possible:
                raise _no_network()
        root, part = relax(sets, table.n_rows, incumbent, slack + tolerance, budget)
        order = _depth_first_order(table, sets, incumbent)

        def build(part: Part, at_least: float, most_bytes: int, trial: bool) -> NetworkDiagram:
            make = _build_part(table, part, at_least, most_bytes, seconds_left, report)
            if by_class:
                return make(_core.ensemble.Construction.REPRESENTATIVES, order, slack + tolerance, UNLIMITED)
            if trial:
                return make(_core.ensemble.Construction.SOURCES, order, slack + tolerance, UNLIMITED)
            return build_as_planned(make, order, slack + tolerance, seed=seed)

        native = build_cover(root, part, slack + tolerance, memory, budget, build)
        if by_class:
            rank = np.argsort(order).astype(np.int32)
    return CredibleDiagram(table, native, slack, tolerance, by_class, Status.from_native(native.status), rank)


def _build_part(
    table: ParentSetTable,
    part: Part,
    at_least: float,
    memory: int,
    seconds_left: Callable[[], float],
    report: Any,
) -> Build:
    """Return what makes the diagram of a part for a construction, an order of the nodes, a slack and so many states."""
    from arcwise import _core

    def build(construction: Construction, order: NDArray[np.int32], slack: float, most_states: int) -> NetworkDiagram:
        close = part.allowed & (part.costs <= part.reference - at_least + slack + 1e-6)
        return _core.ensemble.build_from_costs(
            table.native,
            _core.ensemble.DiagramInput(
                order=order, keep=close.astype(np.uint8), slack=slack, memory=memory, most_states=most_states
            ),
            _core.ensemble.RowCosts(
                costs=part.costs,
                reference=part.reference,
                at_least=at_least,
                cuts=part.cuts,
                codes=part.codes,
                multipliers=part.multipliers,
            ),
            construction,
            seconds_left(),
            report,
        )

    return build


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
