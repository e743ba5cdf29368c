"""Build tables of parent sets from data, and make independent problems of them."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import hashlib
import json
import math
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from arcwise import _core
from arcwise.base import errors
from arcwise.base.arrays import read_array_file, write_array_file
from arcwise.base.cluster import Cluster, open_cluster
from arcwise.base.errors import Argument, OptionError, Remedy
from arcwise.base.machine import available_memory
from arcwise.base.options import Common, gather, row
from arcwise.base.progress import ProgressCallback
from arcwise.base.run import Limits, Run, Status
from arcwise.base.showing import counted, one_screen
from arcwise.graph.constraints import Constraints, GivenConstraints
from arcwise.graph.dag import Dag
from arcwise.graph.statements import StatementKind
from arcwise.parent_sets.table import BuildStatistics, ParentSetTable, check_required, offsets_of
from arcwise.scores.registry import make_score
from arcwise.scores.score import Score, check_cases, scored_data

if TYPE_CHECKING:
    from distributed import Client

    from arcwise._core.parent_sets import CandidateSets, ParentSetBuilder, SetBatch, SetTask
    from arcwise.data.dataset import Frame
    from arcwise.keywords import BuildKeywords
    from arcwise.scores.score import Scored, Whole


# `GroupedBuilder`: one native builder for each group of children of which the same rows tell.
#
# A variable is scored without the rows in which it was set (Cooper and Yoo, UAI 1999), so that variables with
# different such rows are scored on different data. Pruning compares a parent set with other parent sets of the same
# child, on the same data: the tables of the groups are built apart, each with its guarantee, and put together child by
# child. Observations are one group.


KINDS = {"numbers": np.int64, "members": np.int32, "values": np.float64}
# Of one child: scores, sizes of the sets, their members one after the other.
ChildRows = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]
Rows = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]
CountElsewhere = Callable[[Run, int, "SetBatch"], int | None]


@dataclass(frozen=True, slots=True)
class FamilyLimits:
    """For each variable the parents it must have, those it may also have, and how many at most."""

    required: list[list[int]]
    allowed: list[list[int]]
    sizes: list[int]

    @property
    def least(self) -> int:
        """The level after which every variable has a row."""
        return max((len(parents) for parents in self.required), default=0)

    def of_children(self, children: Sequence[int]) -> FamilyLimits:
        """Return the families of these children; of all others only the required parents."""
        kept = set(children)
        allowed = [own if v in kept else [] for v, own in enumerate(self.allowed)]
        required = [own if v in kept else [] for v, own in enumerate(self.required)]
        return FamilyLimits(required, allowed, [size if v in kept else 0 for v, size in enumerate(self.sizes)])


class GroupedBuilder:
    """Builds tables of parent sets level by level, all groups of children in step.

    The options are those of the native builder: slack, threads, memory_bytes, which the groups share, dense_from.
    """

    def __init__(self, data: Any, scores: Sequence[Score], families: FamilyLimits, **options: Any) -> None:
        self._data, self._scores, self._families = data, tuple(scores), families
        self._group_of = data.group_of_child
        self._is_whole = len(data.child_groups) == 1 and data.child_groups[0].n_cases > 0
        informed = [g for g, group in enumerate(data.child_groups) if group.n_cases > 0]
        memory = float(options.pop("memory_bytes")) / max(1, len(informed))
        self._builders: dict[int, ParentSetBuilder] = {}
        for g in informed:
            group = data.child_groups[g]
            children = np.flatnonzero(self._group_of == g).tolist()
            own = families if len(children) == data.n_variables else families.of_children(children)
            natives = [score.native(group) for score in scores]
            chosen = _core.parent_sets.BuildOptions(
                memory_bytes=memory, required=own.required, allowed=own.allowed, limits=own.sizes, **options
            )
            if scores[0].data_score.holds_data:
                made = _core.parent_sets.make_data_builder(data.n_variables, natives, chosen)
            else:
                made = _core.parent_sets.make_builder(group.codes, group.arities, group.native_weights, natives, chosen)
            self._builders[g] = made

    @property
    def finished(self) -> bool:
        """Whether no level can add anything."""
        return all(builder.finished for builder in self._builders.values())

    @property
    def level(self) -> int:
        """The last level that is finished for all children; -1 before the first."""
        ongoing = [builder.level for builder in self._builders.values() if not builder.finished]
        return min(ongoing) if ongoing else max((builder.level for builder in self._builders.values()), default=0)

    def advance(self, stage: str, run: Run, elsewhere: CountElsewhere | None = None) -> Status:
        """Build one more level of the group that is furthest behind.

        `elsewhere` is given the run, the group and the sets that are to be counted: it counts them and returns the
        native status, or None if they are to be counted here.
        """
        ongoing = [g for g, builder in self._builders.items() if not builder.finished]
        group = min(ongoing, key=lambda g: self._builders[g].level)
        count = None if elsewhere is None else functools.partial(elsewhere, run, group)
        return Status.from_native(self._builders[group].advance(run.native_report(stage), run.seconds_left, count))

    def statistics(self, seconds: float) -> BuildStatistics:
        """Return how much work it was."""
        builders = self._builders.values()
        families, sets = sum(builder.families for builder in builders), sum(builder.sets for builder in builders)
        return BuildStatistics(families, sets, seconds, int(sum(builder.peak_bytes for builder in builders)))

    def pack(self) -> dict[str, NDArray[Any]]:
        """Return where the builders stand, as arrays by name."""
        found: dict[str, NDArray[Any]] = {}
        for place, builder in enumerate(self._builders.values()):
            found.update(zip(self._names(place), builder.pack(), strict=True))
        return found

    def restore(self, arrays: dict[str, NDArray[Any]]) -> bool:
        """Go on from where another builder of the same work stood; False if the arrays cannot be such a state."""
        names = [self._names(place) for place in range(len(self._builders))]
        whole = arrays.keys() == {name for own in names for name in own} and all(
            arrays[name].dtype == kind and arrays[name].ndim == 1
            for own in names
            for name, kind in zip(own, KINDS.values(), strict=True)
        )
        return whole and all(
            builder.restore(*(arrays[name] for name in own))
            for own, builder in zip(names, self._builders.values(), strict=True)
        )

    def _names(self, place: int) -> list[str]:
        return [name if len(self._builders) == 1 else f"{name}.{place}" for name in KINDS]

    def table(self, score: int) -> Rows:
        """Return the rows of one score as a `ParentSetTable` holds them."""
        if self._is_whole:
            return self._builders[0].table(score)
        most = None if self.finished else self.level
        tables = {g: builder.table(score) for g, builder in self._builders.items()}
        parts = [
            _rows_of_child(tables[g], child, most) if g in tables else self._one_row(child, self._scores[score])
            for child, g in enumerate(self._group_of.tolist())
        ]
        return _joined_rows(parts)

    def _one_row(self, child: int, score: Score) -> ChildRows:
        """Return the row of a variable that was set in every case: its likelihood, of no case, is 1."""
        required = self._families.required[child]
        value = score.score_without_cases(self._data, child, required)
        return np.array([value]), np.array([len(required)], dtype=np.int64), np.array(required, dtype=np.int32)


def _joined_rows(parts: Sequence[ChildRows]) -> Rows:
    """Return the rows of all children, one after the other, as a `ParentSetTable` holds them."""
    sizes = np.concatenate([part[1] for part in parts])
    return (
        offsets_of(np.array([len(part[0]) for part in parts])),
        np.concatenate([part[0] for part in parts]),
        offsets_of(sizes),
        np.concatenate([part[2] for part in parts]),
    )


def _rows_of_child(table: Rows, child: int, most: int | None) -> ChildRows:
    """Return the scores, sizes and members of a child's rows with at most this many parents."""
    node_offsets, scores, set_offsets, members = table
    first, last = int(node_offsets[child]), int(node_offsets[child + 1])
    sizes = np.diff(set_offsets[first : last + 1])
    own = members[int(set_offsets[first]) : int(set_offsets[last])]
    if most is None or not bool((sizes > most).any()):
        return scores[first:last], sizes, own
    kept = sizes <= most
    return scores[first:last][kept], sizes[kept], own[np.repeat(kept, sizes)]


