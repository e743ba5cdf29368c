"""Exact confidences of credible sets that are too large to hold: by equivalence class, or chunk by chunk.

Where the score gives all members of an equivalence class one value and no limit on parents tears classes apart, a
credible set consists of whole classes: one representative of each is found, and it weighs as much as its class has
members. Classes are far fewer than networks. Else the networks pass by in chunks through a temporary folder, and only
sums are kept; that takes time in proportion to their number, but no memory.
"""

from __future__ import annotations

import math
import tempfile
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arcwise.confidence.averaging import Weights, class_sums, edge_confidence
from arcwise.confidence.edge_confidence import EdgeConfidence, Orientation
from arcwise.ensemble import class_sizes, count_credible, find_credible, stream_credible
from arcwise.ensemble.bayes_factors import log_slack_of
from arcwise.ensemble.diagram.class_counting import has_whole_classes
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.parent_sets import ParentSetTable
from arcwise.progress import ProgressCallback

__all__ = ["credible_confidence"]

CHUNK = 200_000


def credible_confidence(
    table: ParentSetTable,
    *,
    bayes_factor: float | str | None = None,
    log_slack: float | None = None,
    orient: Orientation = "cpdag",
    weights: Weights = "posterior",
    n_cases: int | None = None,
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    trust_table: bool = False,
    progress: bool | ProgressCallback | None = None,
) -> EdgeConfidence:
    """Return the exact edge confidences of a credible set without holding its networks.

    The options are those of `find_credible` and `edge_confidence`. With orient "dag" or "skeleton" the set is counted;
    with "cpdag" its classes are listed, or its networks streamed (see the top of this module). If a limit is reached,
    `complete` is False and the confidences are those of the part that was seen.
    """
    slack = log_slack_of(bayes_factor, log_slack)
    common: dict[str, Any] = {"constraints": constraints, "trust_table": trust_table, "progress": progress}
    begin = time.monotonic()
    summary = count_credible(table, log_slack=slack, limits=limits, **common)
    if summary.count == 0:
        raise OptionError(f"no network was counted ({summary.status}); allow more time, or check the constraints.")
    counted = edge_confidence(
        summary, orient="skeleton" if orient == "cpdag" else orient, weights=weights, n_cases=n_cases
    )
    if orient != "cpdag":
        return counted
    if limits is not None and limits.seconds is not None:
        left = max(1e-3, limits.seconds - (time.monotonic() - begin))
        limits = Limits(seconds=left, memory_bytes=limits.memory_bytes, count=limits.count)
    if constraints is None and has_whole_classes(table):
        directed, undirected, status = _by_class(table, slack, weights, limits, common)
    else:
        directed, undirected, status = _by_chunk(table, slack, weights, limits, common)
    return EdgeConfidence(
        names=summary.names,
        directed=directed,
        undirected=undirected,
        orient="cpdag",
        origin="credible",
        n_networks=summary.count,
        weights=weights,
        exact=True,
        complete=status is Status.COMPLETE,
        score=dict(summary.score),
        n_cases=n_cases,
        data_digest=summary.data_digest,
        log_slack=slack,
        max_parents=summary.max_parents,
    )


Sums = tuple[NDArray[np.float64], NDArray[np.float64], Status]


def _by_class(
    table: ParentSetTable, slack: float, weights: Weights, limits: Limits | None, common: dict[str, Any]
) -> Sums:
    classes = find_credible(table, log_slack=slack, by="mec", limits=limits, **common)
    if not classes.count:
        raise OptionError(f"no equivalence class was listed ({classes.status}); allow more time.")
    sizes = np.array([math.log(size) for size in class_sizes(classes)])
    logs = sizes + (classes.scores if weights == "posterior" else 0.0)
    weighted = classes.with_weights(np.exp(logs - logs.max()))
    directed, undirected = class_sums(weighted)
    return directed, undirected, classes.status


def _by_chunk(
    table: ParentSetTable, slack: float, weights: Weights, limits: Limits | None, common: dict[str, Any]
) -> Sums:
    n = table.n_variables
    directed, undirected, total = np.zeros((n, n)), np.zeros((n, n)), 0.0
    with tempfile.TemporaryDirectory(prefix="arcwise-") as folder:
        stream = stream_credible(table, folder, log_slack=slack, chunk=CHUNK, limits=limits, **common)
        for part in stream:
            share = np.exp(part.scores - stream.opt) if weights == "posterior" else np.ones(part.count)
            arcs, edges = class_sums(part.with_weights(share))
            directed += arcs * share.sum()
            undirected += edges * share.sum()
            total += float(share.sum())
    if not total:
        raise OptionError(f"no network was listed ({stream.status}); allow more time.")
    return np.clip(directed / total, 0.0, 1.0), np.clip(undirected / total, 0.0, 1.0), stream.status
