"""`ReplicateTask`: what is learned again and again on resampled data, the same wherever a replicate is learned."""

from __future__ import annotations

import functools
import hashlib
import math
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base.errors import OptionError, UnfinishedError, check_argument, check_known
from arcwise.base.options import CANDIDATES, MANY_VARIABLES, REFINE, options_of
from arcwise.base.run import Limits, Run, Status
from arcwise.bootstrap.batches import (
    CountedBatch,
    Interrupted,
    KeptBatches,
    climb_together,
    counted_together,
    lay_out_together,
)
from arcwise.bootstrap.completed import CompletedTask
from arcwise.bootstrap.journal import Replicate
from arcwise.data.column import can_show_copies, first_seen
from arcwise.data.dataset import Dataset, GapStates
from arcwise.exact.optimal import find_optimal
from arcwise.graph.constraints import Constraints
from arcwise.local import searches
from arcwise.local.problem import LocalProblem, fitted_limit, merged_constraints, pack_parents
from arcwise.parent_sets.build import build_parent_sets
from arcwise.sampled.numeric_data import NumericData
from arcwise.scores.score import Score

if TYPE_CHECKING:
    from arcwise._core.local import ClimbOptions


# `Copies`: columns of one content, which replicates learn as one.
#
# If two columns correspond one to one in every row, then for every network there is one with their places exchanged, of
# the same score. Data cannot tell which of the two a third variable depends on; a sample of networks that takes either
# by chance gives each edge half of its confidence, so that neither seems to be there, and a hub with a copy loses all
# its neighbours. (In the network hailfinder, one such pair has 17 of 66 edges.) So edges go to the column that comes
# first, the copy has that one as its only parent, and reports of the networks say so. Where the score has no use for
# the arc between the two, as with many states and few cases, the columns are learned apart.


