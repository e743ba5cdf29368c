"""Build tables of parent sets from data: every set that can be in a network within the slack of the optimum."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from arcwise.array_file import read_array_file, write_array_file
from arcwise.data import Dataset
from arcwise.errors import ConstraintError, FormatError, OptionError
from arcwise.graph import Constraints
from arcwise.limits import Limits, Status
from arcwise.memory import available_memory
from arcwise.parent_sets.table import BuildStatistics, ParentSetTable
from arcwise.progress import ProgressCallback, native_callback, show_progress
from arcwise.scores import Score, make_score
from arcwise.scores.score import check_cases

if TYPE_CHECKING:
    from arcwise._core.parent_sets import ParentSetBuilder

__all__ = ["allowed_families", "build_parent_set_tables", "build_parent_sets"]

CHECKPOINT = "arcwise-parent-sets-checkpoint 1"
# Families in a level from which on all levels to come may be made at once (cpp/core/parent_sets/dense_levels.cpp).
DENSE_FROM = 1e6


def build_parent_sets(
    data: Dataset,
    score: Score | str = "bic",
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    threads: int = 1,
    memory_limit: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> ParentSetTable:
    """Score the parent sets of every variable and keep those that a network within `slack` of the optimum can have.

    The table is built level by level: all sets of 0, 1, 2, ... parents. There is no limit on parents unless one is
    asked for: with BIC and AIC the penalty, with most other scores a bound ends the work. Where the bound turns out to
    drop next to nothing, as that of BDeu in small data, the remaining levels of up to 30 variables are made at once,
    from all 2^n sets, if memory allows (26 variables: 1 GB). Where the work does not end in time, a limit stops it at
    a finished level, and the table says so: its `status`, and `max_parents`, the level.

    Parameters
    ----------
    data
        Discrete data. A variable with one state gets no parents and is nobody's parent: such arcs change no score.
    score
        A score, or its name with parameters as in ``"bdeu:ess=10"``.
    slack
        How far from the optimum networks are of interest, in natural log: 0 for the optimum alone (ties included),
        the log of a Bayes factor for a credible set. Infinity keeps every set.
    max_parents
        The most parents of any variable; None for no limit.
    constraints
        Required and forbidden arcs, tiers, limits: only sets that they allow are in the table, and only such sets
        are compared.
    threads
        The result does not depend on it, to the last bit.
    memory_limit
        Bytes for the builder's tables; by default three quarters of the memory that is available (where Linux says).
    limits
        Limits of time and memory (`memory_limit` is short for the latter); `count` is not used.
    progress
        None shows a bar on a terminal after two seconds; see `arcwise.progress.show_progress`.
    checkpoint
        A file that holds the finished levels: written after each level, read at the start if it is there and belongs
        to the same work, removed at the end.

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
        threads=threads,
        memory_limit=memory_limit,
        limits=limits,
        progress=progress,
        checkpoint=checkpoint,
    )[0]


def build_parent_set_tables(
    data: Dataset,
    scores: Sequence[Score | str],
    *,
    slack: float = 0.0,
    max_parents: int | None = None,
    constraints: Constraints | None = None,
    threads: int = 1,
    memory_limit: int | None = None,
    limits: Limits | None = None,
    progress: bool | ProgressCallback | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
) -> list[ParentSetTable]:
    """Build one table per score, counting the data once for all of them; see `build_parent_sets`."""
    from arcwise import _core

    start = time.monotonic()
    made = [make_score(score) for score in scores]
    _check_options(made, slack, max_parents, threads)
    limits = _merge_limits(limits, memory_limit)
    required, allowed, sizes = allowed_families(check_cases(data), constraints, max_parents)
    builder = _core.parent_sets.make_builder(
        data.codes,
        data.arities,
        data.native_weights,
        [score.native(data) for score in made],
        float(slack),
        threads,
        float(limits.native_memory),
        DENSE_FROM,
        required,
        allowed,
        sizes,
    )
    identity = _identity(data, made, slack, required, allowed, sizes)
    saved = Path(checkpoint) if checkpoint is not None else None
    if saved is not None and saved.exists():
        _restore(builder, saved, identity)
    # Every variable has a row only after the level of its required parents: so far no limit applies.
    least = max((len(parents) for parents in required), default=0)
    keep = None if saved is None else _Keeper(saved, identity)
    with show_progress(progress) as callback:
        try:
            status = _run(builder, limits, callback, least=least, start=start, keep=keep)
        except KeyboardInterrupt:  # between two native calls, or before every variable has a row
            if builder.level < least:
                raise
            status = Status.INTERRUPTED
    if saved is not None and status is Status.COMPLETE:
        saved.unlink(missing_ok=True)
    statistics = BuildStatistics(
        families=builder.families,
        sets=builder.sets,
        seconds=time.monotonic() - start,
        peak_bytes=int(builder.peak_bytes),
    )
    return [
        ParentSetTable(
            data.names,
            *builder.table(number),
            slack=float(slack),
            max_parents=max_parents if status is Status.COMPLETE else builder.level,
            score=score.describe(),
            data_digest=data.digest,
            status=status,
            statistics=statistics,
        )
        for number, score in enumerate(made)
    ]


