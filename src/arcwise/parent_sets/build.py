"""Build tables of parent sets from data: every set that can be in a network within the slack of the optimum."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from arcwise.array_file import read_array_file, write_array_file
from arcwise.cluster import open_cluster
from arcwise.data import Dataset, Incomplete
from arcwise.deadline import Deadline
from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.memory import available_memory
from arcwise.mentions import Argument, Remedy
from arcwise.parent_sets.grouped_builder import CountElsewhere, Families, GroupedBuilder, too_little_memory
from arcwise.parent_sets.remote_counts import CountWork, RemoteCounts
from arcwise.parent_sets.table import BuildStatistics, ParentSetTable
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.scores import Score, make_score
from arcwise.scores.score import check_cases, scored_data
from arcwise.settings import gather
from arcwise.showing import one_screen
from arcwise.thread_count import thread_count

if TYPE_CHECKING:
    from distributed import Client

    from arcwise.cluster import Cluster

__all__ = ["BuildKeywords", "BuildSettings", "allowed_families", "build_parent_set_tables", "build_parent_sets"]

CHECKPOINT = "arcwise-parent-sets-checkpoint 1"
# Families in a level from which on all levels to come may be made at once (cpp/core/parent_sets/dense_levels.cpp).
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

    threads: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    cluster: Any = None  # str | Client | Cluster | None: Dask is not there for everybody


class BuildKeywords(TypedDict, total=False):
    """`BuildSettings` as keywords."""

    settings: BuildSettings
    threads: int | None
    checkpoint: str | os.PathLike[str] | None
    cluster: str | Client | Cluster | None


def build_parent_sets(
    data: Dataset | Incomplete,
    score: Score | str = "bic",
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
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
    max_parents
        The largest number of parents of any variable; None for no limit.
    constraints
        Required and forbidden arcs, tiers, limits: only sets that they allow are in the table, and only such sets
        are compared.
    limits
        Limits of time and memory, by default three quarters of the memory that is available (where Linux says);
        `count` is not used.
    progress
        None shows a bar on a terminal after two seconds; see `arcwise.progress.show_progress`.
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


def build_parent_set_tables(
    data: Dataset | Incomplete,
    scores: Sequence[Score | str],
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    **settings: Unpack[BuildKeywords],
) -> list[ParentSetTable]:
    """Build one table per score, counting the data once for all of them; see `build_parent_sets`."""

    made = [make_score(score) for score in scores]
    chosen = gather(BuildSettings, build_parent_sets, settings)
    threads, checkpoint = thread_count(chosen.threads), chosen.checkpoint
    _check_options(made, slack, max_parents)
    deadline = Deadline.of(_with_memory(limits))
    data = _as_scored(data, made)
    families = allowed_families(check_cases(data), constraints, max_parents)
    builder = GroupedBuilder(
        data,
        made,
        families,
        slack=float(slack),
        threads=threads,
        memory_bytes=float(deadline.given.native_memory),
        dense_from=DENSE_FROM,
    )
    saved = Path(checkpoint) if checkpoint is not None else None
    keep, resumed = None, False
    if saved is not None:
        keep, resumed = _Keeper(saved, _identity(data, made, slack, families)), saved.exists()
        if resumed:
            _restore(builder, saved, keep.identity)
    least = families.least  # so far no limit applies: every variable needs a row
    with contextlib.ExitStack() as opened:
        callback = opened.enter_context(show_progress(progress))
        counts = None
        if chosen.cluster is not None:
            cluster = opened.enter_context(open_cluster(chosen.cluster))
            counts = RemoteCounts(CountWork(data, tuple(made)), cluster, callback).count
        try:
            status = _run(builder, deadline, callback, least=least, keep=keep, counts=counts)
        except KeyboardInterrupt:  # between two native calls, or before every variable has a row
            if builder.level < least:
                raise
            status = Status.INTERRUPTED
    if saved is not None and status is Status.COMPLETE:
        saved.unlink(missing_ok=True)
    tables = _tables(builder, status, data, made, deadline, (slack, max_parents, constraints))
    if resumed:  # a set that is there twice shows only now
        for table in tables:
            _check_resumed(table, saved)
    return tables


def _tables(
    builder: GroupedBuilder,
    status: Status,
    data: Dataset,
    scores: Sequence[Score],
    deadline: Deadline,
    asked: tuple[float, int | None, Constraints | None],
) -> list[ParentSetTable]:
    """Return the tables of a builder that has ended."""
    slack, max_parents, constraints = asked
    statistics = BuildStatistics(
        families=builder.families,
        sets=builder.sets,
        seconds=deadline.seconds,
        peak_bytes=int(builder.peak_bytes),
    )
    return [
        ParentSetTable(
            data.names,
            *builder.table(number),
            slack=float(slack),
            max_parents=_parent_limit(max_parents, constraints) if status is Status.COMPLETE else builder.level,
            score=score.describe(),
            data_digest=data.digest,
            constraints=None if constraints is None or constraints.is_trivial else constraints.arc_part,
            equivalent=score.facts.equivalent,
            targets=None if data.targets is None else data.targets.sets,
            status=status,
            statistics=statistics,
            data=data,
        )
        for number, score in enumerate(scores)
    ]


def _as_scored(data: Dataset | Incomplete, scores: Sequence[Score]) -> Dataset:
    """Return the data as all scores take them."""
    if isinstance(data, Dataset):
        return data
    needy = [score for score in scores if not score.data_score.takes_gaps]
    return scored_data(data, (needy or list(scores))[0])


def _check_resumed(table: ParentSetTable, saved: Path | None) -> None:
    try:
        table.validate()
    except FormatError as error:
        raise FormatError(f"{saved}: malformed or edited ({error}) Remove it to start again.") from None


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Writes the state of a builder to the checkpoint."""

    path: Path
    identity: str

    def __call__(self, builder: GroupedBuilder) -> None:
        write_array_file(self.path, CHECKPOINT, {"identity": self.identity}, builder.pack())


