"""Independent random networks of a credible set, without listing it.

The native core proposes paths of the diagram and keeps those that belong to the set, in the right proportions; how, and
why the draws are exact, stands in cpp/core/ensemble/diagram/network_sampler.hpp.
"""

from __future__ import annotations

import numpy as np

from arcwise.deadline import Deadline
from arcwise.ensemble.diagram.credible_diagram import DEFAULT_MEMORY, CredibleDiagram
from arcwise.ensemble.diagram.listing import Listed
from arcwise.ensemble.families import choice_type
from arcwise.errors import UnfinishedError
from arcwise.limits import Status
from arcwise.mentions import Argument, Remedy
from arcwise.progress import ProgressCallback, native_callback
from arcwise.seeds import native_seed

__all__ = ["draw_networks"]


def draw_networks(
    diagram: CredibleDiagram, count: int, *, by_score: bool, seed: int, deadline: Deadline, callback: ProgressCallback
) -> tuple[Listed, int]:
    """Draw networks within the slack of a diagram, by posterior weight or uniformly, in the order of the draws.

    Returns them and the number of paths that were tried. The status is COUNT_LIMIT if the limits allow fewer than
    `count`; those that were drawn before a limit was reached are returned.
    """
    limits = deadline.limits
    allowed = min(count, limits.native_count)
    code, hopeless, proposals, _, rows, losses = diagram.native.draw(
        diagram.table.native,
        diagram.slack + diagram.tolerance,
        by_score,
        allowed,
        native_seed(seed),
        limits.memory_bytes or DEFAULT_MEMORY,
        limits.native_seconds,
        native_callback(callback, "credible set: draws"),
    )
    if hopeless:
        raise UnfinishedError(
            f"of {proposals:,} paths of the diagram that were tried, {len(losses):,} are networks of the set: draws "
            "would take too long.",
            remedies=Remedy("ask for a smaller", Argument("bayes_factor")),
        )
    status = Status.from_native(code)
    if status is Status.COMPLETE and allowed < count:
        status = Status.COUNT_LIMIT
    kind = choice_type(int(np.diff(diagram.table.node_offsets).max(initial=1)))
    choices = rows.reshape(len(losses), diagram.table.n_variables).astype(kind)
    return Listed(choices, losses, status), proposals
