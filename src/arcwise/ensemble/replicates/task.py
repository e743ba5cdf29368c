"""`ReplicateTask`: what is learned again and again on resampled data, the same wherever a replicate is learned."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from arcwise.data import Dataset
from arcwise.data.gap_states import GapStates
from arcwise.deadline import Deadline
from arcwise.defaults import CANDIDATES, MANY_VARIABLES, REFINE
from arcwise.ensemble.replicates.batches import CountedBatch, KeptBatches
from arcwise.ensemble.replicates.completed_task import CompletedTask
from arcwise.ensemble.replicates.copies import Copies
from arcwise.ensemble.replicates.together import Interrupted, climb_together, counted_together, lay_out_together
from arcwise.ensemble.uncut import Uncut
from arcwise.errors import OptionError, UnknownNameError, suggestion
from arcwise.exact import find_optimal
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.local import first_ascent, genetic_search, hill_climb, order_search, tabu_search
from arcwise.local.hill_climbing import EFFORT
from arcwise.local.problem import LocalProblem, check_count, pack_parents, unpack_parents
from arcwise.mentions import Argument
from arcwise.parent_sets import build_parent_sets
from arcwise.scores import Score

if TYPE_CHECKING:
    from arcwise._core.local import ClimbOptions, LocalLearner

__all__ = ["LEARNERS", "RESAMPLINGS", "Learner", "Replicate", "ReplicateTask", "Resampling"]

T = TypeVar("T")
Learner = Literal["tabu", "hill-climbing", "first-ascent", "genetic", "order", "exact"]
Resampling = Literal["bootstrap", "permutation"]
RESAMPLINGS: tuple[Resampling, ...] = ("bootstrap", "permutation")


@dataclass(frozen=True, slots=True, eq=False)
class Replicate:
    """One learned network: node v has the parents ``members[offsets[v]:offsets[v + 1]]``."""

    index: int
    score: float  # on the replicate's own data
    offsets: NDArray[np.int64]
    members: NDArray[np.int32]

    def parents(self) -> list[list[int]]:
        """Return the parents of every node."""
        return unpack_parents(self.offsets, self.members)


@dataclass(frozen=True, eq=False)
class ReplicateTask:
    """Everything that replicate i depends on, apart from i: it can be sent to another process or machine.

    Replicate i draws its data and the seed of its search from ``SeedSequence(seed, spawn_key=(i,))``, which is child i
    of ``SeedSequence(seed).spawn(...)``: it does not depend on how many replicates there are, nor on who learns it.
    """

    data: Dataset
    score: Score
    constraints: Constraints  # the parent limit is in them
    learner: Learner
    resampling: Resampling
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    completed: CompletedTask | None = None  # for data with gaps, of which `data` is one completion
    uncut: Uncut | None = None  # numbers to cut anew in every replicate; `data` has them cut once
    batches: KeptBatches | None = None  # what other bootstraps drew and counted; it does not travel

    def __post_init__(self) -> None:
        if self.learner not in LEARNERS:
            raise UnknownNameError(suggestion("learner", str(self.learner), LEARNERS))
        if self.completed is not None and self.resampling != "bootstrap":
            raise OptionError(
                Argument("resampling", self.resampling), "is for complete data; permute the columns of the data first."
            )
        if self.uncut is not None and self.resampling != "bootstrap":
            raise OptionError(
                Argument("resampling", self.resampling),
                "is for data that are cut; permute the columns of the data first.",
            )
        if self.resampling not in RESAMPLINGS:
            raise UnknownNameError(suggestion("resampling", str(self.resampling), RESAMPLINGS))
        known = OPTIONS[self.learner]
        for name, value in self.options.items():
            if name not in known:
                takes = f"takes {', '.join(known)}" if known else "has no options"
                raise OptionError(f"learner '{self.learner}' has no option '{name}'; it {takes}.")
            if name in CLIMB_OPTIONS and not (name == "max_tabu" and value is None):
                check_count(name, value, CLIMB_OPTIONS[name])

    def identity(self) -> dict[str, Any]:
        """Return what a file of replicates must agree with to be resumed, as JSON can hold it."""
        return {
            "data": self.data.digest,
            "score": self.score.identity(),
            "learner": self.learner,
            "resampling": self.resampling,
            "seed": self.seed,
            "options": dict(self.options),
            "constraints": self.constraints.describe(),
            **({} if self.completed is None else self.completed.identity),
            **({} if self.uncut is None else self.uncut.identity),
            **({"copies": dict(self.copies.named)} if self.copies else {}),
        }

    @functools.cached_property
    def copies(self) -> Copies:
        """The columns that every replicate learns as one: see `Copies`."""
        whole = self.resampling == "bootstrap" and self.completed is None and self.uncut is None
        if not whole or self.options.get("refine", REFINE) == 0:  # as bnlearn does: each copy for itself
            return Copies(self.data.names, {})
        return Copies.among(self.data, self.score, self.constraints)

    def learn(self, index: int, seconds: float | None = None) -> Replicate | None:
        """Learn one replicate; None if the time was too short."""
        sample, seed = self.draw(index)
        kept = sample.select(self.copies.kept) if self.copies else sample
        made = LEARNERS[self.learner](self, index, kept, seed, Limits(seconds=seconds))
        return None if made is None else self._with_copies(made, sample)

    def draw(self, index: int) -> tuple[Dataset, int]:
        """Draw the data of a replicate and the seed of its search."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=(index,))))
        if self.completed is not None:
            sample = self.completed.sample(index, int(rng.integers(0, 2**63)))
        elif self.uncut is not None:
            drawn = self.uncut.marked_sample if isinstance(self.data, GapStates) else self.uncut.sample
            sample = drawn(rng).collapse()
        elif self.resampling == "bootstrap":
            sample = self.data.resample(rng)
        else:
            sample = self.data.permute_columns(rng)
        return sample, int(rng.integers(0, 2**63))

    def _with_copies(self, made: Replicate, sample: Dataset) -> Replicate:
        """Add the columns that were learned as one."""
        if not self.copies:
            return made
        parents = self.copies.join(made.parents())
        lost = [(copy, (first,)) for copy, first in self.copies.first.items()]
        score = made.score + float(self.score.score_families(sample, lost).sum())
        return Replicate(made.index, score, *pack_parents(parents))

    def learn_batch(
        self,
        indices: Iterable[int],
        limits: Limits | Deadline | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> list[Replicate]:
        """Learn several replicates one after the other; those for which the time is too short are left out.

        Once `is_wanted` says no, the search under way ends at its next look, and no other begins.
        """
        deadline = Deadline.of(limits)
        found: list[Replicate] = []
        self._own.is_wanted = is_wanted
        waiting = list(indices)
        try:
            while waiting and not deadline.is_over and not self._is_unwanted():
                some, waiting = waiting[: self.together], waiting[self.together :]
                made = self._learn_together(some, deadline)
                found += made
                if len(made) < len(some):
                    break
        except KeyboardInterrupt as stop:
            found += stop.found if isinstance(stop, Interrupted) else []
            if not self._is_unwanted():
                raise Interrupted(found) from None
        finally:
            del self._own.is_wanted
        return found

    @functools.cached_property
    def together(self) -> int:
        """How many replicates are best learned in one batch: see `arcwise.ensemble.replicates.together`."""
        if LEARNERS[self.learner] is not _climb or self._has_own_rows:
            return 1
        return counted_together(self.problem)

    def _learn_together(self, indices: list[int], deadline: Deadline) -> list[Replicate]:
        """Learn some replicates over common counts; the first of them if the time is too short for all."""
        if self.together == 1:
            alone = [self.learn(index, deadline.limits.seconds) for index in indices]
            return [replicate for replicate in alone if replicate is not None]
        samples: dict[int, Dataset] = {}  # where copies are scored in them
        batch = self._drawn_together(indices, deadline, samples)
        if batch is None:
            return []
        options, stop = self.climb_options(0), None
        try:
            outcomes = climb_together(self.native(), batch, options, limits=deadline.limits, progress=self.heed)
        except Interrupted as interrupted:
            outcomes, stop = interrupted.found, interrupted
        if self.batches is not None:  # a search that failed, for lack of memory, may have left counts half made
            self.batches.put(batch)
        found = []
        for index, outcome in zip(indices, outcomes, strict=False):
            made = Replicate(index, outcome[2] + self.problem.untold, *outcome[:2])
            found.append(self._with_copies(made, samples.get(index) or self.draw(index)[0]) if self.copies else made)
        if stop is not None:
            raise Interrupted(found)
        return found

    def _drawn_together(
        self, indices: list[int], deadline: Deadline, samples: dict[int, Dataset]
    ) -> CountedBatch | None:
        """Return some replicates as they were kept, or drawn now; None if the time is too short."""
        kept = None if self.batches is None else self.batches.take(self.problem.layout, self.seed, indices)
        if kept is not None:
            return kept
        drawn: list[tuple[NDArray[np.int64], int]] = []
        for index in indices:
            if deadline.is_over or self._is_unwanted():
                return None
            sample, seed = self.draw(index)
            drawn.append((sample.native_weights, seed))
            if self.copies:
                samples[index] = sample
        return lay_out_together(self.problem, self.seed, indices, drawn)

    def list_kept(self, wanted: Collection[int]) -> list[int]:
        """Return the wanted replicates that are best learned next, since they are drawn; none if there are none."""
        if self.batches is None or self.together == 1:
            return []
        return self.batches.list_whole(self.problem.layout, self.seed, wanted)

    @property
    def _has_own_rows(self) -> bool:
        """Whether a replicate shares nothing but names with the others.

        Some scores take hyperparameters from the data (NIP-BDe): those must be the sample's.
        """
        own_rows = self.resampling == "permutation" or self.completed is not None or self.uncut is not None
        return own_rows or type(self.score.data_score).alphas is not Score.alphas

    def climb_options(self, seed: int) -> ClimbOptions:
        """Return how climbs are made on the rows of the original data."""
        from arcwise import _core

        options = self.options
        tabu = options.get("tabu", 10) if self.learner == "tabu" else 0
        max_tabu = options.get("max_tabu")
        return _core.local.ClimbOptions(
            start=self.empty_start,
            restarts=options.get("restarts", 0),
            perturbations=options.get("perturb", 1),
            tabu=tabu,
            patience=tabu if max_tabu is None else max_tabu,
            refine=options.get("refine", REFINE),
            effort=EFFORT if self.data.n_variables > MANY_VARIABLES else EFFORT * options.get("refine", REFINE),
            narrow=MANY_VARIABLES,
            candidates=options.get("candidates", CANDIDATES),
            random_ties=True,
            seed=seed,
        )

    # The data are prepared once per process, and each thread has its own native learner. What is prepared does not
    # travel: an unpickled task prepares again.

    @functools.cached_property
    def problem(self) -> LocalProblem:
        """The original data, prepared for local search: without copies, if columns are learned as one."""
        data = self.data
        if self.copies:
            kept = self.copies.kept
            data = data.select(kept) if self.batches is None else self.batches.select(data, kept)
        return LocalProblem.of(data, self.score, self.rules)

    @functools.cached_property
    def rules(self) -> Constraints:
        """The constraints on the columns that are learned from."""
        if not self.copies:
            return self.constraints
        return Constraints(self.copies.kept, max_parents=self.constraints.max_parents)

    @functools.cached_property
    def empty_start(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The required arcs alone, where the climbs begin."""
        return self.problem.pack_start(self.native(), "empty", None, 0)

    @functools.cached_property
    def _own(self) -> threading.local:
        return threading.local()

    @functools.cached_property
    def stopping(self) -> threading.Event:
        """Set by whoever wants no further replicate: searches under way in other threads end at their next look."""
        return threading.Event()

    def heed(self, *progress: object) -> None:
        """Be the progress callback of a search: stop it, as Ctrl-C would, if nobody waits for its network any more.

        Signals reach the main thread alone; the others would go on to the end of their replicates.
        """
        if self._is_unwanted():
            raise KeyboardInterrupt

    def _is_unwanted(self) -> bool:
        return self.stopping.is_set() or not getattr(self._own, "is_wanted", lambda: True)()

    def native(self) -> LocalLearner:
        """Return this thread's native learner on the rows of the original data."""
        if not hasattr(self._own, "learner"):
            self._own.learner = self.problem.learner()
        found: LocalLearner = self._own.learner
        return found

    def __getstate__(self) -> dict[str, Any]:
        kept = ("data", "score", "constraints", "learner", "resampling", "seed", "options", "completed", "uncut")
        return {name: getattr(self, name) for name in kept}


def _climb(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    """Learn by tabu search or hill climbing: the rows stay, only their weights change."""
    if task._has_own_rows:
        climb = tabu_search if task.learner == "tabu" else hill_climb
        search = functools.partial(climb, **{"random_ties": True, "refine": REFINE, **task.options})
        return _search(search, task, index, sample, seed=seed, limits=limits)
    outcome = task.native().climb(sample.native_weights, task.climb_options(seed), limits.native_seconds, task.heed)
    offsets, members, score, *_, status = outcome
    return _unless_stopped(Status.from_native(status), Replicate(index, score + task.problem.untold, offsets, members))


def _search(
    search: Callable[..., Any], task: ReplicateTask, index: int, sample: Dataset, *, seed: int, limits: Limits
) -> Replicate | None:
    """Learn by any function of `arcwise.local` that takes data."""
    found = search(
        sample,
        score=task.score,
        constraints=task.rules,
        seed=seed,
        limits=limits,
        progress=task.heed,
        **task.options,
    )
    return _unless_stopped(found.status, Replicate(index, found.score, *pack_parents(found.dag.parents)))


def _unless_stopped(status: Status, replicate: T) -> T | None:
    """Return the replicate if its search ended by its own rule; Ctrl-C, which ends a search quietly, ends the run."""
    if status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return replicate if status is Status.COMPLETE else None


def _first_ascent(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    return _search(first_ascent, task, index, sample, seed=seed, limits=limits)


def _genetic(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    return _search(genetic_search, task, index, sample, seed=seed, limits=limits)


def _by_table(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    """Learn from the table of parent sets of the sample: by order search, or exactly.

    The order of the columns decides between networks of equal score, so that it is random.
    """
    options = dict(task.options)
    names = [sample.names[v] for v in np.random.default_rng(seed).permutation(sample.n_variables)]
    shuffled, rules = sample.select(names), task.rules.reorder(names)
    deadline = Deadline.of(limits)
    table = build_parent_sets(
        shuffled,
        task.score,
        constraints=rules,
        max_parents=options.pop("max_parents", None),
        limits=limits,
        threads=1,
        progress=task.heed,
    )
    if _unless_stopped(table.status, index) is None or deadline.is_over:
        return None
    own = deadline.limits
    if task.learner == "order":
        found = order_search(table, constraints=rules, seed=seed, limits=own, progress=task.heed, **options)
        dag, score, status = found.dag, found.score, found.status
    else:
        optimum = find_optimal(
            table, constraints=rules, seed=seed, limits=own, threads=1, progress=task.heed, **options
        )
        dag, score, status = optimum.dag, optimum.score, optimum.status
    replicate = Replicate(index, score, *pack_parents(dag.reorder(sample.names).parents))
    return _unless_stopped(status, replicate)


LearnerFunction = Callable[[ReplicateTask, int, Dataset, int, Limits], Replicate | None]
LEARNERS: dict[str, LearnerFunction] = {
    "tabu": _climb,
    "hill-climbing": _climb,
    "first-ascent": _first_ascent,
    "genetic": _genetic,
    "order": _by_table,
    "exact": _by_table,
}
CLIMB_OPTIONS = {
    "tabu": 1,
    "max_tabu": 0,
    "restarts": 0,
    "perturb": 0,
    "refine": 0,
    "candidates": 0,
}  # and the least value of each
OPTIONS: dict[str, tuple[str, ...]] = {
    "tabu": ("tabu", "max_tabu", "restarts", "perturb", "refine", "candidates"),
    "hill-climbing": ("restarts", "perturb", "refine", "candidates"),
    "first-ascent": ("start", "density"),
    "genetic": ("population", "unconnected", "drop", "promote", "mating_tries", "mutate", "patience", "density"),
    "order": ("max_parents", "iterations", "patience"),
    "exact": ("max_parents", "method"),
}
