"""The bootstrap: one network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

from __future__ import annotations

import contextlib
import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent import futures
from typing import TYPE_CHECKING, Any

import numpy as np

from arcwise.data import Dataset
from arcwise.deadline import Deadline
from arcwise.ensemble.families import Families, choice_type
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.replicates.journal import ReplicateJournal, journal_seed, unpack_replicates
from arcwise.ensemble.replicates.task import Learner, Replicate, ReplicateTask, Resampling
from arcwise.ensemble.replicates.workers import Backend, Batch, Workers, open_workers
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.local.problem import LocalProblem, check_count
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score
from arcwise.seeds import resolve_seed

if TYPE_CHECKING:
    from distributed import Client

__all__ = ["bootstrap_networks"]

LARGEST_BATCH = 4096
MOST_REPLICATES = 10**8  # more do not fit in memory
MOST_DEATHS = 3  # how often in a row workers may die before any batch is finished


def bootstrap_networks(
    data: Dataset,
    *,
    replicates: int = 200,
    learner: Learner = "tabu",
    score: str | Score = "bic",
    resampling: Resampling = "bootstrap",
    constraints: Constraints | None = None,
    max_parents: int | None = None,
    options: Mapping[str, Any] | None = None,
    seed: int | None = None,
    rng: np.random.Generator | None = None,
    n_jobs: int = 1,
    backend: Backend = "threads",
    cluster: str | Client | None = None,
    path: str | os.PathLike[str] | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> NetworkSet:
    """Learn a network from each of many resampled data sets.

    The data are collapsed to distinct rows; a replicate is a vector of row weights, the rows are not copied. Replicate
    i depends on the seed and on i alone: the networks are the same whatever `n_jobs` and `backend` are, and a run with
    more replicates begins with the networks of one with fewer. Where changes tie, as they do between equivalent
    networks, every replicate breaks ties by its own random order of the variables, so that the order of the columns
    does not decide directions (bnlearn's ``shuffle = TRUE``).

    Parameters
    ----------
    data
        The data.
    replicates
        How many networks to learn.
    learner
        "tabu" (as in bnlearn's usual ``boot.strength(algorithm = "tabu")``), "hill-climbing", "first-ascent",
        "genetic", "order" (order search over the replicate's table of parent sets) or "exact" (the optimum of that
        table).
    score
        Any score.
    resampling
        "bootstrap": N cases drawn with replacement. "permutation": the cases of every column shuffled, which keeps
        the margins and destroys all association: what edges look like by chance (Broom, Do & Subramanian 2012).
    constraints, max_parents
        What every network must keep.
    options
        Options of the learner, e.g. ``{"restarts": 5, "perturb": 3}``. Replicates by tabu search and hill climbing are
        not refined (``{"refine": 0}``), unlike a single search: as in bnlearn, whose strengths they reproduce.
    seed, rng
        Fix the random numbers. The seed is in ``facts["seed"]``; None resumes with the seed of `path`, if it is there.
    n_jobs
        How many workers; -1 for one per processor.
    backend
        "threads" (the native searches release Python's lock, so nothing is copied and nothing has to start), "loky"
        (processes, through joblib) or "dask" (a cluster).
    cluster
        The address of a Dask scheduler, or a ``distributed.Client``; None starts a cluster of `n_jobs` processes here.
    path
        A file that keeps every finished replicate. If a run with the same arguments wrote it, the run is resumed:
        nothing is repeated and nothing lost, even if the process was killed. `replicates` may have grown.
    limits
        `seconds`; `count`, the replicates that this call learns at most. At a limit, or on Ctrl-C, the result is the
        valid set of the replicates that are finished, and its status says why it is not complete.
    progress
        See `arcwise.progress.show_progress`; events tell the estimated seconds left.

    Returns
    -------
    NetworkSet
        Origin "bootstrap" or "permutation", equal weights, in the order of the replicates. `scores` are those of the
        networks on the *original* data, so that they can be compared; ``facts["replicate_scores"]`` has those on the
        replicates' own data.
    """
    check_count("replicates", replicates, 1, MOST_REPLICATES)
    jobs = _count_jobs(n_jobs)
    if seed is None and rng is None and path is not None:
        seed = journal_seed(path)
    problem = LocalProblem.of(data, score, constraints, max_parents)  # checks the arguments
    task = ReplicateTask(
        data=data.collapse(),
        score=problem.score,
        constraints=problem.constraints,
        learner=learner,
        resampling=resampling,
        seed=resolve_seed(seed, rng),
        options=dict(options or {}),
    )
    deadline = Deadline.of(limits)
    most = deadline.given.count
    finished: dict[int, Replicate] = {}
    status = Status.COMPLETE
    with contextlib.ExitStack() as stack:
        callback = stack.enter_context(show_progress(progress))
        keep: Callable[[list[Replicate]], None] = lambda found: None  # noqa: E731
        if path is not None:
            journal = stack.enter_context(ReplicateJournal(path, task.identity(), data.n_variables))
            finished, keep = journal.finished, journal.add
        missing = [index for index in range(replicates) if index not in finished]
        resumed = replicates - len(missing)
        if most is not None and most < len(missing):
            missing, status = missing[:most], Status.COUNT_LIMIT

        def note(found: list[Replicate]) -> None:
            finished.update((replicate.index, replicate) for replicate in found)
            keep(found)
            done = sum(index < replicates for index in finished)
            left = deadline.seconds / max(1, done - resumed) * (replicates - done)
            callback(ProgressEvent(str(resampling), done, replicates, {"seconds left": left}))

        if missing:
            try:
                workers = stack.enter_context(open_workers(task, backend, min(jobs, len(missing)), cluster))
                ended = _learn_all(workers, missing, deadline, note, data.n_variables)
                status = ended if ended is not Status.COMPLETE else status
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
    chosen = [finished[index] for index in sorted(finished) if index < replicates]
    return _network_set(task, data, chosen, status, replicates=replicates, seconds=deadline.seconds)


def _count_jobs(n_jobs: int) -> int:
    if n_jobs == -1:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if n_jobs == 0:
        raise OptionError("n_jobs=0: give the number of workers, or -1 for one per processor.")
    return check_count("n_jobs", n_jobs, 1)


def _learn_all(
    workers: Workers,
    missing: list[int],
    deadline: Deadline,
    note: Callable[[list[Replicate]], None],
    nodes: int,
) -> Status:
    """Hand out batches and take in results until nothing is missing or the time is over.

    Two batches per worker are under way. Batches grow from one replicate to what takes `workers.batch_seconds`, and
    shrink towards the end, so that all workers end at the same time.
    """
    waiting = deque(missing)
    running: dict[Batch, list[int]] = {}
    start, done, deaths = deadline.seconds, 0, 0
    while waiting or running:
        left = deadline.limits.seconds
        if deadline.is_over:
            return Status.TIME_LIMIT
        while waiting and len(running) < 2 * workers.count:
            pace = (deadline.seconds - start) * workers.count / done if done else np.inf  # seconds per replicate
            size = int(min(1 + workers.batch_seconds / pace, LARGEST_BATCH, 1 + len(waiting) / (2 * workers.count)))
            batch = [waiting.popleft() for _ in range(min(size, len(waiting)))]
            running[workers.submit(batch, left)] = batch
            if workers.count == 1:
                break
        ready, _ = futures.wait(running, timeout=left, return_when=futures.FIRST_COMPLETED)
        broken: BaseException | None = None
        for future in ready:
            batch = running.pop(future)
            error = futures.CancelledError() if future.cancelled() else future.exception()
            found = unpack_replicates(future.result(), nodes)[0] if error is None else []
            if error is not None:
                broken = error
            elif found:
                note(found)
                done += len(found)
                deaths = 0
            known = {replicate.index for replicate in found}
            waiting.extendleft(index for index in reversed(batch) if index not in known)
        if broken is not None:
            deaths += 1
            if deaths > MOST_DEATHS or not workers.recover(broken):
                raise broken
            for future, batch in running.items():  # they died with the pool, unless they had just finished
                if future.done() and not future.cancelled() and future.exception() is None:
                    note(unpack_replicates(future.result(), nodes)[0])
                else:
                    waiting.extendleft(reversed(batch))
            running.clear()
    return Status.COMPLETE


def _network_set(
    task: ReplicateTask, data: Dataset, chosen: list[Replicate], status: Status, *, replicates: int, seconds: float
) -> NetworkSet:
    known: list[dict[tuple[int, ...], int]] = [{} for _ in data.names]
    choices = [
        [known[v].setdefault(tuple(parents), len(known[v])) for v, parents in enumerate(replicate.parents())]
        for replicate in chosen
    ]
    families = [(v, parents) for v, sets in enumerate(known) for parents in sets]
    values = task.score.score_families(task.data, families) if families else np.empty(0)
    starts = np.concatenate(([0], np.cumsum([len(sets) for sets in known])))[:-1]
    rows = np.array(choices, dtype=np.int64).reshape(len(chosen), len(known))
    count = len(chosen)
    return NetworkSet(
        names=data.names,
        families=Families.from_sets([list(sets) for sets in known]),
        choices=rows.astype(choice_type(max(1, *(len(sets) for sets in known)))),
        scores=values[rows + starts].sum(axis=1) if count else np.empty(0),
        log_weights=np.full(count, -np.log(max(1, count))),
        origin=task.resampling,
        status=status,
        max_parents=task.constraints.max_parents,
        score=task.score.describe(),
        data_digest=data.digest,
        facts={
            "n_cases": data.n_cases,
            "replicates": replicates,
            "learner": task.learner,
            "options": dict(task.options),
            "seed": task.seed,
            "seconds": seconds,
            "indices": [replicate.index for replicate in chosen],
            "replicate_scores": [replicate.score for replicate in chosen],
        },
    )