def _run(
    builder: GroupedBuilder,
    deadline: Deadline,
    callback: ProgressCallback,
    *,
    least: int,
    keep: _Keeper | None,
    counts: CountElsewhere | None,
) -> Status:
    while not builder.finished:
        level = builder.level + 1
        free = level <= least
        left = math.inf if free else deadline.seconds_left
        report = native_callback(callback, f"{level} parent{'' if level == 1 else 's'}")
        status = Status.from_native(builder.advance(report, left, counts))
        if status is not Status.COMPLETE:
            if free and status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if free:
                raise too_little_memory(deadline.given.native_memory)
            return status
        if keep is not None and not builder.finished:
            keep(builder)
    return Status.COMPLETE


def _restore(builder: GroupedBuilder, saved: Path, identity: str) -> None:
    try:
        facts, arrays = read_array_file(saved, CHECKPOINT)
    except FormatError as error:
        raise FormatError(*error.problem, remedies=(*error.remedies, Remedy("remove it to start again"))) from None
    if facts.get("identity") != identity:
        raise FormatError(
            f"{saved}: belongs to other data or options, so the work cannot continue from it. Remove it to start again."
        )
    if not builder.restore(arrays):
        raise FormatError(f"{saved}: malformed or edited. Remove it to start again.")


def _identity(data: Dataset, scores: list[Score], slack: float, families: Families) -> str:
    """Return what must be equal for a checkpoint to fit."""
    described = [score.identity() for score in scores]
    parts = [data.digest, described, repr(float(slack)), families.required, families.allowed, families.sizes]
    return json.dumps(parts, sort_keys=True, default=str)


def _check_options(scores: list[Score], slack: float, max_parents: int | None) -> None:
    if not scores:
        raise OptionError("no score was given; name at least one.")
    if not slack >= 0:
        raise OptionError(
            Argument("slack", slack), "must be 0 or more (natural log; log(20) for a Bayes factor of 20)."
        )
    if max_parents is not None and (
        isinstance(max_parents, bool) or max_parents != int(max_parents) or max_parents < 0
    ):
        raise OptionError(Argument("max_parents", max_parents), "must be an integer, 0 or more, or None for no limit.")


def _parent_limit(max_parents: int | None, constraints: Constraints | None) -> int | None:
    """Return the most parents that any variable may have by the two limits; None for any number."""
    known = None if constraints is None else constraints.largest_limit
    return min((int(most) for most in (max_parents, known) if most is not None), default=None)


def _with_memory(limits: Limits | None) -> Limits:
    limits = limits or Limits()
    return Limits(seconds=limits.seconds, memory_bytes=limits.memory_bytes or available_memory())


def allowed_families(data: Dataset, constraints: Constraints | None, max_parents: int | None) -> Families:
    """Return for each variable the parents it must have, those it may also have, and how many at most.

    An arc of which the data say nothing is made only if it is required: see `Dataset.untold`.
    """
    n = data.n_variables
    if constraints is None:
        constraints = Constraints(data.names)
    elif constraints.names != data.names:
        if set(constraints.names) != set(data.names):
            raise ConstraintError("the constraints and the data are about different variables.")
        constraints = constraints.reorder(data.names)
    most = n if max_parents is None else max_parents
    untold = data.untold
    required, allowed, sizes = [], [], []
    for v in range(n):
        needed, forbidden = constraints.required_masks[v], constraints.forbidden_masks[v]
        if needed.bit_count() > most:
            raise ConstraintError(
                f"'{data.names[v]}' has {needed.bit_count()} required parents but",
                Argument("max_parents", most),
                "; raise it.",
            )
        required.append([p for p in range(n) if needed >> p & 1])
        allowed.append([p for p in range(n) if p != v and not ((needed | forbidden) >> p & 1 or untold[v, p])])
        sizes.append(min(most, constraints.limits[v]))
    return Families(required, allowed, sizes)
