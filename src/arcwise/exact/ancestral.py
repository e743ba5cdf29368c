"""The best network in which some variables lead to others, and some do not.

That x leads to y is about whole networks: no single arc decides it, and the parent sets that it allows depend on each
other. So it is not part of the linear relaxation nor of the dynamic program, but of a tree above them. The best network
that the arcs allow is found; if it satisfies everything, it is the answer. If not, the networks that do are split into
disjoint parts, each of which is about arcs again:

- x must lead to y and does not: with R what x reaches, every path from x to y leaves R by one of the arcs from R to
  the rest, so the part in which the first of these arcs is there, the part in which it is not but the second is, ...
- x must not lead to y and does, by a path: the part without its first arc, with the first but without the second, ...

Parts are opened in the order of their best networks, so the first that satisfies everything is the best of all. The
parts are many where n is large and the data object strongly; the method is for what the data nearly say anyway.

**What the table must hold.** A table with slack s holds every parent set of every network within s of the optimum
that its constraints allow. The parts need no more than that as long as the answer is within s: a network that is better
than the answer is within s, too, and so all in the table. If the answer lies further below, it may be wrong, and is
refused with the slack that would do.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace

from arcwise.errors import ConstraintError, GuaranteeError, UnfinishedError
from arcwise.exact.optimum import PROOF_TOLERANCE, Optimum
from arcwise.graph import Constraints, Dag
from arcwise.graph.statements import Arc, Kind
from arcwise.limits import Status
from arcwise.mentions import Argument, Call, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.guarantee import check_required, check_slack

__all__ = ["ancestral_optimum"]

Solver = Callable[[ParentSetTable], Optimum]


def ancestral_optimum(table: ParentSetTable, constraints: Constraints, solve: Solver) -> Optimum:
    """Return the best network that satisfies constraints on ancestors; `solve` finds that of a table.

    Raises
    ------
    GuaranteeError
        If the best network lies further below the optimum than the table is complete for, or is not in it.
    ConstraintError
        If no network of the table satisfies the constraints.
    UnfinishedError
        If a limit ended the search: before its end there is no network.
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
            except ConstraintError:
                continue  # no network is left in this part
            solved += 1
            heapq.heappush(heap, (-found.score, next(numbers), smaller, found))
    if math.isfinite(table.slack):
        wider = float(f"{2 * max(table.slack, 1.0):.4g}")
        raise GuaranteeError(
            f"no network in the table satisfies the constraints on ancestors; it is complete within {table.slack:.4g} "
            "of the optimum.",
            remedies=Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", wider))),
        )
    raise ConstraintError("no network in the table satisfies the constraints on ancestors. Relax them.")


def _complete(found: Optimum, solved: int) -> Optimum:
    if found.status is Status.COMPLETE:
        return found
    if found.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    raise UnfinishedError(
        f"the best network under constraints on ancestors was not found: {found.status} after {solved:,} parts.",
        remedies=(Remedy("raise", Argument("limits")), Remedy("say which arcs you mean, as required or forbidden")),
    )


def _broken(constraints: Constraints, dag: Dag) -> tuple[Kind, str, str] | None:
    """Return the first pair that is not as it must be."""
    for x, y in constraints.non_ancestors:
        if y in dag.descendants(x):
            return Kind.NON_ANCESTOR, x, y
    for x, y in constraints.ancestors:
        if y not in dag.descendants(x):
            return Kind.ANCESTOR, x, y
    return None


def _split(part: Constraints, dag: Dag, kind: Kind, x: str, y: str) -> Iterator[Constraints]:
    """Yield disjoint parts that together hold all networks of the part which satisfy the pair."""
    if kind is Kind.NON_ANCESTOR:
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
        except ConstraintError:
            continue


def _path(dag: Dag, source: str, target: str) -> list[Arc]:
    """Return the arcs of a shortest path."""
    came: dict[str, str] = {}
    layer = [source]
    while target not in came:
        following = []
        for tail in layer:
            for head in dag.children_of(tail):
                if head not in came:
                    came[head] = tail
                    following.append(head)
        layer = following
    path = []
    while target != source:
        path.append((came[target], target))
        target = came[target]
    return path[::-1]
