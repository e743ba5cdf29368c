"""Averages over a credible set that need its networks, found without holding them all.

Where the score gives all members of an equivalence class one value (those that satisfy the constraints, if there are
any) and no variable has a limit of its own on its parents, a credible set
consists of whole classes: one representative of each is found, and it weighs as much as its class has members. Classes
are far fewer than networks. Otherwise the networks pass by in chunks and only sums are kept; that takes time in
proportion to their number, but no memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from arcwise.deadline import Deadline
from arcwise.ensemble import CredibleSet, NetworkSet, weigh_classes
from arcwise.errors import OptionError, UnfinishedError
from arcwise.limits import Status

__all__ = ["average_over_classes", "average_over_networks", "can_read_classes"]

# Up to this many DAGs a set is listed as it is; beyond that, one DAG for each class, up to this many classes.
MOST_DAGS = 200_000
MOST_CLASSES = 100_000
CHUNK = 200_000

Weights = Literal["posterior", "equal"]
Sums = tuple[NDArray[np.float64], ...]
SumFunction = Callable[[NetworkSet], Sums]  # over networks with their weights, which sum to 1


def can_read_classes(found: CredibleSet, deadline: Deadline) -> bool:
    """Say whether a set is small enough to be averaged as equivalence classes without a second thought."""
    if found.count <= MOST_DAGS:
        return True
    if not found.has_whole_classes:
        return False
    classes = found.count_classes(deadline.limits, most=MOST_CLASSES)
    return classes is not None and classes <= MOST_CLASSES


def average_over_classes(
    found: CredibleSet, sum_up: SumFunction, weights: Weights, deadline: Deadline
) -> tuple[Sums, Status]:
    """Average something that is the same for all members of a class, over the networks of the set."""
    if found.count <= MOST_DAGS or not found.has_whole_classes:
        return average_over_networks(found, sum_up, weights, deadline)
    classes = found.networks("mec", limits=deadline.limits)
    if not classes.count:
        raise OptionError(f"no equivalence class was listed ({classes.status}); allow more time.")
    try:
        weighted = weigh_classes(classes, weights=weights)
    except UnfinishedError:  # the members of a class with fixed pairs are too many to count
        return average_over_networks(found, sum_up, weights, deadline)
    return sum_up(weighted), classes.status


def average_over_networks(
    found: CredibleSet, sum_up: SumFunction, weights: Weights, deadline: Deadline
) -> tuple[Sums, Status]:
    """Average anything over the networks of the set; if a limit is reached, over those that were seen."""
    if found.count <= MOST_DAGS:
        listed = found.networks(limits=deadline.limits)
        if not listed.count:
            raise _nothing_listed(listed.status)
        return sum_up(listed if weights == "posterior" else listed.with_weights(weights)), listed.status
    totals: Sums | None = None
    mass, seen, status = 0.0, 0, Status.COMPLETE
    for part in found.chunks(size=CHUNK, limits=deadline.limits):
        status = part.status
        if not part.count:
            continue
        share = np.exp(part.scores - found.opt) if weights == "posterior" else np.ones(part.count)
        sums = tuple(values * share.sum() for values in sum_up(part.with_weights(share)))
        totals = sums if totals is None else tuple(a + b for a, b in zip(totals, sums, strict=True))
        mass += float(share.sum())
        seen += part.count
        if status is Status.COMPLETE and deadline.given.native_count <= seen < found.count:
            status = Status.COUNT_LIMIT
        if status is not Status.COMPLETE:
            break
    if totals is None:
        raise _nothing_listed(status)
    return tuple(values / mass for values in totals), status


def _nothing_listed(status: Status) -> OptionError:
    return OptionError(f"no network was listed ({status}); allow more time.")
