"""The k best networks, or equivalence classes: the credible set whose slack is found rather than given."""

from __future__ import annotations

import math

from arcwise.deadline import Deadline
from arcwise.ensemble.credible_set import By, CredibleSet
from arcwise.ensemble.network_set import NetworkSet
from arcwise.errors import GuaranteeError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits
from arcwise.mentions import Argument, Call, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.parent_sets.guarantee import VOUCH
from arcwise.progress import ProgressCallback

__all__ = ["k_best"]

FIRST_SLACK = 0.5


def k_best(
    table: ParentSetTable,
    k: int,
    *,
    by: By = "dag",
    constraints: Constraints | None = None,
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
    deadline = Deadline.of(limits)
    if k < 1:
        raise OptionError(Argument("k", k), "must be at least 1.")
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
        found = CredibleSet(table, slack, constraints, progress).best(k, by, limits=deadline.uncounted)
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
