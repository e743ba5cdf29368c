"""`find_optimal`: the best network that a table of parent sets allows, with a proof."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import json
import math
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base import errors
from arcwise.base.errors import Argument, Call, Remedy
from arcwise.base.files import write_bytes
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status, deferred_interrupt, resolve_seed
from arcwise.certificate import checker
from arcwise.certificate.certified import plain_table
from arcwise.exact import component
from arcwise.exact.component import Budget, Incumbent, Window
from arcwise.exact.proof import PROOF_TOLERANCE, Optimum, ProofRecord, ProofStep, Scope
from arcwise.exact.relaxation import BranchAndBound, LpSolution, Root, solve_root
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.nodes import bits
from arcwise.graph.statements import Arc, StatementKind
from arcwise.parent_sets.build import candidate_sets, components_of, network_of_rows, scaled, table_of
from arcwise.parent_sets.table import ParentSetTable, check_required, check_slack
from arcwise.scores.registry import log_prior_of, make_score

if TYPE_CHECKING:
    from arcwise._core.parent_sets import CandidateSets
    from arcwise.data.dataset import Dataset, Frame
    from arcwise.graph.dag import Dag
    from arcwise.scores.score import Scored


# The best network in which some variables lead to others, and some do not.
#
# That x leads to y is about whole networks: no single arc decides it, and the parent sets that it allows depend on
# each other. So it is not part of the linear relaxation nor of the dynamic program, but of a tree above them. The best
# network that the arcs allow is found; if it satisfies everything, it is the answer. If not, the networks that do are
# split into disjoint parts, each of which is about arcs again:
#
# - x must lead to y and does not: with R what x reaches, every path from x to y leaves R by one of the arcs from R to
#   the rest, so the part in which the first of these arcs is there, the part in which it is not but the second is, ...
# - x must not lead to y and does, by a path: the part without its first arc, with the first but without the second,
#   ...
#
# Parts are opened in the order of their best networks, so the first that satisfies everything is the best of all. The
# parts are many where n is large and the data object strongly; the method is for what the data nearly say anyway.
#
# **What the table must hold.** A table with slack s holds every parent set of every network within s of the optimum
# that its constraints allow. The parts need no more than that as long as the answer is within s: a network that is
# better than the answer is within s, too, and so all in the table. If the answer lies further below, it may be wrong,
# and is refused with the slack that would do.


Solver = Callable[[ParentSetTable], Optimum]


def ancestral_optimum(table: ParentSetTable, constraints: Constraints, solve: Solver) -> Optimum:
    """Return the best network that satisfies constraints on ancestors; `solve` finds that of a table.

    A network that lies further below the optimum than the table is complete for is refused. Before the end of the
    search there is none: a limit is an error.
    """
    if constraints.names != table.names:
        constraints = constraints.reorder(table.names)
    start = constraints.arc_part
    check_required(table, start)
    first = _complete(solve(table.filter(start)), 1)
    numbers = itertools.count()
    heap: list[tuple[float, int, Constraints, Optimum]] = [(-first.score, next(numbers), start, first)]
    solved = 1
    while heap:
        _, _, part, best = heapq.heappop(heap)
        broken = _broken(constraints, best.dag)
        if broken is None:
            # Rounding apart, a slack that is not known is the caller's affair, as everywhere.
            if not math.isnan(table.slack):
                check_slack(table, first.score - best.score - PROOF_TOLERANCE, "the best network with these ancestors")
            return replace(
                best,
                nodes=best.nodes + solved,
                statistics={**best.statistics, "parts solved": solved},
                reason=f"{best.reason}; {solved} parts for the constraints on ancestors",
            )
        kind, x, y = broken
        for smaller in _split(part, best.dag, kind, x, y):
            try:
                found = _complete(solve(table.filter(smaller)), solved)
            except errors.ConstraintError:
                continue  # no network is left in this part
            solved += 1
            heapq.heappush(heap, (-found.score, next(numbers), smaller, found))
    if math.isfinite(table.slack):
        wider = float(f"{2 * max(table.slack, 1.0):.4g}")
        raise errors.GuaranteeError(
            f"no network in the table satisfies the constraints on ancestors; it is complete within {table.slack:.4g} "
            "of the optimum.",
            remedies=Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", wider))),
        )
    raise errors.ConstraintError("no network in the table satisfies the constraints on ancestors. Relax them.")


def _complete(found: Optimum, solved: int) -> Optimum:
    if found.status.unless_interrupted() is Status.COMPLETE:
        return found
    raise errors.UnfinishedError(
        f"the best network under constraints on ancestors was not found: {found.status} after {solved:,} parts.",
        remedies=(Remedy("raise", Argument("limits")), Remedy("say which arcs you mean, as required or forbidden")),
    )


def _broken(constraints: Constraints, dag: Dag) -> tuple[StatementKind, str, str] | None:
    """Return the first pair that is not as it must be."""
    for x, y in constraints.non_ancestors:
        if y in dag.descendants(x):
            return StatementKind.NON_ANCESTOR, x, y
    for x, y in constraints.ancestors:
        if y not in dag.descendants(x):
            return StatementKind.ANCESTOR, x, y
    return None


def _split(part: Constraints, dag: Dag, kind: StatementKind, x: str, y: str) -> Iterator[Constraints]:
    """Yield disjoint parts that together hold all networks of the part which satisfy the pair."""
    if kind is StatementKind.NON_ANCESTOR:
        path = _path(dag, x, y)
        steps = [(path[:k], [path[k]]) for k in range(len(path))]
    else:
        reached = {x, *dag.descendants(x)}
        out = [(tail, head) for tail in dag.names if tail in reached for head in dag.names if head not in reached]
        out = [arc for arc in out if arc[0] not in part.forbidden_parents(arc[1])]
        steps = [([out[k]], out[:k]) for k in range(len(out))]
    for required, forbidden in steps:
        try:
            yield part.changed(required=(*part.required, *required), forbidden=(*part.forbidden, *forbidden))
        except errors.ConstraintError:
            continue


def _path(dag: Dag, source: str, target: str) -> list[Arc]:
    """Return the arcs of a shortest path."""
    came: dict[str, str] = {}
    waiting = deque([source])
    while target not in came:
        tail = waiting.popleft()
        new = [head for head in dag.children_of(tail) if head not in came]
        came |= dict.fromkeys(new, tail)
        waiting += new
    path = []
    while target != source:
        path.append((came[target], target))
        target = came[target]
    return path[::-1]


METHODS = ("auto", "dp", "branch-and-bound", "ilp")

# Components that DP solves at once, as (variables, sets per variable): up to that many variables if there are at least
# that many sets. It takes milliseconds, half a second, and for 28 variables 20 s; the linear programs of 22 variables
# with 13,000 sets take 3.6 s, those of 28 with 93,000 sets 15 s before DP has to finish all the same.
DP_AT_ONCE = ((17, 0), (23, 100), (28, 2000))
# After the root of branch and bound, DP finishes components of the first size (a second), and those of the second if
# this many sets are left: its time is known beforehand, that of the tree is not.
DP_AFTER_ROOT = 24
DP_IF_DENSE = 28
DENSE = 2000


# Exchanges choose between networks of equal score, up to this part of the tolerance.
EXCHANGE_LOSS = 0.2

# What fixing leaves of many variables is solved part by part if no part has more than this share of them: to begin
# again with a problem that is nearly the same costs more than the few variables that are gone.
SPLIT_SHARE = 0.9

# A window has at most this share of the variables, and its search at most this many nodes.
WINDOW_SHARE = 0.5
WINDOW_NODES = 20

# A gap per variable that is wide after the root: with many variables local search ends far from the optimum, so it
# goes on from the best order that the root's solutions have led to.
WIDE = 1.0


@dataclass
class _Part:
    """What is known about one component: the rows (of the table) of its nodes, their score, and an upper bound."""

    origins: NDArray[np.int64]
    score: float
    bound: float
    unique: bool = False
    step: ProofStep = field(default_factory=ProofStep)  # what proves the bound, if that is recorded


@dataclass
class _ExactSearch:
    """One call of `find_optimal`: the options that all parts share, and what they count."""

    method: str
    budget: Budget
    record: ProofRecord | None = None
    data: Dataset | None = None  # the variables of the table in its order
    counts: Counter[str] = field(default_factory=Counter)
    in_window: bool = False  # its incumbent is good, and there are no windows within windows

    def solve(self, sets: CandidateSets, incumbent: Incumbent) -> _Part:
        """Solve one component; on a limit or Ctrl-C, return the best network known and the bound that holds."""
        if sets.variables == 1:
            unique = sets.rows == 1 or bool(sets.scores[1] < sets.scores[0] - PROOF_TOLERANCE)
            return _Part(sets.origins[:1], float(sets.scores[0]), float(sets.scores[0]), unique)
        trivial = float(sets.scores[sets.offsets[:-1]].sum())
        try:
            if self.budget.exhausted():
                return self._part(incumbent, trivial)
            every = np.ones(sets.rows, dtype=np.uint8)
            _, allowed = _core.exact.AcyclicityPropagator(sets).propagate(every, self.budget.pulse)
            sets = sets if allowed.all() else sets.kept(allowed)
            # Its random numbers start again: what the search does must not depend on the first guess.
            incumbent = incumbent.moved_to(sets)
            at_once = self.method == "auto" and _dp_at_once(sets) and component.dp_fits(sets.variables, self.budget)
            if self.method == "dp" or at_once:
                return self._by_dp(sets, incumbent, trivial)
            if self.method == "ilp":
                self.counts["components by ilp"] += 1
                return self._part(
                    incumbent, min(trivial, component.solve_by_ilp(sets, incumbent, self.budget, PROOF_TOLERANCE))
                )
            return self._by_branch_and_bound(sets, incumbent, trivial)
        except KeyboardInterrupt:  # of a second Ctrl-C, or a handler that was set meanwhile
            self.budget.stop()
            return self._part(incumbent, trivial)

    def solve_all(self, parts: list[CandidateSets]) -> list[_Part]:
        """Solve independent components, the small ones first; return what is known about each, in the given order."""
        incumbents = [self._first_guess(part) for part in parts]
        known = [
            self._part(incumbent, float(part.scores[part.offsets[:-1]].sum()))
            for part, incumbent in zip(parts, incumbents, strict=True)
        ]
        for i in sorted(range(len(parts)), key=lambda i: (parts[i].variables, i)):
            others = [part for j, part in enumerate(known) if j != i]
            with self.budget.elsewhere(sum(p.score for p in others), sum(p.bound for p in others)):
                known[i] = self.solve(parts[i], incumbents[i])
        return known

    def _first_guess(self, sets: CandidateSets) -> Incumbent:
        """Return what a short descent finds: for reports until the part is solved, and if nothing else comes."""
        incumbent = Incumbent(sets, self.budget.run.seed, self.budget)
        if not incumbent.begin():
            raise errors.ConstraintError(
                "no acyclic network in the table satisfies the constraints: every choice of allowed parent sets has a "
                "cycle. Build the table with the same constraints, or relax them."
            )
        if not self.budget.exhausted():
            incumbent.descend_from(np.arange(sets.variables, dtype=np.int32))
        return incumbent

    def _by_dp(self, sets: CandidateSets, incumbent: Incumbent, bound: float) -> _Part:
        answer = component.solve_by_dp(sets, self.budget)
        if answer is None:
            return self._part(incumbent, bound)
        score, rows = answer
        self.counts["components by dp"] += 1
        return _Part(sets.origins[rows], score, score)

    def _by_branch_and_bound(self, sets: CandidateSets, incumbent: Incumbent, bound: float) -> _Part:
        if not self.in_window:
            incumbent.improve()
        scope = None if self.record is None else Scope(self.record, sets.node_origins)
        # The checker of certificates computes no logarithms, as information cuts need, and knows of no exchanges and of
        # no layered orders.
        if scope is None:
            proved, upper = component.solve_by_layers(sets, incumbent, self.budget, PROOF_TOLERANCE)
            bound = min(bound, upper)
            if proved:
                self.counts["components by layers"] += 1
            if proved or self.budget.exhausted():
                return self._part(incumbent, bound)
        data = self.data if scope is None else None
        may_lose = EXCHANGE_LOSS * PROOF_TOLERANCE if scope is None else 0.0
        polish = None if self.in_window else self._polish
        root = solve_root(sets, incumbent, self.budget, PROOF_TOLERANCE, scope, data, may_lose=may_lose, polish=polish)
        bound = min(bound, root.bound + root.loss)
        self.counts["root rounds"] += root.rounds
        best = root.incumbent
        if root.closed:
            self.counts["components closed at the root"] += 1
            return _Part(root.sets.origins[best.rows], best.score, best.score, root.unique, root.step)
        if bound - best.score > WIDE * sets.variables and not self.budget.exhausted():
            best.improve()
        if self.budget.exhausted():
            return self._part(best, bound, root.step)
        parts = components_of(root.sets)
        largest = max(part.size for part in parts)
        if len(parts) > 1 and (largest <= SPLIT_SHARE * sets.variables or not root.relaxation.is_large):
            return self._by_parts(root, bound, parts)
        most = DP_IF_DENSE if root.sets.rows >= DENSE else DP_AFTER_ROOT
        if self.method == "auto" and sets.variables <= most and component.dp_fits(sets.variables, self.budget):
            return self._by_dp(root.sets, best, bound)
        tree = BranchAndBound(root, self.budget, PROOF_TOLERANCE - root.loss)
        try:
            upper = tree.run()
        except KeyboardInterrupt:  # of a second Ctrl-C, or a handler that was set meanwhile
            self.budget.stop()
            upper = bound
        self.counts["LP solves"] += tree.relaxation.solves
        self.counts["cuts"] += len(tree.relaxation.pool)
        best = tree.incumbent
        # A search that came to its end is within the tolerance, whatever the cuts may have lost.
        return self._part(best, min(bound, upper if upper == best.score else upper + root.loss), root.step)

    def _polish(self, incumbent: Incumbent, solution: LpSolution) -> bool:
        """Re-optimise where the relaxation disagrees, as long as that helps; return whether it did."""
        before = incumbent.score
        while not self.budget.exhausted():
            nodes = component.undecided(incumbent.sets, incumbent.rows, solution)
            if not 1 < nodes.size <= WINDOW_SHARE * incumbent.sets.variables or not self._open(incumbent, nodes):
                break
        return incumbent.score > before

    def _open(self, incumbent: Incumbent, nodes: NDArray[np.int64]) -> bool:
        """Solve the window of some nodes; keep the result if it is better."""
        window = Window.around(incumbent.sets, incumbent.rows, nodes)
        sets = window.sets.undominated(self.budget.native_report("windows"))
        rows = incumbent.rows.copy()
        with self.budget.aside(WINDOW_NODES) as budget:
            inner = _ExactSearch("auto", budget, in_window=True)
            for members in components_of(sets):
                part = sets.component(members, budget.pulse)
                start = Incumbent(part, budget.run.seed, budget)
                if not start.begin():
                    return False
                start.descend_from(
                    np.searchsorted(members, window.order[np.isin(window.order, members)]).astype(np.int32)
                )
                rows[nodes[members]] = window.rows[inner.solve(part, start).origins]
        self.counts["windows"] += 1
        return incumbent.take(component.order_of_rows(incumbent.sets, rows))

    def _by_parts(self, root: Root, bound: float, parts: list[NDArray[np.int32]]) -> _Part:
        """Solve what fixing split; take of each part its optimum, or what the incumbent has there if it is as good."""
        sets, incumbent = root.sets, root.incumbent
        solved = self.solve_all([sets.component(nodes, self.budget.pulse) for nodes in parts])
        self.counts["components after fixing"] += len(parts)
        origins = sets.origins[incumbent.rows]
        scores = []
        for nodes, part in zip(parts, solved, strict=True):
            had = math.fsum(sets.scores[incumbent.rows[nodes]].tolist())
            if part.score > had:
                origins[nodes] = part.origins
            scores.append(max(had, part.score))
        score = math.fsum(scores)
        # Exchange cuts may have lost the best network; parts that are all closed are within the tolerance all the same.
        lost = 0.0 if all(part.bound == part.score for part in solved) else root.loss
        upper = min(bound, math.fsum([*(part.bound for part in solved), lost]))
        root.step.groups = [sets.node_origins[nodes].tolist() for nodes in parts]
        root.step.below = [part.step for part in solved]
        return _Part(origins, score, max(score, upper), step=root.step)

    def _part(self, incumbent: Incumbent, bound: float, step: ProofStep | None = None) -> _Part:
        """Return the best known network with the bound so far."""
        return _Part(incumbent.origins, incumbent.score, max(bound, incumbent.score), step=step or ProofStep())


def find_optimal(
    table: ParentSetTable | Scored | Frame,
    *,
    data: Dataset | None = None,
    method: str = "auto",
    constraints: GivenConstraints | None = None,
    limits: Limits = Limits(),  # noqa: B008
    threads: int | None = None,
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> Optimum:
    """Find the network with the highest score among those whose parent sets are all in the table, and prove it.

    Parameters
    ----------
    table
        The candidate parent sets. The result is optimal among the networks that it allows; whether that is optimal
        among all networks is the table's guarantee (`slack`, `max_parents`).
    data
        The data behind the table: the result's score is then recomputed from them.
    method
        "dp": dynamic programming over subsets, for components of up to 32 variables, 4.4 GiB for 30;
        "branch-and-bound": the linear relaxation with cuts, for any size, after layered orders if the table is dense
        (docs/benchmarks/exact.md); "ilp": HiGHS's integer programming, the independent second proof; "auto" picks, and
        `Optimum.reason` says why.
    constraints
        What the network must satisfy. Constraints on ancestors are obeyed by many searches, one for each of the parts
        that they split the networks into (`arcwise.exact.optimal`); the slack of the table must reach the answer.
    limits
        Seconds, memory (of dp's layers, of open nodes) and count (branch-and-bound nodes). A limit ends the search with
        the best network so far, its bound and a status; so does Ctrl-C (only a second one, a second later, raises
        KeyboardInterrupt).
    threads
        How many to use, for dp; None for all cores. Results do not depend on it.
    seed
        For the local search that finds incumbents. It decides between networks of equal score, never about the score.
    progress
        See `arcwise.progress.show_progress`; events have incumbent, bound and gap.

    Raises
    ------
    ConstraintError
        If no acyclic network in the table satisfies the constraints.
    """
    table = table_of(table, constraints=constraints, limits=limits, progress=progress)
    constraints = Constraints.of(table.names, constraints)
    errors.check_known("method", method, METHODS)
    run = Run.of(limits).replace(threads=threads, progress=progress, seed=resolve_seed(seed))
    if constraints is None or not constraints.is_ancestral:
        return _search_table(table, data, constraints, method, run)[0]
    quiet = run.replace(progress=False)
    found = ancestral_optimum(table, constraints, lambda part: _search_table(part, None, None, method, quiet)[0])
    if data is not None:
        _check_against_data(table, found.dag, found.score, data)
    return found


def _search_table(
    table: ParentSetTable,
    data: Dataset | None,
    constraints: Constraints | None,
    method: str,
    run: Run,
    record: ProofRecord | None = None,
) -> tuple[Optimum, ProofStep]:
    """Do what `find_optimal` promises; return the optimum and, if there is a record, the steps that prove its bound."""
    with contextlib.ExitStack() as stack:
        budget = Budget(stack.enter_context(run.shown()))
        stack.enter_context(deferred_interrupt(budget.stop))
        # A table of two million sets takes a second for each of these. After Ctrl-C they go on: without them there is
        # nothing to return.
        budget.announce("preparing", 0, 4)
        table.validate()
        budget.announce("preparing", 1, 4)
        near, constant, unit = scaled(table)
        if record is not None:
            record.unit = unit
        allowed = candidate_sets(near, constraints)
        budget.announce("preparing", 2, 4)
        sets = allowed.undominated(budget.native_report("preparing: dominated sets"))
        budget.announce("preparing", 3, 4)
        parts = components_of(sets)
        largest = max((part.size for part in parts), default=0)
        components = [sets.component(nodes, budget.pulse) for nodes in parts]
        picked, reason = _pick(method, components)
        if picked == "dp" and largest > 32:
            raise errors.OptionError(
                Argument("method", "dp"),
                f"handles components of up to 32 variables; the largest here has {largest}.",
                remedies=Remedy("use", Argument("method", "branch-and-bound")),
            )
        search = _ExactSearch(method, budget, record, near.data)
        rows = np.empty(table.n_variables, dtype=np.int64)
        with budget.elsewhere(constant / unit, constant / unit):
            solved = search.solve_all(components)
        for nodes, part in zip(parts, solved, strict=True):
            rows[nodes] = part.origins
        bound = math.fsum(part.bound for part in solved)
        unique = all(part.unique for part in solved)
        status = budget.status
        dag, score = network_of_rows(table, rows, constraints)
        if data is not None:
            _check_against_data(table, dag, score, data)
        if bound <= math.fsum(near.scores[rows].tolist()) + PROOF_TOLERANCE:
            status = Status.COMPLETE  # the limit came too late to matter
        upper = score if status is Status.COMPLETE else max(unit * bound + constant, score)
        optimum = Optimum(
            dag=dag,
            score=score,
            upper_bound=upper,
            status=status,
            method=picked,
            reason=reason,
            seconds=budget.run.seconds,
            nodes=budget.nodes,
            ties_possible=not (unique and _no_equal_rows(near, rows)),
            log_prior=log_prior_of(table.score, dag),
            statistics={
                "parent sets": table.n_rows,
                "parent sets after constraints": allowed.rows,
                "parent sets without dominated": sets.rows,
                "components": len(parts),
                "largest component": int(largest),
                "tolerance": unit * PROOF_TOLERANCE,
                **search.counts,
            },
        )
    return optimum, ProofStep(groups=[nodes.tolist() for nodes in parts], below=[part.step for part in solved])


def _dp_at_once(sets: CandidateSets) -> bool:
    """Return whether the 2^n subsets of a component take less time than the linear programs of its sets may."""
    return any(sets.variables <= most and sets.rows >= dense * sets.variables for most, dense in DP_AT_ONCE)


def _pick(method: str, components: list[CandidateSets]) -> tuple[str, str]:
    if method != "auto":
        return method, "asked for"
    largest = max((sets.variables for sets in components), default=0)
    useful = sum(sets.rows for sets in components)
    where = f"{useful:,} useful parent sets, {len(components)} components, the largest with {largest} variables"
    if all(_dp_at_once(sets) for sets in components):
        return "dp", f"{where}: the 2^{largest} subsets take less time than linear programs"
    return "branch-and-bound", f"{where}: too many subsets; the linear relaxation with cuts is nearly always tight"


def _no_equal_rows(table: ParentSetTable, rows: NDArray[np.int64]) -> bool:
    """Return whether no chosen row has another of the same node within the tolerance."""
    for node, row in enumerate(rows.tolist()):
        scores = table.scores[table.node_offsets[node] : table.node_offsets[node + 1]]
        if np.count_nonzero(np.abs(scores - table.scores[row]) <= PROOF_TOLERANCE) > 1:
            return False
    return True


def _check_against_data(table: ParentSetTable, dag: Dag, score: float, data: Dataset) -> None:
    """Recompute the network's score from the raw data, by code that shares nothing with tables or searches."""
    if table.data_digest is not None and table.data_digest != data.digest:
        raise errors.DataError(
            "the data given for checking are not those the table was built from (their digests differ). "
            "Give the same data set, or build the table again."
        )
    if not table.score:
        raise errors.DataError(
            "the table does not say which score it holds, so the data cannot check it; leave out data=."
        )
    options = dict(table.score)
    scorer = table.scorer or make_score(options.pop("name"), **options)
    recomputed = scorer.score_network(data, dag)
    if abs(recomputed - score) > 1e-6 + 1e-8 * abs(score):
        raise errors.DataError(
            f"the network scores {score:.6f} by the table but {recomputed:.6f} by the data: "
            "the table was built from other data or another score. Build it again."
        )


# `certify_optimal`: the best network, and a file with the proof for a program that trusts nothing but the table.


SUFFIXES = (".json", ".json.gz")
# Of a time limit; published instances take about a third of the search's time, or less, to be checked.
SEARCH_SHARE = 0.75


def certify_optimal(
    table: ParentSetTable | Scored | Frame,
    path: str | os.PathLike[str],
    *,
    data: Dataset | None = None,
    constraints: GivenConstraints | None = None,
    limits: Limits = Limits(),  # noqa: B008
    seed: Seed = 0,
    progress: bool | ProgressCallback | None = None,
) -> Optimum:
    """Find the network with the highest score, and write a proof that there is none better.

    The search is `find_optimal` by branch and bound. What it did is written down as steps, which prove the bound in
    exact arithmetic (`arcwise.certificate`): any program can check them, and anyone can write such a program. Before it
    is written, the certificate is checked, so that its figures are those that every checker will find. When a limit was
    reached, it proves the bound that had been reached.

    Parameters
    ----------
    table
        The candidate parent sets. The certificate is about the networks that it allows; what pruning left out of the
        table is not part of it.
    path
        Where to write it, as .json or .json.gz.
    constraints
        Required and forbidden arcs, tiers, parent limits; they are part of what is certified.
    data, limits, seed, progress
        As of `find_optimal`; the memory limit is for what is recorded, too. A quarter of the time is kept for checking.

    Examples
    --------
    >>> from arcwise.certificate import check_certificate
    >>> from arcwise.parent_sets import ParentSetTable
    >>> table = ParentSetTable.from_lists(["a", "b"], [[(-3.0, ()), (-1.0, (1,))], [(-2.5, ()), (-1.0, (0,))]])
    >>> optimum = certify_optimal(table, path, progress=False)  # doctest: +SKIP
    >>> check_certificate(table, path).gap  # doctest: +SKIP
    Fraction(0, 1)
    """
    table = table_of(table, constraints=constraints, limits=limits, progress=progress)
    constraints = Constraints.of(table.names, constraints)
    if not str(path).endswith(SUFFIXES):
        raise errors.FormatError(f"cannot write {path}: the name of a certificate ends in .json or .json.gz.")
    record = ProofRecord()
    run = Run.of(limits).replace(threads=1, progress=progress, seed=resolve_seed(seed)).share(SEARCH_SHARE)
    optimum, first = _search_table(table, data, constraints, "branch-and-bound", run, record)
    plain = plain_table(table)
    content = _content(plain, constraints, optimum.dag, first, record)
    checked = checker.derive(plain, content)
    content |= {"score": str(checked.score), "bound": str(checked.bound)}
    content["digest"] = checker.digest_of(content)
    write_bytes(path, json.dumps(content, separators=(",", ":")).encode())
    return optimum


def _content(
    table: checker.Table, constraints: Constraints | None, dag: Dag, first: ProofStep, record: ProofRecord
) -> dict[str, Any]:
    """Return the certificate without its figures: what is stated, and the steps that prove it."""
    names, n = dag.names, dag.n_nodes
    known = Constraints(names) if constraints is None else constraints.reorder(names)
    must, never = known.required_masks, known.forbidden_masks
    cuts, tables = _cuts(record)
    return {
        "format": checker.FORMAT,
        "variables": list(names),
        "table": checker.table_digest(table),
        "required": [list(bits(must[v])) for v in range(n)],
        "forbidden": [list(bits(never[v] & ~(1 << v))) for v in range(n)],
        "most parents": [min(limit, n) for limit in known.limits],
        "network": [list(dag.parents[v]) for v in range(n)],
        "tables": tables,
        "cuts": cuts,
        "steps": [_step(step, record.unit) for step in first.walk()],
    }


def _cuts(record: ProofRecord) -> tuple[list[list[Any]], list[list[str]]]:
    """Return the cuts, and the tables of those on four variables."""
    coefficients = _core.exact.facet_coefficients().reshape(-1, 4, 16).tolist()
    used: dict[int, int] = {}
    cuts: list[list[Any]] = []
    for code, members in record.cuts:
        kind, number = ("cluster", code) if code > 0 else ("table", used.setdefault(-code - 1, len(used)))
        cuts.append([kind, number, list(members)])
    return cuts, [["".join(map(str, row)) for row in coefficients[facet]] for facet in used]


def _step(step: ProofStep, unit: float) -> dict[str, Any]:
    """Return a step: what stands below it comes after it in the list."""
    rounds = []
    for proof in step.rounds:
        weights = [int(m * unit * 2**checker.FRACTION_BITS) for m in proof.multipliers.tolist()]
        used = [(cut, weight) for cut, weight in zip(proof.cuts.tolist(), weights, strict=True) if weight]
        rounds.append({"cuts": [cut for cut, _ in used], "weights": [weight for _, weight in used]})
    content: dict[str, Any] = {"rounds": rounds} if rounds else {}
    if step.branch is not None:
        return content | {"branch": list(step.branch)}
    return content if step.groups is None else content | {"groups": step.groups}