# `RemoteCounts`: the sets of a level, counted by the workers of a Dask cluster.
#
# A table is built level by level, and nearly all the work is counting: a set of variables S is counted once, and
# serves every child in S, as P + child = S, and later as a parent set. So tasks are ranges of sets, not children:
# shared out by child, a set of five variables would be counted on each of up to five workers. What is done between two
# levels, which families follow from the last one and which are pruned, is done here, where all scores are. To a task
# go the ranks of its sets, 16 bytes each, and from it come their sums, 12 bytes for one score, while counting takes
# about a microsecond for every thousand cases. What is found of a set depends on nothing but the data and the set, so
# that the table is the same to the last bit.


# Counting a set costs about one pass over all rows, plus the cost of this many rows regardless of their number: 14
# variables of two states take 8.5 ms with 100 rows, 12.3 with 1,000 and 37.2 with 10,000.
ROWS_MORE = 3000
# Rows to look at: for less (a tenth of a second) a level is counted here, and no task has more (about a second).
LEAST_ROWS, MOST_ROWS = 1e9, 1e10
SMALLEST_TASK = 2048  # sets, or half of what is counted here
# Tasks get smaller towards the end of a level, so that all workers end at about the same time: each takes this part of
# one worker's share of what is left.
SHARE = 3
QUEUED_TASKS = 2  # tasks that wait, for each that runs

