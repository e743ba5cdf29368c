"""The credible set in one call: listed, counted or streamed; `CredibleSet` is for more than one question."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise.base.errors import (
    Argument,
    Call,
    GuaranteeError,
    OptionError,
    Remedy,
    UnfinishedError,
    check_argument,
)
from arcwise.base.options import gather
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Seed, Status
from arcwise.base.showing import one_screen
from arcwise.credible.bayes_factors import log_slack_of
from arcwise.credible.credible_set import CredibleSet, MemberKind
from arcwise.credible.diagram import Parallel
from arcwise.credible.listing import FIRST_SHARE, NetworkStream
from arcwise.exact.optimal import find_optimal
from arcwise.exact.proof import Optimum
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.networks.classes import class_sizes
from arcwise.networks.families import Families
from arcwise.networks.network_list import NetworkSet, NetworkSummary, concatenate, posterior_log_weights
from arcwise.networks.recipe import NetworkOrigin, known_facts, make_facts
from arcwise.parent_sets.build import joint_constraints, table_of
from arcwise.parent_sets.table import VOUCH, ParentSetTable, check_slack

if TYPE_CHECKING:
    from arcwise.data.dataset import Frame
    from arcwise.keywords import ParallelKeywords
    from arcwise.scores.score import Scored


# Credible sets under constraints on ancestors: listed with a wider slack, and sifted.
#
# The diagram of a credible set knows arcs, not paths. But the networks within a factor of the best one *that satisfies
# the constraints* are all within a wider factor of the best one that the arcs allow, and those can be listed; what is
# left after sifting is the set, each network once. It is exact where the wider set can be listed, which is where the
# data do not object too strongly.


def list_ancestral(
    table: ParentSetTable,
    slack: float,
    constraints: Constraints,
    run: Run,
    *,
    on_best: Callable[[Optimum], None] | None = None,
) -> NetworkSet:
    """List every network within the slack of the best that satisfies constraints on ancestors, by falling score.

    `on_best` is given the best one as soon as it is known, which is before the others are listed. The table must be
    built for the slack and what the constraints cost together.
    """
    if table.status is not Status.COMPLETE:  # what leads where it must may be missing
        return _nothing(table, slack, table.status)
    try:
        first = find_optimal(table, constraints=constraints.arc_part, limits=run.uncounted, progress=False)
        best = find_optimal(table, constraints=constraints, limits=run.uncounted, progress=False)
    except UnfinishedError:
        return _nothing(table, slack, Status.TIME_LIMIT)
    loss = max(0.0, first.score - best.score)  # what the ancestors cost
    reach = loss + slack
    if on_best is not None:
        on_best(best)
    check_slack(table, reach, f"a credible set under constraints on ancestors, which cost {loss:.4g},")
    wide = CredibleSet.within(table, reach, constraints.arc_part, run)
    kept: list[NetworkSet] = []
    status = wide.status
    for chunk in wide.chunks(limits=run.uncounted):
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
        origin=NetworkOrigin("credible"),
        opt=best.score,
        slack=slack,
        status=Status.COMPLETE,
        max_parents=table.max_parents,
        score=dict(table.score),
        data_digest=table.data_digest,
        facts=make_facts(by="dag", seconds=run.seconds) | wide.known | known_facts(obeyed),
    )
    return best_of(listed, run.given.count)


def best_of(networks: NetworkSet, most: int | None) -> NetworkSet:
    """Return the first networks of a set that is sorted by falling score, with posterior weights; None for all."""
    if most is None or networks.count <= most:
        return networks
    first = networks[:most]
    return replace(
        first,
        log_weights=posterior_log_weights(first.scores),
        status=Status.COUNT_LIMIT,
        facts=networks.facts | make_facts(total=str(networks.count)),
    )


def satisfying(networks: NetworkSet, constraints: Constraints) -> NDArray[np.bool_]:
    """Return for each network whether it satisfies the constraints on ancestors; those on arcs are not asked again."""
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
        origin=NetworkOrigin("credible"),
        slack=slack,
        status=status,
    )


def find_credible(
    table: ParentSetTable | Scored | Frame,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    by: MemberKind = "dag",
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ParallelKeywords],
) -> NetworkSet:
    """Find every network within a Bayes factor of the optimum, each exactly once.

    The options are those of `CredibleSet.build`, where they are explained, and of `CredibleSet.networks`: `by` ("dag",
    or "mec" for one network per equivalence class), and `limits` for everything together, of which `count` is the
    number of networks to list, the best ones if there are more.

    Under constraints on ancestors the set is that of the best network which satisfies them. It is found by listing a
    wider set, for which the table must have the slack: what the constraints cost, and that of the Bayes factor.

    Returns
    -------
    NetworkSet
        By falling score, with posterior weights (`NetworkSet.with_weights` gives it others). `complete` is True if
        nothing is missing among the networks with at most `max_parents` parents; `facts` has the seconds, the size of
        the diagram and, if a limit on the count cut the list short, the exact `total`. Networks that fall short of the
        limit by no more than `tolerance` (rounding) are kept.
    """
    slack, run = log_slack_of(bayes_factor, log_slack), Run.of(limits)
    table = table_of(table, slack, constraints=constraints, limits=limits, progress=progress)
    constraints = Constraints.of(table.names, constraints)
    if constraints is not None and constraints.is_ancestral:
        if by != "dag":
            raise OptionError(
                Argument("by", by), "does not go with constraints on ancestors.", remedies=Remedy("list DAGs")
            )
        sharing = gather(Parallel, find_credible, settings)
        run = run.replace(progress=progress, threads=sharing.threads, cluster=sharing.cluster)
        return list_ancestral(table, slack, constraints, run)
    found = CredibleSet.build(
        table,
        bayes_factor=bayes_factor,
        log_slack=log_slack,
        by=by,
        constraints=constraints,
        limits=run.limits,
        progress=progress,
        **settings,
    )
    return found.networks(by, limits=run.limits)


def count_credible(
    table: ParentSetTable | Scored | Frame,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    classes: bool = False,
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ParallelKeywords],
) -> NetworkSummary:
    """Count the credible set and the share of each family in it, exactly, without listing it.

    The options are those of `CredibleSet.build` and of `CredibleSet.summary`. The work grows with the number of
    different scores rather than of networks, so sets of 10^12 networks are no problem. With ``classes=True`` the
    equivalence classes are counted as well (`class_count`; see `CredibleSet.count_classes`).

    If a limit of time or memory stops the work, the count is 0 and `status` says so; `facts` then says how far it
    got (see `CredibleSet.summary`). A quarter of the time is kept for this.
    """
    run = Run.of(limits)
    found = CredibleSet.build(
        table,
        bayes_factor=bayes_factor,
        log_slack=log_slack,
        constraints=constraints,
        limits=run.share(FIRST_SHARE).limits,
        progress=progress,
        **settings,
    )
    return found.summary(classes=classes, limits=run.limits)


def stream_credible(
    table: ParentSetTable | Scored | Frame,
    folder: str | os.PathLike[str],
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    by: MemberKind = "dag",
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[ParallelKeywords],
) -> NetworkStream:
    """List a credible set into a folder, a million networks per file; go on where an earlier call ended.

    The options are those of `find_credible`; `limits.seconds` and `limits.count` are per call. `CredibleSet.stream`
    offers other sizes of files, and Parquet.
    """
    run = Run.of(limits)
    found = CredibleSet.build(
        table,
        bayes_factor=bayes_factor,
        log_slack=log_slack,
        by=None,
        constraints=constraints,
        progress=progress,
        **settings,
    )
    return found.stream(folder, by, limits=run.limits)


# The k best networks, or equivalence classes: the credible set whose slack is found rather than given.


FIRST_SLACK = 0.5  # in nats; grows until the set has k networks


def k_best(
    table: ParentSetTable,
    k: int,
    *,
    by: MemberKind = "dag",
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NetworkSet:
    """Find the k best networks (``by="dag"``, as KBest) or equivalence classes (``by="mec"``, as KBestEC).

    The slack is doubled until k networks lie within it; the best of those are then listed. Of networks that tie for the
    last place, any may be in the list. If there are fewer than k, all are listed.

    Parameters
    ----------
    table
        Its slack must reach the k-th network; infinite slack always does.
    k
        How many.

    The other options are those of `find_credible`.

    Returns
    -------
    NetworkSet
        With the origin "k-best", by falling score; `slack` is the distance of the last from the optimum.

    Raises
    ------
    GuaranteeError
        If the k-th network lies beyond the slack that the table was built for, or the table does not say how far that
        is.
    """
    constraints = Constraints.of(table.names, constraints)
    run = Run.of(limits)
    check_argument(k >= 1, "k", k, "must be at least 1.")
    reach = table.slack
    if math.isnan(reach):
        raise GuaranteeError(
            "k_best needs a table that says for which slack it is complete; this one does not, like a file made "
            "elsewhere.",
            remedies=(
                Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", shown="..."))),
                Remedy("vouch for it with", VOUCH),
            ),
        )
    everything = float(abs(table.scores).sum()) + 1.0  # no network lies beyond
    slack = min(FIRST_SLACK, reach)
    while True:
        found = CredibleSet(table, slack, constraints, Run(progress=progress)).best(k, by, limits=run.uncounted)
        if not found.complete or found.count >= k or slack >= everything:
            return found
        if slack >= reach:
            raise GuaranteeError(
                f"the table is complete for networks within {reach:.4g} of the optimum, and only {found.count:,} are;",
                Argument("k", k),
                "needs more.",
                remedies=Remedy(
                    "rebuild it with",
                    Call("build_parent_sets", Argument("slack", float(f"{2 * max(reach, 1.0):.4g}"))),
                ),
            )
        slack = min(2 * slack, reach)


# How many equivalence classes a credible set has, where they are too many to be counted.
#
# A class of m networks, all of them in the set, is drawn uniformly with probability m / count. The mean of 1 / m over
# uniform draws is therefore (number of classes) / count: an estimate without bias, whatever the sizes are, and with an
# interval, because the draws are independent.


NORMAL_95 = 1.959964  # standard errors either side that hold 95 % of a normal distribution
ROUNDING = 1e-9  # where all classes have the same size, the interval has no width but this


@one_screen
@dataclass(frozen=True, slots=True)
class ClassEstimate:
    """An estimated number of classes, with a 95 % interval."""

    count: float
    low: float  # the ends of the interval, at least 1
    high: float  # and at most the number of networks
    draws: int  # how many networks it is based on


def estimate_classes(
    credible: CredibleSet, *, draws: int = 20_000, seed: Seed = None, limits: Limits | None = None
) -> ClassEstimate:
    """Estimate the number of Markov equivalence classes of a credible set from uniform draws of its networks.

    Parameters
    ----------
    credible
        A complete set that consists of whole classes: a score that gives their members the same value, no limit on
        the parents of single variables.
    draws
        How many networks; the interval shrinks with the root of their number.
    seed, limits
        See `CredibleSet.sample`.

    Examples
    --------
    >>> import math
    >>> from arcwise import CredibleSet, build_parent_sets, datasets
    >>> table = build_parent_sets(datasets.load("wine"), "bic", slack=math.log(20))
    >>> credible = CredibleSet.build(table, bayes_factor=20)
    >>> found = estimate_classes(credible, draws=4000, seed=1)
    >>> found.low < credible.class_count < found.high
    True
    """
    if not credible.has_whole_classes:
        raise GuaranteeError(
            "classes can be estimated only where a set has all members of each: with a score that gives them the same "
            "value, and without constraints."
        )
    networks = credible.sample(draws, weights="equal", seed=seed, limits=limits)
    if networks.count < 2:
        raise UnfinishedError(f"only {networks.count} of {draws:,} networks were drawn ({networks.status}).")
    shares = np.array([1.0 / size for size in class_sizes(networks, credible.fixed)])
    total = credible.count
    mean = float(shares.mean())
    half = NORMAL_95 * float(shares.std(ddof=1)) / math.sqrt(len(shares)) + ROUNDING * mean
    return ClassEstimate(
        count=total * mean,
        low=max(1.0, total * (mean - half)),
        high=min(float(total), total * (mean + half)),
        draws=len(shares),
    )
