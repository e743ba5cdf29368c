"""The bootstrap: one network from each of many resampled data sets (Friedman, Goldszmidt & Wyner 1999)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.defaults import REFINE, REPLICATES
from arcwise.ensemble.completion_networks import with_completion_networks
from arcwise.ensemble.ensemble_facts import CONSTRAINTS, COPIES, EXPECTED_SECONDS, TARGETS
from arcwise.ensemble.families import Families, choice_type
from arcwise.ensemble.gaps.completions import Completions
from arcwise.ensemble.network_set import NetworkSet
from arcwise.ensemble.recipe import Recipe
from arcwise.ensemble.replicates.completed_task import CompletedTask
from arcwise.ensemble.replicates.dispatch import Dispatch
from arcwise.ensemble.replicates.journal import ReplicateJournal, journal_seed
from arcwise.ensemble.replicates.settings import BootstrapKeywords, BootstrapSettings
from arcwise.ensemble.replicates.task import Replicate, ReplicateTask
from arcwise.ensemble.replicates.workers import open_workers
from arcwise.ensemble.uncut import Uncut
from arcwise.errors import OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.local.problem import LocalProblem, check_count, merged_constraints
from arcwise.mentions import Argument
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score, make_score
from arcwise.scores.score import scored_data
from arcwise.seeds import Seed, resolve_seed
from arcwise.settings import gather
from arcwise.thread_count import available_cores

__all__ = ["bootstrap_networks"]

MOST_REPLICATES = 10**8  # more do not fit in memory


def bootstrap_networks(
    data: Dataset | Incomplete | Completions | Uncut,
    score: str | Score = "bic",
    *,
    replicates: int = REPLICATES,
    constraints: Constraints | None = None,
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
        gaps, which is completed anew: from a completion of the data on, by two steps of a chain. Of `Uncut` data, the
        numbers of every replicate are cut anew, so that cut points are part of what varies between the networks.
    replicates
        How many networks to learn.
    score
        Any score.
    constraints, max_parents
        What every network must satisfy.
    seed
        An integer or a numpy generator that fixes the random numbers. The seed is in ``facts["seed"]``; None resumes
        with the seed of `path`, if it is there.
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
    crew = _count_workers(chosen.workers)
    path = chosen.path
    if seed is None and path is not None:
        seed = journal_seed(path)
    seed = resolve_seed(seed)
    uncut = data if isinstance(data, Uncut) else None
    given, completed = _completed(data, make_score(score), constraints, max_parents, seed, Deadline.of(limits))
    problem = LocalProblem.of(given, score, constraints, max_parents)  # checks the arguments
    task = ReplicateTask(
        data=given.collapse() if completed is None else given,
        completed=completed,
        uncut=uncut,
        score=problem.score,
        constraints=merged_constraints(given, constraints, max_parents),  # what was asked for, and nothing else
        learner=chosen.learner,
        resampling=chosen.resampling,
        seed=seed,
        options=dict(chosen.options),
        batches=chosen.batches if chosen.backend == "threads" else None,
    )
    deadline = Deadline.of(limits)
    most = deadline.given.count
    finished: dict[int, Replicate] = {}
    status, expected = Status.COMPLETE, math.nan
    with contextlib.ExitStack() as stack:
        callback = stack.enter_context(show_progress(progress))
        keep: Callable[[list[Replicate]], None] = lambda found: None  # noqa: E731
        if path is not None:
            journal = stack.enter_context(ReplicateJournal(path, task.identity(), given.n_variables))
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
            callback(ProgressEvent(str(chosen.resampling), done, replicates, {"seconds left": left}))

        if missing:
            try:
                opened = open_workers(task, chosen.backend, min(crew, len(missing)), chosen.cluster)
                workers = stack.enter_context(opened)
                dispatch = Dispatch(task, workers, deadline, note, given.n_variables)
                ended = dispatch.learn(missing)
                status = ended if ended is not Status.COMPLETE else status
                expected = dispatch.expected_seconds(replicates)
            except KeyboardInterrupt:
                status = Status.INTERRUPTED
    found = [finished[index] for index in sorted(finished) if index < replicates]
    made = _network_set(task, given, found, status, replicates=replicates, seconds=deadline.seconds)
    if status is Status.TIME_LIMIT and math.isfinite(expected):
        made = replace(made, facts={**made.facts, EXPECTED_SECONDS: expected})
    if constraints is None or constraints.is_trivial:
        return made
    return replace(made, facts={**made.facts, CONSTRAINTS: constraints.describe()})


def _completed(
    data: Dataset | Incomplete | Completions | Uncut,
    score: Score,
    constraints: Constraints | None,
    max_parents: int | None,
    seed: int,
    deadline: Deadline,
) -> tuple[Dataset, CompletedTask | None]:
    """Return complete data to count with, and for data with gaps what their replicates start from."""
    uncut = None
    if isinstance(data, Uncut):
        uncut, data = data, data.completions or data.whole
    if isinstance(data, Dataset):
        return data, None
    if score.data_score.takes_gaps:  # each family is scored by the cases that have it whole
        return scored_data(data.data if isinstance(data, Completions) else data, score), None
    if isinstance(data, Incomplete):
        data = Completions(data, constraints=constraints, max_parents=max_parents, seed=seed)
    made = CompletedTask.of(data, deadline, uncut)
    return made.states[0][0], made


def _count_workers(workers: int) -> int:
    if workers == -1:
        return available_cores()
    if workers == 0:
        raise OptionError(Argument("workers", workers), ": give a number of workers, or -1 for one per core.")
    return check_count("workers", workers, 1)


def _network_set(
    task: ReplicateTask, data: Dataset, chosen: list[Replicate], status: Status, *, replicates: int, seconds: float
) -> NetworkSet:
    known: list[dict[tuple[int, ...], int]] = [{} for _ in data.names]
    choices = [
        [known[v].setdefault(tuple(parents), len(known[v])) for v, parents in enumerate(replicate.parents())]
        for replicate in chosen
    ]
    families = [(v, parents) for v, sets in enumerate(known) for parents in sets]
    # Data with gaps have no score of their own.
    whole = task.score.score_families(task.data, families) if task.completed is None and families else None
    values = np.full(len(families), np.nan) if whole is None else whole
    starts = np.concatenate(([0], np.cumsum([len(sets) for sets in known])))[:-1]
    rows = np.array(choices, dtype=np.int64).reshape(len(chosen), len(known))
    count = len(chosen)
    made = NetworkSet(
        names=data.names,
        families=Families.from_sets([list(sets) for sets in known]),
        choices=rows.astype(choice_type(max(1, *(len(sets) for sets in known)))),
        scores=values[rows + starts].sum(axis=1) if count else np.empty(0),
        log_weights=np.full(count, -np.log(max(1, count))),
        origin=task.resampling,
        status=status,
        max_parents=task.constraints.largest_limit,
        score=task.score.describe(),
        data_digest=data.digest if task.completed is None else task.completed.data.digest,
        facts={
            "n_cases": data.n_cases,
            "replicates": replicates,
            "learner": task.learner,
            "options": dict(task.options),
            "seed": task.seed,
            "seconds": seconds,
            "indices": [replicate.index for replicate in chosen],
            "replicate_scores": [replicate.score for replicate in chosen],
            **({} if task.uncut is None else {"cut": task.uncut.cutting.describe()}),
            **({COPIES: task.copies.named} if task.copies else {}),
            **({} if data.targets is None else {TARGETS: [list(names) for names in data.targets.sets]}),
        },
    )
    if task.completed is not None:
        made = with_completion_networks(made, [network for _, network in task.completed.states])
    return made if task.resampling != "bootstrap" else made.made_by(_recipe(task, replicates))


def _recipe(task: ReplicateTask, replicates: int) -> Recipe:
    """Return the recipe of a bootstrap."""
    constraints = task.constraints.describe()
    most = task.constraints.largest_limit
    if most == task.constraints.max_parents:  # it is told once; with larger ones of single variables, both are needed
        constraints.pop("max_parents", None)
    own = dict(task.options)
    settings: dict[str, Any] = {"replicates": replicates, "learner": task.learner, "refine": own.pop("refine", REFINE)}
    if task.uncut is not None:
        settings["recut"] = True
    if own:
        settings["options"] = own
    return Recipe("bootstrap", task.score.describe(), settings, most, constraints, scored_by=task.score)
