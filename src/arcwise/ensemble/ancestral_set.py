"""Credible sets under constraints on ancestors: listed with a wider slack, and sifted.

The diagram of a credible set knows arcs, not paths. But the networks within a factor of the best one *that satisfies
the constraints* are all within a wider factor of the best one that the arcs allow, and those can be listed; what is
left after sifting is the set, each network once. It is exact where the wider set can be listed, which is where the data
do not object too strongly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble.credible_set import CredibleSet
from arcwise.ensemble.diagram.sharing import Sharing
from arcwise.ensemble.ensemble_facts import CONSTRAINTS
from arcwise.ensemble.families import Families
from arcwise.ensemble.joint_constraints import joint_constraints
from arcwise.ensemble.network_set import NetworkSet, concatenate, posterior_log_weights
from arcwise.errors import UnfinishedError
from arcwise.exact import find_optimal
from arcwise.exact.optimum import Optimum
from arcwise.graph import Constraints
from arcwise.limits import Status
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.guarantee import check_slack
from arcwise.progress import ProgressCallback

__all__ = ["ancestral_loss", "best_of", "list_ancestral", "satisfying"]


def ancestral_loss(table: ParentSetTable, constraints: Constraints, deadline: Deadline) -> tuple[Optimum, float]:
    """Return the best network that satisfies the constraints, and how far it lies below the best that the arcs allow.

    Raises
    ------
    GuaranteeError, UnfinishedError
        If the table does not reach so far, or a limit ended the search.
    """
    arcs = constraints.arc_part
    first = find_optimal(table, constraints=arcs, limits=deadline.uncounted, progress=False)
    best = find_optimal(table, constraints=constraints, limits=deadline.uncounted, progress=False)
    return best, max(0.0, first.score - best.score)


def list_ancestral(
    table: ParentSetTable,
    slack: float,
    constraints: Constraints,
    deadline: Deadline,
    progress: bool | ProgressCallback | None = None,
    sharing: Sharing | None = None,
    *,
    on_best: Callable[[Optimum], None] | None = None,
) -> NetworkSet:
    """List every network within the slack of the best that satisfies constraints on ancestors, by falling score.

    `on_best` is given the best one as soon as it is known, which is before the others are listed.

    Raises
    ------
    GuaranteeError
        If the table was not built for the slack and what the constraints cost together.
    """
    if table.status is not Status.COMPLETE:  # what leads where it must may be missing
        return _nothing(table, slack, table.status)
    try:
        best, loss = ancestral_loss(table, constraints, deadline)
    except UnfinishedError:
        return _nothing(table, slack, Status.TIME_LIMIT)
    reach = loss + slack
    if on_best is not None:
        on_best(best)
    check_slack(table, reach, f"a credible set under constraints on ancestors, which cost {loss:.4g},")
    wide = CredibleSet.build(
        table,
        log_slack=reach,
        constraints=constraints.arc_part,
        limits=deadline.uncounted,
        progress=progress,
        settings=sharing or Sharing(),
    )
    kept: list[NetworkSet] = []
    status = wide.status
    for chunk in wide.chunks(limits=deadline.uncounted):
        status = chunk.status
        if chunk.count:
            part = replace(chunk, status=Status.COMPLETE)[satisfying(chunk, constraints)]
            kept += [part] if part.count else []
    if status is not Status.COMPLETE:
        return _nothing(table, slack, status)
    obeyed = constraints.reorder(table.names)
    if table.constraints != obeyed.arc_part:  # not a table for just these
        obeyed = joint_constraints(table.names, table.constraints, obeyed) or obeyed
    found = concatenate(kept).sorted()
    listed = replace(
        found,
        log_weights=posterior_log_weights(found.scores),
        origin="credible",
        opt=best.score,
        slack=slack,
        status=Status.COMPLETE,
        max_parents=table.max_parents,
        score=dict(table.score),
        data_digest=table.data_digest,
        facts={
            "by": "dag",
            "seconds": deadline.seconds,
            **wide.known_facts,
            CONSTRAINTS: obeyed.describe(),
        },
    )
    return best_of(listed, deadline.given.count)


def best_of(networks: NetworkSet, most: int | None) -> NetworkSet:
    """Return the first networks of a set that is sorted by falling score, with posterior weights; None for all."""
    if most is None or networks.count <= most:
        return networks
    first = networks[:most]
    return replace(
        first,
        log_weights=posterior_log_weights(first.scores),
        status=Status.COUNT_LIMIT,
        facts={**networks.facts, "total": str(networks.count)},
    )


def satisfying(networks: NetworkSet, constraints: Constraints) -> NDArray[np.bool_]:
    """Say of each network whether it satisfies the constraints on ancestors; those on arcs are not asked again."""
    fine = np.ones(networks.count, dtype=bool)
    wanted: dict[int, list[tuple[int, bool]]] = {}
    for pairs, there in ((constraints.ancestors, True), (constraints.non_ancestors, False)):
        for x, y in pairs:
            wanted.setdefault(networks.names.index(x), []).append((networks.names.index(y), there))
    for source, ends in wanted.items():
        reached = _reached_from(networks, source)
        for end, there in ends:
            fine &= reached[:, end] == there
    return fine


def _reached_from(networks: NetworkSet, source: int) -> NDArray[np.bool_]:
    """Return for each network which nodes a path leads to from one, shape (networks, nodes)."""
    families, n = networks.families, networks.n_variables
    holds = np.zeros((families.n_rows, n), dtype=bool)
    holds[np.repeat(np.arange(families.n_rows), np.diff(families.set_offsets)), families.members] = True
    starts = families.node_offsets.tolist()
    reached = np.zeros((networks.count, n), dtype=bool)
    reached[:, source] = True
    before = -1
    while (now := int(reached.sum())) != before:
        before = now
        for v in range(n):
            parents = holds[starts[v] : starts[v + 1]][networks.choices[:, v]]
            reached[:, v] |= (parents & reached).any(axis=1)
    return reached


def _nothing(table: ParentSetTable, slack: float, status: Status) -> NetworkSet:
    """Return the set of no network that a limit left."""
    return NetworkSet(
        names=table.names,
        families=Families.from_sets([[] for _ in table.names]),
        choices=np.empty((0, table.n_variables), dtype=np.uint8),
        scores=np.empty(0),
        log_weights=np.empty(0),
        origin="credible",
        slack=slack,
        status=status,
    )
