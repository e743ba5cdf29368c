"""The credible set in one call: listed, or counted; `CredibleSet` is for those who ask more than one thing of it."""

from __future__ import annotations

from typing import Unpack

from arcwise.deadline import Deadline
from arcwise.ensemble.ancestral_set import list_ancestral
from arcwise.ensemble.bayes_factors import log_slack_of
from arcwise.ensemble.credible_set import By, CredibleSet
from arcwise.ensemble.diagram.reached import FIRST_SHARE
from arcwise.ensemble.diagram.sharing import Sharing, SharingKeywords
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.network_summary import NetworkSummary
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.mentions import Argument, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback
from arcwise.settings import gather

__all__ = ["count_credible", "find_credible"]


def find_credible(
    table: ParentSetTable,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    by: By = "dag",
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[SharingKeywords],
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

    Raises
    ------
    GuaranteeError
        If the table was pruned for less slack than is asked for, or not for the required arcs.
    """
    deadline = Deadline.of(limits)
    if constraints is not None and constraints.is_ancestral:
        if by != "dag":
            raise OptionError(
                Argument("by", by), "does not go with constraints on ancestors.", remedies=Remedy("list DAGs")
            )
        return list_ancestral(
            table,
            log_slack_of(bayes_factor, log_slack),
            constraints,
            deadline,
            progress,
            gather(Sharing, find_credible, settings),
        )
    found = CredibleSet.build(
        table,
        bayes_factor=bayes_factor,
        log_slack=log_slack,
        by=by,
        constraints=constraints,
        limits=deadline.limits,
        progress=progress,
        **settings,
    )
    return found.networks(by, limits=deadline.limits)


def count_credible(
    table: ParentSetTable,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    classes: bool = False,
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[SharingKeywords],
) -> NetworkSummary:
    """Count the credible set and the share of each family in it, exactly, without listing it.

    The options are those of `CredibleSet.build` and of `CredibleSet.summary`. The work grows with the number of
    different scores rather than of networks, so sets of 10^12 networks are no problem. With ``classes=True`` the
    equivalence classes are counted as well (`class_count`; see `CredibleSet.count_classes`).

    If a limit of time or memory stops the work, the count is 0 and `status` says so; `facts` then says how far it
    got (see `CredibleSet.summary`). A quarter of the time is kept for this.
    """
    deadline = Deadline.of(limits)
    found = CredibleSet.build(
        table,
        bayes_factor=bayes_factor,
        log_slack=log_slack,
        constraints=constraints,
        limits=deadline.share(FIRST_SHARE).limits,
        progress=progress,
        **settings,
    )
    return found.summary(classes=classes, limits=deadline.limits)
