"""The bootstrap: one network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from arcwise.base.cluster import Cluster
from arcwise.base.errors import check_argument, check_count
from arcwise.base.options import REFINE, REPLICATES, Common, gather, option, row
from arcwise.base.run import Limits, Run, Seed, Status, resolve_seed, uninterrupted
from arcwise.base.showing import one_screen
from arcwise.bootstrap.batches import KeptBatches
from arcwise.bootstrap.completed import complete_data
from arcwise.bootstrap.journal import Replicate, ReplicateJournal, journal_seed
from arcwise.bootstrap.task import DRAWS, Draws, Learner, ReplicateTask, Resampling
from arcwise.bootstrap.workers import Backend, Dispatch, open_workers
from arcwise.data.dataset import Dataset, Frame
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.local.problem import LocalProblem, merged_constraints
from arcwise.networks.completions import with_completion_networks
from arcwise.networks.families import numbered_families
from arcwise.networks.network_list import NetworkSet
from arcwise.networks.recipe import NetworkOrigin, Recipe, known_facts, make_facts
from arcwise.sampled.numeric_data import NumericData, Sampled
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, scored_of

if TYPE_CHECKING:
    from distributed import Client

    from arcwise.base.progress import ProgressCallback
    from arcwise.data.mixed import MixedData
    from arcwise.keywords import BootstrapKeywords


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
        refined as a single search is; ``{"refine": 0}`` leaves that out, and with ``draws="replacement"`` reproduces
        bnlearn's strengths. Among more than 400 variables, refinement of a replicate computes at most as many scores
        as its climb, and tries the 40 parents of each variable again that gained most in it (``{"candidates": 0}``:
        all).
    resampling
        "bootstrap": N cases drawn with replacement. "permutation": the cases of every column shuffled, which keeps
        the margins and destroys all association: what edges look like by chance (Broom, Do & Subramanian 2012).
    draws
        How a bootstrap draws its cases: "replacement", N cases with replacement; "parts", 70 % of the cases without;
        "both", these two in turns.
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
    share_below
        The share of the networks whose variables have a parent less than `max_parents` at most: `Facts.share_below`.
    """

    learner: Learner = option("tabu")
    options: Mapping[str, Any] = option(
        {},
        f"an option of the learner, e.g. refine=0 (default: {REFINE}), as in bnlearn; may be repeated",
        flags=("--learner-option",),
    )
    resampling: Resampling = option(
        "bootstrap",
        "shuffle every column instead of drawing rows: only chance edges",
        flags=("--permutation",),
        switch="permutation",
    )
    draws: Draws = option(
        "both",
        "how rows are drawn: N with replacement, parts of 70 % without, or both in turns",
        choices=DRAWS,
        flags=("--resample",),
    )
    workers: int = option(
        -1, "the number of workers; -1 for one per core", flags=("--workers", "--jobs", "-j", "--threads")
    )
    backend: Backend = option("threads", "threads, loky (processes) or dask (a cluster)")
    cluster: str | Client | Cluster | None = row(Common, "cluster")
    path: str | os.PathLike[str] | None = option(
        None, "keep finished replicates in this file, and continue from it if it exists", flags=("--resume",)
    )
    batches: KeptBatches | None = None
    share_below: float = 0.0


MOST_REPLICATES = 10**8  # more do not fit in memory