# Of some sets: a group of children, the size of the sets, their ranks, and for families which of them are wanted.
CountRequest = tuple[int, int, NDArray[np.uint64], NDArray[np.uint8] | None]
Found = tuple[NDArray[np.float64], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class CountWork:
    """What is counted, and the scores that are made of it."""

    data: Any  # a `Dataset`, which alone is counted elsewhere
    scores: tuple[Score, ...]

    @property
    def digest(self) -> str:
        """What is the same if the data and the scores are."""
        own = [self.data.digest, [score.identity() for score in self.scores]]
        return hashlib.sha256(f"counts {json.dumps(own, default=str)}".encode()).hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_tasks"}

    @functools.cached_property
    def _tasks(self) -> dict[tuple[int, int], SetTask]:
        """What counts, of every thread of this worker and every group of children."""
        return {}

    def count(self, request: CountRequest) -> Found:
        """Return the sums of all scores and the numbers of cells that occur, or scores and bounds of families."""
        number, size, ranks, needed = request
        key = threading.get_ident(), number
        if key not in self._tasks:
            group = self.data.child_groups[number]
            scores = [score.native(group) for score in self.scores]
            made = _core.parent_sets.make_set_task(group.codes, group.arities, group.native_weights, scores)
            self._tasks[key] = made
        task = self._tasks[key]
        return task.sum_sets(size, ranks) if needed is None else task.score_families(size, ranks, needed)


class RemoteCounts:
    """Has the sets of a builder's levels counted on a cluster."""

    def __init__(self, work: CountWork, cluster: Cluster) -> None:
        self._work, self._digest, self._cluster = work, work.digest, cluster

    def count(self, run: Run, group: int, batch: SetBatch) -> int | None:
        """Have a batch counted and put the results in it; return the native status, None if it is too little work."""
        rows = self._work.data.child_groups[group].n_rows + ROWS_MORE
        if batch.size * rows < LEAST_ROWS:
            return None
        least = max(SMALLEST_TASK, int(LEAST_ROWS / 2 / rows))
        most = max(least, int(MOST_ROWS / rows))
        stage = f"sets of {batch.set_size} variables"
        given: dict[int, tuple[int, int]] = {}  # task -> its first set, and how many numbers it finds
        done = 0
        with self._cluster.tasks(CountWork.count, self._work, self._digest) as tasks:
            workers = self._cluster.count
            pieces = _pieces(batch.size, workers, least, most)
            try:
                while True:
                    while len(tasks) < (1 + QUEUED_TASKS) * workers and (piece := next(pieces, None)) is not None:
                        needed = batch.needed(*piece) if batch.is_of_families else None
                        count = piece[1] - piece[0] if needed is None else needed.size
                        given[tasks.give((group, batch.set_size, batch.ranks(*piece), needed))] = piece[0], count
                    if not len(tasks):
                        return list(Status).index(Status.COMPLETE)
                    ended = tasks.take(run)
                    if ended is None:
                        return list(Status).index(Status.TIME_LIMIT)
                    number, found = ended
                    store: Any = batch.store_families if batch.is_of_families else batch.store_sums
                    first, count = given.pop(number)
                    if found[1].size != count or not store(first, *found):
                        raise errors.ArcwiseError("a worker of the cluster has counted other sets than it was told to.")
                    done += 1
                    run.report(stage, done)
            except KeyboardInterrupt:
                return list(Status).index(Status.INTERRUPTED)


def _pieces(size: int, workers: int, least: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of sets, one after the other, that get shorter towards the end.

    >>> list(_pieces(10_000, 2, 2_000, 2_500))
    [(0, 2000), (2000, 4000), (4000, 6000), (6000, 8000), (8000, 10000)]
    >>> list(_pieces(10_000, 1, 1_000, 3_000))
    [(0, 3000), (3000, 5333), (5333, 6888), (6888, 7925), (7925, 8925), (8925, 9925), (9925, 10000)]
    """
    first = 0
    while first < size:
        last = min(size, first + min(most, max(least, (size - first) // (SHARE * workers))))
        yield first, last
        first = last


CHECKPOINT = "arcwise-parent-sets-checkpoint 1"
# FamilyLimits in a level from which on all levels to come may be made at once (cpp/core/parent_sets/dense_levels.cpp).
DENSE_FROM = 1e6


@one_screen
@dataclass(frozen=True, slots=True)
class BuildSettings:
    """How a table is built.

    Parameters
    ----------
    threads
        How many to use; None for all cores. The result does not depend on it, to the last bit.
    checkpoint
        A file that holds the finished levels: written after each level, read at the start if it is there and belongs
        to the same work, removed at the end.
    cluster
        A Dask cluster (an address, a client or an open `Cluster`) whose workers count the sets of variables of each
        level, every set on one of them; the table is the same, to the last bit. What follows from the counts is found
        here, by `threads`. Levels of little work are counted here, too, and levels that are made all at once (see
        `build_parent_sets`).
    """

    threads: int | None = row(Common, "threads")
    checkpoint: str | os.PathLike[str] | None = None
    cluster: str | Client | Cluster | None = row(Common, "cluster")


def build_parent_sets(
    data: Scored | Frame,
    score: Score | str = "bic",
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[BuildKeywords],
) -> ParentSetTable:
    """Score the parent sets of every variable and keep those that a network within `slack` of the optimum can have.

    The table is built level by level: all sets of 0, 1, 2, ... parents. There is no limit on parents unless one is
    asked for: with BIC and AIC the penalty ends the work, with most other scores a bound. If the bound turns out to
    drop next to nothing, like that of BDeu in small data, the remaining levels of up to 30 variables are made at once,
    from all 2^n sets, if memory allows (26 variables: 1 GB). If the work does not end in time, a limit stops it at
    a finished level, and the table says so: its `status`, and `max_parents`, the level.

    Parameters
    ----------
    data
        Discrete data. A variable that shows one state only, whether others are declared or not, gets no parents and is
        nobody's parent unless `constraints` require it: the data say nothing about it (`Dataset.constant`). Where
        variables were set (`Dataset.targets`), each is scored without the cases in which it was. With gaps
        (`Incomplete`) if the score takes them: "pnal", whose table is pruned by its penalty and by subsets alone, since
        more parents may lower its likelihood.
    score
        A score, or its name with parameters as in ``"bdeu:ess=10"``.
    slack
        How far from the optimum networks are of interest, in natural log: 0 for the optimum alone (ties included),
        the log of a Bayes factor for a credible set. Infinity keeps every set.
    constraints, max_parents
        Required and forbidden arcs, tiers, limits, and the largest number of parents of any variable: only sets that
        they allow are in the table, and only such sets are compared.
    limits
        Limits of time and memory, by default three quarters of the memory that is available (where Linux says);
        `count` is not used.
    progress
        See `arcwise.progress.show_progress`.
    settings
        The fields of `BuildSettings` by keyword, ``threads=`` and ``checkpoint=``, or a whole one as ``settings=``.

    Returns
    -------
    ParentSetTable
        With its guarantee, `status` and `statistics`. Ctrl-C gives the finished levels, with status INTERRUPTED.
    """
    return build_parent_set_tables(
        data,
        [score],
        slack=slack,
        max_parents=max_parents,
        constraints=constraints,
        limits=limits,
        progress=progress,
        **settings,
    )[0]


def table_of(
    given: ParentSetTable | Scored | Frame,
    slack: float = 0.0,
    *,
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
) -> ParentSetTable:
    """Return a table as it is, and of data the one by BIC that is complete for a slack."""
    if isinstance(given, ParentSetTable):
        return given
    return build_parent_sets(given, slack=slack, constraints=constraints, limits=limits, progress=progress)


def build_parent_set_tables(
    data: Scored | Frame,
    scores: Sequence[Score | str],
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: GivenConstraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[BuildKeywords],
) -> list[ParentSetTable]:
    """Build one table per score, counting the data once for all of them; see `build_parent_sets`."""
    made = [make_score(score) for score in scores]
    chosen = gather(BuildSettings, build_parent_sets, settings)
    _check_options(made, slack, max_parents)
    limits = limits or Limits()
    allowed = Limits(seconds=limits.seconds, memory_bytes=limits.memory_bytes or available_memory())
    run = Run.of(allowed).replace(threads=chosen.threads, progress=progress)
    whole = scored_data(data, next((score for score in made if not score.data_score.takes_gaps), made[0]))
    constraints = Constraints.of(whole.names, constraints)
    families = allowed_families(check_cases(whole), constraints, max_parents, made)
    builder = GroupedBuilder(
        whole,
        made,
        families,
        slack=float(slack),
        threads=run.thread_count,
        memory_bytes=float(run.given.native_memory),
        dense_from=DENSE_FROM,
    )
    saved = None
    if chosen.checkpoint is not None:
        saved = _Checkpoint(Path(chosen.checkpoint), _identity(whole, made, slack, families))
        saved.restore(builder)
    least = families.least  # so far no limit applies: every variable needs a row
    with contextlib.ExitStack() as opened:
        run = opened.enter_context(run.shown())
        counts = None
        if chosen.cluster is not None and not made[0].data_score.holds_data:  # where nothing is counted
            cluster = opened.enter_context(open_cluster(chosen.cluster))
            counts = RemoteCounts(CountWork(whole, tuple(made)), cluster).count
        try:
            status = _advance(builder, run, least=least, saved=saved, counts=counts)
        except KeyboardInterrupt:  # between two native calls, or before every variable has a row
            if builder.level < least:
                raise
            status = Status.INTERRUPTED
    statistics = builder.statistics(run.seconds)
    most_allowed = (max_parents, None if constraints is None else constraints.largest_limit)
    most = min((int(limit) for limit in most_allowed if limit is not None), default=None)
    tables = [
        ParentSetTable(
            whole.names,
            *builder.table(number),
            slack=float(slack),
            max_parents=most if status is Status.COMPLETE else builder.level,
            score=each.describe(),
            data_digest=whole.digest,
            constraints=None if constraints is None or constraints.is_trivial else constraints.arc_part,
            equivalent=each.facts.equivalent,
            targets=None if whole.targets is None else whole.targets.sets,
            status=status,
            statistics=statistics,
            data=whole,
            scorer=each,
        )
        for number, each in enumerate(made)
    ]
    if saved is not None:
        saved.finish(tables, status)
    for table, each in zip(tables, made, strict=True):
        _check_possible(table, each, families)
    return tables


def _check_possible(table: ParentSetTable, score: Score, families: FamilyLimits) -> None:
    """Refuse a table that has no network: all families of a variable have the score minus infinity."""
    empty = np.flatnonzero(np.diff(table.node_offsets) == 0)
    if not empty.size:
        return
    name, required = table.names[empty[0]], [table.names[p] for p in families.required[empty[0]]]
    having = f" with the required {' and '.join(required)}" if required else ""
    raise errors.ConstraintError(
        f"no network is possible: every parent set of '{name}'{having} has the score minus infinity by {score.title}.",
        remedies=Remedy(f"{'require no such arcs' if required else 'leave the variable out'}, or take another score"),
    )


@dataclass(slots=True)
class _Checkpoint:
    """The file that holds the state of a builder after each level; `identity` is what must be equal for it to fit."""

    path: Path
    identity: str
    was_there: bool = False

    def restore(self, builder: GroupedBuilder) -> None:
        """Let the builder go on from the file, if it is there."""
        self.was_there = self.path.exists()
        if not self.was_there:
            return
        try:
            facts, arrays = read_array_file(self.path, CHECKPOINT)
        except errors.FormatError as error:
            raise errors.FormatError(
                *error.problem, remedies=(*error.remedies, Remedy("remove it to start again"))
            ) from None
        if facts.get("identity") != self.identity:
            raise errors.FormatError(
                f"{self.path}: belongs to other data or options, so the work cannot continue from it. Remove it to "
                "start again."
            )
        if not builder.restore(arrays):
            raise errors.FormatError(f"{self.path}: malformed or edited. Remove it to start again.")

    def keep(self, builder: GroupedBuilder) -> None:
        """Write the state of the builder."""
        write_array_file(self.path, CHECKPOINT, {"identity": self.identity}, builder.pack())

    def finish(self, tables: Sequence[ParentSetTable], status: Status) -> None:
        """Remove the file if all is done; of one that was read it shows only now whether a set is there twice."""
        if status is Status.COMPLETE:
            self.path.unlink(missing_ok=True)
        try:
            for table in tables if self.was_there else ():
                table.validate()
        except errors.FormatError as error:
            raise errors.FormatError(f"{self.path}: malformed or edited ({error}) Remove it to start again.") from None


def _advance(
    builder: GroupedBuilder, run: Run, *, least: int, saved: _Checkpoint | None, counts: CountElsewhere | None
) -> Status:
    while not builder.finished:
        level = builder.level + 1
        free = level <= least
        stage = counted(level, "parent")
        status = builder.advance(stage, run.replace(limits=Limits()) if free else run, counts)
        if status is not Status.COMPLETE:
            if free:
                status.unless_interrupted()
                held = f"the memory limit of {run.given.native_memory:,.0f} bytes"
                raise OptionError(f"{held} does not hold one parent set per variable; raise it.")
            return status
        if saved is not None and not builder.finished:
            saved.keep(builder)
    return Status.COMPLETE


def _identity(data: Whole, scores: list[Score], slack: float, families: FamilyLimits) -> str:
    described = [score.identity() for score in scores]
    parts = [data.digest, described, repr(float(slack)), families.required, families.allowed, families.sizes]
    return json.dumps(parts, sort_keys=True, default=str)


def _check_options(scores: list[Score], slack: float, max_parents: int | None) -> None:
    if not scores:
        raise OptionError("no score was given; name at least one.")
    errors.check_argument(
        slack >= 0, "slack", slack, "must be 0 or more (natural log; log(20) for a Bayes factor of 20)."
    )
    most = 0 if max_parents is None else max_parents
    whole = not isinstance(most, bool) and most == int(most) and most >= 0
    errors.check_argument(whole, "max_parents", max_parents, "must be an integer, 0 or more, or None for no limit.")


def allowed_families(
    data: Whole, constraints: Constraints | None, max_parents: int | None, scores: Sequence[Score] = ()
) -> FamilyLimits:
    """Return for each variable the parents it must have, those it may also have, and how many at most.

    An arc of which the data say nothing, to each of the scores, is made only if required: see `Cases.silent_arcs`.
    """
    n = data.n_variables
    if constraints is None:
        constraints = Constraints(data.names)
    elif constraints.names != data.names:
        if set(constraints.names) != set(data.names):
            raise errors.ConstraintError("the constraints and the data are about different variables.")
        constraints = constraints.reorder(data.names)
    most = n if max_parents is None else max_parents
    silent = np.logical_and.reduce([score.silent_arcs(data) for score in scores] or [data.silent_arcs])
    required, allowed, sizes = [], [], []
    for v in range(n):
        needed, forbidden = constraints.required_masks[v], constraints.forbidden_masks[v]
        if needed.bit_count() > most:
            raise errors.ConstraintError(
                f"'{data.names[v]}' has {needed.bit_count()} required parents but",
                Argument("max_parents", most),
                "; raise it.",
            )
        required.append([p for p in range(n) if needed >> p & 1])
        allowed.append([p for p in range(n) if p != v and not ((needed | forbidden) >> p & 1 or silent[v, p])])
        sizes.append(min(most, constraints.limits[v]))
    return FamilyLimits(required, allowed, sizes)


# Which scores a table may have, and what is done about large ones.
#
# Everything that is found about networks, optima, credible sets and their shares, depends on differences of scores. A
# double has 16 digits: of the scores of two networks near 10^10 that differ by 1, six digits of the difference are
# left, which is what posterior weights need; of larger ones there are not enough. So the range that is supported ends
# there (ten million rows of five hundred variables), and a table beyond it is refused (`ParentSetTable.validate`).
# Inside it, scores that are large are centred: each variable's best score is subtracted from its rows before a search
# adds them up, which changes all networks by the same constant. Small ones are taken as they are.
#
# What an exact search compares with absolute tolerances (some 1e-7, as its linear programs are solved) is measured in
# a unit of its own: a power of two, 1 unless rows of a variable differ by more than a million.


CENTRED_FROM = 1e7  # here sums of doubles begin to lose digits that matter
LARGEST_DIFFERENCE = 2.0**20  # keeps 32 bits behind the point


def centred(table: ParentSetTable) -> tuple[ParentSetTable, float]:
    """Return a table whose differences of scores keep their digits, and the total that was subtracted."""
    best = table.scores[table.node_offsets[:-1]]
    if float(np.abs(best).sum()) < CENTRED_FROM:
        return table, 0.0
    shifted = table.scores - np.repeat(best, np.diff(table.node_offsets))
    return dataclasses.replace(table, scores=shifted), math.fsum(best.tolist())


def scaled(table: ParentSetTable) -> tuple[ParentSetTable, float, float]:
    """Return a table in which no row falls short of its variable's best by much more than a million.

    A score of the given table is ``constant + unit * score`` of the one returned; the unit is a power of two, so that
    nothing is rounded.
    """
    near, constant = centred(table)
    best = near.scores[near.node_offsets[:-1]]
    worst = near.scores[near.node_offsets[1:] - 1]
    largest = float((best - worst).max(initial=0.0))
    if largest <= LARGEST_DIFFERENCE:
        return near, constant, 1.0
    unit = 2.0 ** math.ceil(math.log2(largest / LARGEST_DIFFERENCE))
    return dataclasses.replace(near, scores=near.scores / unit), constant, unit


# From a table to independent problems: constraints applied, useless sets dropped, components apart.


def candidate_sets(table: ParentSetTable, constraints: Constraints | None = None) -> CandidateSets:
    """Return the table's sets that satisfy the constraints, at least one for each variable.

    Constraints are checked family by family; that no *acyclic* choice exists is found by the search.
    """
    check_required(table, constraints)
    sets = _core.parent_sets.CandidateSets(table.native)
    if constraints is not None:
        constraints.refuse_ancestors("this search")
    if constraints is None or constraints.is_trivial:
        return sets
    return sets.kept(table.allowed_rows(constraints, sets.sets).astype(np.uint8))


def components_of(sets: CandidateSets) -> list[NDArray[np.int32]]:
    """Return the nodes of each strong component of the candidate-parent graph, the components of parents first."""
    labels = sets.strong_components()
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    return [np.sort(part).astype(np.int32) for part in np.split(order, cuts)] if labels.size else []


def network_of_rows(
    table: ParentSetTable, rows: NDArray[np.int64], constraints: Constraints | None
) -> tuple[Dag, float]:
    """Build the network with the given row for each node and recompute its score from the table.

    Nothing that the search believed is trusted: the `Dag` refuses cycles, and the constraints are asked again.
    """
    for node, place in enumerate(rows.tolist()):
        if place not in table.rows_of(node):
            raise AssertionError(f"row {place} does not belong to node {node}")
    dag = Dag(table.names, [table.parents_of(place) for place in rows.tolist()])
    if constraints is not None:
        broken = constraints.violations(dag)
        if broken:
            raise AssertionError(f"the search broke a constraint: {broken[0]}")
    return dag, math.fsum(table.scores[rows].tolist())


# How far a table must reach for constraints on ancestors, which is not known in advance.
#
# What they cost is known once a network that satisfies them is found, so the slack of the table grows until one is in
# it. That must end where there is none: because no path of arcs leads from x to y that the constraints allow and the
# data say something of, or because every parent set is in the table already.


LARGEST = 1e9  # no difference of scores: everything is wanted


def check_reachable(data: Whole, constraints: Constraints, max_parents: int | None = None) -> None:
    """Refuse that a variable must lead to one to which no path of arcs leads that a table can have."""
    families, names = allowed_families(data, constraints, max_parents), data.names
    for statement in constraints.statements:
        if statement.kind is not StatementKind.ANCESTOR:
            continue
        source, target = (names.index(name) for name in statement.arc)
        reached, stack = {target}, [target]
        while stack:
            v = stack.pop()
            room = families.sizes[v] > len(families.required[v])
            found = {*families.required[v], *(families.allowed[v] if room else ())} - reached
            reached |= found
            stack += found
        if source not in reached:
            silent = data.silent_arcs
            still = [name for name in statement.arc if silent[names.index(name)].all()]
            why = f": '{still[0]}' never varies" if still else ""
            raise errors.ConstraintError(
                f"no network of these data satisfies that {statement.text('->')}{why}. No path of arcs leads there "
                "that the constraints allow and the data say something of.",
                remedies=Remedy("leave this constraint out, or allow more arcs"),
            )


def wider_slack(
    table: ParentSetTable, slack: float, data: Whole, constraints: Constraints | None, max_parents: int | None
) -> float:
    """Return twice the slack, or infinity if a table that was built for these holds every parent set already."""
    families = allowed_families(data, constraints, max_parents)
    everything = sum(
        sum(math.comb(len(allowed), k) for k in range(min(size - len(required), len(allowed)) + 1))
        for required, allowed, size in zip(families.required, families.allowed, families.sizes, strict=True)
    )
    return math.inf if table.n_rows >= everything or slack > LARGEST else 2 * slack


# What the constraints of a table and those of a search ask for together.


def joint_constraints(names: tuple[str, ...], *constraints: Constraints | None) -> Constraints | None:
    """Return what several constraints ask for together; None if that is nothing."""
    known = [one for one in constraints if one is not None and not one.is_trivial]
    if len(known) < 2:
        return known[0].reorder(names) if known else None
    return functools.reduce(Constraints.joined, known).reorder(names)


def has_own_limits(constraints: Constraints | None) -> bool:
    """Return whether some variable may have fewer or more parents than others, beyond what forbidden arcs tell.

    A limit that all have is swapped with the ends of a covered arc, so that all members of a class keep it or none
    does. One of a variable's own may leave out some members of a class and not others.
    """
    if constraints is None:
        return False
    most = constraints.n_nodes - 1 if constraints.max_parents is None else constraints.max_parents
    for name, limit in constraints.max_parents_by_name.items():
        room = constraints.n_nodes - 1 - len(constraints.forbidden_parents(name))
        if min(limit, room) != min(most, room):
            return True
    return False
