"""The credible set: every network that the data cannot rule out (Liao chapter 3), listed or summed up."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.ensemble.bayes_factors import log_slack_of, warn_if_not_bayes_factor
from arcwise.ensemble.diagram.class_counting import count_classes, has_whole_classes
from arcwise.ensemble.diagram.credible_diagram import CHUNK, CredibleDiagram, build_diagram, check_guarantee
from arcwise.ensemble.diagram.reached import FIRST_SHARE, Reached, count_within_reach
from arcwise.ensemble.network_set import NetworkSet, Weighting, posterior_log_weights
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.errors import GuaranteeError, UnknownNameError, suggestion
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback, ProgressEvent, native_callback, show_progress

__all__ = ["By", "count_credible", "find_credible"]

By = Literal["dag", "mec"]


def find_credible(
    table: ParentSetTable,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    by: By = "dag",
    weights: Weighting = "posterior",
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    trust_table: bool = False,
    seed: int = 0,
    progress: bool | ProgressCallback | None = None,
) -> NetworkSet:
    """Find every network within a Bayes factor of the optimum, each exactly once.

    Parameters
    ----------
    table
        Candidate parent sets, built with at least the slack that is asked for.
    bayes_factor, log_slack
        How far from the optimum: a Bayes factor (or its name: "anecdotal" 3, "positive" 20, "strong" 150), or its
        natural logarithm. Exactly one of the two.
    by
        "dag" lists DAGs. "mec" lists one DAG for each Markov equivalence class, without going through the members: it
        needs a score that gives the members of a class the same value, and no constraints.
    weights
        "posterior": proportional to exp(score); "equal". With ``by="mec"`` each class weighs as much as its
        representative; `weigh_classes` gives it the weight of all its members.
    constraints
        Only networks that satisfy them; the optimum is then the best of those.
    limits
        `seconds`, `memory_bytes`, and `count`, the number of networks to list.
    trust_table
        Take a table that does not say how it was made as complete for this slack.
    seed
        Of the local search that finds a first network; the result does not depend on it.
    progress
        See `arcwise.progress.show_progress`.

    Returns
    -------
    NetworkSet
        By falling score. `complete` is True if nothing is missing; `facts` has the seconds, the size of the diagram
        and, if a limit on the count cut the list short, the exact `total`. Networks that fall short of the limit by
        no more than `tolerance` (rounding) are kept.

    Raises
    ------
    GuaranteeError
        If the table was pruned for less slack than is asked for.
    """
    start = time.monotonic()
    limits = limits or Limits()
    slack = _checked_slack(table, bayes_factor, log_slack, by, trust_table)
    if by == "mec":
        check_equivalence(table, trust_table, constraints)
    with show_progress(progress) as callback:
        diagram = build_diagram(
            table,
            slack,
            by_class=by == "mec",
            constraints=constraints,
            limits=limits,
            callback=callback,
            seed=seed,
        )
        return list_diagram(diagram, weights=weights, limits=limits, start=start, callback=callback)


def list_diagram(
    diagram: CredibleDiagram,
    *,
    weights: Weighting,
    limits: Limits,
    start: float,
    callback: ProgressCallback,
    origin: str = "credible",
    slack: float | None = None,
) -> NetworkSet:
    """List the networks of a diagram by falling score."""
    status = diagram.status
    rows: list[NDArray[Any]] = []
    losses: list[NDArray[np.float64]] = []
    listed, total = 0, None
    if status is Status.COMPLETE:
        lister = diagram.lister(slack)
        try:
            while not lister.done:
                left = limits.native_count - listed
                if left <= 0:
                    status = Status.COUNT_LIMIT
                elif time.monotonic() - start > limits.native_seconds:
                    status = Status.TIME_LIMIT
                elif sum(part.nbytes for part in rows) > limits.native_memory:
                    status = Status.MEMORY_LIMIT
                if status is not Status.COMPLETE:
                    break
                chosen, lost = diagram.next_chunk(lister, min(CHUNK, left + 1))
                rows.append(chosen[:left])
                losses.append(lost[:left])
                if len(lost) > left:
                    status = Status.COUNT_LIMIT
                    break
                listed += len(lost)
                callback(ProgressEvent("credible set: networks", listed, total))
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        if status is Status.COUNT_LIMIT and diagram.rank is None:
            total = diagram.sums(slack=slack, limits=Limits()).count
    n = diagram.table.n_variables
    loss = np.concatenate(losses) if losses else np.empty(0)
    choices = np.concatenate(rows) if rows else np.empty((0, n), dtype=np.uint16)
    order = np.argsort(loss, kind="stable")
    scores = diagram.opt - loss[order]
    facts: dict[str, Any] = {
        "by": "mec" if diagram.by_class else "dag",
        "seconds": time.monotonic() - start,
        "states": diagram.native.states,
        "explored": diagram.native.explored,
    }
    if total is not None:
        facts["total"] = str(total)
    networks = NetworkSet(
        names=diagram.table.names,
        families=diagram.families,
        choices=choices[order],
        scores=scores,
        log_weights=posterior_log_weights(scores),
        origin=origin,
        opt=diagram.opt if diagram.native.states else math.nan,
        slack=diagram.slack if slack is None else slack,
        status=status,
        max_parents=diagram.table.max_parents,
        tolerance=diagram.tolerance,
        score=dict(diagram.table.score),
        data_digest=diagram.table.data_digest,
        facts=facts,
    ).compact()
    return networks if weights == "posterior" or not networks.count else networks.with_weights(weights)


def count_credible(
    table: ParentSetTable,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    classes: bool = False,
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    trust_table: bool = False,
    seed: int = 0,
    progress: bool | ProgressCallback | None = None,
) -> NetworkSummary:
    """Count the credible set and the share of each family in it, exactly, without listing it.

    The options are those of `find_credible`. The work grows with the number of different scores rather than of
    networks, so sets of 10^12 networks are no obstacle. With ``classes=True`` the equivalence classes are counted as
    well (`class_count`; None if a limit was met, or if more than 50 million networks, or `limits.count` if that is
    more, would have to be listed: one of each class, or all of them where the score or constraints tear classes apart).

    Where a limit of time or memory stops the work, the count is 0 and `status` says so; `facts` then has how far it
    got: `reached_count`, the exact number (as text) of the networks within `reached_slack` of the optimum, which is a
    lower bound (or the number itself, if all of the slack was reached and only the shares did not fit into memory). A
    quarter of the time is kept for this.
    """
    start = time.monotonic()
    limits = limits or Limits()
    slack = _checked_slack(table, bayes_factor, log_slack, "dag", trust_table)

    def build(within: float, allowed: Limits) -> CredibleDiagram:
        return build_diagram(
            table, within, by_class=False, constraints=constraints, limits=allowed, callback=callback, seed=seed
        )

    whole_time = limits if limits.seconds is None else replace(limits, seconds=FIRST_SHARE * limits.seconds)
    reached = None
    with show_progress(progress) as callback:
        diagram = build(slack, whole_time)
        status = diagram.status
        report = native_callback(callback, "credible set: counting")
        sums = None
        if status is Status.COMPLETE:
            sums = diagram.sums(families=True, limits=_left(limits, start), report=report)
            status = sums.status
        if sums is not None and status is Status.MEMORY_LIMIT:
            # A count needs less memory than the shares of the families.
            alone = diagram.sums(limits=_left(limits, start), report=report)
            reached = Reached(slack, alone.count) if alone.status is Status.COMPLETE else None
        if reached is None and status in (Status.TIME_LIMIT, Status.MEMORY_LIMIT):
            reached = count_within_reach(build, slack, limits, start)
        class_count = None
        if classes and sums is not None and status is Status.COMPLETE:
            left = _left(limits, start)
            class_count = count_classes(
                diagram,
                sums.count,
                lambda: build_diagram(
                    table, slack, by_class=True, constraints=None, limits=left, callback=callback, seed=seed
                ),
                whole=constraints is None and has_whole_classes(table),
                limits=left,
            )
    whole = sums is not None and status is Status.COMPLETE and sums.count > 0
    families = diagram.families
    if sums is not None and whole:
        used = np.flatnonzero(np.array([count > 0 for count in sums.row_counts]))
        families = families.take(used)
        equal = np.array([sums.row_counts[row] / sums.count for row in used.tolist()])
        posterior = np.minimum(sums.row_masses[used] / math.exp(sums.log_mass), 1.0)
    else:
        families = families.take(np.empty(0, dtype=np.int64))
        equal = posterior = np.empty(0)
    return NetworkSummary(
        names=table.names,
        families=families,
        count=sums.count if sums is not None and whole else 0,
        posterior=posterior,
        equal=equal,
        origin="credible",
        log_mass=sums.log_mass if sums is not None and whole else math.nan,
        class_count=class_count,
        opt=diagram.opt if diagram.native.states else math.nan,
        slack=slack,
        status=status,
        max_parents=table.max_parents,
        tolerance=diagram.tolerance,
        score=dict(table.score),
        data_digest=table.data_digest,
        facts={
            "seconds": time.monotonic() - start,
            "states": diagram.native.states,
            "explored": diagram.native.explored,
            **({} if reached is None else {"reached_slack": reached.slack, "reached_count": str(reached.count)}),
        },
    )


def _left(limits: Limits, start: float) -> Limits:
    if limits.seconds is None:
        return limits
    return replace(limits, seconds=max(1e-3, limits.seconds - (time.monotonic() - start)))


def _checked_slack(
    table: ParentSetTable, bayes_factor: float | str | None, log_slack: float | None, by: str, trust_table: bool
) -> float:
    slack = log_slack_of(bayes_factor, log_slack)
    if by not in ("dag", "mec"):
        raise UnknownNameError(suggestion("unit", by, ("dag", "mec")))
    named = f"at Bayes factor {math.exp(slack):.6g}" if log_slack is None else f"with slack {slack:.4g}"
    check_guarantee(table, slack, trust_table, f"a credible set {named}")
    if bayes_factor is not None:
        warn_if_not_bayes_factor(table.score, stacklevel=4)
    return slack


def check_equivalence(table: ParentSetTable, trust_table: bool, constraints: Constraints | None) -> None:
    """Refuse to work with classes where the members of a class may score differently or be missing."""
    if constraints is not None:
        raise GuaranteeError(
            "equivalence classes cannot be enumerated as wholes under constraints, which may forbid some members of a "
            "class and not others; list DAGs: by='dag'."
        )
    if "name" not in table.score:
        if trust_table:
            return
        raise GuaranteeError(
            "equivalence classes need a score that gives their members the same value; this table does not say which "
            "score it holds. Vouch for it with trust_table=True, or list DAGs: by='dag'."
        )
    from arcwise.scores import make_score

    options = dict(table.score)
    name = str(options.pop("name"))
    if not make_score(name, **options).facts.equivalent:
        raise GuaranteeError(
            f"{name} gives the members of an equivalence class different values, so classes cannot be enumerated as "
            "wholes; list DAGs: by='dag'."
        )