@dataclass(frozen=True)
class Copies:
    """The columns of data that are copies of earlier ones."""

    names: tuple[str, ...]  # of all columns
    first: Mapping[int, int]  # the position of every copy, with that of the first column that has the same content

    @classmethod
    def among(cls, data: Any, score: Score, constraints: Constraints) -> Copies:
        """Find the copies that can take each other's place: none if something else tells columns apart.

        Constraints, prior odds, prior networks, experiments and states that do not occur do, and what a few rows have
        in common is chance. Numbers have no states that could correspond. Cost: the cells of the table.
        """
        told_apart = (
            constraints.distinguishes_variables
            or constraints.max_parents == 0
            or score is not score.data_score
            or score.own_alphas
            or score.data_score.holds_data
            or isinstance(data, GapStates)
            or not (data.targets is None or data.targets.is_empty)
        )
        if told_apart:
            return cls(data.names, {})
        known: dict[tuple[int, bytes], int] = {}
        first = {}
        for v, codes in enumerate(data.codes):
            cases = np.bincount(codes, weights=data.row_weights)
            # Columns that are different in most rows all correspond one to one.
            if 2 * np.count_nonzero(cases) > data.n_cases or not can_show_copies(cases):
                continue
            key = hashlib.sha256(first_seen(codes).data).digest()  # not the column itself: memory for one at a time
            found = known.setdefault((int(data.arities[v]), key), v)
            if found != v:
                joined, alone = score.score_families(data, [(v, (found,)), (v, ())])
                if joined > alone:
                    first[v] = found
        return cls(data.names, first)

    def __bool__(self) -> bool:
        return bool(self.first)

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns that are learned from."""
        return tuple(name for v, name in enumerate(self.names) if v not in self.first)

    @property
    def named(self) -> dict[str, str]:
        """The name of every copy, with that of the first column of the same content."""
        return {self.names[copy]: self.names[first] for copy, first in self.first.items()}

    def join(self, parents: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
        """Return the parents of all columns, from those among the columns that were learned from."""
        at = [v for v in range(len(self.names)) if v not in self.first]
        learned = {v: tuple(sorted(at[p] for p in members)) for v, members in zip(at, parents, strict=True)}
        return tuple(learned.get(v) or ((self.first[v],) if v in self.first else ()) for v in range(len(self.names)))


T = TypeVar("T")
Learner = Literal["tabu", "hill-climbing", "first-ascent", "genetic", "order", "exact"]
Resampling = Literal["bootstrap", "permutation"]
RESAMPLINGS: tuple[Resampling, ...] = ("bootstrap", "permutation")


# How a replicate of a bootstrap draws its cases.
#
# A sample with replacement has equal rows, which look like dependence to a score without a prior: it finds edges in
# noise, and too many where data are few. A part of the cases, drawn without replacement, has no more equal rows than
# the data, but is smaller and misses weak edges; and parts of the same cases are too much alike, where there are many.
# Half of the replicates by each way err less than either (docs/benchmarks/calibration.md).
Draws = Literal["both", "replacement", "parts"]
DRAWS: tuple[Draws, ...] = get_args(Draws)
PART = 0.7  # of the cases; between 0.63 and 0.8 little changes
GOLDEN = (math.sqrt(5) - 1) / 2  # multiples of it, modulo 1, are spread evenly, however many there are


@dataclass(frozen=True, eq=False)
class ReplicateTask:
    """Everything that replicate i depends on, apart from i: it can be sent to another process or machine.

    Replicate i draws its data and the seed of its search from ``SeedSequence(seed, spawn_key=(i,))``, which is child i
    of ``SeedSequence(seed).spawn(...)``: it does not depend on how many replicates there are, nor on who learns it.
    """

    data: Any  # a `Dataset`, or `MixedData`, whichever the score takes
    score: Score
    constraints: Constraints  # the parent limit is in them
    learner: Learner
    resampling: Resampling
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    completed: CompletedTask | None = None  # for data with gaps, of which `data` is one completion
    uncut: NumericData | None = None  # numbers to cut anew in every replicate; `data` has them cut once
    batches: KeptBatches | None = None  # what other bootstraps drew and counted; it does not travel
    draws: Draws = "replacement"
    share_below: float = 0.0  # of the replicates, whose variables have a parent less than the limit at most

    def __post_init__(self) -> None:
        check_known("learner", self.learner, LEARNERS)
        for given, needed in ((self.completed, "complete data"), (self.uncut, "data that are cut")):
            fits = given is None or self.resampling == "bootstrap"
            rule = f"is for {needed}; permute the columns of the data first."
            check_argument(fits, "resampling", self.resampling, rule)
        check_known("resampling", self.resampling, RESAMPLINGS)
        check_known("draws", self.draws, DRAWS)
        known = OPTIONS[self.learner]
        for name, value in self.options.items():
            if name not in known:
                takes = f"takes {', '.join(known)}" if known else "has no options"
                raise OptionError(f"learner '{self.learner}' has no option '{name}'; it {takes}.")
            for item in options_of(searches.TabuSettings) if self.learner in ("tabu", "hill-climbing") else ():
                if item.name == name:
                    item.checked(value)

    def identity(self) -> dict[str, Any]:
        """Return what a file of replicates must agree with to be resumed, as JSON can hold it."""
        return {
            "data": self.data.digest,
            "score": self.score.identity(),
            "learner": self.learner,
            "resampling": self.resampling,
            **({} if self.draws == "replacement" else {"draws": self.draws}),
            **({"share_below": self.share_below} if self.share_below else {}),
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
        if not whole or self.options.get("refine", REFINE) == 0:  # as bnlearn does: each copy on its own
            return Copies(self.data.names, {})
        return Copies.among(self.data, self.score, self.constraints)

    def learn(self, index: int, seconds: float | None = None) -> Replicate | None:
        """Learn one replicate; None if the time was too short."""
        if self.is_below(index):
            self.below._own.is_wanted = lambda: not self._is_unwanted()
            return self.below.learn(index, seconds)
        run = Run(limits=Limits(seconds=seconds))
        try:
            sample, seed = self.draw(index, run)
        except UnfinishedError:
            return None
        kept = sample.select(self.copies.kept) if self.copies else sample
        made = LEARNERS[self.learner](self, index, kept, seed, run.limits)
        return None if made is None else self._with_copies(made, sample)

    def draw(self, index: int, run: Run | None = None) -> tuple[Dataset, int]:
        """Draw the data of a replicate and the seed of its search; where numbers are cut, the run must have time."""
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self.seed, spawn_key=(index,))))
        share = self.share_of(index)
        if self.completed is not None:
            sample = self.completed.sample(index, int(rng.integers(0, 2**63)), share)
        elif self.uncut is not None:
            drawn = self.uncut.marked_sample if isinstance(self.data, GapStates) else self.uncut.sample
            sample = drawn(rng, run, share).collapse()
        elif self.resampling == "permutation":
            sample = self.data.permute_columns(rng)
        else:
            sample = self.data.resample(rng) if share is None else self.data.subsample(share, rng)
        return sample, int(rng.integers(0, 2**63))

    def share_of(self, index: int) -> float | None:
        """Return what share of the cases a replicate draws without replacement; None if all, with replacement."""
        return PART if self.draws == "parts" or (self.draws == "both" and index % 2) else None

    def is_below(self, index: int) -> bool:
        """Whether the variables of a replicate have a parent less than the limit at most: evenly, of either draw."""
        return (index // 2 * GOLDEN) % 1 < self.share_below

    @functools.cached_property
    def below(self) -> ReplicateTask:
        """The same with a parent less. Stopping this task stops that one, too."""
        most = self.constraints.max_parents
        assert most is not None
        made = replace(self, constraints=merged_constraints(self.data, self.constraints, most - 1), share_below=0.0)
        made.__dict__["stopping"] = self.stopping
        return made

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
        limits: Limits | Run | None = None,
        is_wanted: Callable[[], bool] = lambda: True,
    ) -> list[Replicate]:
        """Learn several replicates one after the other; those for which the time is too short are left out.

        Once `is_wanted` says no, the search under way ends at its next look, and no other begins.
        """
        run = Run.of(limits)
        found: list[Replicate] = []
        self._own.is_wanted = is_wanted
        waiting = list(indices)
        try:
            while waiting and not run.is_over and not self._is_unwanted():
                some, waiting = waiting[: self.together], waiting[self.together :]
                made = self._learn_together(some, run)
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
        """How many replicates are best learned in one batch."""
        # What is counted together has the same number of cases; draws of groups differ in it.
        alone = self._has_own_rows or self.data.design is not None or self.share_below > 0
        if LEARNERS[self.learner] is not _climb or alone:
            return 1
        return counted_together(self.problem)

    def _learn_together(self, indices: list[int], run: Run) -> list[Replicate]:
        """Learn some replicates over common counts; the first of them if the time is too short for all."""
        if self.together == 1:
            alone = [self.learn(index, run.limits.seconds) for index in indices]
            return [replicate for replicate in alone if replicate is not None]
        found: list[Replicate] = []
        for share in (None, PART):  # what is counted together has the same number of cases
            some = [index for index in indices if self.share_of(index) == share]
            try:
                made = self._count_together(some, run) if some else []
            except Interrupted as stop:
                raise Interrupted([*found, *stop.found]) from None
            found += made
            if len(made) < len(some):
                break
        return found

    def _count_together(self, indices: list[int], run: Run) -> list[Replicate]:
        """Learn some replicates of as many cases over common counts."""
        samples: dict[int, Dataset] = {}  # where copies are scored in them
        batch = self._drawn_together(indices, run, samples)
        if batch is None:
            return []
        options, stop = self.climb_options(0), None
        try:
            outcomes = climb_together(self.native(), batch, options, limits=run.limits, progress=self.check_cancelled)
        except Interrupted as interrupted:
            outcomes, stop = interrupted.found, interrupted
        if self.batches is not None:  # a search that failed, for lack of memory, may have left counts half made
            self.batches.put(batch)
        found = []
        for index, outcome in zip(indices, outcomes, strict=False):
            made = Replicate(index, outcome[2] + self.problem.constant_score, *outcome[:2])
            found.append(self._with_copies(made, samples.get(index) or self.draw(index)[0]) if self.copies else made)
        if stop is not None:
            raise Interrupted(found)
        return found

    def _drawn_together(self, indices: list[int], run: Run, samples: dict[int, Dataset]) -> CountedBatch | None:
        """Return some replicates as they were kept, or drawn now; None if the time is too short."""
        kept = None if self.batches is None else self.batches.take(self.problem.layout, self.seed, indices)
        if kept is not None:
            return kept
        drawn: list[tuple[NDArray[np.int64], int]] = []
        for index in indices:
            if run.is_over or self._is_unwanted():
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

    def prepare(self) -> None:
        """Make what all threads share, once, rather than by every thread."""
        _ = self.copies, self._own
        self.problem.prepare()
        if self.share_below:
            self.below.prepare()
        if self.together > 1:
            _ = self.problem.layout.rare

    @property
    def _has_own_rows(self) -> bool:
        """Whether a replicate shares nothing but names with the others.

        Some scores take hyperparameters from the data (NIP-BDe): those must be the sample's.
        """
        own_rows = self.resampling == "permutation" or self.completed is not None or self.uncut is not None
        return own_rows or self.score.data_score.own_alphas

    def climb_options(self, seed: int) -> ClimbOptions:
        """Return how climbs are made on the rows of the original data."""
        options = self.options
        tabu = options.get("tabu", 10) if self.learner == "tabu" else 0
        perturb, max_tabu = options.get("perturb", 1), options.get("max_tabu")
        return _core.local.ClimbOptions(
            start=self.empty_start,
            restarts=options.get("restarts", 0),
            perturbations=-1 if perturb is None else perturb,  # None: begin again from random networks
            density=self.problem.density(None),
            tabu=tabu,
            patience=tabu if max_tabu is None else max_tabu,
            refine=options.get("refine", REFINE),
            effort=searches.EFFORT
            if self.data.n_variables > MANY_VARIABLES
            else searches.EFFORT * options.get("refine", REFINE),
            narrow=MANY_VARIABLES,
            candidates=options.get("candidates", CANDIDATES),
            random_ties=True,
            seed=seed,
        )

    # The data are prepared once per process, and each thread has its own native learner. What is prepared does not
    # travel: an unpickled task prepares again.

    @functools.cached_property
    def problem(self) -> LocalProblem:
        """The original data, prepared for local search: without copies, if columns are learned as one.

        Without a given parent limit, a default one ensures that every network can be fitted.
        """
        data = self.data
        if self.copies:
            kept = self.copies.kept
            data = data.select(kept) if self.batches is None else self.batches.select(data, kept)
        return LocalProblem.of(data, self.score, self.rules, fitted_limit(self.score, data, self.rules))

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
        """Set to stop further replicates: searches under way in other threads end at their next look."""
        return threading.Event()

    def check_cancelled(self, *progress: object) -> None:
        """A progress callback that stops its search, as Ctrl-C would, once its network is no longer wanted.

        Signals reach the main thread alone; the others would go on to the end of their replicates.
        """
        if self._is_unwanted():
            raise KeyboardInterrupt

    def _is_unwanted(self) -> bool:
        return self.stopping.is_set() or not getattr(self._own, "is_wanted", lambda: True)()

    def native(self) -> Any:
        """Return this thread's native learner on the rows of the original data."""
        if not hasattr(self._own, "learner"):
            self._own.learner = self.problem.learner()
        return self._own.learner

    def __getstate__(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self) if item.name != "batches"}


