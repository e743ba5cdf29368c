"""The settings of functions as keywords, one by one or whole. Written by docs/update.py."""

import os
from collections.abc import Collection, Mapping
from typing import Any, TypedDict

from distributed import Client

from arcwise.audit.audit import AuditSettings
from arcwise.base.cluster import Cluster
from arcwise.bootstrap.batches import KeptBatches
from arcwise.bootstrap.bootstrap import BootstrapSettings
from arcwise.bootstrap.task import Draws, Learner, Resampling
from arcwise.bootstrap.workers import Backend
from arcwise.credible.diagram import Parallel
from arcwise.data.checks import Conditions
from arcwise.data.large import Grouping
from arcwise.data.read import ReadingSettings
from arcwise.graph.constraints import Constraints
from arcwise.graph.dag import Dag
from arcwise.local.run_analysis import AscentSettings
from arcwise.local.searches import ClimbSettings, GeneticSettings, StartSettings, TabuSettings
from arcwise.parent_sets.build import BuildSettings
from arcwise.posterior.settings import ChainSettings, Method, PosteriorSettings

class AscentKeywords(TypedDict, total=False):
    settings: AscentSettings
    density: float | None
    constraints: Constraints | None
    max_parents: int | None

class AuditKeywords(TypedDict, total=False):
    settings: AuditSettings
    missing: tuple[str, ...]
    decimal: str | None
    thousands: str | None
    dates: str | None
    merge_rare: int | None
    header: str | None
    keep: Collection[str]
    categories: Collection[str]
    imputed: bool

class BootstrapKeywords(TypedDict, total=False):
    settings: BootstrapSettings
    learner: Learner
    options: Mapping[str, Any]
    resampling: Resampling
    draws: Draws
    workers: int
    backend: Backend
    cluster: str | Client | Cluster | None
    path: str | os.PathLike[str] | None
    batches: KeptBatches | None
    share_below: float

class BuildKeywords(TypedDict, total=False):
    settings: BuildSettings
    threads: int | None
    checkpoint: str | os.PathLike[str] | None
    cluster: str | Client | Cluster | None

class ChainKeywords(TypedDict, total=False):
    settings: ChainSettings
    chains: int
    steps: int | None
    most_draws: int
    heats: tuple[float, ...]
    mixture: tuple[float, ...]
    window: float
    path: str | os.PathLike[str] | None
    cluster: str | Client | Cluster | None
    resampled: tuple[Dag, ...]
    by_clock: bool

class ClimbKeywords(TypedDict, total=False):
    settings: ClimbSettings
    density: float | None
    restarts: int
    perturb: int | None
    refine: int
    random_ties: bool
    candidates: int
    by_position: bool

class GeneticKeywords(TypedDict, total=False):
    settings: GeneticSettings
    density: float | None
    population: int
    unconnected: int
    drop: int
    promote: int
    mating_tries: int
    mutate: bool
    patience: int

class ParallelKeywords(TypedDict, total=False):
    settings: Parallel
    threads: int | None
    cluster: str | Client | Cluster | None

class PosteriorKeywords(TypedDict, total=False):
    settings: PosteriorSettings
    way: Method
    chains: int
    most_draws: int
    jump_factor: float
    path: str | os.PathLike[str] | None
    cluster: str | Client | Cluster | None
    drawing: bool

class ReadingKeywords(TypedDict, total=False):
    settings: ReadingSettings
    format: str | None
    separator: str | None
    header: bool | None
    missing: Collection[str]
    merge: bool
    counts: str | None
    table: str | None
    interventions: str | None
    conditions: Conditions | None
    groups: str | None
    weights: str | None
    replicate_weights: tuple[str, ...]
    grouping: Grouping

class StartKeywords(TypedDict, total=False):
    settings: StartSettings
    density: float | None

class TabuKeywords(TypedDict, total=False):
    settings: TabuSettings
    density: float | None
    restarts: int
    perturb: int | None
    refine: int
    random_ties: bool
    candidates: int
    by_position: bool
    tabu: int
    max_tabu: int | None