@dataclass(frozen=True, slots=True)
class _Keeper:
    """Writes the state of a builder to the checkpoint."""

    path: Path
    identity: str

    def __call__(self, builder: ParentSetBuilder) -> None:
        numbers, members, values = builder.pack()
        arrays: dict[str, NDArray[Any]] = {"numbers": numbers, "members": members, "values": values}
        write_array_file(self.path, CHECKPOINT, {"identity": self.identity}, arrays)


def _run(
    builder: ParentSetBuilder,
    limits: Limits,
    callback: ProgressCallback,
    *,
    least: int,
    start: float,
    keep: _Keeper | None,
) -> Status:
    while not builder.finished:
        level = builder.level + 1
        free = level <= least
        left = math.inf if free else limits.native_seconds - (time.monotonic() - start)
        report = native_callback(callback, f"{level} parent{'' if level == 1 else 's'}")
        status = Status.from_native(builder.advance(report, left))
        if status is not Status.COMPLETE:
            if free and status is Status.INTERRUPTED:
                raise KeyboardInterrupt
            if free:
                raise OptionError(
                    f"the memory limit of {limits.native_memory:,} bytes does not hold one parent set per variable; "
                    "raise it."
                )
            return status
        if keep is not None and not builder.finished:
            keep(builder)
    return Status.COMPLETE


def _restore(builder: ParentSetBuilder, saved: Path, identity: str) -> None:
    try:
        facts, arrays = read_array_file(saved, CHECKPOINT)
    except FormatError as error:
        raise FormatError(f"{error} Or remove it to start anew.") from None
    if facts.get("identity") != identity:
        raise FormatError(
            f"{saved}: belongs to other data or options, so the work cannot go on from it. Remove it to start anew."
        )
    if arrays.keys() != {"numbers", "members", "values"} or not builder.restore(
        np.array(arrays["numbers"], dtype=np.int64),
        np.array(arrays["members"], dtype=np.int32),
        np.array(arrays["values"], dtype=np.float64),
    ):
        raise FormatError(f"{saved}: malformed. Remove it to start anew.")


def _identity(data: Dataset, scores: list[Score], slack: float, *families: object) -> str:
    """Return what must be equal for a checkpoint to fit."""
    described = [score.describe() for score in scores]
    return json.dumps([data.digest, described, repr(float(slack)), *families], sort_keys=True, default=str)


def _check_options(scores: list[Score], slack: float, max_parents: int | None, threads: int) -> None:
    if not scores:
        raise OptionError("no score was given; name at least one.")
    if not slack >= 0:
        raise OptionError(f"slack={slack!r} must be 0 or more (natural log; log(20) for a Bayes factor of 20).")
    if max_parents is not None and (
        isinstance(max_parents, bool) or max_parents != int(max_parents) or max_parents < 0
    ):
        raise OptionError(f"max_parents={max_parents!r} must be an integer, 0 or more, or None for no limit.")
    if threads < 1:
        raise OptionError(f"threads={threads!r} must be 1 or more.")


def _merge_limits(limits: Limits | None, memory_limit: int | None) -> Limits:
    if limits is None:
        limits = Limits()
    if memory_limit is not None and limits.memory_bytes is not None:
        raise OptionError("memory_limit and limits.memory_bytes were both given; give one.")
    memory = memory_limit or limits.memory_bytes or available_memory()
    return Limits(seconds=limits.seconds, memory_bytes=memory)


def allowed_families(
    data: Dataset, constraints: Constraints | None, max_parents: int | None
) -> tuple[list[list[int]], list[list[int]], list[int]]:
    """Return for each variable the parents it must have, those it may have besides, and how many at most."""
    n = data.n_variables
    if constraints is None:
        constraints = Constraints(data.names)
    elif constraints.names != data.names:
        if set(constraints.names) != set(data.names):
            raise ConstraintError("the constraints and the data are about different variables.")
        constraints = constraints.reorder(data.names)
    most = n if max_parents is None else max_parents
    required, allowed, sizes = [], [], []
    for v in range(n):
        needed, forbidden = constraints.required_masks[v], constraints.forbidden_masks[v]
        if needed.bit_count() > most:
            raise ConstraintError(
                f"'{data.names[v]}' has {needed.bit_count()} required parents but max_parents={most}; raise it."
            )
        required.append([p for p in range(n) if needed >> p & 1])
        allowed.append([p for p in range(n) if not (needed | forbidden) >> p & 1])
        sizes.append(min(most, constraints.limits[v]))
    return required, allowed, sizes