def bootstrap_networks(
    data: Sampled | MixedData | Frame,
    score: str | Score = "bic",
    *,
    replicates: int = REPLICATES,
    constraints: GivenConstraints | None = None,
    max_parents: int | None = None,
    seed: Seed = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[BootstrapKeywords],
) -> NetworkSet:
    """Learn a network from each of many resampled data sets.

    The data are collapsed to distinct rows; a replicate is a vector of row weights, the rows are not copied. Replicate
    i depends on the seed and on i alone: the networks are the same whatever `workers` and `backend` are, and a run with
    more replicates begins with the networks of one with fewer. Where changes tie, as they do between equivalent
    networks, every replicate breaks ties by its own random order of the variables, so that the order of the columns
    does not decide directions (bnlearn's ``shuffle = TRUE``).

    Parameters
    ----------
    data
        The data. With gaps (`Incomplete`, or `Completions` of it), every replicate is a sample of the cases with their
        gaps, which is completed anew: from a completion of the data on, by two steps of a chain. Of `NumericData`, the
        numbers of every replicate are cut anew, so that cut points are part of what varies between the networks.
        `MixedData` takes a score of its own, such as "bic-dg"; what numbers are turned into is chosen once.
    score, replicates
        By which score to learn, and how many networks.
    constraints, max_parents
        What every network must satisfy. If neither limits parents, a climb gives no variable more than a table can
        be fitted for.
    seed
        Fixes the random numbers; ``facts["seed"]`` has it. None resumes with the seed of `path`, if it is there.
    limits
        `seconds`; `count`, the replicates that this call learns at most. At a limit, or on Ctrl-C, the result is the
        valid set of the replicates that are finished, and its status says why it is not complete.
    progress
        See `arcwise.progress.show_progress`; events give the estimated seconds left.
    settings
        The fields of `BootstrapSettings` by keyword: ``learner=``, ``options=`` and ``resampling=`` say how replicates
        are learned, ``workers=``, ``backend=`` and ``cluster=`` who learns them, ``path=`` where they are kept. A whole
        one as ``settings=``.

    Returns
    -------
    NetworkSet
        Origin "bootstrap" or "permutation", equal weights, in the order of the replicates. `scores` are those of the
        networks on the *original* data, so that they can be compared; ``facts["replicate_scores"]`` has those on the
        replicates' own data, and at the limit of time ``facts["expected_seconds"]`` about how long all would take, if
        some were finished.
    """
    check_count("replicates", replicates, 1, MOST_REPLICATES)
    chosen = gather(BootstrapSettings, bootstrap_networks, settings)
    check_argument(chosen.workers != 0, "workers", 0, ": give a number of workers, or -1 for one per core.")
    run = Run.of(limits)
    crew = run.thread_count if chosen.workers == -1 else check_count("workers", chosen.workers, 1)
    seed = resolve_seed(journal_seed(chosen.path) if seed is None and chosen.path is not None else seed)
    rows: Sampled | MixedData = scored_of(data, make_score(score))
    constraints = Constraints.of(rows.names, constraints)
    given, completed = (
        complete_data(rows, make_score(score), constraints, max_parents, seed, run)
        if rows.gapless is None
        else (rows.gapless, None)
    )
    counted = given.collapse() if completed is None else given
    problem = LocalProblem.of(counted, score, constraints, max_parents)  # checks the arguments
    task = ReplicateTask(
        data=counted,
        completed=completed,
        uncut=rows if isinstance(rows, NumericData) else None,
        score=problem.score,
        constraints=merged_constraints(given, constraints, max_parents),  # what was asked for, and nothing else
        learner=chosen.learner,
        resampling=chosen.resampling,
        seed=seed,
        options=dict(chosen.options),
        batches=chosen.batches if chosen.backend == "threads" else None,
        draws=chosen.draws if chosen.resampling == "bootstrap" else "replacement",
        share_below=chosen.share_below,
    )
    finished: dict[int, Replicate] = {}
    status, expected = Status.COMPLETE, math.nan
    with contextlib.ExitStack() as stack:
        shown = stack.enter_context(run.replace(progress=progress).shown())
        keep: Callable[[list[Replicate]], None] = lambda found: None  # noqa: E731
        if chosen.path is not None:
            journal = stack.enter_context(ReplicateJournal(chosen.path, task.identity(), given.n_variables))
            finished, keep = journal.finished, journal.add
        missing = [index for index in range(replicates) if index not in finished]
        resumed = replicates - len(missing)
        if run.given.native_count < len(missing):
            missing, status = missing[: run.given.native_count], Status.COUNT_LIMIT

        def note(found: list[Replicate]) -> None:
            finished.update((replicate.index, replicate) for replicate in found)
            keep(found)
            done = sum(index < replicates for index in finished)
            left = run.seconds / max(1, done - resumed) * (replicates - done)
            shown.report(str(chosen.resampling), done, replicates, **{"seconds left": left})

        if missing:
            try:
                if chosen.backend == "threads":  # made here, once, rather than by every thread
                    task.prepare()
                opened = open_workers(task, chosen.backend, min(crew, len(missing)), chosen.cluster)
                workers = stack.enter_context(opened)
                dispatch = Dispatch(task, workers, run, note, given.n_variables)
                ended = dispatch.learn(missing)
                status = ended if ended is not Status.COMPLETE else status
                expected = dispatch.expected_seconds(replicates)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
    found = [finished[index] for index in sorted(finished) if index < replicates]
    with uninterrupted() as meanwhile:
        made = _network_set(task, given, found, status, replicates, run.seconds)
    facts = made.facts | known_facts(None if constraints is None or constraints.is_trivial else constraints)
    if status is Status.TIME_LIMIT and math.isfinite(expected):
        facts |= make_facts(expected_seconds=expected)
    return replace(made, facts=facts, status=made.status if meanwhile.status is Status.COMPLETE else meanwhile.status)


