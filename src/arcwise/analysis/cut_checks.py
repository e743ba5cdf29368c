"""Which edges depend on how numbers were cut: the same recipe on the same numbers, cut in other ways."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from arcwise.analysis.averaged import Averaged
from arcwise.analysis.edges import HALF
from arcwise.analysis.preparation import uncut_of
from arcwise.analysis.remark import Remark
from arcwise.confidence import EdgeConfidence
from arcwise.ensemble.uncut import JOINT, Uncut
from arcwise.limits import Status
from arcwise.showing import one_screen

if TYPE_CHECKING:
    from arcwise.analysis.options import LearnOptions
    from arcwise.analysis.preparation import Prepared
    from arcwise.deadline import Deadline

__all__ = ["CutCheck", "CutChecks", "CutEdge", "check_cuts", "ways_to_cut"]

BINS = (2, 3, 4, 5)


@one_screen
@dataclass(frozen=True, eq=False)
class CutCheck:
    """The confidences of another way to cut."""

    label: str  # "width, 4 intervals"
    confidence: EdgeConfidence


@one_screen
@dataclass(frozen=True, slots=True)
class CutEdge:
    """An edge at a column that was cut: its confidence as cut here, and the range over the other ways."""

    first: str
    second: str
    here: float
    lowest: float
    lowest_by: str
    highest: float
    highest_by: str

    @property
    def depends(self) -> bool:
        """Whether some way to cut makes the edge likely, and another one unlikely."""
        return min(self.here, self.lowest) <= HALF < max(self.here, self.highest)


@one_screen
@dataclass(frozen=True, eq=False)
class CutChecks:
    """What other ways to cut say about the edges at columns of numbers."""

    columns: tuple[str, ...]
    checks: tuple[CutCheck, ...]
    edges: tuple[CutEdge, ...]  # those that some way to cut finds likely, the most certain first
    notes: tuple[Remark, ...] = ()


def ways_to_cut(options: LearnOptions) -> tuple[tuple[str, int], ...]:
    """Return the ways to try: methods with their numbers of intervals, 0 where the method chooses them."""
    ways = [(method, bins) for method in ("quantile", "width") for bins in BINS]
    ways += [("mdl", 0)] if options.target is not None else []
    used = (options.discretize or "quantile", options.bins)
    return tuple(way for way in (*ways, ("joint", 0)) if way != used and way[0] != (used[0] if not way[1] else None))


def check_cuts(
    prepared: Prepared,
    confidence: EdgeConfidence,
    options: LearnOptions,
    deadline: Deadline,
    average: Callable[[Uncut], Averaged | None],
) -> CutChecks | None:
    """Cut the numbers in other ways and average the same recipe on each; None if nothing was cut.

    `average` carries the recipe out in the time that is left for one way; it returns None if there is none. After the
    deadline no numbers are cut either, which takes long where cuts and structure are chosen together.
    Cost: that of the main set of networks, once for every way to cut.
    """
    if prepared.uncut is None:
        return None
    checks: list[CutCheck] = []
    missed: list[str] = []
    stopped: list[str] = []
    constant: list[str] = []
    notes: list[Remark] = []
    for method, bins in ways_to_cut(options):
        if method == "mdl" and options.target in prepared.cut:  # cut as any other column is, and so no class
            continue
        if method == JOINT and any(prepared.uncut.table.column(name).n_missing for name in prepared.cut):
            notes.append(Remark("Cuts were not chosen together with the structure, which takes columns without gaps."))
            continue
        label = f"{method}, {bins} intervals" if bins else method
        if deadline.is_over:
            missed.append(label)
            continue
        within = replace(options, limit_seconds=deadline.limits.seconds)
        data = uncut_of(prepared.uncut.table, prepared.cut, within, method=method, bins=bins or None)
        if any(len(data.cut_table.column(name).labels) < 2 for name in prepared.cut):
            constant.append(label)
            continue
        made = average(data)
        if made is None or Status.TIME_LIMIT in (made.status, data.cut_status):
            missed.append(label)
        elif made.confidence is None or made.status is not Status.COMPLETE:
            stopped.append(f"{label} ({made.status})")
        else:
            checks.append(CutCheck(label, made.confidence))
    if missed:
        notes.append(Remark(f"Not tried for want of time: {'; '.join(missed)}.", True))
    if stopped:
        notes.append(Remark(f"Not completed: {'; '.join(stopped)}."))
    if constant:
        notes.append(Remark(f"Not tried, because a column would not vary: {'; '.join(constant)}."))
    return CutChecks(prepared.cut, tuple(checks), tuple(_edges(confidence, prepared.cut, checks)), tuple(notes))


def _edges(confidence: EdgeConfidence, columns: tuple[str, ...], checks: list[CutCheck]) -> Iterable[CutEdge]:
    names = confidence.names
    if not checks:
        return
    others = np.array([check.confidence.present for check in checks])
    found = []
    for i in range(len(names)):
        for j in range(i + 1, len(names)):
            here = float(confidence.present[i, j])
            if not {names[i], names[j]} & set(columns) or max(here, float(others[:, i, j].max())) <= HALF:
                continue
            low, high = int(others[:, i, j].argmin()), int(others[:, i, j].argmax())
            lowest, highest = float(others[low, i, j]), float(others[high, i, j])
            found.append(CutEdge(names[i], names[j], here, lowest, checks[low].label, highest, checks[high].label))
    yield from sorted(found, key=lambda edge: (-edge.here, -edge.lowest))