def _climb(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    """Learn by tabu search or hill climbing: the rows stay, only their weights change."""
    if task._has_own_rows:
        climb = searches.tabu_search if task.learner == "tabu" else searches.hill_climb
        search = functools.partial(
            climb, **{"random_ties": True, "by_position": True, "refine": REFINE, **task.options}
        )
        return _search(search, task, index, sample, seed, limits)
    outcome = task.native().climb(
        sample.native_weights, task.climb_options(seed), limits.native_seconds, task.check_cancelled
    )
    offsets, members, score, *_, status = outcome
    made = Replicate(index, score + task.problem.constant_score, offsets, members)
    return _unless_stopped(Status.from_native(status), made)


def _search(
    search: Callable[..., Any], task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits
) -> Replicate | None:
    """Learn by any function of `arcwise.local` that takes data."""
    found = search(
        sample,
        score=task.score,
        constraints=task.rules,
        max_parents=fitted_limit(task.score, task.problem.data, task.rules),  # the rules have the recipe's
        seed=seed,
        limits=limits,
        progress=task.check_cancelled,
        **task.options,
    )
    return _unless_stopped(found.status, Replicate(index, found.score, *pack_parents(found.dag.parents)))


def _unless_stopped(status: Status, replicate: T) -> T | None:
    """Return the replicate if its search ended by its own rule; Ctrl-C, which ends a search quietly, ends the run."""
    return replicate if status.unless_interrupted() is Status.COMPLETE else None


def _by_table(task: ReplicateTask, index: int, sample: Dataset, seed: int, limits: Limits) -> Replicate | None:
    """Learn from the table of parent sets of the sample: by order search, or exactly.

    The order of the columns decides between networks of equal score, so that it is random.
    """
    options = dict(task.options)
    names = [sample.names[v] for v in np.random.default_rng(seed).permutation(sample.n_variables)]
    shuffled, rules = sample.select(names), task.rules.reorder(names)
    run = Run.of(limits)
    table = build_parent_sets(
        shuffled,
        task.score,
        constraints=rules,
        max_parents=options.pop("max_parents", None),
        limits=limits,
        threads=1,
        progress=task.check_cancelled,
    )
    if _unless_stopped(table.status, index) is None or run.is_over:
        return None
    own = run.limits
    search = searches.order_search if task.learner == "order" else functools.partial(find_optimal, threads=1)
    found = search(table, constraints=rules, seed=seed, limits=own, progress=task.check_cancelled, **options)
    replicate = Replicate(index, found.score, *pack_parents(found.dag.reorder(sample.names).parents))
    return _unless_stopped(found.status, replicate)


LearnerFunction = Callable[[ReplicateTask, int, Dataset, int, Limits], Replicate | None]
LEARNERS: dict[str, LearnerFunction] = {
    "tabu": _climb,
    "hill-climbing": _climb,
    "first-ascent": functools.partial(_search, searches.first_ascent),
    "genetic": functools.partial(_search, searches.genetic_search),
    "order": _by_table,
    "exact": _by_table,
}
OPTIONS: dict[str, tuple[str, ...]] = {
    "tabu": ("tabu", "max_tabu", "restarts", "perturb", "refine", "candidates"),
    "hill-climbing": ("restarts", "perturb", "refine", "candidates"),
    "first-ascent": ("start", "density"),
    "genetic": ("population", "unconnected", "drop", "promote", "mating_tries", "mutate", "patience", "density"),
    "order": ("max_parents", "iterations", "patience"),
    "exact": ("max_parents", "method"),
}
