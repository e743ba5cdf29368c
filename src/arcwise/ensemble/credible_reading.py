"""What is read from the diagram of a credible set: networks that were listed, and the shares of families."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import CredibleDiagram, DiagramSums
from arcwise.ensemble.diagram.listing import Listed
from arcwise.ensemble.families import Families
from arcwise.ensemble.network_set import NetworkSet, posterior_log_weights
from arcwise.limits import Status

if TYPE_CHECKING:
    from arcwise.ensemble.credible_set import CredibleSet

__all__ = ["family_shares", "listed_networks", "no_shares", "nothing_listed"]


def listed_networks(
    credible: CredibleSet,
    diagram: CredibleDiagram,
    listed: Listed,
    deadline: Deadline,
    origin: str = "credible",
    **facts: Any,
) -> NetworkSet:
    """Return what was listed of a diagram as networks that know where they come from.

    They have the set's recipe, unless no recipe makes just these: the k best, and what time cut short.
    """
    scores = diagram.opt - listed.losses
    slack = credible.slack
    if origin == "k-best" and len(listed.losses):
        slack = float(listed.losses[-1])
    made = NetworkSet(
        names=credible.names,
        families=diagram.families,
        choices=listed.choices,
        scores=scores,
        log_weights=posterior_log_weights(-listed.losses),  # the scores have lost digits of the losses
        origin=origin,
        opt=diagram.opt if diagram.native.states else math.nan,
        slack=slack,
        status=listed.status,
        max_parents=credible.max_parents,
        tolerance=diagram.tolerance,
        score=dict(credible.score),
        data_digest=credible.data_digest,
        facts={
            "by": "mec" if diagram.by_class else "dag",
            "seconds": deadline.seconds,
            "states": diagram.native.states,
            "explored": diagram.native.explored,
            **credible.known_facts,
            **facts,
        },
    ).compact()
    if origin == "k-best" or listed.status not in (Status.COMPLETE, Status.COUNT_LIMIT):
        return made  # no recipe makes just these
    most = None if listed.status is Status.COMPLETE else len(listed.losses)
    return made.made_by(replace(credible.recipe, settings={**credible.recipe.settings, "most_networks": most}))


def nothing_listed(diagram: CredibleDiagram) -> Listed:
    """Return the list of a diagram that was not finished."""
    return Listed(np.empty((0, diagram.table.n_variables), dtype=np.uint16), np.empty(0), diagram.status)


def no_shares(families: Families) -> dict[str, Any]:
    """Return the same of nothing: what a summary holds whose sums were not finished."""
    empty = np.empty(0)
    nothing = families.take(np.empty(0, dtype=np.int64))
    return {"families": nothing, "count": 0, "posterior": empty, "equal": empty, "log_mass": math.nan}


def family_shares(families: Families, sums: DiagramSums) -> dict[str, Any]:
    """Return the families that occur, with their shares by posterior and by number, and the sums."""
    if not sums.count:
        return no_shares(families)
    used = np.flatnonzero(np.array([count > 0 for count in sums.row_counts]))
    return {
        "families": families.take(used),
        "count": sums.count,
        "posterior": np.minimum(sums.row_masses[used] / math.exp(sums.log_mass), 1.0),
        "equal": np.array([sums.row_counts[row] / sums.count for row in used.tolist()]),
        "log_mass": sums.log_mass,
    }
