"""Optimal networks under several scores at once: the data are counted once, then each table is solved exactly."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field

from arcwise.data import Dataset
from arcwise.errors import OptionError
from arcwise.graph import Constraints, Dag
from arcwise.limits import Limits, Status
from arcwise.parent_sets import build_parent_set_tables
from arcwise.progress import ProgressCallback, ProgressEvent, show_progress
from arcwise.scores import Score
from arcwise.search import Optimum, find_optimal

__all__ = ["Learning", "all_or_interrupt", "find_optima", "stays_optimal", "worst_status"]


@dataclass(frozen=True, slots=True)
class Learning:
    """How the analyses of the prior learn a network: the options that they all pass on.

    Parameters
    ----------
    max_parents
        The most parents of a variable; None for no limit.
    constraints
        Required and forbidden arcs, tiers, limits.
    limits
        Time and memory for each table and each search.
    threads
        For building tables; results do not depend on it.
    """

    max_parents: int | None = None
    constraints: Constraints | None = None
    limits: Limits = field(default_factory=Limits)
    threads: int = 1

    def __post_init__(self) -> None:
        most = self.max_parents
        if most is not None and (isinstance(most, bool) or most != int(most) or most < 0):
            raise OptionError(f"max_parents={most!r} must be an integer, 0 or more, or None for no limit.")
        if self.threads < 1:
            raise OptionError(f"threads={self.threads!r} must be 1 or more.")


def find_optima(
    data: Dataset,
    scores: Sequence[Score],
    learning: Learning,
    *,
    progress: bool | ProgressCallback | None = None,
    stage: str = "optimal networks",
) -> list[Optimum]:
    """Return the optimal network under each score; where a limit was reached, its status says so.

    One table of counts per set of variables serves all scores. (For many values of the ESS of BDeu, `EssSolver` needs
    no tables.) Ctrl-C returns the networks found so far, the last with the status INTERRUPTED; during the building of
    the tables, when there is none yet, it raises KeyboardInterrupt.
    """
    tables = build_parent_set_tables(
        data,
        scores,
        max_parents=learning.max_parents,
        constraints=learning.constraints,
        limits=learning.limits,
        threads=learning.threads,
        progress=progress,
    )
    if tables[0].status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    found: list[Optimum] = []
    with show_progress(progress) as callback:
        for number, table in enumerate(tables):
            callback(ProgressEvent(stage, number, len(tables)))
            found.append(find_optimal(table, constraints=learning.constraints, limits=learning.limits, progress=False))
            if found[-1].status is Status.INTERRUPTED:
                break
            if table.status is not Status.COMPLETE:  # proved among the sets of the finished levels only
                found[-1] = dataclasses.replace(found[-1], status=table.status)
    return found


def all_or_interrupt(optima: list[Optimum]) -> list[Optimum]:
    """Return the networks, or raise KeyboardInterrupt if Ctrl-C ended the search: for work that needs all of them."""
    if optima[-1].status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    return optima


def worst_status(optima: Sequence[Optimum]) -> Status:
    """Return COMPLETE if every network is proved optimal, else the first limit that was reached."""
    return next((o.status for o in optima if o.status is not Status.COMPLETE), Status.COMPLETE)


def stays_optimal(data: Dataset, dag: Dag, score: Score, optimum: Optimum) -> bool:
    """Say whether a network is optimal too, up to rounding: an optimum may have many equals.

    Comparing networks, or equivalence classes, would not do: a data set with symmetries, such as tic-tac-toe, has
    optima in several classes, of which a search returns any.
    """
    if dag == optimum.dag:
        return True
    return score.score_network(data, dag) >= optimum.score - 1e-9 * abs(optimum.score)
