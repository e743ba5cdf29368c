"""`BootstrapSettings`: how replicates are learned, and who learns them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from arcwise.ensemble.replicates.batches import KeptBatches
from arcwise.ensemble.replicates.task import Learner, Resampling
from arcwise.ensemble.replicates.workers import Backend
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from distributed import Client

    from arcwise.cluster import Cluster

__all__ = ["BootstrapKeywords", "BootstrapSettings"]


@one_screen
@dataclass(frozen=True, slots=True)
class BootstrapSettings:
    """How `bootstrap_networks` learns, and where.

    Parameters
    ----------
    learner
        "tabu" (as in bnlearn's usual ``boot.strength(algorithm = "tabu")``), "hill-climbing", "first-ascent",
        "genetic", "order" (order search over the replicate's table of parent sets) or "exact" (the optimum of that
        table).
    options
        Options of the learner, e.g. ``{"restarts": 5, "perturb": 3}``. Replicates by tabu search and hill climbing are
        refined as a single search is; ``{"refine": 0}`` leaves that out, and reproduces bnlearn's strengths. Among more
        than 400 variables, refinement of a replicate computes at most as many scores as its climb, and tries the 40
        parents of each variable again that gained most in it (``{"candidates": 0}``: all).
    resampling
        "bootstrap": N cases drawn with replacement. "permutation": the cases of every column shuffled, which keeps
        the margins and destroys all association: what edges look like by chance (Broom, Do & Subramanian 2012).
    workers
        How many replicates are learned at the same time; -1 for one per core that the process may use.
    backend
        "threads" (the native searches release Python's lock, so nothing is copied and nothing has to start), "loky"
        (processes, through joblib) or "dask" (a cluster).
    cluster
        The address of a Dask scheduler, a ``distributed.Client`` or an open `Cluster`; None starts a cluster of
        `workers` processes here.
    path
        A file that keeps every finished replicate. If a run with the same arguments wrote it, the run is resumed:
        nothing is repeated and nothing lost, even if the process was killed. `replicates` may have grown.
    batches
        Where threads keep what they draw and count, for other bootstraps of the same data with the same seed; the
        networks are the same with and without.
    """

    learner: Learner = "tabu"
    options: Mapping[str, Any] = field(default_factory=dict)
    resampling: Resampling = "bootstrap"
    workers: int = -1
    backend: Backend = "threads"
    cluster: str | Client | Cluster | None = None
    path: str | os.PathLike[str] | None = None
    batches: KeptBatches | None = None


class BootstrapKeywords(TypedDict, total=False):
    """`BootstrapSettings` as keywords."""

    settings: BootstrapSettings
    learner: Learner
    options: Mapping[str, Any]
    resampling: Resampling
    workers: int
    backend: Backend
    cluster: str | Client | Cluster | None
    path: str | os.PathLike[str] | None
    batches: KeptBatches | None
