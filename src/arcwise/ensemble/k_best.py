"""The k best networks, or equivalence classes: the credible set whose slack is found rather than given."""

from __future__ import annotations

import math
import time

import numpy as np

from arcwise.ensemble.credible import By, check_equivalence, list_diagram
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram, build_diagram
from arcwise.ensemble.network_set import NetworkSet, Weighting
from arcwise.errors import GuaranteeError, OptionError, UnknownNameError, suggestion
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.mentions import Argument, Call, Remedy
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback, show_progress

__all__ = ["k_best"]

FIRST_SLACK = 0.5
HALVINGS = 40


def k_best(
    table: ParentSetTable,
    k: int,
    *,
    by: By = "dag",
    weights: Weighting = "posterior",
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    trust_table: bool = False,
    seed: int = 0,
    progress: bool | ProgressCallback | None = None,
) -> NetworkSet:
    """Find the k best networks (``by="dag"``, as KBest) or equivalence classes (``by="mec"``, as KBestEC).

    The slack is doubled until k networks lie within it; then the loss of the k-th is found by bisection on exact
    counts, and the networks up to there are listed. Of networks that tie for the last place, any may be in the list.
    If there are fewer than k, all are listed.

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
        If the k-th network lies beyond the slack that the table was built for.
    """
    start = time.monotonic()
    limits = limits or Limits()
    if k < 1:
        raise OptionError(Argument("k", k), "must be at least 1.")
    if by not in ("dag", "mec"):
        raise UnknownNameError(suggestion("unit", by, ("dag", "mec")))
    if by == "mec":
        check_equivalence(table, trust_table, constraints)
    reach = math.inf if trust_table else table.slack
    if math.isnan(reach):
        raise GuaranteeError(
            "k_best needs a table that says for which slack it is complete; this one does not, as for a file made "
            "elsewhere.",
            remedies=(
                Remedy("rebuild it with", Call("build_parent_sets", Argument("slack", shown="..."))),
                Remedy("vouch for it with", Argument("trust_table", True)),
            ),
        )
    everything = float(abs(table.scores).sum()) + 1.0  # no network lies beyond
    with show_progress(progress) as callback:
        slack = min(FIRST_SLACK, reach)
        while True:
            diagram = build_diagram(
                table,
                slack,
                by_class=by == "mec",
                constraints=constraints,
                limits=limits,
                callback=callback,
                seed=seed,
            )
            if diagram.status is not Status.COMPLETE:
                break
            count = _count(diagram)
            if count >= k or slack >= everything:
                break
            if slack >= reach:
                raise GuaranteeError(
                    f"the table is complete for networks within {reach:.4g} of the optimum, and only {count:,} are;",
                    Argument("k", k),
                    "needs more.",
                    remedies=Remedy(
                        "rebuild it with",
                        Call("build_parent_sets", Argument("slack", float(f"{2 * max(reach, 1.0):.4g}"))),
                    ),
                )
            slack = min(2 * slack, reach)
        within = _slack_for(diagram, k) if diagram.status is Status.COMPLETE else slack
        found = list_diagram(
            diagram, weights=weights, limits=limits, start=start, callback=callback, origin="k-best", slack=within
        )
    return found[:k] if found.count > k else found


def _count(diagram: CredibleDiagram) -> int:
    if diagram.rank is None:
        return diagram.sums(limits=Limits()).count
    losses = diagram.losses(limits=Limits())
    assert losses is not None  # there is no limit
    return len(losses)


def _slack_for(diagram: CredibleDiagram, k: int) -> float:
    """Return a slack within which at least k networks lie, and as few more as ties allow."""
    low, high = -diagram.tolerance, diagram.slack
    if diagram.rank is not None:
        losses = diagram.losses(limits=Limits())
        return high if losses is None or len(losses) <= k else float(np.partition(losses, k - 1)[k - 1])
    if diagram.sums(limits=Limits()).count <= k:
        return high
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if diagram.sums(slack=middle, limits=Limits()).count >= k:
            high = middle
        else:
            low = middle
    return high