def _network_set(
    task: ReplicateTask,
    data: Dataset | MixedData,
    chosen: list[Replicate],
    status: Status,
    replicates: int,
    seconds: float,
) -> NetworkSet:
    count = len(chosen)
    parents = [[tuple(own) for own in replicate.parents()] for replicate in chosen]
    families, choices = numbered_families(parents, data.n_variables)
    values = np.full(families.n_rows, np.nan)
    if task.completed is None and families.n_rows:  # data with gaps have no score of their own
        rows = list(zip(families.row_nodes.tolist(), families.parent_tuples, strict=True))
        values = task.score.score_families(task.data, rows)
    made = NetworkSet(
        names=data.names,
        families=families,
        choices=choices,
        scores=values[choices + families.node_offsets[:-1]].sum(axis=1) if count else np.empty(0),
        log_weights=np.full(count, -np.log(max(1, count))),
        origin=NetworkOrigin(task.resampling),
        status=status,
        max_parents=task.constraints.largest_limit,
        score=task.score.describe(),
        data_digest=data.digest if task.completed is None else task.completed.data.digest,
        facts=make_facts(
            n_cases=data.n_cases,
            replicates=replicates,
            learner=task.learner,
            options=dict(task.options),
            seed=task.seed,
            indices=[replicate.index for replicate in chosen],
            replicate_scores=[replicate.score for replicate in chosen],
            cut=None if task.uncut is None else task.uncut.cutting.describe(),
            seconds=seconds,
            copies=task.copies.named or None,
            targets=None if data.targets is None else [list(names) for names in data.targets.sets],
        ),
    )
    if task.completed is not None:
        made = with_completion_networks(made, task.completed.networks)
    return made if task.resampling != "bootstrap" else made.made_by(_recipe(task, replicates))


def _recipe(task: ReplicateTask, replicates: int) -> Recipe:
    """Return the recipe of a bootstrap."""
    constraints = task.constraints.describe()
    most = task.constraints.largest_limit
    if most == task.constraints.max_parents:  # given once; if single variables have larger ones, both are needed
        constraints.pop("max_parents", None)
    own = dict(task.options)
    settings: dict[str, Any] = {
        "replicates": replicates,
        "learner": task.learner,
        "draws": task.draws,
        "refine": own.pop("refine", REFINE),
    }
    if task.uncut is not None:
        settings["recut"] = True
    if own:
        settings["options"] = own
    return Recipe("bootstrap", task.score.describe(), settings, most, constraints, scored_by=task.score)
